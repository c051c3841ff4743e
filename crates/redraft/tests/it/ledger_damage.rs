//! Tests ledgers that are damaged, gone, replaced or not files: what is noticed, and the way out.

use crate::documents::CLEAN;
use crate::world::{bodies, events, executable, feature};
use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_testkit::Scratch;
use std::fs;

const IDEA: &str = "Export the monthly report as CSV";

/// Changes one letter of the first stored body that holds this text.
fn harm(scratch: &Scratch, text: &str) {
    let ledger = scratch.state().join("ledger.db");
    let mut bytes = fs::read(&ledger).unwrap();
    let places: Vec<usize> =
        (0..bytes.len() - text.len()).filter(|at| bytes[*at..].starts_with(text.as_bytes())).collect();
    assert!(!places.is_empty(), "{text} is stored");
    places.iter().for_each(|at| bytes[at + 2] ^= 1);
    fs::write(&ledger, &bytes).unwrap();
}

#[test]
fn a_damaged_ledger_goes_out_and_comes_back_and_its_feature_goes_on_to_its_end() {
    for text in ["\"judgement\":\"approved\"", "\"summary\":", "\"approvals\":"] {
        let scratch = feature(IDEA);
        scratch.run(["run", "001"]).expect(0);
        harm(&scratch, text);
        let refused = scratch.run(["run", "001"]).expect(3);
        assert!(refused.stderr.contains("redraft ledger export FILE"), "{text}: {}", refused.stderr);
        let out = scratch.run(["ledger", "export", "../out.jsonl"]).expect(1);
        assert!(out.stderr.contains("lost: event "), "{text}: {}", out.stderr);
        assert!(
            out.stdout.contains("next: redraft ledger import ../out.jsonl --move-aside"),
            "{}",
            out.stdout
        );
        let twice = scratch.run(["ledger", "export", "../out.jsonl"]).expect(2);
        assert!(twice.stderr.contains("already exists"), "{}", twice.stderr);
        let there = scratch.run(["ledger", "import", "../out.jsonl"]).expect(2);
        assert!(there.stderr.contains("there is already a ledger"), "{}", there.stderr);
        let back = scratch.run(["ledger", "import", "../out.jsonl", "--move-aside"]).expect(1);
        assert!(back.stdout.contains("the old one is now "), "{}", back.stdout);
        scratch.run(["run", "001"]).expect(0);
        scratch.run(["status", "--verify"]).expect(0);
        assert_eq!(bodies(&events(&scratch), "phase-closed").count(), 1, "{text}");
        assert!(bodies(&events(&scratch), "unreadable").count() > 0, "{text}");
        let aside = fs::read_dir(scratch.state()).unwrap().flatten();
        assert!(
            aside
                .filter(|file| file.file_name().to_string_lossy().starts_with("ledger.before-import-"))
                .count()
                >= 1
        );
    }
}

#[test]
fn a_whole_ledger_goes_out_and_comes_back_as_it_was() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    let log = scratch.run(["log"]).expect(0).stdout;
    let json = scratch.json(["ledger", "export", "../out.jsonl"]);
    assert_eq!((json["v"].as_u64(), json["lost"].as_array().map(Vec::len)), (Some(1), Some(0)));
    scratch.run(["ledger", "import", "../out.jsonl", "--move-aside"]).expect(0);
    assert_eq!(scratch.run(["log"]).expect(0).stdout, log);
    let again = scratch.run(["ledger", "export", "-"]).expect(0).stdout;
    assert_eq!(again.trim_end(), fs::read_to_string(scratch.outside().join("out.jsonl")).unwrap().trim_end());
    scratch.run(["run", "001"]).expect(0);
    scratch.run(["status", "--verify"]).expect(0);
}

#[test]
fn whatever_was_computed_from_events_is_compared_with_them() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    let board = || {
        let ledger = Ledger::open(&scratch.state(), OpenMode::Write).unwrap();
        let mut rows = ledger.board().unwrap();
        rows[0].2 = rows[0].2.replacen("\"dispatches\":", "\"dispatches\":1", 1);
        ledger.replace_board(&rows).unwrap();
    };
    let file = |name: &str| {
        let path = scratch.artifacts("001").join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text + " ").unwrap();
    };
    let harms: [(&dyn Fn(), &str); 3] = [
        (&board, "the board's row of 001 does not match the events of the ledger"),
        (&|| file(".meta.json"), ".meta.json of feature 001 does not match the events"),
        (&|| file(".review-history.md"), ".review-history.md of feature 001 does not match the events"),
    ];
    for (harm, words) in harms {
        harm();
        let found = scratch.run(["status", "--verify"]).expect(3);
        assert!(
            found.stderr.contains(words) && found.stderr.contains("redraft status --rebuild"),
            "{}",
            found.stderr
        );
        scratch.run(["status", "--rebuild"]).expect(0);
        scratch.run(["status", "--verify"]).expect(0);
    }
}

/// Answers like Codex, after it has done something to the ledger.
const CODEX: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
cat > /dev/null
HARM
echo '{"type":"thread.started","thread_id":"th-1"}'
printf '%s\n' '{"type":"item.completed","item":{"type":"agent_message","text":"{\"approved\":true}"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":10}}'
"#;

#[test]
fn a_ledger_that_is_removed_replaced_or_locked_under_a_run_stops_it_and_nothing_is_approved() {
    for (harm, words) in [
        ("rm STATE/ledger.db", "is gone: it was removed"),
        ("rm STATE/ledger.db*", "is gone: it was removed"),
        ("rm STATE/ledger.db-wal", "is gone: its log"),
        ("mv STATE STATE.away", "is gone: it was removed"),
        ("cp STATE/ledger.db STATE/x; mv STATE/x STATE/ledger.db", "another file has taken its place"),
        (": > STATE/ledger.db", "is gone: it was cut short, to 0 bytes"),
        ("chmod a-w STATE/ledger.db", "it was made read-only meanwhile"),
    ] {
        let scratch = feature(IDEA);
        let state = scratch.state().display().to_string();
        executable(&scratch, "program.sh", &CODEX.replace("HARM", &harm.replace("STATE", &state)));
        scratch.write(
            "redraft.toml",
            "[agents.odd]\nkind = \"codex\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./program.sh\"\n\
             [roles]\nspec-reviewer = \"odd\"\n[sandbox]\nlevel = \"off\"\n",
        );
        let folder = scratch.worktree("001").join("docs/features/001-export-the-monthly-report-as-csv");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("spec.md"), CLEAN).unwrap();
        scratch.run(["trust", "--yes"]).expect(0);
        let ran = scratch.run(["run", "001", "--yes"]).expect(3);
        assert!(ran.stderr.contains(words), "{harm}: {}", ran.stderr);
        assert!(!ran.stdout.contains("approved"), "{harm}: {}", ran.stdout);
        // What was only in the emptied file is lost.
        if !harm.starts_with("chmod") && !harm.starts_with(": >") {
            let rescued = scratch.state().join("ledger.rescued.db");
            assert!(ran.stderr.contains(&rescued.display().to_string()), "{harm}: {}", ran.stderr);
            for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
                let _ = fs::remove_file(scratch.state().join(name));
            }
            fs::rename(rescued, scratch.state().join("ledger.db")).unwrap();
            scratch.run(["status", "--verify"]).expect(0);
        }
    }
}

#[test]
fn what_is_no_file_is_refused_in_words_by_every_command() {
    for name in ["ledger.db", "ledger.db-wal", "locks/001", "locks/repo"] {
        let scratch = feature(IDEA);
        let path = scratch.state().join(name);
        let _ = fs::remove_file(&path);
        let made = scratch.command("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let is_ledger = name.starts_with("ledger");
        let commands: [&[&str]; 6] = [
            &["status"],
            &["log"],
            &["cost", "001"],
            &["run", "001"],
            &["decide", "001"],
            &["new", "--until", "specify", "Another idea"],
        ];
        for words in commands {
            let ran = scratch.run(words);
            if is_ledger {
                assert_eq!(ran.code, Some(3), "{name} {words:?}: {}", ran.stderr);
                assert!(ran.stderr.contains("it is a pipe, not a file"), "{name} {words:?}: {}", ran.stderr);
            } else if ran.code == Some(3) {
                assert!(ran.stderr.contains("it is a pipe, not a file"), "{name} {words:?}: {}", ran.stderr);
            }
        }
    }
}

#[test]
fn an_answer_that_is_a_pipe_does_not_hold_a_run_up() {
    let scratch = feature(IDEA);
    // Killed after an answer was kept and before it was stored.
    let mut found = None;
    for boundary in 1..60 {
        scratch
            .redraft(["run", "001"])
            .env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string())
            .output()
            .unwrap();
        let listed = scratch
            .command("find")
            .arg(scratch.state().join("runs"))
            .args(["-name", "outcome.json"])
            .output();
        found = String::from_utf8_lossy(&listed.unwrap().stdout).lines().next().map(str::to_owned);
        if found.is_some() {
            break;
        }
    }
    let answer = found.expect("an answer was kept");
    fs::remove_file(&answer).unwrap();
    assert!(scratch.command("mkfifo").arg(&answer).status().unwrap().success());
    let ran = scratch.run(["run", "001"]);
    assert!(ran.code == Some(0) || ran.stderr.contains("it is a pipe, not a file"), "{}", ran.stderr);
}

#[test]
fn a_ledger_that_was_written_in_another_repository_is_refused_and_nothing_is_approved() {
    let (whole, begun) = (feature(IDEA), feature(IDEA));
    whole.run(["run", "001"]).expect(0);
    fs::copy(whole.state().join("ledger.db"), begun.state().join("ledger.db")).unwrap();
    for words in [&["run", "001"][..], &["new", "another idea"]] {
        let refused = begun.run(words).expect(6);
        assert!(
            refused.stderr.contains("it is not the ledger that you wrote here before"),
            "{}",
            refused.stderr
        );
    }
    begun.run(["trust", "--ledger", "--yes"]).expect(0);
    for words in [&["run", "001"][..], &["finish", "001"], &["status", "--verify"]] {
        let refused = begun.run(words).expect(3);
        assert!(refused.stderr.contains("does not belong to branch feature/001-"), "{}", refused.stderr);
        assert!(refused.stderr.contains("redraft doctor --repair"), "{}", refused.stderr);
        assert!(!refused.stdout.contains("approved"), "{}", refused.stdout);
    }
}

#[test]
fn a_branch_that_was_rebased_goes_on_though_git_has_collected_its_earlier_commits() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    let worktree = scratch.worktree("001");
    let named = scratch.git_in(&worktree, ["rev-parse", "HEAD"]);
    scratch.write("other.txt", "meanwhile\n");
    scratch.git(["add", "other.txt"]);
    scratch.git(["commit", "--quiet", "-m", "meanwhile"]);
    scratch.git_in(&worktree, ["rebase", "--quiet", "--autostash", "main"]);
    scratch.git(["reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"]);
    scratch.git(["gc", "--quiet", "--prune=now"]);
    let mut left = scratch.command("git");
    let left = left.args(["cat-file", "-e", named.trim()]).current_dir(&worktree).output().unwrap();
    assert!(!left.status.success(), "git still has the commit");
    scratch.run(["run", "001"]).expect(0);
    scratch.run(["status", "--verify"]).expect(0);
}
