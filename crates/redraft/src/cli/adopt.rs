//! `redraft adopt`: reports which features people or other tools have begun, and takes them over on request.
//!
//! `survey` reads, `documents::adopt` understands, `take` stores; this file talks.

mod survey;
mod take;

use redraft_adapters::git::{FeatureBranch, GitError};
use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::WorkspaceMode;
use redraft_documents::adopt::{
    Folder, FolderName, UnderstoodFolder, give_numbers, named, ticked, understand,
};
use redraft_documents::dependency::{FeatureStanding, circle};
use redraft_engine::ports::Store;
use redraft_facts::event::{Event, FeatureLife};
use redraft_facts::harmless;
use redraft_facts::ids::FeatureId;
use redraft_facts::text::{count, one_line};
use redraft_facts::ticket::Scope;
use redraft_frame::args::AdoptArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::question::QuestionForm;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Serialize)]
struct AdoptJson {
    v: u16,
    /// Whether nothing was changed.
    dry_run: bool,
    features: Vec<FeatureJson>,
    notes: Vec<String>,
    next: String,
}

#[derive(Serialize)]
struct FeatureJson {
    folder: String,
    id: String,
    slug: String,
    /// `planned`, `active`, `completed` or `abandoned`.
    status: &'static str,
    /// `new`, `adopted` (just now), `known` (already in the ledger) or `left` (its notes say why).
    state: &'static str,
    artifacts: Vec<ArtifactJson>,
    unknown: Vec<UnknownJson>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct ArtifactJson {
    file: String,
    kind: &'static str,
    how: &'static str,
    /// Its name in the feature's folder; null for what the ledger writes itself.
    #[serde(rename = "as")]
    target: Option<String>,
}

#[derive(Serialize)]
struct UnknownJson {
    file: String,
    reason: String,
}

/// A folder, what was understood of it, and what is done with it.
struct Candidate {
    found: Folder,
    /// The branch it was found on, where no checkout has it.
    branch: Option<FeatureBranch>,
    feature: UnderstoodFolder,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    New,
    Adopted,
    Known,
    Left,
}

impl Fate {
    fn name(self) -> &'static str {
        match self {
            Fate::New => "new",
            Fate::Adopted => "adopted",
            Fate::Known => "known",
            Fate::Left => "left",
        }
    }
}

pub(crate) fn adopt(
    args: AdoptArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let found = survey::survey(&repo, process, &args.paths)?;
    let mut candidates: Vec<Candidate> =
        found.folders.into_iter().map(|(found, branch)| candidate(found, branch)).collect();
    let known = match repo.reader()? {
        Some(ledger) => known(&repo, &ledger)?,
        None => Known::default(),
    };
    // A branch that is a feature of ours is not reported, unless its worktree was never made.
    candidates.retain(|one| {
        let own = known.folders.get(&one.feature.folder).filter(|_| one.branch.is_some());
        own.is_none_or(|id| !repo.state.join("ready").join(id.to_string()).exists())
    });
    sort_out(&repo, &known, &mut candidates)?;
    tell_ticked(&mut candidates, args.review);
    tell_checked_out(&repo, &mut candidates, process)?;
    let names = names_here(known, &candidates);
    tell_circles(&mut candidates, &names);
    let fresh = |candidates: &[Candidate]| candidates.iter().filter(|one| one.fate == Fate::New).count();
    let wanted = fresh(&candidates);
    let unfinished = candidates.iter().any(|one| one.fate == Fate::Known);
    let doing = match (args.dry_run, args.yes) {
        (true, _) => false,
        (false, true) => wanted > 0 || unfinished,
        (false, false) => wanted > 0 && asked(&candidates, process, console),
    };
    if doing {
        take::take(&repo, &mut candidates, args.review, process, console)?;
    }
    let left = fresh(&candidates);
    let next = match (candidates.is_empty(), left) {
        (true, _) => process.next("redraft new \"your idea\""),
        (false, 0) => process.next("redraft status"),
        (false, _) => process.next(&again(&args)),
    };
    let features: Vec<FeatureJson> = candidates.iter().map(shown).collect();
    let shown = AdoptJson { v: 1, dry_run: !doing, features, notes: found.notes, next };
    console.show(&text(&shown), &shown);
    Ok(if process.stopped() { ErrorCode::Interrupted } else { ErrorCode::Done })
}

/// What the ledger knows: folders, with the features they became, and every number.
#[derive(Default)]
struct Known {
    folders: BTreeMap<String, FeatureId>,
    numbers: BTreeSet<FeatureId>,
    /// The names of features here, by the names they may have elsewhere: the folder they came from, their number.
    names: BTreeMap<String, String>,
}

impl Known {
    /// Remembers a feature under its number and the folder it came from; the first to have a name keeps it.
    fn name(&mut self, id: FeatureId, slug: &str, from: &str) {
        let name = format!("{id}-{slug}");
        for other in [name.clone(), id.to_string(), from.rsplit('/').next().unwrap_or(from).to_owned()] {
            self.names.entry(other).or_insert_with(|| name.clone());
        }
    }
}

fn known(repo: &RepositoryContext, ledger: &Ledger) -> Result<Known, CliError> {
    let mut known = Known::default();
    for id in repo.features(ledger)? {
        known.numbers.insert(id);
        let slug = repo.created(ledger, id)?.slug;
        for entry in ledger.read(Scope::Feature(id))? {
            let from = match entry.event {
                Event::FeatureCreated(created) => created.folder(),
                Event::Adopted(adopted) => adopted.from,
                _ => continue,
            };
            known.name(id, &slug, &from);
            known.folders.insert(from, id);
        }
    }
    Ok(known)
}

fn candidate(found: Folder, branch: Option<FeatureBranch>) -> Candidate {
    let feature = understand(&found);
    Candidate { found, branch, feature, fate: Fate::New }
}

/// Says which tasks of a list count as done because they are ticked.
fn tell_ticked(candidates: &mut [Candidate], review: bool) {
    for one in
        candidates.iter_mut().filter(|one| one.fate == Fate::New && one.feature.life == FeatureLife::Active)
    {
        let (ticked, all) = ticked(&one.found, &one.feature);
        if ticked == 0 || ticked == all {
            continue;
        }
        let are = if ticked == 1 { "is" } else { "are" };
        one.feature.notes.push(match review {
            true => format!("{ticked} of its {all} tasks {are} ticked; with --review this is ignored"),
            false => format!(
                "{ticked} of its {all} tasks {are} ticked: done before it was adopted, not by redraft, and not \
                    carried out again; to have one carried out, untick it in tasks.md of its worktree"
            ),
        });
    }
}

/// Reports a branch that is checked out where it must not be, before anything is done.
fn tell_checked_out(
    repo: &RepositoryContext,
    candidates: &mut [Candidate],
    process: &ProcessContext,
) -> Result<(), CliError> {
    for one in candidates.iter_mut().filter(|one| one.needs_worktree()) {
        match take::refuse_checked_out(repo, one) {
            Err(GitError::CheckedOut { .. })
                if repo.config(process)?.workspace.mode == WorkspaceMode::InPlace => {}
            Err(error @ GitError::CheckedOut { .. }) => one.feature.notes.push(error.to_string()),
            other => other?,
        }
    }
    Ok(())
}

impl Candidate {
    /// Whether it is to be worked on here.
    fn needs_worktree(&self) -> bool {
        self.fate == Fate::New && matches!(self.feature.life, FeatureLife::Active | FeatureLife::Planned)
    }
}

/// Decides what is done with each candidate, and which number it has or gets.
fn sort_out(repo: &RepositoryContext, known: &Known, candidates: &mut [Candidate]) -> Result<(), CliError> {
    for one in candidates.iter_mut() {
        one.fate = match known.folders.get(&one.feature.folder) {
            Some(id) => {
                one.feature.id = *id;
                Fate::Known
            }
            None if one.feature.artifacts.iter().all(|artifact| artifact.kind.file().is_none()) => {
                one.feature.notes.push("it holds no document that could become part of a feature".to_owned());
                Fate::Left
            }
            None => Fate::New,
        };
    }
    let mut fresh: Vec<UnderstoodFolder> =
        candidates.iter().filter(|one| one.fate == Fate::New).map(|one| one.feature.clone()).collect();
    let own =
        |name: &FolderName| fresh.iter().any(|one| (one.number, &one.slug) == (name.number, &name.slug));
    let mut taken = known.numbers.clone();
    let others = repo.repository.feature_names()?;
    taken.extend(
        others.iter().map(|name| named(name)).filter(|name| !own(name)).filter_map(|name| name.number),
    );
    give_numbers(&mut fresh, &taken);
    let places = candidates.iter_mut().filter(|one| one.fate == Fate::New);
    for (one, numbered) in places.zip(fresh) {
        one.feature = numbered;
    }
    Ok(())
}

/// The names of features here, including those to be adopted.
fn names_here(mut known: Known, candidates: &[Candidate]) -> BTreeMap<String, String> {
    for one in candidates.iter().filter(|one| one.fate == Fate::New) {
        known.name(one.feature.id, &one.feature.slug, &one.feature.folder);
    }
    known.names
}

/// Features that wait for each other can be adopted, but none of them could be run without a person's decision.
fn tell_circles(candidates: &mut [Candidate], names: &BTreeMap<String, String>) {
    let name = |one: &Candidate| format!("{}-{}", one.feature.id, one.feature.slug);
    let standing = |one: &Candidate| FeatureStanding {
        life: one.feature.life,
        phase: String::new(),
        waits_for: one.feature.meta.depends_on.iter().filter_map(|word| names.get(word).cloned()).collect(),
        goes_on: true,
    };
    let fresh = candidates.iter().filter(|one| one.fate == Fate::New);
    let all: BTreeMap<String, FeatureStanding> = fresh.map(|one| (name(one), standing(one))).collect();
    for one in candidates.iter_mut().filter(|one| one.fate == Fate::New) {
        let own = name(one);
        let waits_for = all.get(&own).map(|standing| standing.waits_for.as_slice()).unwrap_or_default();
        if let Some(way) = circle(&own, waits_for, &|other: &str| all.get(other).cloned()) {
            let (id, way) = (one.feature.id, way.join(" needs "));
            one.feature.notes.push(format!(
                "features wait for each other: {way}; to begin with this one: redraft run {id} --unblock \"why\""
            ));
        }
    }
}

fn asked(candidates: &[Candidate], process: &ProcessContext, console: &Console) -> bool {
    if !console.can_ask() {
        return false;
    }
    for one in candidates {
        console.say_before_asking(lines(&shown(one)).trim_end());
    }
    let fresh = candidates.iter().filter(|one| one.fate == Fate::New).count();
    let what = format!("Should {} be taken over as described above?", count(fresh, "feature"));
    let (yes, no) = ("they get branches, worktrees and a place in the ledger", "nothing is changed");
    console.agrees(&QuestionForm::yes_or_no(&what, Vec::new(), yes, no), &process.clock)
}

/// The command that does what was reported.
fn again(args: &AdoptArgs) -> String {
    let mut command = "redraft adopt".to_owned();
    for path in &args.paths {
        command.push_str(&format!(" {}", redraft_adapters::shell_word::quoted_path(path)));
    }
    command.push_str(if args.review { " --review --yes" } else { " --yes" });
    command
}

fn shown(one: &Candidate) -> FeatureJson {
    let feature = &one.feature;
    let artifacts = feature.artifacts.iter().map(|artifact| ArtifactJson {
        file: artifact.file.clone(),
        kind: artifact.kind.name(),
        how: artifact.how,
        target: artifact.target.clone(),
    });
    let unknown = feature
        .unknown
        .iter()
        .map(|unknown| UnknownJson { file: unknown.file.clone(), reason: unknown.reason.clone() });
    FeatureJson {
        folder: feature.folder.clone(),
        id: if feature.id == FeatureId(0) { String::new() } else { feature.id.to_string() },
        slug: feature.slug.clone(),
        status: feature.life.name(),
        state: one.fate.name(),
        artifacts: artifacts.collect(),
        unknown: unknown.collect(),
        notes: feature.notes.clone(),
    }
}

fn text(shown: &AdoptJson) -> String {
    let mut text: String = shown.features.iter().map(lines).collect();
    for note in &shown.notes {
        text.push_str(&format!("note: {}\n", harmless::name(note)));
    }
    let files = |pick: fn(&FeatureJson) -> usize| shown.features.iter().map(pick).sum::<usize>();
    let known = files(|feature| feature.artifacts.len());
    let all = known + files(|feature| feature.unknown.len());
    let of_state = |state: &str| shown.features.iter().filter(|feature| feature.state == state).count();
    text.push_str(&format!(
        "{}, {known} of {} understood",
        count(shown.features.len(), "folder"),
        count(all, "file")
    ));
    for (state, what) in
        [("new", "to adopt"), ("adopted", "adopted"), ("known", "already in the ledger"), ("left", "left")]
    {
        match of_state(state) {
            0 => {}
            number => text.push_str(&format!("; {number} {what}")),
        }
    }
    if shown.dry_run {
        text.push_str("; nothing was changed");
    }
    text.push_str(&format!("\nnext: {}", shown.next));
    text
}

fn lines(feature: &FeatureJson) -> String {
    let FeatureJson { folder, id, slug, status, state, .. } = feature;
    let (folder, slug) = (harmless::name(folder), harmless::name(slug));
    let mut text = match *state {
        "left" => format!("{folder}  left\n"),
        "known" => format!("{folder}  is already feature {id}\n"),
        state => format!("{folder}  {state}: {id} {slug}, {status}\n"),
    };
    let found: Vec<String> = feature
        .artifacts
        .iter()
        .map(|artifact| match (artifact.target.as_deref(), artifact.how) {
            (Some(target), "its name") if target == artifact.file => harmless::name(target).into_owned(),
            (_, how) => format!("{} ({}, by {how})", harmless::name(&artifact.file), artifact.kind),
        })
        .collect();
    if !found.is_empty() && *state != "known" {
        text.push_str(&format!("    {}\n", found.join(", ")));
    }
    for unknown in &feature.unknown {
        let (file, reason) = (harmless::name(&unknown.file), harmless::name(&unknown.reason));
        text.push_str(&format!("    not understood: {file}: {reason}\n"));
    }
    for note in feature.notes.iter().filter(|_| *state != "known") {
        text.push_str(&format!("    note: {}\n", one_line(note, 300)));
    }
    text
}
