#!/usr/bin/env node
// Starts the program that came with the package for this platform. Nothing is downloaded and no script has to run first.
"use strict";

const { spawn } = require("node:child_process");

const name = `${require("./package.json").name}-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/redraft`);
} catch {
  console.error(`error: the package ${name}, which holds the program, is not installed`);
  console.error("  hint: install without --omit=optional; on another platform, build it from source");
  process.exit(3);
}

// Signals are heard before the program can say anything; what is done about them waits until it has been started.
let child;
// A terminal sends Ctrl-C to the program as well, and the program decides what it means; this process only waits.
process.on("SIGINT", () => {});
process.on("SIGHUP", () => child.kill("SIGHUP"));
// A SIGTERM for the whole process group has reached the program as well, which a second one would end at once. SIGUSR1 asks
// it to stop, however often it comes. Only who sends another one later insists.
const SAME_MS = 1000;
let asked = null;
process.on("SIGTERM", () => {
  const now = Date.now();
  asked ??= now;
  child.kill(now - asked < SAME_MS ? "SIGUSR1" : "SIGTERM");
});
child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`error: ${program} cannot be started: ${error.message}`);
  process.exit(3);
});
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
