package dev.steadfast.retry.journal.cli;

import dev.steadfast.retry.journal.Oversight.Decision;

/** The texts that tell a person why the journal refuses, and what to do. */
final class Reasons {
  private Reasons() {}

  static String of(String verb, Decision decision) {
    return switch (decision) {
      case DONE -> "done";
      case NOT_FOUND ->
          "no such operation. Is it named as in the code, and does it need --principal?";
      case IN_FLIGHT -> "somebody works on it. Wait for the end of its lease";
      case NOTHING_TO_DO -> nothing(verb);
      case MAY_HAVE_ACTED -> "it may have been sent. Ask its server, then settle it";
      case KEY_EXPIRED ->
          "it may have been sent, and its server may no longer know its key."
              + " Ask the server, then settle it";
      case BODY_NOT_KEPT -> "its body is not kept. Only its caller can send it, by the same call";
      case PASSED ->
          "later operations of its sequence may have passed it. If their order does not matter, add"
              + " --force";
    };
  }

  private static String nothing(String verb) {
    return switch (verb) {
      case "settle" ->
          "its effect is not unknown, or somebody works on it. If you know more, park it first";
      case "park" -> "it is parked or over already";
      case "resume" -> "it is over, or it is sent without a person's word";
      default -> "it is over already";
    };
  }
}
