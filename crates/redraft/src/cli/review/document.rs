//! The document under review: read as the user has it, copied into the review's worktree, and copied back at the end.

use redraft_adapters::plain_file;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::{Store, Workspace};
use redraft_facts::event::{Entry, Event, FeatureCreated};
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::repository_context::RepositoryContext;
use std::path::{Path, PathBuf};

/// More than any document; a larger file is a mistake.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The document, as the user has it.
pub(super) struct Document {
    /// Its location, and its path in the repository.
    pub(super) file: PathBuf,
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
}

impl Document {
    /// Whether a review is of this document.
    pub(super) fn is_of(&self, created: &FeatureCreated) -> bool {
        created.document.as_deref() == Some(self.path.as_str())
    }

    /// The note that the file is not what was reviewed, where it was edited meanwhile and that is `untold`.
    pub(super) fn is_other_than(&self, seen: Option<&[u8]>, untold: bool) -> Option<String> {
        let now = std::fs::read(&self.file).ok();
        let other = seen.is_some() && now.as_deref() != seen && now.as_deref() != Some(&self.bytes);
        (other && untold).then(|| {
            format!("{} was edited during the review; this is about the text before the edit", self.path)
        })
    }

    pub(super) fn read(repo: &RepositoryContext, file: &Path) -> Result<Document, CliError> {
        let named = |what: String| CliError::usage(format!("{}: {what}", file.display()));
        let bytes = plain_file::read(file, BYTES_MAX).map_err(|error| {
            named(error.to_string()).hint(
                "name a document of this repository; to review what a branch changes: redraft review --base main",
            )
        })?;
        if std::str::from_utf8(&bytes).is_err() {
            return Err(named("it is not UTF-8 text".to_owned()));
        }
        if bytes.trim_ascii().is_empty() {
            return Err(named("it is empty, so there is nothing to review".to_owned()));
        }
        let file = std::fs::canonicalize(file).map_err(|error| named(error.to_string()))?;
        let here = std::fs::canonicalize(repo.repository.here())
            .unwrap_or_else(|_| repo.repository.here().to_owned());
        let path = file.strip_prefix(&here).ok().and_then(Path::to_str).map(str::to_owned);
        let path = path.ok_or_else(|| {
            named(format!("it is not in the repository {}", here.display()))
                .hint("go to the repository it belongs to; if it belongs to none, make one: git init")
        })?;
        Ok(Document { file, path, bytes })
    }
}

/// Copies the user's file into the worktree, with the files it builds on. Where the user has changed nothing since the last
/// time, what an author wrote meanwhile stays.
pub(super) fn bring_in(
    repo: &RepositoryContext,
    ledger: &Ledger,
    workspace: &dyn Workspace,
    created: &FeatureCreated,
    document: &Document,
) -> Result<(), CliError> {
    let entries = ledger.read(created.scope())?;
    let brought = |entry: &Entry| match &entry.event {
        Event::Edited(edited) => Some(edited.revision.clone()),
        _ => None,
    };
    let last = entries.iter().rev().find_map(brought);
    let last = last.map(|revision| workspace.read_at(&revision, &document.path)).transpose();
    let unchanged = matches!(last, Ok(Some(Some(bytes))) if bytes == document.bytes);
    let there = workspace.read(&document.path)?;
    if !(unchanged && there.is_some()) && there.as_ref() != Some(&document.bytes) {
        workspace.write(&document.path, &document.bytes)?;
    }
    for name in created.until.upstream() {
        let path = created.path_of(name);
        let bytes = match plain_file::read_inside(repo.repository.here(), &path, BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.is_elsewhere() => return Err(CliError::usage(format!("{path}: {error}"))),
            Err(_) => continue,
        };
        if workspace.read(&path)?.as_ref() != Some(&bytes) {
            workspace.write(&path, &bytes)?;
        }
    }
    Ok(())
}

/// Copies what an author wrote to the user's file, unless that was changed meanwhile.
pub(super) fn bring_back(
    workspace: &dyn Workspace,
    document: &Document,
) -> Result<(bool, Vec<String>), CliError> {
    let Some(revised) = workspace.read(&document.path)?.filter(|bytes| *bytes != document.bytes) else {
        return Ok((false, Vec::new()));
    };
    let named = |error: std::io::Error| {
        CliError::new(ErrorCode::Config, format!("{}: {error}", document.file.display()))
    };
    if std::fs::read(&document.file).map_err(named)? != document.bytes {
        let place = workspace.folder().join(&document.path);
        return Ok((
            false,
            vec![format!(
                "{} was edited while it was being revised, so it was not replaced; the revised text is in {}",
                document.path,
                place.display()
            )],
        ));
    }
    let folder = document.file.parent().unwrap_or(Path::new("."));
    let part = tempfile::Builder::new().prefix(".redraft-review-").tempfile_in(folder).map_err(named)?;
    std::fs::write(part.path(), &revised).map_err(named)?;
    let permissions = std::fs::metadata(&document.file).map_err(named)?.permissions();
    std::fs::set_permissions(part.path(), permissions).map_err(named)?;
    part.persist(&document.file).map_err(|error| named(error.error))?;
    Ok((true, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_neither_what_was_brought_in_nor_what_was_judged_was_edited_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("doc.md");
        let document = Document { file: file.clone(), path: "doc.md".to_owned(), bytes: b"brought".to_vec() };
        for (now, seen, told) in [
            ("brought", Some("brought"), false),
            ("revised", Some("revised"), false),
            ("brought", Some("revised"), false),
            ("edited", Some("brought"), true),
            ("edited", Some("revised"), true),
            ("edited", None, false),
        ] {
            std::fs::write(&file, now).unwrap();
            let note = document.is_other_than(seen.map(str::as_bytes), true);
            assert_eq!(note.is_some(), told, "{now} {seen:?}");
            assert_eq!(document.is_other_than(seen.map(str::as_bytes), false), None, "told once");
        }
    }
}
