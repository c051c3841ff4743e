//! `redraft sync`: brings here what other clones did with shared features, and sends what this one did.

use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::Needed;
use redraft_facts::text::count;
use redraft_facts::ticket::Scope;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::sharing::{Published, Sharing, TakenOver};
use redraft_frame::trust;
use serde::Serialize;

/// How many features are named one by one.
const NAMED_MAX: usize = 12;

#[derive(Serialize)]
pub(crate) struct SyncJson {
    v: u16,
    remote: String,
    /// The features of which something arrived, and of which something was sent.
    pub(crate) arrived: Vec<String>,
    pub(crate) events_arrived: usize,
    pub(crate) sent: Vec<String>,
    pub(crate) events_sent: usize,
    /// What was not taken over, and why.
    pub(crate) refused: Vec<String>,
    next: String,
}

pub(crate) fn sync(process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let config = repo.config(process)?;
    if config.share.remote.is_none() {
        return Err(CliError::usage("features are not shared here")
            .hint("share them through a git remote: redraft share --remote origin"));
    }
    trust::require(&repo, &config, "redraft sync", |needed| *needed == Needed::BySharing, process)?;
    let ledger = repo.first_writer(console)?;
    let Some(mut sharing) = Sharing::open(&repo, &config, process, console)? else {
        return Err(not_for_demonstrations());
    };
    let shown = exchange(&repo, &ledger, &mut sharing, process)?;
    console.show(&text(&shown), &shown);
    Ok(if shown.refused.is_empty() { ErrorCode::Done } else { ErrorCode::NotApproved })
}

/// Nothing is signed there, and nothing leaves it.
pub(crate) fn not_for_demonstrations() -> CliError {
    CliError::usage("features of a demonstration are not shared")
}

/// Both directions, as an object.
pub(crate) fn exchange(
    repo: &RepositoryContext,
    ledger: &Ledger,
    sharing: &mut Sharing<'_>,
    process: &ProcessContext,
) -> Result<SyncJson, CliError> {
    let (TakenOver { scopes, events, refused }, published) = sharing.exchange(ledger)?;
    let Published { scopes: sent, events: events_sent } = published;
    let names = |mut scopes: Vec<Scope>| {
        scopes.sort();
        scopes.iter().map(Scope::to_string).collect()
    };
    let remote = sharing.remote_name().to_owned();
    let next = redraft_views::board::Board::new(
        repo,
        redraft_frame::rows::rows(ledger)?,
        redraft_frame::rows::reviews(ledger)?,
        process,
    );
    let next = next.next().command;
    Ok(SyncJson {
        v: 1,
        remote,
        arrived: names(scopes),
        events_arrived: events,
        sent: names(sent),
        events_sent,
        refused,
        next,
    })
}

pub(crate) fn text(shown: &SyncJson) -> String {
    let line = |verb: &str, events: usize, names: &[String]| match names {
        [] => format!("nothing {verb}\n"),
        names if names.len() > NAMED_MAX => {
            format!("{verb}: {} of {} features and reviews\n", count(events, "event"), names.len())
        }
        names => format!("{verb}: {} of {}\n", count(events, "event"), names.join(", ")),
    };
    let mut text = line("arrived", shown.events_arrived, &shown.arrived);
    text.push_str(&line("sent", shown.events_sent, &shown.sent));
    for refused in &shown.refused {
        text.push_str(&format!("not taken over: {refused}\n"));
    }
    format!("{text}next: {}", shown.next)
}
