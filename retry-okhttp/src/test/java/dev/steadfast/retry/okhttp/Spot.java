package dev.steadfast.retry.okhttp;

import dev.steadfast.retry.http.HttpRetry;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;

/** Where an interceptor of the user's stands, and how the call is made. */
enum Spot {
  FACTORY_EXECUTE(Entry.EXECUTE),
  FACTORY_ENQUEUE(Entry.ENQUEUE),
  BEFORE_ADD_TO(Entry.INTERCEPTOR),
  AFTER_ADD_TO(Entry.INTERCEPTOR),
  NETWORK_EXECUTE(Entry.EXECUTE),
  NETWORK_ENQUEUE(Entry.ENQUEUE),
  NETWORK_INTERCEPTOR(Entry.INTERCEPTOR);

  private final Entry entry;

  Spot(Entry entry) {
    this.entry = entry;
  }

  private boolean network() {
    return name().startsWith("NETWORK_");
  }

  Call.Factory calls(Rig rig, HttpRetry retry, Interceptor users) {
    return calls(rig, retry, Rig.builder(), users);
  }

  Call.Factory calls(Rig rig, HttpRetry retry, OkHttpClient.Builder builder, Interceptor users) {
    if (this == AFTER_ADD_TO) {
      return rig.client(RetryInterceptor.addTo(builder, retry).addInterceptor(users));
    }
    if (network()) {
      builder.addNetworkInterceptor(users);
    } else {
      builder.addInterceptor(users);
    }
    return rig.calls(entry, builder, retry);
  }

  Entry.Outcome make(Call call) {
    return entry.make(call);
  }
}
