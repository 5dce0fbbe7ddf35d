import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const repository = "https://github.com/steadfast-java/steadfast";
const base = process.env.SITE_BASE || "/";

const groups = {
  Start: ["README", "docs/README", "docs/getting-started-okhttp", "docs/getting-started-java-net-http",
    "docs/getting-started-apache5", "docs/spring", "docs/inside-sdks", "docs/ai-apis", "docs/coming-from"],
  "Never twice": ["docs/what-is-retried", "docs/idempotency-keys", "docs/effectively-once",
    "docs/idempotent-server", "docs/journaled-operations",
    "docs/journal-at-rest", "docs/journal-databases", "docs/journal-on-call", "docs/outbox"],
  "Load and time": ["docs/policies-and-budgets", "docs/guards", "docs/timeouts-and-cancellation",
    "docs/dead-connections", "docs/scope", "docs/simulator"],
  "In operation": ["docs/telemetry", "docs/testing", "docs/benchmarks"],
  Project: ["docs/for-adapter-authors", "docs/decisions/README", "CONTRIBUTING", "SECURITY", "CHANGELOG"],
};

// A page README is the index of its folder.
const address = (page) => page.replace(/README$/, "index");
const pages = new Set(Object.values(groups).flat());
for (const page of readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md"))) {
  if (!pages.has("docs/" + page.slice(0, -3))) {
    throw new Error(`docs/${page} is in no group of internal/site/.vitepress/config.mjs`);
  }
}
const heading = (page) => readFileSync(path.join(root, page + ".md"), "utf8").match(/^# (.*)$/m)[1];
const published = readdirSync(root).filter((module) =>
  existsSync(path.join(root, module, "src/main/java/module-info.java")));

/** Links to what is no page of the site lead to the repository. */
function linksToTheRepository(md) {
  md.core.ruler.push("links-to-the-repository", ({ tokens, env }) => {
    for (const link of tokens.flatMap((token) => token.children ?? [])) {
      const href = link.type === "link_open" ? link.attrGet("href") : "#";
      if (/^(#|[a-z]+:)/.test(href)) continue;
      const [file, ...anchor] = href.split("#");
      const target = path.posix.join(path.posix.dirname(env.relativePath), file);
      const page = target.replace(/\.md$/, "");
      if (pages.has(page) || page.startsWith("docs/decisions/")) {
        link.attrSet("href", ["/" + address(page) + ".md", ...anchor].join("#"));
      } else {
        link.attrSet("href", `${repository}/blob/main/${[target, ...anchor].join("#")}`);
      }
    }
  });
}

// As in the pages, whose links are checked by a test of their own.
const anchorOnGitHub = (heading) =>
  heading.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");

// Search finds Retry-After by the whole word, and by its parts.
const words = (text) => text.split(/[^\p{L}\p{N}-]+/u);
const withParts = (text) =>
  text.split(/[^\p{L}\p{N}-]+/u)
    .flatMap((word) => (word.includes("-") ? [word, ...word.split("-")] : word));

export default defineConfig({
  title: "Steadfast",
  description: "HTTP retries that never send twice what must not be sent twice.",
  base,
  srcDir: root,
  srcExclude: ["**/target/**", "internal/**", ".github/**", "docs/benchmarks/**", "docs/examples/**"],
  outDir: path.join(root, "target/site"),
  rewrites: (page) => address(page.replace(/\.md$/, "")) + ".md",
  vite: {
    plugins: [{
      // Pages are drawn in a folder from which node finds Vue; their own folders are none.
      name: "vue-of-the-site",
      enforce: "pre",
      resolveId: (id, _, { ssr }) =>
        ssr && /^vue($|\/)/.test(id) ? { id, external: true } : null,
    }],
  },
  markdown: { config: linksToTheRepository, anchor: { slugify: anchorOnGitHub } },
  buildEnd({ outDir }) {
    for (const module of published) {
      const javadoc = path.join(root, module, "target/reports/apidocs");
      if (!existsSync(javadoc)) {
        throw new Error(`${javadoc} is missing: run mvn package -DskipTests on JDK 25 first`);
      }
      cpSync(javadoc, path.join(outDir, "api", module), { recursive: true });
    }
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        miniSearch: {
          options: { tokenize: withParts },
          searchOptions: { tokenize: words, combineWith: "AND" },
        },
      },
    },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: repository }],
    nav: [{
      text: "Javadoc",
      items: published.map((module) =>
        ({ text: module, link: `/api/${module}/index.html`, target: "_self" })),
    }],
    sidebar: Object.entries(groups).map(([text, members]) => ({
      text,
      items: members.map((page) => ({ text: heading(page), link: "/" + address(page) })),
    })),
  },
});
