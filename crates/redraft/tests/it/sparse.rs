//! Tests repositories whose main checkout shows only some of their folders.

use crate::finish::{CODE, IDEA, begun, main_moves};
use crate::world::bodies;
use redraft_testkit::Scratch;
use serde_json::Value;

/// Makes the main checkout sparse, with these folders.
fn only(scratch: &Scratch, folders: &[&str]) {
    let words: Vec<&str> = [&["sparse-checkout", "set", "--cone"], folders].concat();
    scratch.git(words);
}

#[test]
fn a_feature_of_a_sparse_checkout_is_built_in_a_whole_one_and_merged_back_without_losing_a_file() {
    for shown in [&["docs", "src", "tests"][..], &["elsewhere"]] {
        let scratch = begun("", "");
        main_moves(&scratch, "hidden/deep/kept.txt", "outside of the cone\n");
        main_moves(&scratch, "elsewhere/shown.txt", "\n");
        only(&scratch, shown);
        assert!(!scratch.root().join("hidden").exists());
        scratch.run(["new", "--lane", "express", IDEA]).expect(0);
        let worktree = scratch.worktree("002");
        assert!(worktree.join("hidden/deep/kept.txt").is_file(), "the worktree has all files");
        // Also for a user who works there with git.
        scratch.git_in(&worktree, ["reset", "-q", "--hard"]);
        assert!(worktree.join("hidden/deep/kept.txt").is_file());
        scratch.run(["run", "002", "--yes", "--merge"]).expect(0);
        assert_eq!(bodies(&of(&scratch), "merged").count(), 1);
        let files = scratch.git(["ls-tree", "-r", "--name-only", "main"]);
        for path in ["hidden/deep/kept.txt", "elsewhere/shown.txt", &format!("{CODE}/entry.sh")] {
            assert!(files.lines().any(|file| file == path), "{path}: {files}");
        }
        assert!(!scratch.root().join("hidden").exists(), "the main checkout stays sparse");
        let is_shown = shown.contains(&"src");
        assert_eq!(scratch.root().join(CODE).join("entry.sh").is_file(), is_shown);
        assert_eq!(scratch.git(["status", "--porcelain", "--untracked-files=no"]), "");
    }
}

fn of(scratch: &Scratch) -> Vec<Value> {
    scratch.json(["log", "002"])["events"].as_array().unwrap().clone()
}
