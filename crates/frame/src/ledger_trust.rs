//! `redraft trust --ledger`: shows what in the ledger the user's own key did not sign, and goes on from there once a
//! person has agreed, which is stored as an event.

use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_adapters::sqlite::{Doubt, Ledger, OpenMode};
use redraft_engine::ports::Clock;
use redraft_facts::text::{count, utc};
use redraft_reports::projections::line;
use redraft_reports::question::QuestionForm;
use serde::Serialize;

/// As many entries as a person can look through; the others are counted.
const SHOWN_MAX: usize = 40;

#[derive(Serialize)]
struct LedgerTrustJson {
    v: u16,
    ledger: String,
    /// What is wrong with it, and since which event.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<u64>,
    /// The entries from there on, a line each.
    events: Vec<String>,
    accepted: bool,
}

pub(crate) fn trust_ledger(
    yes: bool,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    repo.refuse_lost_ledger()?;
    repo.refuse_unfinished_redaction()?;
    if !Ledger::file(&repo.state).exists() {
        return Err(CliError::usage("there is no ledger here, so there is nothing to accept"));
    }
    repo.require_own_state()?;
    let ledger = repo.signed(Ledger::open(&repo.state, OpenMode::Write)?)?;
    // What is damaged is no matter of trust.
    ledger.verify()?;
    let path = Ledger::file(&repo.state).display().to_string();
    let Some(doubt) = ledger.doubt()? else {
        let json = LedgerTrustJson {
            v: 1,
            ledger: path,
            found: None,
            first: None,
            events: Vec::new(),
            accepted: true,
        };
        console.show("the ledger is as you left it; there is nothing to accept", &json);
        return Ok(ErrorCode::Done);
    };
    let events = unsigned(&ledger, &doubt)?;
    let mut text = format!("the ledger {path} is not as you left it: {}\n", doubt.detail);
    for event in events.iter().take(SHOWN_MAX) {
        text.push_str(&format!("  {event}\n"));
    }
    if let Some(more @ 1..) = events.len().checked_sub(SHOWN_MAX) {
        text.push_str(&format!("  and {}: redraft log\n", count(more, "more event")));
    }
    let accepted = yes || agrees(&text, process, console);
    if accepted {
        ledger.begin_stretch(&process.user, process.clock.now_ms())?;
    }
    text.push_str(match accepted {
        true => "accepted as it is; from here on it is signed with your key",
        false => "not accepted, so nothing is added to it; to accept: redraft trust --ledger --yes",
    });
    let (found, first) = (Some(doubt.detail), Some(doubt.first));
    console.show(&text, &LedgerTrustJson { v: 1, ledger: path, found, first, events, accepted });
    Ok(if accepted { ErrorCode::Done } else { ErrorCode::Waiting })
}

/// The same without a question, for a person who has just accepted the whole state folder. What is wrong with the
/// ledger otherwise is reported by the command that needs it.
pub(crate) fn go_on(repo: &RepositoryContext, process: &ProcessContext) {
    if !Ledger::file(&repo.state).is_file() {
        return;
    }
    let opened = Ledger::open(&repo.state, OpenMode::Write).map_err(CliError::from);
    let signed = opened.and_then(|ledger| repo.signed(ledger));
    let _ = signed.map(|ledger| ledger.begin_stretch(&process.user, process.clock.now_ms()));
}

/// The entries that nothing vouches for, each in a line.
fn unsigned(ledger: &Ledger, doubt: &Doubt) -> Result<Vec<String>, CliError> {
    let mut events = Vec::new();
    ledger.all(&mut |scope, entry| {
        if entry.seq >= doubt.first {
            let what = line(&entry.event);
            let what = what.lines().next().unwrap_or_default();
            events.push(format!("event {} ({scope}, {}): {what}", entry.seq, utc(entry.at_ms)));
        }
    })?;
    Ok(events)
}

fn agrees(text: &str, process: &ProcessContext, console: &Console) -> bool {
    if !console.can_ask() {
        return false;
    }
    let form = QuestionForm::yes_or_no(
        "Is everything in this ledger right as it is?",
        text.lines().map(str::to_owned).collect(),
        "it is accepted, and signed with your key from here on",
        "nothing is added to it",
    );
    console.agrees(&form, &process.clock)
}
