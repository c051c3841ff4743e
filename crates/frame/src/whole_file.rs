//! Writes what a command draws or prints to a file: whole or not at all, and never over somebody else's file.

use crate::errors::{CliError, ErrorCode};
use std::fs::{self, Metadata, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// How a command recognizes its own files.
pub struct OwnFiles {
    /// What it makes: `drawing`, `page`.
    pub called: &'static str,
    pub such_as: &'static str,
    /// The beginning of the name while it is written.
    pub temporary: &'static str,
    pub begins: &'static str,
    /// Stands near the beginning.
    pub made_by: &'static str,
}

/// Replaces an older file of this command; any other file only by force, and nothing that is not a file.
pub fn write(path: &Path, text: &str, force: bool, own: &OwnFiles) -> Result<(), CliError> {
    // Where the path is a link, the file it leads to is replaced, and the link stays.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let failed = |error: io::Error| {
        let error =
            CliError::new(ErrorCode::Config, format!("{} cannot be written: {error}", path.display()));
        error.hint("nothing was changed; name a file in a folder that exists and can be written")
    };
    let found = match fs::symlink_metadata(path) {
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    if let Some(found) = &found {
        refuse_foreign(path, found, force, own)?;
    }
    let written = staged(path, text, found.as_ref(), own.temporary).map_err(failed)?;
    match found {
        Some(_) => written.persist(path).map_err(|error| failed(error.error))?,
        // A file that has appeared there meanwhile is not ours either.
        None => written.persist_noclobber(path).map_err(|error| failed(error.error))?,
    };
    Ok(())
}

/// Keeps a file of ours in the state folder, in place of an older one.
pub fn keep(path: &Path, text: &str) -> Result<(), CliError> {
    let failed = |error: io::Error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be written: {error}", path.display()))
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut file = NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.persist(path).map(drop).map_err(|error| failed(error.error))
}

fn refuse_foreign(path: &Path, found: &Metadata, force: bool, own: &OwnFiles) -> Result<(), CliError> {
    if !found.is_file() {
        return Err(CliError::usage(format!("{} is not a file", path.display()))
            .hint(format!("name a file that does not exist yet, such as {}", own.such_as)));
    }
    if force || is_ours(path, own) {
        return Ok(());
    }
    let (path, called) = (path.display(), own.called);
    Err(CliError::usage(format!("{path} already exists and is not a {called} of this command"))
        .hint("name another file, or replace it with --force"))
}

fn is_ours(path: &Path, own: &OwnFiles) -> bool {
    const OPENING: u64 = 200;
    let mut opening = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(OPENING).read_to_end(&mut opening));
    let opening = String::from_utf8_lossy(&opening);
    read.is_ok() && opening.starts_with(own.begins) && opening.contains(own.made_by)
}

/// The whole text in a file next to the one it is to become.
pub fn staged(
    path: &Path,
    text: &str,
    replaced: Option<&Metadata>,
    prefix: &str,
) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // An absent folder is told as itself, not as the temporary file that could not be made in it.
    fs::metadata(folder)?;
    // Like any new file; the user's mask restricts it.
    let mode = replaced.map_or(Permissions::from_mode(0o666), Metadata::permissions);
    let mut file = Builder::new().prefix(prefix).permissions(mode).tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}
