//! Tasks of one feature that are carried out side by side: `run --jobs N` and `[implement] jobs`.

use crate::built::{planned, planned_with};
use crate::world::{bodies, events, executable};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

/// Where the documents of the feature are, in its worktree.
const DOCUMENTS: &str = "docs/features";

/// The files of the feature that are no documents, with what is in them.
fn code(scratch: &Scratch) -> Vec<(String, String)> {
    let worktree = scratch.worktree("001");
    let at = worktree.to_string_lossy().into_owned();
    let listed = scratch.git(["-C", &at, "ls-tree", "-r", "--name-only", "HEAD"]);
    let own = listed.lines().filter(|path| !path.starts_with(DOCUMENTS));
    own.map(|path| (path.to_owned(), fs::read_to_string(worktree.join(path)).unwrap())).collect()
}

/// Worktrees of tasks that are still there.
fn slots(scratch: &Scratch) -> Vec<String> {
    let known = scratch.git(["worktree", "list", "--porcelain"]);
    known.lines().filter(|line| line.contains(".slot-")).map(str::to_owned).collect()
}

/// The tasks in the order in which they became part of the feature.
fn landed(events: &[Value]) -> Vec<String> {
    let built = bodies(events, "built").map(|body| body["ticket"].as_str().unwrap());
    built.filter(|ticket| ticket.contains("/task-")).map(task).collect()
}

fn task(ticket: &str) -> String {
    let part = ticket.split('/').find(|part| part.starts_with("task-")).unwrap();
    part.trim_start_matches("task-").to_owned()
}

#[test]
fn tasks_side_by_side_make_the_same_feature_and_leave_no_worktree() {
    let (one, several) = (planned(""), planned(""));
    let alone = one.run(["run", "--yes"]).expect(0);
    let beside = several.run(["run", "--yes", "--jobs", "4"]).expect(0);
    for ran in [&alone, &beside] {
        assert!(ran.stdout.contains("feature 001 is approved"), "{}", ran.stdout);
    }
    assert_eq!(code(&one), code(&several));
    let events = events(&several);
    assert_eq!(
        bodies(&events, "jobs-set").map(|body| body["jobs"].as_u64().unwrap()).collect::<Vec<_>>(),
        [4]
    );
    let used: BTreeSet<u64> =
        bodies(&events, "started").filter_map(|body| body["slot"]["number"].as_u64()).collect();
    assert!(used.len() > 1, "some were carried out at once: {used:?}");
    let waited: Vec<String> =
        bodies(&events, "enqueued").map(|body| task(body["work"]["ticket"].as_str().unwrap())).collect();
    assert_eq!(waited, landed(&events), "in the order in which they were finished");
    assert_eq!(slots(&several), Vec::<String>::new());
    several.run(["show", "prompt", "--verify"]).expect(0);
    several.run(["finish", "001", "--merge", "--yes"]).expect(0);
}

/// An attempt of a task also writes a file.
fn writes(task: &str, attempt: u8, path: &str, text: &str) -> String {
    format!(
        "[[rule]]\nticket = \"*/task-{task}/*/1.{attempt}\"\ndo = \"edit\"\npath = \"{path}\"\ntext = '''{text}'''\n"
    )
}

/// What the implementer of a task was told in each of its attempts.
fn prompts(scratch: &Scratch, task: &str) -> Vec<String> {
    let events = events(scratch);
    let tickets = bodies(&events, "started").map(|body| body["ticket"].as_str().unwrap().to_owned());
    let own = tickets.filter(|ticket| ticket.contains(&format!("/task-{task}/")));
    own.map(|ticket| scratch.run(["show", "prompt", "--ticket", &ticket]).expect(0).stdout).collect()
}

fn shared(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.worktree("001").join("src/shared.txt")).unwrap()
}

#[test]
fn a_conflict_goes_back_to_its_own_implementer_and_both_sides_are_kept() {
    let rules = [
        writes("2.1", 1, "src/shared.txt", "one\n"),
        writes("2.3", 1, "src/shared.txt", "three\n"),
        writes("2.3", 2, "src/shared.txt", "one\nthree\n"),
    ];
    let scratch = planned(&rules.concat());
    let ran = scratch.run(["run", "--yes", "--jobs", "4"]).expect(0);
    assert!(ran.stderr.contains("task 2.3 has a conflict in src/shared.txt"), "{}", ran.stderr);
    assert!(ran.stderr.contains("task 2.3 goes back to its implementer"), "{}", ran.stderr);
    assert_eq!(shared(&scratch), "one\nthree\n");
    let prompts = prompts(&scratch, "2.3");
    assert_eq!(prompts.len(), 2, "once more, and by nobody else");
    assert!(
        prompts[1].contains("in `src/shared.txt`: first") && prompts[1].contains("2.1"),
        "{}",
        prompts[1]
    );
    assert!(!prompts[0].contains("src/shared.txt"), "{}", prompts[0]);
    let events = events(&scratch);
    let conflicts: Vec<&Value> =
        bodies(&events, "combined").map(|body| &body["conflict"]).filter(|one| !one.is_null()).collect();
    assert_eq!(conflicts, [&json!({"task": "2.3", "files": ["src/shared.txt"]})]);
    let costs = scratch.run(["cost", "001"]).expect(0).stdout;
    let told = "tasks side by side: 9 dispatches, 1 of them because a task came back from the queue: ";
    assert!(costs.contains(told), "{costs}");
    let costs = scratch.json(["cost", "001"]);
    let side_by_side = &costs["side_by_side"];
    assert_eq!(
        (&side_by_side["sum"]["dispatches"], &side_by_side["again"]["dispatches"]),
        (&json!(9), &json!(1))
    );
    assert_eq!(slots(&scratch), Vec::<String>::new());
}

#[test]
fn marks_of_a_conflict_that_are_left_do_not_become_part_of_the_feature() {
    let rules = [
        writes("2.1", 1, "src/shared.txt", "one\n"),
        writes("2.3", 1, "src/shared.txt", "three\n"),
        writes("2.3", 3, "src/shared.txt", "one\nthree\n"),
    ];
    let scratch = planned(&rules.concat());
    let ran = scratch.run(["run", "--yes", "--jobs", "4"]).expect(0);
    assert!(ran.stderr.contains("marks of a conflict are left in src/shared.txt"), "{}", ran.stderr);
    assert_eq!(shared(&scratch), "one\nthree\n");
}

#[test]
fn two_tasks_that_only_fail_together_are_both_named_and_no_commit_of_the_branch_holds_both() {
    let rules = [
        writes("2.1", 1, "src/a.txt", "x\n"),
        writes("2.3", 1, "src/b.txt", "x\n"),
        writes("2.3", 2, "src/b.txt", "y\n"),
    ];
    let excludes = "if grep -qs x src/a.txt && grep -qs x src/b.txt; then echo 'a excludes b'; exit 1; fi";
    let scratch = planned_with(&rules.concat(), &format!("{excludes}; sh tests/run.sh"));
    let ran = scratch.run(["run", "--yes", "--jobs", "4"]).expect(0);
    let back = "task 2.3 goes back to its implementer: tests fails with it together with task 2.1";
    assert!(ran.stderr.contains(back), "{}", ran.stderr);
    let prompts = prompts(&scratch, "2.3");
    assert!(prompts[1].contains("a excludes b") && prompts[1].contains("2.1"), "{}", prompts[1]);
    let at = scratch.worktree("001").to_string_lossy().into_owned();
    let commits = scratch.git(["-C", &at, "log", "--format=%H", "main..HEAD"]);
    let is_x = |commit: &str, path: &str| {
        let shown = scratch.command("git").args(["-C", &at, "show", &format!("{commit}:{path}")]).output();
        shown.unwrap().stdout == b"x\n"
    };
    assert!(commits.lines().any(|commit| is_x(commit, "src/a.txt")));
    let both: Vec<&str> =
        commits.lines().filter(|commit| is_x(commit, "src/a.txt") && is_x(commit, "src/b.txt")).collect();
    assert_eq!(both, Vec::<&str>::new());
}

#[test]
fn a_run_that_is_killed_anywhere_goes_on_and_finishes_each_task_once() {
    let words = ["run", "--yes", "--jobs", "3", "--until", "implement"];
    let whole = planned("");
    whole.run(words).expect(0);
    let scratch = planned("");
    // Each run gets a little further than the one before it.
    let killed = (1..200).take_while(|boundary| {
        let mut run = scratch.redraft(words);
        let ended = run.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string()).output().unwrap();
        let code = ended.status.code();
        assert!(code.is_none_or(|code| code == 0), "{code:?}: {}", String::from_utf8_lossy(&ended.stderr));
        code.is_none()
    });
    let killed = killed.count();
    assert!(killed > 10, "it was killed {killed} times");
    assert_eq!(code(&scratch), code(&whole));
    assert_eq!(slots(&scratch), Vec::<String>::new());
    let events = events(&scratch);
    let finished: Vec<String> =
        bodies(&events, "enqueued").map(|body| task(body["work"]["ticket"].as_str().unwrap())).collect();
    let tasks: BTreeSet<&String> = finished.iter().collect();
    assert_eq!(tasks.len(), finished.len(), "{finished:?}");
    scratch.run(["show", "prompt", "--verify"]).expect(0);
}

#[test]
fn how_many_is_a_setting_and_a_word() {
    let scratch = planned("");
    let agents = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("[implement]\njobs = 2\n{agents}"));
    for word in ["0", "65", "many"] {
        let refused = scratch.run(["run", "--jobs", word]).expect(2);
        assert!(refused.stderr.contains("--jobs"), "{}", refused.stderr);
    }
    scratch.run(["run", "--yes", "--until", "implement"]).expect(0);
    let used: BTreeSet<u64> =
        bodies(&events(&scratch), "started").filter_map(|body| body["slot"]["number"].as_u64()).collect();
    assert_eq!(used, BTreeSet::from([1, 2]));
}

#[test]
fn what_stands_in_a_worktree_is_kept_before_it_is_used_again_or_removed() {
    let rule = "[[rule]]\nticket = \"*/task-2.2/*\"\ndo = \"fail\"\n";
    let scratch = planned(rule);
    let own = scratch.worktree("001");
    scratch.run(["run", "--yes", "--jobs", "4"]).expect(6);
    let slot = |number: u8| {
        own.with_file_name(format!("{}.slot-{number}", own.file_name().unwrap().to_str().unwrap()))
    };
    assert_eq!(slots(&scratch).len(), 4, "they stay while a person is asked");
    fs::write(slot(1).join("precious.txt"), "mine\n").unwrap();
    fs::write(slot(4).join("precious.txt"), "mine, too\n").unwrap();
    fs::remove_dir_all(slot(2)).unwrap();
    scratch.run(["decide", "001", "skip", "--why", "not now"]).expect(0);
    scratch.run(["run", "--yes", "--until", "implement"]).expect(0);
    assert_eq!(slots(&scratch), Vec::<String>::new());
    let refs = scratch.git(["for-each-ref", "--format=%(refname)", "refs/redraft/anchors"]);
    let kept = |place: &str| {
        let of_slot = refs.lines().filter(|name| name.contains(place) && name.contains("/left-"));
        let held = of_slot.filter(|name| !scratch.git(["ls-tree", name, "precious.txt"]).is_empty());
        held.map(|name| scratch.git(["show", &format!("{name}:precious.txt")])).collect::<Vec<_>>()
    };
    assert_eq!((kept("/slot-1/"), kept("/slot-4/")), (vec!["mine".to_owned()], vec!["mine, too".to_owned()]));
}

#[test]
fn setup_and_agents_are_told_the_number_of_the_worktree_they_are_in() {
    // Like Claude Code, except that it only notes where it is.
    let noting = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
while [ $# -gt 1 ]; do [ "$1" = --session-id ] && id=$2; shift; done
cat > /dev/null
mkdir -p slots && echo "$REDRAFT_SLOT $id" >> "slots/$(basename "$PWD")"
echo '{"type":"system","subtype":"init"}'
printf '%s' '{"type":"result","subtype":"success","is_error":false,"result":"","total_cost_usd":0.01,'
printf '"session_id":"%s",' "$id"
printf '%s' '"usage":{"input_tokens":10,"output_tokens":10},"structured_output":{"approved":true,"summary":"","answers":[],'
echo '"issues":[],"checks":[],"verified":[],"files_read":[]}}'
"#;
    let scratch = planned("");
    executable(&scratch, "claude.sh", noting);
    let before = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write(
        "redraft.toml",
        &format!(
            "[sandbox]\nlevel = \"off\"\n[workspace]\nsetup = \"mkdir -p made; echo ${{REDRAFT_SLOT:-none}} > made/setup.txt\"\n\
            {before}\n[agents.noting]\nkind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n\
            [roles]\nimplementer = \"noting\"\n"
        ),
    );
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["run", "--yes", "--jobs", "3", "--until", "implement"]);
    let noted = code(&scratch);
    let slots: Vec<&(String, String)> = noted.iter().filter(|(path, _)| path.starts_with("slots/")).collect();
    assert_eq!(slots.len(), 3, "{noted:?}");
    for (path, text) in slots {
        let (_, number) = path.rsplit_once(".slot-").unwrap();
        assert!(text.lines().all(|line| line.split(' ').next() == Some(number)), "{path}: {text}");
    }
}

#[test]
fn two_runs_an_edit_and_a_decision_at_once_lose_nothing_and_everybody_is_told() {
    let rules = "[[rule]]\nticket = \"*/task-2.2/*\"\ndo = \"fail\"\n\
        [[rule]]\nticket = \"*/task-*\"\ndo = \"late\"\nwait_ms = 700\n";
    let scratch = planned(rules);
    let own = scratch.worktree("001");
    let words = ["run", "001", "--yes", "--jobs", "3", "--until", "implement"];
    let begin = || scratch.redraft(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let first = begin();
    let at_work = |_| scratch.json(["status", "001"])["features"][0]["tasks"]["at_work"] == 3;
    assert!((0..500).any(at_work), "status says how many are at work");
    let said = scratch.run(["status", "001"]).expect(0).stdout;
    assert!(said.contains(" of 8 tasks done, 0 skipped or blocked, 3 at work"), "{said}");
    let second = scratch.run(words).expect(7);
    assert!(second.stderr.contains("held by `redraft run 001"), "{}", second.stderr);
    let refused = scratch.run(["decide", "001", "skip", "--why", "too early"]);
    assert!(refused.code != Some(0) && refused.stderr.contains("error: "), "{refused:?}");
    fs::write(own.join("mine.sh"), "# mine\n").unwrap();
    let ended = Ran::new(first.wait_with_output().unwrap()).expect(6);
    assert!(ended.stdout.contains("task 2.2"), "{}", ended.stdout);
    // Now both at once, and an edit.
    let again = begin();
    fs::write(own.join("mine-too.sh"), "# mine, too\n").unwrap();
    let decides = |_| match scratch.run(["decide", "001", "skip", "--why", "not now"]) {
        Ran { code: Some(7), stderr, .. } => {
            assert!(stderr.contains("held by"), "{stderr}");
            false
        }
        ran => ran.expect(0).code == Some(0),
    };
    assert!((0..500).any(decides));
    let ended = Ran::new(again.wait_with_output().unwrap());
    assert!(matches!(ended.code, Some(0 | 6 | 7)), "{ended:?}");
    scratch.run(words).expect(0);
    let events = events(&scratch);
    let decided: Vec<&Value> = bodies(&events, "decided").map(|body| &body["choice"]).collect();
    assert_eq!(decided, ["skip"]);
    let landed = landed(&events);
    let once: BTreeSet<&String> = landed.iter().collect();
    assert_eq!((landed.len(), once.len()), (7, 7), "{landed:?}");
    let held = code(&scratch);
    for (path, text) in [("mine.sh", "# mine\n"), ("mine-too.sh", "# mine, too\n")] {
        assert!(held.contains(&(path.to_owned(), text.to_owned())), "{path}: {held:?}");
    }
    assert!(bodies(&events, "edited").count() > 0, "an edit is a commit of its own");
    assert_eq!(slots(&scratch), Vec::<String>::new());
}
