//! Reads the lines about what agents do and say.

use super::{DOCUMENTS, Line, money, path, time_ms};
use crate::documents;
use redraft_engine::ports::{AgentError, Outcome};
use redraft_facts::event::AfterFailure;
use redraft_facts::ids::{Role, TaskId};
use redraft_facts::usage::{Usage, Usd};
use redraft_facts::verdict::Severity;
use redraft_roles::profile;
use redraft_testkit::fakes::{Answers, Deed, ScriptedTurn, TurnEnd, said as said_by_ann};
use serde_json::{Value, json};

/// What an answer costs.
pub(crate) const COST: Usd = Usd(10_000);

/// A turn of an agent; none where the line is about something else.
pub(super) fn read(line: &Line) -> Option<ScriptedTurn> {
    let (who, does) = line.shape.split_once(' ')?;
    let role = Role::new(who);
    let when = match who {
        "anybody" => Answers::Next,
        _ if profile::roles().contains(&role) => Answers::Role(role),
        _ if who.contains(':') => {
            let (role, task) = who.split_once(':')?;
            Answers::Task(Role::new(role), TaskId::new(task))
        }
        _ => Answers::Ticket(who.parse().ok()?),
    };
    let mut turn = ScriptedTurn { when, does: Vec::new(), says: TurnEnd::Text(done("done")) };
    if let Some(says) =
        verdict(who, does, line).map(TurnEnd::Text).or_else(|| failure(does)).or_else(|| other(does, line))
    {
        turn.says = says;
    } else {
        turn.does.push(deed(does, line)?);
    }
    Some(turn)
}

/// What else an agent does in the same turn.
pub(super) fn besides(turn: &mut ScriptedTurn, line: &Line) {
    match line.shape.as_str() {
        "its conversation is compacted" => {
            let text = match &turn.says {
                TurnEnd::Text(text) => text.clone(),
                other => panic!("{other:?} has no conversation"),
            };
            let notes = vec!["the conversation was summed up, so it is not continued".to_owned()];
            turn.says =
                TurnEnd::Outcome(Box::new(Outcome { text, notes, usage: bill(), ..Outcome::default() }));
        }
        "says $" => turn.says = TurnEnd::Text(line.text(0)),
        "stops because $" => turn.says = TurnEnd::Text(unfinished(&line.text(0))),
        shape if answers_with(shape, "declines ").is_some() => {
            turn.says = other(shape, line).expect("this is one");
        }
        "is cut off" | "is refused" | "gives up" | "crashes" | "is stopped" => {
            turn.says = failure(&line.shape).expect("each of these is one");
        }
        // It looks before it does anything else.
        shape if shape.starts_with("finds $ in ") && shape.ends_with(" before") => {
            let file = shape.trim_start_matches("finds $ in ").trim_end_matches(" before");
            turn.does.insert(0, Deed::Find(path(file), line.text(0)));
        }
        shape => {
            let deed = deed(shape, line).unwrap_or_else(|| panic!("nobody understands `and {shape}`"));
            turn.does.push(deed);
        }
    }
}

pub(crate) fn bill() -> Usage {
    Usage { uncached: 900, written: 0, read: 0, output: 100, cost: COST }
}

fn verdict(who: &str, does: &str, line: &Line) -> Option<String> {
    let fixed = |words: &str| {
        let ids = words.strip_suffix(" fixed")?.split(", ");
        Some(
            ids.map(|id| json!({"id": id, "status": "fixed", "note": "it is another now"}))
                .collect::<Vec<Value>>(),
        )
    };
    if does == "approves" {
        return Some(said(true, &[], &[]));
    }
    if let Some(file) = does.strip_prefix("approves, having read ") {
        return Some(said_having_read(&[json!({"file": path(file), "lines": 1})], true, &[], &[]));
    }
    if let Some(answers) = does.strip_prefix("approves with ").and_then(fixed) {
        return Some(said(true, &answers, &[]));
    }
    let (found, file) = match does.split_once(" in ") {
        Some((found, file)) => (found, path(file)),
        None => (does, path(document_of(who)?)),
    };
    let (found, answers) = match found.split_once(" with ") {
        Some((found, words)) => (found, fixed(words)?),
        None => (found, Vec::new()),
    };
    let quote = line.text(0);
    let issue = |severity: &str, claim: &str, quote: &str, description: &str| {
        json!({"severity": severity, "category": "clarity", "claim": claim, "file": file, "line": 0, "section": "",
            "quote": quote, "description": description, "suggestion": "", "same_as": ""})
    };
    let wrong = format!("{quote} is not what was asked for");
    let issues = match found {
        "objects to $" => vec![issue("blocker", "present", &quote, &wrong)],
        "warns of $" => vec![issue("warning", "present", &quote, &wrong)],
        "approves but suggests more than $" => {
            return Some(said(true, &answers, &[issue("suggestion", "present", &quote, &wrong)]));
        }
        "approves but warns of $" => {
            return Some(said(true, &answers, &[issue("warning", "present", &quote, &wrong)]));
        }
        "misses $" => vec![issue("blocker", "absent", "", &quote)],
        _ => return None,
    };
    Some(said(false, &answers, &issues))
}

/// The document a role is about; none where that depends on the phase.
fn document_of(who: &str) -> Option<&'static str> {
    match who.split('-').next()? {
        "spec" => Some(DOCUMENTS[0]),
        "design" => Some(DOCUMENTS[1]),
        "plan" => Some(DOCUMENTS[2]),
        "task" => Some(DOCUMENTS[3]),
        _ => None,
    }
}

/// An answer in the verdict's form.
fn said(approved: bool, answers: &[Value], issues: &[Value]) -> String {
    said_having_read(&[], approved, answers, issues)
}

fn said_having_read(files: &[Value], approved: bool, answers: &[Value], issues: &[Value]) -> String {
    let summary = if approved { "it is as it should be" } else { "something is to be mended" };
    json!({"approved": approved, "summary": summary, "answers": answers, "issues": issues, "checks": [],
        "verified": [], "files_read": files})
    .to_string()
}

/// The answer of an agent that has written something.
fn done(summary: &str) -> String {
    json!({"approved": true, "summary": summary, "answers": [], "issues": [], "checks": [], "verified": [],
        "files_read": []})
    .to_string()
}

fn failure(does: &str) -> Option<TurnEnd> {
    let fails = |now: AfterFailure, detail: &str, usage: Option<Usage>| TurnEnd::Fails {
        now,
        detail: detail.to_owned(),
        usage,
    };
    Some(match does {
        "is refused" => fails(AfterFailure::AskPerson, "the key is not accepted", AgentError::UNBILLED),
        "is cut off" => fails(AfterFailure::GiveUp, "the answer broke off", None),
        "gives up" => fails(AfterFailure::GiveUp, "it did not work", Some(bill())),
        "loses its conversation" => {
            fails(AfterFailure::FreshSession, "no conversation found", AgentError::UNBILLED)
        }
        "is stopped" => TurnEnd::Interrupted(Some(bill())),
        "is stopped and nobody knows its cost" => TurnEnd::Interrupted(None),
        "crashes" => TurnEnd::Panics,
        _ => {
            if let Some(ms) = does.strip_prefix("is busy for ").and_then(time_ms) {
                return Some(fails(AfterFailure::Wait(ms), "overloaded", AgentError::UNBILLED));
            }
            if let Some(ms) = does.strip_prefix("is over its limit for ").and_then(time_ms) {
                // The clock of a scenario begins at a fixed time.
                let until =
                    redraft_engine::ports::Clock::now_ms(&redraft_testkit::fakes::StillClock::default());
                return Some(fails(
                    AfterFailure::ParkUntil(until.saturating_add_unsigned(ms)),
                    "usage limit",
                    AgentError::UNBILLED,
                ));
            }
            let total = does.strip_prefix("would come to ").and_then(money)?;
            fails(AfterFailure::OverBudget(total), "it was not let go on", Some(bill()))
        }
    })
}

fn other(does: &str, line: &Line) -> Option<TurnEnd> {
    Some(match does {
        "says $" => TurnEnd::Text(line.text(0)),
        "says $ in no form" => {
            let (text, usage) = (line.text(0), bill());
            TurnEnd::Outcome(Box::new(Outcome { text, usage, formless: true, ..Outcome::default() }))
        }
        "asks $ and would assume $" => {
            let issue = json!({"severity": "blocker", "category": "question", "claim": "absent", "file": "", "line": 0,
                "section": "", "quote": "", "description": line.text(0), "suggestion": line.text(1), "same_as": ""});
            TurnEnd::Text(said(false, &[], &[issue]))
        }
        "finds it complete" => TurnEnd::Text(complete()),
        "stops because $" => TurnEnd::Text(unfinished(&line.text(0))),
        _ if answers_with(does, "declines ").is_some() => {
            let answer = (answers_with(does, "declines ")?, "not_fixed", line.text(0));
            TurnEnd::Text(answering(true, &answer))
        }
        _ if answers_with(does, "keeps ").is_some() => {
            let answer = (answers_with(does, "keeps ")?, "not_fixed", line.text(0));
            TurnEnd::Text(answering(false, &answer))
        }
        _ if answers_with(does, "withdraws ").is_some() => {
            let answer = (answers_with(does, "withdraws ")?, "withdrawn", line.text(0));
            TurnEnd::Text(answering(true, &answer))
        }
        "does nothing" => TurnEnd::Text(done("nothing")),
        "outlines $" => TurnEnd::Text(done(&line.text(0))),
        "looks back" => TurnEnd::Text(documents::RETRO.to_owned()),
        "confirms B1" => TurnEnd::Text(documents::CONFIRMS.to_owned()),
        _ => return None,
    })
}

/// An implementer that found nothing left to do.
fn complete() -> String {
    let check = json!({"name": "already-complete", "passed": true, "note": "all of it is there"});
    json!({"approved": true, "summary": "nothing is left to do", "answers": [], "issues": [], "checks": [check],
        "verified": [], "files_read": []})
    .to_string()
}

/// The id in `declines S1 because $`.
fn answers_with<'a>(does: &'a str, verb: &str) -> Option<&'a str> {
    does.strip_prefix(verb)?.strip_suffix(" because $")
}

/// An answer to one finding, and nothing else.
fn answering(approved: bool, (id, status, note): &(&str, &str, String)) -> String {
    said(approved, &[json!({"id": id, "status": status, "note": note})], &[])
}

/// An implementer that says that its task is not done.
fn unfinished(why: &str) -> String {
    let check = json!({"name": "concerns", "passed": true, "note": why});
    json!({"approved": false, "summary": "not all of it", "answers": [], "issues": [], "checks": [check],
        "verified": [], "files_read": []})
    .to_string()
}

fn deed(does: &str, line: &Line) -> Option<Deed> {
    let (one, two) = (line.text(0), line.text(1));
    if let Some(name) = does.strip_prefix("writes ").filter(|name| DOCUMENTS.contains(name)) {
        return Some(Deed::Put(path(name), documents::good(name).to_owned()));
    }
    if let Some(file) = does.strip_prefix("writes $ to ") {
        return Some(Deed::Put(path(file), one));
    }
    if let Some(file) = does.strip_prefix("writes more than a prompt holds to ") {
        return Some(Deed::Put(path(file), documents::too_long()));
    }
    if let Some(name) = does.strip_prefix("changes $ to $ in ").filter(|name| DOCUMENTS.contains(name)) {
        return Some(Deed::Put(path(name), documents::good(name).replace(&one, &two)));
    }
    if let Some(total) = does.strip_prefix("asks for ").and_then(money) {
        return Some(Deed::Afford(total));
    }
    if let Some(total) = does.strip_prefix("has spent ").and_then(money) {
        return Some(Deed::Owe(total));
    }
    if let Some(number) = does.strip_prefix("meets ").and_then(|rest| rest.strip_suffix(" others")) {
        return Some(Deed::Meet(number.parse::<usize>().ok()? + 1));
    }
    if let Some(ms) = does.strip_prefix("takes ").and_then(time_ms) {
        return Some(Deed::Wait(ms));
    }
    let named = |verb: &str| does.strip_prefix(verb).map(path);
    if let Some(file) = named("removes ").filter(|file| file != "the worktree") {
        return Some(Deed::Take(file));
    }
    if let Some(file) = named("stages ") {
        return Some(Deed::Stage(file));
    }
    if let Some(file) = does.strip_prefix("puts a pipe in the place of ").map(path) {
        return Some(Deed::Pipe(file));
    }
    if let Some(file) = does.strip_prefix("links $ from ").map(path) {
        return Some(Deed::Link(file, one));
    }
    if let Some(phase) =
        does.strip_prefix("the user comments on ").and_then(|rest| rest.strip_suffix(" that $"))
    {
        return Some(Deed::Comment(said_by_ann(phase.parse().ok()?, None, Severity::Blocker, &one)));
    }
    let opens = does.strip_prefix("the user opens ").and_then(|rest| rest.strip_suffix(" again because $"));
    if let Some((id, phase)) = opens.and_then(|rest| rest.split_once(" of ")) {
        return Some(Deed::Comment(said_by_ann(phase.parse().ok()?, Some(id), Severity::Blocker, &one)));
    }
    Some(match does {
        "commits $" => Deed::Commit(one),
        "switches to branch $" => Deed::SwitchToNew(one),
        "makes branch $" => Deed::Branch(one),
        "makes tag $" => Deed::Tag(one),
        "leaves the branch" => Deed::Detach,
        "makes a repository in $" => Deed::Nest(one),
        "makes a hook $" => Deed::PutGit(format!("hooks/{one}"), "#!/bin/sh\n".to_owned()),
        "hides $ from git" => Deed::PutGit("info/exclude".to_owned(), format!("{one}\n")),
        "begins a cherry-pick" => Deed::BeginCherryPick,
        "removes the worktree" => Deed::RemoveWorktree,
        "has $ run" => Deed::Check(one),
        "tells $" => Deed::Tell(one),
        "the user stops the run" => Deed::StopRun,
        "the user lets the run end" => Deed::LeaveRun,
        _ => return None,
    })
}
