//! A person's word on entries: kept, updated, retired, filled in. Only these commands write to the bank of the user's
//! checkout, and each writes what it was told and nothing else.

use super::past::{Past, folder};
use super::report::{self, ChangedJson, FilledJson};
use super::shelf::Shelf;
use super::{Part, named};
use redraft_documents::bank::{self, Applied, Born, Change, Entry, Kind, RETIRED_FILE};
use redraft_facts::ids::FeatureId;
use redraft_frame::args::{EntryArgs, RetireArgs, UpdateArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, Code};
use redraft_frame::site::{Site, Surroundings};

/// As many letters of a commit as are shown elsewhere.
const COMMIT_CHARS: usize = 10;

pub(super) fn keep(
    site: &Site,
    args: &EntryArgs,
    around: &Surroundings,
    console: &Console,
) -> Result<Code, CliError> {
    one(site, args, around, console, "kept", |name, feature| Change::Keep { name, feature })
}

pub(super) fn update(
    site: &Site,
    args: &UpdateArgs,
    around: &Surroundings,
    console: &Console,
) -> Result<Code, CliError> {
    let text = args.text.clean(&around.redactor);
    one(site, &args.entry, around, console, "updated", |name, feature| Change::Update { name, feature, text })
}

fn one(
    site: &Site,
    args: &EntryArgs,
    around: &Surroundings,
    console: &Console,
    done: &'static str,
    change: impl FnOnce(String, FeatureId) -> Change,
) -> Result<Code, CliError> {
    let _lock = site.lock_repository(around, console)?;
    let shelf = Shelf::read(site)?;
    let entry = named(&shelf.bank, &args.named, Part::NotEnough)?;
    let past = Past::of(site)?;
    let feature = meant(&past, args.feature.as_deref(), site)?.id;
    let mut changes = vec![change(entry.name.clone(), feature)];
    // Where its code changed and the feature is the same, it would be stale again at once without another word.
    let same = entry.fields.last_observed.as_ref().is_some_and(|seen| seen.is_of(feature));
    let alone = [entry.clone()];
    if same && !past.changed(&alone, site)?.iter().all(Vec::is_empty) {
        let head = site.repository.head()?.commit;
        let commit = head.get(..COMMIT_CHARS).unwrap_or(&head).to_owned();
        changes.push(Change::KeepAt { name: entry.name.clone(), feature, commit });
    }
    let applied = checked(shelf.apply(entry.kind, &changes), entry)?;
    shelf.write(entry.kind, &applied.text)?;
    let json = ChangedJson::of(entry, done, Some(feature), applied.changed > 0, None);
    report::changed(&json, around, console);
    Ok(Code::Done)
}

pub(super) fn retire(
    site: &Site,
    args: &RetireArgs,
    around: &Surroundings,
    console: &Console,
) -> Result<Code, CliError> {
    let _lock = site.lock_repository(around, console)?;
    let shelf = Shelf::read(site)?;
    let entry = named(&shelf.bank, &args.entry.named, Part::NotEnough)?;
    let reason = args.why.clean(&around.redactor);
    let change = Change::Retire { name: entry.name.clone(), reason };
    let applied = checked(shelf.apply(entry.kind, &[change]), entry)?;
    let place = noted_in(site, &shelf, args.entry.feature.as_deref())?;
    // The note comes first: an entry that is gone without one would be gone without a reason.
    for line in &applied.retired {
        shelf.note(&place, "# Retired entries", line)?;
    }
    around.boundaries.pass("before a retired entry is deleted");
    shelf.write(entry.kind, &applied.text)?;
    let json = ChangedJson::of(entry, "retired", None, true, Some(place));
    report::changed(&json, around, console);
    Ok(Code::Done)
}

/// The retro of the feature that is named or whose worktree this is, where there is one.
fn noted_in(site: &Site, shelf: &Shelf, word: Option<&str>) -> Result<String, CliError> {
    let past = Past::of(site)?;
    let feature = match word {
        Some(word) => Some(meant(&past, Some(word), site)?),
        None => here(&past, site),
    };
    let retro = feature.map(|feature| format!("docs/features/{}/retro.md", folder(feature)));
    Ok(retro.filter(|path| shelf.has(path)).unwrap_or_else(|| RETIRED_FILE.to_owned()))
}

pub(super) fn backfill(
    site: &Site,
    write: bool,
    around: &Surroundings,
    console: &Console,
) -> Result<Code, CliError> {
    let _lock = if write { Some(site.lock_repository(around, console)?) } else { None };
    let shelf = Shelf::read(site)?;
    let past = Past::of(site)?;
    let missing = |entry: &&Entry| {
        entry.kind.lives() && (entry.fields.last_observed.is_none() || entry.fields.count.is_none())
    };
    let missing: Vec<&Entry> = shelf.bank.entries.iter().filter(missing).collect();
    let entered = past.entered(&missing, site)?;
    let active = |entry: &Entry| entered.get(&(entry.kind, entry.line)).copied();
    let (changes, unknown) = bank::backfill(&shelf.bank, &past.order, &active);
    let mut filled: Vec<FilledJson> = Vec::new();
    let mut left: Vec<FilledJson> =
        unknown.iter().map(|entry| FilledJson::of(entry, "no feature is known for it")).collect();
    for kind in Kind::ALL {
        let of_kind: Vec<&(&Entry, Change)> =
            changes.iter().filter(|(entry, _)| entry.kind == kind).collect();
        let list: Vec<Change> = of_kind.iter().map(|(_, change)| change.clone()).collect();
        let applied = shelf.apply(kind, &list);
        for (entry, change) in of_kind {
            let refused = applied.refused.iter().find(|refused| entry.is_called(&refused.name));
            match (change, refused) {
                (_, Some(refused)) => left.push(FilledJson::of(entry, &refused.why.to_string())),
                (Change::Backfill { observed, .. }, None) => filled.push(FilledJson::of(entry, observed)),
                (_, None) => {}
            }
        }
        if write && !list.is_empty() {
            shelf.write(kind, &applied.text)?;
        }
    }
    let complete = left.is_empty();
    report::filled(write, filled, left, around, console);
    Ok(if complete { Code::Done } else { Code::NotApproved })
}

fn checked(applied: Applied, entry: &Entry) -> Result<Applied, CliError> {
    match applied.refused.first() {
        Some(refused) => {
            let error = CliError::usage(format!("`{}` is left as it is: {}", entry.name, refused.why));
            Err(error.hint(format!("it stands in {}:{}", entry.kind.path(), entry.line)))
        }
        None => Ok(applied),
    }
}

/// The feature an observation belongs to: the one that is named, that of this worktree, else the one created last.
fn meant<'a>(past: &'a Past, word: Option<&str>, site: &Site) -> Result<&'a Born, CliError> {
    let features = past.order.features();
    let Some(word) = word else {
        return here(past, site).or(past.order.latest()).ok_or_else(|| {
            CliError::usage("no feature is known here, so none can have observed the entry")
                .hint("begin one: redraft new \"your idea\"")
        });
    };
    let number: Option<FeatureId> = word.split('-').next().and_then(|number| number.parse().ok());
    let exact = features.iter().rev().find(|feature| folder(feature) == word);
    let found = exact.or_else(|| features.iter().rev().find(|feature| Some(feature.id) == number));
    found.ok_or_else(|| {
        CliError::usage(format!("there is no feature {word}"))
            .hint("name one that the ledger knows or that has a folder below docs/features in git")
    })
}

fn here<'a>(past: &'a Past, site: &Site) -> Option<&'a Born> {
    let ids: Vec<FeatureId> = past.order.features().iter().map(|feature| feature.id).collect();
    let id = site.feature_here(&ids)?;
    past.order.features().iter().rev().find(|feature| feature.id == id)
}
