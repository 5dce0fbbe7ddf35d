package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpRetry;
import okhttp3.Call;
import okhttp3.OkHttpClient;

/** The ways into the library, a client with the interceptor that enqueues among them. */
enum Way {
  EXECUTE(Entry.EXECUTE, Entry.EXECUTE),
  ENQUEUE(Entry.ENQUEUE, Entry.ENQUEUE),
  INTERCEPTOR(Entry.INTERCEPTOR, Entry.INTERCEPTOR),
  INTERCEPTOR_ENQUEUE(Entry.INTERCEPTOR, Entry.ENQUEUE);

  private final Entry client;
  private final Entry call;

  Way(Entry client, Entry call) {
    this.client = client;
    this.call = call;
  }

  Call.Factory calls(Rig rig, OkHttpClient.Builder builder, HttpRetry retry) {
    return rig.calls(client, builder, retry);
  }

  Call.Factory calls(Rig rig, HttpRetry retry) {
    return calls(rig, Rig.builder(), retry);
  }

  Entry.Outcome make(Call made) {
    return call.make(made);
  }
}
