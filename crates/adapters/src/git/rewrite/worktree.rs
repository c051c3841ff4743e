//! Makes indexes, files and logs follow what objects and refs have become.

use super::objects::scratch;
use crate::git::error::GitError;
use crate::git::files::os_path;
use crate::git::remove_files::remove_all;
use crate::git::repository::Repository;
use redraft_facts::removal::{Removal, Renamed};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A larger file was not written by an agent as a document or as code.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What the name of a folder that checks run in begins with.
const CHECK: &str = "check-";

/// Files of git's own that hold messages or ids of the last operation.
const NOTES: [&str; 6] =
    ["COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG", "ORIG_HEAD", "FETCH_HEAD"];

/// An entry of an index.
pub(super) struct Indexed {
    mode: String,
    pub(super) id: String,
    stage: String,
    path: Vec<u8>,
}

/// The entries of an index.
pub(super) fn index(repository: &Repository, root: &Path) -> Result<Vec<Indexed>, GitError> {
    let listed = repository.git.call(root, ["ls-files", "--stage", "-z"]).list()?;
    let entries = listed.iter().filter_map(|line| {
        let tab = line.iter().position(|byte| *byte == b'\t')?;
        let head = String::from_utf8_lossy(line.get(..tab)?).into_owned();
        let mut words = head.split(' ').map(str::to_owned);
        let (mode, id, stage) = (words.next()?, words.next()?, words.next()?);
        Some(Indexed { mode, id, stage, path: line.get(tab + 1..)?.to_vec() })
    });
    Ok(entries.collect())
}

/// Makes the index name the new objects, and takes the secret out of files that git does not ignore. Returns the files.
pub(super) fn clean(
    repository: &Repository,
    root: &Path,
    removal: &Removal,
    renamed: &Renamed,
) -> Result<Vec<String>, GitError> {
    let mut lines = Vec::new();
    for Indexed { mode, id, stage, path } in index(repository, root)? {
        let Some(new) = renamed.0.get(&id) else { continue };
        lines.extend(format!("{mode} {new} {stage}\t").into_bytes());
        lines.extend(path);
        lines.push(0);
    }
    let changed = !lines.is_empty();
    if changed {
        let call = repository.git.call(root, ["update-index", "-z", "--index-info"]);
        call.setting("core.fsync=index").input(lines).succeed()?;
    }
    let mut files = Vec::new();
    for name in holding(repository, root, removal, &["--cached", "--others", "--exclude-standard"])? {
        let path = PathBuf::from(&name);
        if replace(repository, &path, |bytes| removal.apply(bytes).map(|(bytes, _)| bytes))? {
            files.push(name);
        }
    }
    if changed || !files.is_empty() {
        // So that git does not take unchanged files for changed; its answer only lists those that are changed.
        repository.git.call(root, ["update-index", "-q", "--refresh"]).end()?;
    }
    Ok(files)
}

/// The files of a worktree that hold the secret, of those that `git ls-files` lists with these options.
pub(super) fn holding(
    repository: &Repository,
    root: &Path,
    removal: &Removal,
    options: &[&str],
) -> Result<Vec<String>, GitError> {
    let call = repository.git.call(root, ["ls-files", "-z"]);
    let listed = options.iter().fold(call, |call, option| call.arg(*option)).list()?;
    let mut found = Vec::new();
    for name in listed {
        let path = root.join(os_path(&name));
        if holds(&path, removal) {
            found.push(path.display().to_string());
        }
    }
    found.dedup();
    Ok(found)
}

/// The logs of refs and the notes of the last operation, in git's own folder and in those of worktrees.
pub(super) fn clean_logs(
    repository: &Repository,
    removal: &Removal,
    renamed: &Renamed,
) -> Result<(), GitError> {
    let common = repository.common_dir();
    let mut folders = vec![common.to_owned()];
    folders.extend(entries(&common.join("worktrees")));
    let mut files = Vec::new();
    for folder in folders {
        files.extend(NOTES.iter().map(|name| folder.join(name)));
        let mut logs = vec![folder.join("logs")];
        while let Some(path) = logs.pop() {
            if path.is_dir() { logs.extend(entries(&path)) } else { files.push(path) }
        }
    }
    for file in files {
        replace(repository, &file, |bytes| {
            let cleaned = removal.apply(bytes).map(|(bytes, _)| bytes);
            let followed = renamed.apply(cleaned.as_deref().unwrap_or(bytes));
            followed.or(cleaned)
        })?;
    }
    Ok(())
}

/// Our own files that hold the secret, without the ledger and the files next to it.
pub(super) fn own_files(repository: &Repository, removal: &Removal) -> Vec<PathBuf> {
    let state = repository.state_dir();
    let left = entries(&state).into_iter().filter(|path| !name(path).starts_with("ledger."));
    let mut found = below(left.collect(), removal);
    found.extend(below(check_folders(repository), removal));
    found
}

/// The folders that checks run in, and those of them that were put aside.
fn check_folders(repository: &Repository) -> Vec<PathBuf> {
    let mut found = entries(&repository.worktrees_folder());
    found.retain(|path| name(path).starts_with(CHECK) || name(path).starts_with(&format!(".gone-{CHECK}")));
    found
}

/// Removes what can be made again: each check folder that holds the secret, or all of them where git's objects have
/// changed, because the record of such a folder names them. The record goes first, so that what a killed attempt has
/// left is not trusted.
fn empty_check_folders(
    repository: &Repository,
    removal: &Removal,
    renamed: &Renamed,
) -> Result<Vec<String>, GitError> {
    let mut emptied = Vec::new();
    for folder in check_folders(repository) {
        if renamed.0.is_empty() && below(vec![folder.clone()], removal).is_empty() {
            continue;
        }
        if let Some(known) = name(&folder).strip_prefix(CHECK) {
            remove_all(&repository.state_dir().join("checkouts").join(known))?;
        }
        remove_all(&folder)?;
        emptied.push(folder.display().to_string());
    }
    Ok(emptied)
}

/// The files in these places that hold the secret.
fn below(mut left: Vec<PathBuf>, removal: &Removal) -> Vec<PathBuf> {
    let mut found = Vec::new();
    while let Some(path) = left.pop() {
        match path.symlink_metadata() {
            Ok(about) if about.is_dir() => left.extend(entries(&path)),
            Ok(_) if holds(&path, removal) => found.push(path),
            _ => {}
        }
    }
    found
}

pub(super) fn clean_own_files(
    repository: &Repository,
    removal: &Removal,
    renamed: &Renamed,
) -> Result<Vec<String>, GitError> {
    let mut cleaned = empty_check_folders(repository, removal, renamed)?;
    for path in own_files(repository, removal) {
        let changed = replace(repository, &path, |bytes| {
            let (bytes, _) = removal.apply(bytes)?;
            Some(renamed.apply(&bytes).unwrap_or(bytes))
        })?;
        if changed {
            cleaned.push(path.display().to_string());
        }
    }
    Ok(cleaned)
}

/// What else in git's folder holds the secret. Objects are looked at as objects, and our own folder by itself.
pub(super) fn settings(repository: &Repository, removal: &Removal) -> Vec<PathBuf> {
    let apart = ["objects", "redraft", "logs"];
    let mut left: Vec<PathBuf> = entries(repository.common_dir());
    left.retain(|path| !apart.contains(&name(path).as_str()));
    below(left, removal)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn holds(path: &Path, removal: &Removal) -> bool {
    plain(path) && fs::read(path).is_ok_and(|bytes| removal.is_in(&bytes))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .map_or_else(|_| Vec::new(), |list| list.flatten().map(|entry| entry.path()).collect())
}

/// A regular file that is not too large; no link, no pipe.
fn plain(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= FILE_BYTES_MAX)
}

/// Writes a file again if its content changes; a killed process leaves the old or the new one.
fn replace(
    repository: &Repository,
    path: &Path,
    change: impl FnOnce(&[u8]) -> Option<Vec<u8>>,
) -> Result<bool, GitError> {
    let failed = |error: &std::io::Error| GitError::file(path, error);
    if !plain(path) {
        return Ok(false);
    }
    let bytes = fs::read(path).map_err(|error| failed(&error))?;
    let Some(new) = change(&bytes) else { return Ok(false) };
    let folder = scratch(repository);
    fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
    let part = crate::git::files::temporary_in(&folder);
    let write = || -> std::io::Result<()> {
        let mut file = fs::File::create(&part)?;
        file.write_all(&new)?;
        file.set_permissions(fs::metadata(path)?.permissions())?;
        file.sync_all()?;
        match fs::rename(&part, path) {
            // Another file system: the best that is left.
            Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {
                fs::write(path, &new)?;
                fs::remove_file(&part)
            }
            renamed => renamed,
        }
    };
    write().map_err(|error| failed(&error))?;
    Ok(true)
}
