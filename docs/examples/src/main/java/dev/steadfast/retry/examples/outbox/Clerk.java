package dev.steadfast.retry.examples.outbox;

import dev.steadfast.retry.http.Journaling;
import dev.steadfast.retry.journal.JdbcJournal;
import dev.steadfast.retry.journal.JdbcJournal.Lookup;
import dev.steadfast.retry.operations.OperationJournal.Intent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Asks the payments service about the orders that the relay does not send any more. */
final class Clerk {
  private final HttpClient http = HttpClient.newHttpClient();

  void settle(JdbcJournal journal) throws IOException, InterruptedException {
    for (Intent unknown : journal.unknown(100)) {
      journal.settle(unknown.id(), ask(unknown));
    }
  }

  /** The service refuses the key from now on, so its answer stays true. */
  private Lookup ask(Intent unknown) throws IOException, InterruptedException {
    Journaling.Key key = unknown.terms().key();
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(unknown.request().uri() + "/" + unknown.id().key() + "/fence"))
            .header("Authorization", "Bearer shop")
            .header(key.header(), key.line())
            .timeout(Duration.ofSeconds(3))
            .POST(BodyPublishers.noBody())
            .build();
    HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
    return told(answer.statusCode(), answer.body());
  }

  /** Anything but the two words, such as the page of a proxy, tells nothing. */
  static Lookup told(int status, String body) {
    if (status == 200 && body.contains("\"applied\"")) {
      return Lookup.APPLIED;
    }
    boolean fenced = status == 200 && body.contains("\"not applied and fenced\"");
    return fenced ? Lookup.NOT_APPLIED_AND_FENCED : Lookup.DONT_KNOW;
  }
}
