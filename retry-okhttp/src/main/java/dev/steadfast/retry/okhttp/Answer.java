package dev.steadfast.retry.okhttp;

import okhttp3.Response;

/** A response together with the attempt that it came from. */
record Answer(Response response, WireState wire) {}
