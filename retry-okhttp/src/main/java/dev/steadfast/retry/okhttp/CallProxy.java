package dev.steadfast.retry.okhttp;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import okhttp3.Call;

/**
 * Keeps {@link RetryingCall} a complete {@link Call} on versions of OkHttp that add methods: they
 * have added five from 4.12 to 5.5. Where the interface is the one that the class was compiled for,
 * the class is used as it is; otherwise a proxy sends methods that the class does not know to a
 * real call of the same request.
 */
final class CallProxy {
  private static final boolean COMPLETE =
      Arrays.stream(Call.class.getMethods())
          .filter(method -> Modifier.isAbstract(method.getModifiers()))
          .allMatch(CallProxy::known);

  private CallProxy() {}

  static Call complete(RetryingCall call) {
    return COMPLETE ? call : proxy(call);
  }

  static Call proxy(RetryingCall call) {
    Call proxy =
        (Call)
            Proxy.newProxyInstance(
                RetryingCall.class.getClassLoader(),
                new Class<?>[] {Call.class},
                (self, method, arguments) -> invoke(call, method, arguments));
    call.calledBackAs(proxy);
    return proxy;
  }

  private static Object invoke(RetryingCall call, Method method, Object[] arguments)
      throws Throwable {
    boolean ours = method.getDeclaringClass() == Object.class || known(method);
    try {
      return method.invoke(ours ? call : call.prototype(), arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause() == null ? thrown : thrown.getCause();
    }
  }

  private static boolean known(Method method) {
    try {
      RetryingCall.class.getMethod(method.getName(), method.getParameterTypes());
      return true;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }
}
