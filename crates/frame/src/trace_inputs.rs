//! Gathers what the trace of a feature is made from: its documents, its events, and what git says about its code.
//!
//! A folder of documents is enough; where a ledger knows the feature, its events are added. What is shown is not known
//! here. Start at [`TraceInputs::of_folder`] and [`TraceInputs::of_feature`].

use crate::errors::{CliError, ErrorCode};
use crate::repository_context::RepositoryContext;
use redraft_adapters::git::{GitError, GitWorkspace, Repository};
use redraft_adapters::plain_file;
use redraft_adapters::sqlite::Ledger;
use redraft_documents::lint::ArtifactKind;
use redraft_engine::ports::{Store, Workspace};
use redraft_facts::event::{Entry, Event, FeatureCreated};
use redraft_facts::ids::{FeatureId, Revision};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_reports::matrix::{self, ChangedFiles, Matrix, Sources};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The same limit as for any document that is read to be shown.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

pub struct TraceInputs {
    /// The name of its folder.
    pub name: String,
    pub feature: Option<FeatureId>,
    pub folder: PathBuf,
    texts: BTreeMap<ArtifactKind, String>,
    entries: Vec<Entry>,
    change: Option<ChangedFiles>,
}

impl TraceInputs {
    /// The documents of a folder, with the events of the feature that the folder belongs to. `root` is the current
    /// checkout.
    pub fn of_folder(root: &Path, folder: &Path) -> Result<TraceInputs, CliError> {
        plain_file::check_named(root, folder)
            .map_err(|error| CliError::usage(format!("{}: {error}", folder.display())))?;
        let folder = &folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let texts = texts_in(root, folder)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bare = TraceInputs {
            name,
            feature: None,
            folder: folder.to_owned(),
            texts,
            entries: Vec::new(),
            change: None,
        };
        let Some(repo) = repository_of(folder)? else { return Ok(bare) };
        let Some(ledger) = repo.reader()? else { return Ok(bare) };
        let number = bare.name.split('-').next().and_then(|number| number.parse().ok());
        let known = repo.features(&ledger)?;
        if let Some(id) = number.filter(|id| known.contains(id)) {
            let created = repo.created(&ledger, id)?;
            // Nothing is known about a folder that only has the same number.
            if folder.ends_with(created.folder()) {
                return with_events(bare, &repo, &ledger, &created);
            }
        }
        Ok(bare)
    }

    /// A feature of the ledger: its documents are in its worktree, else where they were merged, else in git.
    pub fn of_feature(
        repo: &RepositoryContext,
        ledger: &Ledger,
        id: FeatureId,
    ) -> Result<TraceInputs, CliError> {
        let created = repo.created(ledger, id)?;
        let relative = created.folder();
        let worktree = repo.is_there(&created)?.then(|| repo.worktree(&created)).transpose()?;
        let roots = worktree.into_iter().chain([repo.repository.main_checkout().to_owned()]);
        let mut gathered = TraceInputs {
            name: format!("{}-{}", created.id, created.slug),
            feature: Some(id),
            folder: repo.repository.main_checkout().join(&relative),
            texts: BTreeMap::new(),
            entries: Vec::new(),
            change: None,
        };
        for root in roots {
            gathered.texts = texts_in(&root, &root.join(&relative))?;
            if !gathered.texts.is_empty() {
                gathered.folder = root.join(&relative);
                break;
            }
        }
        with_events(gathered, repo, ledger, &created)
    }

    /// A feature of the ledger with these documents, which the caller has read.
    pub fn of_texts(
        repo: &RepositoryContext,
        ledger: &Ledger,
        id: FeatureId,
        texts: BTreeMap<ArtifactKind, String>,
    ) -> Result<TraceInputs, CliError> {
        let created = repo.created(ledger, id)?;
        let bare = TraceInputs {
            name: format!("{}-{}", created.id, created.slug),
            feature: Some(id),
            folder: repo.repository.main_checkout().join(created.folder()),
            texts,
            entries: Vec::new(),
            change: None,
        };
        with_events(bare, repo, ledger, &created)
    }

    /// One of its documents.
    pub fn text(&self, kind: ArtifactKind) -> Option<&str> {
        self.texts.get(&kind).map(String::as_str)
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn matrix(&self) -> Matrix {
        let text = |kind: ArtifactKind| self.text(kind);
        matrix::build(&Sources {
            prd: text(ArtifactKind::Prd),
            spec: text(ArtifactKind::Spec),
            design: text(ArtifactKind::Design),
            plan: text(ArtifactKind::Plan),
            tasks: text(ArtifactKind::Tasks),
            entries: &self.entries,
            change: self.change.as_ref(),
        })
    }
}

/// Documents can be looked at without git; only a git that does not work is reported.
fn repository_of(folder: &Path) -> Result<Option<RepositoryContext>, CliError> {
    match Repository::discover(folder) {
        Ok(repository) => Ok(Some(RepositoryContext::open(repository))),
        Err(
            GitError::NotARepository(_)
            | GitError::Missing { .. }
            | GitError::Bare(_)
            | GitError::BareMain(_)
            | GitError::NoMainCheckout(_)
            | GitError::InsideGitFolder(_),
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn texts_in(root: &Path, folder: &Path) -> Result<BTreeMap<ArtifactKind, String>, CliError> {
    let mut texts = BTreeMap::new();
    for kind in ArtifactKind::ALL {
        let file = folder.join(kind.file());
        let wrong = |what: String| {
            CliError::new(ErrorCode::Usage, format!("{}: {what}", file.display()))
                .hint("save it as an ordinary file of UTF-8 text")
        };
        match plain_file::read_named(root, &file, BYTES_MAX) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes);
                texts.insert(kind, text.map_err(|_| wrong("it is not UTF-8 text".to_owned()))?);
            }
            Err(error) if error.is_absent(&file) => {}
            Err(error) => return Err(wrong(error.to_string())),
        }
    }
    Ok(texts)
}

fn with_events(
    bare: TraceInputs,
    repo: &RepositoryContext,
    ledger: &Ledger,
    created: &FeatureCreated,
) -> Result<TraceInputs, CliError> {
    let entries = ledger.read(Scope::Feature(created.id))?;
    let workspace = match repo.is_there(created)? {
        true => repo.workspace(created).ok(),
        // Trees are the same in every checkout; nothing in this one is looked at.
        false => GitWorkspace::open(&repo.repository, repo.repository.main_checkout(), &created.branch).ok(),
    };
    let code = Revisions::from_entries(&entries);
    let change = workspace.as_ref().and_then(|workspace| code.change(workspace, created));
    let mut texts = bare.texts;
    if let (true, Some(workspace), Some(last)) = (texts.is_empty(), &workspace, &code.last) {
        for kind in ArtifactKind::ALL {
            let bytes = workspace.read_at(last, &created.path_of(kind.file())).ok().flatten();
            texts.extend(bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map(|text| (kind, text)));
        }
    }
    Ok(TraceInputs { feature: Some(created.id), texts, entries, change, ..bare })
}

/// The revisions of a feature's code, according to its events.
#[derive(Default)]
struct Revisions {
    first: Option<Revision>,
    last: Option<Revision>,
    /// Each revision with the one it was made from and the commit, where the event names no files.
    steps: Vec<(Revision, Revision, String)>,
}

impl Revisions {
    fn from_entries(entries: &[Entry]) -> Revisions {
        let mut found = Revisions::default();
        let mut code = false;
        for entry in entries {
            let (revision, commit) = match &entry.event {
                Event::LoopOpened(opened) => {
                    code = opened.phase == Phase::Implement;
                    if code && found.first.is_none() {
                        found.first.clone_from(&opened.base);
                        found.last.clone_from(&opened.base);
                    }
                    continue;
                }
                Event::Built(built) => (Some(&built.revision), ""),
                Event::TakenOut(out) => (Some(&out.revision), ""),
                Event::Drafted(drafted) if code => (drafted.revision.as_ref(), drafted.commit.as_str()),
                Event::Edited(edited) if code => (Some(&edited.revision), edited.commit.as_str()),
                _ => continue,
            };
            let Some(revision) = revision else { continue };
            if let Some(last) = found.last.replace(revision.clone()).filter(|_| !commit.is_empty()) {
                found.steps.push((last, revision.clone(), commit.to_owned()));
            }
        }
        found
    }

    /// None where nothing was built, or git has lost a revision.
    fn change(&self, workspace: &GitWorkspace, created: &FeatureCreated) -> Option<ChangedFiles> {
        let (first, last) = (self.first.as_ref()?, self.last.as_ref()?);
        let folder = format!("{}/", created.folder());
        let code = |files: Vec<String>| -> Vec<String> {
            files.into_iter().filter(|file| !file.starts_with(&folder)).collect()
        };
        let files = code(workspace.changed(first, last).ok()?);
        let mut by_commit: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (from, to, commit) in &self.steps {
            by_commit.entry(commit.clone()).or_default().extend(code(workspace.changed(from, to).ok()?));
        }
        Some(ChangedFiles { files, by_commit })
    }
}
