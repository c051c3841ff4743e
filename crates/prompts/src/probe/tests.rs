//! Tests what a probe proves and what it leaves open, and what a ledger makes of it.

mod history;

use super::*;
use crate::prompt::{ProbeTurn, probe};
use redraft_facts::choice::{Choice, Strategy};
use redraft_facts::event::{AfterFailure, AgentIdentity, Answered, Event, Failed, Started, TreeMark};
use redraft_facts::ids::{AgentName, BlobId, FeatureId, SessionId};
use redraft_facts::prelude::*;
use redraft_facts::probed::{
    AgentsMet, CheckId, MetAgent, ProbeCheck, ProbeResult, Probed, Proof, Recall, Resume,
};
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_facts::usage::{Usage, Usd};
use redraft_facts::verdict::{Claim, Issue, Severity, Verdict, Verified};
use std::collections::BTreeSet as Set;

fn files() -> ProbeFiles {
    ProbeFiles::new("a seed")
}

fn answer(verdict: &Verdict, usage: Usage) -> Heard {
    Heard::Answer(AssessedTurn {
        text: serde_json::to_string(verdict).unwrap(),
        session: Some(SessionId::new("s")),
        usage,
        opened: Some(vec![ProbeFiles::FILE.to_owned()]),
        formless: false,
    })
}

fn issues(number: usize) -> Verdict {
    let issue = Issue {
        severity: Severity::Warning,
        category: "quantity".to_owned(),
        claim: Claim::Present,
        file: ProbeFiles::FILE.to_owned(),
        line: 1,
        section: String::new(),
        quote: String::new(),
        description: "x".to_owned(),
        suggestion: String::new(),
        same_as: String::new(),
    };
    Verdict { approved: true, issues: vec![issue; number], ..Verdict::default() }
}

fn recalls(line: &str, number: &str) -> Verdict {
    let entry = |claim: &str, result: &str| Verified {
        claim: claim.to_owned(),
        source: "memory".to_owned(),
        result: result.to_owned(),
    };
    let verified = vec![entry("first line", line), entry("findings", number)];
    Verdict { approved: true, verified, ..Verdict::default() }
}

fn used(uncached: u64, read: u64) -> Usage {
    Usage { uncached, read, ..Usage::default() }
}

/// A probe in which everything works.
fn good(files: &ProbeFiles) -> Vec<Heard> {
    vec![
        answer(&issues(files.planted), used(5000, 0)),
        answer(&Verdict { approved: true, ..Verdict::default() }, used(100, 5100)),
        answer(&recalls(&files.first_line, &files.planted.to_string()), used(100, 5300)),
    ]
}

fn results(turns: &[Heard]) -> Vec<(&'static str, ProbeResult)> {
    let files = files();
    let case = ProbeCase { files: &files, structured: true, free: false, turns };
    assess(&case).checks.iter().map(|check| (check.id.name(), check.result)).collect()
}

fn failing(turns: &[Heard]) -> Vec<&'static str> {
    results(turns).into_iter().filter(|(_, r)| *r == ProbeResult::Failed).map(|(name, _)| name).collect()
}

#[test]
fn the_prompts_of_a_probe_are_as_last_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for turn in ProbeTurn::ALL {
        let prompt = probe(turn);
        let mut text = String::new();
        for (stability, fragment) in prompt.fragments().filter(|(_, fragment)| fragment.name != "house-rules")
        {
            text.push_str(&format!("==== {} {}\n{}\n", stability.name(), fragment.name, fragment.text));
        }
        settings.bind(|| insta::assert_snapshot!(format!("turn-{}", turn.number()), text));
    }
}

#[test]
fn the_later_prompts_do_not_tell_what_is_to_be_remembered() {
    let files = files();
    for turn in ProbeTurn::ALL {
        let text = probe(turn).text();
        assert!(!text.contains(&files.first_line));
        if turn != ProbeTurn::Read {
            assert!(!text.contains(ProbeFiles::FILE), "{text}");
        }
    }
}

#[test]
fn papers_differ_from_seed_to_seed_and_from_before_to_after() {
    let mut lines = Set::new();
    let mut planted = Set::new();
    for seed in 0..200 {
        let files = ProbeFiles::new(&format!("seed {seed}"));
        assert_eq!(files.before.lines().next(), Some(files.first_line.as_str()));
        assert_eq!(ProbeFiles::faults(&files.before), files.planted);
        assert_ne!(ProbeFiles::faults(&files.after), files.planted);
        assert!(!files.after.contains(&files.first_line));
        assert!(lines.insert(files.first_line.clone()), "{}", files.first_line);
        planted.insert(files.planted);
    }
    assert_eq!(planted.into_iter().collect::<Vec<_>>(), [2, 3, 4, 5, 6]);
    assert_eq!(ProbeFiles::new("x"), ProbeFiles::new("x"));
}

#[test]
fn nothing_of_the_papers_is_taken_for_a_secret() {
    let redactor = Redactor::new(Vec::new());
    for seed in 0..50 {
        let files = ProbeFiles::new(&format!("seed {seed}"));
        for text in [&files.before, &files.after] {
            assert_eq!(redactor.redact(text).0, text.as_str());
        }
    }
}

#[test]
fn the_conversation_is_longer_than_the_least_that_any_vendor_caches() {
    let chars = probe(ProbeTurn::Read).chars() + files().before.chars().count() as u64;
    let least = redraft_cost::price::Cards::builtin().iter().filter_map(|card| card.minimum.tokens).max();
    // Four characters a token is the thinnest text there is.
    assert!(chars / 4 > least.unwrap(), "{chars} characters");
}

#[test]
fn a_probe_in_which_everything_works_passes_every_check() {
    let files = files();
    let turns = good(&files);
    assert!(
        results(&turns).iter().all(|(_, result)| *result == ProbeResult::Passed),
        "{:?}",
        results(&turns)
    );
    let case = ProbeCase { files: &files, structured: true, free: false, turns: &turns };
    assert_eq!(assess(&case).cache_share, Some(98));
}

#[test]
fn each_thing_that_does_not_work_fails_its_own_check() {
    let files = files();
    let change = |at: usize, change: &dyn Fn(&mut AssessedTurn)| {
        let mut turns = good(&files);
        if let Heard::Answer(turn) = &mut turns[at] {
            change(turn);
        }
        turns
    };
    let say = |verdict: &Verdict| serde_json::to_string(verdict).unwrap();
    assert_eq!(failing(&change(0, &|turn| turn.session = None)), ["V1"]);
    assert_eq!(failing(&change(0, &|turn| turn.opened = Some(vec![]))), ["V1"]);
    // An agent that cannot tell what it opened must have quoted the file.
    assert_eq!(failing(&change(0, &|turn| turn.opened = None)), ["V1"]);
    let after = files.after.lines().next().unwrap();
    let count = files.planted.to_string();
    assert_eq!(failing(&change(2, &|turn| turn.text = say(&recalls(after, &count)))), ["V3"]);
    assert_eq!(failing(&change(2, &|turn| turn.text = say(&recalls(&files.first_line, "unknown")))), ["V4"]);
    let wrong = (files.planted + 1).to_string();
    assert_eq!(failing(&change(2, &|turn| turn.text = say(&recalls(&files.first_line, &wrong)))), ["V4"]);
    assert_eq!(failing(&change(1, &|turn| turn.text = format!("Here: {}", turn.text))), ["structured"]);
    assert_eq!(failing(&change(1, &|turn| turn.formless = true)), ["structured"]);
    assert_eq!(failing(&change(1, &|turn| turn.usage = used(5200, 0))), ["cache"]);
    assert_eq!(failing(&change(2, &|turn| turn.usage = used(5200, 300))), ["commit"]);
}

#[test]
fn a_refused_turn_fails_v2_and_an_unlucky_one_leaves_it_open() {
    let files = files();
    let mut turns = good(&files);
    turns.truncate(1);
    turns.push(Heard::Refused { detail: "no such conversation".to_owned() });
    assert_eq!(failing(&turns), ["V2"]);
    turns[1] = Heard::Nothing { detail: "overloaded".to_owned() };
    assert_eq!(failing(&turns), [""; 0]);
    let mut turns = good(&files);
    turns[2] = Heard::Refused { detail: "no such conversation".to_owned() };
    assert_eq!(failing(&turns), ["V2"], "also when only the commit brought it out");
}

#[test]
fn a_cache_nobody_reports_counts_only_where_tokens_cost_something() {
    let files = files();
    let mut turns = good(&files);
    for turn in &mut turns {
        if let Heard::Answer(turn) = turn {
            turn.usage = used(5000, 0);
        }
    }
    let result = |free| {
        let assessed = assess(&ProbeCase { files: &files, structured: true, free, turns: &turns });
        assessed.checks.into_iter().find(|check| check.id == CheckId::Cache).unwrap().result
    };
    assert_eq!((result(true), result(false)), (ProbeResult::NotTried, ProbeResult::Failed));
}
