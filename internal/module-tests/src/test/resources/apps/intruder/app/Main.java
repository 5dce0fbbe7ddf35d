package app;

/** Uses what is not exported to it. */
public final class Main {
  public static void main(String[] arguments) {
    System.out.println(dev.steadfast.retry.internal.Checks.isBlank(""));
  }
}
