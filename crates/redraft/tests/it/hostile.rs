//! Tests harmful texts from outside: secrets that must not stay, and control characters that must not reach a terminal.

use crate::hosts::{begun, rehearsed, works};
use crate::world::PROGRAM;
use redraft_adapters::child::{Environment, ScriptEnd, ShellCommand};
use redraft_adapters::clock::SystemClock;
use redraft_facts::harmless::is_harmful;
use redraft_facts::redact::Redactor;
use redraft_testkit::{Host, Ran, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Takes back a line, writes to the clipboard, colours, reverses the order, and begins a line of its own.
const HOSTILE: &str = "x\u{1b}[2K\u{1b}]52;c;eA==\u{7}\rFORGED\u{9b}31m\u{202e}\u{200b}\u{2028}\u{7f}\nFORGED: a line\n  hint: FORGED";

/// In halves, so that no scanner mistakes this file for a leak.
fn token() -> String {
    ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat()
}

/// Works to the first review, and returns it with an answer that rejects.
fn first_review(scratch: &Scratch, host: &mut Host) -> (Value, Value) {
    let is_review = |told: &Value| told["ticket"].as_str().is_some_and(|ticket| ticket.contains("/review/"));
    let work = works(scratch, host, is_review);
    let text = rehearsed(scratch, &work);
    let answer: Value = serde_json::from_str(&text[text.find('{').unwrap_or(0)..]).unwrap();
    assert!(answer["issues"].as_array().is_some_and(|issues| !issues.is_empty()), "{answer}");
    (work, answer)
}

/// The answer with another text after everything a reviewer says.
fn saying(answer: &Value, said: &str) -> Value {
    let mut answer = answer.clone();
    let add = |value: &mut Value| {
        let before = value.as_str().unwrap_or_default().to_owned();
        *value = json!(format!("{before}\n{said}\t{said}"));
    };
    add(&mut answer["summary"]);
    for issue in answer["issues"].as_array_mut().unwrap() {
        for field in ["category", "section", "quote", "description", "suggestion"] {
            add(&mut issue[field]);
        }
    }
    answer
}

fn submit(host: &mut Host, work: &Value, answer: &Value) {
    let text = answer.to_string();
    let conversation = format!("talk\n{HOSTILE}");
    let told =
        host.call("submit", json!({ "ticket": work["ticket"], "text": text, "conversation": conversation }));
    assert_eq!(told["accepted"], true, "{told}");
}

/// Every file below a folder that holds these bytes.
fn holding(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read(&path).is_ok_and(|all| all.windows(bytes.len()).any(|some| some == bytes)) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn a_secret_behind_escapes_in_every_field_of_a_finding_is_kept_nowhere_and_the_feature_goes_on() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let (work, answer) = first_review(&scratch, &mut host);
    submit(&mut host, &work, &saying(&answer, &token()));
    drop(host);
    // To the end of the phase, with everything that is committed on the way.
    let run = || scratch.run(["run", "001", "--agent", "rehearsal", "--on-cap", "accept"]);
    run();
    let decide = || scratch.run(["decide", "001", "accept", "--why", "what is left is known"]).expect(0);
    // Its author declines both findings.
    decide();
    run().expect(6);
    decide();
    run().expect(0);
    assert_eq!(holding(&scratch.root(), token().as_bytes()), [""; 0]);
    let said = scratch.run(["show", "findings", "001"]).expect(0).stdout;
    assert!(said.contains("[redacted:github-token]"), "{said}");
}

#[test]
fn a_reason_and_an_idea_with_a_secret_are_stored_without_it() {
    let scratch = Scratch::repository(PROGRAM);
    let idea = format!("Export the report. The key is\t{} for now", token());
    scratch.run(["new", "--until", "specify", &idea]).expect(0);
    let why = format!("it was\\n{}", token());
    scratch.run(["phase", "skip", "001", "design", "--why", &why]);
    scratch.run(["decide", "001", "abandon", "--why", &why]).expect(0);
    assert_eq!(holding(&scratch.root(), token().as_bytes()), [""; 0]);
    let log = scratch.run(["log", "001"]).expect(0).stdout;
    assert!(log.contains("[redacted:github-token]"), "{log}");
}

#[test]
fn a_private_key_that_a_command_prints_line_by_line_is_neither_shown_nor_kept() {
    let body = "MIIEpAIBAAKCAQEA7bq8Zr2Lw9Xk4Tn7Vb1Yc6Pf3q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1J";
    let key = ["-----BEGIN RSA ", "PRIVATE KEY-----"].concat();
    for prefix in ["", "> ", "2026-11-17T07:11:50Z app[7]: ", "\\033[32m", "web-1  | "] {
        let scratch = Scratch::repository(PROGRAM);
        let out = scratch.outside().join("out");
        fs::create_dir_all(&out).unwrap();
        let end = key.replace("BEGIN", "END");
        let script = format!(
            "echo before; for line in '{key}' {body} {body} {body} '{end}'; do printf '{prefix}%s\\n' \"$line\"; done; echo after; exit 3"
        );
        let script = ShellCommand {
            worker: Path::new(PROGRAM),
            out: &out,
            text: &script,
            folder: &scratch.root(),
            sandbox: None,
            environment: &Environment(std::env::vars_os().filter(|(name, _)| name == "PATH").collect()),
            redactor: &Redactor::default(),
            limit_ms: 60_000,
        };
        let mut lines = Vec::new();
        let ended = script
            .run(&SystemClock::new(Arc::default()), &mut |line| lines.push(line.to_owned()))
            .unwrap()
            .end;
        assert!(matches!(ended, ScriptEnd::Badly { code: Some(3), .. }), "{ended:?}");
        let told = lines.join("\n");
        assert!(
            told.starts_with("before\n") && told.ends_with("\nafter") && !told.contains("MIIE"),
            "{prefix}: {told}"
        );
        assert_eq!(holding(&out, b"MIIEpAIB"), [""; 0], "{prefix}");
    }
}

/// What was printed holds nothing that a terminal obeys, and no line that somebody else has begun.
fn check(words: &[&str], ran: &Ran) {
    for (stream, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        let found = text.lines().find(|line| line.contains(is_harmful));
        assert!(found.is_none() && !text.contains('\r'), "{words:?}: {stream}: {found:?}");
        let begins =
            |line: &&str| ["FORGED", "hint: FORGED"].iter().any(|word| line.trim_start().starts_with(word));
        // These show what others wrote, line by line.
        let quotes = matches!(words, ["show", "section" | "prompt", ..]);
        let forged = text.lines().filter(|_| !quotes).find(begins);
        assert_eq!(forged, None, "{words:?}: {stream}: {text}");
    }
}

#[test]
fn whatever_others_wrote_no_command_prints_what_a_terminal_obeys() {
    let scratch = begun("specify");
    let mut host = scratch.host(&[], &[]);
    let (work, answer) = first_review(&scratch, &mut host);
    let folder = work["folder"].as_str().unwrap().to_owned();
    fs::write(Path::new(&folder).join("a\u{1b}[31m\u{202e}\nFORGED.txt"), "not allowed").unwrap();
    submit(&mut host, &work, &saying(&answer, HOSTILE));
    host.call("next", json!({}));
    drop(host);
    let odd = "odd\u{1b}[31m\u{202e}\nFORGED.md";
    let document = format!(
        "# T\n\nTODO {HOSTILE}\n\n[x](#{HOSTILE}) `{HOSTILE}`\n\n## FR-1: {HOSTILE}\n\n- [ ] T1 {HOSTILE}\n"
    );
    scratch.write(odd, &document);
    scratch.write("specs/002-odd\u{1b}[31m\nFORGED/spec.md", &document);
    scratch.write(&format!("specs/002-odd\u{1b}[31m\nFORGED/{odd}"), &document);
    let hostile = "evil #\\u001b[2K\\rFORGED\\u009b31m\\u202e\\nFORGED: a line";
    scratch.write(
        "redraft.toml",
        &format!("[checks]\ntests = \"{hostile}\"\n[agents.odd]\nkind = \"claude\"\nprogram = \"./{hostile}\"\nargs = [\"{hostile}\"]\n"),
    );
    let commands: [&[&str]; 36] = [
        &["status"],
        &["status", "001"],
        &["log"],
        &["log", "001"],
        &["log", "001", "--decisions"],
        &["show", "findings", "001"],
        &["show", "prompt", "001"],
        &["show", "trace", "001"],
        &["show", "pull-request", "001"],
        &["show", "tasks", odd],
        &["show", "section", odd, "T"],
        &["show", "section", odd, HOSTILE],
        &["show", "context", odd, "T1"],
        &["cost"],
        &["cost", "001"],
        &["config"],
        &["models"],
        &["trust"],
        &["lint", odd],
        &["lint", "--github", odd],
        &["lint", "--sarif", odd],
        &["lint", HOSTILE],
        &["lint"],
        &["adopt", "--dry-run"],
        &["bank"],
        &["bank", "show", HOSTILE],
        &["run", "001", "--agent", "odd"],
        &["run", HOSTILE],
        &["decide", "001", HOSTILE],
        &["decide", HOSTILE, "accept"],
        &["review", odd, "--agent", HOSTILE],
        &["review", "--base", HOSTILE],
        &["replay", odd],
        &["-C", HOSTILE, "status"],
        &["status", "--bogus", HOSTILE],
        &[HOSTILE],
    ];
    for words in commands {
        check(words, &scratch.run(words));
        let json = Ran::new(scratch.redraft(["--json"]).args(words).output().unwrap());
        let printed: Result<Value, _> = serde_json::from_str(&json.stdout);
        // Annotations have a form of their own.
        let is_json = printed.is_ok() || json.stdout.is_empty() || words.contains(&"--github");
        assert!(is_json, "{words:?}: {}", json.stdout);
        check(words, &json);
    }
    let trust = scratch.run(["trust"]);
    assert!(
        trust
            .stdout
            .contains("checks.tests = \"evil #\\u{1b}[2K\\rFORGED\\u{9b}31m\\u{202e}\\nFORGED: a line\"\n"),
        "{}",
        trust.stdout
    );
    for file in [".review-history.md", ".meta.json"] {
        let text = fs::read_to_string(scratch.artifacts("001").join(file)).unwrap();
        assert!(!text.contains(is_harmful), "{file}: {text:?}");
    }
}
