// node .ci/signal.mjs group|process SIGNAL COMMAND…: starts a command in a process group of its own, sends the signal to
// all of it or to the command alone as soon as that says something, passes on what it says, and ends with its code.
import { spawn } from "node:child_process";

const [whom, signal, program, ...words] = process.argv.slice(2);
const child = spawn(program, words, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
let sent = false;
const heard = (into) => (text) => {
  into.write(text);
  if (sent) return;
  sent = true;
  process.kill(whom === "group" ? -child.pid : child.pid, signal);
};
child.stdout.on("data", heard(process.stdout));
child.stderr.on("data", heard(process.stderr));
child.on("close", (code) => { process.exitCode = code ?? 99; });
