//! Tasks side by side under a run that dies again and again, while people do what they do and the disk is full.

use crate::built::planned;
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::path::{Path, PathBuf};

const WORDS: [&str; 5] = ["run", "--yes", "--jobs=3", "--until", "implement"];

/// The files of the feature's last commit that tasks write, with what is in them.
fn code(scratch: &Scratch, own: &Path) -> Vec<(String, String)> {
    let listed = scratch.git_in(own, ["ls-tree", "-r", "--name-only", "HEAD", "src", "tests"]);
    listed.lines().map(|path| (path.to_owned(), fs::read_to_string(own.join(path)).unwrap())).collect()
}

fn slots(own: &Path) -> Vec<PathBuf> {
    let name = own.file_name().unwrap().to_str().unwrap();
    let all = (1..=3).map(|slot| own.with_file_name(format!("{name}.slot-{slot}")));
    all.filter(|folder| folder.join(".git").exists()).collect()
}

/// Whether git still has a file with this text once it has thrown away what nothing leads to.
fn is_kept(scratch: &Scratch, text: &str) -> bool {
    let file = scratch.outside().join("wanted");
    fs::write(&file, text).unwrap();
    let id = scratch.git(["hash-object", file.to_str().unwrap()]);
    scratch.command("git").args(["cat-file", "-e", &id]).status().unwrap().success()
}

#[test]
fn a_run_that_dies_among_people_at_work_ends_the_same_and_nothing_they_wrote_is_lost() {
    let whole = planned("");
    whole.run(WORDS).expect(0);
    let expected = code(&whole, &whole.worktree("001"));
    let scratch = planned("");
    let own = scratch.worktree("001");
    let branch = scratch.git_in(&own, ["symbolic-ref", "--short", "HEAD"]);
    let elsewhere = scratch.outside().join("elsewhere");
    let (mut written, mut met) = (Vec::new(), [0; 5]);
    let mut killed = 0;
    for boundary in (5..400).step_by(6) {
        let mut run = scratch.redraft(WORDS);
        let ended = Ran::new(run.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string()).output().unwrap());
        assert!(matches!(ended.code, None | Some(0)), "{ended:?}");
        if ended.code == Some(0) {
            break;
        }
        killed += 1;
        let happens = killed % met.len();
        let there = slots(&own);
        match happens {
            0 => {
                scratch.write(&format!("base-{killed}.txt"), "another base\n");
                scratch.git(["add", "."]);
                scratch.git(["commit", "-q", "-m", "elsewhere"]);
            }
            1 if !elsewhere.exists() => {
                let folder = elsewhere.to_str().unwrap();
                scratch.git(["worktree", "add", "--quiet", "--force", folder, &branch]);
                fs::write(elsewhere.join("mine.txt"), "mine\n").unwrap();
            }
            2 => there.iter().take(1).for_each(|folder| fs::remove_dir_all(folder).unwrap()),
            3 => {
                // It can be made again where nobody else has its branch.
                if elsewhere.exists() {
                    scratch.git_in(&elsewhere, ["checkout", "-q", "--detach"]);
                }
                fs::remove_dir_all(&own).unwrap();
            }
            4 => {
                for folder in &there {
                    let text = format!("precious {killed} in {}\n", folder.display());
                    fs::write(folder.join(format!("precious-{killed}.txt")), &text).unwrap();
                    written.push(text);
                }
            }
            _ => continue,
        }
        met[happens] += 1;
    }
    assert!(met.iter().all(|times| *times > 0) && !written.is_empty(), "{met:?} after {killed} deaths");
    assert_eq!(code(&scratch, &own), expected);
    assert_eq!(slots(&own), Vec::<PathBuf>::new());
    assert_eq!(fs::read_to_string(elsewhere.join("mine.txt")).unwrap(), "mine\n");
    scratch.git(["gc", "-q", "--prune=now"]);
    let lost: Vec<&String> = written.iter().filter(|text| !is_kept(&scratch, text)).collect();
    assert_eq!(lost, Vec::<&String>::new());
}

#[test]
fn a_full_disk_while_tasks_are_side_by_side_is_told_and_with_space_again_the_run_ends_the_same() {
    let whole = planned("");
    whole.run(WORDS).expect(0);
    let scratch = planned("");
    let own = scratch.worktree("001");
    let mut failed = 0;
    // No file may grow beyond this many blocks.
    for blocks in (60..1_500).step_by(90) {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {}", WORDS.join(" "));
        let mut command = scratch.command("bash");
        let ran = Ran::new(command.args(["-c", &script, PROGRAM]).output().unwrap());
        if ran.code == Some(0) {
            break;
        }
        failed += 1;
        assert_eq!(ran.code, Some(3), "{blocks}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{blocks}: {}", ran.stderr);
    }
    assert!(failed >= 3, "{failed} runs failed");
    scratch.run(WORDS).expect(0);
    assert_eq!(code(&scratch, &own), code(&whole, &whole.worktree("001")));
    let begun = bodies(&events(&scratch), "enqueued").count();
    assert!(begun >= 8, "{begun}");
}
