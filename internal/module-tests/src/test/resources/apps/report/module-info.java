module app {
  requires dev.steadfast.retry;
}
