//! Measures what the worktree of a task costs that is carried out beside others: making it, committing what was done
//! there, putting that on top of the feature, landing it and removing the worktree. Next to it, in turns, a script that
//! starts the same git commands.
//!
//! `cargo bench -p redraft --bench beside` prints the figures of docs/performance.md; with `-- jobs` how long a feature's
//! tasks take, which lasts four minutes. Nothing here passes or fails.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops when it cannot measure"
)]

#[path = "beside/jobs.rs"]
mod jobs;

use redraft_adapters::git::{GitWorkspace, LeftoverKind, Repository};
use redraft_engine::ports::{PutOn, Workspace as _};
use redraft_facts::prelude::BTreeMap;
use redraft_testkit::Scratch;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const TRACKED: usize = 5_000;
const RUNS: usize = 10;

/// What a script does for one task.
const SCRIPT: &str = r#"
set -e
git worktree add --quiet --detach "$SLOT" "$BASE"
printf 'script %s\n' "$RUN" > "$SLOT/src/0/0.txt"
git -C "$SLOT" add --all
git -C "$SLOT" commit --quiet --no-verify -m "task"
own=$(git -C "$SLOT" rev-parse HEAD)
git update-ref "refs/tasks/$RUN" "$own"
tree=$(git merge-tree --write-tree "$BASE" "$own")
on=$(git commit-tree -p "$BASE" -m "task" "$tree")
git update-ref "refs/tasks/on-$RUN" "$on"
git -C "$FEATURE" merge --quiet --ff-only "$on"
git worktree remove --force "$SLOT"
"#;

fn main() {
    if std::env::args().any(|word| word == "jobs") {
        return jobs::measure();
    }
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    fill(&scratch.root());
    scratch.git(["add", "."]);
    scratch.git(["commit", "-q", "-m", "files"]);
    let feature = scratch.root().with_file_name("feature");
    scratch.git(["worktree", "add", "--quiet", "-b", "feature", feature.to_str().unwrap()]);
    let repository = Repository::discover(&scratch.root()).unwrap();
    let (mut script, mut ours) = (Vec::new(), Vec::new());
    let mut parts: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    for run in 0..RUNS {
        script.push(by_script(&scratch, &feature, run));
        ours.push(by_redraft(&repository, &feature, run, &mut parts));
    }
    for (what, times) in &mut parts {
        println!("  {what:<30} {:>7.1} ms", middle(times));
    }
    let (script, ours) = (middle(&mut script), middle(&mut ours));
    println!("by a script {script:>7.1} ms\nby redraft  {ours:>7.1} ms, {:.2} times that", ours / script);
}

fn by_script(scratch: &Scratch, feature: &Path, run: usize) -> Duration {
    let base = scratch.git_in(feature, ["rev-parse", "HEAD"]);
    let slot = feature.with_file_name(format!("script-{run}"));
    let begin = Instant::now();
    let mut command = scratch.command("sh");
    command.args(["-c", SCRIPT]).current_dir(scratch.root());
    command.env("SLOT", slot).env("BASE", base.trim()).env("RUN", run.to_string()).env("FEATURE", feature);
    assert!(command.status().unwrap().success());
    begin.elapsed()
}

fn by_redraft(
    repository: &Repository,
    feature: &Path,
    run: usize,
    parts: &mut BTreeMap<&str, Vec<Duration>>,
) -> Duration {
    let folder = feature.with_file_name(format!("feature.slot-{run}"));
    // A run has this open already.
    let own = GitWorkspace::open(repository, feature, "feature").unwrap();
    let base = own.head().unwrap().0.0;
    let begin = Instant::now();
    let mut last = begin;
    let mut part = |what| {
        parts.entry(what).or_default().push(last.elapsed());
        last = Instant::now();
    };
    repository.ensure_detached(&base, &folder).unwrap();
    let slot = GitWorkspace::open(repository, &folder, "slot").unwrap();
    part("1 make the worktree");
    fs::write(folder.join("src/0/0.txt"), format!("redraft {run}\n")).unwrap();
    let (held, now) = (own.tree_of(&base).unwrap(), slot.tree(&[]).unwrap());
    let files = own.changed(&held, &now).unwrap();
    let tree = own.over(&held, &now, &files).unwrap();
    let work = own.loose_commit(&format!("task-{run}"), &tree, &base, "task").unwrap();
    part("2 commit what was done");
    let PutOn::Clean(on) = own.put_on(&format!("on-{run}"), &base, &work.0).unwrap() else { unreachable!() };
    part("3 put it on top");
    let revision = own.tree_of(&on.0).unwrap();
    own.put_back(&revision, &files).unwrap();
    own.commit(&files, "task", &Default::default()).unwrap();
    part("4 make it part of the feature");
    drop(slot);
    let what = LeftoverKind::Worktree { folder, bytes: 0, uncommitted: Vec::new() };
    repository.take_away(&what).unwrap();
    part("5 remove the worktree");
    begin.elapsed()
}

fn middle(times: &mut [Duration]) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}

fn fill(root: &Path) {
    for number in 0..TRACKED {
        let folder = root.join("src").join((number / 100).to_string());
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{}.txt", number % 100)), format!("{number}\n").repeat(100)).unwrap();
    }
}
