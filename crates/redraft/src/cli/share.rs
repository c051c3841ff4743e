//! `redraft share`: shares features with other clones through a git remote, once a person has seen what leaves.

use super::sync::{SyncJson, exchange, text};
use redraft_agents::config::{Config, ShareConfig};
use redraft_frame::args::ShareArgs;
use redraft_frame::config::{ConfigPlace, write};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::sharing::{Leaving, Notes, Sharing};
use redraft_frame::trust;
use redraft_reports::question::QuestionForm;
use serde::Serialize;

#[derive(Serialize)]
struct ShareJson {
    v: u16,
    /// The remote; none where nothing is shared.
    remote: Option<String>,
    /// Where git pushes to for it.
    url: Option<String>,
    /// Whether a person has accepted it in this clone.
    accepted: bool,
    transcripts: bool,
    features: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    sync: Option<SyncJson>,
    next: String,
}

pub(crate) fn share(
    args: &ShareArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let config = repo.config(process)?;
    let ShareConfig { remote: set, transcripts } = config.share.clone();
    let Some(remote) = args.remote.clone().or_else(|| set.clone()) else {
        let next = process.next("redraft share --remote origin");
        let text = format!("features are not shared\nnext: {next}");
        let (accepted, features) = (false, 0);
        console.show(
            &text,
            &ShareJson { v: 1, remote: None, url: None, accepted, transcripts, features, sync: None, next },
        );
        return Ok(ErrorCode::Done);
    };
    let leaving = Leaving::new(&repo, &remote, transcripts)?;
    let changes = set.as_ref() != Some(&remote);
    let is_accepted = config.accepted_share().is_some() && !changes;
    if !is_accepted {
        require_nothing_else(&config)?;
        console.say(&leaving.to_string());
        if !args.yes && !asked(&remote, process, console) {
            return Err(CliError::new(ErrorCode::Waiting, "nothing was shared")
                .hint(format!("to agree: redraft share --remote {remote} --yes")));
        }
        if changes {
            write(ConfigPlace::Repository, "share.remote", &remote, &repo, process)?;
        }
        trust::accept_own(&repo, &repo.config(process)?, process)?;
    }
    let Leaving { url, features, .. } = leaving;
    let config = repo.config(process)?;
    let ledger = repo.first_writer(console)?;
    let Some(mut sharing) = Sharing::open(&repo, &config, process, console)? else {
        return Err(super::sync::not_for_demonstrations());
    };
    let done = exchange(&repo, &ledger, &mut sharing, process)?;
    let mut said = format!("shared through {remote} ({url})\n{}", who(&repo));
    if changes {
        said.push_str("commit redraft.toml, so that other clones know of it\n");
    }
    said.push_str(&text(&done));
    let next = process.next("redraft status");
    let shown = ShareJson {
        v: 1,
        remote: Some(remote),
        url: Some(url),
        accepted: true,
        transcripts,
        features,
        sync: Some(done),
        next,
    };
    console.show(&said, &shown);
    Ok(ErrorCode::Done)
}

/// All wishes of the file are accepted together, and this command shows one of them.
fn require_nothing_else(config: &Config) -> Result<(), CliError> {
    let others = config.wants.iter().filter(|want| !want.key.starts_with("share."));
    if config.is_accepted() || others.count() == 0 {
        return Ok(());
    }
    let message = "redraft.toml has other settings that nobody has accepted here yet";
    Err(CliError::new(ErrorCode::Waiting, message)
        .hint("see and accept all of them, sharing included: redraft trust")
        .hint("then: redraft sync"))
}

fn asked(remote: &str, process: &ProcessContext, console: &Console) -> bool {
    let (yes, no) = ("send it, and go on doing so", "send nothing");
    let form = QuestionForm::yes_or_no(&format!("Share features through {remote}?"), Vec::new(), yes, no);
    console.can_ask() && console.agrees(&form, &process.clock)
}

/// Which clones drive what, as far as is known here.
fn who(repo: &RepositoryContext) -> String {
    let Some(notes) = Notes::read(&repo.state) else { return String::new() };
    let held = notes.features.values().filter(|note| !note.free && !note.here && !note.place.is_empty());
    held.map(|note| format!("{} is driven by {} in {}\n", note.scope, note.by, note.place)).collect()
}
