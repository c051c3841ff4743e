//! The process dies at every boundary of the last phase and of the merge, and nothing is done twice.

use super::Stopwatch;
use crate::finish::{CODE, IDEA, code};
use crate::finish_lessons::{ANTI, HEUR, says, with_bank};
use crate::plays::SWITCH;
use crate::world::bodies;
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// No end passes more boundaries than this; it only bounds the loop.
const BOUNDARIES_MAX: u64 = 100;
/// Gates, two dispatches, two commits of what was learnt, the close and the merge.
const BOUNDARIES_MIN: u64 = 20;
const FINISH: [&str; 4] = ["finish", "002", "--merge", "--yes"];

/// What must be the same however the end was interrupted.
#[derive(Debug, PartialEq)]
struct Left {
    /// What the agent said; the figures differ with attempts and times.
    words: String,
    bank: [String; 2],
    /// Subjects of all commits of the base.
    commits: Vec<String>,
    files: String,
}

fn left(scratch: &Scratch) -> Left {
    let (page, all) = page(scratch);
    let (_, words) = page.split_once("## Review\n").unwrap();
    let sum = &scratch.json(["cost", "002"])["sum"];
    assert_eq!(all[4], sum["dispatches"].to_string(), "{page}");
    assert_eq!(all[6], sum["lost"].to_string(), "{page}");
    let read = |path: &str| fs::read_to_string(scratch.root().join(path)).unwrap();
    let commits = scratch.git(["log", "--format=%s", "main"]);
    Left {
        words: words.to_owned(),
        bank: [read(ANTI), read(HEUR)],
        commits: commits.lines().map(str::to_owned).collect(),
        files: scratch.git(["ls-tree", "-r", "--name-only", "main"]),
    }
}

/// The page, and the cells of its row of sums.
fn page(scratch: &Scratch) -> (String, Vec<String>) {
    let page = fs::read_to_string(scratch.artifacts("002").join("retro.md")).unwrap();
    let row = page.lines().find(|line| line.starts_with("| all |")).unwrap();
    let cells = row.split('|').map(|cell| cell.trim().to_owned()).collect();
    (page, cells)
}

pub(crate) fn copy(scratch: &Scratch, from: &Path, to: &Path) {
    let done = scratch.command("cp").arg("-a").arg(from).arg(to).current_dir(scratch.outside()).status();
    assert!(done.unwrap().success());
}

#[test]
fn a_crash_anywhere_at_the_end_adds_merges_and_counts_nothing_twice() {
    let _clock = Stopwatch::start();
    let scratch = with_bank(&says());
    scratch.run(["finish", "001", "--yes"]).expect(0);
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    code(&scratch, "002");
    let kept = scratch.outside().join("kept");
    copy(&scratch, &scratch.root(), &kept);
    scratch.run(FINISH).expect(0);
    let expected = left(&scratch);
    assert_eq!(expected.bank[0].matches("Constants copied from memory").count(), 1, "{}", expected.bank[0]);
    assert!(expected.bank[1].contains("- Challenged: Feature #002"), "{}", expected.bank[1]);
    assert!(expected.files.contains(CODE));
    let mut passed = 0;
    for boundary in 1..BOUNDARIES_MAX {
        fs::remove_dir_all(scratch.root()).unwrap();
        copy(&scratch, &kept, &scratch.root());
        scratch.accept();
        let mut command = scratch.redraft(FINISH);
        let died = Ran::new(command.env(SWITCH, boundary.to_string()).output().unwrap());
        if died.code == Some(0) {
            break;
        }
        assert_eq!(died.code, None, "boundary {boundary}: {}", died.stderr);
        passed += 1;
        scratch.run(FINISH).expect(0);
        assert_eq!(left(&scratch), expected, "a crash at boundary {boundary}");
        let told: Vec<Value> = scratch.json(["log", "002"])["events"].as_array().unwrap().clone();
        for kind in ["retro-written", "bank-judged", "merged"] {
            assert_eq!(bodies(&told, kind).count(), 1, "{kind} after a crash at boundary {boundary}");
        }
        let worktree = scratch.git_in(&scratch.worktree("002"), ["status", "--porcelain"]);
        assert_eq!(worktree, "", "a crash at boundary {boundary}");
    }
    assert!(passed >= BOUNDARIES_MIN, "only {passed} boundaries");
}
