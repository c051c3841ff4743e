//! The folder that checks run in: a lasting checkout of one commit, next to the feature's worktree.
//!
//! Git does not list it as a worktree. Its git folder is in Redraft's own and uses the repository's objects and refs,
//! so `git worktree list` shows the checkouts of the user and of features and nothing else. Nothing left in the folder
//! is trusted: each time, the index is rebuilt from the commit, so that neither its marks nor file times can hide a
//! difference. Files that do not differ keep their times, or every build would start from nothing.
//! Start at [`GitCheckFolder`]; the commands are run by the engine.

use super::error::GitError;
use super::files::{copied, failed as named, is_absent, is_folder, leads_elsewhere, os_path, path_bytes};
use super::remove_files::{remove_all, remove_file};
use super::repository::Repository;
use super::run::Call;
use redraft_engine::ports::{CheckFolder, CheckedOut, SetUp, WorkspaceError};
use redraft_facts::ids::{BlobId, Revision};
use redraft_facts::text::hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

/// Settings that give a checkout all files and make git look at each, whatever the configuration says.
const WHOLE: [&str; 6] = [
    "core.sparseCheckout=false",
    "core.splitIndex=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.ignoreStat=false",
    "core.preloadIndex=true",
];

/// Stands between the name of a folder and that of a copy beside it. No feature's name has it.
pub(super) const COPY: &str = ".copy-";

/// Where the checks of one feature or review run.
#[derive(Debug)]
pub struct GitCheckFolder<'a> {
    repository: &'a Repository,
    name: String,
    folder: PathBuf,
    /// Git's folder for it.
    git_dir: PathBuf,
    setup: Option<String>,
    copy: Vec<String>,
    /// Threads that remove what was there before, while checks already run: a large build takes longer to remove than
    /// to lay out.
    removing: Mutex<Vec<JoinHandle<()>>>,
}

impl Drop for GitCheckFolder<'_> {
    fn drop(&mut self) {
        let removing = self.removing.get_mut().unwrap_or_else(PoisonError::into_inner);
        for one in removing.drain(..) {
            // What could not be removed is tried again the next time.
            let _ = one.join();
        }
    }
}

/// What is known about the folder, in a file of its git folder. It is written last, so that a folder that was left half
/// done is made again from nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    v: u16,
    /// The files it was last laid out with.
    tree: Revision,
    prepared: BlobId,
    /// The files it had when it was set up; none before.
    set_up: Option<Revision>,
    /// What setup has made that git does not ignore.
    made: BTreeSet<String>,
}

impl<'a> GitCheckFolder<'a> {
    /// `name` distinguishes it from those of other features.
    pub fn new(
        repository: &'a Repository,
        name: &str,
        setup: Option<String>,
        copy: Vec<String>,
    ) -> GitCheckFolder<'a> {
        GitCheckFolder {
            repository,
            name: name.to_owned(),
            folder: repository.worktrees_folder().join(format!("check-{name}")),
            git_dir: repository.state_dir().join("checkouts").join(name),
            setup,
            copy,
            removing: Mutex::default(),
        }
    }

    /// A home for what runs in it. It is emptied and removed together with the folder, so that nothing that an earlier
    /// commit left there can decide about a later one.
    pub fn home(&self) -> PathBuf {
        self.git_dir.join("home")
    }

    fn call<const N: usize>(&self, args: [&str; N]) -> Call {
        let mut call = self.repository.git.call(&self.folder, args);
        for setting in WHOLE {
            call = call.setting(setting);
        }
        call.env("GIT_DIR", &self.git_dir).env("GIT_WORK_TREE", &self.folder)
    }

    fn state_file(&self) -> PathBuf {
        self.git_dir.join("redraft.json")
    }

    /// None also where another version wrote it, or it is torn: then the folder is made again.
    fn state(&self) -> Option<State> {
        let state: State = serde_json::from_slice(&fs::read(self.state_file()).ok()?).ok()?;
        Some(state).filter(|state| state.v == 1 && is_folder(&self.folder))
    }

    fn note(&self, state: &State) -> Result<(), GitError> {
        let path = self.state_file();
        let bytes = serde_json::to_vec(state).unwrap_or_default();
        fs::write(&path, bytes).map_err(|error| GitError::file(&path, &error))
    }

    /// An empty folder, tied to the repository.
    fn recreate(&self) -> Result<(), GitError> {
        remove_all(&self.git_dir)?;
        self.put_aside()?;
        self.repository.make_worktrees_folder()?;
        self.repository.exclude_worktrees()?;
        for folder in [&self.folder, &self.git_dir] {
            fs::create_dir_all(folder).map_err(|error| GitError::file(folder, &error))?;
        }
        Ok(())
    }

    /// Moves the folder out of its place, and has it removed together with what a killed run had put aside.
    fn put_aside(&self) -> Result<(), GitError> {
        let mut gone = self.aside();
        let target =
            self.folder.with_file_name(format!("{}{}", self.aside_name(), uuid::Uuid::new_v4().simple()));
        match fs::rename(&self.folder, &target) {
            Ok(()) => gone.push(target),
            Err(error) if is_absent(&error) => {}
            Err(_) => remove_all(&self.folder)?,
        }
        if gone.is_empty() {
            return Ok(());
        }
        let remove = move || {
            for folder in gone {
                let _ = remove_all(&folder);
            }
        };
        self.removing.lock().unwrap_or_else(PoisonError::into_inner).push(std::thread::spawn(remove));
        Ok(())
    }

    /// What was put aside and is still there.
    fn aside(&self) -> Vec<PathBuf> {
        let Some(Ok(entries)) = self.folder.parent().map(fs::read_dir) else { return Vec::new() };
        let name = self.aside_name();
        let ours = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(&name);
        entries.flatten().filter(ours).map(|entry| entry.path()).collect()
    }

    /// The prefix of the names of folders that were put aside.
    fn aside_name(&self) -> String {
        format!(".gone-{}.", self.folder.file_name().unwrap_or_default().to_string_lossy())
    }

    /// Ties the folder to the repository, at this commit and on no branch. Done each time: the repository may have been
    /// moved, and what runs here may write anything.
    fn tie(&self, commit: &str) -> Result<(), GitError> {
        let link = self.folder.join(".git");
        if link.is_dir() && !link.is_symlink() {
            remove_all(&link)?;
        }
        let texts = [
            (self.git_dir.join("commondir"), path_bytes(self.repository.common_dir())),
            (self.git_dir.join("gitdir"), path_bytes(&link)),
            (self.git_dir.join("HEAD"), commit.as_bytes().to_vec()),
            (link, [b"gitdir: ".to_vec(), path_bytes(&self.git_dir)].concat()),
        ];
        for (path, mut text) in texts {
            // A link in its place would be written through.
            let gone = fs::remove_file(&path);
            if let Some(error) = gone.err().filter(|error| !is_absent(error)) {
                return Err(GitError::file(&path, &error));
            }
            text.push(b'\n');
            fs::write(&path, text).map_err(|error| GitError::file(&path, &error))?;
        }
        Ok(())
    }

    /// Rebuilds the index from a tree. It then knows nothing about any file, so git has to look at each.
    fn index_anew(&self, tree: &Revision) -> Result<(), GitError> {
        for name in ["index", "index.lock", "HEAD.lock", "config.worktree"] {
            let path = self.git_dir.join(name);
            if let Some(error) = fs::remove_file(&path).err().filter(|error| !is_absent(error)) {
                return Err(GitError::file(&path, &error));
            }
        }
        remove_all(&self.git_dir.join("info"))?;
        self.call(["read-tree", tree.as_str()]).succeed().map(drop)
    }

    /// Restores every tracked file to what the index has. Returns those that differed.
    fn put_files_back(&self) -> Result<Vec<Vec<u8>>, GitError> {
        self.remove_links_on_the_way()?;
        // Its exit code says that some files differ.
        self.call(["update-index", "-q", "--really-refresh"]).end()?;
        let differ = self.differing()?;
        if !differ.is_empty() {
            let call = self.call(["checkout-index", "--force", "--index", "--quiet", "-z", "--stdin"]);
            call.input_list(differ.iter().map(Vec::as_slice)).succeed()?;
        }
        Ok(differ)
    }

    /// Removes links in the place of the commit's folders, which would lead git elsewhere.
    fn remove_links_on_the_way(&self) -> Result<(), GitError> {
        let call = self.call(["ls-tree", "-r", "-d", "-z", "--name-only", "HEAD"]);
        for name in call.list()? {
            let path = self.folder.join(os_path(&name));
            if path.is_symlink() {
                fs::remove_file(&path).map_err(|error| GitError::file(&path, &error))?;
            }
        }
        Ok(())
    }

    /// Tracked files that differ from the index, judged by what the index knows of them.
    fn differing(&self) -> Result<Vec<Vec<u8>>, GitError> {
        self.call(["diff-files", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"]).list()
    }

    /// Files that are neither tracked nor ignored; a repository inside the folder ends in a slash.
    fn others(&self) -> Result<BTreeSet<String>, GitError> {
        let listed = self.call(["ls-files", "--others", "--exclude-standard", "-z"]).list()?;
        Ok(listed.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// Removes what only the earlier commit had, because the new one may ignore it.
    fn remove_former(&self, earlier: &Revision, tree: &Revision) -> Result<(), WorkspaceError> {
        let call = self.call(["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=D"]);
        let gone = call.arg(earlier.as_str()).arg(tree.as_str()).list()?;
        for path in gone {
            let path = os_path(&path);
            // What is behind a link is not part of this folder.
            if !leads_elsewhere(&self.folder, &path) {
                remove_file(&self.folder, &path)?;
            }
        }
        Ok(())
    }

    fn remove_others(&self, but: &BTreeSet<String>) -> Result<(), WorkspaceError> {
        for path in self.others()?.difference(but) {
            match path.strip_suffix('/') {
                Some(folder) => remove_all(&self.folder.join(folder))?,
                None => remove_file(&self.folder, Path::new(path))?,
            }
        }
        Ok(())
    }

    /// Copies a file that git does not track from the main checkout, as it is now. Returns what could not be copied.
    fn bring(&self, name: &str) -> Result<Option<String>, WorkspaceError> {
        let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        let bytes = copied(self.repository.main_checkout(), name)?
            .filter(|_| plain && !leads_elsewhere(&self.folder, Path::new(name)));
        let Some(bytes) = bytes else {
            return Ok(Some(format!(
                "[workspace] copy: {name} is not a file in the main checkout, so it is not copied"
            )));
        };
        let target = self.folder.join(name);
        let same = !target.is_symlink() && fs::read(&target).is_ok_and(|now| now == bytes);
        if same {
            return Ok(None);
        }
        remove_all(&target)?;
        let made = fs::create_dir_all(target.parent().unwrap_or(&self.folder));
        made.and_then(|()| fs::write(&target, &bytes)).map_err(|error| named(name, &error))?;
        let source = self.repository.main_checkout().join(name);
        if let Ok(found) = fs::metadata(&source) {
            fs::set_permissions(&target, found.permissions()).map_err(|error| named(name, &error))?;
        }
        Ok(None)
    }
}

impl CheckFolder for GitCheckFolder<'_> {
    fn prepared(&self) -> Result<BlobId, WorkspaceError> {
        let mut all = self.setup.clone().unwrap_or_default().into_bytes();
        for name in &self.copy {
            let bytes = copied(self.repository.main_checkout(), name)?;
            let bytes = bytes.map_or_else(String::new, |bytes| hash(&bytes).to_string());
            all.extend_from_slice(format!("\0{name}\0{bytes}").as_bytes());
        }
        Ok(hash(&all))
    }

    fn check_out(&self, commit: &str, empty: bool) -> Result<CheckedOut, WorkspaceError> {
        let tree = self.repository.tree_of(commit)?;
        let prepared = self.prepared()?;
        let known = self.state().filter(|known| !empty && known.prepared == prepared);
        // Until this is finished, the folder is not what was noted.
        remove_all(&self.state_file())?;
        let emptied = known.is_none();
        if emptied {
            self.recreate()?;
        }
        self.tie(commit)?;
        self.index_anew(&tree)?;
        if let Some(known) = &known {
            self.remove_former(&known.tree, &tree)?;
            self.put_files_back()?;
            self.remove_others(&known.made)?;
        } else {
            self.call(["checkout-index", "--all", "--force", "--index", "--quiet"]).succeed()?;
        }
        let mut notes = Vec::new();
        for name in &self.copy {
            notes.extend(self.bring(name)?);
        }
        let (set_up, made) = known.map(|known| (known.set_up, known.made)).unwrap_or_default();
        let ready = match &set_up {
            None => SetUp::Not,
            Some(then) if *then == tree => SetUp::ForThis,
            Some(_) => SetUp::ForAnother,
        };
        self.note(&State { v: 1, tree, prepared, set_up, made })?;
        Ok(CheckedOut { folder: self.folder.clone(), emptied, set_up: ready, notes })
    }

    fn set_up(&self) -> Result<Vec<String>, WorkspaceError> {
        let Some(state) = self.state() else { return Ok(Vec::new()) };
        self.index_anew(&state.tree)?;
        let changed = self.put_files_back()?;
        let (set_up, made) = (Some(state.tree.clone()), self.others()?);
        self.note(&State { set_up, made, ..state })?;
        Ok(changed.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    fn changed(&self) -> Result<Vec<String>, WorkspaceError> {
        let Some(state) = self.state() else { return Ok(Vec::new()) };
        let mut changed: BTreeSet<String> =
            self.differing()?.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
        changed.extend(self.others()?.difference(&state.made).cloned());
        changed.retain(|path| !self.copy.contains(path));
        Ok(changed.into_iter().collect())
    }

    fn put_away(&self) -> Result<(), WorkspaceError> {
        self.put_copies_away("")?;
        for folder in self.aside() {
            remove_all(&folder)?;
        }
        remove_all(&self.folder)?;
        Ok(remove_all(&self.git_dir)?)
    }

    fn copy(&self, name: &str) -> Box<dyn CheckFolder + '_> {
        let name = format!("{}{COPY}{name}", self.name);
        Box::new(GitCheckFolder::new(self.repository, &name, self.setup.clone(), self.copy.clone()))
    }

    fn put_copies_away(&self, beginning: &str) -> Result<(), WorkspaceError> {
        let name = format!("{}{COPY}{beginning}", self.name);
        let worktrees = self.repository.worktrees_folder();
        let checkouts = self.repository.state_dir().join("checkouts");
        for (parent, beginning) in [(worktrees, format!("check-{name}")), (checkouts, name)] {
            let Ok(entries) = fs::read_dir(parent) else { continue };
            for entry in entries.flatten() {
                if entry.file_name().to_string_lossy().starts_with(&beginning) {
                    remove_all(&entry.path())?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
