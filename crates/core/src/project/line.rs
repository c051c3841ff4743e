//! One event as one line, for `log` and for the progress of a run. Only what an author asks has more lines, which whoever
//! shows them indents.

use crate::event::{Event, Judgement, Now, StageOutcome};
use crate::findings::{FindingChange, Status};
use crate::ids::Role;
use crate::prelude::*;
use crate::probe::{CheckResult, MetAgent, Probed, Resume};
use crate::text::{count, one_line, span, utc};
use crate::usage::grouped;

/// What happened, without time and number.
pub fn line(event: &Event) -> String {
    match event {
        Event::FeatureCreated(fact) => {
            let (id, branch, lane, idea) = (fact.id, &fact.branch, fact.lane, one_line(&fact.idea, 80));
            format!("feature {id} created on {branch}, lane {lane}: {idea}")
        }
        Event::LoopOpened(fact) => {
            let (phase, pass, policy) = (fact.phase, fact.pass, fact.policy.name());
            format!(
                "{phase} opened, pass {pass}, policy {policy}, at most {} a stage",
                count(fact.limits.rounds.into(), "round")
            )
        }
        Event::Started(fact) => {
            let (agent, strategy) = (&fact.agent, fact.choice.strategy.name());
            let chars = grouped(fact.prompt_chars);
            format!("{} sent to {agent}, {strategy}, {chars} characters", fact.ticket)
        }
        Event::Answered(fact) => {
            let (undone, ticket, took) = (undone(&fact.undone), &fact.ticket, span(fact.wall_ms));
            let (denied, noted) = (list("denied", &fact.denials), list("note", &fact.notes));
            format!("{ticket} answered in {took}{undone}{denied}{noted}")
        }
        Event::Raised(fact) => format!("{} goes on with {} reserved for it", fact.ticket, fact.reserved),
        Event::Failed(fact) => {
            let now = match fact.now {
                Now::Wait(ms) => format!("will be tried again in {}", span(ms)),
                Now::ParkUntil(at_ms) => format!("will be tried again after {}", utc(at_ms)),
                Now::FreshSession => "its conversation is gone, a new one will be started".to_owned(),
                Now::AskPerson => "a person must decide".to_owned(),
                Now::OverBudget(needs) => format!("it needs {needs} of the budget"),
                Now::GiveUp => "the attempt is over".to_owned(),
            };
            format!("{} failed: {}; {now}{}", fact.ticket, fact.detail, undone(&fact.undone))
        }
        Event::Lost(fact) => {
            format!(
                "{} was lost; {} reserved for it counts as spent{}",
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
            format!("{} left out {}: {}", fact.by, fact.phase, one_line(&fact.why, 120))
        }
        Event::WentBack(fact) => {
            format!("{} went back to {}: {}", fact.by, fact.phase, one_line(&fact.why, 120))
        }
        Event::Unblocked(fact) => {
            let (by, names, why) = (&fact.by, fact.dependencies.join(", "), one_line(&fact.why, 120));
            format!("{by} goes on without waiting for {names}: {why}")
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
                format!("{} changed nothing; still at {}", fact.ticket.role, revision.short())
            }
            Some(revision) => format!("{} wrote revision {}", fact.ticket.role, revision.short()),
        },
        Event::Judged(fact) => {
            let role = &fact.ticket.role;
            match &fact.judgement {
                Judgement::Approved => format!("{role} approved{}", tally(&fact.changes)),
                Judgement::Rejected => format!("{role} rejected{}", tally(&fact.changes)),
                Judgement::Repair { why } => format!("{role} gave an answer that cannot be used: {why}"),
                Judgement::NoVerdict { why } => format!("{role} gave no verdict: {why}"),
            }
        }
        Event::Edited(fact) => {
            let did = if fact.first { "brought" } else { "edited" };
            format!("{} {did} the document: revision {}", fact.by, fact.revision.short())
        }
        Event::Checked(fact) if fact.passed => format!("gate {} passed", fact.gate),
        Event::Checked(fact) => format!("gate {} failed: {}", fact.gate, one_line(&fact.evidence, 160)),
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
            format!("{} decided {}{unseen}{why}", fact.by, fact.choice.name())
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
                0 => format!("{phase} closed at revision {revision}, approved by nobody"),
                some => format!("{phase} closed at revision {revision} with {}", count(some, "approval")),
            }
        }
        Event::Cancelled(fact) => format!("abandoned by {}: {}", fact.by, one_line(&fact.why, 120)),
        Event::Trusted(fact) => format!("{} accepted the commands of redraft.toml", fact.by),
        Event::AgentsMet(fact) => {
            let agents: Vec<String> = fact.agents.iter().map(met).collect();
            format!("works with {}", agents.join("; "))
        }
        Event::Probed(fact) => probed(fact),
        Event::BudgetSet(fact) => format!("{} set the budget to {}", fact.by, fact.limit),
        Event::BudgetReached(fact) => {
            let (needed, left) = (fact.needed, fact.left);
            format!(
                "{} was not sent: it may cost {needed}, and {left} of {} is left",
                fact.ticket, fact.limit
            )
        }
    }
}

fn met(met: &MetAgent) -> String {
    let MetAgent { agent, version, resume, why } = met;
    let off = match resume {
        Resume::No => format!(", not resumed: {}", one_line(why, 160)),
        Resume::Yes | Resume::Unproved => String::new(),
    };
    format!("{agent} ({version}){off}")
}

fn probed(fact: &Probed) -> String {
    let Probed { agent, version, checks, cost, .. } = fact;
    let names = |wanted: CheckResult| {
        let those = checks.iter().filter(|check| check.result == wanted);
        let names: Vec<&str> = those.map(|check| check.id.name()).collect();
        if names.is_empty() { String::new() } else { format!("{} {}", names.join(" "), wanted.name()) }
    };
    let all = [CheckResult::Passed, CheckResult::Failed, CheckResult::NotTried].map(names);
    let said: Vec<&str> = all.iter().map(String::as_str).filter(|said| !said.is_empty()).collect();
    format!("{agent} ({version}) was probed for {cost}: {}", said.join(", "))
}

fn undone(undone: &[String]) -> String {
    list("undone", undone)
}

/// `; undone: this, that`, or nothing.
fn list(what: &str, items: &[String]) -> String {
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
        (how_many(|change| matches!(change, FindingChange::Fixed { .. })), "fixed"),
        (how_many(|change| matches!(change, FindingChange::Withdrawn { .. })), "withdrawn"),
        (how_many(|c| matches!(c, FindingChange::Kept { .. } | FindingChange::Restated(_))), "still open"),
        (how_many(|change| matches!(change, FindingChange::Reopened { .. })), "reopened"),
    ];
    let said: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if said.is_empty() { String::new() } else { format!(": {}", said.join(", ")) }
}
