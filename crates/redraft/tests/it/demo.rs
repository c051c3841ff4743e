//! `redraft demo`: from an idea to reviewed code, told as a story, and the same after any interruption.

use crate::plays::SWITCH;
use crate::world::PROGRAM;
use redraft_facts::phase::Phase;
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The documents of the one feature a demo makes, in the order of the phases.
fn documents(kept: &Path) -> Vec<String> {
    let only = |folder: &Path| fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let worktree = only(&kept.join(".redraft/worktrees"));
    let folder = only(&worktree.join("docs/features"));
    Phase::DOCUMENTS
        .into_iter()
        .map(|phase| fs::read_to_string(folder.join(phase.artifact())).unwrap())
        .collect()
}

/// What a demo has built: every file of the feature's last commit, apart from its documents, with its hash.
fn code(scratch: &Scratch, kept: &Path) -> String {
    let worktrees = kept.join(".redraft/worktrees");
    let worktree = fs::read_dir(worktrees).unwrap().next().unwrap().unwrap().path();
    assert_eq!(scratch.git_in(&worktree, ["status", "--porcelain"]), "");
    scratch.git_in(&worktree, ["ls-tree", "-r", "HEAD", "src", "tests"])
}

/// The README shows lines of the demo, in their order.
fn in_the_readme(mut story: &str) {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let (_, shown) = readme.split_once("```text\n$ redraft demo\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert!(shown.lines().count() >= 10, "{shown}");
    for line in shown.lines().filter(|line| line.trim() != "…") {
        let (_, rest) = story.split_once(&format!("{line}\n")).unwrap_or_else(|| panic!("no line {line:?}"));
        story = rest;
    }
}

#[test]
fn the_story_ends_with_reviewed_code_whose_tests_the_engine_ran() {
    let scratch = Scratch::empty(PROGRAM);
    let ran = scratch.run(["demo", "--keep", "kept"]).expect(0);
    in_the_readme(&ran.stderr);
    let (_, told) = ran
        .stderr
        .split_once("\nimplement: implementer carries out 8 tasks, with rehearsal, no model\n")
        .unwrap();
    assert_eq!(told.matches("; `sh tests/run.sh` passed\n").count(), 11, "{told}");
    let found = "    I1 blocker at src/reset-forgotten-password/limit.sh:8: `limit_seconds` of `src/reset-forgotten-password/limit.sh` is 300 seconds, but requirement `R5` says `30 seconds`";
    assert!(
        told.contains("  implementation-reviewer rejected: 1 finding\n") && told.contains(found),
        "{told}"
    );
    for role in ["code-quality-reviewer", "security-reviewer"] {
        assert!(told.contains(&format!("  {role} approved what has changed since")), "{told}");
    }
    assert!(!told.contains("  implementation-reviewer approved what has changed since"), "{told}");
    let end =
        "  the code is approved by implementation-reviewer, code-quality-reviewer and security-reviewer\n";
    assert!(told.contains(end), "{told}");
    assert!(!told.contains("undone"), "{told}");

    // A user who takes the branch elsewhere finds what the engine found.
    let kept = scratch.root().join("kept");
    scratch.git_in(
        &kept,
        ["clone", "-q", "--branch", "feature/001-let-people-reset-a-forgotten-password", ".", "../copy"],
    );
    let copy = scratch.root().join("copy");
    let tests =
        Ran::new(scratch.command("sh").arg("tests/run.sh").current_dir(&copy).output().unwrap()).expect(0);
    assert!(tests.stdout.contains("ok r5_limit_seconds_is_30\n"), "{}", tests.stdout);
    assert!(tests.stdout.lines().filter(|line| line.starts_with("ok ")).count() >= 18, "{}", tests.stdout);
    let limit = fs::read_to_string(copy.join("src/reset-forgotten-password/limit.sh")).unwrap();
    assert!(limit.contains("\nlimit_seconds=30\n") && !limit.contains("300"), "{limit}");
}

#[test]
fn the_story_has_every_phase_with_what_was_rejected_and_why() {
    let scratch = Scratch::empty(PROGRAM);
    let ran = scratch.run(["demo"]).expect(0);
    let mut phases: Vec<&str> = Vec::new();
    for phase in Phase::DOCUMENTS {
        let (_, rest) = ran.stderr.split_once(&format!("\n{phase}: ")).unwrap();
        phases.push(rest.split("\n\n").next().unwrap());
    }
    let told = |words: &str| phases.iter().filter(|phase| phase.contains(words)).count();
    assert_eq!(told(" rejected: "), 4, "{}", ran.stderr);
    assert_eq!(told(" approved, resumed: it was sent only what changed"), 4, "{}", ran.stderr);
    assert_eq!(told(" is approved by "), 4, "{}", ran.stderr);
    for why in [
        "no acceptance criterion mentions requirement `",
        "no element of the design carries requirement `",
        "two numbers for one thing: the specification, ",
        "does not say when it is done",
    ] {
        assert!(ran.stderr.contains(why), "{why} in {}", ran.stderr);
    }
    assert!(
        ran.stdout
            .contains("feature 001 is approved and ready to merge; 8 tasks done, 0 skipped or blocked\n"),
        "{}",
        ran.stdout
    );
    // Where it is not on the PATH, commands name it in full.
    let all = folded(&[ran.stderr.as_str(), &ran.stdout].concat()).replace(PROGRAM, "redraft");
    for part in pictured() {
        assert!(all.contains(&part), "docs/pictures/make makes the picture anew: `{part}` is not in {all}");
    }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the picture of the README shows of the demo, up to where lines are left out.
fn pictured() -> Vec<String> {
    let picture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pictures/demo.svg");
    let picture = fs::read_to_string(picture).unwrap();
    let texts = picture.lines().filter(|line| line.starts_with("<text "));
    let plain =
        |line: &str| line.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text).collect();
    let said = texts.map(plain).collect::<Vec<String>>().join("\n");
    let said = said.replace("&quot;", "\"").replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">");
    let parts: Vec<String> = said
        .replace("&amp;", "&")
        .split('…')
        .map(|part| folded(part.trim_start_matches("$ redraft demo")))
        .collect();
    assert_eq!(parts.len(), 4, "{parts:?}");
    parts
}

#[test]
fn the_story_ends_ready_to_merge_with_a_retro_a_new_lesson_and_older_ones_judged() {
    let scratch = Scratch::empty(PROGRAM);
    let ran = scratch.run(["demo", "--keep", "kept", "--merge"]).expect(0);
    assert!(ran.stdout.contains("feature 001 is approved and merged"), "{}", ran.stdout);
    assert!(ran.stderr.contains("  `sh tests/run.sh` passed on what would be merged\n"), "{}", ran.stderr);
    let kept = scratch.root().join("kept");
    let read = |path: &str| fs::read_to_string(kept.join(path)).unwrap();
    // In the main checkout: it was merged there.
    let bad = read("docs/knowledge-bank/anti-patterns.md");
    assert_eq!(bad.matches("### ").count(), 2, "one new: {bad}");
    assert!(bad.contains("- Last observed: Feature #001\n- Observation count: 2\n"), "confirmed: {bad}");
    let rules = read("docs/knowledge-bank/heuristics.md");
    assert_eq!(rules.matches("- Challenged: Feature #001 — ").count(), 1, "{rules}");
    // Every figure is the ledger's.
    let command = |words: &[&str]| {
        let all = ["-C", "kept"].iter().chain(words).copied();
        scratch.run(all.collect::<Vec<&str>>()).expect(0).stdout
    };
    let cost: Value = serde_json::from_str(&command(&["cost", "001", "--json"])).unwrap();
    let dispatches = &cost["sum"]["dispatches"];
    let folder = "docs/features/001-let-people-reset-a-forgotten-password";
    let retro = read(&format!("{folder}/retro.md"));
    let all = retro.lines().find(|line| line.starts_with("| all |")).unwrap();
    assert_eq!(all.split('|').nth(4).unwrap().trim(), dispatches.to_string(), "{all}");
    assert!(!kept.join(folder).join(".review-history.md").exists());
    assert!(command(&["log", "001", "--as", "review-history"]).contains("spec-reviewer"));
    let trace: Value = serde_json::from_str(&command(&["show", "trace", "001", "--json"])).unwrap();
    assert_eq!(trace["orphans"], serde_json::json!([]), "{trace}");
    command(&["lint", "--trace", "001"]);
    // The second time it is merged already.
    assert!(command(&["finish", "001", "--merge"]).contains("feature 001 is approved and merged"));
    assert_eq!(scratch.git_in(&kept, ["log", "--merges", "--format=%s", "main"]).lines().count(), 1);
}

#[test]
fn any_idea_ends_in_reviewed_code() {
    for idea in
        ["Show the weather on the start page", "x", "日本語の検索を追加する", "Cache results for 10 seconds"]
    {
        let scratch = Scratch::empty(PROGRAM);
        scratch.run(["demo", idea, "--keep", "kept"]).expect(0);
        let documents = documents(&scratch.root().join("kept"));
        assert!(documents[3].contains("### Task 2.1: "), "{idea}: {}", documents[3]);
        let code = code(&scratch, &scratch.root().join("kept"));
        assert!(code.lines().count() > 8, "{idea}: {code}");
    }
}

#[test]
fn a_demo_that_was_interrupted_before_its_feature_was_begun_goes_on_and_others_files_are_left_alone() {
    let scratch = Scratch::empty(PROGRAM);
    // In the middle of its files, and right before the feature is stored.
    scratch.write("early/README.md", "# A small web");
    let mut late = scratch.redraft(["demo", "--keep", "late"]);
    let ran = Ran::new(late.env(SWITCH, "1").output().unwrap());
    assert!(ran.code.is_none() && scratch.root().join("late/.git").exists(), "{}", ran.stderr);
    for kept in ["early", "late"] {
        scratch.run(["demo", "--keep", kept]).expect(0);
        assert_eq!(documents(&scratch.root().join(kept)).len(), 4);
        // Run once more, it shows what was done and does nothing again.
        let branch =
            ["-C", kept, "rev-parse", "refs/heads/feature/001-let-people-reset-a-forgotten-password"];
        let before = scratch.git(branch);
        scratch.run(["demo", "--keep", kept]).expect(0);
        assert_eq!(scratch.git(branch), before);
    }
    scratch.write("mine/README.md", "# Mine\n");
    let refused = scratch.run(["demo", "--keep", "mine"]).expect(2);
    assert!(refused.stderr.contains("it holds README.md, which no demo made"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(scratch.root().join("mine/README.md")).unwrap(), "# Mine\n");
}

#[test]
fn a_demo_that_is_killed_and_run_again_writes_the_same_documents_and_the_same_code() {
    let whole = Scratch::empty(PROGRAM);
    whole.run(["demo", "--keep", "kept"]).expect(0);
    let kept = whole.root().join("kept");
    let expected = (documents(&kept), code(&whole, &kept));
    // From the middle of the first phase to the last turn of the last one.
    for boundary in [8, 83, 155, 190, 233, 281, 317] {
        let scratch = Scratch::empty(PROGRAM);
        let mut demo = scratch.redraft(["demo", "--keep", "kept"]);
        let ran = Ran::new(demo.env(SWITCH, boundary.to_string()).output().unwrap());
        assert_eq!(ran.code, None, "boundary {boundary} is passed: {}", ran.stderr);
        scratch.run(["demo", "--keep", "kept"]).expect(0);
        let kept = scratch.root().join("kept");
        assert_eq!((documents(&kept), code(&scratch, &kept)), expected, "killed at boundary {boundary}");
    }
}
