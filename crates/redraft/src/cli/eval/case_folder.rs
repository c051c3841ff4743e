//! The folder of cases: `CASE/case.json`, `CASE/files/` with the documents, or with the files of a change, and
//! `CASE/second/` with them as they are when the later revision is reviewed. A change has its diffs in `CASE/change.diff`
//! and `CASE/second.diff`, and what its commits say in `CASE/intent.md`.

use redraft_adapters::plain_file;
use redraft_eval::case::{Case, CaseTexts};
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::whole_file;
use std::fmt::Display;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// More than any document has.
pub(super) const DOCUMENT_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Where agents' answers go if no other folder is named: a folder for each agent.
pub(super) const ANSWERS: &str = "answers";

const CASE: &str = "case.json";
const CHANGE: &str = "change.diff";
const SECOND_CHANGE: &str = "second.diff";
const INTENT: &str = "intent.md";

/// Where the documents of a case are, below the folder of cases.
pub(super) fn files(case: &Case) -> PathBuf {
    Path::new(&case.id).join("files")
}

/// The same for its second revision.
pub(super) fn second_files(case: &Case) -> PathBuf {
    Path::new(&case.id).join("second")
}

/// Fails if a case is there already.
pub(super) fn require_new(folder: &Path, case: &Case) -> Result<(), CliError> {
    let place = folder.join(&case.id);
    if place.symlink_metadata().is_err() {
        return Ok(());
    }
    let error = CliError::usage(format!("{} already exists", place.display()));
    Err(error.hint("name another folder for the cases, or remove this case first"))
}

/// Writes a case that is not there yet.
pub(super) fn write(folder: &Path, case: &Case, texts: &CaseTexts) -> Result<(), CliError> {
    let place = folder.join(&case.id);
    let files = folder.join(files(case));
    if case.is_code() {
        write_change(&place, &files, &folder.join(second_files(case)), texts)?;
        return whole_file::keep(&place.join(CASE), &case.to_json());
    }
    for (name, text) in &texts.upstream {
        whole_file::keep(&files.join(name), text)?;
    }
    whole_file::keep(&files.join(case.artifact()), &texts.first)?;
    if let Some(second) = &texts.second {
        let later = folder.join(second_files(case));
        for (name, text) in &texts.upstream {
            whole_file::keep(&later.join(name), text)?;
        }
        whole_file::keep(&later.join(case.artifact()), second)?;
    }
    // Last, so that what has it is whole.
    whole_file::keep(&place.join(CASE), &case.to_json())
}

fn write_change(place: &Path, files: &Path, later: &Path, texts: &CaseTexts) -> Result<(), CliError> {
    for (folder, texts) in [(files, &texts.files), (later, &texts.second_files)] {
        for (path, text) in texts {
            whole_file::keep(&folder.join(path), text)?;
        }
    }
    whole_file::keep(&place.join(CHANGE), &texts.first)?;
    if let Some(second) = &texts.second {
        whole_file::keep(&place.join(SECOND_CHANGE), second)?;
    }
    whole_file::keep(&place.join(INTENT), &texts.intent)
}

/// Every case of a folder, in the order of their names.
pub(super) fn read_all(folder: &Path) -> Result<Vec<(Case, CaseTexts)>, CliError> {
    let none = || {
        CliError::usage(format!("{} has no cases", folder.display()))
            .hint("make some: redraft eval plant DIR docs/features/031-x/spec.md")
    };
    let entries = fs::read_dir(folder).map_err(|_| none())?;
    let mut places: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    places.retain(|place| place.join(CASE).is_file());
    places.sort();
    if places.is_empty() {
        return Err(none());
    }
    places.iter().map(|place| read(place)).collect()
}

fn read(place: &Path) -> Result<(Case, CaseTexts), CliError> {
    let file = place.join(CASE);
    let case = Case::read(&text_of_case(place, CASE)?).map_err(|error| {
        let error = CliError::new(ErrorCode::Config, format!("{}: {error}", file.display()));
        error.hint("plant the cases again, or use the redraft that made them")
    })?;
    // What a name leads to elsewhere belongs to somebody else.
    let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = |name: &String| !name.contains(['/', '\\']) && name != "..";
    let inside = |path: &String| {
        !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
    };
    if name != case.id || !case.upstream.iter().all(plain) || !case.files.iter().all(inside) {
        let error = CliError::new(ErrorCode::Config, format!("{} is not the case {name}", file.display()));
        return Err(error.hint("plant the cases again"));
    }
    if case.is_code() {
        let texts = read_change(place, &case)?;
        return Ok((case, texts));
    }
    let upstream =
        case.upstream.iter().map(|name| Ok((name.clone(), text_of_case(place, &format!("files/{name}"))?)));
    let upstream = upstream.collect::<Result<Vec<_>, CliError>>()?;
    let first = text_of_case(place, &format!("files/{}", case.artifact()))?;
    let second = match case.second {
        Some(_) => Some(text_of_case(place, &format!("second/{}", case.artifact()))?),
        None => None,
    };
    Ok((case, CaseTexts { upstream, first, second, ..CaseTexts::default() }))
}

fn read_change(place: &Path, case: &Case) -> Result<CaseTexts, CliError> {
    let all = |folder: &str| {
        let file = |path: &String| Ok((path.clone(), text_of_case(place, &format!("{folder}/{path}"))?));
        case.files.iter().map(file).collect::<Result<Vec<_>, CliError>>()
    };
    let second = match case.second {
        Some(_) => Some((text_of_case(place, SECOND_CHANGE)?, all("second")?)),
        None => None,
    };
    let (second, second_files) = second.unzip();
    Ok(CaseTexts {
        upstream: Vec::new(),
        first: text_of_case(place, CHANGE)?,
        second,
        files: all("files")?,
        second_files: second_files.unwrap_or_default(),
        intent: text_of_case(place, INTENT)?,
    })
}

/// The text of a file of a case. Somebody else may have made the case, so a link that leads out of it is not followed.
fn text_of_case(place: &Path, name: &str) -> Result<String, CliError> {
    plain_file::read_text_inside(place, place.join(name), DOCUMENT_BYTES_MAX)
        .map_err(|error| unreadable(&place.join(name), &error).hint("plant the cases again"))
}

fn unreadable(path: &Path, error: &impl Display) -> CliError {
    CliError::new(ErrorCode::Config, format!("{}: {error}", path.display()))
}

/// The text of a file, or why it cannot be read.
pub(super) fn text(path: &Path) -> Result<String, CliError> {
    plain_file::read_text(path, DOCUMENT_BYTES_MAX).map_err(|error| unreadable(path, &error))
}
