//! Commits, branches and heads that an agent moved.

use super::*;

#[test]
fn commits_of_an_agent_are_undone_softly_and_stay_reachable() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    put(place.root(), "spec.md", "one\n");
    bed.raw(place.root(), &["add", "-A"]);
    bed.raw(place.root(), &["commit", "-q", "-m", "one"]);
    put(place.root(), "spec.md", "two\n");
    bed.raw(place.root(), &["commit", "-q", "-a", "-m", "two"]);
    let agents = bed.raw(place.root(), &["rev-parse", "HEAD"]);
    let lines = place.restore(&mark, &paths(&["spec.md"]), NAME).unwrap();
    assert_eq!(lines, ["undid 2 commits of the agent", "put the index back"]);
    assert_eq!(get(place.root(), "spec.md").as_deref(), Some("two\n"));
    assert_eq!(bed.raw(&bed.root, &["rev-parse", &format!("{LOST}^1")]), agents);
    let status = bed.raw(place.root(), &["status", "--porcelain", "-z"]);
    assert_eq!(status, " M src/x.rs\0A  staged.txt\0?? new ü.txt\0?? spec.md\0");
    assert_eq!(place.restore(&mark, &paths(&["spec.md"]), NAME).unwrap(), Vec::<String>::new());
}

#[test]
fn a_switched_branch_is_switched_back_and_the_marked_branch_too() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    bed.raw(place.root(), &["commit", "-q", "--allow-empty", "-m", "on the feature"]);
    let on_feature = bed.raw(place.root(), &["rev-parse", "HEAD"]);
    bed.raw(place.root(), &["checkout", "-q", "-b", "mine", "main"]);
    bed.raw(place.root(), &["commit", "-q", "--allow-empty", "-m", "on mine"]);
    let on_mine = bed.raw(place.root(), &["rev-parse", "HEAD"]);
    let lines = place.restore(&mark, &[], NAME).unwrap();
    assert_eq!(lines[..2], ["undid 1 commit of the agent", "moved HEAD back to feature/031-limits"]);
    assert_eq!(lines.last().unwrap(), "deleted the agent's branch mine");
    assert_eq!(place.mark(&[]).unwrap(), mark);
    assert!(!bed.try_raw(&bed.root, &["rev-parse", "--verify", "mine"]).0);
    let kept = bed.raw(&bed.root, &["log", "-1", "--format=%P", LOST]);
    assert!(kept.contains(&on_feature) && kept.contains(&on_mine), "{kept}");
}

#[test]
fn a_deleted_branch_a_detached_head_and_a_reset_are_put_back() {
    let bed = TestRepository::new();
    let (place, _) = busy(&bed);
    bed.raw(place.root(), &["commit", "-q", "-m", "second"]);
    let mark = place.mark(&[]).unwrap();
    bed.raw(place.root(), &["checkout", "-q", "--detach"]);
    bed.raw(place.root(), &["branch", "-q", "-D", "feature/031-limits"]);
    let lines = place.restore(&mark, &[], NAME).unwrap();
    let moved = format!("moved feature/031-limits back to commit {}", &mark.head[..10]);
    assert_eq!(lines, [moved.as_str(), "moved HEAD back to feature/031-limits"]);
    assert_eq!(place.mark(&[]).unwrap(), mark);

    bed.raw(place.root(), &["reset", "-q", "--hard", "HEAD~1"]);
    let lines = place.restore(&mark, &[], "reset").unwrap();
    assert_eq!(lines, [moved.as_str(), "put the index back", "restored src/x.rs", "restored staged.txt"]);
    assert_eq!(place.mark(&[]).unwrap(), mark);

    bed.raw(place.root(), &["checkout", "-q", "--orphan", "empty"]);
    assert_eq!(place.restore(&mark, &[], "orphan").unwrap(), ["moved HEAD back to feature/031-limits"]);
    assert_eq!(place.mark(&[]).unwrap(), mark);
}

#[test]
fn a_head_that_was_detached_is_detached_again() {
    let bed = TestRepository::new();
    let place = bed.feature();
    bed.raw(place.root(), &["checkout", "-q", "--detach"]);
    let mark = place.mark(&[]).unwrap();
    bed.raw(place.root(), &["commit", "-q", "--allow-empty", "-m", "x"]);
    assert_eq!(place.restore(&mark, &[], NAME).unwrap(), ["undid 1 commit of the agent"]);
    bed.raw(place.root(), &["checkout", "-q", "feature/031-limits"]);
    let moved = format!("moved HEAD back to commit {}", &mark.head[..10]);
    assert_eq!(place.restore(&mark, &[], NAME).unwrap(), [moved]);
    assert_eq!(place.mark(&[]).unwrap(), mark);
}
