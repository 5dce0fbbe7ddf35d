package dev.steadfast.retry.okhttp;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import okhttp3.Call;

/**
 * Keeps {@link RetryingCall} a complete {@link Call} on versions of OkHttp that add methods: they
 * have added five from 4.12 to 5.5. Where the interface is the one that the class was compiled for,
 * the class is used as it is; otherwise a proxy sends methods that the class does not know to a
 * real call of the same request.
 */
final class CallProxy {
  private static final Set<Method> UNKNOWN =
      Arrays.stream(Call.class.getMethods())
          .filter(method -> Modifier.isAbstract(method.getModifiers()) && !known(method))
          .collect(Collectors.toSet());

  private CallProxy() {}

  static Call complete(RetryingCall call) {
    return UNKNOWN.isEmpty() ? call : proxy(call, UNKNOWN);
  }

  /** A call that handles its methods itself, except for some. */
  static Call proxy(RetryingCall call, Set<Method> ofPrototype) {
    Call proxy =
        (Call)
            Proxy.newProxyInstance(
                RetryingCall.class.getClassLoader(),
                new Class<?>[] {Call.class},
                (self, method, arguments) ->
                    isEquals(method)
                        ? same(self, arguments[0])
                        : invoke(
                            method,
                            ofPrototype.contains(method) ? call.prototype() : call,
                            arguments));
    call.calledBackAs(proxy);
    return proxy;
  }

  // Sets of calls hold the proxy, and the call behind it is not equal to it.
  @SuppressWarnings("ReferenceEquality")
  private static boolean same(Object one, Object other) {
    return one == other;
  }

  private static boolean isEquals(Method method) {
    return method.getName().equals("equals") && method.getParameterCount() == 1;
  }

  private static Object invoke(Method method, Call target, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
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
