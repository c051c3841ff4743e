//! The folder of prompts and answers: `CASE.ARM.prompt.md`, `CASE.ARM.answer.json` or `.txt`, and where an agent was
//! asked by this program `CASE.ARM.asked.json`.

use super::case_folder;
use redraft_adapters::plain_file;
use redraft_eval::record::Record;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::whole_file;
use std::fs;
use std::path::{Path, PathBuf};

const PROMPT: &str = ".prompt.md";
const RECORD: &str = ".asked.json";

/// `CASE.ARM` of every prompt, in order.
pub(super) fn prompts(out: &Path) -> Result<Vec<String>, CliError> {
    let failed = |error: std::io::Error| {
        CliError::usage(format!("{} cannot be read: {error}", out.display()))
            .hint("write the prompts first: redraft eval export DIR OUT --arm ours")
    };
    names(out, PROMPT).map_err(failed)
}

/// The beginnings of the names that end so.
pub(super) fn names(out: &Path, end: &str) -> std::io::Result<Vec<String>> {
    let entries = fs::read_dir(out)?.flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(end).map(str::to_owned)).collect();
    names.sort();
    Ok(names)
}

/// The file of the answer to a prompt, if it is there.
pub(super) fn file(out: &Path, name: &str) -> Option<PathBuf> {
    let files = ["answer.json", "answer.txt"].map(|end| out.join(format!("{name}.{end}")));
    files.into_iter().find(|file| file.is_file())
}

/// The answer to a prompt, if it is there. One that is no text, or too long, is no verdict and stops nothing else.
pub(super) fn text(out: &Path, name: &str) -> Option<String> {
    let bytes = plain_file::read(&file(out, name)?, case_folder::DOCUMENT_BYTES_MAX);
    Some(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
}

/// Writes an answer; as JSON where it is an object.
pub(super) fn keep(out: &Path, name: &str, text: &str) -> Result<(), CliError> {
    let object = serde_json::from_str::<serde_json::Value>(text).is_ok_and(|value| value.is_object());
    let end = if object { "answer.json" } else { "answer.txt" };
    whole_file::keep(&out.join(format!("{name}.{end}")), text)
}

/// What is kept about a prompt that an agent was asked; none where somebody else answered it, or nobody.
pub(super) fn record(out: &Path, name: &str) -> Result<Option<Record>, CliError> {
    let file = out.join(format!("{name}{RECORD}"));
    if file.symlink_metadata().is_err() {
        return Ok(None);
    }
    let unusable = |error: String| {
        CliError::new(ErrorCode::Config, format!("{}: {error}", file.display()))
            .hint("it says what was paid; use the redraft that wrote it, or another folder for the answers")
    };
    let text = plain_file::read_text(&file, case_folder::DOCUMENT_BYTES_MAX);
    let text = text.map_err(|error| unusable(error.to_string()))?;
    Record::read(&text).map(Some).map_err(|error| unusable(error.to_string()))
}

/// Every record of a folder, by `CASE.ARM`. None where there is no such folder yet.
pub(super) fn records(out: &Path) -> Result<Vec<(String, Record)>, CliError> {
    let mut records = Vec::new();
    for name in names(out, RECORD).unwrap_or_default() {
        if let Some(record) = record(out, &name)? {
            records.push((name, record));
        }
    }
    Ok(records)
}

/// On disk when this returns: it says what may have to be paid.
pub(super) fn keep_record(out: &Path, name: &str, record: &Record) -> Result<(), CliError> {
    let path = out.join(format!("{name}{RECORD}"));
    let failed = |error: std::io::Error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be written: {error}", path.display()))
    };
    let staged = whole_file::staged(&path, &record.to_json(), None, ".redraft-asked").map_err(failed)?;
    staged.persist(&path).map(drop).map_err(|error| failed(error.error))
}
