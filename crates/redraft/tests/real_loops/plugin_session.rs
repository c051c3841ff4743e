//! Tests sessions of the real Claude Code with the exported plugin, as a person has them: what is in their requests,
//! that they can carry a feature by `next`, work and `submit`, what they are kept from, and what a compaction leaves
//! out.
//!
//! `plugin` tests what an export consists of, `hooks` tests hooks that were set up by hand. Start at [`Desk`].

use crate::plugin::{claude, path_with, plugin_of};
use crate::world::{DRAFT, KEY, PROGRAM, SPEC, verdict};
use redraft_testkit::provider::{
    Provider, RecordedRequest, Reply, all_text, last_user_text, tool_names, tool_results, was_tool_used,
};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

const TOOLS: &str = "mcp__plugin_redraft_redraft__";
const GREETING: &str = "Redraft drives features here. Active feature: 001-a-feature, phase specify.";
/// The summary that the scripted model makes of a conversation.
const SUMMARY: &str = "The person has counted up to three.";
/// How the server's instructions begin.
const SKIP: &str =
    "If your prompt has a part called Rules for Every Role, do what it says and skip this. Redraft keeps";
/// Who works on a specification, in this order.
const ROLES: [&str; 3] = ["spec-author", "spec-reviewer", "phase-reviewer"];

/// A repository with an active feature, the exported plugin, and a `redraft` on the `PATH` that records what hooks are
/// asked.
struct Desk {
    scratch: Scratch,
    plugin: PathBuf,
    path: OsString,
}

impl Desk {
    fn new() -> Desk {
        Desk::hearing("cat")
    }

    /// `filter` is what an event goes through on its way to the hook.
    fn hearing(filter: &str) -> Desk {
        let scratch = Scratch::repository(PROGRAM);
        scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
        let plugin = plugin_of(&scratch);
        let path = path_with(&scratch, &listening(filter));
        Desk { scratch, plugin, path }
    }

    /// Claude Code with the plugin, for one session.
    fn claude(&self, provider: &Provider, words: &[&str]) -> Command {
        let mut command = self.without(provider, words);
        command.arg("--plugin-dir").arg(&self.plugin);
        command
    }

    fn without(&self, provider: &Provider, words: &[&str]) -> Command {
        let mut command = claude(&self.scratch, &[&["--model", "claude-sonnet-4-5"], words].concat());
        command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", provider.base_url());
        command.env("PATH", &self.path).env("TMPDIR", self.scratch.outside());
        // A scripted model does not search for tools; newer versions of Claude Code would not name those of servers.
        command.env("ENABLE_TOOL_SEARCH", "false");
        command
    }

    /// The reason each session-start hook was given, in order.
    fn sources(&self) -> Vec<String> {
        heard(&self.scratch, "session-start").iter().map(|event| word(event, "source")).collect()
    }

    fn events(&self, kind: &str) -> Vec<Value> {
        let log = self.scratch.json(["log"]);
        let events = log["events"].as_array().unwrap().iter().filter(|event| event["kind"] == kind);
        events.map(|event| event["body"].clone()).collect()
    }
}

/// The real program, and a record of what it was asked: `asked` has the words of each call, `heard-HOOK` its events.
pub(crate) fn listening(filter: &str) -> String {
    format!(
        "#!/bin/sh\necho \"$@\" >> \"$HOME/asked\"\n\
         if [ \"$1\" = hook ]; then\n  event=$(cat)\n  printf '%s\\n' \"$event\" >> \"$HOME/heard-$2\"\n  \
         printf '%s' \"$event\" | {filter} | '{PROGRAM}' \"$@\"\n  exit\nfi\nexec '{PROGRAM}' \"$@\"\n"
    )
}

fn heard(scratch: &Scratch, hook: &str) -> Vec<Value> {
    let events = fs::read_to_string(scratch.outside().join(format!("home/heard-{hook}"))).unwrap();
    events.lines().map(|event| serde_json::from_str(event).unwrap()).collect()
}

fn word(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}")).to_owned()
}

fn asked(provider: &Provider) -> Vec<RecordedRequest> {
    provider.requests().into_iter().filter(|request| request.method == "POST").collect()
}

fn greetings(request: &RecordedRequest) -> usize {
    all_text(request).matches(GREETING).count()
}

/// A session that a person talks with.
struct Talk {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn begin(mut command: Command) -> Talk {
        let forms = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
        command.args(forms).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Talk { child, output }
    }

    /// Says one thing and waits until it is dealt with; returns what Claude Code reported meanwhile.
    fn say(&mut self, text: &str) -> Vec<Value> {
        let message = json!({"type": "user", "message": {"role": "user", "content": text}});
        let mut input = self.child.stdin.as_ref().unwrap();
        writeln!(input, "{message}").unwrap();
        let mut told: Vec<Value> = Vec::new();
        while told.last().is_none_or(|last| last["type"] != "result") {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "it ended after {text}: {told:?}");
            told.push(serde_json::from_str(&line).unwrap());
        }
        told
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// A model that follows the plugin's instructions: it asks for work, has it done by the role's agent, and submits it.
fn host(request: &RecordedRequest, _index: usize) -> Reply {
    let call = |tool: &str, input: Value| Reply::tool(format!("{TOOLS}{tool}"), input);
    if !tool_names(request).contains(&format!("{TOOLS}next")) {
        return subagent(request);
    }
    let results = tool_results(request);
    let read = |text: &String| serde_json::from_str::<Value>(text).unwrap_or_default();
    let work = results.iter().map(read).rfind(|result| result["state"] == "work").unwrap_or_default();
    let Some(last) = results.last() else { return call("next", json!({})) };
    match (read(last)["state"].as_str(), read(last)["accepted"].as_bool()) {
        (Some("work"), _) => {
            let agent = format!("redraft:{}", word(&work, "role"));
            // A scripted agent reads no file, so it is given what is in it.
            let text = fs::read_to_string(word(&work, "prompt_file")).unwrap();
            let prompt = format!("Work in {}.\n\n{text}", word(&work, "folder"));
            Reply::tool(
                "Agent",
                json!({
                    "description": "one piece", "subagent_type": agent, "prompt": prompt, "run_in_background": false
                }),
            )
        }
        (None, None) => {
            // Claude Code adds the agent's id and what it used.
            let text = last.split("\nagentId: ").next();
            let conversation = format!("agent {}", results.len());
            call("submit", json!({"ticket": work["ticket"], "text": text, "conversation": conversation}))
        }
        (None, Some(true)) => call("next", json!({})),
        (_, _) => Reply::text("that is all"),
    }
}

/// The author writes, everybody approves.
fn subagent(request: &RecordedRequest) -> Reply {
    let text = all_text(request);
    if text.contains("# Write the Specification") && !was_tool_used(request, "Write") {
        let folder = text.lines().find_map(|line| line.strip_prefix("Work in ")?.strip_suffix('.')).unwrap();
        let file = format!("{folder}/{SPEC}");
        let spec = "# Spec\n\n## Requirements\n\n- R1: one version\n";
        return Reply::tool("Write", json!({"file_path": file, "content": spec}));
    }
    Reply::text(verdict(true, &[], vec![]).to_string())
}

#[test]
fn a_session_with_the_plugin_carries_a_phase_from_its_idea_to_its_approval() {
    let desk = Desk::new();
    let provider = Provider::start(host);
    let allowed = format!("{TOOLS}next,{TOOLS}submit");
    let words = ["-p", "go on", "--permission-mode", "acceptEdits", "--allowedTools", &allowed];
    let ran = Ran::new(desk.claude(&provider, &words).output().unwrap()).expect(0);
    assert_eq!(ran.stdout.trim(), "that is all");
    // The server ends with its session, which does not wait for it.
    let mut looks = 0..2_000;
    assert!(looks.any(|_| desk.scratch.processes().is_empty()), "{:?}", desk.scratch.processes());

    let (persons, subagents): (Vec<RecordedRequest>, Vec<RecordedRequest>) = asked(&provider)
        .into_iter()
        .partition(|request| tool_names(request).contains(&format!("{TOOLS}next")));
    assert_eq!(desk.sources(), ["startup"]);
    assert!(persons.iter().all(|request| greetings(request) == 1), "told once, and kept");
    let first = all_text(&persons[0]);
    for role in ROLES {
        assert!(first.contains(&format!("- redraft:{role}: ")), "{role}: {first}");
    }
    // The answer of `next` and its ticket come back to the model, and it goes on from there.
    let results = tool_results(&persons[1]);
    let work: Value = serde_json::from_str(&results[0]).unwrap();
    assert_eq!((results.len(), &work["state"], &work["ticket"]), (1, &json!("work"), &json!(DRAFT)));
    let results = tool_results(persons.last().unwrap());
    let end: Value = serde_json::from_str(results.last().unwrap()).unwrap();
    assert_eq!((&end["state"], &end["outcome"]), (&json!("done"), &json!("approved")), "{end}");

    // Each role is played by its own agent, with the tools of its profile, and is told nothing of the person's session.
    let tools = |request: &RecordedRequest| tool_names(request).into_iter().collect::<BTreeSet<String>>();
    let offered: Vec<BTreeSet<String>> = subagents.iter().map(tools).collect();
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let author = named(&["Read", "Glob", "Grep", "Write", "Edit", "WebSearch"]);
    let reviewer = named(&["Read", "Glob", "Grep", "WebSearch"]);
    assert_eq!(offered, [author.clone(), author, reviewer, named(&["Read", "Glob", "Grep"])]);
    assert!(subagents.iter().all(|request| greetings(request) == 0));
    // Except for the server's instructions, which Claude Code gives to every agent: they say whom they are not for.
    let told: Vec<String> = subagents.iter().map(all_text).collect();
    let given = |text: &&String| text.contains("Redraft keeps the process; you do the work");
    assert!(told.iter().any(|text| given(&text)), "{told:?}");
    for text in told.iter().filter(given) {
        assert!(text.contains(SKIP) && text.contains("# Rules for Every Role"), "{text}");
    }

    let (started, answered) = (desk.events("started"), desk.events("answered"));
    assert_eq!((started.len(), answered.len()), (ROLES.len(), ROLES.len()));
    for (index, role) in ROLES.iter().enumerate() {
        let (started, answered) = (&started[index], &answered[index]);
        assert_eq!(started["ticket"], answered["ticket"]);
        assert!(word(started, "ticket").contains(&format!("/{role}/")), "{started}");
        assert_eq!((&started["pull"], &started["choice"]["strategy"]), (&json!(true), &json!("lazy")));
        assert_eq!(
            answered["hand"],
            json!({"conversation": format!("agent {}", 3 * index + 2), "same": false})
        );
    }
    desk.scratch.run(["status", "--verify"]).expect(0);
}

/// The last request that ends with what a person said.
fn request_of<'a>(asked: &'a [RecordedRequest], said: &str) -> &'a RecordedRequest {
    let found = asked.iter().rfind(|request| last_user_text(request).lines().last() == Some(said));
    found.unwrap_or_else(|| panic!("nothing ends with {said}"))
}

#[derive(Clone, Copy, PartialEq)]
enum Compaction {
    /// A person asks for it.
    Asked,
    /// The provider refuses a conversation that has become too long.
    Automatic,
}

/// Answers what it is told, and gives the summary when asked for one.
fn chatting(by: Compaction) -> impl FnMut(&RecordedRequest, usize) -> Reply + Send {
    move |request: &RecordedRequest, index: usize| {
        if last_user_text(request).contains("<summary>") {
            return Reply::text(format!("<analysis>x</analysis>\n<summary>\n{SUMMARY}\n</summary>"));
        }
        match (by, index) {
            (Compaction::Automatic, 3) => {
                let message = "prompt is too long: 213462 tokens > 200000 maximum";
                Reply::anthropic_error(400, "invalid_request_error", None, message)
            }
            (_, _) => Reply::text(format!("answer {index}")),
        }
    }
}

/// Whether the hook is called after a compaction, and how often its text is in the next request.
fn compacted(by: Compaction, matcher: Option<&str>, filter: &str) -> (bool, usize) {
    let desk = Desk::hearing(filter);
    if let Some(matcher) = matcher {
        let file = desk.plugin.join("hooks/hooks.json");
        let hooks = fs::read_to_string(&file).unwrap();
        let changed = hooks.replace("startup|resume|clear", matcher);
        assert_ne!(hooks, changed);
        fs::write(file, changed).unwrap();
    }
    let provider = Provider::start(chatting(by));
    let mut talk = Talk::begin(desk.claude(&provider, &[]));
    for said in ["one", "two", "three"] {
        talk.say(said);
    }
    let (mut told, trigger) = match by {
        Compaction::Asked => (talk.say("/compact"), "manual"),
        Compaction::Automatic => (Vec::new(), "auto"),
    };
    told.extend(talk.say("four"));
    let compaction = told.iter().find(|each| each["subtype"] == "compact_boundary").unwrap();
    assert_eq!(compaction["compact_metadata"]["trigger"], trigger);
    talk.say("/clear");
    let last = talk.say("five").pop().unwrap();
    talk.end();
    let words = ["-p", "six", "--resume", &word(&last, "session_id")];
    Ran::new(desk.claude(&provider, &words).output().unwrap()).expect(0);

    let asked = asked(&provider);
    for said in ["one", "two", "three", "five", "six"] {
        assert_eq!(greetings(request_of(&asked, said)), 1, "{said}: told once");
    }
    let next = request_of(&asked, "four");
    let text = all_text(next);
    assert!(text.contains(SUMMARY) && !text.contains("answer 0"), "it was compacted: {text}");
    let mut sources = desk.sources();
    let called = sources.get(1).is_some_and(|source| source == "compact");
    sources.retain(|source| source != "compact");
    assert_eq!(sources, ["startup", "clear", "resume"]);
    (called, greetings(next))
}

#[test]
fn a_session_is_told_when_it_begins_is_cleared_or_resumed_and_never_after_a_compaction() {
    let wide = Some("startup|resume|clear|compact");
    let speaking = "sed 's/\"source\":\"compact\"/\"source\":\"startup\"/'";
    for by in [Compaction::Asked, Compaction::Automatic] {
        assert_eq!(compacted(by, None, "cat"), (false, 0));
        // The test would notice: a hook that is called and speaks is seen.
        assert_eq!(compacted(by, wide, speaking), (true, 1));
    }
    // Where only the matcher lets it through, the hook itself is silent.
    assert_eq!(compacted(Compaction::Asked, wide, "cat"), (true, 0));
}

/// One session that is asked for no permission and tries to write a projection, to add to the state and to remove the
/// ledger: the result of each try, and what was changed.
fn tried(desk: &Desk, begin: impl Fn(&Provider, &[&str]) -> Command) -> (Vec<String>, [bool; 3]) {
    desk.scratch.run(["run", "001"]).expect(0);
    let meta = desk.scratch.artifacts("001").join(".meta.json");
    let (ledger, added) = (desk.scratch.state().join("ledger.db"), desk.scratch.state().join("added.json"));
    let files = [&meta, &added, &ledger];
    let before = files.map(|file| fs::read(file).ok());
    let provider = Provider::answering(vec![
        Reply::tool("Read", json!({"file_path": meta})),
        Reply::tool("Write", json!({"file_path": meta, "content": "{}"})),
        Reply::tool("Write", json!({"file_path": added, "content": "{}"})),
        Reply::tool("Bash", json!({"command": format!("rm {}", ledger.display()), "description": "x"})),
        Reply::text("done"),
    ]);
    let mut command = begin(&provider, &["-p", "do it", "--dangerously-skip-permissions"]);
    // Claude Code allows this mode to root only in a sandbox.
    Ran::new(command.env("IS_SANDBOX", "1").output().unwrap()).expect(0);
    let mut results = tool_results(asked(&provider).last().unwrap());
    assert_eq!(results.len(), 4, "{results:?}");
    let after = files.map(|file| fs::read(file).ok());
    let changed = [0, 1, 2].map(|index| before[index] != after[index]);
    (results.split_off(1), changed)
}

#[test]
fn a_session_with_the_plugin_changes_neither_the_ledger_nor_a_projection_whatever_it_may_do() {
    let desk = Desk::new();
    let (results, changed) = tried(&desk, |provider, words| desk.claude(provider, words));
    assert_eq!(changed, [false; 3], "{results:?}");
    let reasons = [
        "/.meta.json\" is computed from the ledger, and what is written into it by hand is lost. Instead: `redraft status 001`",
        "/.git/redraft/added.json\" is part of Redraft's own state, which only its commands change. Instead: `redraft status`",
        "/.git/redraft/ledger.db\" is part of Redraft's own state, which only its commands change. Instead: `redraft status`",
    ];
    for (result, reason) in results.iter().zip(reasons) {
        assert!(result.contains("Redraft: ") && result.contains(reason), "{result}");
    }
    desk.scratch.run(["status", "--verify"]).expect(0);
    // Nothing else would have kept it from doing that.
    let desk = Desk::new();
    let (results, changed) = tried(&desk, |provider, words| desk.without(provider, words));
    assert_eq!(changed, [true; 3], "{results:?}");
}
