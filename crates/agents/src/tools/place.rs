//! Turns what a model calls a path into a place on disk that is inside the working folder.

use super::Refusal;
use redraft_facts::text::is_git_folder;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// The working folder, with every link on the way to it resolved.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
}

/// Larger files are data, not text that a role reviews.
pub(super) const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

impl Folder {
    pub(super) fn new(folder: &Path) -> Result<Folder, String> {
        let root = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Folder { root })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The path in its one spelling: relative, with `/`, without `.` and `..`; empty for the folder itself.
    pub(super) fn relative(&self, path: &str) -> Result<String, Refusal> {
        let denied = |why: &str| Refusal::Denied(format!("`{path}` {why}"));
        if path.contains('\0') || path.contains('\\') {
            return Err(denied("is not a path; use `/` between folders"));
        }
        let mut names: Vec<&str> = Vec::new();
        for component in Path::new(path).components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => names.push(name.to_str().unwrap_or_default()),
                Component::ParentDir => return Err(denied("leaves the working folder; `..` is not allowed")),
                Component::RootDir | Component::Prefix(_) => {
                    return Err(denied("is absolute; give it relative to the working folder"));
                }
            }
        }
        if names.iter().any(|name| is_git_folder(name)) {
            return Err(denied("is part of git's own files, which are not open to tools"));
        }
        Ok(names.join("/"))
    }

    /// Where an existing file or folder really is. `path` comes from [`Folder::relative`].
    pub(super) fn existing(&self, path: &str) -> Result<PathBuf, Refusal> {
        let shown = shown(path);
        let real = self.root.join(path).canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound => Refusal::Failed(format!("`{shown}` does not exist")),
            _ => Refusal::Failed(format!("`{shown}`: {error}")),
        })?;
        let Ok(inside) = real.strip_prefix(&self.root) else {
            return Err(Refusal::Denied(format!("`{shown}` is a link that leaves the working folder")));
        };
        if inside.components().any(|part| is_git_folder(&part.as_os_str().to_string_lossy())) {
            return Err(Refusal::Denied(format!("`{shown}` is a link into git's own files")));
        }
        Ok(real)
    }

    /// Where a file is to be written: no link anywhere on the way, and an ordinary file if it is there already.
    pub(super) fn for_writing(&self, path: &str) -> Result<PathBuf, Refusal> {
        let mut place = self.root.clone();
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err(Refusal::Denied("the working folder itself cannot be written".to_owned()));
        }
        for (at, name) in names.iter().enumerate() {
            place.push(name);
            let last = at + 1 == names.len();
            match fs::symlink_metadata(&place) {
                Ok(found) if found.file_type().is_symlink() => {
                    return Err(Refusal::Denied(format!(
                        "`{path}` goes through a link, which is not written to"
                    )));
                }
                Ok(found) if last && !found.is_file() => {
                    return Err(Refusal::Denied(format!("`{path}` is not an ordinary file")));
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Refusal::Failed(format!("`{path}`: {error}"))),
            }
        }
        Ok(place)
    }

    /// The text of an existing file.
    pub(super) fn text(&self, path: &str) -> Result<String, Refusal> {
        text(&self.existing(path)?, path)
    }
}

/// The text of a file that is known to be inside; `path` is what it is called.
pub(super) fn text(place: &Path, path: &str) -> Result<String, Refusal> {
    let failed = |why: String| Refusal::Failed(format!("`{path}` {why}"));
    // Anything but an ordinary file could block forever.
    if !fs::metadata(place).map_err(|error| failed(error.to_string()))?.is_file() {
        return Err(failed("is not a file".to_owned()));
    }
    let file = fs::File::open(place).map_err(|error| failed(error.to_string()))?;
    let mut bytes = Vec::new();
    // One byte more than allowed, so that a file that grows while it is read is noticed as well.
    let read = file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(failed(format!("is larger than {FILE_BYTES_MAX} bytes")));
    }
    if bytes.contains(&0) {
        return Err(failed("is a binary file".to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| failed("is not UTF-8 text".to_owned()))
}

pub(super) fn shown(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}
