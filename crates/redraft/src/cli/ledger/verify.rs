//! Compares everything that was computed from the ledger's events with them, once they are found in order: `redraft
//! status --verify`.

use redraft_adapters::lock::Lock;
use redraft_adapters::sqlite::{Ledger, SignedBy, Stretch};
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Store, Workspace};
use redraft_engine::require_ledger_matches_branch;
use redraft_facts::event::{Entry, Event};
use redraft_facts::redact::Redactor;
use redraft_facts::text::{count, utc};
use redraft_facts::ticket::Scope;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::rows::fold;
use redraft_reports::projections::{self, BoardRow};
use serde::Serialize;
use std::collections::BTreeMap;

/// What is known of a ledger that was found in order.
#[derive(Default)]
pub(crate) struct Verified {
    pub(crate) events: u64,
    pub(crate) signed: Vec<StretchJson>,
    /// Why nothing is added to it before a person has looked.
    pub(crate) doubt: Option<String>,
}

/// Consecutive events of one hand.
#[derive(Serialize)]
pub(crate) struct StretchJson {
    first: u64,
    last: u64,
    since: String,
    /// `yours`, `another`, `nobody` or `invalid`.
    whose: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// Checks the whole ledger, its board and the records in worktrees.
pub(crate) fn verify(
    repo: &RepositoryContext,
    ledger: &Ledger,
    console: &Console,
) -> Result<Verified, CliError> {
    let events = ledger.verify()?.seq;
    let mut differing = Vec::new();
    let board: BTreeMap<String, (u64, String)> =
        ledger.board()?.into_iter().map(|(scope, seq, row)| (scope.to_string(), (seq, row))).collect();
    for scope in ledger.scopes()? {
        let entries = ledger.read(scope.clone())?;
        let Some((last, folded)) = fold(&scope, &entries)? else { continue };
        if let Some((_, row)) = board.get(&scope.to_string()).filter(|(seq, _)| *seq == last)
            && !is_same(row, &folded)
        {
            differing.push(format!("the board's row of {scope}"));
        }
        let Scope::Feature(id) = scope else { continue };
        // A run writes them itself, and may be about to.
        if Lock::holder(&repo.state, &id.to_string()).is_some() {
            console.say(&format!("feature {id} has a run under way; its files are left to that run"));
            continue;
        }
        let created = entries.iter().find_map(|entry| match &entry.event {
            Event::FeatureCreated(created) => Some(created),
            _ => None,
        });
        let Some(created) = created else { continue };
        // A feature without a usable worktree has no records to compare.
        if !repo.is_there(created).unwrap_or(false) {
            continue;
        }
        let workspace = repo.workspace(created)?;
        if let Ok(state) = Pipeline::replay(&entries) {
            require_ledger_matches_branch(&workspace, created, &state, &entries)?;
        }
        for (name, text) in projections::files(&entries, &Redactor::default()) {
            let path = format!("{}/{name}", created.folder());
            // The next run makes a missing one again.
            let Some(found) = workspace.read(&path)?.filter(|found| found != text.as_bytes()) else {
                continue;
            };
            if !is_earlier(&entries, name, &found) {
                differing.push(format!("{path} of feature {id}"));
            }
        }
    }
    // A row whose scope has no events was not made by this ledger.
    for scope in board.keys().filter(|scope| {
        scope.parse().is_ok_and(|scope: Scope| ledger.last_seq(scope).is_ok_and(|seq| seq == 0))
    }) {
        differing.push(format!("the board's row of {scope}"));
    }
    if differing.is_empty() {
        tell(ledger, events, console)?;
        let (signed, doubt) = signatures(repo, ledger, console)?;
        return Ok(Verified { events, signed, doubt });
    }
    let what = differing.join(", ");
    let verb = if differing.len() == 1 { "does" } else { "do" };
    Err(CliError::new(ErrorCode::Config, format!("{what} {verb} not match the events of the ledger"))
        .hint("the events are fine; to rebuild it from them: redraft status --rebuild"))
}

/// A run that was killed leaves records of some event before its last one.
const EARLIER_MAX: usize = 500;

/// Whether a record is what it was after an earlier event.
fn is_earlier(entries: &[Entry], name: &str, found: &[u8]) -> bool {
    (1..entries.len()).rev().take(EARLIER_MAX).any(|len| {
        let files = projections::files(&entries[..len], &Redactor::default());
        files.iter().any(|(other, text)| *other == name && text.as_bytes() == found)
    })
}

fn tell(ledger: &Ledger, events: u64, console: &Console) -> Result<(), CliError> {
    let events = count(events as usize, "event");
    console.say(&format!(
        "the ledger is fine: {events} and their checksums, every blob, and everything computed from them"
    ));
    let mut by: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (seq, by_seq) in ledger.amended()? {
        by.entry(by_seq).or_default().push(seq.to_string());
    }
    for (by_seq, events) in by {
        let verb = if events.len() == 1 { "was" } else { "were" };
        let noun = if events.len() == 1 { "event" } else { "events" };
        console.say(&format!(
            "{noun} {} {verb} replaced when a secret was removed (event {by_seq})",
            events.join(", ")
        ));
    }
    Ok(())
}

/// Says whose signature each event has. Looking makes no key.
fn signatures(
    repo: &RepositoryContext,
    ledger: &Ledger,
    console: &Console,
) -> Result<(Vec<StretchJson>, Option<String>), CliError> {
    let own = repo.repository.trust().own_key()?;
    let signed: Vec<StretchJson> = ledger
        .stretches()?
        .into_iter()
        .map(|Stretch { first, last, since_ms, signed }| {
            let (whose, key) = match signed {
                SignedBy::Key(key) if Some(key) == own => ("yours", Some(key.to_string())),
                SignedBy::Key(key) => ("another", Some(key.to_string())),
                SignedBy::Nobody => ("nobody", None),
                SignedBy::Invalid => ("invalid", None),
            };
            StretchJson { first, last, since: utc(since_ms), whose, key }
        })
        .collect();
    for StretchJson { first, last, since, whose, key } in &signed {
        let events =
            if first == last { format!("event {first}") } else { format!("events {first} to {last}") };
        let key = key.as_deref().unwrap_or_default();
        let by = match *whose {
            "yours" => format!("signed with your key {key}"),
            "another" => format!("signed with another key, {key}"),
            "nobody" => "unsigned".to_owned(),
            _ => "the signature is wrong".to_owned(),
        };
        console.say(&format!("{events}, since {since}: {by}"));
    }
    let reader = if own.is_some() { repo.reader()? } else { None };
    let doubt = match reader {
        Some(ledger) => repo.signed(ledger)?.doubt()?.map(|doubt| doubt.detail),
        None => None,
    };
    if let Some(detail) = &doubt {
        console.say(&format!("nothing is added to the ledger, because {detail}"));
        console
            .say("if everything in it is right, go on from there with your own key: redraft trust --ledger");
    }
    Ok((signed, doubt))
}

/// Rows of an earlier form are not compared with what they would be now; nothing reads them.
fn is_same(row: &str, folded: &BoardRow) -> bool {
    match serde_json::from_str::<BoardRow>(row) {
        Ok(row) if row.is_current() => row == *folded,
        Ok(_) => true,
        Err(_) => serde_json::from_str::<serde_json::Value>(row).is_ok_and(|value| value["v"] != folded.v),
    }
}
