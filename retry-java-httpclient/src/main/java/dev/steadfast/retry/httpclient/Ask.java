package dev.steadfast.retry.httpclient;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import org.jspecify.annotations.Nullable;

/**
 * What the caller asked for.
 *
 * @param request the request as he wrote it
 * @param body its body
 * @param handler makes the body of the response that he gets
 * @param pushes takes what the server pushes, null to refuse it
 */
record Ask<T>(
    HttpRequest request, RequestBody body, BodyHandler<T> handler, @Nullable Pushes<T> pushes) {}
