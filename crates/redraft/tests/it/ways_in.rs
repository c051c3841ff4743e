//! Tests every way by which a text that a person types comes in: commands, the terminal, a host. None of them stores a
//! key that only the configuration names.

use crate::typed::command_on_a_terminal;
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::{Ran, Scratch};
use serde_json::json;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

const CANARY: &str = "canary-91b3e07d5fa24c68ee";
const VARIABLE: &str = "MY_ACCESS";

/// The service is never asked; its key is known only by the name in this configuration. A change is not reviewed by an
/// agent that plays a scenario from the repository.
const CONFIG: &str = "\
[agents.rehearsal]
kind = \"rehearsal\"
scenario = \"scenario.toml\"

[agents.plain]
kind = \"rehearsal\"

[agents.service]
kind = \"openai\"
model = \"m\"
price = \"local\"
key_env = \"MY_ACCESS\"
";

const BANK: &str = "# Anti-Patterns\n\n### Anti-Pattern: Silent retries\n- Observed in: Feature #001\n\n\
                    ### Anti-Pattern: Global state\n- Observed in: Feature #001\n";

/// The spec-author asks before its first draft of this feature.
fn asks(feature: &str) -> String {
    format!("[[rule]]\nticket = \"{feature}/specify.1/draft/spec-author/1.1\"\ndo = \"ask\"\n")
}

struct World(Scratch);

impl World {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.0.redraft(words);
        command.env(VARIABLE, CANARY);
        command
    }

    #[track_caller]
    fn run(&self, words: &[&str], code: i32) -> Ran {
        let ran = Ran::new(self.command(words).output().unwrap()).expect(code);
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains(CANARY), "{words:?} shows it: {text}");
        }
        self.require_none(&format!("{words:?}"));
        ran
    }

    /// Nothing in the repository, its state and its commits holds the key.
    #[track_caller]
    fn require_none(&self, after: &str) {
        let found = self.0.command("grep").args(["-rlaF", CANARY, "."]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "", "after {after}");
        let refs = self.0.git(["for-each-ref", "--format=%(refname)"]);
        let said = self.0.git(["log", "--all", "--format=%B%an%ae"]);
        assert!(!refs.contains(CANARY) && !said.contains(CANARY), "after {after}: {refs}{said}");
    }
}

fn world() -> World {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("scenario.toml", &[asks("001"), asks("004"), asks("005")].concat());
    scratch.write("redraft.toml", CONFIG);
    scratch.write("docs/knowledge-bank/anti-patterns.md", BANK);
    scratch.git(["add", "-A"]);
    scratch.git(["commit", "-qm", "configuration and bank"]);
    World(scratch)
}

#[test]
fn a_key_that_a_person_types_is_kept_nowhere_whichever_way_it_comes_in() {
    let world = world();
    let text = format!("because of {CANARY}");
    let idea = format!("Use {CANARY} to export the pelican-in-the-kitchen report");
    for after in [&["--until", "specify"][..], &["--until", "specify", "--depends-on", "001"]] {
        world.run(&[&["new", &idea], after].concat(), 0);
    }
    world.run(&["new", "--lane", "standard", "--until", "design", &idea], 0);
    for _ in 0..2 {
        world.run(&["new", "--until", "specify", &idea], 0);
    }
    // Questions of an author, answered by a host, on the terminal and by a command.
    world.run(&["run", "001"], 6);
    let mut host = world.0.host(&[], &[(VARIABLE, CANARY.to_owned())]);
    let asked = host.call("next", json!({ "feature": "001" }));
    let count = asked["questions"].as_array().map_or(2, Vec::len);
    let answers = vec![text.as_str(); count];
    host.call("decide", json!({ "feature": "001", "choice": "answer", "answers": answers, "why": text }));
    world.require_none("the tool `decide`");
    let work = host.call("next", json!({ "feature": "001" }));
    host.call("submit", json!({ "ticket": work["ticket"], "text": text, "conversation": text }));
    world.require_none("the tool `submit`");
    drop(host);
    let lines = format!("answer\n{text}\n{text}\n");
    command_on_a_terminal(world.command(&["run", "004"]), &lines, 0);
    world.require_none("the terminal");
    world.run(&["run", "005"], 6);
    world.run(&["decide", "005", "answer", "--answer", &text, "--answer", &text, "--why", &text], 0);

    world.run(&["run", "002", "--yes", "--unblock", &text], 0);
    world.run(&["phase", "back", "002", "specify", "--why", &text], 0);
    world.run(&["run", "003", "--yes", "--until", "specify"], 0);
    world.run(&["phase", "skip", "003", "design", "--why", &text], 0);
    world.run(&["comment", "005", &text], 0);
    world.run(&["decide", "005", "abandon", "--why", &text], 0);
    let review = "specify.1/review/spec-reviewer/1.1";
    world.run(&["cost", "correct", "002", review, "--usd", "0.12", "--why", &text], 0);
    world.run(&["project", "new", &text], 0);
    world.run(&["bank", "update", "Silent retries", "--text", &text, "--feature", "002"], 0);
    world.run(&["bank", "retire", "Global state", "--why", &text], 0);

    world.0.git(["add", "-A"]);
    world.0.git(["commit", "-qm", "project and bank"]);
    world.0.git(["switch", "-qc", "topic"]);
    fs::write(world.0.root().join("export.sh"), "echo export\n").unwrap();
    world.0.git(["add", "export.sh"]);
    world.0.git(["commit", "-qm", "Export"]);
    let words = ["review", "--base", "main", "--agent", "plain", "--yes", "--name", &text, "--intent", &text];
    let ran = Ran::new(world.command(&words).output().unwrap());
    assert!(matches!(ran.code, Some(0 | 1)), "{}{}", ran.stdout, ran.stderr);
    world.require_none("a review of a change");

    let mut command = world.command(&["ledger", "redact", "--yes", "--why", &text]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"pelican-in-the-kitchen\n").unwrap();
    Ran::new(child.wait_with_output().unwrap()).expect(0);
    world.require_none("the redaction of something else");

    // Each was kept, without the key.
    let all = events(&world.0);
    for (kind, field, number) in [
        ("feature-created", "idea", 5),
        ("decided", "why", 1),
        ("unblocked", "why", 1),
        ("went-back", "why", 1),
        ("phase-skipped", "why", 1),
        ("cost-corrected", "why", 1),
        ("redacted", "why", 1),
        ("commented", "text", 1),
    ] {
        let kept =
            |body: &&serde_json::Value| body[field].as_str().unwrap_or_default().contains("[redacted:known]");
        let found = bodies(&all, kind).filter(kept).count();
        assert!(found >= number, "{kind}: {found} of {number}");
    }
    let answers = bodies(&all, "decided").filter(|body| body["answers"][0] == "because of [redacted:known]");
    assert_eq!(answers.count(), 3, "by a host, on the terminal, by a command");
}
