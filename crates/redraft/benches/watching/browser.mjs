// What a page takes in Chromium: node browser.mjs ADDRESS PATH FOLDER, where FOLDER is what .ci/pages has installed. Prints
// one line. The page follows, is turned over many times, and is measured after the browser has collected what it can.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const TURNS = 50;
const [address, at, folder] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(folder), "node_modules", "x.js"))("playwright-core");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const context = await browser.newContext();
  const page = await context.newPage();
  const own = await context.newCDPSession(page);
  const all = await browser.newBrowserCDPSession();
  await own.send("Performance.enable");
  // Memory that only the process of the page has; a browser has one for each site.
  const process_kb = async () => {
    const found = await all.send("SystemInfo.getProcessInfo");
    const sizes = found.processInfo.filter((one) => one.type === "renderer").map((one) => {
      const text = fs.readFileSync(`/proc/${one.id}/smaps_rollup`, "utf8");
      return ["Private_Clean", "Private_Dirty"].map((name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)[1])).reduce((a, b) => a + b);
    });
    return Math.max(...sizes);
  };
  const metrics = async () => {
    await own.send("HeapProfiler.collectGarbage");
    const found = (await own.send("Performance.getMetrics")).metrics;
    return Object.fromEntries(found.map((one) => [one.name, one.value]));
  };
  await page.goto(address);
  const origin = new URL(page.url()).origin;
  // The smallest page of the same server, in the same process.
  await page.goto(`${origin}/icon.svg`);
  await metrics();
  const empty = await process_kb();
  const begun = Date.now();
  await page.goto(origin + at);
  const took = Date.now() - begun;
  const rows = await page.locator("ol.time li").count();
  for (let turn = 0; turn < TURNS; turn += 1) await page.click("text=Older events");
  const found = await metrics();
  const bytes = await page.evaluate(() => document.documentElement.outerHTML.length);
  const grown = (await process_kb()) - empty;
  const mb = (number) => (number / 1024 / 1024).toFixed(1);
  console.log(
    `${rows} lines a page, loaded in ${took} ms; after ${TURNS} more pages its script has ${mb(found.JSHeapUsedSize)} MB, ` +
    `its document ${Math.round(bytes / 1024)} KB in ${found.Nodes} nodes, and its process ${mb(grown * 1024)} MB more than with an icon alone`,
  );
} finally {
  await browser.close();
}
