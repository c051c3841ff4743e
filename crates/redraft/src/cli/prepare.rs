//! Makes a feature's worktree ready: branch, folder, PRD, copied files, the project's own setup command.
//!
//! Every step can be repeated, so a run that finds a half-made worktree simply does it again.

use super::console::Console;
use super::errors::{CliError, Code};
use super::site::{Site, Surroundings};
use redraft_adapters::config::Config;
use redraft_adapters::sqlite::Ledger;
use redraft_core::event::{Event, FeatureCreated};
use redraft_core::ticket::Scope;
use redraft_engine::compose::folder;
use redraft_engine::ports::{Store, Trailers, Workspace};
use std::fs;
use std::path::Path;

pub(crate) fn prepare(
    site: &Site,
    ledger: &Ledger,
    created: &FeatureCreated,
    config: &Config,
    around: &Surroundings,
    console: &Console,
) -> Result<(), CliError> {
    let ready = site.state.join("ready").join(created.id.to_string());
    let worktree = site.worktree(created)?;
    if ready.exists() && worktree.is_dir() {
        return Ok(());
    }
    let _lock = site.lock("repo", around)?;
    site.repository.ensure_feature(&created.branch, &created.base_commit, &worktree)?;
    around.boundaries.pass("a worktree is there");
    bring_prd(site, ledger, created)?;
    for name in &config.workspace.copy {
        copy(site.repository.main_checkout(), &worktree, name, console)?;
    }
    if let Some(command) = &config.workspace.setup {
        require_trust(ledger, config, command, created)?;
        console.say(&format!("setting up the worktree: {command}"));
        set_up(command, &worktree)?;
    }
    let named = |error: std::io::Error| CliError::new(Code::Config, format!("{}: {error}", ready.display()));
    fs::create_dir_all(ready.parent().unwrap_or(&site.state)).map_err(named)?;
    fs::write(&ready, "1\n").map_err(named)
}

fn bring_prd(site: &Site, ledger: &Ledger, created: &FeatureCreated) -> Result<(), CliError> {
    let Some(blob) = &created.prd else { return Ok(()) };
    let workspace = site.workspace(created)?;
    let path = format!("{}/prd.md", folder(created));
    if workspace.read(&path)?.is_none() {
        workspace.write(&path, &ledger.blob(blob)?)?;
    }
    let seq = ledger.last_seq(Scope::Feature(created.id))?;
    let trailers = Trailers { ticket: String::new(), seq };
    workspace.commit(&[path], &format!("redraft: PRD of feature {}", created.id), &trailers)?;
    Ok(())
}

/// Copies a file that git does not track, such as `.env`, from the main checkout.
fn copy(from: &Path, to: &Path, name: &str, console: &Console) -> Result<(), CliError> {
    let (source, target) = (from.join(name), to.join(name));
    if target.exists() {
        return Ok(());
    }
    if !source.is_file() {
        console.say(&format!("[workspace] copy: {name} is not in the main checkout, so it is not copied"));
        return Ok(());
    }
    let named = |error: std::io::Error| CliError::new(Code::Config, format!("{}: {error}", target.display()));
    fs::create_dir_all(target.parent().unwrap_or(to)).map_err(named)?;
    fs::copy(&source, &target).map(|_| ()).map_err(named)
}

/// Nothing of `redraft.toml` runs before a person has accepted exactly this text.
fn require_trust(
    ledger: &Ledger,
    config: &Config,
    command: &str,
    created: &FeatureCreated,
) -> Result<(), CliError> {
    let wanted = config.commands_hash();
    let entries = ledger.read(Scope::Repo)?;
    let accepted =
        entries.iter().any(|entry| matches!(&entry.event, Event::Trusted(fact) if fact.commands == wanted));
    if accepted {
        return Ok(());
    }
    Err(CliError::new(
        Code::Waiting,
        format!("redraft.toml wants to run `{command}`, which nobody has accepted yet"),
    )
    .hint(format!("feature {} exists; look at the command and accept it: redraft trust", created.id))
    .hint(format!("then: redraft run {}", created.id)))
}

#[expect(clippy::disallowed_methods, reason = "a command the user accepted by hash")]
fn set_up(command: &str, worktree: &Path) -> Result<(), CliError> {
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg(command).current_dir(worktree).stdin(std::process::Stdio::null());
    // Its output is talk, not data.
    shell.stdout(std::io::stderr());
    let failed = |detail: String| {
        CliError::new(Code::Config, format!("[workspace] setup `{command}` {detail}"))
            .hint("mend it, accept it again if you changed it (redraft trust), then run the feature again")
    };
    match shell.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(format!("ended with {status}"))),
        Err(error) => Err(failed(format!("could not be started: {error}"))),
    }
}
