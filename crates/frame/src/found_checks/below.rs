//! Finds the packages of a repository whose root shows no check, and the checks of each. Nothing is run.

use redraft_adapters::shell_word::quoted_path;
use redraft_engine::ports::Check;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// How far below the root packages are looked for: `web` and `packages/web`.
const DEPTH_MAX: usize = 2;
/// Folders that are looked into; a repository with more of them is not searched to the end.
const FOLDERS_MAX: usize = 2_000;
/// As many as a person reads before they accept them. Each runs after every task.
const CHECKS_MAX: usize = 12;

/// What says that a folder is a package.
const MANIFESTS: [&str; 4] = ["package.json", "Cargo.toml", "pyproject.toml", "go.mod"];

/// Folders of tools, and those whose packages are not the project's own.
const OTHERS: [&str; 9] =
    ["node_modules", "target", "vendor", "third_party", "dist", "build", "venv", "fixtures", "testdata"];

/// The checks of the packages below a folder, each as a command that begins there: `cd packages/web && npm test`. None
/// is looked for below a package: its own checks include what it holds. `checks_of` finds those of one folder.
pub(super) fn below(root: &Path, checks_of: impl Fn(&Path) -> Vec<Check>) -> Vec<Check> {
    let (mut found, mut names) = (Vec::new(), BTreeSet::new());
    for folder in packages(root) {
        let Some(shown) = folder.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
        for check in checks_of(&folder) {
            let plain = format!("{}-{}", plain(shown), check.name);
            let numbered = (2..).map(|number| format!("{plain}-{number}"));
            let name =
                core::iter::once(plain.clone()).chain(numbered).find(|name| names.insert(name.clone()));
            let command = format!("cd {} && {}", quoted_path(shown), check.command);
            found.push(Check { name: name.unwrap_or(plain), command });
        }
    }
    found.truncate(CHECKS_MAX);
    found
}

/// By name, those nearer to the root first.
fn packages(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut level, mut looked) = (Vec::new(), vec![root.to_owned()], 0);
    for _ in 0..DEPTH_MAX {
        let mut next = Vec::new();
        for folder in level.iter().flat_map(|folder| folders(folder)) {
            looked += 1;
            if looked > FOLDERS_MAX {
                return found;
            }
            let is_package = MANIFESTS.into_iter().any(|name| folder.join(name).is_file());
            if is_package { found.push(folder) } else { next.push(folder) }
        }
        level = next;
    }
    found
}

/// The folders in a folder that may hold packages, by name. Links are not followed: they may lead anywhere.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let own = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder && !name.starts_with('.') && !OTHERS.contains(&&*name)
    });
    let mut found: Vec<PathBuf> = own.map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// A folder as part of the name of a check.
fn plain(folder: &str) -> String {
    folder.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}
