//! Reads the role texts of the repository: `.redraft/agents/ROLE.md` in the main checkout, in place of the built-in
//! ones.

use crate::errors::{CliError, ErrorCode};
use crate::repository_context::RepositoryContext;
use redraft_adapters::plain_file;
use redraft_facts::ids::Role;
use redraft_roles::profile::{self, RoleText};
use std::collections::BTreeMap;
use std::path::Path;

pub const FOLDER: &str = ".redraft/agents";
/// More than any role text; a larger file is a mistake.
const BYTES_MAX: u64 = 256 * 1024;

/// The same as a commit has them.
pub fn read_at(repo: &RepositoryContext, commit: &str) -> Result<BTreeMap<Role, String>, CliError> {
    let mut texts = BTreeMap::new();
    for name in repo.repository.names_at(commit, FOLDER)? {
        let Some(stem) = name.strip_suffix(".md").filter(|stem| !stem.starts_with('.')) else { continue };
        let role = Role::new(stem);
        let found = repo.repository.file_at(commit, &format!("{FOLDER}/{name}"), BYTES_MAX)?;
        if let Some(bytes) = found {
            texts.insert(role.clone(), checked(bytes, &role)?);
        }
    }
    Ok(texts)
}

/// Every role text there is, checked. An unusable file is an error, whichever role is asked next: it would silently not
/// apply.
pub fn read(repo: &RepositoryContext) -> Result<BTreeMap<Role, String>, CliError> {
    let folder = repo.repository.main_checkout().join(FOLDER);
    let mut texts = BTreeMap::new();
    let listed = match std::fs::read_dir(&folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(texts),
        Err(error) => return Err(CliError::new(ErrorCode::Config, format!("{FOLDER}: {error}"))),
    };
    let mut names: Vec<String> =
        listed.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        let Some(stem) = name.strip_suffix(".md") else { continue };
        let role = Role::new(stem);
        texts.insert(role.clone(), one(repo.repository.main_checkout(), &role)?);
    }
    Ok(texts)
}

fn one(root: &Path, role: &Role) -> Result<String, CliError> {
    let wrong = |error| CliError::new(ErrorCode::Config, format!("{FOLDER}/{role}.md: {error}"));
    if profile::kind(role).is_none() {
        // A file that is not named after a role is not even read.
        return checked(Vec::new(), role);
    }
    let bytes = plain_file::read_inside(root, format!("{FOLDER}/{role}.md"), BYTES_MAX);
    checked(bytes.map_err(wrong)?, role)
}

/// The text, if it can be used.
fn checked(bytes: Vec<u8>, role: &Role) -> Result<String, CliError> {
    let shown = format!("{FOLDER}/{role}.md");
    let wrong = |what: String| CliError::new(ErrorCode::Config, what);
    if profile::kind(role).is_none() {
        let names: Vec<String> = profile::roles().iter().map(Role::to_string).collect();
        return Err(wrong(format!("{shown}: there is no role {role}"))
            .hint(format!("roles are {}", names.join(", "))));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong(format!("{shown} is not UTF-8 text")))?;
    match RoleText::parse(&text, role) {
        Ok(_) => Ok(text),
        Err(bad) => Err(wrong(format!("{shown}:{}: {}", bad.line, bad.what)).hint(bad.hint)),
    }
}
