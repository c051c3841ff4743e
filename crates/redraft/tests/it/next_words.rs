//! Tests what commands say at their end: what nothing has shown, who plays on, and what to type next.

use crate::documents::CLEAN;
use crate::finish::main_moves;
use crate::terminal::pair;
use crate::world::{PROGRAM, feature};
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{self, RoleText};
use redraft_testkit::{Ran, Scratch};
use std::io::Read;

#[test]
fn where_no_check_ran_the_end_of_a_run_status_and_finish_say_so() {
    let scratch = Scratch::repository(PROGRAM);
    main_moves(&scratch, "tests/run.sh", "");
    scratch.run(["new", "--lane", "express", "Let people export the monthly report as CSV"]).expect(0);
    scratch.run(["run", "001", "--until", "specify"]).expect(0);
    let before = scratch.run(["status"]).expect(0).stdout;
    assert!(!before.contains("no check ran"), "there is no code yet: {before}");
    let built = scratch.run(["run", "001", "--yes", "--until", "implement"]).expect(0).stdout;
    let words = "no check ran: redraft.toml names none; redraft init finds them\n";
    assert!(built.contains(words), "{built}");
    assert!(built.lines().count() <= 8, "{built}");
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(status.contains(words), "{status}");
    assert_eq!(scratch.json(["status"])["features"][0]["unchecked"], true);
    let finished = scratch.run(["finish", "--merge"]).expect(0).stdout;
    assert!(finished.contains(words), "{finished}");
}

#[test]
fn what_was_decided_and_said_goes_on_with_the_agent_of_the_last_run_where_none_is_configured() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Let people delete an order"]).expect(0);
    scratch.run(["run", "--agent", "rehearsal", "--until", "specify"]).expect(0);
    let configured = scratch.json(["status"]);
    assert_eq!(configured["next"], "redraft run 001", "the configuration names an agent");
    scratch.configure("");
    let said = scratch.run(["comment", "001", "use Postgres", "--note"]).expect(0).stdout;
    assert!(said.ends_with("next: redraft run 001 --agent rehearsal\n"), "{said}");
    let status = scratch.json(["status"]);
    assert_eq!(status["next"], "redraft run 001 --agent rehearsal");
    scratch.run(["run", "001", "--agent", "rehearsal"]).expect(6);
    let decided = scratch.run(["decide", "001", "go"]).expect(0).stdout;
    assert!(decided.ends_with("next: redraft run 001 --agent rehearsal\n"), "{decided}");
}

#[test]
fn a_review_goes_on_with_the_agent_that_was_named() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.configure("");
    scratch.write("notes.md", "# Notes\n\nThe export is written within 10 seconds.\n");
    let ran = scratch.run(["review", "notes.md", "--agent", "rehearsal"]);
    let next = ran.stdout.lines().find(|line| line.starts_with("next: ")).unwrap_or_default();
    assert!(next.starts_with("next: redraft review notes.md --agent rehearsal"), "{}", ran.stdout);
}

#[test]
fn an_idea_in_other_letters_is_shown_with_its_feature() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "日本語のエクスポート"]).expect(0);
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(
        status.contains("001 日本語のエクスポート ") && status.contains("    idea: 日本語のエクスポート\n"),
        "{status}"
    );
}

#[test]
fn a_feature_whose_name_is_in_other_letters_goes_all_the_way() {
    let scratch = Scratch::repository(PROGRAM);
    main_moves(&scratch, "tests/run.sh", "");
    let begun = scratch.json(["new", "--lane", "express", "Список задач: let people export them as CSV"]);
    let name = "001-список-задач-let-people-export-them";
    assert_eq!(begun["branch"], format!("feature/{name}"));
    let ready = scratch.run(["run", "--yes", "список-задач-let-people-export-them"]).expect(0).stdout;
    assert!(ready.contains("feature 001 is approved and ready to merge"), "{ready}");
    scratch.run(["finish", "001", "--merge"]).expect(0);
    let spec = format!("docs/features/{name}/spec.md");
    assert!(scratch.root().join(&spec).is_file());
    let linted = scratch.json(["lint", "список-задач-let-people-export-them"]);
    assert!(linted.to_string().contains(&spec), "{linted}");
    scratch.run(["clean", "--yes"]).expect(0);
    assert_eq!(scratch.git(["branch", "--list", "feature/*"]), "");
}

#[test]
fn an_idea_that_was_begun_before_is_told_with_the_way_to_go_on_with_either() {
    let scratch = Scratch::repository(PROGRAM);
    let idea = "Let people delete an order";
    let first = scratch.run(["new", idea]).expect(0);
    assert!(!first.stderr.contains("same name"), "{}", first.stderr);
    let second = scratch.run(["new", idea]).expect(0);
    let words = "feature 001 has the same name and is not over; to go on with it: redraft run 001; to give up the new \
                 one: redraft decide 002 abandon";
    assert!(second.stderr.contains(words), "{}", second.stderr);
    scratch.run(["decide", "001", "abandon", "--why", "twice"]).expect(0);
    scratch.run(["decide", "002", "abandon", "--why", "twice"]).expect(0);
    let third = scratch.json(["new", idea]);
    assert_eq!(third["same_name"], serde_json::json!([]), "those are over");
}

#[test]
fn where_hosts_play_every_role_the_next_step_is_theirs() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.configure("[agents.desk]\nkind = \"pull\"\n\n[roles]\ndefault = \"desk\"\n");
    let way = "call `next` through the host that plays the roles (redraft mcp)";
    let idea = "Let people delete an order";
    assert_eq!(scratch.json(["new", "--ask", "specify", idea])["next"], way);
    let rehearsed = ["run", "001", "--agent", "rehearsal", "--until", "specify"];
    scratch.run(rehearsed).expect(6);
    // An approval names what was looked at.
    let refused = scratch.json(["decide", "001", "approve"]);
    let revision = refused["hints"][0].as_str().and_then(|hint| hint.rsplit(' ').next()).unwrap();
    let decided = scratch.json(["decide", "001", "approve", "--revision", revision]);
    assert_eq!(decided["next"], way, "{decided}");
    scratch.run(rehearsed).expect(0);
    let skipped = scratch.json(["phase", "skip", "001", "design", "--why", "small"]);
    assert_eq!(skipped["next"], way, "{skipped}");
    // What a host is not needed for stays as it is.
    let abandoned = scratch.json(["decide", "001", "abandon", "--why", "not needed"]);
    assert_eq!(abandoned["next"], "redraft new \"your idea\"", "{abandoned}");
}

#[test]
fn what_was_adopted_is_neither_called_edited_nor_approved() {
    let scratch = Scratch::repository(PROGRAM);
    for (name, text) in [
        ("spec.md", CLEAN),
        ("plan.md", "# Implementation Plan: Export\n\n## Summary\n\nWrite a script that exports (R1).\n"),
        (
            "tasks.md",
            "# Tasks\n\n- [x] T001 Create src/export\n- [ ] T002 Write R1 in src/run.sh\n- [ ] T003 Test R1\n",
        ),
        ("contracts/api.yaml", "openapi: 3.0.0\n"),
    ] {
        scratch.write(&format!("specs/001-export/{name}"), text);
    }
    let adopted = scratch.run(["adopt", "--yes"]).expect(0).stdout;
    assert!(adopted.contains("1 of its 3 tasks is ticked: done before"), "{adopted}");
    let ran = scratch.run(["run", "001"]).expect(6);
    let along = "what the branch holds besides the documents is part of the change: revision ";
    assert!(ran.stderr.contains(along) && !ran.stderr.contains("edited the code"), "{}", ran.stderr);
    let told =
        "implement: implementer carries out 2 of 3 tasks (done before it was adopted, not by redraft: T001)";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    let asked = scratch.run(["decide", "001"]).expect(6).stdout;
    for words in [
        "code is written next, in 2 of 3 tasks; 1 done before",
        "taken over as approved on ",
        "'s word: spec.md, ",
    ] {
        assert!(asked.contains(words), "no `{words}` in {asked}");
    }
    assert!(!asked.contains("documents are approved"), "{asked}");
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(!status.contains("no check ran"), "no code was written yet: {status}");
}

#[test]
fn a_comment_that_came_too_late_is_told_to_whoever_asks_for_the_status() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.run(["decide", "001", "abandon", "--why", "not needed"]).expect(0);
    let kept = r#"{"v":1,"id":"a","phase":"specify","reopens":null,"severity":"blocker","file":"","line":0,"text":"use Postgres","by":"b"}"#;
    let folder = scratch.state().join("inbox/001/refused");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.json"), kept).unwrap();
    let status = scratch.run(["status"]).expect(0).stdout;
    let words = "    not stored, because it no longer applied when it came: \"use Postgres\"\n";
    assert!(status.contains(words), "{status}");
    assert_eq!(scratch.json(["status"])["features"][0]["refused_comments"][0], "use Postgres");
}

#[test]
fn a_report_does_not_flood_a_terminal_and_is_printed_elsewhere() {
    let scratch = feature("Export the monthly report as CSV");
    scratch.run(["run", "001"]).expect(0);
    let (mut terminal, end) = pair();
    let mut command = scratch.redraft(["report", "001"]);
    let told = command.stdout(end).output().unwrap();
    drop(command);
    let mut shown = Vec::new();
    // A terminal that is no longer open answers with an error, not with an end.
    let _ = terminal.read_to_end(&mut shown);
    let told = Ran::new(told).expect(2);
    assert!(
        told.stderr.contains("redraft report 001 -o 001-export-the-monthly-report-as-csv.html"),
        "{}",
        told.stderr
    );
    assert!(shown.is_empty(), "{}", String::from_utf8_lossy(&shown));
    assert!(scratch.run(["report", "001"]).expect(0).stdout.starts_with("<!doctype html>"));
}

#[test]
fn the_built_in_text_of_every_role_is_printed_as_a_file_to_begin_from() {
    let scratch = Scratch::empty(PROGRAM);
    for role in profile::roles() {
        let printed = scratch.run(["show", "prompt", "--example", role.as_str(), "--text"]).expect(0).stdout;
        let read = RoleText::parse(&printed, &role).unwrap_or_else(|error| panic!("{role}: {error}"));
        let built_in = profile::all().find(|one| one.role == role.as_str()).unwrap();
        assert!(read.body.contains(built_in.rubric.trim()), "{role}");
    }
    for (role, purposes) in [
        ("implementer", [Purpose::Implement, Purpose::Revise]),
        ("test-deepener", [Purpose::Outline, Purpose::Tests]),
    ] {
        let printed = scratch.run(["show", "prompt", "--example", role, "--text"]).expect(0).stdout;
        for purpose in purposes {
            let one = profile::of_dispatch(Phase::Implement, &Role::new(role), purpose, &[]).unwrap();
            assert!(printed.contains(one.rubric.trim()), "{role}, {}", purpose.name());
        }
    }
}
