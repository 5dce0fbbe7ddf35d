package dev.steadfast.retry.simulator;

import java.util.List;
import java.util.stream.Collectors;

/** One page with everything in it: no script, no font, nothing from the network. */
final class Report {
  private static final String LAYOUT =
      """
      *{box-sizing:border-box}
      body{margin:0 auto;max-width:60rem;padding:1rem;line-height:1.5;background:var(--page);\
      color:var(--text);font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',\
      sans-serif}
      h1{line-height:1.2}h2{margin:2.5rem 0 .5rem;line-height:1.25}
      nav ul{columns:2;padding-left:1.2rem}a{color:var(--link)}
      figure{margin:1.5rem 0}figcaption{margin-bottom:.25rem}
      figcaption small{display:block;color:var(--soft)}
      code{overflow-wrap:anywhere}figure svg{display:block;border-radius:.3rem;width:100%;height:auto}
      .narrow{display:none}
      .model{border-left:.25rem solid var(--line);padding-left:.75rem;color:var(--soft)}
      .scroll{overflow-x:auto}
      table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
      caption{text-align:left;color:var(--soft)}
      th,td{padding:.15rem .6rem .15rem 0;text-align:left;white-space:nowrap;\
      border-bottom:1px solid var(--line)}
      th.n,td.n{text-align:right}
      code,pre{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:.85em}
      pre{overflow-x:auto;background:var(--shade);padding:.6rem;border-radius:.3rem}
      details{margin:.75rem 0}summary{cursor:pointer}
      @media (max-width:36rem){.wide{display:none}.narrow{display:block}nav ul{columns:1}}
      """;

  private final StringBuilder page = new StringBuilder();

  private Report() {}

  /** A scenario as it was run: the command, and its results. */
  record Section(String command, Result result) {}

  static String of(List<Section> sections) {
    return new Report().page(sections);
  }

  private String page(List<Section> sections) {
    head();
    page.append("<h1>Steadfast simulator</h1>\n<p>Virtual time; real policies, budgets, breakers")
        .append(" and gates of the library. The same seed gives the same page.</p>\n");
    if (sections.size() > 1) {
      page.append("<nav><ul>\n");
      for (int i = 0; i < sections.size(); i++) {
        String title = Html.escape(sections.get(i).result().title());
        page.append("<li><a href=\"#s").append(i).append("\">").append(title).append("</a></li>\n");
      }
      page.append("</ul></nav>\n");
    }
    for (int i = 0; i < sections.size(); i++) {
      section(i, sections.get(i));
    }
    return page.append("</body>\n</html>\n").toString();
  }

  private void head() {
    page.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n")
        .append("<meta name=\"color-scheme\" content=\"light dark\">\n")
        .append("<title>Steadfast simulator</title>\n<style>\n:root{")
        .append("--page:#ffffff;--text:#1f2937;--soft:#52606d;--shade:#f3f4f6;--line:#d1d5db;")
        .append("--link:#2563eb}\n@media (prefers-color-scheme:dark){:root{")
        .append("--page:#18181b;--text:#e4e4e7;--soft:#a1a1aa;--shade:#27272a;--line:#52525b;")
        .append("--link:#60a5fa}}\n")
        .append(LAYOUT)
        .append("</style>\n</head>\n<body>\n");
  }

  private void section(int number, Section section) {
    Result result = section.result();
    page.append("<section id=\"s").append(number).append("\">\n<h2>");
    page.append(Html.escape(result.title())).append("</h2>\n<p><strong>");
    page.append(Html.escape(result.conclusion())).append("</strong></p>\n<p class=\"model\">");
    page.append(Html.escape(result.model())).append("</p>\n<p><code>java -jar simulator.jar ");
    page.append(Html.escape(section.command())).append("</code></p>\n");
    for (String note : result.notes()) {
      page.append("<p>").append(Html.escape(note)).append("</p>\n");
    }
    result.charts().forEach(this::figure);
    boolean many = result.tables().stream().mapToInt(table -> table.rows().size()).sum() > 12;
    page.append(many ? "<details><summary>Figures</summary>\n" : "");
    result.tables().forEach(this::table);
    page.append(many ? "</details>\n" : "");
    page.append("<details><summary>Lines for programs</summary><pre>");
    page.append(result.lines().stream().map(Html::escape).collect(Collectors.joining("\n")));
    page.append("</pre></details>\n</section>\n");
  }

  private void figure(Chart chart) {
    page.append("<figure><figcaption><strong>").append(Html.escape(chart.title()));
    page.append("</strong><small>").append(Html.escape(chart.about()));
    page.append("</small></figcaption>\n<div class=\"wide\">").append(chart.wide());
    page.append("</div><div class=\"narrow\">").append(chart.narrow()).append("</div></figure>\n");
  }

  private void table(Table table) {
    page.append("<div class=\"scroll\"><table>");
    if (!table.caption().isEmpty()) {
      page.append("<caption>").append(Html.escape(table.caption())).append("</caption>");
    }
    page.append("<thead>");
    row(table, table.heading(), "th");
    page.append("</thead><tbody>");
    table.rows().forEach(cells -> row(table, cells, "td"));
    page.append("</tbody></table></div>\n");
  }

  private void row(Table table, List<String> cells, String tag) {
    page.append("<tr>");
    for (int i = 0; i < cells.size(); i++) {
      page.append('<').append(tag).append(table.right(i) ? " class=\"n\">" : ">");
      page.append(Html.escape(cells.get(i))).append("</").append(tag).append('>');
    }
    page.append("</tr>\n");
  }
}
