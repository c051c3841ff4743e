//! `redraft uninstall`: takes everything of Redraft out of the repository, after listing it. Needs no ledger: that may be
//! what is broken.

use super::clean::found::{Found, belongings, in_words, look, written_again};
use redraft_adapters::lock::Lock;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::Store;
use redraft_facts::text::count;
use redraft_facts::ticket::Scope;
use redraft_frame::args::UninstallArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::rows;
use redraft_reports::question::QuestionForm;
use serde::Serialize;
use std::collections::BTreeSet;

#[derive(Serialize)]
struct UninstallJson {
    v: u16,
    /// Whether nothing was removed.
    dry_run: bool,
    features: Vec<Found>,
    /// What else goes, a line each.
    rest: Vec<String>,
    /// What stays, and how to remove it.
    stays: Vec<String>,
}

pub(crate) fn uninstall(
    args: UninstallArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let features = listed(&repo, args.lost)?;
    let rest = rest(&repo, &features, args.lost)?;
    let nothing = rest.is_empty() && !features.iter().any(Found::goes);
    let mut shown = UninstallJson { v: 1, dry_run: true, stays: stays(&repo, args.lost)?, features, rest };
    if !nothing && !args.dry_run && (args.yes || asked(&shown, process, console)) {
        remove(&repo, &mut shown, args.lost, process, console)?;
        shown.dry_run = false;
    }
    let mut text = lines(&shown).join("\n");
    text.push_str(&match (nothing, shown.dry_run) {
        (true, _) if text.is_empty() => "there is nothing of Redraft to remove here".to_owned(),
        (true, _) => "\nthere is nothing more to remove here; what is listed stays".to_owned(),
        (false, false) => "\nRedraft was removed from this repository".to_owned(),
        (false, true) => {
            let lost = if args.lost { " --lost" } else { "" };
            format!(
                "\nnothing was removed\nnext: {}",
                process.next(&format!("redraft uninstall{lost} --yes"))
            )
        }
    });
    console.show(text.trim_start(), &shown);
    Ok(ErrorCode::Done)
}

fn lines(shown: &UninstallJson) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for one in &shown.features {
        lines.extend(one.lines().lines().map(str::to_owned));
    }
    let done = if shown.dry_run { "" } else { "removed " };
    lines.extend(shown.rest.iter().map(|line| format!("{done}{line}")));
    lines.extend(shown.stays.iter().map(|line| format!("stays: {line}")));
    lines
}

fn asked(shown: &UninstallJson, process: &ProcessContext, console: &Console) -> bool {
    if !console.can_ask() {
        return false;
    }
    let form = QuestionForm::yes_or_no(
        "Take all of this out of the repository?",
        lines(shown),
        "it is removed, and the history of all features with it; what is listed with \"keeps\" or \"stays\" stays",
        "nothing is removed",
    );
    console.agrees(&form, &process.clock)
}

/// Everything that features and reviews have left, by the ledger where it can be read, and by what git knows.
fn listed(repo: &RepositoryContext, lost: bool) -> Result<Vec<Found>, CliError> {
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    // One that cannot be read is no reason to keep it.
    let ledger = Ledger::open_begun(&repo.state).ok().flatten();
    if let Some(ledger) = &ledger {
        let rows = rows::rows(ledger)
            .unwrap_or_default()
            .into_iter()
            .chain(rows::reviews(ledger).unwrap_or_default());
        let standings: Vec<(String, String)> = rows
            .map(|row| (redraft_frame::resolve::scope_of(&row).to_string(), row.standing_in_words()))
            .collect();
        for scope in ledger.scopes().unwrap_or_default() {
            if !matches!(scope, Scope::Feature(_) | Scope::Review(_)) {
                continue;
            }
            let (Ok(entries), Ok(created)) =
                (ledger.read(scope.clone()), repo.created_in(ledger, scope.clone()))
            else {
                continue;
            };
            let standing = standings.iter().find(|(of, _)| *of == scope.to_string());
            let standing = standing.map(|(_, standing)| standing.clone()).unwrap_or_default();
            let of = belongings(&created, &entries, standing != "abandoned");
            let items = look(repo, &of, &written_again(repo, &created, &entries), lost)?;
            seen.insert(of.branch.clone());
            seen.insert(of.folder.clone());
            let name = if of.folder.is_empty() { of.scope.clone() } else { of.folder.clone() };
            all.push(Found { feature: of.scope, name, standing, items });
        }
    }
    for of in repo.repository.traces()? {
        if seen.contains(&of.folder) || seen.contains(&of.branch) {
            continue;
        }
        let items = look(repo, &of, &BTreeSet::new(), lost)?;
        let standing = "not in the ledger".to_owned();
        all.push(Found { feature: of.scope.clone(), name: of.folder.clone(), standing, items });
    }
    all.retain(|one| !one.items.is_empty());
    Ok(all)
}

/// What goes beside the features' own.
fn rest(repo: &RepositoryContext, features: &[Found], lost: bool) -> Result<Vec<String>, CliError> {
    let mut rest = Vec::new();
    let refs = repo.repository.own_refs(lost)?.len();
    let named: usize = features
        .iter()
        .flat_map(|one| &one.items)
        .filter(|item| item.goes())
        .filter_map(|item| item.refs)
        .sum();
    if refs > named {
        rest.push(format!("{} more under refs/redraft/", count(refs - named, "ref")));
    }
    if repo.state.symlink_metadata().is_ok() {
        let bytes = repo.repository.state_bytes();
        rest.push(format!(
            "{}, {}: the ledger, which is the history of all features, and everything beside it; to keep that: redraft ledger export FILE",
            repo.state.display(),
            in_words(bytes)
        ));
    }
    // A worktree that stays goes on being hidden.
    let stays =
        features.iter().flat_map(|one| &one.items).any(|item| item.kind == "worktree" && !item.goes());
    if repo.repository.excludes_worktrees() && !stays {
        rest.push("its line in .git/info/exclude".to_owned());
    }
    Ok(rest)
}

fn stays(repo: &RepositoryContext, lost: bool) -> Result<Vec<String>, CliError> {
    let main = repo.repository.main_checkout();
    let mut stays = Vec::new();
    if main.join("redraft.toml").exists() {
        stays.push("redraft.toml, which is yours; to remove it: rm redraft.toml".to_owned());
    }
    if repo.has_folders() {
        stays.push("docs/features, with the documents".to_owned());
    }
    if main.join(".redraft/agents").exists() {
        stays.push(".redraft/agents, your texts for roles".to_owned());
    }
    let kept = repo.repository.refs_below("refs/redraft/lost")?.len();
    if !lost && kept > 0 {
        stays.push(format!(
            "{} under refs/redraft/lost/, what agents did without being allowed to, and what was undone; --lost removes it too",
            count(kept, "ref")
        ));
    }
    Ok(stays)
}

fn remove(
    repo: &RepositoryContext,
    shown: &mut UninstallJson,
    lost: bool,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    if repo.has_foreign_state() {
        // What came with an archive is not used, but may go.
        repo.repository.refuse_links_out()?;
    } else {
        repo.recover_interrupted_move(console)?;
    }
    let mut locks: Vec<Lock> = Vec::new();
    if !repo.has_foreign_state() {
        locks.push(repo.lock_repository(process, console)?);
        for one in &shown.features {
            locks.push(repo.lock(&one.feature, process)?);
        }
    }
    let now = listed(repo, lost)?;
    for one in shown.features.iter_mut().filter(|one| one.goes()) {
        let items = now.iter().find(|now| now.name == one.name).map(|now| now.items.as_slice());
        one.take_away(repo, items.unwrap_or_default())?;
    }
    repo.repository.delete_refs(&repo.repository.own_refs(lost)?)?;
    repo.repository.remove_own_folders()?;
    process.trust.forget(repo.repository.common_dir())?;
    Ok(())
}
