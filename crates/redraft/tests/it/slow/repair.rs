//! Tests that what git has lost is named, and that the feature goes on from what is intact.

use super::Stopwatch;
use crate::plays::{self, Play};
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::path::PathBuf;

/// Somewhere in the middle: a draft, reviews, a revision.
const MIDDLE: u64 = 40;

/// Files of loose objects, the newest first.
fn newest_objects(scratch: &Scratch) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in fs::read_dir(scratch.root().join(".git/objects")).unwrap() {
        let folder = folder.unwrap();
        if folder.file_name().len() != 2 {
            continue;
        }
        for file in fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap().path();
            let made = fs::metadata(&file).unwrap().modified().unwrap();
            found.push((made, file));
        }
    }
    found.sort();
    found.into_iter().rev().map(|(_, file)| file).collect()
}

/// Makes the content under a name unreadable.
fn spoil(file: &PathBuf, bytes: &str) {
    fs::remove_file(file).unwrap();
    fs::write(file, bytes).unwrap();
}

fn object(scratch: &Scratch, name: &str) -> PathBuf {
    let id = scratch.git_in(&scratch.worktree("001"), ["rev-parse", name]);
    let id = id.trim();
    scratch.root().join(".git/objects").join(&id[..2]).join(&id[2..])
}

/// What a person sees of all refs and of the worktree.
fn seen(scratch: &Scratch) -> (Vec<(PathBuf, Vec<u8>)>, u64) {
    let mut files = Vec::new();
    let mut folders = vec![scratch.root().join(".git/refs"), scratch.worktree("001")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push((path.clone(), fs::read(path).unwrap())),
            }
        }
    }
    files.sort();
    (files, crate::world::entries(scratch).last().unwrap().seq)
}

/// The damaged feature never ends well silently; once repaired, it does end well.
#[track_caller]
fn is_repaired(play: &Play, what: &str) {
    let scratch = &play.scratch;
    let ran = scratch.run(["run", "--yes", "001"]);
    match ran.code {
        // What was damaged is no longer needed, or was made again.
        Some(0) => {}
        Some(3) => assert!(ran.stderr.contains("redraft doctor --repair"), "{what}: {}", ran.stderr),
        code => panic!("{what}: code {code:?}: {}{}", ran.stdout, ran.stderr),
    }
    if ran.code == Some(0) {
        let branch = scratch.git_in(&scratch.worktree("001"), ["rev-parse", "HEAD"]);
        let mut fsck = scratch.command("git");
        let fsck = Ran::new(fsck.args(["rev-list", "--objects", branch.trim()]).output().unwrap());
        assert_eq!(fsck.code, Some(0), "{what}: approved over a damaged branch: {}", fsck.stderr);
    }
    let before = seen(scratch);
    let asked = scratch.run(["doctor", "--repair"]);
    assert!(matches!(asked.code, Some(0 | 6)), "{what}: {}{}", asked.stdout, asked.stderr);
    assert_eq!(seen(scratch), before, "{what}: nothing is changed without a yes");
    let repaired = scratch.run(["doctor", "--repair", "--yes"]);
    assert_eq!(repaired.code, Some(0), "{what}: {}{}", repaired.stdout, repaired.stderr);
    let ran = scratch.run(["run", "--yes", "001"]);
    assert_eq!(ran.code, Some(0), "{what}, after {}: {}{}", repaired.stdout, ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("approved"), "{what}: {}", ran.stdout);
    play.is_sound(&format!("{what}, after {}", repaired.stdout));
    let again = scratch.run(["doctor", "--repair"]);
    assert!(again.stdout.contains("nothing is damaged"), "{what}: {}{}", again.stdout, again.stderr);
    assert_eq!(again.code, Some(0), "{what}");
}

#[test]
fn a_feature_goes_on_however_many_of_its_newest_objects_are_lost() {
    let _clock = Stopwatch::start();
    let play = plays::undisturbed();
    let run = play.runs()[0];
    for (boundary, last) in [(MIDDLE, 13), (u64::MAX >> 33, 21)] {
        play.begin_at(run);
        play.dies(run, boundary);
        let objects = newest_objects(&play.scratch);
        let kept = play.copy();
        for lost in (1..=last).step_by(4) {
            for bytes in ["", "garbage"] {
                play.put_back(kept.path());
                objects.iter().take(lost).for_each(|file| spoil(file, bytes));
                is_repaired(&play, &format!("{lost} newest objects {bytes:?}, boundary {boundary}"));
            }
        }
    }
}

#[test]
fn a_feature_goes_on_whatever_kind_of_thing_is_lost() {
    let _clock = Stopwatch::start();
    type Loses = fn(&Scratch);
    fn branch_file(scratch: &Scratch) -> PathBuf {
        let name = scratch.git_in(&scratch.worktree("001"), ["symbolic-ref", "HEAD"]);
        scratch.root().join(".git").join(name.trim())
    }
    fn admin(scratch: &Scratch, name: &str) -> PathBuf {
        let folder = scratch.root().join(".git/worktrees");
        fs::read_dir(folder).unwrap().next().unwrap().unwrap().path().join(name)
    }
    fn anchors(scratch: &Scratch) -> PathBuf {
        scratch.root().join(".git/refs/redraft/anchors/001")
    }
    let cases: [(&str, Loses); 12] = [
        ("the last commit", |scratch| spoil(&object(scratch, "HEAD"), "")),
        ("the last commit, gone", |scratch| fs::remove_file(object(scratch, "HEAD")).unwrap()),
        ("its tree", |scratch| spoil(&object(scratch, "HEAD^{tree}"), "garbage")),
        ("its document", |scratch| {
            let folder = scratch.artifacts("001");
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            spoil(&object(scratch, &format!("HEAD:docs/features/{name}/spec.md")), "");
        }),
        ("the commit and the file", |scratch| {
            spoil(&object(scratch, "HEAD"), "");
            fs::write(scratch.artifacts("001").join("spec.md"), "").unwrap();
        }),
        ("the branch, empty", |scratch| fs::write(branch_file(scratch), "").unwrap()),
        ("the branch, gone", |scratch| fs::remove_file(branch_file(scratch)).unwrap()),
        ("the branch, elsewhere", |scratch| {
            fs::write(branch_file(scratch), format!("{}\n", "1".repeat(40))).unwrap();
        }),
        ("an anchor, empty", |scratch| fs::write(anchors(scratch).join("mark"), "").unwrap()),
        ("all anchors", |scratch| fs::remove_dir_all(anchors(scratch)).unwrap()),
        ("the index", |scratch| fs::write(admin(scratch, "index"), "").unwrap()),
        ("the index, garbage", |scratch| fs::write(admin(scratch, "index"), "garbage").unwrap()),
    ];
    let play = plays::undisturbed();
    let run = play.runs()[0];
    play.begin_at(run);
    assert!(play.dies(run, MIDDLE));
    let kept = play.copy();
    for (what, loses) in cases {
        play.put_back(kept.path());
        loses(&play.scratch);
        is_repaired(&play, what);
    }
}

#[test]
fn code_that_git_lost_is_taken_from_the_worktree_or_built_again() {
    let _clock = Stopwatch::start();
    let play = plays::built();
    let run = play.runs()[0];
    play.begin_at(run);
    assert!(play.dies(run, 3 * MIDDLE));
    let objects = newest_objects(&play.scratch);
    let kept = play.copy();
    for lost in [1, 6, 25] {
        play.put_back(kept.path());
        objects.iter().take(lost).for_each(|file| spoil(file, ""));
        is_repaired(&play, &format!("{lost} newest objects of code"));
    }
}

#[test]
fn what_is_lost_is_named_and_approvals_of_it_do_not_count() {
    let _clock = Stopwatch::start();
    let play = plays::undisturbed();
    let scratch = &play.scratch;
    // The feature is approved; then git loses the approved document, and the worktree does too.
    let lost = ["HEAD", "HEAD~1"].map(|name| object(scratch, name));
    lost.iter().for_each(|file| spoil(file, ""));
    fs::write(scratch.artifacts("001").join("spec.md"), "").unwrap();
    let ran = scratch.run(["run", "--yes", "001"]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("redraft doctor --repair"), "{}", ran.stderr);
    let repaired = scratch.run(["doctor", "--repair", "--yes"]);
    assert_eq!(repaired.code, Some(0), "{}{}", repaired.stdout, repaired.stderr);
    for words in [
        "objects in git cannot be read",
        "lost: commit ",
        "its branch is intact up to commit ",
        "specify is done again",
    ] {
        assert!(repaired.stdout.contains(words), "{words}: {}", repaired.stdout);
    }
    let status = scratch.json(["status"]);
    assert_ne!(status["features"][0]["status"], "approved", "{status}");
    let json = scratch.json(["doctor", "--repair"]);
    assert_eq!(json["v"], 1, "{json}");
    scratch.run(["run", "--yes", "001"]).expect(0);
    play.is_sound("a second pass");
}
