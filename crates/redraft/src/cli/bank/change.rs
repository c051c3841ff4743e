//! Carries out a person's decisions about entries: kept, updated, retired, filled in. Only these commands write to the
//! bank of the user's checkout, and each writes what it was told and nothing else.

use super::bank_files::BankFiles;
use super::entry_history::{EntryHistory, folder};
use super::report::{self, ChangedJson, FilledJson};
use super::{Part, named};
use redraft_documents::bank::{self, Applied, BankChange, BankEntry, BankFile, FeatureCreation};
use redraft_facts::ids::FeatureId;
use redraft_frame::args::{EntryArgs, RetireArgs, UpdateArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;

/// As many characters of a commit as are shown elsewhere.
const COMMIT_CHARS: usize = 10;

pub(super) fn keep(
    repo: &RepositoryContext,
    args: &EntryArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    one(repo, args, process, console, "kept", |name, feature| BankChange::Keep { name, feature })
}

pub(super) fn update(
    repo: &RepositoryContext,
    args: &UpdateArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let text = args.text.clean(&process.redactor);
    one(repo, &args.entry, process, console, "updated", |name, feature| BankChange::Update {
        name,
        feature,
        text,
    })
}

fn one(
    repo: &RepositoryContext,
    args: &EntryArgs,
    process: &ProcessContext,
    console: &Console,
    done: &'static str,
    change: impl FnOnce(String, FeatureId) -> BankChange,
) -> Result<ErrorCode, CliError> {
    let _lock = repo.lock_repository(process, console)?;
    let shelf = BankFiles::read(repo)?;
    let entry = named(&shelf.bank, &args.named, Part::NotEnough)?;
    let past = EntryHistory::load(repo)?;
    let feature = meant(&past, args.feature.as_deref(), repo)?.id;
    let mut changes = vec![change(entry.name.clone(), feature)];
    // If its code changed and the feature is the same, it would be stale again at once without a further note.
    let same = entry.fields.last_observed.as_ref().is_some_and(|seen| seen.is_of(feature));
    let alone = [entry.clone()];
    if same && !past.changed(&alone, repo)?.iter().all(Vec::is_empty) {
        let head = repo.repository.head()?.commit;
        let commit = head.get(..COMMIT_CHARS).unwrap_or(&head).to_owned();
        changes.push(BankChange::KeepAt { name: entry.name.clone(), feature, commit });
    }
    let applied = checked(shelf.apply(entry.kind, &changes), entry)?;
    shelf.write(entry.kind, &applied.text)?;
    let json = ChangedJson::new(entry, done, Some(feature), applied.changed > 0, None);
    report::changed(&json, process, console);
    Ok(ErrorCode::Done)
}

pub(super) fn retire(
    repo: &RepositoryContext,
    args: &RetireArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let _lock = repo.lock_repository(process, console)?;
    let shelf = BankFiles::read(repo)?;
    let entry = named(&shelf.bank, &args.entry.named, Part::NotEnough)?;
    let reason = args.why.clean(&process.redactor);
    let change = BankChange::Retire { name: entry.name.clone(), reason };
    let applied = checked(shelf.apply(entry.kind, &[change]), entry)?;
    let place = noted_in(repo, &shelf, args.entry.feature.as_deref())?;
    // The note comes first: otherwise an entry could be gone without a reason.
    for line in &applied.retired {
        shelf.note(&place, "# Retired entries", line)?;
    }
    process.boundaries.pass("before a retired entry is deleted");
    shelf.write(entry.kind, &applied.text)?;
    let json = ChangedJson::new(entry, "retired", None, true, Some(place));
    report::changed(&json, process, console);
    Ok(ErrorCode::Done)
}

/// The retro of the feature that is named or whose worktree this is, where there is one.
fn noted_in(repo: &RepositoryContext, shelf: &BankFiles, word: Option<&str>) -> Result<String, CliError> {
    let past = EntryHistory::load(repo)?;
    let feature = match word {
        Some(word) => Some(meant(&past, Some(word), repo)?),
        None => here(&past, repo),
    };
    let feature = feature.map(|feature| format!("docs/features/{}", folder(feature)));
    Ok(shelf.noted_in(feature.as_deref()))
}

pub(super) fn backfill(
    repo: &RepositoryContext,
    write: bool,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let _lock = if write { Some(repo.lock_repository(process, console)?) } else { None };
    let shelf = BankFiles::read(repo)?;
    let past = EntryHistory::load(repo)?;
    let missing = |entry: &&BankEntry| {
        entry.kind.grows_stale() && (entry.fields.last_observed.is_none() || entry.fields.count.is_none())
    };
    let missing: Vec<&BankEntry> = shelf.bank.entries.iter().filter(missing).collect();
    let entered = past.entered(&missing, repo)?;
    let active = |entry: &BankEntry| entered.get(&(entry.kind, entry.line)).copied();
    let (changes, unknown) = bank::backfill(&shelf.bank, &past.order, &active);
    let mut filled: Vec<FilledJson> = Vec::new();
    let mut left: Vec<FilledJson> =
        unknown.iter().map(|entry| FilledJson::new(entry, "no feature is known for it")).collect();
    for kind in BankFile::ALL {
        let of_kind: Vec<&(&BankEntry, BankChange)> =
            changes.iter().filter(|(entry, _)| entry.kind == kind).collect();
        let list: Vec<BankChange> = of_kind.iter().map(|(_, change)| change.clone()).collect();
        let applied = shelf.apply(kind, &list);
        for (entry, change) in of_kind {
            let refused = applied.refused.iter().find(|refused| entry.is_called(&refused.name));
            match (change, refused) {
                (_, Some(refused)) => left.push(FilledJson::new(entry, &refused.why.to_string())),
                (BankChange::Backfill { observed, .. }, None) => {
                    filled.push(FilledJson::new(entry, observed))
                }
                (_, None) => {}
            }
        }
        if write && !list.is_empty() {
            shelf.write(kind, &applied.text)?;
        }
    }
    let complete = left.is_empty();
    report::filled(write, filled, left, process, console);
    Ok(if complete { ErrorCode::Done } else { ErrorCode::NotApproved })
}

fn checked(applied: Applied, entry: &BankEntry) -> Result<Applied, CliError> {
    match applied.refused.first() {
        Some(refused) => {
            let error = CliError::usage(format!("`{}` is not changed: {}", entry.name, refused.why));
            Err(error.hint(format!("it is in {}:{}", entry.kind.path(), entry.line)))
        }
        None => Ok(applied),
    }
}

/// The feature an observation belongs to: the one that is named, that of this worktree, else the one created last.
fn meant<'a>(
    past: &'a EntryHistory,
    word: Option<&str>,
    repo: &RepositoryContext,
) -> Result<&'a FeatureCreation, CliError> {
    let features = past.order.features();
    let Some(word) = word else {
        return here(past, repo).or(past.order.latest()).ok_or_else(|| {
            CliError::usage("there is no feature here that could have observed the entry")
                .hint("begin one: redraft new \"your idea\"")
        });
    };
    let number: Option<FeatureId> = word.split('-').next().and_then(|number| number.parse().ok());
    let exact = features.iter().rev().find(|feature| folder(feature) == word);
    let found = exact.or_else(|| features.iter().rev().find(|feature| Some(feature.id) == number));
    found.ok_or_else(|| {
        CliError::usage(format!("there is no feature {word}"))
            .hint("name one that is in the ledger or has a folder below docs/features in git")
    })
}

fn here<'a>(past: &'a EntryHistory, repo: &RepositoryContext) -> Option<&'a FeatureCreation> {
    let ids: Vec<FeatureId> = past.order.features().iter().map(|feature| feature.id).collect();
    let id = repo.feature_here(&ids)?;
    past.order.features().iter().rev().find(|feature| feature.id == id)
}
