//! The sentences of a story, each from one fact. Which are told, and when, is the narrator's business.

use crate::projections::own_texts;
use crate::question::of_author;
use redraft_core::attribution::COMPUTED;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::Loop;
use redraft_facts::event::{
    AfterFailure, Answered, Asked, Built, Checked, Drafted, Failed, Judged, Judgement, LoopOpened, Lost,
    PhaseClosed,
};
use redraft_facts::findings::{Finding, FindingChange, Status};
use redraft_facts::harmless;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::probed::{MetAgent, Resume};
use redraft_facts::text::{count, one_line, span, utc};
use redraft_facts::ticket::{Purpose, Ticket, Unit};

/// As much of a finding as anybody reads in passing; a longer one is in `redraft show findings`.
const FINDING_CHARS_MAX: usize = 600;
/// The same for what is said about one.
const NOTE_CHARS_MAX: usize = 240;

/// The beginning of a phase, with what is unusual about it.
pub(super) fn headline(fact: &LoopOpened, state: &Pipeline) -> String {
    let ticked: Vec<&str> =
        fact.tasks.iter().filter(|task| task.ticked).map(|task| task.id.as_str()).collect();
    let ticked = match ticked.as_slice() {
        [] => String::new(),
        ids => format!(" (done before it was adopted, not by redraft: {})", ids.join(", ")),
    };
    let own = match own_texts(fact) {
        own if own.is_empty() => own,
        own => format!(" (with the repository's own role text: {own})"),
    };
    format!("{}{ticked}{own}", begun(fact, state))
}

fn begun(fact: &LoopOpened, state: &Pipeline) -> String {
    let (phase, author) = (fact.phase, &fact.author);
    let again = if fact.pass > 1 { " again" } else { "" };
    let alone = state.created.as_ref().is_some_and(|created| created.is_review());
    match (phase, fact.tasks.len()) {
        (_, 0) if alone => {
            let seats = fact.panels.iter().flat_map(|panel| &panel.roles);
            let roles: Vec<&str> = seats.map(|seat| seat.role.as_str()).collect();
            // A gate may fail first, and then nobody is asked.
            let verb = if roles.len() == 1 { "is to review" } else { "are to review" };
            format!("\nreview: {} {verb} {}{again}", listed(&roles), subject(phase, state))
        }
        (Phase::Finish, _) => {
            format!("\n{phase}: the merge result is checked, then the feature is looked back on")
        }
        (_, 0) => format!("\n{phase}: {author} writes {}{again}", subject(phase, state)),
        (_, all) => {
            // The same count as the question before code is written.
            let tasks = match fact.tasks.iter().filter(|task| !task.ticked).count() {
                owed if owed == all => count(all, "task"),
                owed => format!("{owed} of {}", count(all, "task")),
            };
            format!("\n{phase}: {author} carries out {tasks}{again}")
        }
    }
}

/// What a loop is about: a document, the code or a change.
pub(super) fn subject(phase: Phase, state: &Pipeline) -> String {
    let created = state.created.as_ref();
    match phase {
        Phase::Implement if created.is_some_and(|created| created.change.is_some()) => {
            "the change".to_owned()
        }
        Phase::Implement => "the code".to_owned(),
        Phase::Finish => "the feature".to_owned(),
        _ => match created.and_then(|created| created.document.clone()) {
            Some(document) => document,
            None => phase.artifact().to_owned(),
        },
    }
}

/// What a role does in a dispatch: `reviews spec.md`, `carries out task 2.1`.
pub fn task_of(ticket: &Ticket, state: &Pipeline) -> String {
    let what = subject(ticket.phase, state);
    match (ticket.purpose, &ticket.unit) {
        (Purpose::Implement, Unit::Task(id)) => format!("carries out task {id}"),
        (Purpose::Implement, Unit::Whole) => "changes the code".to_owned(),
        (Purpose::Draft, _) => format!("writes {what}"),
        (Purpose::Revise, _) => format!("revises {what}"),
        (Purpose::Review, _) => format!("reviews {what}"),
        (Purpose::Validate, _) => format!("looks again at {what}"),
        (Purpose::Certify, _) => format!("reads {what} with fresh eyes"),
        (Purpose::Repair, _) => "is asked again for an answer that can be used".to_owned(),
        (Purpose::Simplify, _) => "makes the code simpler".to_owned(),
        (Purpose::Outline, _) => "outlines tests from the documents".to_owned(),
        (Purpose::Tests, _) => "writes tests".to_owned(),
        (Purpose::Retro, _) => "looks back on the feature".to_owned(),
        (Purpose::Judge, _) => "compares older lessons with the feature".to_owned(),
        (Purpose::Probe, _) => "answers a probe".to_owned(),
    }
}

/// The agents whose conversations are not continued, and why.
pub fn not_continued(met: &[MetAgent]) -> Vec<String> {
    let off = met.iter().filter(|met| met.resume == Resume::No);
    off.map(|met| {
        format!("  {}: conversations are not continued: {}", met.agent, one_line(met.reason(), 160))
    })
    .collect()
}

/// What comes next and what it is expected to cost, before code is written.
pub(super) fn begins(fact: &Asked) -> Vec<String> {
    let mut lines = vec![format!("  {}", one_line(&fact.question.text, FINDING_CHARS_MAX))];
    lines.extend(
        fact.estimate.iter().map(|forecast| format!("  expected from here: {}", forecast.in_a_line())),
    );
    lines
}

/// Only what a person should know about it; what was answered follows as a verdict or a draft.
pub(super) fn answered(fact: &Answered) -> Vec<String> {
    let role = whom(&fact.ticket);
    let named = |items: &[String]| {
        items.iter().map(|item| harmless::name(item).into_owned()).collect::<Vec<String>>().join(", ")
    };
    let mut lines = Vec::new();
    if let Some(hand) = fact.hand.as_ref().filter(|hand| hand.same) {
        lines.push(format!("  {role} is the same hand as the author ({})", hand.conversation));
    }
    if !fact.undone.is_empty() {
        lines.push(format!("  {role} changed what it may not change; undone: {}", named(&fact.undone)));
    }
    if !fact.denials.is_empty() {
        lines.push(format!("  {role} was denied: {}", named(&fact.denials)));
    }
    lines.extend(fact.notes.iter().map(|note| format!("  {role}: {}", one_line(note, NOTE_CHARS_MAX))));
    lines
}

pub(super) fn failed(fact: &Failed) -> String {
    let now = match fact.now {
        AfterFailure::Wait(ms) => format!("it is tried again in {}", span(ms)),
        AfterFailure::ParkUntil(at_ms) => format!("it is tried again after {}", utc(at_ms)),
        AfterFailure::FreshSession => "its conversation is gone, so a new one is begun".to_owned(),
        AfterFailure::AskPerson => "a person must decide".to_owned(),
        AfterFailure::OverBudget(needs) => format!("it needs {needs} of the budget"),
        AfterFailure::GiveUp => "this attempt is over".to_owned(),
    };
    let undone = match fact.undone.as_slice() {
        [] => String::new(),
        some => {
            let names: Vec<String> = some.iter().map(|item| harmless::name(item).into_owned()).collect();
            format!("; undone: {}", names.join(", "))
        }
    };
    format!("{} failed: {}; {now}{undone}", whom(&fact.ticket), fact.detail)
}

/// `implementer of task 2.1`, because others may be at work beside it.
fn whom(ticket: &Ticket) -> String {
    match &ticket.unit {
        Unit::Task(id) => format!("{} of task {id}", ticket.role),
        Unit::Whole => ticket.role.to_string(),
    }
}

pub(super) fn lost(fact: &Lost) -> String {
    let (role, cost) = (whom(&fact.ticket), fact.cost);
    format!("{role} was interrupted; the budget counts {cost} for it, the most it can have cost")
}

/// An author's words, then what it did about each finding.
pub(super) fn drafted(fact: &Drafted) -> Vec<String> {
    let role = &fact.ticket.role;
    if !fact.questions.is_empty() {
        let number = count(fact.questions.len(), "question");
        let mut lines = vec![format!("  {role} asks {number} before it drafts")];
        for (at, asked) in fact.questions.iter().enumerate() {
            lines.push(format!("    {}", of_author(at, asked)));
        }
        return lines;
    }
    if fact.revision.is_none() {
        return vec![format!("  {role} wrote nothing")];
    }
    let mut said = fact.summary.lines();
    let first = one_line(said.next().unwrap_or_default(), FINDING_CHARS_MAX);
    let first = match (first.as_str(), fact.commit.is_empty()) {
        ("", true) => format!("  {role} changed nothing"),
        (words, true) => format!("  {role} changed nothing: {words}"),
        ("", false) => format!("  {role} has written it"),
        (words, false) => format!("  {role}: {words}"),
    };
    let mut lines = vec![first];
    // `- S1: fixed. What was done`, where the summary does not say the same.
    let new = |line: &&str| {
        let note = line.split_once(". ").map_or("", |(_, note)| note);
        note.is_empty() || !fact.summary.lines().next().unwrap_or_default().contains(note)
    };
    let answers = said.filter_map(|line| line.strip_prefix("- ")).filter(new);
    lines.extend(answers.map(|line| format!("    {}", one_line(line, NOTE_CHARS_MAX))));
    let declined = fact.declined.iter();
    lines.extend(
        declined.map(|one| format!("    {} declined: {}", one.id, one_line(&one.why, NOTE_CHARS_MAX))),
    );
    lines
}

/// What an agent did to the code.
pub(super) fn built(fact: &Built) -> String {
    let role = &fact.ticket.role;
    let files = count(fact.files.len(), "file");
    let done = match (&fact.ticket.unit, fact.ticket.purpose) {
        (Unit::Task(id), _) if fact.already && fact.files.is_empty() => {
            format!("  task {id} was already complete")
        }
        (Unit::Task(id), _) if fact.commit.is_empty() => format!("  task {id}: {role} changed nothing"),
        (Unit::Task(id), _) => format!("  task {id} was carried out in {files}"),
        (Unit::Whole, Purpose::Outline) if fact.already => format!("  {role} outlined no tests"),
        (Unit::Whole, Purpose::Outline) => format!("  {role} outlined tests, from the documents alone"),
        (Unit::Whole, _) if fact.files.is_empty() => format!("  {role} changed nothing"),
        (Unit::Whole, Purpose::Simplify) => format!("  {role} made {files} simpler"),
        (Unit::Whole, _) => format!("  {role} wrote tests in {files}"),
    };
    match &fact.unfinished {
        Some(why) => format!("{done}; {role} says that it is not done: {}", one_line(why, NOTE_CHARS_MAX)),
        None => done,
    }
}

pub(super) fn judged(fact: &Judged) -> String {
    let raised = fact.changes.iter().filter(|change| matches!(change, FindingChange::Raised(_))).count();
    let open = |change: &&FindingChange| match change {
        FindingChange::Kept { .. } | FindingChange::Restated(_) | FindingChange::Reopened { .. } => true,
        FindingChange::Raised(_) | FindingChange::Fixed { .. } | FindingChange::Withdrawn { .. } => false,
    };
    let left = fact.changes.iter().filter(open).count();
    match fact.judgement {
        Judgement::Rejected => match (raised, left) {
            (0, 0) => "rejected".to_owned(),
            (0, left) => format!("rejected: {left} still open"),
            (raised, 0) => format!("rejected: {}", count(raised, "finding")),
            (raised, left) => format!("rejected: {}, {left} still open", count(raised, "finding")),
        },
        _ => {
            let what = match fact.ticket.purpose {
                Purpose::Validate => "approved what has changed since",
                Purpose::Certify => "approved with fresh eyes",
                _ => "approved",
            };
            let mark = if fact.is_computed() { COMPUTED } else { "" };
            let found =
                if raised > 0 { format!(", with {}", count(raised, "finding")) } else { String::new() };
            format!("{what}{mark}{found}")
        }
    }
}

/// New findings in full, then what became of older ones.
pub(super) fn changes(changes: &[FindingChange], state: &Pipeline) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut fixed, mut others) = (Vec::new(), Vec::new());
    for change in changes {
        match change {
            FindingChange::Raised(finding) => lines.push(raised(finding, "", state)),
            FindingChange::Restated(finding) => lines.push(raised(finding, ", said again", state)),
            FindingChange::Fixed { id, .. } => fixed.push(id.to_string()),
            FindingChange::Withdrawn { id, note } => others.push(noted(id, "is withdrawn", note)),
            FindingChange::Kept { id, note } => others.push(noted(id, "is still open", note)),
            FindingChange::Reopened { id, note } => others.push(noted(id, "is open again", note)),
        }
    }
    if !fixed.is_empty() {
        let verb = if fixed.len() == 1 { "is" } else { "are" };
        let ids: Vec<&str> = fixed.iter().map(String::as_str).collect();
        lines.push(format!("    {} {verb} fixed", listed(&ids)));
    }
    lines.extend(others);
    lines
}

fn noted(id: &redraft_facts::ids::FindingId, what: &str, note: &str) -> String {
    let note = one_line(note, NOTE_CHARS_MAX);
    if note.is_empty() { format!("    {id} {what}") } else { format!("    {id} {what}: {note}") }
}

fn raised(finding: &Finding, how: &str, state: &Pipeline) -> String {
    let Finding { id, severity, .. } = finding;
    // How it is known does not matter here.
    let what = finding.description.trim_end().trim_end_matches(" [read]").trim_end_matches(" [traced]");
    let what = one_line(what, FINDING_CHARS_MAX);
    let aside = match (&finding.unverified, finding.status) {
        (Some(why), _) => format!("; not verified: {}", one_line(why, NOTE_CHARS_MAX)),
        (None, Status::Deferred) => {
            "; deferred, because it is about text that was reviewed before".to_owned()
        }
        (None, Status::Ruled | Status::Overruled) => "; a person has settled that before".to_owned(),
        (None, _) => String::new(),
    };
    format!("    {id} {severity}{}{how}: {what}{aside}", place(finding, state))
}

/// ` at line 12`: the file only where it is not what everybody is talking about.
fn place(finding: &Finding, state: &Pipeline) -> String {
    let document = state.open.as_ref().map(|open| open.artifact()).unwrap_or_default();
    let name = if finding.file == document { "" } else { finding.file.as_str() };
    match (name, finding.line) {
        ("", 0) => String::new(),
        ("", line) => format!(" at line {line}"),
        (file, 0) => format!(" in {file}"),
        (file, line) => format!(" at {file}:{line}"),
    }
}

/// What a check did to files that are not its own.
pub(super) fn noticed(fact: &Checked) -> Vec<String> {
    let notes = fact.checkout.iter().flat_map(|checkout| &checkout.notes);
    notes.map(|note| format!("    noticed: {}", harmless::name(note))).collect()
}

/// What a gate says about what would be merged.
pub(super) fn on_the_merge(fact: &Checked) -> String {
    match (fact.command.is_empty(), fact.evidence.is_empty()) {
        (false, _) => format!("`{}` passed on what would be merged", one_line(&fact.command, 60)),
        (true, true) => format!("{}: nothing to say", fact.gate),
        (true, false) => format!("{}: {}", fact.gate, one_line(&fact.evidence, NOTE_CHARS_MAX)),
    }
}

pub(super) fn closed(fact: &PhaseClosed, state: &Pipeline) -> String {
    if fact.phase == Phase::Finish {
        let has_base = state.created.as_ref().is_some_and(|created| !created.base_branch.is_empty());
        let merging = if has_base { "; its branch is ready to be merged" } else { "" };
        return format!("the feature is finished{merging}");
    }
    let what = subject(fact.phase, state);
    let same = |same: bool| if same { " (the same hand)" } else { "" };
    let roles: Vec<String> = fact
        .approvals
        .iter()
        .map(|approval| format!("{}{}", approval.role, same(approval.same_hand)))
        .collect();
    let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
    let last = state.latest().filter(|last| last.opened.phase == fact.phase);
    let ruled = last.iter().flat_map(|last| &last.reviewers).filter(|seat| seat.ruled());
    let ruled: Vec<&str> = ruled.map(|seat| seat.role.as_str()).collect();
    let failed = match last.is_some_and(Loop::goes_on_with_a_failed_check) {
        true => "; a person went on although a gate fails",
        false => "",
    };
    let how = match (roles.as_slice(), ruled.as_slice()) {
        ([], []) => "closed by gates only; no reviewer has approved it".to_owned(),
        ([], ruled) => format!("accepted by a person in place of {}", listed(ruled)),
        (roles, []) => format!("approved by {}", listed(roles)),
        (roles, ruled) => {
            format!("approved by {}; a person accepted it in place of {}", listed(roles), listed(ruled))
        }
    };
    format!("{what} is {how}{failed}")
}

pub(super) fn listed(names: &[&str]) -> String {
    match names {
        [first @ .., one, last] => [first.to_vec(), vec![&format!("{one} and {last}")]].concat().join(", "),
        few => few.concat(),
    }
}
