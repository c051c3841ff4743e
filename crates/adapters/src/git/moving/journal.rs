//! The journal of a move, for recovery after a crash.
//!
//! The file is replaced in one step and is on disk before anything it describes is done. It is removed when the move is
//! over, so a newer program finds an older one's only after a crash; a journal of another version is not touched.

use super::plan::{Plan, Step, decoded, encoded};
use super::{Head, Move, MoveJournal, STAGING, STAGING_ELSEWHERE};
use crate::git::error::GitError;
use crate::git::locate::{self, same_path};
use redraft_facts::text::is_git_folder;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

pub(super) const FILE: &str = "journal.json";

const VERSION: u16 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    v: u16,
    /// What our `index.lock` holds.
    pub(super) token: String,
    /// For people: `the merge of feature/001-x into main`.
    pub(super) what: String,
    checkout: String,
    git_dir: String,
    staging: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) head: Head,
    /// None while it is prepared, when nothing in the checkout has been touched.
    pub(super) plan: Option<Plan>,
    /// The main checkout, which the paths begin from: a repository may be moved as a whole.
    #[serde(skip)]
    root: PathBuf,
}

impl Journal {
    pub(super) fn new(
        wanted: &Move<'_>,
        checkout: &Path,
        git_dir: &Path,
        staging: &Path,
        root: &Path,
    ) -> Journal {
        let kept = |path: &Path| encoded(path.strip_prefix(root).unwrap_or(path));
        Journal {
            v: VERSION,
            token: format!("redraft {} {}\n", std::process::id(), uuid::Uuid::new_v4()),
            what: wanted.what.clone(),
            checkout: kept(checkout),
            git_dir: kept(git_dir),
            staging: kept(staging),
            from: wanted.from.to_owned(),
            to: wanted.to.to_owned(),
            head: wanted.head.clone(),
            plan: None,
            root: root.to_owned(),
        }
    }

    /// The journal of an unfinished move, if there is one.
    pub(super) fn read(path: &Path, desk: &MoveJournal<'_>) -> Result<Option<Journal>, GitError> {
        let root = desk.repository.main_checkout();
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(GitError::file(path, &error)),
        };
        let journal = serde_json::from_slice::<Journal>(&bytes).ok();
        let journal = journal.map(|journal| Journal { root: root.to_owned(), ..journal });
        match journal.filter(|journal| journal.v == VERSION && journal.stays_inside(desk)) {
            Some(journal) => Ok(Some(journal)),
            None => Err(GitError::Journal(path.to_owned())),
        }
    }

    /// Whether everything it names belongs to this repository. Its author is unknown: an archive could bring a journal
    /// that names folders of the user's.
    fn stays_inside(&self, desk: &MoveJournal<'_>) -> bool {
        let (checkout, git_dir, staging) = (self.checkout(), self.git_dir(), self.staging());
        let common = desk.repository.common_dir();
        // The folder itself must say that it is a checkout of this repository.
        let is_ours = locate::git_dir(&checkout).is_some_and(|git| same_path(&git, &git_dir))
            && locate::common_of(&git_dir).is_some_and(|shared| same_path(&shared, common));
        let is_id = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_branch = |name: &str| !name.is_empty() && !name.starts_with('-') && is_below(Path::new(name));
        let mut files =
            self.plan.iter().flat_map(|plan| plan.steps.iter().map(Step::path).chain(plan.submodules()));
        is_ours
            && (staging == desk.path(STAGING) || staging == checkout.join(STAGING_ELSEWHERE))
            && is_id(&self.from)
            && is_id(&self.to)
            && is_branch(self.head.branch())
            && files.all(|path| {
                is_below(&path) && !path.iter().any(|part| is_git_folder(&part.to_string_lossy()))
            })
    }

    /// Replaces the file in one step, and returns when it is on disk.
    pub(super) fn write(&self, path: &Path) -> Result<(), GitError> {
        let temporary = path.with_extension("part");
        let write = || -> io::Result<()> {
            let mut file = File::create(&temporary)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.sync_all()?;
            fs::rename(&temporary, path)?;
            path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
        };
        write().map_err(|error| GitError::file(path, &error))
    }

    pub(super) fn checkout(&self) -> PathBuf {
        self.whole(&self.checkout)
    }

    pub(super) fn git_dir(&self) -> PathBuf {
        self.whole(&self.git_dir)
    }

    pub(super) fn staging(&self) -> PathBuf {
        self.whole(&self.staging)
    }

    /// The files that shall stand in the checkout.
    pub(super) fn staged(&self) -> PathBuf {
        self.staging().join("new")
    }

    /// The files that stood there.
    pub(super) fn saved(&self) -> PathBuf {
        self.staging().join("old")
    }

    pub(super) fn index(&self) -> PathBuf {
        self.git_dir().join("index")
    }

    pub(super) fn index_lock(&self) -> PathBuf {
        self.git_dir().join("index.lock")
    }

    /// Releases the index, if we hold it.
    pub(super) fn unlock_index(&self) {
        let path = self.index_lock();
        if fs::read(&path).is_ok_and(|held| held == self.token.as_bytes()) {
            // If it was removed meanwhile, that is just as good.
            let _ = fs::remove_file(path);
        }
    }

    fn whole(&self, path: &str) -> PathBuf {
        match path {
            "" => self.root.clone(),
            path => self.root.join(decoded(path)),
        }
    }
}

/// Whether a path can only lead further down.
fn is_below(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}
