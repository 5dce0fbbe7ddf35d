package dev.steadfast.retry.simulator;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Describes a chart to Lets-Plot: data, how columns are shown, layers, scales. */
final class Plot {
  static final String INVISIBLE = "\u200b";

  private final Map<String, Object> spec = new LinkedHashMap<>();
  private final List<Object> layers = new ArrayList<>();
  private final List<Object> scales = new ArrayList<>();
  private final Map<String, Object> theme = map("name", "minimal");

  private final List<Legend.Sign> signs = new ArrayList<>();

  private Plot(Chart.Frame frame, int height) {
    spec.put("kind", "plot");
    spec.put("ggsize", map("width", frame.width(), "height", height));
    theme.put("legend_position", "none");
    theme.put("axis_title", map("size", 13, "blank", false));
    theme.put("axis_text", map("size", 12, "blank", false));
    theme.put("strip_text", map("size", 12, "blank", false));
  }

  static Plot in(Chart.Frame frame, int height) {
    return new Plot(frame, height);
  }

  /** A map of names and values, in this order. */
  static Map<String, Object> map(Object... namesAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return map;
  }

  /** Columns of data. */
  static final class Columns {
    private final String[] names;
    private final Map<String, Object> columns = new LinkedHashMap<>();

    Columns(String... names) {
      this.names = names;
      for (String name : names) {
        columns.put(name, new ArrayList<Object>());
      }
    }

    @SuppressWarnings("unchecked") // put there as such
    Columns row(Object... values) {
      for (int i = 0; i < names.length; i++) {
        ((List<Object>) columns.get(names[i])).add(values[i]);
      }
      return this;
    }

    Map<String, Object> map() {
      return columns;
    }
  }

  Plot data(Columns data, Object... mapping) {
    spec.put("data", data.map());
    spec.put("mapping", map(mapping));
    return this;
  }

  /** A layer on the chart's data. */
  Plot layer(String geom, Object... settings) {
    Map<String, Object> layer = map("geom", geom, "tooltips", "none");
    layer.putAll(map(settings));
    layers.add(layer);
    return this;
  }

  /** A layer on data of its own. */
  Plot layerOn(Columns data, Map<String, Object> mapping, String geom, Object... settings) {
    Map<String, Object> layer =
        map("geom", geom, "tooltips", "none", "data", data.map(), "mapping", mapping);
    layer.put("inherit_aes", false);
    layer.putAll(map(settings));
    layers.add(layer);
    return this;
  }

  /** The name of an axis or legend, and a note about it. */
  Plot scale(String aesthetic, String name, Object... settings) {
    Map<String, Object> scale = map("aesthetic", aesthetic, "name", name);
    scale.putAll(map(settings));
    scales.add(scale);
    return this;
  }

  /** Colours by name, which the legend shows as such marks. */
  Plot colours(String aesthetic, Legend.Mark mark, List<String> names, List<String> colours) {
    List<String> used = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      used.add(colours.get(i % colours.size()));
      double opacity = mark == Legend.Mark.AREA ? 0.75 : 1;
      sign(new Legend.Sign(mark, used.get(i), opacity, names.get(i)));
    }
    return scale(aesthetic, "", "discrete", true, "values", used, "limits", names);
  }

  /** The meaning of a sign. */
  Plot sign(Legend.Mark mark, String colour, String meaning) {
    return sign(new Legend.Sign(mark, colour, 1, meaning));
  }

  /** The meaning of a sign. */
  Plot sign(Legend.Sign sign) {
    signs.add(sign);
    return this;
  }

  List<Legend.Sign> signs() {
    return signs;
  }

  Plot panels(String by, int columns, String scales) {
    spec.put(
        "facet",
        map(
            "name",
            "wrap",
            "facets",
            List.of(by),
            "ncol",
            columns,
            "order",
            List.of(1),
            "scales",
            scales));
    return this;
  }

  /**
   * The name of a panel that comes at a place: the library sorts panels by name, so those that come
   * later begin with more marks that cannot be seen. They are gone from the image.
   */
  static String panel(String name, int place) {
    return INVISIBLE.repeat(place) + name;
  }

  Map<String, Object> spec() {
    spec.put("layers", layers);
    spec.put("scales", scales);
    spec.put("theme", theme);
    return spec;
  }
}
