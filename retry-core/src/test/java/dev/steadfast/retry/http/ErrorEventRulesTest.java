package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.AnswerProof;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The meaning of an event stream that begins with an error. */
class ErrorEventRulesTest {
  private static final StandardRules RULES =
      StandardRules.builder()
          .refusedBy(200, "overloaded_error")
          .neverRetry(200, "invalid_request_error")
          .build();

  private record Stream(Map<String, List<String>> headerMap, Optional<String> errorEvent)
      implements ResponseView {
    static Stream of(String error) {
      return new Stream(Map.of(), Optional.ofNullable(error));
    }

    @Override
    public int status() {
      return 200;
    }

    @Override
    public List<String> headers(String name) {
      return headerMap.getOrDefault(name, List.of());
    }
  }

  private static HttpOperation operation(StandardRules rules) {
    HttpRetry retry = HttpRetry.builder().classifier(rules).build();
    return retry.operation(TestRequest.of("POST"), RetryOptions.none());
  }

  private static Outcome outcome(ResponseView answer) {
    Evidence evidence = Evidence.of(Disposition.ANSWERED, Evidence.Safety.UNSAFE, 200, 1);
    return operation(RULES).outcome(answer, evidence);
  }

  private static Outcome outcome(String error) {
    return outcome(Stream.of(error));
  }

  @Test
  void aTypeThatIsNamedIsARefusal() {
    for (String error :
        List.of(
            "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}",
            "{\"error\":{\"code\":\"overloaded_error\"}}",
            "{\"type\":\"error\",\"code\":\"overloaded_error\",\"message\":\"later\"}",
            "{\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"overloaded_error\"}}}")) {
      Outcome refused = outcome(error);
      assertInstanceOf(Verdict.Retryable.class, refused.verdict(), error);
      assertEquals(Disposition.REFUSED, refused.evidence().last(), error);
      assertEquals(AnswerProof.REFUSED, refused.evidence().proof(), error);
    }
  }

  @Test
  void anotherErrorProvesNothing() {
    for (String error : List.of("", "busy", "{\"error\":{\"type\":\"api_error\"}}", "{\"a\":{}}")) {
      Outcome unknown = outcome(error);
      assertInstanceOf(Verdict.Retryable.class, unknown.verdict(), error);
      assertEquals(Disposition.ANSWERED, unknown.evidence().last(), error);
      assertEquals(AnswerProof.PERHAPS_DONE, unknown.evidence().proof(), error);
    }
  }

  @Test
  void aFinalErrorAndAStoredOneAreNotRetried() {
    Outcome bad = outcome("{\"error\":{\"type\":\"invalid_request_error\"}}");
    assertInstanceOf(Verdict.Permanent.class, bad.verdict());
    Optional<String> refusal = Optional.of("{\"error\":{\"type\":\"overloaded_error\"}}");
    Stream stored = new Stream(Map.of("Idempotent-Replayed", List.of("true")), refusal);
    assertInstanceOf(Verdict.Permanent.class, outcome(stored).verdict());
  }

  @Test
  void contentIsASuccess() {
    Outcome accepted = outcome((String) null);
    assertInstanceOf(Verdict.Accepted.class, accepted.verdict());
    assertEquals(AnswerProof.DONE, accepted.evidence().proof());
  }

  @Test
  void aTypeForTheStatus200HasStreamsWaitedFor() {
    assertEquals(Set.of(200), RULES.readsBodyOf());
    assertTrue(operation(RULES).awaitsFirstEvent(200));
    assertEquals(0, operation(RULES).judgedBodyBytes(200), "no other body of it is read");
    assertFalse(operation(RULES).awaitsFirstEvent(201));
    assertFalse(operation(StandardRules.defaults()).awaitsFirstEvent(200));
    StandardRules others = StandardRules.builder().refusedBy(529, "overloaded_error").build();
    assertFalse(operation(others).awaitsFirstEvent(200));
  }

  @Test
  void noOtherSuccessHasATypeOfError() {
    for (int status : new int[] {199, 201, 204, 399, 600}) {
      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> StandardRules.builder().refusedBy(status, "any"));
      assertEquals("status: " + status + " (expected: 400 to 599, or 200)", refused.getMessage());
    }
  }
}
