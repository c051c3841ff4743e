//! Tests that what is merged is what reviewers were shown and checks were run on, whatever happens to branch, base and
//! worktree.

use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::Scratch;
use std::fs;

const CHECKS: &str = "[checks]\ntests = \"sh tests/run.sh\"\n[finish]\nretro = false\n";

const FIRST_REVIEW: &str = "001/implement.1/review/implementation-reviewer/1.1";

/// A repository with a test that runs every file of `tests/more`.
fn repository() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("tests/run.sh", "for test in tests/more/*.sh; do sh $test || exit 1; done\n");
    scratch.write("tests/more/one.sh", "true\n");
    scratch.write("src/accounts.sh", "echo accounts\n");
    scratch.write("docs/knowledge-bank/heuristics.md", "# Heuristics\n");
    scratch.git(["add", "."]);
    scratch.git(["commit", "-q", "-m", "start"]);
    scratch.write("redraft.toml", CHECKS);
    scratch
}

fn feature() -> Scratch {
    let scratch = repository();
    scratch.run(["new", "--lane", "express", "Greet people in the shell"]).expect(0);
    scratch
}

/// The same, ready to be merged.
fn ready() -> Scratch {
    let scratch = feature();
    scratch.run(["run", "001", "--yes"]).expect(0);
    scratch
}

/// Runs a script in a folder, with the name of the feature's branch.
fn does(scratch: &Scratch, folder: &std::path::Path, script: &str) {
    let branch = scratch.json(["status"])["features"][0]["branch"].as_str().unwrap().to_owned();
    let script = format!("set -e\nbranch={branch}\n{script}");
    let ran = scratch.command("sh").args(["-c", &script]).current_dir(folder).output().unwrap();
    assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn whatever_the_branch_holds_before_code_is_written_is_shown_to_reviewers() {
    let scratch = feature();
    scratch.run(["run", "001", "--yes", "--until", "specify"]).expect(0);
    let place = scratch.worktree("001");
    let folder = scratch.artifacts("001").strip_prefix(&place).unwrap().display().to_string();
    does(
        &scratch,
        &place,
        &format!(
            "echo 'echo committed' > src/committed.sh; git add src; git commit -q -m 'a helper'
            echo 'echo untracked' > src/untracked.sh; echo 'echo beside' > {folder}/install.sh"
        ),
    );
    scratch.run(["run", "001", "--yes"]).expect(0);
    let prompt = scratch.run(["show", "prompt", "--ticket", FIRST_REVIEW]).expect(0).stdout;
    for file in ["src/committed.sh", "src/untracked.sh", "install.sh"] {
        assert!(prompt.contains(file), "{file} is not in {prompt}");
    }
    assert!(!prompt.contains("+++ b/docs/features/001-greet-people-in-the-shell/spec.md"), "{prompt}");
    scratch.run(["show", "prompt", "001", "--verify"]).expect(0);
    scratch.run(["finish", "001", "--merge", "--yes"]).expect(0);
}

#[test]
fn what_nobody_has_reviewed_is_not_merged() {
    let here = "place";
    let cases: [(&str, &str, &str, &str); 8] = [
        (
            "the worktree is on no branch, and the branch elsewhere",
            here,
            "was=$(git rev-parse HEAD); git checkout -q --detach; echo evil > src/evil.sh; git add src
            git commit -q -m evil; git update-ref refs/heads/$branch HEAD; git checkout -q --detach $was",
            "HEAD is not on branch",
        ),
        (
            "the branch is reset behind the worktree's back",
            here,
            "git checkout -q --detach; git update-ref refs/heads/$branch main",
            "HEAD is not on branch",
        ),
        (
            "a repository inside stands elsewhere",
            here,
            "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),lib; git commit -q -m lib",
            "lib was edited after implement closed",
        ),
        (
            "a commit on the branch",
            here,
            "echo evil > src/evil.sh; git add src; git commit -q -m evil",
            "src/evil.sh was edited after implement closed",
        ),
        (
            "a script beside the documents",
            here,
            "cd docs/features/*; echo evil > install.sh; git add -f install.sh; git commit -q -m docs",
            "install.sh was edited after implement closed",
        ),
        (
            "a merge that takes a fix out of the base",
            "main",
            "echo '# fixed' >> src/accounts.sh; echo 'grep -q fixed src/accounts.sh' > tests/more/fix.sh; git add src tests
            git commit -q -m fix; cd .redraft/worktrees/001-*; git merge -q -s ours main -m 'Merge main'",
            "nobody has reviewed what that means for src/accounts.sh",
        ),
        (
            "a check that is gone",
            "main",
            "printf '[finish]\\nretro = false\\n' > redraft.toml; echo false > tests/more/two.sh; git add tests; git commit -q -m two",
            "was closed with the check `tests`, which is no longer configured",
        ),
        (
            "the knowledge bank, in a way that a test finds",
            here,
            "echo bad >> docs/knowledge-bank/heuristics.md; git add docs; git commit -q -m bank",
            "the check `tests` fails on what would be merged now",
        ),
    ];
    for (name, folder, script, said) in cases {
        let scratch = match name.contains("knowledge bank") {
            true => {
                let scratch = repository();
                scratch.write("tests/more/bank.sh", "! grep -q bad docs/knowledge-bank/heuristics.md\n");
                scratch.git(["add", "tests"]);
                scratch.git(["commit", "-q", "-m", "a test of the bank"]);
                scratch.run(["new", "--lane", "express", "Greet people in the shell"]).expect(0);
                scratch.run(["run", "001", "--yes"]).expect(0);
                scratch
            }
            false => ready(),
        };
        let folder = if folder == here { scratch.worktree("001") } else { scratch.root() };
        does(&scratch, &folder, script);
        let main = scratch.git(["rev-parse", "main"]);
        let ran = scratch.run(["finish", "001", "--merge", "--yes"]);
        assert!(
            ran.code != Some(0) && ran.stderr.contains(said),
            "{name}: {:?} {}{}",
            ran.code,
            ran.stdout,
            ran.stderr
        );
        assert_eq!(scratch.git(["rev-parse", "main"]), main, "{name}");
        assert_eq!(bodies(&events(&scratch), "merged").count(), 0, "{name}");
    }
}

#[test]
fn a_base_that_was_merged_into_the_branch_is_reviewed_with_it_and_can_be_merged() {
    let scratch = ready();
    does(
        &scratch,
        &scratch.root(),
        "echo '# fixed' >> src/accounts.sh; git commit -q -a -m fix
        cd .redraft/worktrees/001-*; git merge -q -s ours main -m 'Merge main'",
    );
    scratch.run(["finish", "001", "--merge", "--yes"]).expect(1);
    scratch.run(["phase", "back", "001", "implement", "--why", "the base was merged"]).expect(0);
    scratch.run(["run", "001", "--yes"]).expect(0);
    let prompt = scratch.run(["show", "prompt", "001", "--role", "implementation-reviewer"]).expect(0).stdout;
    assert!(prompt.contains("-# fixed"), "what is taken out of the base is part of the change: {prompt}");
    scratch.run(["finish", "001", "--merge", "--yes"]).expect(0);
}

#[test]
fn words_in_a_message_are_no_merge() {
    let scratch = ready();
    let log = events(&scratch);
    let close = log.iter().rfind(|event| event["kind"] == "phase-closed").unwrap();
    let message = format!("unrelated\n\nsee Redraft-Ticket: 001/merge and Redraft-Seq: {}", close["seq"]);
    scratch.git(["commit", "-q", "--allow-empty", "-m", &message]);
    let trailers = format!("unrelated\n\nRedraft-Ticket: 001/merge\nRedraft-Seq: {}", close["seq"]);
    scratch.git(["commit", "-q", "--allow-empty", "-m", &trailers]);
    scratch.run(["finish", "001", "--merge", "--yes"]).expect(0);
    let merged = scratch.git(["log", "-1", "--format=%P", "main"]);
    assert_eq!(merged.split_whitespace().count(), 2, "a merge was made: {merged}");
}

#[test]
fn a_feature_whose_code_was_left_out_brings_none_and_is_not_called_approved() {
    let scratch = feature();
    scratch.run(["run", "001", "--yes", "--until", "specify"]).expect(0);
    scratch.run(["phase", "skip", "001", "implement", "--why", "elsewhere"]).expect(0);
    does(&scratch, &scratch.worktree("001"), "echo evil > src/evil.sh; git add src; git commit -q -m evil");
    let ran = scratch.run(["run", "001", "--yes"]).expect(1);
    assert!(ran.stderr.contains("src/evil.sh, and no reviewer has read its code"), "{}", ran.stderr);
    does(&scratch, &scratch.worktree("001"), "git rm -q src/evil.sh; git commit -q -m 'no code'");
    scratch.run(["run", "001", "--yes"]).expect(0);
    assert_eq!(scratch.json(["status"])["features"][0]["status"], "accepted");
    scratch.run(["finish", "001", "--merge", "--yes"]).expect(0);
}

#[test]
fn code_from_which_a_secret_was_taken_out_is_reviewed_again() {
    let scratch = ready();
    let place = scratch.worktree("001");
    let log = events(&scratch);
    let built = bodies(&log, "built").next().unwrap();
    let file = built["files"].as_array().unwrap().iter().find_map(|file| file.as_str()).unwrap().to_owned();
    let text = fs::read_to_string(place.join(&file)).unwrap();
    let line =
        text.lines().map(str::trim).find(|line| line.len() > 12 && line.len() < 60).unwrap().to_owned();
    let mut command = scratch.redraft(["ledger", "redact", "--yes"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), line.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let back = events(&scratch);
    let back = bodies(&back, "went-back").next().unwrap();
    assert_eq!(back["phase"], "implement");
    scratch.run(["finish", "001", "--merge", "--yes"]).expect(2);
    assert_eq!(bodies(&events(&scratch), "merged").count(), 0);
}
