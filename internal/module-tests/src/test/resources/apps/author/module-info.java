/** The example of an adapter, with nothing but what everybody sees. */
module app {
  requires dev.steadfast.retry;
  requires dev.steadfast.retry.tck;
}
