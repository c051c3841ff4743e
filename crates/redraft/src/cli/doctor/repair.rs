//! `redraft doctor --repair`: finds what git has lost of features, and lets them go on nevertheless.
//!
//! The ledger names commits and revisions; git may have lost some, because of a disk or because somebody removed them.
//! Each feature that is under way is compared with what git can still read. Where its branch leads to something
//! damaged, it is put back to the last commit that is whole. Files of the worktree that are as the ledger last knew
//! them are committed again: then nothing is lost. Otherwise they are put back too, and the next run takes that in as
//! an edit, so that no approval of something that was lost counts. Start at [`repair`].

mod surgery;

use redraft_adapters::git::{Damage, GitWorkspace};
use redraft_adapters::sqlite::Ledger;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Clock, Store};
use redraft_engine::{last_commit, require_ledger_matches_branch, standing};
use redraft_facts::event::{Entry, Event, FeatureCreated, TreeMark};
use redraft_facts::ids::{FeatureId, Revision};
use redraft_facts::phase::Phase;
use redraft_facts::text::count;
use redraft_facts::ticket::Scope;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::question::QuestionForm;
use serde::Serialize;
use surgery::Surgery;

/// A screen of them; the rest is counted.
const LOST_SHOWN_MAX: usize = 12;

#[derive(Serialize)]
struct RepairJson<'a> {
    v: u16,
    /// Files of objects that cannot be read.
    damaged_objects: usize,
    features: &'a [Finding],
    repaired: bool,
    /// Where moved or replaced things are kept.
    kept: Option<String>,
    next: String,
}

/// What was found of one feature.
#[derive(Serialize)]
struct Finding {
    feature: String,
    lost: Vec<String>,
    /// The commit its branch is put back to; none where the branch is whole.
    back_to: Option<String>,
    broken_refs: Vec<String>,
    /// What the repair did, or nothing.
    done: Vec<String>,
    #[serde(skip)]
    sick: Sick,
}

struct Sick {
    created: FeatureCreated,
    state: Pipeline,
    /// Whether a dispatch that is under way cannot be undone, because the state it began on is lost.
    began_on_lost: bool,
}

pub(super) fn repair(yes: bool, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let Some(reader) = repo.reader()? else {
        return Err(CliError::usage("there are no features here, so there is nothing to repair"));
    };
    let features = repo.features(&reader)?;
    drop(reader);
    // No other process may work on a feature meanwhile.
    let mut locks = Vec::new();
    for id in &features {
        locks.push(repo.lock(&id.to_string(), process)?);
    }
    let ledger = repo.writer()?;
    let damage = repo.repository.damage()?;
    let mut found = Vec::new();
    for id in features {
        found.extend(examine(&repo, &ledger, id, &damage)?);
    }
    let mut text = summary(&damage, &found);
    if found.is_empty() && damage.files.is_empty() {
        let next = "redraft status".to_owned();
        let json = RepairJson { v: 1, damaged_objects: 0, features: &[], repaired: false, kept: None, next };
        console.show(&text, &json);
        return Ok(ErrorCode::Done);
    }
    let next =
        found.first().map_or("redraft status".to_owned(), |one| format!("redraft run {}", one.feature));
    let damaged_objects = damage.files.len();
    if !yes && !agreed(&text, process, console) {
        let again = process.next("redraft doctor --repair --yes");
        text.push_str(&format!("\nnothing was changed\nnext: {again}"));
        let json =
            RepairJson { v: 1, damaged_objects, features: &found, repaired: false, kept: None, next: again };
        console.show(&text, &json);
        return Ok(ErrorCode::Waiting);
    }
    let aside = repo.state.join("damaged").join(process.clock.now_ms().to_string());
    repo.repository.set_aside(&damage, &aside)?;
    for one in &mut found {
        Surgery { repo: &repo, ledger: &ledger, aside: &aside, process }.perform(one)?;
        let created = &one.sick.created;
        let entries = ledger.read(created.scope())?;
        let last =
            last_commit(&entries).filter(|last| !matches!(repo.repository.commit_named(last), Ok(Some(_))));
        if let Some(last) = last {
            repo.repository.do_without(last, &created.base_commit)?;
        }
    }
    let left = repo.repository.damage()?;
    for one in &mut found {
        let created = &one.sick.created;
        let still = lost_of(&repo, &ledger.read(created.scope())?, &created.base_commit, &left)?;
        if let Some(back @ 1..) = one.lost.len().checked_sub(still.len()) {
            one.done.push(format!("{back} of {} lost items were restored from its files", one.lost.len()));
        }
    }
    for done in found.iter().flat_map(|one| one.done.iter().map(move |done| (&one.feature, done))) {
        text.push_str(&format!("\nfeature {}: {}", done.0, done.1));
    }
    let kept = aside.is_dir().then(|| aside.display().to_string());
    if let Some(kept) = &kept {
        text.push_str(&format!("\nwhat was damaged or replaced is kept in {kept}"));
    }
    let next = process.next(&next);
    text.push_str(&format!("\nnext: {next}"));
    console.show(&text, &RepairJson { v: 1, damaged_objects, features: &found, repaired: true, kept, next });
    Ok(ErrorCode::Done)
}

fn agreed(text: &str, process: &ProcessContext, console: &Console) -> bool {
    if !console.can_ask() {
        return false;
    }
    let why = text.lines().map(str::to_owned).collect();
    let (yes, no) = ("it is repaired, and what is replaced is kept", "nothing is changed");
    console.agrees(&QuestionForm::yes_or_no("Should this be repaired?", why, yes, no), &process.clock)
}

fn summary(damage: &Damage, found: &[Finding]) -> String {
    if found.is_empty() && damage.files.is_empty() {
        return "nothing is damaged: git has everything that the ledger names".to_owned();
    }
    let mut text = match damage.files.len() {
        0 => "none of git's objects is damaged".to_owned(),
        some => format!("{} in git cannot be read", count(some, "object")),
    };
    for Finding { feature, lost, back_to, broken_refs, .. } in found {
        for lost in lost.iter().take(LOST_SHOWN_MAX) {
            text.push_str(&format!("\nfeature {feature}: lost: {lost}"));
        }
        if let Some(more @ 1..) = lost.len().checked_sub(LOST_SHOWN_MAX) {
            text.push_str(&format!("\nfeature {feature}: lost: {more} more, listed by --json"));
        }
        if let Some(commit) = back_to {
            let short = commit.get(..10).unwrap_or(commit);
            text.push_str(&format!("\nfeature {feature}: its branch is intact up to commit {short}"));
        }
        if !broken_refs.is_empty() {
            let refs = count(broken_refs.len(), "ref");
            text.push_str(&format!("\nfeature {feature}: {refs} of redraft point to nothing"));
        }
    }
    text
}

/// Compares what the ledger names with what git has; none where the feature can go on as it is.
fn examine(
    repo: &RepositoryContext,
    ledger: &Ledger,
    id: FeatureId,
    damage: &Damage,
) -> Result<Option<Finding>, CliError> {
    let entries = ledger.read(Scope::Feature(id))?;
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    let created = repo.created(ledger, id)?;
    if state.cancelled || state.merged.is_some() || created.branch.is_empty() {
        return Ok(None);
    }
    let git = &repo.repository;
    let base = created.base_commit.as_str();
    let tree_is_whole = |tree: &str| git.is_whole(tree, None, damage);
    let mut lost = lost_of(repo, &entries, base, damage)?;
    let commits: Vec<&str> =
        entries.iter().filter_map(|entry| Some(named(&entry.event)?.2)).filter(|id| !id.is_empty()).collect();
    let mut began_on_lost = false;
    for (_, flight) in state.open.iter().flat_map(|open| open.flights()) {
        let TreeMark { index, work, .. } = &flight.started.tree;
        if flight.answered.is_none() && !(tree_is_whole(index)? && tree_is_whole(work)?) {
            began_on_lost = true;
            lost.push(format!("the files as {} found them", flight.started.ticket));
        }
    }
    let places = git.places_of(&created.branch);
    let tip = places.first().cloned().filter(|_| git.has_branch(&created.branch).unwrap_or(false));
    let tip_is_whole = tip.as_ref().map_or(Ok(false), |tip| git.is_whole(tip, Some(base), damage))?;
    let mut back_to = None;
    if !tip_is_whole {
        for place in places.iter().map(String::as_str).chain(commits.iter().rev().copied()).chain([base]) {
            if git.is_whole(place, (place != base).then_some(base), damage)? {
                back_to = Some(place.to_owned());
                break;
            }
        }
        if back_to.is_none() {
            let message = format!("feature {id} began on commit {base}, which cannot be read");
            return Err(CliError::new(ErrorCode::Config, message)
                .hint("get it from another clone, e.g. git fetch origin; then run the same command again"));
        }
    }
    let mut broken_refs = Vec::new();
    for kind in ["anchors", "lost"] {
        broken_refs.extend(git.broken_refs(&format!("refs/redraft/{kind}/{id}"), damage)?);
    }
    // An earlier revision is no longer needed once there is a later one.
    let mut needed = state.open.iter().filter_map(|open| open.revision.as_ref()).chain(
        Phase::DOCUMENTS
            .into_iter()
            .chain([Phase::Implement])
            .filter_map(|phase| Some(&state.closed(phase)?.revision)),
    );
    let has_needed =
        needed.try_fold(true, |all, tree| Ok::<bool, CliError>(all && tree_is_whole(tree.as_str())?))?;
    let index_reads = !repo.is_there(&created)?
        || repo.workspace(&created).is_ok_and(|place| place.uncommitted_files().is_ok());
    let belongs = || match repo.is_there(&created)? {
        true => {
            Ok(require_ledger_matches_branch(&repo.workspace(&created)?, &created, &state, &entries).is_ok())
        }
        false => Ok::<bool, CliError>(true),
    };
    let is_fine = tip_is_whole && broken_refs.is_empty() && has_needed && !began_on_lost && index_reads;
    let is_fine = is_fine && belongs()?;
    if is_fine && (lost.is_empty() || damage.files.is_empty()) {
        return Ok(None);
    }
    let sick = Sick { created, state, began_on_lost };
    Ok(Some(Finding { feature: id.to_string(), lost, back_to, broken_refs, done: Vec::new(), sick }))
}

/// The commits and revisions that events name and git cannot read.
fn lost_of(
    repo: &RepositoryContext,
    entries: &[Entry],
    base: &str,
    damage: &Damage,
) -> Result<Vec<String>, CliError> {
    let git = &repo.repository;
    let short = |id: &str| id.get(..10).unwrap_or(id).to_owned();
    let mut lost = Vec::new();
    for entry in entries {
        let Some((what, revision, commit)) = named(&entry.event) else { continue };
        if !commit.is_empty() && !git.is_whole(commit, Some(base), damage)? {
            lost.push(format!("commit {} ({what}, event {})", short(commit), entry.seq));
        } else if !git.is_whole(revision.as_str(), None, damage)? {
            lost.push(format!("revision {} ({what}, event {})", short(revision.as_str()), entry.seq));
        }
    }
    Ok(lost)
}

/// What an event is about, with the revision and commit that it names.
fn named(event: &Event) -> Option<(String, &Revision, &str)> {
    Some(match event {
        Event::Drafted(fact) => {
            (format!("written by {}", fact.ticket.role), fact.revision.as_ref()?, &fact.commit)
        }
        Event::Built(fact) => (format!("built by {}", fact.ticket.role), &fact.revision, &fact.commit),
        Event::TakenOut(fact) => ("taken out".to_owned(), &fact.revision, &fact.commit),
        // A review of a merge names a commit of the base.
        Event::Edited(fact) => (format!("edited by {}", fact.by), &fact.revision, ""),
        Event::PhaseClosed(fact) if fact.phase != Phase::Finish => {
            (format!("{} closed", fact.phase), &fact.revision, "")
        }
        _ => return None,
    })
}

/// The first phase that is over and whose document or code is not in the worktree as it was approved.
fn lost_phase(
    workspace: &GitWorkspace,
    state: &Pipeline,
    created: &FeatureCreated,
) -> Result<Option<Phase>, CliError> {
    for phase in Phase::DOCUMENTS.into_iter().chain([Phase::Implement]) {
        let Some(closed) = state.closed(phase) else { continue };
        let past = state
            .past
            .iter()
            .rev()
            .find(|past| past.opened.phase == phase && past.opened.pass == closed.pass);
        let Some(past) = past else { continue };
        if phase == Phase::Implement && state.open.is_some() {
            // The last phase compares that itself before anything is merged.
            continue;
        }
        if standing(workspace, created, &past.opened)?.as_ref() != Some(&closed.revision) {
            return Ok(Some(phase));
        }
    }
    Ok(None)
}
