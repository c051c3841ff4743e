// The browser side of .ci/pages: node .ci/pages.mjs PROGRAM BROWSER FOLDER
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";

const [program, browserPath, folder] = process.argv.slice(2).map((word) => path.resolve(word));
const require = createRequire(path.join(folder, "node_modules", "x.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const shots = path.join(folder, "shots");
fs.rmSync(shots, { recursive: true, force: true });
fs.mkdirSync(shots, { recursive: true });

const home = fs.mkdtempSync(path.join(os.tmpdir(), "redraft-pages-"));
const repo = path.join(home, "shop");
const environment = { ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, "config"), GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.org", GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.org", CI: "1" };
const redraft = (...words) => spawnSync(program, ["-C", repo, ...words], { env: environment, encoding: "utf8" });
const json = (...words) => JSON.parse(redraft(...words, "--json").stdout);
const events = () => json("log").events;

const faults = [];
const check = (holds, what) => { if (!holds) { faults.push(what); console.log(`  FAULT: ${what}`); } };
const told = (what) => console.log(`${new Date().toISOString().slice(11, 19)} ${what}`);

let [server, printed, origin] = [null, null, ""];
let browser = null;
const seen = [];
const context = async (options = {}) => {
  const made = await browser.newContext({ ...options });
  made.on("request", (request) => { if (!request.url().startsWith(`${origin}/`)) seen.push(request.url()); });
  made.on("console", (message) => { if (message.type() === "error") seen.push(`console: ${message.text()}`); });
  made.on("weberror", (error) => seen.push(`error: ${error.error()}`));
  return made;
};
// What a browser itself says about an answer that refuses a form is no fault of the page.
const quiet = () => {
  const left = seen.splice(0).filter((one) => !/status of (409|422|403|404)/.test(one));
  check(left.length === 0, `outside requests or errors: ${left.join("; ")}`);
};

try {
  // A feature from an idea to reviewed code, and some that wait for an answer after one round.
  execFileSync(program, ["demo", "--keep", repo], { env: environment, stdio: "ignore" });
  fs.appendFileSync(path.join(repo, "redraft.toml"), "\n[limits]\nrounds = 1\n");
  for (const idea of ["Export the orders", "Show the weather", "Import old accounts", "Send a newsletter"]) redraft("new", idea, "--until", "specify");
  for (const id of ["002", "003", "004", "005"]) check(redraft("run", id).status === 5, `${id} waits for a person`);
  redraft("new", "<script>alert(1)</script> & <b>tags</b> in an idea", "--until", "specify");

  server = spawn(program, ["-C", repo, "ui", "--no-open", "--json"], { env: environment });
  printed = await new Promise((done, fail) => {
    let text = "";
    server.stdout.on("data", (some) => { text += some; if (text.trimEnd().endsWith("}")) done(JSON.parse(text)); });
    server.on("error", fail);
    server.on("exit", (code) => fail(new Error(`the server ended with ${code}`)));
  });
  origin = printed.address.split("/enter/")[0];
  browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });

  told("entering");
  const first = await context();
  const page = await first.newPage();
  await page.goto(printed.address);
  check(page.url() === `${origin}/`, `the address leads to the board, not to ${page.url()}`);
  const cookies = await first.cookies();
  check(cookies.length === 1 && cookies[0].httpOnly && cookies[0].sameSite === "Strict", "one cookie, out of reach");
  const state = await first.storageState();
  const again = await first.newPage();
  check((await again.goto(printed.address)).status() === 403, "the address is good once");
  seen.length = 0;
  const other = await (await browser.newContext()).newPage();
  check((await other.goto(`${origin}/`)).status() === 403, "another browser is not let in");

  const prompt = events().find((event) => event.kind === "started" && event.scope === "001" && /review/.test(JSON.stringify(event.body.ticket)));
  const pages = {
    board: "/", overview: "/feature/001", documents: "/feature/001/documents/specify", design: "/feature/001/documents/design",
    changes: "/feature/001/changes/specify", code: "/feature/001/changes/implement", findings: "/feature/001/findings",
    tasks: "/feature/001/tasks", trace: "/feature/001/trace", prompts: "/feature/001/prompts",
    prompt: `/feature/001/prompts/${prompt ? prompt.seq : 0}`, costs: "/feature/001/costs", time: "/feature/001/time?all=1",
    waiting: "/feature/002", margin: "/feature/002/documents/specify?line=3", hostile: "/feature/006", missing: "/feature/099",
  };
  const look = async (page, name) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(wide <= 0, `${name} scrolls sideways by ${wide}`);
    await page.evaluate(axe);
    const found = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    for (const one of found.violations) check(false, `${name}: ${one.id} (${one.nodes.map((node) => node.target).slice(0, 3).join(" ")})`);
  };
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 400]) {
      told(`every page, ${width} pixels, ${colorScheme}`);
      const made = await context({ storageState: state, colorScheme, viewport: { width, height: 900 } });
      const page = await made.newPage();
      for (const [name, at] of Object.entries(pages)) {
        const got = await page.goto(origin + at);
        check(got.status() === (name === "missing" ? 404 : 200), `${name} answers ${got.status()}`);
        await look(page, `${name} ${width} ${colorScheme}`);
        await page.screenshot({ path: path.join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      await made.close();
    }
  }
  quiet();

  told("the report as a file");
  const report = `file://${path.join(home, "report.html")}`;
  check(redraft("report", "001", "-o", path.join(home, "report.html")).status === 0, "the report is written");
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 400]) {
      const made = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await made.newPage();
      page.on("request", (request) => check(request.url() === report, `the report asks for ${request.url()}`));
      await page.goto(report);
      await look(page, `report ${width} ${colorScheme}`);
      await page.screenshot({ path: path.join(shots, `report-${width}-${colorScheme}.png`), fullPage: true });
      await made.close();
    }
  }

  told("live: a page takes over what changed");
  await page.goto(`${origin}/`);
  const waits = [];
  await page.evaluate(() => {
    window.appeared = {};
    new MutationObserver(() => {
      for (const link of document.querySelectorAll("h3 a")) window.appeared[link.textContent] ??= Date.now();
    }).observe(document.body, { childList: true, subtree: true });
  });
  for (let number = 0; number < 20; number += 1) {
    redraft("new", `Idea number ${number}`, "--until", "specify");
    const name = `${String(7 + number).padStart(3, "0")}-idea-number-${number}`;
    await page.waitForFunction((name) => window.appeared[name], name, { timeout: 5000, polling: 20 });
    const last = events().filter((event) => event.scope === name.slice(0, 3)).at(-1);
    waits.push((await page.evaluate((name) => window.appeared[name], name)) - last.at_ms);
  }
  waits.sort((one, other) => one - other);
  // A figure to look at: how long it takes depends on what else the machine does.
  told(`event to page: median ${waits[10]} ms, 95th percentile ${waits[18]} ms`);
  // What somebody writes is left alone while the page is renewed around it.
  await page.goto(`${origin}/feature/003`);
  await page.fill("textarea[name=text]", "half a sentence");
  redraft("new", "Something else", "--until", "specify");
  await page.waitForTimeout(700);
  check(await page.inputValue("textarea[name=text]") === "half a sentence", "what is typed stays");
  quiet();

  told("deciding by keyboard alone");
  const asked = () => events().filter((event) => event.kind === "decided").length;
  const before = asked();
  await page.goto(`${origin}/feature/002`);
  const tabTo = async (selector) => {
    for (let count = 0; count < 80; count += 1) {
      if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`${selector} is not reached by keyboard`);
  };
  await tabTo("input[name=choice]");
  await page.keyboard.press("Space");
  await tabTo("textarea[name=why]");
  await page.keyboard.type("the numbers are agreed");
  await tabTo("#question button");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check(asked() === before, "nothing is stored before it is confirmed");
  await look(page, "confirm");
  await page.screenshot({ path: path.join(shots, "confirm-1280-light.png"), fullPage: true });
  await tabTo("button.main");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check(/Decided: accept/.test(await page.textContent("main")), `the decision is told: ${(await page.textContent("main")).slice(0, 300)}`);
  check(asked() === before + 1, "the decision is in the ledger");

  told("a page that is behind is refused");
  await page.goto(`${origin}/feature/003`);
  await page.evaluate(() => { document.body.dataset.still = "yes"; });
  await page.check("input[value=abandon]");
  redraft("decide", "003", "retry");
  await Promise.all([page.waitForNavigation(), page.evaluate(() => document.querySelector("form[action$=decide]").submit())]);
  check(/moved since/.test(await page.textContent("main")), "what has moved is not decided");
  check(json("status", "003").features[0].life !== "abandoned", "and nothing was stored");

  told("commenting by keyboard alone");
  await page.goto(`${origin}/feature/004`);
  await tabTo("#comment textarea[name=text]");
  await page.keyboard.type("say who may export");
  await tabTo("#comment button");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  check(JSON.stringify(events()).includes("say who may export"), "what was typed is in the ledger");

  told("commenting without JavaScript");
  const plain = await context({ storageState: state, javaScriptEnabled: false });
  const still = await plain.newPage();
  await still.goto(`${origin}/feature/004/documents/specify`);
  await still.click("a.gutter >> nth=2");
  check(/line=\d+#comment/.test(still.url()), "a line leads to the form");
  await still.fill("textarea[name=text]", "use Postgres, not files");
  await still.click("#comment button");
  check(/comment is stored/.test(await still.textContent("main")), `the comment is told: ${(await still.textContent("main")).slice(0, 400)}`);
  check(JSON.stringify(events()).includes("use Postgres, not files"), "the comment is in the ledger");
  await still.goto(`${origin}/feature/005`);
  await still.check("input[value=abandon]");
  await still.click("#question button");
  await still.click("button.main");
  check(/Decided: abandon/.test(await still.textContent("main")), "a decision needs no script");
  quiet();

  told("attacks from a page on another port");
  const count = events().length;
  const evil = http.createServer((request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(`<form id=f method=post action="${origin}/feature/003/decide"><input name=choice value=abandon><input name=confirmed value=abandon></form><iframe src="${origin}/"></iframe><script src="${origin}/live.js"></script>`);
  });
  await new Promise((done) => evil.listen(0, "127.0.0.1", done));
  for (const host of ["127.0.0.1", "localhost"]) {
    const made = await browser.newContext({ storageState: state });
    const page = await made.newPage();
    await page.goto(`http://${host}:${evil.address().port}/`);
    const read = await page.evaluate(async (origin) => {
      const tries = [];
      for (const options of [{}, { credentials: "include" }, { mode: "no-cors", credentials: "include" }, { method: "POST", credentials: "include", mode: "no-cors", body: "choice=abandon" }]) {
        tries.push(await fetch(`${origin}/feature/003/decide`, options).then((got) => got.text(), () => ""));
      }
      return tries.join("");
    }, origin);
    check(read === "", `another page reads: ${read}`);
    const frame = page.frames().find((one) => one !== page.mainFrame());
    check(!frame || !/Features/.test(await frame.content().catch(() => "")), "it is shown in no frame");
    await Promise.all([page.waitForNavigation(), page.evaluate(() => document.getElementById("f").submit())]);
    check(!/Decided|Is this what you want/.test(await page.content()), "a form of another page is refused");
    await made.close();
  }
  evil.close();
  check(events().length === count, "another page changed nothing");

  told("a server that is asked all day");
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]) / 1024;
  const headers = { Cookie: `${cookies[0].name}=${cookies[0].value}` };
  const load = async (times) => {
    for (let count = 0; count < times; count += 1) {
      await Promise.all(["/", "/feature/001", "/feature/001/time?all=1"].map(async (at) => (await fetch(origin + at, { headers })).text()));
    }
  };
  await load(30);
  const warm = memory();
  await load(100);
  told(`the server has ${Math.round(memory())} MB, ${(memory() - warm).toFixed(1)} MB more after 300 pages`);
  check(memory() - warm <= 5, `the server grows by ${memory() - warm} MB`);
} catch (error) {
  check(false, String(error));
} finally {
  await browser?.close();
  server?.removeAllListeners("exit");
  server?.kill("SIGINT");
  fs.rmSync(home, { recursive: true, force: true });
}
told(faults.length === 0 ? "all pages are in order" : `${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);
