//! Renders one event as one line, for `log` and for the progress of a run. Only an author's questions take more lines,
//! which the caller indents.

mod code;
mod dispatch;
mod people;
#[cfg(test)]
mod tests;

use alloc::borrow::Cow;
use code::{built, checked, combined, enqueued};
use dispatch::{answered, failed, lost, started};
use people::{asked, commented, decided, edited};
use redraft_core::attribution::{Attribution, COMPUTED, in_words};
use redraft_facts::event::{
    BankJudged, CostCorrected, Drafted, Event, Judgement, LessonName, LoopOpened, ProposalSettled,
    StageOutcome,
};
use redraft_facts::findings::{FindingChange, Status};
use redraft_facts::harmless;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::probed::{MetAgent, ProbeResult, Probed, Resume};
use redraft_facts::text::{count, one_line};

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
        Event::Started(fact) => started(fact),
        Event::Answered(fact) => answered(fact),
        Event::Raised(fact) => format!("{} continues with {} reserved for it", fact.ticket, fact.reserved),
        Event::Failed(fact) => failed(fact),
        Event::Lost(fact) => lost(fact),
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
        Event::Edited(fact) => edited(fact, phase),
        // A warning that does not block a merge may still have to be shown.
        Event::Checked(fact) if phase == Some(Phase::Finish) && fact.passed && fact.command.is_empty() => {
            let said = fact.in_a_line(160);
            let said = if said.is_empty() { said } else { format!(": {said}") };
            format!("gate {} passed{said}", fact.gate)
        }
        Event::Checked(fact) => checked(fact),
        Event::Asked(fact) => asked(fact),
        Event::Decided(fact) => decided(fact),
        Event::Commented(fact) => commented(fact),
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
