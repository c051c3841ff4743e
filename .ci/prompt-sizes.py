"""Counts what the prompts of a whole feature cost a reader: their characters, and those of the files they order to be read.

`prompt-sizes.py REDRAFT OUT` plays the demo's feature through `redraft mcp` with the rehearsal agent, as a host that
keeps no conversations, and writes to OUT every prompt, every answer with the files it left, and `dispatches.json`.
`prompt-sizes.py REDRAFT OUT --again RECORDED` gives the answers that another run, also of another version, has written to
RECORDED, so that two versions are compared on the same documents and the same code. `--kept RECORDED` does the same as a
host that keeps a conversation for each role and task.
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(`{3,})")
REFERENCE = re.compile(r"files under Required Artifacts,? are for reference")
IDEA = "Let people reset a forgotten password by email"


def surroundings():
    return {**os.environ, "USER": "tester"}


def run(*words, cwd):
    ran = subprocess.run(words, cwd=cwd, env=surroundings(), capture_output=True, text=True, check=True)
    return ran.stdout


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Host:
    """One connection to `redraft mcp`, without a client library, so that it works with every version."""

    def __init__(self, program, repository):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.server = subprocess.Popen([program, "mcp"], cwd=repository, env=surroundings(), text=True, **pipes)
        self.number = 0
        client = {"name": "prompt-sizes", "version": "1"}
        self.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def request(self, method, **params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.server.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
        raise SystemExit("the server ended")

    def call(self, tool, **arguments):
        result = self.request("tools/call", name=tool, arguments=arguments)
        return json.loads(result["content"][0]["text"])

    def close(self):
        self.server.stdin.close()
        self.server.wait()


def sections(prompt):
    """Heading and text of every part of a prompt; what stands in fences has no headings."""
    parts, fence = [["", ""]], None
    for line in prompt.splitlines(keepends=True):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark.group(1)
        elif fence is not None and line.rstrip("\n") == fence:
            fence = None
        elif fence is None and re.match(r"^#{1,2} ", line):
            parts.append([line.lstrip("#").strip(), ""])
        parts[-1][1] += line
    return [tuple(part) for part in parts if part[1]]


def ordered(prompt, folder):
    """The files that a prompt orders to be read, each once, with their characters."""
    found = {}

    def add(path):
        full = os.path.join(folder, path.strip())
        if path.strip() and os.path.isfile(full):
            found[path.strip()] = len(read(full))

    for _, text in sections(prompt):
        items = [line[2:] for line in text.splitlines() if line.startswith("- ")]
        if "You MUST read the following files" in text and not REFERENCE.search(prompt):
            for item in items:
                add(item.split(": ", 1)[-1])
        if "Read each of them" in text:
            for item in items:
                add(item.rsplit(": ", 1)[0])
        if "Read these before you begin:" in text:
            for item in items:
                add(item)
        revised = re.search(r"^Revise (\S+)\n\nRead that file whole", text, re.M)
        if revised:
            add(revised.group(1))
        judged = re.search(r"^(\S+): \d+ lines", text, re.M)
        if judged and "Read all of it before you judge it." in text:
            add(judged.group(1))
    return found


def repository(program, folder):
    """The demo's repository as it was before its feature."""
    demo, place = os.path.join(folder, "demo"), os.path.join(folder, "repository")
    run(program, "demo", "--keep", demo, cwd=folder)
    first = run("git", "rev-list", "--max-parents=0", "main", cwd=demo).strip()
    run("git", "clone", "--quiet", demo, place, cwd=folder)
    run("git", "checkout", "--quiet", "-B", "main", first, cwd=place)
    for setting in (("user.name", "Test Person"), ("user.email", "person@example.invalid")):
        run("git", "config", *setting, cwd=place)
    run(program, "new", IDEA, "--prd", "ideas/password-reset.md", cwd=place)
    run(program, "trust", "--yes", cwd=place)
    return place


def copy_files(source, target):
    """Every file of a folder; git's own are left out, and of a worktree also what git ignores."""
    if os.path.exists(os.path.join(source, ".git")):
        names = run("git", "ls-files", "-co", "--exclude-standard", cwd=source).splitlines()
    else:
        folders = os.walk(source)
        names = [os.path.relpath(os.path.join(at, name), source) for at, _, files in folders for name in files]
    for name in names:
        if os.path.isfile(os.path.join(source, name)):
            os.makedirs(os.path.dirname(os.path.join(target, name)), exist_ok=True)
            shutil.copy(os.path.join(source, name), os.path.join(target, name))


def tell(text, code):
    """An answer with the code by which a continued conversation proves that it remembers."""
    begin = text.index("{")
    value = json.loads(text[begin:])
    value["verified"].append({"claim": "code", "source": "memory", "result": code})
    return text[:begin] + json.dumps(value)


class Recorded:
    """Answers of another run."""

    def __init__(self, folder):
        self.folder, self.last, self.codes = folder, {}, {}

    def answer(self, told, prompt, conversation):
        # A version that asks for a repair where the other one did not is told the same once more.
        again = self.last.get(told["role"]) if "/repair/" in told["ticket"] else None
        turn = again or os.path.join(self.folder, "turns", told["ticket"].replace("/", "_"))
        self.last[told["role"]] = turn
        copy_files(os.path.join(turn, "files"), told["folder"])
        # In the first version warnings stood in the way, too.
        text = read(os.path.join(turn, "answer")).replace('"severity": "warning"', '"severity": "blocker"')
        given = re.search(r"write it nowhere now: (memo-[0-9]+)", prompt)
        if given:
            self.codes[conversation] = given.group(1)
        asked = "ended with a code to keep in mind" in prompt
        return tell(text, self.codes[conversation]) if asked else text


def play(program, out, recorded, keeps):
    with tempfile.TemporaryDirectory(prefix="redraft-sizes-") as folder:
        os.environ["HOME"] = os.path.join(folder, "home")
        os.makedirs(os.environ["HOME"])
        place = repository(program, folder)
        host, done, kept = Host(program, place), [], []
        while True:
            told = host.call("next", **({"kept": kept} if keeps else {}))
            if told["state"] == "decide":
                host.call("decide", choice=told["options"][0], why="the person said so")
            elif told["state"] == "work":
                ticket = told["ticket"]
                name = ticket.replace("/", "_")
                prompt = read(told["prompt_file"]) if "prompt_file" in told else told["prompt"]
                write(os.path.join(out, f"{len(done):03d}.{name}.md"), prompt)
                parts = [(heading, len(text)) for heading, text in sections(prompt)]
                files = ordered(prompt, told["folder"])
                done.append({"ticket": ticket, "chars": len(prompt), "files": files, "sections": parts})
                conversation = told.get("conversation") or f"talk {ticket}"
                if recorded:
                    text = recorded.answer(told, prompt, conversation)
                else:
                    text = run(program, "rehearse", ticket, "--folder", told["folder"], cwd=place)
                    write(os.path.join(out, "turns", name, "answer"), text)
                    # Whoever thinks of tests works beside the code and writes nothing.
                    if os.path.exists(os.path.join(told["folder"], ".git")):
                        copy_files(told["folder"], os.path.join(out, "turns", name, "files"))
                kept += [conversation] if conversation not in kept else []
                answer = host.call("submit", ticket=ticket, text=text, conversation=conversation)
                assert answer.get("accepted"), answer
            elif told["state"] != "wait":
                break
        host.close()
    assert (told["state"], told.get("outcome")) == ("done", "approved"), told
    write(os.path.join(out, "dispatches.json"), json.dumps(done, indent=1))
    return done


def report(done):
    prompts = sum(one["chars"] for one in done)
    files = sum(sum(one["files"].values()) for one in done)
    print(f"{len(done)} dispatches: prompts {prompts:,}, files {files:,}, together {prompts + files:,} characters")
    for one in done:
        if one["chars"] > 20_000:
            print(f"more than 20,000: {one['ticket']} with {one['chars']:,}")
    by = collections.Counter()
    for one in done:
        for heading, chars in one["sections"]:
            by[heading] += chars
        for path, chars in one["files"].items():
            by["file " + os.path.basename(path)] += chars
    for heading, chars in by.most_common(40):
        print(f"{chars:9,} {heading}")


if __name__ == "__main__":
    program, out, *rest = sys.argv[1:]
    recorded = Recorded(os.path.abspath(rest[1])) if rest else None
    report(play(os.path.abspath(program), os.path.abspath(out), recorded, "--kept" in rest))
