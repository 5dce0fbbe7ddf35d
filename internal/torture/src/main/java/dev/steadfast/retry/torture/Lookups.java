package dev.steadfast.retry.torture;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.operations.OperationJournal;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;

/** Asks the server whether a payment was made. */
final class Lookups {
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** Asks the server to refuse the key too, if there is one, as a request may be on its way. */
  Lookup ask(OperationJournal.Intent unknown) throws InterruptedException {
    Journaling.Key key = unknown.terms().key();
    URI payment = URI.create(unknown.request().uri() + "/" + unknown.id().key());
    HttpRequest.Builder request =
        key == null
            ? HttpRequest.newBuilder(payment)
            : HttpRequest.newBuilder(URI.create(payment + "/fence"))
                .header(key.header(), key.line())
                .POST(BodyPublishers.noBody());
    Map<String, List<String>> headers = unknown.request().content().headers();
    headers
        .getOrDefault(Payments.PRINCIPAL, List.of())
        .forEach(name -> request.header(Payments.PRINCIPAL, name));
    try {
      return answer(
          http.send(request.timeout(Payments.TOTAL_TIMEOUT).build(), BodyHandlers.ofString()));
    } catch (IOException failed) {
      return Lookup.DONT_KNOW;
    }
  }

  private static Lookup answer(HttpResponse<String> response) {
    if (response.statusCode() != 200) {
      return Lookup.DONT_KNOW; // also for 404: the request may still arrive
    }
    return response.body().contains("\"applied\"") ? Lookup.APPLIED : Lookup.NOT_APPLIED_AND_FENCED;
  }
}
