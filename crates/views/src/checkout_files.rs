//! Reads what people wrote in a checkout: folders, roadmaps, PRDs.

use redraft_adapters::plain_file;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use std::fs;
use std::path::Path;

/// More than any roadmap or PRD; a larger file is a mistake.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The names of the folders in a folder, sorted; none where it does not exist.
pub fn names_in(folder: &Path) -> Result<Vec<String>, CliError> {
    let failed =
        |error: std::io::Error| CliError::new(ErrorCode::Config, format!("{}: {error}", folder.display()));
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        if entry.path().is_dir() {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    Ok(names)
}

/// The text of a file of a checkout; none for one that cannot be read, or that a link puts outside of it.
pub fn text(root: &Path, path: &str) -> Option<String> {
    plain_file::read_text_inside(root, path, FILE_BYTES_MAX).ok()
}

/// The PRD that a person names, if it is text and holds no secret.
pub fn read_prd(
    repo: &RepositoryContext,
    file: &Path,
    process: &ProcessContext,
) -> Result<Vec<u8>, CliError> {
    let file = &process.folder.join(file);
    let bytes = plain_file::read_named(repo.repository.here(), file, FILE_BYTES_MAX)
        .map_err(|error| CliError::usage(format!("the PRD {}: {error}", file.display())))?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Err(CliError::usage(format!("the PRD {} is not UTF-8 text", file.display())));
    };
    if let Some(found) = process.redactor.find(text).first() {
        let (name, line, kind) = (file.display(), found.line, found.kind.name());
        let error =
            format!("the PRD {name}:{line} holds what looks like a secret ({kind}); it would be committed");
        return Err(CliError::usage(error).hint("remove it, and revoke the secret if it is real"));
    }
    Ok(bytes)
}
