//! Renders one event as one line, for `log` and for the progress of a run. Only an author's questions take more lines,
//! which the caller indents.

use alloc::borrow::Cow;
use redraft_core::attribution::{Attribution, COMPUTED, in_words};
use redraft_facts::event::{
    About, AfterFailure, BankJudged, Built, Checked, Combined, CostCorrected, Decision, Drafted, Event,
    Judgement, LessonName, LoopOpened, ProposalSettled, StageOutcome,
};
use redraft_facts::findings::{FindingChange, Status};
use redraft_facts::harmless;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::probed::{MetAgent, ProbeResult, Probed, Resume};
use redraft_facts::text::{count, one_line, span, utc};
use redraft_facts::ticket::{Purpose, Unit};
use redraft_facts::usage::grouped;
use redraft_facts::verdict::Severity;

/// What happened, without time and number.
pub fn line(event: &Event) -> String {
    line_in(event, None, None)
}

/// The same for an event that happened in this phase, if that is known; with who judged, if the attribution is known.
pub fn line_in(event: &Event, phase: Option<Phase>, players: Option<&Attribution>) -> String {
    let judges = match (event, players) {
        (Event::Judged(fact), Some(players)) => players.shown(&fact.ticket),
        (Event::PhaseClosed(fact), Some(players)) => {
            let by = fact.approvals.iter().filter_map(|approval| players.judged_by(&approval.ticket));
            in_words(&by.collect::<Vec<_>>())
        }
        _ => String::new(),
    };
    let what = happened(event, phase);
    if judges.is_empty() { what } else { format!("{what}; by {judges}") }
}

fn happened(event: &Event, phase: Option<Phase>) -> String {
    match event {
        Event::FeatureCreated(fact) => {
            let (id, branch, lane, idea) = (fact.id, &fact.branch, fact.lane, one_line(&fact.idea, 80));
            if fact.change.is_some() {
                return format!("{} begun, lane {lane}: {idea}", fact.scope());
            }
            if fact.document.is_some() {
                return format!("{} begun on {branch}: {idea}", fact.scope());
            }
            format!("feature {id} created on {branch}, lane {lane}: {idea}")
        }
        Event::LoopOpened(fact) => {
            let (phase, pass, policy) = (fact.phase, fact.pass, fact.policy.name());
            let ticked: Vec<&str> =
                fact.tasks.iter().filter(|task| task.ticked).map(|task| task.id.as_str()).collect();
            let ticked = match ticked.as_slice() {
                [] => String::new(),
                ids => format!("; done before it was adopted, not by redraft: {}", ids.join(", ")),
            };
            let own = match own_texts(fact) {
                own if own.is_empty() => own,
                own => format!("; with the repository's own role text: {own}"),
            };
            format!(
                "{phase} opened, pass {pass}, policy {policy}, at most {} a stage{ticked}{own}",
                count(fact.limits.rounds.into(), "round")
            )
        }
        Event::Started(fact) => {
            let (agent, strategy) = (&fact.agent, fact.choice.strategy.name());
            let chars = grouped(fact.prompt_chars);
            let how = if fact.pull { "handed to" } else { "sent to" };
            let sandbox = fact.sandbox.as_ref().map(|level| format!("; sandbox {level}")).unwrap_or_default();
            let slot = fact.slot.as_ref();
            let slot = slot.map(|slot| format!("; in slot {} from {}", slot.number, short(&slot.base)));
            let slot = slot.unwrap_or_default();
            format!("{} {how} {agent}, {strategy}, {chars} characters{sandbox}{slot}", fact.ticket)
        }
        Event::Answered(fact) => {
            let (undone, ticket, took) = (undone(&fact.undone), &fact.ticket, span(fact.wall_ms));
            let (denied, noted) = (list("denied", &fact.denials), list("note", &fact.notes));
            let by = match &fact.hand {
                Some(hand) if hand.same => format!(" by the same hand ({})", hand.conversation),
                Some(hand) => format!(" by {}", hand.conversation),
                None => String::new(),
            };
            format!("{ticket} answered{by} in {took}{undone}{denied}{noted}")
        }
        Event::Raised(fact) => format!("{} continues with {} reserved for it", fact.ticket, fact.reserved),
        Event::Failed(fact) => {
            let now = match fact.now {
                AfterFailure::Wait(ms) => format!("will be tried again in {}", span(ms)),
                AfterFailure::ParkUntil(at_ms) => format!("will be tried again after {}", utc(at_ms)),
                AfterFailure::FreshSession => {
                    "its conversation is gone, a new one will be started".to_owned()
                }
                AfterFailure::AskPerson => "a person must decide".to_owned(),
                AfterFailure::OverBudget(needs) => format!("it needs {needs} of the budget"),
                AfterFailure::GiveUp => "the attempt is over".to_owned(),
            };
            format!("{} failed: {}; {now}{}", fact.ticket, fact.detail, undone(&fact.undone))
        }
        Event::Lost(fact) => {
            format!(
                "{} was lost; the budget counts {} for it{}",
                fact.ticket,
                fact.cost,
                undone(&fact.undone)
            )
        }
        Event::Adopted(fact) => {
            let taken: Vec<&str> = fact.accepted.iter().map(|phase| phase.artifact()).collect();
            let taken = if taken.is_empty() { "nothing".to_owned() } else { taken.join(", ") };
            format!("{} adopted {} ({}), taking {taken} as it is", fact.by, fact.from, fact.life.name())
        }
        Event::LaneSet(fact) => {
            let (lane, until, why) = (fact.lane, fact.until, one_line(&fact.why, 120));
            format!("{} chose lane {lane}, until {until}: {why}", fact.by)
        }
        Event::PhaseSkipped(fact) => {
            format!("{} skipped {}: {}", fact.by, fact.phase, one_line(&fact.why, 120))
        }
        Event::WentBack(fact) => {
            format!("{} went back to {}: {}", fact.by, fact.phase, one_line(&fact.why, 120))
        }
        Event::Unblocked(fact) => {
            let (by, names, why) = (&fact.by, fact.dependencies.join(", "), one_line(&fact.why, 120));
            format!("{by} continues without waiting for {names}: {why}")
        }
        Event::Drafted(fact) => match &fact.revision {
            None if !fact.questions.is_empty() => {
                format!(
                    "{} asks {} before it drafts",
                    fact.ticket.role,
                    count(fact.questions.len(), "question")
                )
            }
            None => format!("{} wrote nothing", fact.ticket.role),
            Some(revision) if fact.commit.is_empty() => {
                let (role, declined) = (&fact.ticket.role, declined(fact));
                format!("{role} changed nothing; still at {}{declined}", revision.short())
            }
            Some(revision) => {
                format!("{} wrote revision {}{}", fact.ticket.role, revision.short(), declined(fact))
            }
        },
        Event::Built(fact) => built(fact),
        Event::JobsSet(fact) => match fact.jobs {
            1 => "tasks are carried out one after the other".to_owned(),
            jobs => format!("up to {jobs} tasks are carried out side by side"),
        },
        Event::Enqueued(fact) => enqueued(&fact.work),
        Event::Combined(fact) => combined(fact),
        Event::TakenOut(fact) => {
            format!("removed what was built for a skipped task: {}", fact.files.join(", "))
        }
        Event::RetroWritten(fact) => {
            let how = match (&fact.plain, &fact.ticket) {
                (Some(why), _) => format!("from figures alone ({})", one_line(why, 120)),
                (None, Some(ticket)) => format!("with {}", ticket.role),
                (None, None) => "from figures alone".to_owned(),
            };
            format!("retrospective written {how}{}", list("new in the bank", &names(&fact.added)))
        }
        Event::BankJudged(fact) => bank_judged(fact),
        Event::BankApplied(fact) => {
            format!("written into the knowledge bank{}", list("note", &fact.notes))
        }
        Event::Merged(fact) => {
            format!("{} merged it into {}: {}", fact.by, fact.into, one_line(&fact.commit, 12))
        }
        Event::Judged(fact) => {
            let role = &fact.ticket.role;
            match &fact.judgement {
                Judgement::Approved => {
                    let mark = if fact.is_computed() { COMPUTED } else { "" };
                    format!("{role} approved{mark}{}", tally(&fact.changes))
                }
                Judgement::Rejected => format!("{role} rejected{}", tally(&fact.changes)),
                Judgement::Repair { why } => format!("{role} gave an answer that cannot be used: {why}"),
                Judgement::NoVerdict { why } => format!("{role} gave no verdict: {why}"),
            }
        }
        Event::Edited(fact) => {
            let did = if fact.first { "handed in" } else { "edited" };
            let what = match (&fact.compared, phase) {
                (Some(_), _) => "change",
                (None, Some(Phase::Implement)) if fact.first => {
                    let revision = fact.revision.short();
                    return format!(
                        "what the branch holds besides the documents is part of the change: revision {revision}"
                    );
                }
                (None, Some(Phase::Implement)) => "code",
                (None, Some(Phase::Finish)) => {
                    return format!("the merge result has changed: revision {}", fact.revision.short());
                }
                (None, _) => "document",
            };
            format!("{} {did} the {what}: revision {}", fact.by, fact.revision.short())
        }
        // A warning that does not block a merge may still have to be shown.
        Event::Checked(fact) if phase == Some(Phase::Finish) && fact.passed && fact.command.is_empty() => {
            let said = fact.in_a_line(160);
            let said = if said.is_empty() { said } else { format!(": {said}") };
            format!("gate {} passed{said}", fact.gate)
        }
        Event::Checked(fact) => checked(fact),
        Event::Asked(fact) => {
            let choices: Vec<&str> = fact.question.choices.iter().map(|choice| choice.name()).collect();
            // An author's questions follow, a line each.
            let (first, more) = fact.question.text.split_once('\n').unwrap_or((&fact.question.text, ""));
            let more = if more.is_empty() { String::new() } else { format!("\n{more}") };
            format!("asked: {first} ({}){more}", choices.join(", "))
        }
        Event::Decided(fact) => {
            let why =
                if fact.why.is_empty() { String::new() } else { format!(": {}", one_line(&fact.why, 120)) };
            let names: Vec<&str> = fact.unseen.iter().map(Role::as_str).collect();
            let unseen = if names.is_empty() {
                String::new()
            } else {
                format!(" (not reviewed by {})", names.join(", "))
            };
            let what = match (&fact.about, fact.choice) {
                (About::Disagreement { .. }, Decision::Uphold | Decision::Overrule) => {
                    format!(" {}", fact.disputed_in_words())
                }
                _ => String::new(),
            };
            format!("{} decided {}{what}{unseen}{why}", fact.by, fact.choice.name())
        }
        Event::Commented(fact) => {
            let (by, id, text) = (&fact.by, &fact.finding, one_line(&fact.text, 300));
            match (fact.reopens, fact.severity) {
                (true, _) => format!("{by} opened {id} of {} again: {text}", fact.phase),
                (false, Severity::Blocker) => format!("{by} commented on {} ({id}): {text}", fact.phase),
                (false, _) => format!("{by} noted on {} ({id}): {text}", fact.phase),
            }
        }
        Event::StageClosed(fact) => match fact.outcome {
            StageOutcome::Approved => format!("stage {} approved in round {}", fact.stage + 1, fact.round),
            StageOutcome::Failed => {
                format!(
                    "stage {} was not approved; a person accepted it in round {}",
                    fact.stage + 1,
                    fact.round
                )
            }
        },
        Event::PhaseClosed(fact) => {
            let (phase, revision) = (fact.phase, fact.revision.short());
            match fact.approvals.len() {
                0 if phase == Phase::Finish => format!("{phase} closed at revision {revision}"),
                0 => format!("{phase} closed at revision {revision}, approved by nobody"),
                some => {
                    let same = fact.approvals.iter().filter(|approval| approval.same_hand).count();
                    let mark = if same == 0 { String::new() } else { format!(", {same} by the same hand") };
                    format!("{phase} closed at revision {revision} with {}{mark}", count(some, "approval"))
                }
            }
        }
        Event::Cancelled(fact) => format!("abandoned by {}: {}", fact.by, one_line(&fact.why, 120)),
        Event::DriverChanged(fact) => {
            let how = match (fact.fence, fact.forced) {
                (1, _) => "shares it from",
                (_, true) => "took it over in",
                (_, false) => "goes on in",
            };
            format!("{} {how} {}", fact.by, fact.place)
        }
        Event::ProposalSettled(fact) => {
            let ProposalSettled { by, place, what, refused, .. } = fact;
            match refused {
                None => format!("took in from {place}: {what} by {by}"),
                Some(why) => format!("refused from {place}: {what} by {by}, because {}", one_line(why, 200)),
            }
        }
        Event::Redacted(fact) => {
            let (events, blobs) = (count(fact.events.len(), "event"), count(fact.blobs as usize, "blob"));
            let (objects, files) =
                (count(fact.objects as usize, "object"), count(fact.files as usize, "file"));
            let why = one_line(&fact.why, 120);
            format!(
                "{} removed a secret from {events}, {blobs}, {objects} of git and {files}: {why}",
                fact.by
            )
        }
        Event::Unreadable(fact) => {
            let what = match &fact.blob {
                Some(blob) => format!("blob {blob}"),
                None if fact.kind.is_empty() => "an event".to_owned(),
                None => format!("a `{}` event", fact.kind),
            };
            format!("{what} was lost: {}", one_line(&fact.detail, 120))
        }
        Event::SigningBegan(fact) => format!(
            "{} goes on with a key of their own; accepted as they are: the entries from {} on ({})",
            fact.by,
            fact.accepted,
            one_line(&fact.found, 120)
        ),
        Event::AgentsMet(fact) => {
            let agents: Vec<String> = fact.agents.iter().map(met).collect();
            format!("works with {}", agents.join("; "))
        }
        Event::Probed(fact) => probed(fact),
        Event::BudgetSet(fact) => format!("{} set the budget to {}", fact.by, fact.limit),
        Event::CostCorrected(fact) => {
            let CostCorrected { ticket, was, cost, by, why } = fact;
            format!("{by} corrected the cost of {ticket} from {was} to {cost}: {}", one_line(why, 200))
        }
        Event::BudgetReached(fact) => {
            let (needed, left) = (fact.needed, fact.left);
            format!(
                "{} was not sent: it may cost {needed}, and {left} of {} is left",
                fact.ticket, fact.limit
            )
        }
    }
}

fn names(lessons: &[LessonName]) -> Vec<String> {
    lessons.iter().map(|lesson| one_line(&lesson.name, 80)).collect()
}

/// The files of the repository that stand in place of built-in role texts in a loop.
pub(crate) fn own_texts(opened: &LoopOpened) -> String {
    let files: Vec<String> =
        opened.profiles.keys().map(|role| format!(".redraft/agents/{role}.md")).collect();
    files.join(", ")
}

fn bank_judged(fact: &BankJudged) -> String {
    if fact.ticket.is_none() {
        return format!("the knowledge bank stays as it is{}", list("note", &fact.notes));
    }
    let challenged: Vec<LessonName> = fact.challenged.iter().map(|one| one.lesson.clone()).collect();
    let only = if fact.proposed { "; only proposed" } else { "" };
    let told = [list("confirmed", &names(&fact.confirmed)), list("challenged", &names(&challenged))].concat();
    let told = if told.is_empty() { ": nothing to say about it".to_owned() } else { told };
    format!("older lessons were compared with this feature{told}{only}")
}

/// `; declined: S1, S2`, or nothing.
fn declined(fact: &Drafted) -> String {
    let ids: Vec<String> = fact.declined.iter().map(|declined| declined.id.to_string()).collect();
    list("declined", &ids)
}

fn built(fact: &Built) -> String {
    let (role, files) = (&fact.ticket.role, count(fact.files.len(), "file"));
    let what = match &fact.ticket.unit {
        Unit::Task(task) => format!("task {task}: "),
        Unit::Whole => String::new(),
    };
    let stopped = match &fact.unfinished {
        Some(why) => format!("; {role} says that it is not done: {}", one_line(why, 120)),
        None => String::new(),
    };
    let done = match fact.ticket.purpose {
        Purpose::Outline if fact.already => format!("{role} outlined no tests"),
        Purpose::Outline => format!("{role} outlined tests from the documents"),
        _ if fact.commit.is_empty() && fact.already => format!("{what}{role} says that it is already done"),
        _ if fact.commit.is_empty() => format!("{what}{role} changed nothing"),
        _ => format!("{what}{role} changed {files}: revision {}", fact.revision.short()),
    };
    format!("{done}{stopped}")
}

/// What was done in a worktree of its own.
fn enqueued(fact: &Built) -> String {
    match fact.unfinished {
        Some(_) => built(fact),
        None => format!("{}; it waits to become part of the feature", built(fact)),
    }
}

fn combined(fact: &Combined) -> String {
    let tasks: Vec<&str> = fact.steps.iter().map(|step| step.task.as_str()).collect();
    let onto = fact.onto.short();
    let put = match tasks.as_slice() {
        [] => String::new(),
        [task] => format!("put task {task} on top of revision {onto}, in no checkout"),
        tasks => format!("put tasks {} on top of revision {onto}, in no checkout", tasks.join(", ")),
    };
    match &fact.conflict {
        None => put,
        Some(conflict) => {
            let files: Vec<String> = conflict.files.iter().map(|file| one_line(file, 120)).collect();
            let but = if put.is_empty() { "" } else { "; " };
            format!("{put}{but}task {} conflicts in {}", conflict.task, files.join(", "))
        }
    }
}

fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

fn checked(fact: &Checked) -> String {
    let checkout = fact.checkout.as_ref();
    let place = match checkout.is_some_and(|checkout| checkout.empty) {
        true => ", in an empty checkout",
        false => "",
    };
    let how = match (checkout.and_then(|checkout| checkout.same_as), fact.command.is_empty(), fact.code) {
        (_, true, _) => String::new(),
        (Some(seq), false, _) => format!(" (not run again: event {seq} has the result for the same files)"),
        (None, false, Some(code)) => format!(" (code {code}, {}{place})", span(fact.wall_ms)),
        (None, false, None) => format!(" (ended after {}{place})", span(fact.wall_ms)),
    };
    let sandbox = checkout.and_then(|checkout| checkout.sandbox.as_ref());
    let sandbox = sandbox.map(|level| format!("; sandbox {level}")).unwrap_or_default();
    let notes = checkout.map(|checkout| list("noticed", &checkout.notes)).unwrap_or_default();
    let notes = sandbox + &notes;
    match fact.passed {
        true => format!("gate {} passed{how}{notes}", fact.gate),
        false => format!("gate {} failed{how}: {}{notes}", fact.gate, fact.in_a_line(160)),
    }
}

fn met(met: &MetAgent) -> String {
    let MetAgent { agent, version, resume, .. } = met;
    let off = match resume {
        Resume::No => format!(", not resumed: {}", one_line(met.reason(), 160)),
        Resume::Yes => ", which remembers its conversations".to_owned(),
        Resume::Unproved => String::new(),
    };
    format!("{agent} ({version}){off}")
}

fn probed(fact: &Probed) -> String {
    let Probed { agent, version, checks, cost, .. } = fact;
    let names = |wanted: ProbeResult| {
        let those = checks.iter().filter(|check| check.result == wanted);
        let names: Vec<&str> = those.map(|check| check.id.in_words()).collect();
        if names.is_empty() { String::new() } else { format!("{} {}", wanted.name(), names.join(", ")) }
    };
    let all = [ProbeResult::Passed, ProbeResult::Failed, ProbeResult::NotTried].map(names);
    let said: Vec<&str> = all.iter().map(String::as_str).filter(|said| !said.is_empty()).collect();
    format!("{agent} ({version}) was probed for {cost}: {}", said.join("; "))
}

fn undone(undone: &[String]) -> String {
    list("undone", undone)
}

/// `; undone: this, that`, or nothing.
fn list(what: &str, items: &[String]) -> String {
    // Some are names of files, which may hold line breaks.
    let items: Vec<Cow<'_, str>> = items.iter().map(|item| harmless::name(item)).collect();
    if items.is_empty() { String::new() } else { format!("; {what}: {}", items.join(", ")) }
}

/// `: 2 new, 1 fixed`, whatever there is.
fn tally(changes: &[FindingChange]) -> String {
    let how_many =
        |wanted: fn(&FindingChange) -> bool| changes.iter().filter(|change| wanted(change)).count();
    let raised = |status: Status| {
        changes
            .iter()
            .filter(|change| matches!(change, FindingChange::Raised(f) if f.status == status))
            .count()
    };
    let counts = [
        (raised(Status::Open), "new"),
        (raised(Status::Deferred), "deferred"),
        (raised(Status::Ruled) + raised(Status::Overruled), "settled before"),
        (how_many(|change| matches!(change, FindingChange::Fixed { .. })), "fixed"),
        (how_many(|change| matches!(change, FindingChange::Withdrawn { .. })), "withdrawn"),
        (how_many(|c| matches!(c, FindingChange::Kept { .. } | FindingChange::Restated(_))), "still open"),
        (how_many(|change| matches!(change, FindingChange::Reopened { .. })), "reopened"),
    ];
    let said: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if said.is_empty() { String::new() } else { format!(": {}", said.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::event::Edited;
    use redraft_facts::ids::Revision;

    #[test]
    fn what_a_command_printed_is_told_from_how_it_ended() {
        let (gate, command) = ("test".to_owned(), "make test".to_owned());
        let evidence = "`make test` ended with code 1\n200 entries took 3 seconds\n".to_owned();
        let revision = Revision::new("1234567890");
        let (passed, output) = (false, String::new());
        let fact = Checked {
            pass: 1,
            revision,
            gate,
            passed,
            evidence,
            command,
            code: Some(1),
            wall_ms: 2000,
            output,
            checkout: None,
        };
        let told = line(&Event::from(fact.clone()));
        assert!(told.ends_with(": `make test` ended with code 1: 200 entries took 3 seconds"), "{told}");
        let lint = Checked { command: String::new(), evidence: "line 1 a\nline 2 b".to_owned(), ..fact };
        assert!(line(&Event::from(lint)).ends_with("failed: line 1 a line 2 b"));
    }

    #[test]
    fn an_edit_of_code_is_not_called_one_of_a_document() {
        let revision = Revision::new("1234567890");
        let (commit, by) = (String::new(), "ann".to_owned());
        let event = Event::from(Edited { revision, commit, by, first: false, compared: None });
        assert!(line_in(&event, Some(Phase::Implement), None).starts_with("ann edited the code: "));
        assert!(line_in(&event, Some(Phase::Design), None).starts_with("ann edited the document: "));
        let Event::Edited(edited) = event.clone() else { unreachable!() };
        let along = Event::from(Edited { first: true, ..edited });
        assert!(line_in(&along, Some(Phase::Implement), None).starts_with("what the branch holds besides "));
        assert!(line(&event).starts_with("ann edited the document: "));
    }
}
