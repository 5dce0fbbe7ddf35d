// Checks target/site in Chromium, as a phone shows it: links, width, hosts, search. CHROMIUM names
// the browser.
import { mkdirSync } from "node:fs";
import { get } from "node:http";
import puppeteer from "puppeteer-core";
import { serve } from "vitepress";

const origin = "http://localhost:4179";
const base = process.env.SITE_BASE || "/";
const pictures = new URL("../../target/site-pictures/", import.meta.url).pathname;
const faults = [];
await serve({ root: import.meta.dirname, port: 4179, base });
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage();
page.setDefaultTimeout(120_000);
await page.setViewport({ width: 390, height: 844, isMobile: true });
page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
page.on("request", (request) => {
  if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin)) {
    faults.push(`${page.url()} asks ${request.url()}`);
  }
});

const status = (url) =>
  new Promise((done) => get(url, (answer) => done(answer.resume().statusCode)));

const anchors = new Map(); // of each page seen
const links = [];
const todo = [base];
while (todo.length > 0) {
  const path = todo.pop();
  if (anchors.has(path)) continue;
  if (path.includes("/api/")) {
    anchors.set(path, null);
    const code = await status(origin + path);
    if (code !== 200) faults.push(`${path}: ${code}`);
    continue;
  }
  await page.goto(origin + path, { waitUntil: "load" });
  const seen = await page.evaluate(() => ({
    missing: document.querySelector(".NotFound") !== null,
    width: document.documentElement.scrollWidth,
    ids: [...document.querySelectorAll("[id]")].map((each) => each.id),
    hrefs: [...document.querySelectorAll("a[href]")].map((each) => each.href),
    broken: [...document.images]
      .filter((each) => each.complete && !each.naturalWidth)
      .map((each) => each.src),
  }));
  anchors.set(path, new Set(seen.ids));
  if (seen.missing) faults.push(`${path}: no such page`);
  if (seen.width > 390) faults.push(`${path}: ${seen.width} px wide`);
  seen.broken.forEach((src) => faults.push(`${path}: no picture ${src}`));
  for (const href of seen.hrefs.filter((each) => each.startsWith(origin))) {
    const to = new URL(href);
    links.push([path, to.pathname, decodeURIComponent(to.hash.slice(1))]);
    todo.push(to.pathname);
  }
}
for (const [from, path, hash] of links) {
  if (hash && anchors.get(path) && !anchors.get(path).has(hash)) {
    faults.push(`${from} links to ${path}#${hash}, which has no such heading`);
  }
}

async function picture(name, path, width, height, scheme) {
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(origin + base + path, { waitUntil: "load" });
  await page.screenshot({ path: `${pictures}${name}.png` });
}

mkdirSync(pictures, { recursive: true });
await picture("phone-light", "", 390, 844, "light");
await picture("phone-dark", "docs/what-is-retried.html", 390, 844, "dark");
await picture("desktop-light", "", 1280, 800, "light");
await picture("desktop-dark", "docs/what-is-retried.html", 1280, 800, "dark");

await page.waitForFunction(() => document.querySelector("#app").__vue_app__); // it listens by then
await page.click(".VPNavBarSearch button");
await page.waitForSelector("#localsearch-input");
await page.type("#localsearch-input", "Retry-After");
await page.waitForSelector("#localsearch-list a");
await page.screenshot({ path: `${pictures}search.png` });
await page.click("#localsearch-list a");
await page.waitForFunction(() => !document.querySelector("#localsearch-input"));
if (!page.url().includes("/docs/what-is-retried.html#")) {
  faults.push(`the search for Retry-After shows ${page.url()}`);
}
console.log(`${anchors.size} pages, ${links.length} links; Retry-After is found on ${page.url()}`);

await browser.close();
faults.forEach((each) => console.error(each));
process.exit(faults.length > 0 ? 1 : 0);
