package dev.steadfast.retry.okhttp;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Request;
import okhttp3.Response;

/** Calls around those of a client, as a factory of the user's makes them. */
interface CallsAround {
  default Response execute(Call inner) throws IOException {
    return inner.execute();
  }

  default void enqueue(Call inner, Callback callback) {
    inner.enqueue(callback);
  }

  default Call.Factory of(Call.Factory client) {
    return request -> around(client.newCall(request));
  }

  // A proxy, because versions of OkHttp differ in the methods of a call.
  private Call around(Call inner) {
    return (Call)
        Proxy.newProxyInstance(
            CallsAround.class.getClassLoader(),
            new Class<?>[] {Call.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> same(self, arguments[0]);
                  case "execute" -> execute(inner);
                  case "enqueue" -> {
                    enqueue(inner, (Callback) arguments[0]);
                    yield null;
                  }
                  default -> invoke(inner, method, arguments);
                });
  }

  private static Object invoke(Call inner, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(inner, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  @SuppressWarnings("ReferenceEquality") // a call is equal to itself alone
  private static boolean same(Object one, Object other) {
    return one == other;
  }

  /** Calls that send by other means when the client's have failed. */
  static CallsAround fallingBack(Fallback fallback) {
    return fallingBack((request, lost) -> fallback.send(request));
  }

  private static CallsAround fallingBack(AfterFailure fallback) {
    return new CallsAround() {
      @Override
      public Response execute(Call inner) throws IOException {
        try {
          return inner.execute();
        } catch (IOException lost) {
          return fallback.send(inner.request(), lost);
        }
      }

      @Override
      public void enqueue(Call inner, Callback callback) {
        inner.enqueue(
            new Callback() {
              @Override
              public void onFailure(Call call, IOException lost) {
                try {
                  callback.onResponse(call, fallback.send(call.request(), lost));
                } catch (IOException again) {
                  callback.onFailure(call, again);
                }
              }

              @Override
              public void onResponse(Call call, Response response) throws IOException {
                callback.onResponse(call, response);
              }
            });
      }
    };
  }

  /** Calls that throw what the function makes of the failure of the client's. */
  static CallsAround failing(UnaryOperator<IOException> made) {
    return fallingBack((request, lost) -> {
      throw made.apply(lost);
    });
  }

  /** The other means, for which it is known why the client's have failed. */
  interface AfterFailure {
    Response send(Request request, IOException lost) throws IOException;
  }

  /** The other means. */
  interface Fallback {
    Response send(Request request) throws IOException;
  }
}
