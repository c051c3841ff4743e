//! The repository a command works in: its ledger, configuration, locks, features and worktrees.
//! Start at [`ProcessContext::repository`].

use crate::console::Console;
use crate::errors::{CliError, ErrorCode, ambiguous, unknown_feature};
use crate::process_context::ProcessContext;
use redraft_adapters::comment_box::FileCommentBox;
use redraft_adapters::git::{CommitLookup, GitCheckFolder, GitWorkspace, Repository};
use redraft_adapters::inbox::FileInbox;
use redraft_adapters::lock::{Holder, Lock, LockError};
use redraft_adapters::signing::Signer;
use redraft_adapters::sqlite::{Ledger, OpenMode};
use redraft_agents::config::{self, Config};
use redraft_engine::ports::{CheckFolder as _, Clock, Store};
use redraft_facts::event::{Event, FeatureCreated};
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How long to wait for the repository's lock: longer than making a worktree takes, shorter than anybody's patience.
const REPOSITORY_WAIT_MS: u64 = 10_000;
const REPOSITORY_TOLD_MS: u64 = 1_000;
const REPOSITORY_PAUSE_MS: u64 = 20;

/// While a secret is being taken out, a file of this name in the state folder says so.
pub const REDACTING: &str = "redacting";

/// More than any configuration has.
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;

/// A repository and what Redraft knows about it.
pub struct RepositoryContext {
    pub repository: Repository,
    pub state: PathBuf,
    /// Whether this program has made it, with everything in its redraft.toml.
    pub is_own: bool,
    /// Set once it is known that the state folder is the user's own.
    pub state_checked: OnceLock<()>,
}

impl ProcessContext {
    /// The repository the command was started in.
    pub fn repository(&self) -> Result<RepositoryContext, CliError> {
        match &self.found {
            Some(repository) => Ok(RepositoryContext::open(repository.clone())),
            None => RepositoryContext::find(&self.folder),
        }
    }
}

impl RepositoryContext {
    pub fn find(folder: &Path) -> Result<Self, CliError> {
        Ok(Self::open(Repository::discover(folder)?))
    }

    pub fn open(repository: Repository) -> Self {
        let state = repository.state_dir();
        Self { repository, state, is_own: false, state_checked: OnceLock::new() }
    }

    /// What redraft.toml and the user's own file say together.
    pub fn config(&self, process: &ProcessContext) -> Result<Config, CliError> {
        let (folder, roles) = (self.repository.main_checkout(), redraft_roles::profile::roles());
        Ok(self.with_acceptance(Config::load(folder, &roles, &process.own)?, process))
    }

    /// The configuration with what a person has accepted of it. An unusable file of acceptances accepts nothing; the
    /// command that then misses an acceptance says why.
    fn with_acceptance(&self, config: Config, process: &ProcessContext) -> Config {
        let place = self.repository.known_as();
        let accepted = !config.wants.is_empty()
            && (self.is_own || process.trust.has(place, &config.wants_hash()).unwrap_or(false));
        if accepted { config.accept() } else { config }
    }

    /// The same as a branch, tag or commit has it.
    pub fn config_of(&self, name: &str, process: &ProcessContext) -> Result<Config, CliError> {
        match self.repository.commit_meant(name)? {
            CommitLookup::One { commit, .. } => self.config_at(&commit, process),
            CommitLookup::Several(all) => Err(ambiguous(name, &all)),
            CommitLookup::None => {
                Err(CliError::usage(format!("`{name}` does not name a commit in this repository")))
            }
        }
    }

    pub fn config_at(&self, commit: &str, process: &ProcessContext) -> Result<Config, CliError> {
        let bytes = self.repository.file_at(commit, config::FILE, CONFIG_BYTES_MAX)?.unwrap_or_default();
        let path = self.repository.main_checkout().join(config::FILE);
        let parsed = Config::parse(&bytes, &path, &redraft_roles::profile::roles(), &process.own);
        parsed.map(|config| self.with_acceptance(config, process)).map_err(|error| {
            if error.path != path {
                return CliError::from(error);
            }
            let short = commit.get(..10).unwrap_or(commit);
            CliError::from(error)
                .hint(format!("this is the file in commit {short}, not the one in your checkout"))
        })
    }

    /// The ledger to read; a repository without one has no features yet.
    pub fn reader(&self) -> Result<Option<Ledger>, CliError> {
        let file = Ledger::file(&self.state);
        if std::fs::metadata(&file).map_or(!file.exists(), |found| found.is_file() && found.len() == 0) {
            self.refuse_lost_ledger()?;
            return Ok(None);
        }
        let ledger = Ledger::open_begun(&self.state)?;
        if ledger.is_none() {
            self.refuse_lost_ledger()?;
        }
        Ok(ledger)
    }

    /// The ledger to write. What was added since the last check is checked here, before more is added to it; older
    /// events are checked when they are read.
    pub fn writer(&self) -> Result<Ledger, CliError> {
        self.refuse_lost_ledger()?;
        self.refuse_unfinished_redaction()?;
        self.require_own_state()?;
        if self.state.is_dir() {
            self.repository.clear_after_cut()?;
        }
        let ledger =
            self.signed(Ledger::open(&self.state, OpenMode::Write)?)?.behind(self.repository.barrier());
        ledger.check()?;
        Ok(ledger)
    }

    /// The same for a command that may be the user's first: it shows the key that is made.
    pub fn first_writer(&self, console: &Console) -> Result<Ledger, CliError> {
        let trust = self.repository.trust();
        let had_key = self.is_own || trust.own_key()?.is_some();
        let ledger = self.writer()?;
        if let Some(key) = trust.own_key()?.filter(|_| !had_key) {
            console.say(&format!(
                "made your key {key}; what redraft stores for you is signed with it from here on"
            ));
        }
        Ok(ledger)
    }

    /// The ledger as one that signs what is added to it.
    pub fn signed(&self, ledger: Ledger) -> Result<Ledger, CliError> {
        Ok(match self.signer()? {
            Some(signer) => ledger.signed_by(signer),
            None => ledger,
        })
    }

    /// The user's key as it signs here; none in a repository that this program has made for a demonstration.
    pub fn signer(&self) -> Result<Option<Arc<Signer>>, CliError> {
        if self.is_own {
            return Ok(None);
        }
        Ok(Some(Arc::new(self.repository.trust().signer(self.repository.known_as(), &self.state)?)))
    }

    /// Where comments wait for the process that drives their feature.
    pub fn comment_box(&self) -> Result<FileCommentBox, CliError> {
        Ok(FileCommentBox::new(&self.state).signed_by(self.signer()?))
    }

    /// Where answers are kept until they are stored.
    pub fn inbox(&self) -> Result<FileInbox, CliError> {
        Ok(FileInbox::new(&self.state).behind(self.repository.barrier()).signed_by(self.signer()?))
    }

    /// Refuses to go on after an interrupted redaction: some of what named the secret's old places may already name new
    /// ones, and going on would mix them.
    pub fn refuse_unfinished_redaction(&self) -> Result<(), CliError> {
        if self.state.join(REDACTING).symlink_metadata().is_err() {
            return Ok(());
        }
        Err(CliError::new(
            ErrorCode::Config,
            "a secret is being removed from this repository, or its removal was interrupted",
        )
        .hint("wait for it, or finish it with the same secret: redraft ledger redact"))
    }

    /// Refuses a ledger that is missing or empty in a repository where features were worked on: it was lost, not never
    /// there.
    pub fn refuse_lost_ledger(&self) -> Result<(), CliError> {
        let file = Ledger::file(&self.state);
        let empty = std::fs::metadata(&file).map_or(true, |found| found.is_file() && found.len() == 0);
        if !empty || !self.repository.has_anchors()? {
            return Ok(());
        }
        let message =
            format!("the ledger {} is missing or empty, but features were worked on here", file.display());
        Err(CliError::new(ErrorCode::Config, message)
            .hint("restore it from a backup; nothing was changed")
            .hint("to start over without it: redraft uninstall --yes; branches that are merged nowhere stay, and \
                redraft adopt takes over their documents"))
    }

    pub fn lock(&self, name: &str, process: &ProcessContext) -> Result<Lock, CliError> {
        self.require_own_state()?;
        let holder = Holder {
            pid: std::process::id(),
            user: process.user.clone(),
            since_ms: process.clock.now_ms(),
            // The typed command may contain an idea with a key in it.
            command: process.redactor.redact(&process.command).0.into_owned(),
            asks: false,
        };
        Lock::take(&self.state, name, &holder).map_err(|error| match error {
            LockError::Held(holder) if name.parse::<FeatureId>().is_ok() => {
                CliError::new(ErrorCode::Held, format!("feature {name} is held by {holder}")).hint(format!(
                    "wait for it to end (redraft watch {name} shows how far it is), or stop it: redraft stop {name}, or \
                     Ctrl-C in its terminal; other features can run meanwhile"
                ))
            }
            error => error.into(),
        })
    }

    /// The repository's lock, which other processes hold only for moments: numbers, worktrees. So this waits for it,
    /// but not for long.
    pub fn lock_repository(&self, process: &ProcessContext, console: &Console) -> Result<Lock, CliError> {
        let begun = process.clock.moment();
        let mut told = false;
        loop {
            let held = match self.lock("repo", process) {
                Err(error) if error.code == ErrorCode::Held => error,
                taken => return taken,
            };
            let waited_ms = process.clock.moment().ms_since(begun);
            if !told && waited_ms >= REPOSITORY_TOLD_MS {
                console.say(&format!("waiting for the repository: {}", held.message));
                told = true;
            }
            if waited_ms >= REPOSITORY_WAIT_MS || !process.clock.wait_ms(REPOSITORY_PAUSE_MS) {
                return Err(held);
            }
        }
    }

    /// Brings a checkout that a killed process left between two commits to one of them.
    pub fn recover_interrupted_move(&self, console: &Console) -> Result<(), CliError> {
        self.require_own_state()?;
        if let Some(settled) = self.repository.recover_interrupted_move()? {
            console.say(&settled.to_string());
        }
        Ok(())
    }

    /// Whether there are folders of features in the main checkout, no matter who made them.
    pub fn has_folders(&self) -> bool {
        let entries = std::fs::read_dir(self.repository.main_checkout().join("docs/features"));
        entries.is_ok_and(|entries| entries.flatten().any(|entry| entry.path().is_dir()))
    }

    /// Branches on which others have begun features, as in a new clone. If git cannot say, there are none.
    pub fn branches_of_others(&self) -> Vec<String> {
        let branches = self.repository.feature_branches().unwrap_or_default();
        branches.into_iter().map(|branch| branch.name).collect()
    }

    pub fn created(&self, ledger: &Ledger, id: FeatureId) -> Result<FeatureCreated, CliError> {
        self.created_in(ledger, Scope::Feature(id))
    }

    /// The same for the review of a document.
    pub fn created_in(&self, ledger: &Ledger, scope: Scope) -> Result<FeatureCreated, CliError> {
        let entries = ledger.read(scope.clone())?;
        let created = entries.into_iter().find_map(|entry| match entry.event {
            Event::FeatureCreated(created) => Some(created),
            _ => None,
        });
        created.ok_or_else(|| unknown_feature(&scope.to_string()))
    }

    /// The folder a feature is worked on in.
    pub fn worktree(&self, created: &FeatureCreated) -> Result<PathBuf, CliError> {
        if created.in_place {
            return Ok(self.repository.main_checkout().to_owned());
        }
        let place = match created.scope() {
            Scope::Review(id) => self.repository.review_place(id, &created.slug)?,
            _ => self.repository.feature_place(created.id, &created.slug)?,
        };
        Ok(place.worktree)
    }

    /// The note that `redraft clean` has removed what git had of a feature.
    pub fn cleaned_note(&self, id: FeatureId) -> PathBuf {
        self.state.join("cleaned").join(id.to_string())
    }

    /// What to say beside the history of a feature that was cleaned, where git's objects would be shown.
    pub fn cleaned_notice(&self, scope: &Scope) -> Option<String> {
        let Scope::Feature(id) = scope else { return None };
        self.cleaned_note(*id).exists().then(|| {
            format!("feature {id} was cleaned: of its documents only what git still has can be shown")
        })
    }

    /// Refuses to go on with a feature that was cleaned: its branch and revisions are gone.
    pub fn refuse_cleaned(&self, id: FeatureId) -> Result<(), CliError> {
        if !self.cleaned_note(id).exists() {
            return Ok(());
        }
        let message = format!(
            "feature {id} is over, and `redraft clean` has removed its worktree, branch and revisions"
        );
        Err(CliError::usage(message)
            .hint(format!(
                "the ledger still has its history: redraft log {id}, redraft report {id}, redraft cost {id}"
            ))
            .hint("to go on with the subject, begin a feature: redraft new \"your idea\""))
    }

    /// Where the checks of a feature or a review run.
    pub fn check_folder(&self, created: &FeatureCreated, config: &Config) -> GitCheckFolder<'_> {
        let (setup, copy) = (config.workspace.setup.clone(), config.workspace.copy.clone());
        GitCheckFolder::new(&self.repository, &check_name(created), setup, copy)
    }

    /// Removes that folder, once nothing is checked any more.
    pub fn put_checks_away(&self, created: &FeatureCreated) {
        let folder = GitCheckFolder::new(&self.repository, &check_name(created), None, Vec::new());
        // A leftover folder does no harm.
        let _ = folder.put_away();
    }

    /// Whether that folder is there and holds the feature; the main checkout may be on another branch.
    pub fn is_there(&self, created: &FeatureCreated) -> Result<bool, CliError> {
        if created.in_place {
            return Ok(self.repository.is_in_place(&created.branch)?);
        }
        Ok(self.worktree(created)?.is_dir())
    }

    pub fn workspace(&self, created: &FeatureCreated) -> Result<GitWorkspace, CliError> {
        let root = self.worktree(created)?;
        // A change is reviewed without a branch.
        let name = match created.change {
            Some(_) => created.scope().to_string(),
            None => created.branch.clone(),
        };
        Ok(GitWorkspace::open(&self.repository, &root, &name)?)
    }
}

fn check_name(created: &FeatureCreated) -> String {
    match created.scope() {
        Scope::Review(id) => format!("review-{id}-{}", created.slug),
        _ => format!("{}-{}", created.id, created.slug),
    }
}
