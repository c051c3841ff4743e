//! What this user has accepted, and how it is forgotten.

use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_adapters::trust::{Accepted, visible};
use redraft_facts::text::count;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct ListJson {
    v: u16,
    file: Option<String>,
    /// The public half of the key that signs what is stored, in its short form.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    repositories: Vec<RepositoryJson>,
}

#[derive(Serialize)]
struct RepositoryJson {
    /// Its git folder.
    git: String,
    /// Its main checkout, where that is not the folder around the git folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkout: Option<String>,
    /// Whether it is still there, and the same one.
    there: bool,
    /// Whether its state folder was made or accepted at this place.
    state: bool,
    /// Which agents may be paid for which features and reviews.
    paid: Vec<String>,
    accepted: Vec<Accepted>,
}

pub(super) fn list(process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let known = process.trust.all()?;
    let mut text = String::new();
    for one in &known {
        let gone = if one.is_there() { "" } else { " (gone, or another repository now)" };
        text.push_str(&format!("{}{gone}\n", visible(&one.git)));
        if let Some(checkout) = &one.checkout {
            text.push_str(&format!("  with the main checkout {}\n", visible(checkout)));
        }
        if one.has_state() {
            text.push_str("  its state folder was made or accepted here\n");
        }
        if !one.paid.is_empty() {
            text.push_str(&format!("  may be paid: {}\n", visible(&one.paid.join(", "))));
        }
        for Accepted { at, by, items, .. } in &one.accepted {
            text.push_str(&format!("  accepted {} by {}\n", visible(at), visible(by)));
            items.iter().for_each(|item| text.push_str(&format!("    {item}\n")));
        }
    }
    if known.is_empty() {
        text.push_str("nothing has been accepted yet\n");
    }
    let file = process.trust.file().map(|file| file.display().to_string());
    let key = process.trust.own_key()?.map(|key| key.to_string());
    if let Some(key) = &key {
        text.push_str(&format!("your key: {key}\n"));
    }
    text.push_str(&format!("kept in: {}", file.as_deref().unwrap_or("no file, because HOME is not set")));
    let repositories = known
        .into_iter()
        .map(|one| RepositoryJson {
            there: one.is_there(),
            state: one.has_state(),
            git: one.git,
            checkout: one.checkout,
            paid: one.paid,
            accepted: one.accepted,
        })
        .collect();
    console.show(&text, &ListJson { v: 1, file, key, repositories });
    Ok(ErrorCode::Done)
}

#[derive(Serialize)]
struct ForgottenJson {
    v: u16,
    git: String,
    forgotten: usize,
}

/// Forgets what was accepted for the current repository, or for the one at a path, which may be gone.
pub(super) fn forget(
    folder: Option<&Path>,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let git: PathBuf = match folder {
        None => process.repository()?.repository.common_dir().to_owned(),
        Some(folder) => {
            let folder = process.folder.join(folder);
            let is_known = process.trust.all()?.iter().any(|one| Path::new(&one.git) == folder);
            match RepositoryContext::find(&folder) {
                _ if is_known => folder,
                Ok(repo) => repo.repository.common_dir().to_owned(),
                Err(_) => folder.join(".git"),
            }
        }
    };
    let forgotten = process.trust.forget(&git)?;
    let shown = git.display().to_string();
    let text = match forgotten {
        0 => format!("nothing was accepted for {shown}"),
        some => format!("{} for {shown} forgotten; redraft will ask again", count(some, "acceptance")),
    };
    console.show(&text, &ForgottenJson { v: 1, git: shown, forgotten });
    Ok(ErrorCode::Done)
}
