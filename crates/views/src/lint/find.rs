//! Finds the files that are meant: by a path, a feature's number, or everything.

use super::Place;
use redraft_adapters::plain_file;
use redraft_documents::lint::ArtifactKind;
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::Phase;
use redraft_frame::errors::{CliError, ErrorCode};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Documents that are checked together.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) folder: PathBuf,
    /// The top folder of the worktree they are in, if that is not ours.
    pub(super) root: Option<PathBuf>,
    pub(super) files: Vec<PathBuf>,
}

/// Where features have their folders.
const FEATURES: &str = "docs/features";
const WORKTREES: &str = ".redraft/worktrees";

pub(super) fn groups(targets: &[PathBuf], place: &Place) -> Result<Vec<Group>, CliError> {
    if targets.is_empty() {
        return everything(place);
    }
    let mut groups = Vec::new();
    for target in targets {
        groups.extend(target_groups(target, place)?);
    }
    Ok(groups)
}

/// Every feature of the current checkout, and those that have a worktree, from there.
fn everything(place: &Place) -> Result<Vec<Group>, CliError> {
    let mut found: BTreeMap<String, Group> = BTreeMap::new();
    let here = place.root.join(FEATURES);
    for folder in folders(&here)? {
        found.extend(artifacts(&folder).map(|group| (name(&folder), group)));
    }
    if place.root == place.main {
        for worktree in folders(&place.main.join(WORKTREES))? {
            let group = artifacts(&worktree.join(FEATURES).join(name(&worktree)));
            found.extend(group.map(|group| (name(&worktree), Group { root: Some(worktree), ..group })));
        }
    }
    if found.is_empty() {
        return Err(CliError::usage(format!("there is no document in {}", here.display()))
            .hint("name a file or folder: redraft lint PATH")
            .hint("or begin a feature: redraft new \"your idea\""));
    }
    Ok(found.into_values().collect())
}

fn target_groups(target: &Path, place: &Place) -> Result<Vec<Group>, CliError> {
    let path = place.folder.join(target);
    if path.is_dir() {
        return folder_groups(&path);
    }
    // Also anything that is not an ordinary file: reading it says why.
    if path.symlink_metadata().is_ok() {
        let folder = path.parent().unwrap_or(&path).to_owned();
        return Ok(vec![Group { folder, root: None, files: vec![path] }]);
    }
    let word = target.to_string_lossy();
    let number = word.split('-').next().and_then(|number| number.parse::<FeatureId>().ok());
    let number = number_of(&word, place).or(number);
    let found = number.map(|number| feature(number, place)).transpose()?.flatten();
    found.map(|group| vec![group]).ok_or_else(|| {
        CliError::usage(format!("there is no file, folder or feature `{word}`"))
            .hint("name a path, or the number or the slug of a feature under docs/features")
    })
}

/// A feature's own folder, or all feature folders below a folder; where there is none, a list of tasks with what it
/// was made from, else every document below it, each by itself.
fn folder_groups(path: &Path) -> Result<Vec<Group>, CliError> {
    if let Some(group) = feature_in(path) {
        return Ok(vec![group]);
    }
    let all = folders_below(path)?;
    let groups: Vec<Group> = all.iter().filter_map(|folder| feature_in(folder)).collect();
    if !groups.is_empty() {
        return Ok(groups);
    }
    if let Some(group) = artifacts(path).filter(|_| has_tasks_of_something(path)) {
        return Ok(vec![group]);
    }
    let mut groups = Vec::new();
    for folder in std::iter::once(path.to_owned()).chain(all) {
        let files = documents_in(&folder)?.into_iter();
        groups.extend(files.map(|file| Group { folder: folder.clone(), root: None, files: vec![file] }));
    }
    if groups.is_empty() {
        return Err(CliError::usage(format!("there is no document in {}", path.display()))
            .hint("name a file, the folder of a feature, or a folder with Markdown files"));
    }
    Ok(groups)
}

/// The artifacts of a folder that is a feature's: it is where features have their folders, or has a specification or a
/// record of its own. A number in its name counts in `specs`, or with a list of tasks: chapters and years have one, too.
fn feature_in(folder: &Path) -> Option<Group> {
    let name = name(folder);
    let numbered = || name.split_once('-').is_some_and(|(number, _)| number.parse::<FeatureId>().is_ok());
    let is_feature = is_directly_in(folder, FEATURES)
        || has(folder, ArtifactKind::Spec.file())
        || has(folder, ".meta.json")
        || numbered() && (is_directly_in(folder, "specs") || has_tasks_of_something(folder));
    artifacts(folder).filter(|_| is_feature)
}

/// Whether a list of tasks and something it was made from are there. A `tasks.md` alone may be any page about tasks.
fn has_tasks_of_something(folder: &Path) -> bool {
    let count = ArtifactKind::ALL.into_iter().filter(|kind| has(folder, kind.file())).count();
    count > 1 && has(folder, ArtifactKind::Tasks.file())
}

fn is_directly_in(folder: &Path, parent: &str) -> bool {
    let real = folder.parent().and_then(|parent| parent.canonicalize().ok());
    real.is_some_and(|real| real.ends_with(parent))
}

fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

/// Every folder below a folder, by name, without hidden ones, those of tools, and links that are not a feature's folder.
fn folders_below(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    /// More than large repositories have, and few enough to look into all of them within seconds.
    const FOLDERS_MAX: usize = 100_000;
    let mut found: Vec<PathBuf> = Vec::new();
    let mut left = vec![path.to_owned()];
    while let Some(folder) = left.pop() {
        for below in folders(&folder)? {
            let name = name(&below);
            let skipped = name.starts_with('.') || matches!(name.as_str(), "node_modules" | "target");
            let link = below.is_symlink();
            if !skipped && !link {
                left.push(below.clone());
            }
            if !skipped && (!link || is_directly_in(&below, FEATURES)) {
                found.push(below);
            }
        }
        if found.len() > FOLDERS_MAX {
            return Err(CliError::usage(format!(
                "there are more than {FOLDERS_MAX} folders below {}",
                path.display()
            ))
            .hint("name a folder that holds documents"));
        }
    }
    found.sort();
    Ok(found)
}

/// The Markdown files of a folder, by name.
fn documents_in(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let is_document =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md") && path.is_file();
    Ok(entries(folder)?.into_iter().filter(is_document).collect())
}

/// The number of the feature with this slug; none where there is no such folder, or several.
fn number_of(slug: &str, place: &Place) -> Option<FeatureId> {
    let both = [place.main.join(WORKTREES), place.root.join(FEATURES)];
    let names = both.iter().filter_map(|folder| folders(folder).ok()).flatten().map(|folder| name(&folder));
    let numbers: BTreeSet<FeatureId> = names
        .filter_map(|name| name.split_once('-').filter(|(_, own)| *own == slug)?.0.parse().ok())
        .collect();
    numbers.first().copied().filter(|_| numbers.len() == 1)
}

/// In its worktree, where it is worked on; else where it was merged.
pub(crate) fn feature(number: FeatureId, place: &Place) -> Result<Option<Group>, CliError> {
    let is_it = |folder: &PathBuf| {
        let name = name(folder);
        name.split('-').next().and_then(|word| word.parse().ok()) == Some(number)
    };
    for worktree in folders(&place.main.join(WORKTREES))?.into_iter().filter(is_it) {
        if let Some(group) = artifacts(&worktree.join(FEATURES).join(name(&worktree))) {
            return Ok(Some(Group { root: Some(worktree), ..group }));
        }
    }
    let mut folders = folders(&place.root.join(FEATURES))?.into_iter().filter(is_it);
    Ok(folders.find_map(|folder| artifacts(&folder)))
}

/// The artifacts of a folder; none if it has none. These are those that exist and those that must: what its own record
/// says was finished, and the specification where something was built on it.
fn artifacts(folder: &Path) -> Option<Group> {
    let finished = finished(folder);
    let there = |kind: ArtifactKind| has(folder, kind.file());
    let built_on = [ArtifactKind::Design, ArtifactKind::Plan, ArtifactKind::Tasks].into_iter().any(there);
    let needed = |kind: ArtifactKind| {
        finished.contains(&kind.file().to_owned()) || (kind == ArtifactKind::Spec && built_on)
    };
    let kinds = ArtifactKind::ALL.into_iter().filter(|kind| there(*kind) || needed(*kind));
    let files: Vec<PathBuf> = kinds.map(|kind| folder.join(kind.file())).collect();
    (!files.is_empty()).then(|| Group { folder: folder.to_owned(), root: None, files })
}

/// The artifacts of the phases that `.meta.json` calls completed, where Redraft wrote it.
fn finished(folder: &Path) -> Vec<String> {
    const BYTES_MAX: u64 = 1024 * 1024;
    let bytes = plain_file::read(&folder.join(".meta.json"), BYTES_MAX).unwrap_or_default();
    let meta: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let completed = |phase: &Phase| meta["phases"][phase.name()]["completed"].is_string();
    let phases = Phase::ALL.into_iter().filter(|_| meta["v"] == 1).filter(completed);
    phases.map(|phase| phase.artifact().to_owned()).collect()
}

/// The folders in a folder, by name; none where it does not exist.
fn folders(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    Ok(entries(folder)?.into_iter().filter(|path| path.is_dir()).collect())
}

/// Everything in a folder, by name; nothing where it does not exist.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let unreadable = |error: std::io::Error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be read: {error}", folder.display()))
            .hint("check its permissions, then run again")
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(unreadable(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        found.push(entry.map_err(unreadable)?.path());
    }
    found.sort();
    Ok(found)
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A path as it is shown: relative to a folder where it is inside, with `/` between its parts.
pub(crate) fn shown(path: &Path, folder: &Path) -> String {
    let shown = path.strip_prefix(folder).unwrap_or(path);
    shown.to_string_lossy().replace('\\', "/")
}
