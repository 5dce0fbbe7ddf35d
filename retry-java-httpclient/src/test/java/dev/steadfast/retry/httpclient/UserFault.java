package dev.steadfast.retry.httpclient;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/** What goes wrong in the code that a user gives the client to take a response body. */
enum UserFault {
  HANDLER_THROWS_UNCHECKED {
    @Override
    BodyHandler<String> handler() {
      return info -> {
        throw new IllegalStateException("mine");
      };
    }
  },
  HANDLER_THROWS_ILLEGAL_ARGUMENT {
    @Override
    BodyHandler<String> handler() {
      return info -> {
        throw new IllegalArgumentException("mine");
      };
    }
  },
  HANDLER_THROWS_CHECKED {
    @Override
    BodyHandler<String> handler() {
      return info -> sneak(new IOException("mine"));
    }
  },
  HANDLER_THROWS_ERROR {
    @Override
    BodyHandler<String> handler() {
      return info -> {
        throw new AssertionError("mine");
      };
    }
  },
  HANDLER_GIVES_NULL {
    @Override
    BodyHandler<String> handler() {
      return info -> null;
    }
  },
  ON_SUBSCRIBE_THROWS {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.ON_SUBSCRIBE, () -> new IllegalStateException("mine"));
    }
  },
  ON_SUBSCRIBE_THROWS_ERROR {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.ON_SUBSCRIBE, () -> new AssertionError("mine"));
    }
  },
  ON_NEXT_THROWS {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.ON_NEXT, () -> new IllegalStateException("mine"));
    }
  },
  ON_NEXT_THROWS_ERROR {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.ON_NEXT, () -> new AssertionError("mine"));
    }
  },
  ON_COMPLETE_THROWS {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.ON_COMPLETE, () -> new IllegalStateException("mine"));
    }
  },
  ON_COMPLETE_THROWS_ERROR {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.ON_COMPLETE, () -> new AssertionError("mine"));
    }
  },
  GET_BODY_THROWS {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.GET_BODY, () -> new IllegalStateException("mine"));
    }
  },
  GET_BODY_THROWS_ERROR {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.GET_BODY, () -> new AssertionError("mine"));
    }
  },
  GET_BODY_GIVES_NULL {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.NO_BODY, () -> new IllegalStateException("unused"));
    }
  },
  BODY_FAILS_UNCHECKED {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.BODY, () -> new IllegalStateException("mine"));
    }
  },
  BODY_FAILS_CHECKED {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.BODY, () -> new IOException("mine"));
    }
  },
  BODY_FAILS_WITH_ERROR {
    @Override
    BodyHandler<String> handler() {
      return info -> new Faulty(Faulty.Where.BODY, () -> new AssertionError("mine"));
    }
  },
  FUNCTION_THROWS {
    @Override
    BodyHandler<String> handler() {
      return info ->
          BodySubscribers.mapping(
              BodySubscribers.ofString(StandardCharsets.UTF_8),
              text -> {
                throw new IllegalStateException("mine");
              });
    }
  },
  FUNCTION_THROWS_ERROR {
    @Override
    BodyHandler<String> handler() {
      return info ->
          BodySubscribers.mapping(
              BodySubscribers.ofString(StandardCharsets.UTF_8),
              text -> {
                throw new AssertionError("mine");
              });
    }
  };

  abstract BodyHandler<String> handler();

  private static <X extends Throwable> BodySubscriber<String> sneak(Throwable thrown) throws X {
    @SuppressWarnings("unchecked") // that is how a checked exception gets past the compiler
    X unchecked = (X) thrown;
    throw unchecked;
  }

  /** Collects a body as text and fails in one place. */
  private static final class Faulty implements BodySubscriber<String> {
    /** The place. */
    enum Where {
      ON_SUBSCRIBE,
      ON_NEXT,
      ON_COMPLETE,
      GET_BODY,
      NO_BODY,
      BODY
    }

    private final BodySubscriber<String> text = BodySubscribers.ofString(StandardCharsets.UTF_8);
    private final Where where;
    private final Supplier<Throwable> failure;

    Faulty(Where where, Supplier<Throwable> failure) {
      this.where = where;
      this.failure = failure;
    }

    private void failIf(Where here) {
      if (here == where) {
        sneak(failure.get());
      }
    }

    @Override
    public CompletionStage<String> getBody() {
      failIf(Where.GET_BODY);
      return switch (where) {
        case NO_BODY -> null;
        case BODY -> CompletableFuture.failedFuture(failure.get());
        default -> text.getBody();
      };
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      failIf(Where.ON_SUBSCRIBE);
      text.onSubscribe(subscription);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      failIf(Where.ON_NEXT);
      text.onNext(buffers);
    }

    @Override
    public void onError(Throwable thrown) {
      text.onError(thrown);
    }

    @Override
    public void onComplete() {
      failIf(Where.ON_COMPLETE);
      text.onComplete();
    }
  }
}
