//! Reads the folders of features from disk: which there are, and what is in them.
//!
//! Nothing outside the repository is read, and nothing without bound: links that lead out are named and not followed, large
//! files and deep folders too.

use redraft_adapters::git::FeatureBranch;
use redraft_adapters::plain_file;
use redraft_documents::adopt::{Folder, FolderFile, Layout, is_artifact, may_tell, named};
use redraft_facts::text::count;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// More than any document; a larger file is something else.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// A feature's folder is not an archive: what lies deeper, or comes after this many files, is not a document of it.
const DEPTH_MAX: usize = 4;
const FILES_MAX: usize = 1_000;

/// Loose files and folders of folders are named one by one up to this many.
const NAMED_MAX: usize = 20;

/// Each takes some calls of git; a repository with more has abandoned branches.
const BRANCHES_MAX: usize = 100;

/// What was found.
#[derive(Default)]
pub(super) struct Survey {
    /// Each with the branch it was found on, where the current checkout does not have it.
    pub(super) folders: Vec<(Folder, Option<FeatureBranch>)>,
    pub(super) notes: Vec<String>,
}

/// The named places, or the usual ones.
pub(super) fn survey(
    repo: &RepositoryContext,
    process: &ProcessContext,
    paths: &[PathBuf],
) -> Result<Survey, CliError> {
    let root = repo.repository.here();
    let root = fs::canonicalize(root).map_err(|error| failed(root, &error))?;
    let mut survey = Survey::default();
    let mut places = Vec::new();
    for path in paths {
        places.push(inside(&root, &process.folder.join(path))?);
    }
    if paths.is_empty() {
        places = customary(&root, &mut survey.notes)?;
        if places.is_empty() {
            let note = "there is no docs/features, no specs of spec-kit and no openspec/changes here";
            survey.notes.push(note.to_owned());
        }
    }
    for place in places {
        look(&root, &place, &mut survey)?;
    }
    if paths.is_empty() {
        on_branches(repo, &mut survey)?;
    }
    survey.folders.sort_by(|(one, _), (other, _)| one.path.cmp(&other.path));
    survey.folders.dedup_by(|(one, _), (other, _)| one.path == other.path);
    Ok(survey)
}

/// Features that are on branches of their own and not in the current checkout, as in a new clone.
fn on_branches(repo: &RepositoryContext, survey: &mut Survey) -> Result<(), CliError> {
    let here: BTreeSet<String> = survey.folders.iter().map(|(folder, _)| folder.path.clone()).collect();
    let branches = repo.repository.feature_branches()?;
    let (mut away, mut left): (Vec<FeatureBranch>, usize) = (Vec::new(), 0);
    for branch in branches.into_iter().filter(|branch| !here.contains(&branch.folder())) {
        if away.len() < BRANCHES_MAX { away.push(branch) } else { left += 1 }
    }
    if left > 0 {
        survey.notes.push(format!("{} more that hold features", count(left, "branch")));
    }
    for branch in away {
        let (path, mut files) = (branch.folder(), Vec::new());
        for full in repo.repository.files_at(&branch.commit, &path)? {
            let name = full.strip_prefix(&format!("{path}/")).unwrap_or(&full).to_owned();
            if files.len() >= FILES_MAX {
                let reason = format!("only {FILES_MAX} files of a feature are read");
                files.push(FolderFile { name, content: Err(reason) });
                break;
            }
            let content = content_at(repo, &branch.commit, &full);
            files.push(FolderFile { name, content });
        }
        survey.folders.push((Folder { path, layout: Layout::Feature, files }, Some(branch)));
    }
    Ok(())
}

/// The content of a file in a commit, or why it is unknown.
fn content_at(repo: &RepositoryContext, commit: &str, path: &str) -> Result<String, String> {
    if !may_tell(path) {
        return Err("it is not a document".to_owned());
    }
    let bytes = repo.repository.file_at(commit, path, FILE_BYTES_MAX).map_err(|error| error.to_string())?;
    String::from_utf8(bytes.unwrap_or_default()).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// A folder that a person named, if it is one of this repository.
fn inside(root: &Path, path: &Path) -> Result<PathBuf, CliError> {
    let real = fs::canonicalize(path).map_err(|error| {
        CliError::usage(format!("{}: {error}", path.display())).hint("name a folder of features")
    })?;
    if !real.is_dir() {
        return Err(CliError::usage(format!("{} is not a folder", path.display()))
            .hint("name the folder it is in, or a folder of such folders"));
    }
    let inside = plain_file::inside(root, &real).ok();
    let inside = inside.and_then(|(root, real)| real.strip_prefix(root).map(Path::to_owned).ok());
    inside.ok_or_else(|| {
        CliError::usage(format!("{} is not in this checkout", path.display()))
            .hint(format!("only folders below {} can be adopted", root.display()))
    })
}

fn customary(root: &Path, notes: &mut Vec<String>) -> Result<Vec<PathBuf>, CliError> {
    let mut places = Vec::new();
    let (features, specs, changes) =
        (Path::new("docs/features"), Path::new("specs"), Path::new("openspec/changes"));
    let mut is_there = |place: &Path| is_followed(root, place, notes);
    if is_there(features) {
        places.push(features.to_owned());
    }
    // Other tools keep other things in a folder of that name.
    if is_there(specs) {
        let marked = root.join(".specify").is_dir();
        let numbered =
            |name: &String| named(name).number.is_some() && holds_artifact(&root.join(specs).join(name));
        if marked || names(&root.join(specs))?.0.iter().any(numbered) {
            places.push(specs.to_owned());
        }
    }
    if is_there(changes) {
        places.push(changes.to_owned());
    }
    Ok(places)
}

/// A place is one feature's folder, or a folder of such folders.
fn look(root: &Path, place: &Path, survey: &mut Survey) -> Result<(), CliError> {
    let changes = place.join("changes");
    if place.ends_with("openspec") && is_followed(root, &changes, &mut survey.notes) {
        return look(root, &changes, survey);
    }
    let (folders, files) = names(&root.join(place))?;
    let full = |name: &String| root.join(place).join(name);
    let is_place = folders.iter().any(|name| holds_artifact(&full(name)) && !is_delta_folder(place, name));
    if !is_place && (files.iter().any(|name| is_artifact(name)) || holds_deltas(place, &folders)) {
        survey.folders.push((read(root, place)?, None));
        return Ok(());
    }
    for name in folders.iter().filter(|name| !name.starts_with('.')) {
        let path = place.join(name);
        let below = names(&full(name))?.0;
        let several = below.iter().filter(|inner| holds_artifact(&full(name).join(inner))).count();
        if !holds_artifact(&full(name)) && several > 0 && !holds_deltas(&path, &below) {
            let shown = path.display();
            let what = count(several, "folder");
            survey.notes.push(format!("{shown} holds {what}; to adopt them: redraft adopt {shown}"));
            continue;
        }
        survey.folders.push((read(root, &path)?, None));
    }
    let loose: Vec<&String> = files.iter().filter(|name| may_tell(name) && !name.starts_with('.')).collect();
    for name in loose.iter().take(NAMED_MAX) {
        let shown = place.join(name);
        survey
            .notes
            .push(format!("{} is not in a feature's folder, so it belongs to no feature", shown.display()));
    }
    if loose.len() > NAMED_MAX {
        survey.notes.push(format!("{} more outside the folders", count(loose.len() - NAMED_MAX, "file")));
    }
    Ok(())
}

/// Whether a folder exists and is looked into. A link means that the folder is elsewhere, which is reported.
fn is_followed(root: &Path, place: &Path, notes: &mut Vec<String>) -> bool {
    let path = root.join(place);
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_symlink() => {
            notes.push(format!("{} is a link, and links are not followed", place.display()));
            false
        }
        Ok(found) if found.is_dir() => match plain_file::inside(root, &path) {
            Ok(_) => true,
            Err(error) => {
                notes.push(format!("{}: {error}", place.display()));
                false
            }
        },
        _ => false,
    }
}

/// Whether a folder directly holds a document.
fn holds_artifact(folder: &Path) -> bool {
    names(folder).is_ok_and(|(_, files)| files.iter().any(|name| is_artifact(name)))
}

/// `specs` of a change holds folders, each with a part of its specification.
fn holds_deltas(place: &Path, folders: &[String]) -> bool {
    is_change(place) && folders.iter().any(|name| name == "specs")
}

fn is_delta_folder(place: &Path, name: &str) -> bool {
    is_change(place) && name == "specs"
}

fn is_change(place: &Path) -> bool {
    let parent = place.parent();
    parent.is_some_and(|parent| parent.ends_with("openspec/changes") || parent.ends_with("changes/archive"))
        && place.file_name().is_some_and(|name| name != "archive")
}

fn read(root: &Path, place: &Path) -> Result<Folder, CliError> {
    let mut files = Vec::new();
    collect(root, &root.join(place), "", 1, &mut files)?;
    let archived = place.parent().is_some_and(|parent| parent.ends_with("changes/archive"));
    let layout = if is_change(place) { Layout::OpenSpec { archived } } else { Layout::Feature };
    let path = place.to_string_lossy().replace('\\', "/");
    Ok(Folder { path, layout, files })
}

fn collect(
    root: &Path,
    folder: &Path,
    below: &str,
    depth: usize,
    files: &mut Vec<FolderFile>,
) -> Result<(), CliError> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, &error))? {
        entries.push(entry.map_err(|error| failed(folder, &error))?.file_name());
    }
    entries.sort();
    for name in entries {
        let path = folder.join(&name);
        let Some(name) = name.to_str() else {
            let name = format!("{below}{}", name.to_string_lossy());
            files.push(FolderFile { name, content: Err("its name is not UTF-8".to_owned()) });
            continue;
        };
        let shown = format!("{below}{name}");
        if files.len() >= FILES_MAX {
            let reason = format!("only {FILES_MAX} files of a feature are read");
            files.push(FolderFile { name: shown, content: Err(reason) });
            return Ok(());
        }
        let found = fs::symlink_metadata(&path).map_err(|error| failed(&path, &error))?;
        if found.is_dir() && name == ".git" {
            continue;
        }
        if found.is_dir() && depth < DEPTH_MAX {
            collect(root, &path, &format!("{shown}/"), depth + 1, files)?;
            continue;
        }
        let content = if found.is_dir() {
            Err("it is a folder nested too deeply".to_owned())
        } else {
            content(root, &path, name, found.is_symlink())
        };
        files.push(FolderFile { name: shown, content });
    }
    Ok(())
}

/// The content of a file, or why it is unknown.
fn content(root: &Path, path: &Path, name: &str, link: bool) -> Result<String, String> {
    if link {
        fs::canonicalize(path).map_err(|_| "it is a link that leads nowhere".to_owned())?;
        let (_, real) = plain_file::inside(root, path)
            .map_err(|_| "it is a link to a place outside the repository".to_owned())?;
        if real.is_dir() {
            return Err("it is a link to a folder, and such links are not followed".to_owned());
        }
    }
    if !may_tell(name) && !may_tell(&path.to_string_lossy()) {
        return Err("it is not a document".to_owned());
    }
    let bytes = plain_file::read_inside(root, path, FILE_BYTES_MAX).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// The folders and the files in a folder, by name, sorted. Links and names that are not UTF-8 are neither.
fn names(folder: &Path) -> Result<(Vec<String>, Vec<String>), CliError> {
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, &error))? {
        let entry = entry.map_err(|error| failed(folder, &error))?;
        let kind = entry.file_type().map_err(|error| failed(folder, &error))?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if kind.is_dir() {
            folders.push(name);
        } else if kind.is_file() {
            files.push(name);
        }
    }
    folders.sort();
    files.sort();
    Ok((folders, files))
}

fn failed(path: &Path, error: &std::io::Error) -> CliError {
    CliError::new(ErrorCode::Config, format!("{}: {error}", path.display()))
        .hint("make it readable, then run again")
}
