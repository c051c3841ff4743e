//! Stores features that were begun elsewhere, and makes the worktrees of those that go on.
//!
//! Each feature is stored in one step, with those of its documents that the base commit does not have. A crash in
//! between leaves some adopted and the rest as they were; the same command goes on.

use super::{Candidate, Fate, known, names_here, sort_out, tell_circles, tell_ticked};
use crate::cli::project::{folder_of, project_number};
use redraft_adapters::git::{GitError, Head};
use redraft_adapters::plain_file;
use redraft_adapters::sqlite::{Ledger, new_feature_uuid};
use redraft_agents::config::{Config, WorkspaceMode};
use redraft_core::pipeline::Pipeline;
use redraft_documents::adopt::{UnderstoodFolder, join};
use redraft_engine::compose::source;
use redraft_engine::ports::{CommitRefused, Store as _, WorkspaceError};
use redraft_facts::event::{Adopted, Brought, Event, FeatureCreated, FeatureLife, PhaseSkipped};
use redraft_facts::ids::FeatureId;
use redraft_facts::redact::Typed;
use redraft_facts::text::hash;
use redraft_facts::ticket::Scope;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::prepare::{hold_place, prepare};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::trust;
use std::collections::{BTreeMap, BTreeSet};

/// More than any PRD.
const SOURCE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// What all of them have in common.
struct Taking<'a> {
    repo: &'a RepositoryContext,
    config: Config,
    head: Head,
    /// Files that HEAD has as they are.
    unchanged: BTreeSet<String>,
    /// The names of features here, by the names they may have elsewhere.
    names: BTreeMap<String, String>,
    review: bool,
    process: &'a ProcessContext,
    console: &'a Console,
}

pub(super) fn take(
    repo: &RepositoryContext,
    candidates: &mut [Candidate],
    review: bool,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let config = repo.config(process)?;
    trust::require_programs(repo, "run the same command again; nothing was changed", process)?;
    let head = repo.repository.head()?;
    // Whatever would stop a feature from being made is found before one is stored.
    repo.repository.make_room(config.workspace.mode != WorkspaceMode::InPlace)?;
    if !repo.repository.has_identity()? {
        return Err(WorkspaceError::Commit(CommitRefused::NoIdentity).into());
    }
    if config.workspace.mode != WorkspaceMode::InPlace {
        for one in candidates.iter().filter(|one| one.needs_worktree()) {
            refuse_checked_out(repo, one).map_err(|error| {
                CliError::from(error).hint("then run the same command again; nothing was changed")
            })?;
        }
    }
    let mut folders: Vec<String> = candidates.iter().map(|one| one.found.path.clone()).collect();
    folders.extend(candidates.iter().filter_map(|one| one.feature.meta.brainstorm_source.clone()));
    folders.retain(|path| !path.starts_with(['/', ':']) && !path.split('/').any(|part| part == ".."));
    let unchanged = repo.repository.unchanged(&folders)?;
    let names = BTreeMap::new();
    let mut taking = Taking { repo, config, head, unchanged, names, review, process, console };
    let lock = repo.lock_repository(process, console)?;
    let ledger = repo.writer()?;
    // Others may have begun features since the report was made.
    for one in candidates.iter_mut() {
        one.feature = redraft_documents::adopt::understand(&one.found);
    }
    let known = known(repo, &ledger)?;
    sort_out(repo, &known, candidates)?;
    tell_ticked(candidates, review);
    taking.names = names_here(known, candidates);
    tell_circles(candidates, &taking.names);
    for one in candidates.iter_mut().filter(|one| one.fate == Fate::New) {
        if process.stopped() {
            break;
        }
        match taking.store(&ledger, one)? {
            None => one.fate = Fate::Adopted,
            Some(why) => {
                one.fate = Fate::Left;
                one.feature.notes.push(why);
            }
        }
    }
    drop(lock);
    for one in candidates.iter_mut().filter(|one| matches!(one.fate, Fate::Adopted | Fate::Known)) {
        if process.stopped() {
            break;
        }
        taking.make_ready(&ledger, one)?;
    }
    Ok(())
}

/// Refuses a feature whose branch cannot be checked out in a worktree.
pub(super) fn refuse_checked_out(repo: &RepositoryContext, one: &Candidate) -> Result<(), GitError> {
    let place = repo.repository.feature_place(one.feature.id, &one.feature.slug)?;
    repo.repository.refuse_checked_out(&place.branch, &place.worktree)
}

impl Taking<'_> {
    /// Stores one feature; returns why not, where one of its files is the reason.
    fn store(&self, ledger: &Ledger, one: &mut Candidate) -> Result<Option<String>, CliError> {
        let created = self.created(one)?;
        let (files, blobs) = match self.documents(one, &created) {
            Ok(documents) => documents,
            Err(why) => return Ok(Some(why)),
        };
        let (feature, by) = (&one.feature, self.process.user.clone());
        let accepted = if self.review { Vec::new() } else { feature.phases() };
        let life = match feature.life {
            // A user who wants them reviewed wants them to go on.
            FeatureLife::Completed if self.review => FeatureLife::Active,
            life => life,
        };
        let branch = self.repo.repository.written_elsewhere(&created.branch, &created.base_commit)?;
        let from = feature.folder.clone();
        let rehearsed = feature.meta.rehearsed.then_some(true);
        let adopted = Adopted { from, accepted, life, by: by.clone(), files, branch, rehearsed };
        let mut events = vec![Event::from(created.clone()), Event::from(adopted)];
        let mut journal = self.process.journal(ledger, Scope::Feature(created.id))?;
        for phase in feature.gaps() {
            let why =
                format!("{} did not exist when it was adopted, but later documents did", phase.artifact());
            events.push(PhaseSkipped { phase, by: by.clone(), why }.into());
            // Where nothing was taken, or nothing is left to do, there is nothing to leave out.
            if journal.after(&events).is_err() {
                events.pop();
            } else {
                let note = format!(
                    "it has no {}, so {phase} is skipped; to have it written: redraft phase back {} {phase} \
                        --why \"…\"",
                    phase.artifact(),
                    created.id
                );
                one.feature.notes.push(note);
            }
        }
        self.process.boundaries.pass("before a feature is adopted");
        journal.append(events, &blobs)?;
        self.process.boundaries.pass("after a feature is adopted");
        Ok(None)
    }

    fn created(&self, one: &mut Candidate) -> Result<FeatureCreated, CliError> {
        let Candidate { branch, feature, .. } = one;
        let place = self.repo.repository.feature_place(feature.id, &feature.slug)?;
        if let Some(branch) = branch {
            self.repo.repository.begin_branch(&place.branch, &branch.commit)?;
        }
        if self.repo.repository.has_branch(&place.branch)? {
            let note = format!("branch {} exists; its content is used", place.branch);
            feature.notes.push(note);
        }
        let lane = feature.lane();
        Ok(FeatureCreated {
            id: feature.id,
            uuid: new_feature_uuid(),
            slug: feature.slug.clone(),
            idea: Typed::from(feature.idea.as_str()).clean(&self.process.redactor),
            lane,
            base_branch: self.head.branch.clone().unwrap_or_default(),
            base_commit: self.head.commit.clone(),
            branch: place.branch,
            prd: None,
            in_place: self.config.workspace.mode == WorkspaceMode::InPlace,
            until: lane.last(),
            lane_reason: match feature.meta.lane {
                Some(said) if said == lane => "its .meta.json says so".to_owned(),
                _ => "it was adopted".to_owned(),
            },
            project: self.project(feature)?,
            depends_on: self.dependencies(feature),
            document: None,
            brainstorm_source: feature.meta.brainstorm_source.as_ref().map(|source| {
                // Some tools write an absolute path of their machine.
                let root = format!("{}/", self.repo.repository.here().display());
                source.strip_prefix(&root).unwrap_or(source).trim_start_matches("./").to_owned()
            }),
            change: None,
            ask_after: Vec::new(),
        })
    }

    /// The project it says it belongs to, as `P001` where it is written as a folder.
    fn project(&self, feature: &mut UnderstoodFolder) -> Result<Option<String>, CliError> {
        let Some(word) = feature.meta.project.clone() else { return Ok(None) };
        let number = word.split('-').next().and_then(project_number);
        let id = number.map_or(word, |number| format!("P{number:03}"));
        if folder_of(self.repo, &id)?.is_none() {
            feature.notes.push(format!("its project {id} was not found"));
        }
        Ok(Some(id))
    }

    /// The features it depends on, by their names here.
    fn dependencies(&self, feature: &mut UnderstoodFolder) -> Vec<String> {
        let mut named = Vec::new();
        for word in feature.meta.depends_on.clone() {
            match self.names.get(&word) {
                Some(name) => named.push(name.clone()),
                None => {
                    feature.notes.push(format!("it depends on {word}, which was not found"));
                    named.push(word);
                }
            }
        }
        named
    }

    /// The documents that must be put on the branch; an error says why the feature is left.
    fn documents(
        &self,
        one: &Candidate,
        created: &FeatureCreated,
    ) -> Result<(Vec<Brought>, Vec<Vec<u8>>), String> {
        let (from, to) = (&one.found.path, created.folder());
        let text = |name: &str| {
            let file = one.found.files.iter().find(|file| file.name == name);
            file.and_then(|file| file.content.as_deref().ok()).unwrap_or_default()
        };
        let (mut files, mut blobs) = (Vec::new(), Vec::new());
        for (target, sources) in one.feature.documents() {
            let path = format!("{to}/{target}");
            let as_is = matches!(sources.as_slice(), [source] if format!("{from}/{source}") == path);
            // What came from a branch is on it already.
            if as_is && (one.branch.is_some() || self.unchanged.contains(&path)) {
                continue;
            }
            for source in &sources {
                if let Some(found) = self.process.redactor.find(text(source)).first() {
                    let (line, kind) = (found.line, found.kind.name());
                    return Err(format!(
                        "{source}:{line} holds what looks like a secret ({kind}), and it would be committed; remove \
                            it, and revoke the secret if it is real"
                    ));
                }
            }
            let bytes = match sources.as_slice() {
                [source] => text(source).to_owned(),
                several => {
                    let parts: Vec<(&str, &str)> =
                        several.iter().map(|source| (*source, text(source))).collect();
                    join(&parts)
                }
            };
            files.push(Brought { path, blob: hash(bytes.as_bytes()) });
            blobs.push(bytes.into_bytes());
        }
        if let Some((path, bytes)) = self.source_of_prd(created) {
            files.push(Brought { path, blob: hash(&bytes) });
            blobs.push(bytes);
        }
        Ok((files, blobs))
    }

    /// The file its PRD came from, where no commit has it yet. One that cannot be taken along counts as none.
    fn source_of_prd(&self, created: &FeatureCreated) -> Option<(String, Vec<u8>)> {
        let path = source(created).filter(|path| !self.unchanged.contains(*path))?;
        let root = std::fs::canonicalize(self.repo.repository.here()).ok()?;
        let file = std::fs::canonicalize(root.join(path)).ok().filter(|file| *file == root.join(path))?;
        let bytes = plain_file::read_inside(&root, &file, SOURCE_BYTES_MAX).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        self.process.redactor.find(text).is_empty().then(|| (path.to_owned(), bytes.clone()))
    }

    /// Makes the worktree of a feature that goes on, once. A feature that is over needs none until somebody goes back,
    /// and one in place is entered when it is run.
    fn make_ready(&self, ledger: &Ledger, one: &mut Candidate) -> Result<(), CliError> {
        let id: FeatureId = one.feature.id;
        let ready = self.repo.state.join("ready").join(id.to_string());
        let created = self.repo.created(ledger, id)?;
        if ready.exists() || created.in_place || !self.goes_on(ledger, id)? {
            return Ok(());
        }
        let _lock = self.repo.lock(&id.to_string(), self.process)?;
        let _place = hold_place(self.repo, &created, self.process)?;
        match prepare(self.repo, ledger, &created, &self.config, self.process, self.console) {
            Ok(()) => Ok(()),
            Err(error) if error.code == ErrorCode::Interrupted => Err(error),
            // It is stored; if its worktree cannot be made, the others still can.
            Err(error) => {
                let again = self.process.next(&format!("redraft run {id}"));
                one.feature.notes.push(format!(
                    "its worktree is not ready: {}; once that is fixed: {again}",
                    error.message
                ));
                Ok(())
            }
        }
    }

    /// Whether it was adopted and has something left to do.
    fn goes_on(&self, ledger: &Ledger, id: FeatureId) -> Result<bool, CliError> {
        let entries = ledger.read(Scope::Feature(id))?;
        let state = Pipeline::replay(&entries)
            .map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
        Ok(state.adopted.is_some() && !state.cancelled && state.phase().is_some())
    }
}
