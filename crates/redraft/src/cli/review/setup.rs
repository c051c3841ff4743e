//! The configuration and role texts for the review of a change: as its base has them, never as the change has them.
//!
//! The author of a change must not decide how it is judged, nor what is started for that. So nothing here reads the
//! checkout, and an agent for which a file of the repository would be started or read is refused: that file could be
//! the change's own.

use super::range::Range;
use crate::cli::run;
use redraft_adapters::plain_file;
use redraft_agents::config::{AgentConfig, Config, FILE, Origin};
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::phase::{Lane, Phase};
use redraft_frame::args::RunArgs;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::profiles;
use redraft_frame::repository_context::RepositoryContext;
use redraft_roles::profile;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// More than any configuration has.
const BYTES_MAX: u64 = 1024 * 1024;

pub(super) struct ReviewSetup {
    pub(super) config: Config,
    pub(super) texts: run::RepositoryTexts,
    /// The roles that review.
    pub(super) roles: Vec<Role>,
    pub(super) notes: Vec<String>,
}

impl ReviewSetup {
    pub(super) fn new(
        repo: &RepositoryContext,
        range: &Range,
        lane: Lane,
        args: &RunArgs,
        process: &ProcessContext,
    ) -> Result<ReviewSetup, CliError> {
        let config = run::played(repo.config_at(&range.tip, process)?, args).map_err(|error| {
            let named = args.agent.as_deref().unwrap_or_default();
            let here = repo.config(process).is_ok_and(|config| config.agents.contains_key(&AgentName::new(named)));
            match here {
                true => error.hint(format!(
                    "[agents.{named}] in your checkout does not count when a change is reviewed; put it into your \
                        own configuration: redraft config set agents.{named}.kind KIND"
                )),
                false => error,
            }
        })?;
        let panels = profile::panels_in(Phase::Implement, lane);
        let roles: Vec<Role> =
            panels.into_iter().flat_map(|panel| panel.roles).map(|seat| seat.role).collect();
        for role in &roles {
            refuse_own_files(repo, range, &config, role)?;
        }
        let texts = run::RepositoryTexts::at(repo, &range.tip)?;
        Ok(ReviewSetup { config, texts, roles, notes: notes(repo, range)? })
    }
}

/// Refuses an agent whose program, arguments, servers or files are files of the repository.
fn refuse_own_files(
    repo: &RepositoryContext,
    range: &Range,
    config: &Config,
    role: &Role,
) -> Result<(), CliError> {
    let Some(name) = config.agent_of(role) else { return Ok(()) };
    // No change can have written what is in the user's own file.
    if config.origins.get(name) != Some(&Origin::Repository) {
        return Ok(());
    }
    let words: Vec<String> = match config.agents.get(name) {
        None | Some(AgentConfig::Pull) => Vec::new(),
        Some(AgentConfig::Rehearsal { scenario }) => {
            scenario.iter().map(|file| file.display().to_string()).collect()
        }
        Some(AgentConfig::Model(model)) => {
            let servers =
                model.mcp.values().flat_map(|server| [&server.command].into_iter().chain(&server.args));
            let own = model.program.iter().chain(&model.key_file).chain(&model.args);
            own.chain(servers).cloned().collect()
        }
    };
    for word in words {
        if is_own(repo, range, &word)? {
            let message = format!(
                "[agents.{name}] of {}'s redraft.toml names {word}, a file of the repository that the change could replace",
                range.base
            );
            return Err(CliError::new(ErrorCode::Config, message)
                .hint("keep it outside the repository and name it by its full path")
                .hint("or let another agent review: --agent NAME"));
        }
    }
    Ok(())
}

/// Whether a word names a file of the checkout or of the change.
fn is_own(repo: &RepositoryContext, range: &Range, word: &str) -> Result<bool, CliError> {
    let path = Path::new(word);
    let roots = [repo.repository.main_checkout(), repo.repository.here()];
    if path.is_absolute() {
        let inside = |root: &&Path| path.starts_with(root);
        return Ok(roots.iter().any(inside));
    }
    let word = word.trim_start_matches("./");
    if word.is_empty() || word.starts_with('-') {
        return Ok(false);
    }
    let there = roots.iter().any(|root| root.join(word).is_file());
    Ok(there || repo.repository.file_at(&range.commit, word, u64::MAX)?.is_some())
}

/// Notes for a user who has another configuration in front of them.
fn notes(repo: &RepositoryContext, range: &Range) -> Result<Vec<String>, CliError> {
    let at = |commit: &str| repo.repository.file_at(commit, FILE, BYTES_MAX);
    let (base, own) = (at(&range.tip)?, at(&range.commit)?);
    let mut notes = Vec::new();
    if own != at(&range.merge_base)? {
        notes.push(format!("the change edits {FILE}; the review uses the one in {}", range.base));
    }
    let here = plain_file::read(&repo.repository.main_checkout().join(FILE), BYTES_MAX).ok();
    match &base {
        None if here.is_some() => notes.push(format!(
            "{} has no {FILE}, so the defaults apply and your own configuration says who reviews; the one in your \
                checkout counts once it is on {}",
            range.base, range.base
        )),
        Some(_) if here.is_some() && here != base && here != own => {
            notes.push(format!("{FILE} in your checkout differs from the one in {}, which is the one that \
                counts", range.base));
        }
        _ => {}
    }
    notes.extend(notes_on_texts(repo, range)?);
    Ok(notes)
}

/// The same about role texts.
fn notes_on_texts(repo: &RepositoryContext, range: &Range) -> Result<Vec<String>, CliError> {
    let (base, own) = (texts(repo, &range.tip)?, texts(repo, &range.commit)?);
    let edited = differing(&own, &texts(repo, &range.merge_base)?);
    let mut notes = Vec::new();
    if !edited.is_empty() {
        let names = edited.join(", ");
        notes.push(format!("the change edits role texts ({names}); the review uses those in {}", range.base));
    }
    let here = texts_here(repo);
    let other = differing(&here, &base);
    // Where the checkout is the change itself, everything is already said.
    if !other.is_empty() && !differing(&here, &own).is_empty() {
        let names = other.join(", ");
        notes.push(format!(
            "role texts in your checkout ({names}) differ from those in {}, which are the ones that count",
            range.base
        ));
    }
    Ok(notes)
}

/// Role texts by their files, whether they can be used or not; none for one that is too long to be compared.
type Texts = BTreeMap<String, Option<Vec<u8>>>;

fn texts(repo: &RepositoryContext, commit: &str) -> Result<Texts, CliError> {
    let mut texts = BTreeMap::new();
    for name in repo.repository.names_at(commit, profiles::FOLDER)? {
        let path = format!("{}/{name}", profiles::FOLDER);
        if is_text(&name) {
            // The change's own files there must not stop its review.
            let bytes = repo.repository.file_at(commit, &path, BYTES_MAX).ok().flatten();
            texts.insert(path, bytes);
        }
    }
    Ok(texts)
}

fn texts_here(repo: &RepositoryContext) -> Texts {
    let folder = repo.repository.main_checkout().join(profiles::FOLDER);
    let listed = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = listed.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_text(name));
    names
        .map(|name| {
            let bytes = plain_file::read(&folder.join(&name), BYTES_MAX).ok();
            (format!("{}/{name}", profiles::FOLDER), bytes)
        })
        .collect()
}

fn is_text(name: &str) -> bool {
    name.ends_with(".md") && !name.starts_with('.')
}

/// The files that are not the same in both, in order.
fn differing(one: &Texts, other: &Texts) -> Vec<String> {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}
