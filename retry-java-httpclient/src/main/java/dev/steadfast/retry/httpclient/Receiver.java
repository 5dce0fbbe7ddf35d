package dev.steadfast.retry.httpclient;

import java.net.http.HttpResponse.BodyHandler;
import org.jspecify.annotations.Nullable;

/**
 * The place where the response of an operation goes.
 *
 * @param handler makes the body of the response that the caller gets
 * @param pushes takes what the server pushes, null to refuse it
 * @param waits whether the calling thread waits for the response in the client
 */
record Receiver<T>(BodyHandler<T> handler, @Nullable Pushes<T> pushes, boolean waits) {}
