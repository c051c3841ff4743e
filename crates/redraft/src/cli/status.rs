//! `redraft status`: where each feature stands and the next command to type.

use super::args::StatusArgs;
use super::console::Console;
use super::errors::{CliError, Code, unknown_feature};
use super::monitor;
use super::site::{Site, Surroundings};
use redraft_adapters::lock::{Holder, Lock};
use redraft_adapters::sqlite::{Ledger, Mode};
use redraft_core::event::{Entry, FeatureCreated};
use redraft_core::pipeline::Pipeline;
use redraft_core::project::{self, BoardRow, Warning};
use redraft_core::text::{count, utc};
use redraft_core::ticket::Scope;
use redraft_core::usage::Usd;
use redraft_engine::ports::{Clock, Store, StoreError, Workspace};
use serde::Serialize;

#[derive(Serialize)]
struct StatusJson {
    v: u16,
    features: Vec<FeatureJson>,
    /// What happens too often over several features, with the remedy.
    warnings: Vec<Warning>,
    next: String,
    /// When that can be typed, where it must wait for the end of a usage limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_after: Option<String>,
    /// With `--verify`: how many events there are, all of them in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_events: Option<u64>,
}

/// A row of the board with what only the moment tells.
#[derive(Serialize)]
struct FeatureJson {
    #[serde(flatten)]
    row: BoardRow,
    /// The process that drives it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_by: Option<Holder>,
}

impl FeatureJson {
    /// What really goes on: a park that is over is none, and nobody drives what another process drives.
    fn seen(mut row: BoardRow, site: &Site, now_ms: i64) -> FeatureJson {
        row.parked_until_ms = row.parked_until_ms.filter(|until_ms| *until_ms > now_ms);
        let held_by = Some(&row).filter(|row| open(row)).and_then(|row| Lock::holder(&site.state, &row.id));
        if held_by.is_some() {
            row.next = format!("redraft log {}", row.id);
        }
        FeatureJson { row, held_by }
    }

    /// How soon it can go on: now, when a limit is over, when another process lets go of it.
    fn rank(&self) -> u8 {
        match (&self.held_by, self.row.parked_until_ms) {
            (None, None) => 0,
            (None, Some(_)) => 1,
            (Some(_), _) => 2,
        }
    }
}

/// A command with the time from which on it is of use.
pub(crate) fn from_when(command: &str, parked_until_ms: Option<i64>) -> String {
    match parked_until_ms {
        Some(until_ms) => format!("{command} (after {}; with --now at once)", utc(until_ms)),
        None => command.to_owned(),
    }
}

pub(crate) fn status(args: StatusArgs, around: &Surroundings, console: &Console) -> Result<Code, CliError> {
    let site = Site::find(&around.folder)?;
    if args.rebuild {
        rebuild(&site, around, console)?;
    }
    let begin = around.next("redraft new \"your idea\"");
    let ledger = site.reader()?;
    let verified_events = match &ledger {
        Some(ledger) if args.verify => Some(ledger.verify()?.seq),
        None if args.verify => {
            site.refuse_lost_ledger()?;
            Some(0)
        }
        Some(_) | None => None,
    };
    if let Some(events) = verified_events {
        let events = count(events as usize, "event");
        console.say(&format!("the ledger is in order: {events}, each with its checksum, and every blob"));
    }
    let mut rows = match &ledger {
        None => Vec::new(),
        Some(ledger) => rows(ledger)?,
    };
    // Over all features, also where only one is shown.
    let warnings = monitor::watch(&site, &rows);
    if let Some(word) = &args.feature {
        let number = word.split('-').next().unwrap_or(word).trim_start_matches('0').to_owned();
        rows.retain(|row| row.id.trim_start_matches('0') == number);
        if rows.is_empty() {
            return Err(unknown_feature(word));
        }
    }
    let now_ms = around.clock.now_ms();
    let mut features: Vec<FeatureJson> =
        rows.into_iter().map(|row| FeatureJson::seen(row, &site, now_ms)).collect();
    for feature in &mut features {
        feature.row.next = around.next(&feature.row.next);
    }
    let first = features.iter().filter(|feature| open(&feature.row)).min_by_key(|feature| feature.rank());
    // Where nothing was begun here, others may have begun something.
    let begin = if features.is_empty() && site.has_folders() { around.next("redraft adopt") } else { begin };
    let next = first.map_or(begin, |feature| feature.row.next.clone());
    let next_after =
        first.filter(|first| first.rank() == 1).and_then(|first| first.row.parked_until_ms).map(utc);
    let shown = StatusJson { v: 1, features, warnings, next, next_after, verified_events };
    console.show(&text(&shown), &shown);
    monitor::say(&shown.warnings, console);
    Ok(Code::Done)
}

fn open(row: &BoardRow) -> bool {
    matches!(row.status.as_str(), "active" | "waiting")
}

fn text(shown: &StatusJson) -> String {
    let mut text = String::new();
    let several = shown.features.iter().filter(|feature| open(&feature.row)).count() > 1;
    for FeatureJson { row, held_by } in &shown.features {
        let BoardRow { id, slug, status, phase, .. } = row;
        let spent = Usd(row.spent_micro_usd);
        let status = if row.life == "planned" { "planned" } else { status };
        text.push_str(&format!("{id} {slug}  {status}, {phase}"));
        if row.phases.len() > 1 {
            text.push_str(&format!(" ({} of {} phases done)", row.done.len(), row.phases.len()));
        }
        if open(row) && row.round > 0 {
            text.push_str(&format!(", round {} of {}", row.round, row.rounds_max));
        }
        let mut findings = count(row.open_findings as usize, "open finding");
        if row.deferred_findings > 0 {
            findings.push_str(&format!(", {} deferred", row.deferred_findings));
        }
        let dispatches = count(row.dispatches as usize, "dispatch");
        text.push_str(&format!(", {findings}, {dispatches}, {spent}\n"));
        if row.after_failure > 0 {
            let times = count(row.after_failure as usize, "approval");
            text.push_str(&format!("    {times} after a failed domain review\n"));
        }
        if let Some(question) = &row.question {
            text.push_str(&format!("    waiting: {question}\n"));
        }
        if let Some(holder) = held_by {
            text.push_str(&format!("    under way: held by {holder}\n"));
        }
        let until_ms = row.parked_until_ms.filter(|_| held_by.is_none());
        if let Some(until_ms) = until_ms {
            text.push_str(&format!("    parked: an agent's usage limit lasts until {}\n", utc(until_ms)));
        }
        if open(row) && several {
            text.push_str(&format!("    next: {}\n", from_when(&row.next, until_ms)));
        }
    }
    if shown.features.is_empty() {
        text.push_str("no features yet\n");
    }
    text.push_str(&match &shown.next_after {
        Some(when) => format!("next: {} (after {when}; with --now at once)", shown.next),
        None => format!("next: {}", shown.next),
    });
    text
}

/// The board, read as it is; a row of another form, or a board that is gone, is folded again without being stored.
pub(crate) fn rows(ledger: &Ledger) -> Result<Vec<BoardRow>, CliError> {
    let mut rows = Vec::new();
    if ledger.has_board()? {
        for (scope, _, row) in ledger.board()? {
            if !matches!(scope, Scope::Feature(_)) {
                continue;
            }
            match serde_json::from_str::<BoardRow>(&row) {
                Ok(row) if row.is_current() => rows.push(row),
                Ok(_) | Err(_) => return folded(ledger),
            }
        }
        return Ok(rows);
    }
    folded(ledger)
}

fn folded(ledger: &Ledger) -> Result<Vec<BoardRow>, CliError> {
    let mut rows = Vec::new();
    for scope in ledger.scopes()? {
        if let Some((_, row)) = fold(&scope, &ledger.read(scope.clone())?)? {
            rows.push(row);
        }
    }
    Ok(rows)
}

fn fold(scope: &Scope, entries: &[Entry]) -> Result<Option<(u64, BoardRow)>, CliError> {
    let (Scope::Feature(_), Some(last)) = (scope, entries.last()) else { return Ok(None) };
    let state = Pipeline::replay(entries).map_err(|error| CliError::new(Code::Config, error.to_string()))?;
    Ok(Some((last.seq, BoardRow::of(&state, last.at_ms))))
}

/// Folds everything again and rewrites what can be rewritten.
fn rebuild(site: &Site, around: &Surroundings, console: &Console) -> Result<(), CliError> {
    if !Ledger::file(&site.state).exists() {
        return Ok(());
    }
    let ledger = Ledger::open(&site.state, Mode::Write)?;
    ledger.verify()?;
    for scope in ledger.scopes()? {
        let entries = ledger.read(scope.clone())?;
        let Scope::Feature(id) = scope else { continue };
        // A feature that is being driven writes its own projections.
        let Ok(_lock) = site.lock(&id.to_string(), around) else {
            console.say(&format!("feature {id} is being driven; its files are left to that run"));
            continue;
        };
        let created = site.created(&ledger, id)?;
        if !site.is_there(&created)? {
            continue;
        }
        write_files(site, &created, &entries)?;
    }
    console.say(&format!("folded {} again", count(fold_board(&ledger)?, "feature")));
    Ok(())
}

/// Writes the projections of a feature whose lock is held, where they differ.
pub(crate) fn write_files(site: &Site, created: &FeatureCreated, entries: &[Entry]) -> Result<(), CliError> {
    let workspace = site.workspace(created)?;
    for (name, text) in project::files(entries) {
        let path = format!("{}/{name}", created.folder());
        if workspace.read(&path)?.as_deref() != Some(text.as_bytes()) {
            workspace.write(&path, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Others may go on while the board is folded; it is then folded once more, as often as that is likely to help.
const FOLDS_MAX: usize = 5;

/// Writes the board anew from the events; returns how many features are on it.
fn fold_board(ledger: &Ledger) -> Result<usize, CliError> {
    let mut folds = 0;
    loop {
        let mut board = Vec::new();
        for scope in ledger.scopes()? {
            if let Some((seq, row)) = fold(&scope, &ledger.read(scope.clone())?)? {
                board.push((scope, seq, serde_json::to_string(&row).unwrap_or_default()));
            }
        }
        folds += 1;
        match ledger.replace_board(&board) {
            Err(StoreError::Moved { .. }) if folds < FOLDS_MAX => {}
            done => return Ok(done.map(|()| board.len())?),
        }
    }
}
