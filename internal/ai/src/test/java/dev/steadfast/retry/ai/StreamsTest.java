package dev.steadfast.retry.ai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.steadfast.retry.ai.Ai.Asker;
import dev.steadfast.retry.ai.AiServer.Fate;
import dev.steadfast.retry.http.HttpRetry;
import dev.steadfast.retry.http.RetryOptions;
import dev.steadfast.retry.http.StandardRules;
import dev.steadfast.retry.testkit.FakeTime;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams through the SDKs. Waits take no time. */
class StreamsTest {
  private final FakeTime time = new FakeTime();

  private Asker asker(Sdks sdk, AiServer server) {
    StandardRules rules =
        StandardRules.forAiApis()
            .refusedBy(200, "overloaded_error")
            .refusedBy(529, "overloaded_error")
            .build();
    HttpRetry retry =
        HttpRetry.forAiApis(Duration.ofMinutes(5))
            .classifier(rules)
            .environment(time.environment())
            .listener(time.skipWaits())
            .build();
    RetryOptions twice = RetryOptions.builder().replayable(true).paidRepeats(3).build();
    return sdk.steadfast(server.url(), retry, twice);
  }

  @ParameterizedTest
  @EnumSource
  void oneThatBeginsWithAnOverloadIsAskedForAgain(Sdks sdk) throws Exception {
    try (AiServer server = new AiServer(sdk.dialect(), 1);
        Asker asker = asker(sdk, server)) {
      server.next(Fate.OVERLOADED, Fate.ANSWERED);
      assertEquals("hi", asker.stream("cost=10;"));
      assertEquals(1, server.seen().sentInOverload());
      assertEquals(1, server.seen().billed());
    }
  }

  /** The caller has a part of it. */
  @ParameterizedTest
  @EnumSource
  void oneThatBreaksOffInTheMiddleIsNotAskedForAgain(Sdks sdk) throws Exception {
    try (AiServer server = new AiServer(sdk.dialect(), 1);
        Asker asker = asker(sdk, server)) {
      server.next(Fate.CUT, Fate.ANSWERED);
      assertThrows(Exception.class, () -> asker.stream("cost=10;"));
      assertEquals(1, server.seen().billed());
      assertEquals(1, server.seen().cut());
    }
  }

  @ParameterizedTest
  @EnumSource
  void withoutStreamsAnOverloadAndALostAnswerAreAskedForAgain(Sdks sdk) throws Exception {
    try (AiServer server = new AiServer(sdk.dialect(), 1);
        Asker asker = asker(sdk, server)) {
      server.next(Fate.OVERLOADED, Fate.REJECTED, Fate.CUT, Fate.ANSWERED);
      asker.ask("cost=10;");
      AiServer.Seen seen = server.seen();
      assertEquals(1, seen.sentInOverload());
      assertEquals(1, seen.rejected());
      assertEquals(2, seen.billed());
    }
  }
}
