//! Reads what the repository says about how work is done in it: AGENTS.md and files of that kind, from the main checkout
//! or from a commit. A change that is reviewed must not decide what it is judged by, so its own version is never read.

use crate::errors::CliError;
use crate::repository_context::RepositoryContext;
use redraft_adapters::git::GitError;
use redraft_adapters::plain_file;
use redraft_documents::conventions::{FILES, SETTINGS};

/// More than such a file ever has; a larger one is not read.
const BYTES_MAX: u64 = 256 * 1024;

/// The files as the main checkout has them, with their paths. What is not a plain text is left out: nothing depends on it
/// but what agents are told.
pub fn read(repo: &RepositoryContext) -> Vec<(String, String)> {
    let root = repo.repository.main_checkout();
    let text = |path: &str| {
        let bytes = plain_file::read_inside(root, path, BYTES_MAX).ok()?;
        Some((path.to_owned(), String::from_utf8(bytes).ok()?))
    };
    FILES.iter().chain(&SETTINGS).filter_map(|path| text(path)).collect()
}

/// The same as a commit has them.
pub fn read_at(repo: &RepositoryContext, commit: &str) -> Result<Vec<(String, String)>, CliError> {
    let mut texts = Vec::new();
    // Git is asked only about what can be there.
    let top = repo.repository.names_at(commit, "")?;
    let may_be =
        |path: &&str| path.split('/').next().is_some_and(|first| top.iter().any(|name| name == first));
    for path in FILES.into_iter().chain(SETTINGS).filter(may_be) {
        let bytes = match repo.repository.file_at(commit, path, BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(GitError::File { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        texts.extend(text.map(|text| (path.to_owned(), text)));
    }
    Ok(texts)
}
