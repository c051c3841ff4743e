//! Tests the end of a feature on a terminal: what a person is asked, and what their answers do.

use crate::finish::{coded, last};
use crate::finish_lessons::{ANTI, HEUR, says, with_bank};
use crate::typed::on_a_terminal;
use crate::world::{bodies, events};
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
fn a_person_is_asked_once_before_a_run_merges() {
    let scratch = coded("", "");
    let main = scratch.git(["rev-parse", "main"]);
    let said = on_a_terminal(&scratch, &["run", "001", "--merge"], "n\n", 6);
    assert_eq!(scratch.git(["rev-parse", "main"]), main, "{said}");
    assert!(said.contains("merge it into main now? [y/N]"), "{said}");
    let said = on_a_terminal(&scratch, &["run", "001"], "\n", 0);
    assert_eq!(scratch.git(["rev-parse", "main"]), main, "{said}");
    let said = on_a_terminal(&scratch, &["run", "001"], "y\n", 0);
    assert_eq!(bodies(&events(&scratch), "merged").count(), 1, "{said}");
}
