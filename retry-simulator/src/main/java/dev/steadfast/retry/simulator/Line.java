package dev.steadfast.retry.simulator;

/** One result, for programs: {@code <scenario> key=value ...}, values without spaces. */
final class Line {
  private final StringBuilder text;

  Line(String scenario) {
    this.text = new StringBuilder(scenario);
  }

  Line with(String key, String value) {
    text.append(' ').append(key).append('=').append(value.replace("; ", ";").replace(' ', '-'));
    return this;
  }

  Line with(String key, long value) {
    return with(key, Long.toString(value));
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
