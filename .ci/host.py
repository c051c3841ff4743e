"""A host made with the official Python client of the Model Context Protocol, and a test that kills it.

`host.py REDRAFT` plays everything in a throw-away folder: a host process is started, killed after some submissions, and
started again, until the demo's feature has been built, reviewed and looked back on. `host.py work …` is that process.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

LATER = {"REDRAFT_CLOCK_AHEAD_MS": "7200000"}
SUBMISSIONS_BEFORE_A_KILL = 7
TOOLS = {"status", "next", "check", "submit", "decide", "findings", "context", "cost", "lint"}


def surroundings(more=None):
    return {**os.environ, "USER": "tester", **(more or {})}


class Host:
    """One connection to `redraft mcp`."""

    def __init__(self, program, repository, more=None):
        self.program, self.repository = program, repository
        self.server = StdioServerParameters(
            command=program, args=["mcp"], cwd=repository, env=surroundings(more)
        )

    async def __aenter__(self):
        self.pipes = stdio_client(self.server)
        reading, writing = await self.pipes.__aenter__()
        self.session = ClientSession(reading, writing)
        await self.session.__aenter__()
        await self.session.initialize()
        return self

    async def __aexit__(self, *end):
        await self.session.__aexit__(*end)
        await self.pipes.__aexit__(*end)

    async def call(self, tool, **arguments):
        result = await self.session.call_tool(tool, arguments)
        told = json.loads(result.content[0].text)
        assert told["v"] == 1, told
        return told

    def play(self, work):
        """What the rehearsal agent does with a piece of work, in place of a model."""
        with open(work["prompt_file"], encoding="utf-8") as file:
            assert len(file.read()) > 1_000
        words = [self.program, "rehearse", work["ticket"], "--folder", work["folder"]]
        played = subprocess.run(
            words, cwd=self.repository, env=surroundings(), capture_output=True, text=True, check=True
        )
        return played.stdout

    async def submit(self, work, conversation=None):
        conversation = conversation or f"subagent for {work['ticket']}"
        return await self.call(
            "submit", ticket=work["ticket"], text=self.play(work), conversation=conversation
        )

    async def submit_text(self, work, text):
        return await self.call("submit", ticket=work["ticket"], text=text, conversation="another")


async def work(program, repository):
    """Does what is next until nothing is; prints a line for each submission."""
    async with Host(program, repository) as host:
        names = {tool.name for tool in (await host.session.list_tools()).tools}
        assert names == TOOLS, names
        while True:
            told = await host.call("next")
            match told["state"]:
                case "work":
                    answer = await host.submit(told)
                    assert answer == {"v": 1, "accepted": True}, answer
                    print("submitted", told["ticket"], flush=True)
                case "decide":
                    await host.call("decide", choice=told["options"][0], why="the person said so")
                case "wait":
                    await asyncio.sleep(min(told["retry_after_s"], 1))
                case _:
                    print("ended", json.dumps(told), flush=True)
                    return


def worked(program, repository, kill_after):
    """Starts a host process and kills it after so many submissions; what it said last."""
    words = [sys.executable, os.path.abspath(__file__), "work", program, repository]
    host = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=surroundings())
    done = []
    for line in host.stdout:
        done.append(line.strip())
        if len(done) == kill_after:
            host.send_signal(signal.SIGKILL)
    host.wait()
    assert done, f"the host ended with {host.returncode} and had done nothing"
    return done


async def refusals(program, repository):
    """Stale, repeated, unknown and expired submissions, from the feature's first pieces of work."""
    async with Host(program, repository) as host:
        draft = await host.call("next")
        assert draft["state"] == "work" and draft["run_as"] == "subagent", draft
        assert (await host.submit(draft))["accepted"]
        assert (await host.submit_text(draft, "again"))["refused"] == "repeated"
        unknown = {**draft, "ticket": draft["ticket"].replace("1.1", "9.9")}
        assert (await host.submit_text(unknown, "x"))["refused"] == "unknown"
        review = await host.call("next")
        same = await host.submit(review, f"subagent for {draft['ticket']}")
        assert same["refused"] == "same_hand", same
    async with Host(program, repository, LATER) as late:
        assert (await late.submit_text(review, "too late"))["refused"] == "expired"
    command = [program, "run", "--now", "--yes", "--until", "specify", "--json"]
    subprocess.run(command, cwd=repository, env=surroundings(), capture_output=True, check=True)
    async with Host(program, repository) as host:
        assert (await host.submit_text(review, "taken back"))["refused"] == "stale"


def run(*words, cwd):
    return subprocess.run(words, cwd=cwd, env=surroundings(), capture_output=True, text=True, check=True)


def play(program):
    with tempfile.TemporaryDirectory(prefix="redraft-host-") as folder:
        os.environ["HOME"] = os.path.join(folder, "home")
        os.makedirs(os.environ["HOME"])
        demo, repository = os.path.join(folder, "demo"), os.path.join(folder, "repository")
        run(program, "demo", "--keep", demo, cwd=folder)
        # The demo's repository as it was before its feature.
        first = run("git", "rev-list", "--max-parents=0", "main", cwd=demo).stdout.strip()
        run("git", "clone", "--quiet", demo, repository, cwd=folder)
        run("git", "checkout", "--quiet", "-B", "main", first, cwd=repository)
        for setting in (("user.name", "Test Person"), ("user.email", "person@example.invalid")):
            run("git", "config", *setting, cwd=repository)
        idea = "Let people reset a forgotten password by email"
        run(program, "new", idea, "--prd", "ideas/password-reset.md", cwd=repository)
        run(program, "trust", "--yes", cwd=repository)

        asyncio.run(refusals(program, repository))
        kills, submitted = 0, []
        while True:
            done = worked(program, repository, SUBMISSIONS_BEFORE_A_KILL)
            submitted += [line for line in done if line.startswith("submitted ")]
            ended = [line for line in done if line.startswith("ended ")]
            if ended:
                break
            kills += 1
            assert kills < 40, submitted[-1]
        end = json.loads(ended[0].removeprefix("ended "))
        assert (end["state"], end["outcome"]) == ("done", "approved"), end
        assert kills >= 3 and len(set(submitted)) == len(submitted), submitted
        board = json.loads(run(program, "status", "--json", cwd=repository).stdout)["features"][0]
        assert board["ready"] and board["tasks"]["done"] == board["tasks"]["total"] > 0, board
        verified = run(program, "status", "--verify", cwd=repository).stdout
        prompts = run(program, "show", "prompt", "001", "--verify", cwd=repository).stdout
        print(f"{len(submitted)} pieces of work by the Python client, which was killed {kills} times")
        print(verified.splitlines()[-1])
        print(prompts.splitlines()[-1])
        print("1 passed, 0 failed")


if __name__ == "__main__":
    if sys.argv[1] == "work":
        asyncio.run(work(sys.argv[2], sys.argv[3]))
    else:
        play(os.path.abspath(sys.argv[1]))
