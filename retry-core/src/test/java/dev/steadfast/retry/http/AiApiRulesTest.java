package dev.steadfast.retry.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.steadfast.retry.Disposition;
import dev.steadfast.retry.Verdict;
import dev.steadfast.retry.engine.Evidence;
import dev.steadfast.retry.engine.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the settings for AI APIs make of the answers that the vendors document. */
class AiApiRulesTest {
  private record Answer(int status, String body) implements ResponseView {
    @Override
    public List<String> headers(String name) {
      return name.equalsIgnoreCase("Retry-After") ? List.of("1") : List.of();
    }

    @Override
    public Map<String, List<String>> headerMap() {
      return Map.of("retry-after", headers("Retry-After"));
    }

    @Override
    public Optional<String> bodyText() {
      return Optional.of(body);
    }
  }

  private static Outcome outcome(int status, String body) {
    HttpRetry retry = HttpRetry.forAiApis(Duration.ofMinutes(1)).build();
    return retry
        .operation(TestRequest.of("POST"), RetryOptions.none())
        .outcome(
            new Answer(status, body),
            Evidence.of(Disposition.ANSWERED, Evidence.Safety.UNSAFE, status, 1));
  }

  /** OpenAI names the limit as the code of the error, Anthropic in its details. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'error':{'type':'insufficient_quota','code':'insufficient_quota','param':null}}",
        "{'error':{'type':'insufficient_quota','code':'credit_balance_exhausted'}}",
        "{'error':{'type':'requests','code':'organization_spend_limit_exceeded'}}",
        "{'error':{'type':'requests','code':'organization_usage_limit_exceeded'}}",
        "{'error':{'type':'requests','code':'project_spend_limit_exceeded'}}",
        "{'type':'error','error':{'type':'rate_limit_error','message':'no','details':"
            + "{'error_code':'enforced_spend_limit_reached'}}}"
      })
  void moneyThatIsUsedUp_endsTheCall_whateverTheServerAsksFor(String body) {
    assertEquals(
        Verdict.Permanent.class, outcome(429, body.replace('\'', '"')).verdict().getClass());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'error':{'type':'tokens','code':'rate_limit_exceeded'}}",
        "{'type':'error','error':{'type':'rate_limit_error','message':'insufficient_quota'}}",
        "{'error':{'code':429,'status':'RESOURCE_EXHAUSTED'}}",
        ""
      })
  void anyOther429_isRetried(String body) {
    Outcome outcome = outcome(429, body.replace('\'', '"'));
    assertEquals(Verdict.Retryable.class, outcome.verdict().getClass());
    assertEquals(Disposition.REFUSED, outcome.evidence().last());
  }

  /** No vendor documents that nothing was done, so the user claims it or not. */
  @Test
  void anOverload_isNoRefusalByItself() {
    String openAi = "{\"error\":{\"code\":\"server_is_overloaded\"}}";
    String anthropic = "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}";
    assertEquals(Disposition.ANSWERED, outcome(503, openAi).evidence().last());
    assertEquals(Disposition.ANSWERED, outcome(529, anthropic).evidence().last());
  }
}
