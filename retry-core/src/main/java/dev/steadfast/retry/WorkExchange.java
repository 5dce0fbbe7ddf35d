package dev.steadfast.retry;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Work on the calling thread. */
final class WorkExchange implements Exchange<Object> {
  private final Work work;
  private final Callable<?> callable;
  private final RetryingLayer layer;

  WorkExchange(Work work, Callable<?> callable, RetryingLayer layer) {
    this.work = work;
    this.callable = callable;
    this.layer = layer;
  }

  @Override
  public void start(Attempt<Object> attempt) throws Exception {
    if (attempt.begin(attempt.info())) {
      attempt.complete(Work.mask(Work.within(layer, callable)), null);
    }
  }

  @Override
  public boolean boundsAttempts() {
    return true;
  }

  @Override
  public Verdict judge(Object result) {
    return work.judgeResult(result);
  }

  @Override
  public Verdict judge(Throwable failure) {
    return work.judgeFailure(failure);
  }

  @Override
  public Facts facts(@Nullable Object result, @Nullable Throwable failure) {
    return Work.facts(failure);
  }

  @Override
  public Throwable failure(End end, @Nullable Throwable cause) {
    return CallEnds.failure(end, cause);
  }
}
