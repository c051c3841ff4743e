//! Measures what a clean checkout for checks costs in a repository with a heavy build: moving it to the next commit,
//! and emptying it.
//!
//! `cargo bench -p redraft --bench checks` prints the figures of docs/implementing.md. Nothing here passes or fails.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops when it cannot measure"
)]

use redraft_adapters::git::{GitCheckFolder, Repository};
use redraft_engine::ports::CheckFolder as _;
use redraft_testkit::Scratch;
use std::fs;
use std::path::Path;
use std::time::Instant;

const TRACKED: usize = 10_000;
const BUILT: usize = 20_000;
/// Chosen so that all of it is 500 MB.
const BUILT_BYTES: usize = 25_000;
const RUNS: usize = 3;

fn main() {
    let scratch = Scratch::repository(env!("CARGO_BIN_EXE_redraft"));
    scratch.write(".gitignore", "build/\n");
    fill(&scratch.root(), "src", TRACKED, 2_000);
    let commit = |text: &str| {
        scratch.write("src/0/0.txt", text);
        scratch.git(["add", "."]);
        scratch.git(["commit", "-q", "-m", text]);
        scratch.git(["rev-parse", "HEAD"])
    };
    let repository = Repository::discover(&scratch.root()).unwrap();
    let folder = GitCheckFolder::new(&repository, "001-heavy", None, Vec::new());
    let timed = |what: &str, commit: &str, empty: bool| {
        let begin = Instant::now();
        let checked_out = folder.check_out(commit, empty).unwrap();
        let took = begin.elapsed();
        folder.set_up().unwrap();
        println!("{what:<44} {:>6.2} s", took.as_secs_f64());
        checked_out.folder
    };
    timed("first, nothing there", &commit("first"), true);
    for run in 1..=RUNS {
        let place = timed("moved to a commit that changes one file", &commit(&format!("{run}")), false);
        if run == 1 {
            fill(&place, "build", BUILT, BUILT_BYTES);
            timed("moved, with a build folder, first time", &commit("built"), false);
        }
    }
    for run in 1..=RUNS {
        let place = timed("emptied and checked out", &commit(&format!("{run}, once more")), true);
        if run < RUNS {
            fill(&place, "build", BUILT, BUILT_BYTES);
        }
    }
}

/// Makes this many files, a hundred to a folder.
fn fill(root: &Path, name: &str, files: usize, bytes: usize) {
    for number in 0..files {
        let folder = root.join(name).join((number / 100).to_string());
        fs::create_dir_all(&folder).unwrap();
        let text = format!("{number}\n").repeat(bytes / format!("{number}\n").len());
        fs::write(folder.join(format!("{}.txt", number % 100)), text).unwrap();
    }
}
