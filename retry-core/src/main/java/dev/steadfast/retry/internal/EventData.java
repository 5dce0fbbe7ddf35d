package dev.steadfast.retry.internal;

/**
 * The members of a JSON object that tell what an event is, without those of objects within it.
 *
 * @param type the value of {@code type}, empty if it is no text
 * @param hasError whether {@code error} is an object or a text that says something
 */
record EventData(String type, boolean hasError) {

  static EventData of(String data) {
    String type = "";
    boolean error = false;
    JsonScanner json = new JsonScanner(data.trim());
    char first = data.trim().startsWith("{") ? json.step() : 0;
    while (first != 0 && json.depth() > 0) {
      first = json.step();
      boolean ownText = first == '"' && json.depth() == 1;
      if (ownText && "type".equals(json.member())) {
        type = json.text();
      } else if ("error".equals(json.member())) {
        error |= ownText ? !json.text().isEmpty() : first == '{' && json.depth() == 2;
      }
    }
    return new EventData(type, error);
  }
}
