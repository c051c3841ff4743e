//! What happened to a dispatch: sent, answered, failed, lost.

use super::list;
use redraft_facts::event::{AfterFailure, Answered, Failed, Lost, Started};
use redraft_facts::prelude::*;
use redraft_facts::text::{span, utc};
use redraft_facts::usage::grouped;

pub(super) fn started(fact: &Started) -> String {
    let (agent, strategy) = (&fact.agent, fact.choice.strategy.name());
    let chars = grouped(fact.prompt_chars);
    let how = if fact.pull { "handed to" } else { "sent to" };
    let sandbox = fact.sandbox.as_ref().map(|level| format!("; sandbox {level}")).unwrap_or_default();
    let slot = fact.slot.as_ref();
    let slot = slot.map(|slot| format!("; in slot {} from {}", slot.number, short(&slot.base)));
    let slot = slot.unwrap_or_default();
    format!("{} {how} {agent}, {strategy}, {chars} characters{sandbox}{slot}", fact.ticket)
}

pub(super) fn answered(fact: &Answered) -> String {
    let (undone, ticket, took) = (undone(&fact.undone), &fact.ticket, span(fact.wall_ms));
    let (denied, noted) = (list("denied", &fact.denials), list("note", &fact.notes));
    let by = match &fact.hand {
        Some(hand) if hand.same => format!(" by the same hand ({})", hand.conversation),
        Some(hand) => format!(" by {}", hand.conversation),
        None => String::new(),
    };
    format!("{ticket} answered{by} in {took}{undone}{denied}{noted}")
}

pub(super) fn failed(fact: &Failed) -> String {
    let now = match fact.now {
        AfterFailure::Wait(ms) => format!("will be tried again in {}", span(ms)),
        AfterFailure::ParkUntil(at_ms) => format!("will be tried again after {}", utc(at_ms)),
        AfterFailure::FreshSession => "its conversation is gone, a new one will be started".to_owned(),
        AfterFailure::AskPerson => "a person must decide".to_owned(),
        AfterFailure::OverBudget(needs) => format!("it needs {needs} of the budget"),
        AfterFailure::GiveUp => "the attempt is over".to_owned(),
    };
    format!("{} failed: {}; {now}{}", fact.ticket, fact.detail, undone(&fact.undone))
}

pub(super) fn lost(fact: &Lost) -> String {
    format!("{} was lost; the budget counts {} for it{}", fact.ticket, fact.cost, undone(&fact.undone))
}

pub(super) fn short(commit: &str) -> &str {
    commit.get(..8).unwrap_or(commit)
}

fn undone(undone: &[String]) -> String {
    list("undone", undone)
}
