//! Tests the end of a feature: a branch that is ready, what stays in the tree and what leaves it, and who may finish
//! when.
//!
//! Other files look at parts of it: `finish_gates`, `finish_merge`, `finish_lessons`, `finish_crash`. Start at [`coded`].

use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::fs;

pub(crate) const IDEA: &str = "Let people export the monthly report as CSV";
/// Passes unless there is a file of that name.
const CHECK: &str = "test ! -e broken";
const PRICES: &str = "usd_per_million_input = 3.0\nusd_per_million_output = 15.0\n";
/// Where the feature's files are.
pub(crate) const CODE: &str = "src/export-monthly-report";

/// A repository with a check, in which a feature was begun. `config` stands before the agents, `rules` in the scenario.
pub(crate) fn begun(config: &str, rules: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    // So the rehearsal agent knows what to write programs in.
    main_moves(&scratch, "tests/run.sh", "");
    configure(&scratch, config, rules);
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    scratch
}

pub(crate) fn configure(scratch: &Scratch, config: &str, rules: &str) {
    scratch.scenario(&format!("{PRICES}{rules}"));
    let agents = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("{config}\n[checks]\nsound = \"{CHECK}\"\n{agents}"));
    scratch.run(["trust", "--yes"]).expect(0);
}

/// The same with approved code, so that it can be finished.
pub(crate) fn coded(config: &str, rules: &str) -> Scratch {
    let scratch = begun(config, rules);
    code(&scratch, "001");
    scratch
}

pub(crate) fn code(scratch: &Scratch, feature: &str) {
    scratch.run(["run", feature, "--yes", "--until", "implement"]).expect(0);
}

/// Something else happens on the branch the feature was begun on.
pub(crate) fn main_moves(scratch: &Scratch, path: &str, text: &str) {
    scratch.write_unaccepted(path, text);
    scratch.git(["add", path]);
    scratch.git(["commit", "-q", "-m", "something else"]);
}

pub(crate) fn retro(scratch: &Scratch, feature: &str) -> String {
    fs::read_to_string(scratch.artifacts(feature).join("retro.md")).unwrap()
}

pub(crate) fn last<'a>(events: &'a [Value], kind: &'a str) -> &'a Value {
    bodies(events, kind).last().unwrap_or_else(|| panic!("no {kind}"))
}

/// Everything branches point to and every file of the main checkout that git knows.
pub(crate) fn untouched(scratch: &Scratch) -> String {
    let refs = scratch.git(["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"]);
    refs + &scratch.git(["status", "--porcelain", "--untracked-files=no"])
}

/// SC-6, AC-7: the implementation log leaves the tree like the review history, and is not lost.
#[test]
fn sc_6_and_ac_7_the_branch_is_ready_and_what_only_helped_on_the_way_has_left_the_tree() {
    let scratch = coded("", "");
    let folder = scratch.artifacts("001");
    let projections = [".review-history.md", "implementation-log.md"];
    let before = projections.map(|name| fs::read_to_string(folder.join(name)).unwrap());
    let ran = scratch.run(["finish"]).expect(0);
    assert!(ran.stdout.contains("feature 001 is approved and ready to merge"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("next: redraft finish 001 --merge\n"), "{}", ran.stdout);
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(status.ends_with("\nnext: redraft finish 001 --merge\n"), "{status}");
    let place = folder.strip_prefix(scratch.worktree("001")).unwrap().display().to_string();
    let files = || scratch.git_in(&scratch.worktree("001"), ["ls-tree", "-r", "--name-only", "HEAD", &place]);
    let kept = [".meta.json", "retro.md", "spec.md"].map(|name| format!("{place}/{name}")).join("\n");
    assert_eq!(files(), kept, "committed");
    assert_eq!(scratch.git_in(&scratch.worktree("001"), ["status", "--porcelain"]), "");
    scratch.run(["status", "--rebuild"]).expect(0);
    for (name, text) in projections.into_iter().zip(before) {
        assert!(!folder.join(name).exists(), "{name} came back");
        let form = name.trim_start_matches('.').trim_end_matches(".md");
        let printed = scratch.run(["log", "--as", form]).expect(0).stdout;
        assert!(printed.starts_with(text.trim_end()), "{name}:\n{printed}\n{text}");
    }
    let meta: Value = serde_json::from_str(&fs::read_to_string(folder.join(".meta.json")).unwrap()).unwrap();
    assert_eq!(meta["status"], "completed", "{meta}");
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
}

/// SC-5, AC-6: what was built is part of what the facilitator is sent, in its place.
#[test]
fn sc_5_and_ac_6_the_facilitator_is_sent_the_implementation_log_between_history_and_git() {
    let scratch = coded("", "");
    scratch.run(["finish"]).expect(0);
    let ticket = "001/finish.1/retro/retro-facilitator/1.1";
    let sent = scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout;
    let headings = ["## Review History\n", "## Implementation Log\n", "## Git Summary\n"];
    let places = headings.map(|heading| sent.find(heading).unwrap_or_else(|| panic!("{heading}: {sent}")));
    assert!(places.is_sorted());
    let log = &sent[places[1]..places[2]];
    assert!(log.contains("## Task 1: ") && log.contains("- **Decisions:**"), "{log}");
    assert!(sent[places[2]..].contains(&format!("{CODE}/entry.sh +")), "{sent}");
}

/// AC-8: a feature whose code others built has no log, which is reported and is not an error.
#[test]
fn ac_8_a_feature_without_an_implementation_log_is_finished_and_says_so() {
    let scratch = begun("", "");
    scratch.run(["run", "--until", "specify"]).expect(0);
    scratch.run(["phase", "skip", "001", "implement", "--why", "somebody else did it"]).expect(0);
    scratch.run(["finish"]).expect(0);
    let ticket = "001/finish.1/retro/retro-facilitator/1.1";
    let sent = scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout;
    assert!(sent.contains("## Implementation Log\n\nNo implementation log available\n"), "{sent}");
    assert!(retro(&scratch, "001").contains("| finish | 1 |"));
}

#[test]
fn every_sum_of_the_retrospective_is_the_one_of_the_receipt() {
    let scratch = coded("", "[[rule]]\nticket = \"*/review/*/1.1\"\ndo = \"fail\"\ntimes = 1\n");
    scratch.run(["finish"]).expect(0);
    let sum = &scratch.json(["cost"])["sum"];
    let page = retro(&scratch, "001");
    let all = page.lines().find(|line| line.starts_with("| all |")).unwrap();
    let cells: Vec<String> = all.split('|').map(|cell| cell.trim().replace(',', "")).collect();
    let number = |value: &Value| value.as_u64().unwrap();
    let tokens = ["uncached", "read", "written"].map(|name| number(&sum["tokens"][name]));
    assert_eq!(cells[4], number(&sum["dispatches"]).to_string());
    assert_eq!((cells[5].as_str(), number(&sum["failed"])), ("1", 1));
    assert_eq!(cells[6], number(&sum["lost"]).to_string());
    assert_eq!(cells[8], tokens.into_iter().sum::<u64>().to_string());
    assert_eq!(cells[9], number(&sum["tokens"]["output"]).to_string());
    let billed = number(&sum["billed_micro_usd"]);
    assert!(billed > 0, "there is something to compare");
    let unknown = number(&sum["reserved_for_unknown_micro_usd"]);
    // Half of the last digit is rounded up.
    let [billed, unknown] = [billed, unknown].map(|micro| {
        let rounded = (micro + 50) / 100;
        format!("${}.{:04}", rounded / 10_000, rounded % 10_000)
    });
    assert_eq!(
        cells[10],
        format!("{billed} + at most {unknown} unknown"),
        "the attempt that failed told nothing"
    );
}

#[test]
fn a_feature_is_finished_once_and_only_when_there_is_something_to_finish() {
    let scratch = begun("", "");
    let none = scratch.run(["finish", "007"]).expect(2);
    assert!(none.stderr.contains("007"), "{}", none.stderr);
    let early = scratch.run(["finish"]).expect(2);
    assert!(early.stderr.contains("feature 001 is still in specify"), "{}", early.stderr);
    assert!(early.stderr.contains("redraft run 001"), "{}", early.stderr);
    code(&scratch, "001");
    scratch.run(["finish"]).expect(0);
    let (events_before, head) = (events(&scratch).len(), untouched(&scratch));
    let again = scratch.run(["finish"]).expect(0);
    assert!(again.stdout.contains("ready to merge"), "{}", again.stdout);
    assert_eq!((events(&scratch).len(), untouched(&scratch)), (events_before, head));
    scratch.run(["new", "--lane", "express", "Show the weather of tomorrow"]).expect(0);
    scratch.run(["run", "002"]).expect(6);
    scratch.run(["decide", "002", "abandon", "--why", "no need"]).expect(0);
    let over = scratch.run(["finish", "002"]).expect(2);
    assert!(over.stderr.contains("abandoned"), "{}", over.stderr);
}

/// What can still be worked on goes first; what is ready goes before something new, until it is merged.
#[test]
fn status_names_the_command_that_merges_a_feature_that_is_ready() {
    let scratch = coded("", "");
    let next = |scratch: &Scratch| scratch.json(["status"])["next"].clone();
    assert_eq!(next(&scratch), "redraft run 001");
    scratch.run(["finish"]).expect(0);
    assert_eq!(next(&scratch), "redraft finish 001 --merge");
    assert_eq!(scratch.json(["status", "001"])["next"], "redraft finish 001 --merge");
    scratch.run(["new", "--lane", "express", "Show the weather of tomorrow"]).expect(0);
    assert_eq!(next(&scratch), "redraft run 002");
    let status = scratch.run(["status"]).expect(0).stdout;
    assert!(status.contains("\n    next: redraft finish 001 --merge\n"), "{status}");
    scratch.run(["run", "002"]).expect(6);
    scratch.run(["decide", "002", "abandon", "--why", "no need"]).expect(0);
    assert_eq!(next(&scratch), "redraft finish 001 --merge");
    scratch.run(["finish", "001", "--merge"]).expect(0);
    assert_eq!(next(&scratch), "redraft new \"your idea\"");
}

#[test]
fn where_there_is_no_feature_finish_says_how_to_begin_one() {
    let scratch = Scratch::repository(PROGRAM);
    let none = scratch.run(["finish"]).expect(2);
    assert!(none.stderr.contains("redraft new"), "{}", none.stderr);
}

#[test]
fn code_that_was_edited_after_its_approval_is_not_finished() {
    let scratch = coded("", "");
    let file = scratch.worktree("001").join(CODE).join("entry.sh");
    let approved = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{approved}# later\n")).unwrap();
    let refused = scratch.run(["finish"]).expect(3);
    for part in ["entry.sh", "edited after implement closed", "redraft phase back 001 implement"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    scratch.git_in(&scratch.worktree("001"), ["commit", "-qam", "behind its back"]);
    scratch.run(["finish"]).expect(3);
    assert_eq!(bodies(&events(&scratch), "retro-written").count(), 0);
    fs::write(&file, approved).unwrap();
    scratch.git_in(&scratch.worktree("001"), ["commit", "-qam", "back again"]);
    scratch.run(["finish"]).expect(0);
}

#[test]
fn a_feature_begun_on_no_branch_ends_and_is_merged_by_hand() {
    let scratch = Scratch::repository(PROGRAM);
    main_moves(&scratch, "tests/run.sh", "");
    scratch.git(["checkout", "-q", "--detach"]);
    configure(&scratch, "", "");
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    let ran = scratch.run(["run", "--yes"]).expect(0);
    assert!(ran.stdout.contains("feature 001 is approved"), "{}", ran.stdout);
    assert!(retro(&scratch, "001").contains("# Retrospective: 001-"));
    let (main, head) = (scratch.git(["rev-parse", "main"]), scratch.git(["rev-parse", "HEAD"]));
    let refused = scratch.run(["finish", "--merge"]).expect(3);
    assert!(
        refused.stderr.contains("was not begun on a branch") && refused.stderr.contains("git merge"),
        "{refused:?}"
    );
    assert_eq!((scratch.git(["rev-parse", "main"]), scratch.git(["rev-parse", "HEAD"])), (main, head));
}

fn waits(ran: Ran) -> Value {
    let ran = ran.expect(6);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

#[test]
fn a_run_pauses_once_before_code_is_written_and_not_where_yes_was_said_beforehand() {
    let scratch = begun("", "");
    let asked = waits(scratch.run(["run", "--json"]));
    assert_eq!(asked["question"]["choices"], json!(["go", "abandon"]));
    assert_eq!(asked["next"], "redraft decide 001");
    scratch.run(["run"]).expect(6);
    let told = events(&scratch);
    assert!(bodies(&told, "started").all(|body| !body["ticket"].as_str().unwrap().contains("/implement.")));
    scratch.run(["decide", "001", "go"]).expect(0);
    let ran = scratch.run(["run"]).expect(0);
    assert!(ran.stdout.contains("ready to merge"), "{}", ran.stdout);
    let told = events(&scratch);
    assert_eq!(bodies(&told, "asked").count(), 1, "once");
    let scratch = begun("", "");
    scratch.run(["run", "--yes"]).expect(0);
    assert_eq!(bodies(&events(&scratch), "asked").count(), 0);
}

#[test]
fn a_run_merges_where_that_was_asked_for_and_agreed_to_and_else_waits() {
    let scratch = coded("", "");
    let main = scratch.git(["rev-parse", "main"]);
    let asked = waits(scratch.run(["run", "--merge", "--json"]));
    assert_eq!((&asked["outcome"], &asked["ready"]), (&json!("waiting"), &json!(true)));
    assert_eq!(asked["next"], "redraft finish 001 --merge");
    assert_eq!(scratch.git(["rev-parse", "main"]), main, "nothing is merged");
    scratch.run(["run", "001", "--yes"]).expect(0);
    assert_eq!(scratch.git(["rev-parse", "main"]), main, "yes alone merges nothing");
    let ran = scratch.run(["run", "001", "--merge", "--yes"]).expect(0);
    assert!(ran.stdout.contains("feature 001 is approved and merged"), "{}", ran.stdout);
    assert_eq!(
        last(&events(&scratch), "merged")["commit"].as_str().unwrap(),
        scratch.git(["rev-parse", "main"])
    );
}
