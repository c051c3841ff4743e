use super::*;
use redraft_facts::event::{AgentIdentity, Combined, CombinedStep, Conflict, Entry, PlayerKind};
use redraft_facts::findings::{Finding, FindingChange, Status};
use redraft_facts::ids::{AgentName, FindingId, Role};
use redraft_facts::text::count;
use redraft_facts::ticket::{Purpose, Unit};
use std::sync::OnceLock;

/// Events of every kind, from real runs: kind, version and body.
const STORED: &str = include_str!("../../../facts/src/event/stored/version-1.txt");

fn events() -> &'static [Event] {
    static EVENTS: OnceLock<Vec<Event>> = OnceLock::new();
    EVENTS.get_or_init(|| {
        let read = |line: &str| {
            let mut parts = line.splitn(3, ' ');
            let (kind, version, body) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
            Event::decode(kind, version, body).ok()
        };
        STORED.lines().map(|line| read(line).expect("a stored event")).collect()
    })
}

fn the<T: Clone>(pick: impl Fn(&Event) -> Option<&T>) -> T {
    events().iter().find_map(pick).expect("one of this kind").clone()
}

fn judged() -> Judged {
    the(|event| match event {
        Event::Judged(fact) if fact.judgement == Judgement::Rejected => Some(fact),
        _ => None,
    })
}

fn told(narrator: &mut Narrator, event: impl Into<Event>) -> Vec<String> {
    narrator.tell(&event.into(), &Pipeline::default())
}

#[test]
fn every_event_can_be_told_without_tickets_and_in_lines_that_stay_lines() {
    let mut narrator = Narrator::new(false);
    let mut all = Vec::new();
    for event in events() {
        all.extend(narrator.tell(event, &Pipeline::default()));
    }
    all.extend(narrator.end(false));
    assert!(all.len() > events().len() / 2, "{all:#?}");
    for line in &all {
        let inner = line.strip_prefix('\n').unwrap_or(line);
        // A person who corrects a cost names a ticket, and an author's questions take lines.
        let names = inner.contains("corrected the cost of");
        assert!(names || !inner.contains("/spec-author/") && !inner.contains(".1/review/"), "{line}");
        assert!(!inner.trim().is_empty(), "{all:#?}");
    }
}

#[test]
fn findings_come_in_full_with_their_place_and_older_ones_with_what_became_of_them() {
    let mut fact = judged();
    let Some(FindingChange::Raised(first)) = fact.changes.first().cloned() else { panic!("{fact:?}") };
    let finding = Finding {
        description: "word ".repeat(80) + "[read]",
        file: "src/a.rs".to_owned(),
        line: 7,
        unverified: None,
        status: Status::Open,
        ..first.clone()
    };
    let put_off = Finding { status: Status::Deferred, file: String::new(), line: 0, ..finding.clone() };
    let id = |name: &str| FindingId::new(name);
    let note = || "it still says 45".to_owned();
    fact.changes = vec![
        FindingChange::Raised(finding.clone()),
        FindingChange::Raised(put_off),
        FindingChange::Fixed { id: id("S2"), note: note() },
        FindingChange::Fixed { id: id("S3"), note: note() },
        FindingChange::Withdrawn { id: id("S4"), note: String::new() },
        FindingChange::Kept { id: id("S5"), note: note() },
        FindingChange::Reopened { id: id("S6"), note: note() },
    ];
    let lines = told(&mut Narrator::new(false), fact.clone());
    let (role, name, severity) = (&fact.ticket.role, &finding.id, finding.severity);
    let words = "word ".repeat(80);
    let expected = [
        format!("  {role} rejected: 2 findings, 2 still open"),
        format!("    {name} {severity} at src/a.rs:7: {}", words.trim_end()),
        format!(
            "    {name} {severity}: {}; deferred, because it is about text that was reviewed before",
            words.trim_end()
        ),
        "    S2 and S3 are fixed".to_owned(),
        "    S4 is withdrawn".to_owned(),
        "    S5 is still open: it still says 45".to_owned(),
        "    S6 is open again: it still says 45".to_owned(),
    ];
    assert_eq!(lines, expected);
    fact.changes.retain(|change| matches!(change, FindingChange::Kept { .. }));
    let lines = told(&mut Narrator::new(false), fact.clone());
    assert_eq!(lines[0], format!("  {role} rejected: 1 still open"));
    fact.changes.clear();
    assert_eq!(told(&mut Narrator::new(false), fact.clone()), [format!("  {role} rejected")]);
}

#[test]
fn an_agent_is_named_when_it_begins_and_when_another_one_takes_over() {
    let mut narrator = Narrator::new(false);
    let mut opened = the(|event| if let Event::LoopOpened(fact) = event { Some(fact) } else { None });
    (opened.phase, opened.pass, opened.author) = (Phase::Specify, 1, Role::new("spec-author"));
    opened.tasks.clear();
    let mut started = the(|event| if let Event::Started(fact) = event { Some(fact) } else { None });
    started.ticket.phase = Phase::Specify;
    started.ticket.purpose = Purpose::Draft;
    assert_eq!(told(&mut narrator, opened), Vec::<String>::new(), "it is not known yet who works on it");
    assert_eq!(
        told(&mut narrator, started.clone()),
        ["\nspecify: spec-author writes spec.md, with rehearsal, no model"]
    );
    assert_eq!(told(&mut narrator, started.clone()), Vec::<String>::new());
    started.player = AgentIdentity::new(PlayerKind::Claude, "Claude Code", "2.1.325", "claude-sonnet-5.5");
    started.agent = AgentName::new("claude");
    started.ticket.role = Role::new("spec-reviewer");
    started.ticket.purpose = Purpose::Review;
    assert_eq!(
        told(&mut narrator, started),
        ["  spec-reviewer reviews spec.md, with claude (Claude Code 2.1.325), claude-sonnet-5.5"]
    );
}

#[test]
fn a_check_that_failed_is_told_once() {
    let check = || {
        let mut check = the(|event| if let Event::Checked(fact) = event { Some(fact) } else { None });
        check.passed = false;
        "`make test` ended with code 1\nnot ok 3".clone_into(&mut check.evidence);
        "make test".clone_into(&mut check.command);
        check
    };
    let mut asked = the(|event| if let Event::Asked(fact) = event { Some(fact) } else { None });
    asked.question.about = About::Gate;
    asked.question.text = format!("tests fails on what would be merged: {}", check().in_a_line(200));
    let mut decided = the(|event| if let Event::Decided(fact) = event { Some(fact) } else { None });
    decided.about = About::Gate;
    // On a terminal the question says it.
    let mut narrator = Narrator::new(true);
    assert!(told(&mut narrator, check()).is_empty() && told(&mut narrator, asked.clone()).is_empty());
    assert_eq!(told(&mut narrator, decided.clone()).len(), 1);
    // Where nobody is asked, the result says it, or the next line does.
    for (in_result, lines) in [(true, 0), (false, 1)] {
        let mut narrator = Narrator::new(false);
        assert!(told(&mut narrator, check()).is_empty() && told(&mut narrator, asked.clone()).is_empty());
        assert_eq!(narrator.end(in_result).len(), lines);
    }
    let mut narrator = Narrator::new(false);
    told(&mut narrator, check());
    told(&mut narrator, asked);
    let lines = told(&mut narrator, decided);
    assert!(lines.len() == 2 && lines[0].contains("failed") && lines[1].contains(" chose "), "{lines:?}");
}

#[test]
fn what_was_built_is_told_with_the_result_of_its_check() {
    let mut built = the(|event| if let Event::Built(fact) = event { Some(fact) } else { None });
    (built.already, built.unfinished) = (false, None);
    let mut check = the(|event| if let Event::Checked(fact) = event { Some(fact) } else { None });
    (check.passed, check.command) = (true, "make test".to_owned());
    let mut narrator = Narrator::new(false);
    assert!(told(&mut narrator, built.clone()).is_empty());
    let lines = told(&mut narrator, check);
    assert!(lines.len() == 1 && lines[0].ends_with("; `make test` passed"), "{lines:?}");
    told(&mut narrator, built);
    assert_eq!(narrator.end(true).len(), 1, "without a check it is told at the end");
}

#[test]
fn the_same_events_tell_the_same_story() {
    let tell = || {
        let mut narrator = Narrator::new(false);
        let entries = events().iter().map(|event| Entry { seq: 1, at_ms: 0, event: event.clone() });
        entries.flat_map(|entry| narrator.tell(&entry.event, &Pipeline::default())).collect::<Vec<String>>()
    };
    assert_eq!(tell(), tell());
}

#[test]
fn tasks_side_by_side_are_told_from_the_end_of_each_until_it_is_part_of_the_feature() {
    let mut narrator = Narrator::new(false);
    let enqueued = the(|event| match event {
        Event::Enqueued(fact) => Some(fact),
        _ => None,
    });
    let Unit::Task(id) = enqueued.work.ticket.unit.clone() else { panic!("{enqueued:?}") };
    let set = the(|event| match event {
        Event::JobsSet(fact) => Some(fact),
        _ => None,
    });
    let together = the(|event| match event {
        Event::Combined(fact) if fact.conflict.is_none() => Some(fact),
        _ => None,
    });
    let passed = the(|event| match event {
        Event::Checked(fact) if fact.passed && !fact.command.is_empty() => Some(fact),
        _ => None,
    });
    let jobs = set.jobs;
    assert_eq!(
        told(&mut narrator, set),
        [format!("  from here on, tasks are carried out up to {jobs} side by side")]
    );
    let files = count(enqueued.work.files.len(), "file");
    assert_eq!(told(&mut narrator, enqueued.clone()), [format!("  task {id} was carried out in {files}")]);
    let step = |id: &str| CombinedStep { task: TaskId::new(id), ..together.steps[0].clone() };
    let both = Combined { steps: vec![step("1"), step("2"), step("3")], ..together.clone() };
    assert_eq!(told(&mut narrator, both), [""; 0], "held until the checks have ended");
    let command = passed.command.clone();
    let first = told(&mut narrator, passed).remove(0);
    assert_eq!(
        first,
        format!("  tasks 1, 2 and 3 were put on top of the feature together; `{command}` passed")
    );
    assert_eq!(told(&mut narrator, enqueued.work.clone()), [format!("  task {id} is part of the feature")]);
    let conflict = Conflict { task: TaskId::new("2"), files: vec!["a".to_owned(), "b".to_owned()] };
    let apart = Combined { steps: Vec::new(), conflict: Some(conflict), ..together };
    assert_eq!(told(&mut narrator, apart), ["  task 2 has a conflict in a and b"]);
}
