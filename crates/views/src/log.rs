//! `redraft log`: shows what happened, event by event, or as a page made from events. Decisions are in `decisions`.

mod decisions;

use redraft_adapters::sqlite::Ledger;
use redraft_core::attribution::{Attribution, RoleAttribution};
use redraft_engine::ports::Store;
use redraft_facts::event::{Entry, Event};
use redraft_facts::phase::Phase;
use redraft_facts::text::{indented, utc};
use redraft_facts::ticket::{Scope, Ticket};
use redraft_frame::args::{LogArgs, PageCommand};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::projections;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

#[derive(Serialize)]
struct LogJson {
    v: u16,
    events: Vec<Value>,
}

/// An event that is to be shown.
struct Kept {
    scope: Scope,
    entry: Entry,
    line: String,
    /// Who judged, of a verdict or a close.
    judged_by: Vec<RoleAttribution>,
}

pub fn log(args: LogArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let Some(ledger) = repo.reader()? else {
        return Ok(nothing(process, console));
    };
    if let Some(page) = args.page {
        return shown_as(page, args.feature.as_deref(), &repo, &ledger, process, console);
    }
    if args.decisions {
        return decisions::decisions(&args, &repo, &ledger, process, console);
    }
    let only = match &args.feature {
        Some(word) => Some(repo.resolve_scope(&ledger, Some(word), process)?),
        None => None,
    };
    let limit = args.limit.unwrap_or(usize::MAX);
    let mut kept: VecDeque<Kept> = VecDeque::new();
    let mut phases: BTreeMap<Scope, Phase> = BTreeMap::new();
    // Tickets name their scope, so one fold serves all.
    let mut players = Attribution::default();
    let mut keep = |scope: Scope, entry: Entry| {
        if let Event::LoopOpened(opened) = &entry.event {
            phases.insert(scope.clone(), opened.phase);
        }
        players.take(&entry.event);
        if limit > 0 {
            if kept.len() == limit {
                kept.pop_front();
            }
            let line = projections::line_in(&entry.event, phases.get(&scope).copied(), Some(&players));
            let judged_by = judges(&entry.event, &players);
            kept.push_back(Kept { scope, entry, line, judged_by });
        }
    };
    match only {
        Some(scope) => {
            ledger.read(scope.clone())?.into_iter().for_each(|entry| keep(scope.clone(), entry));
        }
        None => ledger.all(&mut keep)?,
    }
    if console.json {
        let events: Vec<Value> = kept.iter().map(event).collect();
        console.object(&LogJson { v: 1, events });
    } else if kept.is_empty() && args.limit != Some(0) {
        return Ok(nothing(process, console));
    } else {
        for Kept { scope, entry, line, .. } in &kept {
            let head = format!("{:>6}  {}  {scope}  ", entry.seq, utc(entry.at_ms));
            let line = indented(line, head.chars().count());
            console.data(&format!("{head}{line}"));
        }
    }
    Ok(ErrorCode::Done)
}

#[derive(Serialize)]
struct PageJson {
    v: u16,
    feature: String,
    page: &'static str,
    /// None where there is nothing to show.
    text: Option<String>,
}

/// A page exactly as the file has it, byte for byte.
fn shown_as(
    page: PageCommand,
    word: Option<&str>,
    repo: &RepositoryContext,
    ledger: &Ledger,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let scope = repo.resolve_scope(ledger, word, process)?;
    let entries = ledger.read(scope.clone())?;
    let (name, text) = match page {
        PageCommand::ReviewHistory => ("review-history", Some(projections::history(&entries))),
        PageCommand::ImplementationLog => ("implementation-log", projections::implementation_log(&entries)),
    };
    match &text {
        Some(text) if !console.json => console.data(text.strip_suffix('\n').unwrap_or(text)),
        None if !console.json => console.say(&format!("nothing has been built for {scope} yet")),
        _ => console.object(&PageJson { v: 1, feature: scope.to_string(), page: name, text }),
    }
    Ok(ErrorCode::Done)
}

fn nothing(process: &ProcessContext, console: &Console) -> ErrorCode {
    let next = process.next("redraft new \"your idea\"");
    console.show(
        &format!(
            "nothing has happened in this repository yet\nnext: \
            {next}"
        ),
        &LogJson { v: 1, events: Vec::new() },
    );
    ErrorCode::Done
}

fn judges(event: &Event, players: &Attribution) -> Vec<RoleAttribution> {
    let tickets: Vec<&Ticket> = match event {
        Event::Judged(fact) => vec![&fact.ticket],
        Event::PhaseClosed(fact) => fact.approvals.iter().map(|approval| &approval.ticket).collect(),
        _ => Vec::new(),
    };
    tickets.into_iter().filter_map(|ticket| players.judged_by(ticket)).collect()
}

fn event(Kept { scope, entry, line, judged_by }: &Kept) -> Value {
    let body: Value = serde_json::from_str(&entry.event.encode()).unwrap_or_default();
    let mut shown = json!({
        "seq": entry.seq,
        "at": utc(entry.at_ms),
        "at_ms": entry.at_ms,
        "scope": scope.to_string(),
        "kind": entry.event.kind(),
        "version": entry.event.version(),
        "line": line,
        "body": body,
    });
    if !judged_by.is_empty() {
        shown["judged_by"] = json!(judged_by);
    }
    shown
}
