//! Reviewers of code that have a check of the project run once more, and quote what it printed.

use crate::hosts::{begun, stored, works};
use crate::review_base::{commit, review, topic};
use crate::world::{PROGRAM, executable};
use redraft_testkit::provider::{Provider, RecordedRequest, Reply, tool_results};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Says where it runs and which test it was asked for; what it leaves behind shows whether the folder is a copy.
const TESTS: &str =
    "echo \"in $(pwd)\"\ntouch left-by-the-check\n[ -n \"$1\" ] && echo \"only $1 was run\"\nexit 0\n";

/// A change with an accepted check.
fn checked(command: &str) -> Scratch {
    checked_with(command, |_| String::new())
}

/// The same with more in its configuration.
fn checked_with(command: &str, more: impl Fn(&Scratch) -> String) -> Scratch {
    let scratch = topic("#!/bin/sh\nprintf '%s\\n' \"$1\"\n");
    scratch.git(["switch", "--quiet", "main"]);
    scratch.write("tests.sh", TESTS);
    let config = format!("[checks]\ntests = \"{command}\"\n{}", more(&scratch));
    commit(&scratch, "redraft.toml", &config, "checks");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["rebase", "--quiet", "main"]);
    scratch.run(["trust", "--base", "main", "--yes"]).expect(0);
    scratch
}

/// A blocker that quotes this.
fn rejection(quote: &str) -> Value {
    let issue = json!({"severity": "blocker", "category": "tests", "claim": "present", "file": "greet.sh", "line": 2,
        "section": "", "quote": quote, "description": "the test is not run with the rest [ran]", "suggestion": "",
        "same_as": ""});
    json!({"approved": false, "summary": "s", "answers": [], "issues": [issue], "checks": [], "verified": [],
        "files_read": []})
}

/// A service that asks for the check and then says this.
fn asks_for(scratch: &Scratch, wish: Value, quote: &'static str) -> Provider {
    let provider =
        Provider::start(move |request: &RecordedRequest, _: usize| match tool_results(request).is_empty() {
            true => Reply::tool("Check", wish.clone()),
            false => Reply::Json(rejection(quote)),
        });
    configure(scratch, &provider);
    provider
}

/// Lets the service play every role.
fn configure(scratch: &Scratch, provider: &Provider) {
    let key = scratch.own_config().with_file_name("key");
    let (url, key_file) = (provider.base_url(), key.display());
    let agent = format!(
        "kind = \"openai\"\nmodel = \"m\"\nprice = \"local\"\nbase_url = \"{url}/v1\"\nkey_file = \"{key_file}\""
    );
    scratch.configure(&format!("[agents.model]\n{agent}\n[roles]\ndefault = \"model\"\n"));
    fs::write(&key, "test-key-of-nobody").unwrap();
}

fn reviewed(scratch: &Scratch) -> Ran {
    review(scratch, &["--checks", "--policy", "inline", "--yes", "--lane", "express"])
}

/// What is left of the copies that checks ran in.
fn copies(scratch: &Scratch) -> Vec<PathBuf> {
    let folders = [scratch.root().join(".redraft/worktrees"), scratch.state().join("checkouts")];
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.to_string_lossy().contains(".copy-")).collect()
}

#[test]
fn what_a_check_printed_in_a_copy_proves_a_finding_and_what_it_did_not_print_does_not() {
    for (quote, holds) in [("only limit was run", true), ("only limits were run", false)] {
        let scratch = checked("sh tests.sh");
        let provider = asks_for(&scratch, json!({"name": "tests", "test": "limit"}), quote);
        let ran = reviewed(&scratch);
        let told: Vec<String> =
            provider.requests().iter().flat_map(tool_results).map(|one| one.to_string()).collect();
        let told = told.first().unwrap_or_else(|| panic!("{}{}", ran.stdout, ran.stderr));
        assert!(
            told.contains("sh tests.sh 'limit'` ended with code 0") && told.contains("run 1 of 3"),
            "{told}"
        );
        assert!(told.contains(".copy-") && told.contains("only limit was run"), "{told}");
        assert_eq!(ran.code, Some(if holds { 1 } else { 6 }), "{}{}", ran.stdout, ran.stderr);
        let judged = stored(&scratch, "judged");
        let why = judged[0]["judgement"].to_string();
        assert_eq!(why.contains("the quote is not in greet.sh"), !holds, "{why}");
        let answered = stored(&scratch, "answered");
        assert_eq!(answered[0]["ran"][0]["gate"], "tests");
        assert!(answered[0]["ran"][0]["output"].as_str().unwrap().contains("only limit was run"));
        assert!(copies(&scratch).is_empty());
        let worktrees = fs::read_dir(scratch.root().join(".redraft/worktrees")).unwrap().flatten();
        let own: Vec<PathBuf> =
            worktrees.map(|one| one.path()).filter(|one| one.join("left-by-the-check").exists()).collect();
        assert!(
            own.iter().all(|one| one.to_string_lossy().contains("/check-")),
            "a worktree was touched: {own:?}"
        );
    }
}

#[test]
fn without_checks_of_its_own_a_review_offers_none_to_run() {
    let scratch = checked("sh tests.sh");
    let provider = asks_for(&scratch, json!({"name": "tests"}), "printf '%s\\n'");
    review(&scratch, &["--policy", "inline", "--yes", "--lane", "express"]).expect(1);
    let told = provider.requests().iter().flat_map(tool_results).map(|one| one.to_string()).next().unwrap();
    assert!(told.contains("there is no tool `Check` here"), "{told}");
    assert!(stored(&scratch, "answered").iter().all(|answered| answered.get("ran").is_none()));
}

/// Asks for the check as a command, and as the tool that its configuration offers, and answers like Claude Code.
const CLAUDE: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
while [ $# -gt 1 ]; do
  case "$1" in --session-id|--resume) id=$2;; --mcp-config) servers=$2;; --allowedTools) allowed=$2;; --tools) tools=$2;; esac
  shift
done
cat > /dev/null
"REDRAFT" check tests --test limit > OUT/said 2>&1
"REDRAFT" check cargo > OUT/refused 2>&1
echo "$allowed $tools" > OUT/allowed
desk=$(sed 's/.*"--serve","\([^"]*\)".*/\1/' "$servers")
mkfifo OUT/in OUT/out
"REDRAFT" check --serve "$desk" < OUT/in > OUT/out &
exec 3> OUT/in 4< OUT/out
echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}' >&3
read -r greeted <&4
echo '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&3
echo '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}' >&3
read -r listed <&4
echo '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"Check","arguments":{"name":"tests","test":"other"}}}' >&3
read -r called <&4
printf '%s\n%s\n' "$listed" "$called" > OUT/tool
exec 3>&- 4<&-
wait
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"%s","total_cost_usd":0.01,' "$id"
printf '%s\n' '"usage":{"input_tokens":10,"output_tokens":10},"result":"","structured_output":SAID}'
"#;

#[test]
fn a_program_asks_the_run_it_works_for_by_a_command_or_a_tool_and_can_have_nothing_else_run() {
    // The program notes outside what it heard.
    let scratch = checked_with("sh tests.sh", |_| "[sandbox]\nlevel = \"off\"\n".to_owned());
    let out = scratch.outside().join("heard");
    fs::create_dir_all(&out).unwrap();
    let script = CLAUDE.replace("REDRAFT", PROGRAM).replace("OUT", out.to_str().unwrap());
    executable(&scratch, "program.sh", &script.replace("SAID", &rejection("only other was run").to_string()));
    let program = scratch.root().join("program.sh");
    scratch.configure(&format!(
        "[agents.claude]\nkind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"{}\"\n[roles]\ndefault = \"claude\"\n",
        program.display()
    ));
    let ran = reviewed(&scratch);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    let heard = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    assert!(
        heard("said").contains("only limit was run") && heard("said").contains("run 1 of 3"),
        "{}",
        heard("said")
    );
    assert!(heard("refused").contains("`cargo` is no check that can be run here"), "{}", heard("refused"));
    assert!(
        heard("tool").contains("only other was run") && heard("tool").contains("run 2 of 3"),
        "{}",
        heard("tool")
    );
    assert!(heard("tool").contains("\"name\":\"Check\""), "{}", heard("tool"));
    assert!(heard("allowed").contains("mcp__redraft-checks__Check"), "{}", heard("allowed"));
    assert!(!heard("allowed").contains("Bash"), "a reviewer has no shell: {}", heard("allowed"));
    assert_eq!(stored(&scratch, "answered")[0]["ran"].as_array().unwrap().len(), 2);
    assert!(copies(&scratch).is_empty());
}

/// An answer without findings.
fn approval() -> Value {
    json!({"approved": true, "summary": "s", "answers": [], "issues": [], "checks": [], "verified": [], "files_read": []})
}

#[test]
fn a_check_that_is_killed_with_its_run_leaves_no_process_and_no_copy() {
    let scratch = checked_with("sh tests.sh", Scratch::opened);
    let mark = scratch.shared().join("pid");
    scratch.git(["switch", "--quiet", "main"]);
    let hangs = format!(
        "{TESTS}[ \"$1\" = hang ] && echo $$ > {0}.part && mv {0}.part {0} && exec sleep 1000\nexit 0\n",
        mark.display()
    );
    commit(&scratch, "tests.sh", &hangs.replacen("exit 0\n", "", 1), "hang");
    scratch.git(["switch", "--quiet", "topic"]);
    scratch.git(["rebase", "--quiet", "main"]);
    let begun = mark.clone();
    let provider = Provider::start(move |_: &RecordedRequest, _: usize| match begun.exists() {
        false => Reply::tool("Check", json!({"name": "tests", "test": "hang"})),
        true => Reply::Json(approval()),
    });
    configure(&scratch, &provider);
    let words = ["review", "--base", "main", "--checks", "--policy", "inline", "--yes", "--lane", "express"];
    let mut command = scratch.redraft(words);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("the check has begun", || mark.exists());
    let pid = fs::read_to_string(&mark).unwrap().trim().to_owned();
    assert_eq!(copies(&scratch).len(), 2, "the copy, and git's folder for it");
    run.kill().unwrap();
    run.wait().unwrap();
    until("the check is ended", || !PathBuf::from(format!("/proc/{pid}")).exists());
    reviewed(&scratch).expect(0);
    assert!(copies(&scratch).is_empty());
}

/// Waits for something that happens soon.
fn until(what: &str, so: impl Fn() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        std::thread::yield_now();
    }
}

#[test]
fn nobody_else_has_a_check_run_by_the_command() {
    let scratch = checked("sh tests.sh");
    let person = scratch.run(["check", "tests"]).expect(2);
    assert!(person.stderr.contains("works only for a reviewer inside a run"), "{}", person.stderr);
    assert!(person.stderr.contains("[checks] in redraft.toml"), "{}", person.stderr);
    for ticket in [
        "001/implement.1/implement/implementer/1.1.1",
        "review-001/implement.1/review/security-reviewer/1.1",
        "x",
    ] {
        let mut command = scratch.redraft(["check", "tests"]);
        let ran = Ran::new(command.env("REDRAFT_TICKET", ticket).output().unwrap()).expect(2);
        let refused =
            ran.stderr.contains("only reviewers of code") || ran.stderr.contains("does not name a dispatch");
        assert!(refused, "{ticket}: {}", ran.stderr);
    }
}

#[test]
fn a_reviewer_of_a_host_has_a_check_run_with_its_ticket_and_nobody_else_has() {
    let scratch = begun("implement");
    scratch.write("redraft.toml", "[checks]\ntests = \"echo all tests ran\"\n");
    scratch.run(["trust", "--yes"]).expect(0);
    let mut host = scratch.host(&["--patience", "600"], &[]);
    let draft = host.call("next", json!({}));
    let refused = host.call("check", json!({"ticket": draft["ticket"], "name": "tests"}));
    assert_eq!(refused["ran"], false, "{refused}");
    assert!(refused["text"].as_str().unwrap().contains("only reviewers of code"), "{refused}");
    let work = works(&scratch, &mut host, |told| told["tools"].to_string().contains("Check"));
    assert!(work["role"].as_str().unwrap().ends_with("-reviewer"), "{work}");
    let said = host.call("check", json!({"ticket": work["ticket"], "name": "tests"}));
    assert_eq!(said["ran"], true, "{said}");
    assert!(said["text"].as_str().unwrap().contains("all tests ran"), "{said}");
    assert!(copies(&scratch).is_empty());
    let quoted = rejection("all tests ran").to_string().replace("greet.sh", "redraft.toml");
    let done = json!({"ticket": work["ticket"], "text": quoted, "conversation": "reviewer"});
    assert_eq!(host.call("submit", done), json!({"v": 1, "accepted": true}));
    let answered = stored(&scratch, "answered");
    assert_eq!(answered.last().unwrap()["ran"][0]["code"], 0, "{answered:?}");
}
