//! `redraft cost correct`: records what a dispatch really cost, as a person says; the budget uses that from then on.

use super::run::dollars;
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::{Entry, Event};
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use redraft_frame::args::CorrectArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::resolve::ticket_in;
use serde::Serialize;

#[derive(Serialize)]
struct CorrectedJson<'a> {
    v: u16,
    ticket: &'a Ticket,
    was_micro_usd: Usd,
    corrected_micro_usd: Usd,
    by: &'a str,
    why: &'a str,
    /// What the budget counts for the whole feature now.
    counted_micro_usd: Usd,
}

pub(super) fn correct(
    args: &CorrectArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let Some(cost) = dollars(&args.usd) else {
        let message = format!("`{}` is not a cost: dollars from 0 to 1,000,000 are accepted", args.usd);
        return Err(CliError::usage(message).hint("write it as 0.12 or 0"));
    };
    if args.why.is_empty() {
        return Err(
            CliError::usage("a correction needs a reason").hint("add --why \"the vendor's bill says so\"")
        );
    }
    let repo = process.repository()?;
    let ledger = repo.writer()?;
    let scope = repo.resolve_scope(&ledger, Some(&args.feature), process)?;
    let _lock = repo.lock(&scope.to_string(), process)?;
    let mut journal = process.journal(&ledger, scope.clone())?;
    let ticket = ticket_in(&scope, &args.ticket)?;
    let was = recorded(journal.state(), &ticket, journal.entries())?;
    if was == cost {
        return Err(CliError::usage(format!("{ticket} is already recorded at {cost}")));
    }
    let corrected = journal.correct_cost(ticket.clone(), (was, cost), &process.user, &args.why)?;
    let counted = journal.state().money.counted();
    let shown = CorrectedJson {
        v: 1,
        ticket: &ticket,
        was_micro_usd: was,
        corrected_micro_usd: cost,
        by: &corrected.by,
        why: &corrected.why,
        counted_micro_usd: counted,
    };
    let show = process.next(&format!("redraft cost {scope}"));
    let text = format!(
        "{ticket}: corrected from {was} to {cost}; the budget now counts {counted} for {scope}\nnext: {show}"
    );
    console.show(&text, &shown);
    Ok(ErrorCode::Done)
}

/// What the budget counts for a dispatch now.
fn recorded(state: &Pipeline, ticket: &Ticket, entries: &[Entry]) -> Result<Usd, CliError> {
    if let Some(counted) = state.bills.counted(ticket) {
        return Ok(counted);
    }
    let sent: Vec<&Ticket> = entries
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Started(fact) => Some(&fact.ticket),
            _ => None,
        })
        .collect();
    let error = match sent.contains(&ticket) {
        false => CliError::usage(format!("{ticket} was not sent")),
        true if state.bills.is_open(ticket) => {
            return Err(CliError::usage(format!("{ticket} is not over, so it has no cost yet"))
                .hint("let `redraft run` complete it first"));
        }
        true => {
            return Err(CliError::usage(format!(
                "{ticket} was done by a host, and hosts do not report what work costs"
            ))
            .hint("the budget counts nothing for it"));
        }
    };
    let names: Vec<String> = sent.iter().map(ToString::to_string).collect();
    Err(if names.is_empty() { error } else { error.hint(format!("sent so far: {}", names.join(" "))) })
}
