//! Tests the end of a feature on a terminal: what a person is asked, and what their answers do.

use crate::finish::{coded, last, retro};
use crate::finish_lessons::{ANTI, HEUR, says, with_bank};
use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::Scratch;
use std::fs;

#[test]
fn the_first_judgement_is_written_down_on_a_persons_word() {
    let scratch = with_bank(&says());
    // Stale entries are left as they are.
    let said = on_a_terminal(&scratch, &["finish"], "accept\nthey are right\n\n\n\n", 0);
    assert!(said.contains("1 confirmed, 1 challenged; write that into the knowledge bank"), "{said}");
    let told = events(&scratch);
    assert_eq!(last(&told, "decided")["choice"], "accept");
    assert_eq!(bodies(&told, "bank-applied").count(), 1);
    let read = |path: &str| fs::read_to_string(scratch.worktree("001").join(path)).unwrap();
    assert!(read(ANTI).contains("- Last observed: Feature #001\n- Observation count: 2\n"), "{}", read(ANTI));
    assert!(read(HEUR).contains("- Challenged: Feature #001 — "), "{}", read(HEUR));
    assert_eq!(scratch.git_in(&scratch.worktree("001"), ["status", "--porcelain"]), "");
}

#[test]
fn an_entry_that_is_retired_at_the_end_is_noted_in_the_retrospective_of_the_feature() {
    let scratch = with_bank(&says());
    let typed = "accept\nthey are right\nretire\nit is one script now\n\n\n";
    let said = on_a_terminal(&scratch, &["finish"], typed, 0);
    assert!(said.contains("keep, update, retire or LEAVE?"), "{said}");
    let page = retro(&scratch, "001");
    assert!(page.ends_with("\n- Retired: Ways in stay apart — it is one script now\n"), "{page}");
    let worktree = scratch.worktree("001");
    assert!(!worktree.join("docs/knowledge-bank/retired.md").exists());
    assert!(!fs::read_to_string(worktree.join(HEUR)).unwrap().contains("Ways in stay apart"));
    assert_eq!(scratch.git_in(&worktree, ["status", "--porcelain"]), "");
    // The note is part of what is merged, and nothing is checked or asked again because of it.
    let place = scratch.artifacts("001").join("retro.md");
    let place = place.strip_prefix(&worktree).unwrap().display().to_string();
    scratch.run(["finish", "001", "--merge", "--yes"]).expect(0);
    assert_eq!(scratch.git(["show", &format!("main:{place}")]), page.trim_end());
}

#[test]
fn a_person_is_asked_once_before_a_run_merges() {
    let scratch = coded("", "");
    let main = scratch.git(["rev-parse", "main"]);
    let said = on_a_terminal(&scratch, &["run", "001", "--merge"], "n\n", 6);
    assert_eq!(scratch.git(["rev-parse", "main"]), main, "{said}");
    assert!(said.contains("Should it be merged into main now?"), "{said}");
    let said = on_a_terminal(&scratch, &["run", "001"], "\n", 0);
    assert_eq!(scratch.git(["rev-parse", "main"]), main, "{said}");
    let said = on_a_terminal(&scratch, &["run", "001"], "y\n", 0);
    assert_eq!(bodies(&events(&scratch), "merged").count(), 1, "{said}");
}

#[test]
fn a_feature_that_was_to_end_earlier_is_finished_only_on_a_persons_word() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Export orders", "--until", "specify"]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(0);
    let before = events(&scratch).len();
    let refused = scratch.run(["finish", "001", "--yes"]).expect(2).stderr;
    for part in [
        "feature 001 was to end with specify; design, create-plan, create-tasks and implement come before",
        "hint: carry out everything to the end: redraft run 001 --until finish",
    ] {
        assert!(refused.contains(part), "{part} in {refused}");
    }
    let asked = on_a_terminal(&scratch, &["finish", "001"], "\n", 6);
    assert!(asked.contains("and implement as well, and then finish feature 001?"), "{asked}");
    assert_eq!(events(&scratch).len(), before, "Enter begins nothing: {asked}");
    let agreed = on_a_terminal(&scratch, &["finish", "001"], "yes\nstop\n", 6);
    assert!(agreed.contains("design: design-author writes design.md"), "{agreed}");
}
