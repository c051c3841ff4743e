//! The whole process group of a merge is killed: in the middle of and after every call of git, and at random
//! moments. The checkout of the base is as before or as after, at the latest after the next command.

use super::Stopwatch;
use super::finish_crash::copy;
use crate::finish::{CODE, coded};
use crate::world::{bodies, events};
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

const MERGE: [&str; 4] = ["finish", "001", "--merge", "--yes"];
/// Files of the feature, so that git is busy for a while.
const FILES: usize = 60;
/// More calls of git than a move makes; it only bounds the loop.
const CALLS_MAX: usize = 30;

/// Stands in for git: the whole group dies around the Nth call that is made while a checkout is moved.
const GIT: &str = r#"#!/bin/sh
here=$(dirname "$0")
if [ -e "$(cat "$here/journal")" ] && [ -e "$here/at" ]; then
  number=$(( $(cat "$here/count") + 1 ))
  echo $number > "$here/count"
  if [ $number = "$(cat "$here/at")" ]; then
    case $(cat "$here/when") in
      during) @git@ "$@" <&0 & kill -9 0;;
      after) @git@ "$@"; kill -9 0;;
    esac
  fi
fi
exec @git@ "$@"
"#;

/// A feature that is ready to be merged into a checkout with files of a person, and a copy of all of it.
struct Ready {
    scratch: Scratch,
    kept: PathBuf,
    /// What the checkout looks like before the merge and after it.
    before: String,
    after: String,
}

/// What a person sees of the checkout.
fn seen(scratch: &Scratch) -> String {
    let mut files = scratch.git(["ls-files", "-s"]) + "\n";
    let mut listed: Vec<String> = Vec::new();
    for folder in ["", "many", CODE] {
        let Ok(entries) = fs::read_dir(scratch.root().join(folder)) else { continue };
        listed.extend(entries.map(|entry| entry.unwrap().path().display().to_string()));
    }
    listed.sort();
    files.push_str(&listed.join("\n"));
    files + "\n" + &scratch.git(["status", "--porcelain"])
}

fn ready() -> Ready {
    let scratch = coded("", "");
    let worktree = scratch.worktree("001");
    // Code that a person brought, reviewed with the rest.
    for number in 0..FILES {
        let path = worktree.join("many").join(format!("{number}.txt"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{number}\n").repeat(400)).unwrap();
    }
    scratch.git_in(&worktree, ["add", "many"]);
    scratch.git_in(&worktree, ["commit", "-q", "-m", "many files"]);
    scratch.run(["phase", "back", "001", "implement", "--why", "many files"]).expect(0);
    scratch.run(["run", "001", "--yes", "--until", "implement"]).expect(0);
    scratch.write("mine.txt", "not tracked\n");
    scratch.run(["finish", "001", "--yes"]).expect(0);
    let before = seen(&scratch);
    let kept = scratch.outside().join("kept");
    copy(&scratch, &scratch.root(), &kept);
    scratch.run(MERGE).expect(0);
    let after = seen(&scratch);
    assert_ne!(before, after);
    Ready { scratch, kept, before, after }
}

impl Ready {
    fn begin(&self) {
        fs::remove_dir_all(self.scratch.root()).unwrap();
        copy(&self.scratch, &self.kept, &self.scratch.root());
        self.scratch.accept();
    }

    fn journal(&self) -> PathBuf {
        self.scratch.state().join("moving/journal.json")
    }

    /// After a kill: status reports it, the next run puts it right and touches nothing else, the merge is made once.
    fn recovers(&self, at: &str) {
        let Ready { scratch, .. } = self;
        let cut_off = self.journal().exists();
        let told = scratch.run(["status"]).expect(0).stderr;
        assert_eq!(told.contains("the merge of feature/001-"), cut_off, "{at}: {told}");
        scratch.write("README.md", "a person goes on meanwhile\n");
        let ran = scratch.run(["run", "001", "--yes"]);
        assert_eq!(ran.code, Some(0), "{at}: {}", ran.stderr);
        assert_eq!(ran.stderr.contains(" was cut off; "), cut_off, "{at}: {}", ran.stderr);
        assert!(!self.journal().exists(), "{at}");
        assert_eq!(
            fs::read_to_string(scratch.root().join("README.md")).unwrap(),
            "a person goes on meanwhile\n",
            "{at}"
        );
        scratch.git(["restore", "README.md"]);
        let now = seen(scratch);
        assert!(now == self.before || now == self.after, "{at}: the checkout is between:\n{now}");
        assert_eq!(locks(&scratch.root().join(".git")), Vec::<PathBuf>::new(), "{at}");
        scratch.run(MERGE).expect(0);
        assert_eq!(seen(scratch), self.after, "{at}");
        assert_eq!(bodies(&events(scratch), "merged").count(), 1, "{at}");
        assert_eq!(scratch.git(["rev-list", "--count", "--merges", "main"]), "1", "{at}");
    }
}

/// The locks that git has left.
fn locks(git: &Path) -> Vec<PathBuf> {
    let names = ["index.lock", "HEAD.lock", "ORIG_HEAD.lock", "refs/heads/main.lock", "packed-refs.lock"];
    names.iter().map(|name| git.join(name)).filter(|lock| lock.exists()).collect()
}

#[test]
fn a_merge_killed_with_its_group_around_every_call_of_git_leaves_the_checkout_before_or_after() {
    let _clock = Stopwatch::start();
    let ready = ready();
    let scratch = &ready.scratch;
    let found = scratch.command("sh").args(["-c", "command -v git; echo $PATH"]).output().unwrap();
    let found = String::from_utf8(found.stdout).unwrap();
    let (git, path) = found.trim_end().split_once('\n').unwrap();
    let folder = scratch.outside().join("instead");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("git"), GIT.replace("@git@", git)).unwrap();
    fs::set_permissions(folder.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("journal"), ready.journal().display().to_string()).unwrap();
    let path = format!("{}:{path}", folder.display());
    // The time before a call is the time after the one before it.
    for when in ["during", "after"] {
        let mut calls = 0;
        for call in 1..CALLS_MAX {
            ready.begin();
            for (name, text) in
                [("at", call.to_string()), ("when", when.to_owned()), ("count", "0".to_owned())]
            {
                fs::write(folder.join(name), text).unwrap();
            }
            let mut command = scratch.redraft(MERGE);
            let died = Ran::new(command.env("PATH", &path).process_group(0).output().unwrap());
            if died.code == Some(0) {
                break;
            }
            assert_eq!(died.code, None, "{when} call {call}: {}", died.stderr);
            calls += 1;
            ready.recovers(&format!("killed {when} call {call}"));
        }
        assert!(calls >= 5, "only {calls} calls of git while the checkout is moved");
    }
}

#[test]
fn a_merge_killed_with_its_group_at_random_moments_leaves_the_checkout_before_or_after() {
    let _clock = Stopwatch::start();
    const SEED: u64 = 20_261_117;
    let kills: u64 = option_env!("REDRAFT_KILLS").map_or(12, |kills| kills.parse().unwrap());
    let ready = ready();
    let scratch = &ready.scratch;
    // How long a merge takes, and when it begins to move the checkout.
    let quickest = (0..2).map(|_| {
        ready.begin();
        let began = Instant::now();
        scratch.run(MERGE).expect(0);
        began.elapsed()
    });
    let mut quickest = quickest.min().unwrap();
    let (mut alive, mut between) = (0, 0);
    for number in 1..=kills {
        let drawn = SEED.wrapping_add(number).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let wait = quickest.mul_f64(0.6 + 0.4 * drawn as f64 / f64::from(u32::MAX));
        ready.begin();
        let mut command = scratch.redraft(MERGE);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn();
        let mut child = child.unwrap();
        wait_for(wait);
        match child.try_wait().unwrap() {
            None => alive += 1,
            // The machine is less busy than when the time was taken.
            Some(_) => quickest = quickest.mul_f64(0.85),
        }
        let group = format!("-{}", child.id());
        let _ = scratch.command("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status().unwrap();
        child.wait().unwrap();
        between += u64::from(ready.journal().exists());
        ready.recovers(&format!("kill {number} after {wait:?}, seed {SEED}"));
    }
    println!("{alive} of {kills} kills found it alive, {between} while the checkout was moved");
    assert!(alive * 4 >= kills, "only {alive} of {kills} kills found it alive");
}

/// Waits: nothing is ever sent on this channel.
fn wait_for(time: Duration) {
    let (silent, waiting) = std::sync::mpsc::channel::<()>();
    assert!(waiting.recv_timeout(time).is_err());
    drop(silent);
}
