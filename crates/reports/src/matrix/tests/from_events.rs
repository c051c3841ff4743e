//! What events add to the trace: commits, files, tests and the last run.

use super::*;

/// The events of a feature whose tasks were built and checked.
pub(super) fn entries(checks: bool) -> Vec<Entry> {
    let created = FeatureCreated {
        id: FeatureId(1),
        uuid: FeatureUuid::new("6a658c6d-be4d-4cd1-a5cc-dd57b152e7c6"),
        slug: "x".to_owned(),
        idea: "x".to_owned(),
        lane: Lane::Standard,
        base_branch: "main".to_owned(),
        base_commit: "b".to_owned(),
        branch: "feature/001-x".to_owned(),
        prd: None,
        in_place: false,
        until: Phase::Implement,
        lane_reason: String::new(),
        project: None,
        depends_on: Vec::new(),
        document: None,
        brainstorm_source: None,
        ask_after: Vec::new(),
        change: None,
    };
    let opened = LoopOpened {
        phase: Phase::Implement,
        pass: 1,
        author: Role::new("implementer"),
        panels: Vec::new(),
        paths: vec!["*".to_owned()],
        gates: vec!["tests".to_owned()],
        limits: Limits::default(),
        rule: Threshold::Strict,
        certify: Certify::Off,
        policy: Policy::Cost,
        knowledge: Knowledge::Full,
        config: BlobId::new("c"),
        base: Some(Revision::new("r0")),
        profiles: BTreeMap::new(),
        project: None,
        tasks: Vec::new(),
        extras: BTreeMap::new(),
        checks: BTreeMap::new(),
        asks_first: false,
        bundle: None,
        bank: None,
        same_hand: false,
        put_off: Vec::new(),
        conventions: None,
        asks_after: false,
    };
    let built = |ticket: &str, revision: &str, files: &[&str]| {
        Event::from(Built {
            ticket: format!("001/implement.1/{ticket}/1.1").parse().unwrap(),
            revision: Revision::new(revision),
            commit: format!("{revision}00000000000"),
            report: redraft_facts::event::Report::default(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            already: false,
            notes: Vec::new(),
            unfinished: None,
        })
    };
    let checked = |passed: bool| {
        Event::from(Checked {
            pass: 1,
            revision: Revision::new("r"),
            gate: "tests".to_owned(),
            passed,
            evidence: String::new(),
            command: "make test".to_owned(),
            code: Some(0),
            wall_ms: 1,
            output: String::new(),
            checkout: None,
        })
    };
    let mut events = vec![
        created.into(),
        opened.into(),
        built("task-1/implement/implementer", "r1", &["src/store.rs", "tests/store.rs"]),
    ];
    events.extend(checks.then(|| checked(false)));
    events.push(built("task-2/implement/implementer", "r2", &["src/store.rs"]));
    events.extend(checks.then(|| checked(true)));
    events.push(built("simplify/code-simplifier", "r3", &["src/short.rs"]));
    let entry = |(at, event): (usize, Event)| Entry { seq: at as u64 + 1, at_ms: at as i64 * 1000, event };
    events.into_iter().enumerate().map(entry).collect()
}

#[test]
fn events_add_commits_files_tests_and_the_last_run() {
    let entries = entries(true);
    let change = ChangedFiles {
        files: ["src/short.rs", "src/store.rs", "src/stray.rs", "tests/store.rs"].map(str::to_owned).to_vec(),
        by_commit: BTreeMap::new(),
    };
    let matrix = build(&Sources { entries: &entries, change: Some(&change), ..sources() });
    let work = &matrix.works[0];
    assert_eq!(work.commits, ["r100000000000"]);
    assert_eq!((work.files.len(), work.tests.as_slice()), (2, ["tests/store.rs".to_owned()].as_slice()));
    let runs: Vec<(&str, bool, i64)> =
        work.runs.iter().map(|run| (run.gate.as_str(), run.passed, run.at_ms)).collect();
    assert_eq!(runs, [("tests", true, 5000)], "the last run counts, not the failed one before");
    assert_eq!(matrix.works.last().unwrap().what, CodeWorkKind::Simplification);
    assert!(matrix.works.last().unwrap().runs.is_empty(), "nothing ran since");
    let files: Vec<String> = orphans(&matrix).into_iter().filter(|one| one.contains("file")).collect();
    assert_eq!(files, ["src/stray.rs:1 untraced-file src/stray.rs"]);
    assert!(!orphans(&matrix).iter().any(|one| one.contains("unrun")), "{:?}", orphans(&matrix));
}

#[test]
fn a_test_that_nobody_ran_is_an_orphan() {
    let entries = entries(false);
    let matrix = build(&Sources { entries: &entries, ..sources() });
    assert!(orphans(&matrix).contains(&"tests/store.rs:1 unrun-test tests/store.rs".to_owned()));
}
