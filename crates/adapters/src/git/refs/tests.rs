use super::super::tests::repositories::{TestRepository, begin, put};
use super::*;
use redraft_engine::ports::Workspace as _;
use redraft_facts::ids::FeatureId;

const NAME: &str = "031/specify.1/draft/spec-author/1.1";
const LOST: &str = "refs/redraft/lost/031/specify.1/draft/spec-author/1.1";

fn commit(bed: &TestRepository, folder: &Path, message: &str) -> String {
    bed.raw(folder, &["commit", "-q", "--allow-empty", "-m", message]);
    bed.raw(folder, &["rev-parse", "HEAD"])
}

fn branches(bed: &TestRepository) -> String {
    bed.raw(&bed.root, &["for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags"])
}

fn is_kept(bed: &TestRepository, id: &str) -> bool {
    bed.try_raw(&bed.root, &["merge-base", "--is-ancestor", id, LOST]).0
}

#[test]
fn a_branch_that_was_made_in_the_worktree_is_deleted_and_its_commits_are_kept() {
    for back in [false, true] {
        let bed = TestRepository::new();
        let place = bed.feature();
        let mark = place.mark(&[]).unwrap();
        bed.raw(place.root(), &["switch", "-q", "-c", "agents/own"]);
        put(place.root(), "src/x.rs", "fn x() { agent }\n");
        bed.raw(place.root(), &["commit", "-q", "-am", "by the agent"]);
        let made = bed.raw(place.root(), &["rev-parse", "HEAD"]);
        if back {
            bed.raw(place.root(), &["switch", "-q", "-"]);
        }
        let lines = place.restore(&mark, &[], NAME).unwrap();
        assert_eq!(lines.last().unwrap(), "deleted the agent's branch agents/own", "{lines:?}");
        assert_eq!(branches(&bed), "feature/031-limits\nmain");
        assert!(is_kept(&bed, &made), "back: {back}");
        assert_eq!(bed.raw(&bed.root, &["show", &format!("{LOST}:src/x.rs")]), "fn x() { agent }");
        assert_eq!(place.left_refs(NAME).unwrap(), Vec::<String>::new(), "told already");
        assert_eq!(place.restore(&mark, &[], NAME).unwrap(), Vec::<String>::new(), "undone already");
    }
}

#[test]
fn what_may_be_somebody_elses_is_left_and_named_with_the_way_to_undo_it() {
    let bed = TestRepository::new();
    let place = bed.feature();
    bed.raw(&bed.root, &["branch", "old"]);
    bed.raw(&bed.root, &["tag", "v1"]);
    bed.raw(&bed.root, &["switch", "-q", "-c", "topic"]);
    let before = commit(&bed, &bed.root, "topic");
    bed.raw(&bed.root, &["switch", "-q", "main"]);
    let mark = place.mark(&[]).unwrap();
    bed.raw(place.root(), &["branch", "new;$(x)"]);
    bed.raw(place.root(), &["tag", "v2"]);
    bed.raw(place.root(), &["tag", "-d", "v1"]);
    bed.raw(place.root(), &["branch", "-f", "topic", "main"]);
    bed.raw(place.root(), &["branch", "-D", "old"]);
    assert_eq!(place.restore(&mark, &[], NAME).unwrap(), Vec::<String>::new());
    let told = place.left_refs(NAME).unwrap();
    let first = bed.raw(&bed.root, &["rev-parse", "--short=10", "main"]);
    let expected = [
        ("branch new;$(x) was made", "git branch -D -- 'new;$(x)'".to_owned()),
        ("branch old was removed", format!("git branch -f -- old {first}")),
        ("branch topic was moved", format!("git branch -f -- topic {}", &before[..10])),
        ("tag v1 was removed", format!("git tag -f -- v1 {first}")),
        ("tag v2 was made", "git tag -d -- v2".to_owned()),
    ];
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (line, (what, command)) in told.iter().zip(&expected) {
        assert!(line.starts_with(what) && line.ends_with(command), "{line}");
        assert!(line.contains("by the agent or by somebody else, and is left so"), "{line}");
    }
    assert_eq!(branches(&bed), "feature/031-limits\nmain\nnew;$(x)\ntopic\nv2");
    assert!(is_kept(&bed, &before), "the commit a moved branch pointed to");
    bed.raw(&bed.root, &["branch", "-f", "--", "topic", &before[..10]]);
    bed.raw(&bed.root, &["tag", "-f", "--", "v1", &first]);
    place.mark(&[]).unwrap();
    assert_eq!(place.left_refs(NAME).unwrap(), Vec::<String>::new(), "nothing since the next mark");
}

#[test]
fn what_people_and_other_features_do_in_their_own_worktrees_is_not_told() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let mark = place.mark(&[]).unwrap();
    let moved = commit(&bed, &bed.root, "by the person");
    let (other, _) = begin(&bed.repository(), FeatureId(32), "other").unwrap();
    let begun = commit(&bed, &other.worktree, "by another run");
    assert_eq!(place.restore(&mark, &[], NAME).unwrap(), Vec::<String>::new());
    assert_eq!(place.left_refs(NAME).unwrap(), Vec::<String>::new());
    assert_eq!(bed.raw(&bed.root, &["rev-parse", "main"]), moved);
    assert_eq!(bed.raw(&bed.root, &["rev-parse", &other.branch]), begun);
}

#[test]
fn a_persons_branch_is_not_deleted_because_the_agent_looked_at_it() {
    let bed = TestRepository::new();
    let place = bed.feature();
    bed.raw(&bed.root, &["branch", "older"]);
    let mark = place.mark(&[]).unwrap();
    // Made meanwhile and in use elsewhere, or there before.
    bed.raw(&bed.root, &["switch", "-q", "-c", "persons"]);
    bed.raw(place.root(), &["switch", "-q", "--ignore-other-worktrees", "persons"]);
    bed.raw(place.root(), &["switch", "-q", "older"]);
    let lines = place.restore(&mark, &[], NAME).unwrap();
    assert_eq!(lines, ["moved HEAD back to feature/031-limits"]);
    assert_eq!(branches(&bed), "feature/031-limits\nmain\nolder\npersons");
    let told = place.left_refs(NAME).unwrap();
    let [made, switched] = told.as_slice() else { panic!("{told:?}") };
    assert!(made.starts_with("branch persons was made"), "{made}");
    assert!(switched.starts_with("the main checkout was switched from main to persons"), "{switched}");
}

#[test]
fn in_the_main_checkout_and_after_a_crash_nothing_is_deleted() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let place = GitWorkspace::open(&repository, &bed.root, "main").unwrap();
    let mark = place.mark(&[]).unwrap();
    bed.raw(&bed.root, &["switch", "-q", "-c", "mine"]);
    place.restore(&mark, &[], NAME).unwrap();
    assert_eq!(branches(&bed), "main\nmine");
    assert!(place.left_refs(NAME).unwrap()[0].starts_with("branch mine was made"));
    let place = bed.feature();
    let mark = place.mark(&[]).unwrap();
    bed.raw(place.root(), &["switch", "-q", "-c", "maybe"]);
    let next_run = GitWorkspace::open(&repository, place.root(), place.branch()).unwrap();
    next_run.restore(&mark, &[], NAME).unwrap();
    assert_eq!(next_run.left_refs(NAME).unwrap(), Vec::<String>::new());
    assert!(branches(&bed).contains("maybe"));
}

#[test]
fn refs_are_read_from_files_as_git_reads_them_packed_or_not() {
    let bed = TestRepository::new();
    let place = bed.feature();
    bed.raw(&bed.root, &["tag", "-a", "v1", "-m", "one"]);
    bed.raw(&bed.root, &["branch", "deep/er/one"]);
    for pack in [false, true] {
        if pack {
            bed.raw(&bed.root, &["pack-refs", "--all"]);
            commit(&bed, &bed.root, "newer than what is packed");
            bed.raw(&bed.root, &["branch", "another"]);
        }
        let asked: BTreeMap<String, String> =
            list(&place).unwrap().into_iter().map(|(name, now)| (name, now.id)).collect();
        assert_eq!(read(&place).unwrap(), asked, "packed: {pack}");
        assert_eq!(asked.len(), if pack { 5 } else { 4 });
    }
    place.mark(&[]).unwrap();
    bed.raw(&bed.root, &["pack-refs", "--all"]);
    assert_eq!(place.left_refs(NAME).unwrap(), Vec::<String>::new(), "packing changes nothing");
}

#[test]
fn a_log_that_was_rewritten_tells_nothing() {
    let line = |to: &str| format!("0 1 Ada <a@b> 1 +0000\tcheckout: moving from main to {to}\n");
    let log = format!("{}{}", line("one"), line("two"));
    let since = |bytes: usize| Used::since(log.as_bytes(), bytes).branches.into_iter().collect::<Vec<_>>();
    assert_eq!(since(0), ["one", "two"]);
    assert_eq!(since(line("one").len()), ["two"]);
    assert_eq!(Used::since(log.as_bytes(), log.len() + 1), Used::default());
}

#[test]
fn a_main_checkout_that_was_switched_is_named_with_the_way_back() {
    let bed = TestRepository::new();
    let place = bed.feature();
    place.mark(&[]).unwrap();
    bed.raw(&bed.root, &["switch", "-q", "-c", "other"]);
    let lines = place.left_refs(NAME).unwrap();
    let told = format!(
        "the main checkout was switched from main to other meanwhile, by the agent or by somebody else, and is left so; to undo: \
         git -C {} switch main",
        bed.root.display()
    );
    assert!(lines.contains(&told), "{lines:?}");
    assert_eq!(place.left_refs(NAME).unwrap(), [""; 0], "told once");
    bed.raw(&bed.root, &["switch", "-q", "main"]);
    assert_eq!(place.left_refs(NAME).unwrap().len(), 1);
}
