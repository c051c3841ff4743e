//! Finds out which secret is meant. It comes from standard input, from a question whose answer is not shown, or from a
//! place where it stands; never from an argument, which the shell would keep in its history.

use redraft_adapters::plain_file;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::Store;
use redraft_facts::redact::Redactor;
use redraft_facts::removal::Removal;
use redraft_frame::args::RedactArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use serde_json::Value;
use std::io::{IsTerminal, Read};
use std::path::Path;

/// More than any secret has.
const SECRET_BYTES_MAX: u64 = 64 * 1024;

/// More than any file in which a secret is given by its line.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What to take out, and whether a person can still be asked.
pub(super) struct SecretToRemove {
    pub(super) removal: Removal,
    pub(super) can_ask: bool,
}

pub(super) fn meant(
    args: &RedactArgs,
    ledger: &Ledger,
    process: &ProcessContext,
    console: &Console,
) -> Result<SecretToRemove, CliError> {
    let (texts, can_ask) = match (args.event, &args.file) {
        (Some(seq), _) => (in_event(seq, ledger, &process.redactor)?, console.can_ask()),
        (None, Some(place)) => (in_file(place, process)?, console.can_ask()),
        (None, None) if console.can_ask() => (vec![asked(process, console)?], true),
        (None, None) => (vec![read()?], false),
    };
    let unfit = |unfit| CliError::usage(format!("the text cannot be removed: {unfit}"));
    let mut removals = texts.iter().map(|text| Removal::new(text).map_err(unfit));
    let first = removals.next().unwrap_or_else(|| Removal::new("").map_err(unfit))?;
    let removal = removals.try_fold(first, |all, one| Ok::<_, CliError>(all.and(one?)))?;
    Ok(SecretToRemove { removal, can_ask })
}

fn asked(process: &ProcessContext, console: &Console) -> Result<String, CliError> {
    let answer = console.ask_hidden("the secret (it is not shown): ", &process.clock);
    answer.ok_or_else(|| CliError::new(ErrorCode::Interrupted, "stopped; nothing was changed"))
}

fn read() -> Result<String, CliError> {
    if std::io::stdin().is_terminal() {
        return Err(CliError::usage("no secret was given").hint("with --json, give it on standard input"));
    }
    let mut text = String::new();
    let read = std::io::stdin().lock().take(SECRET_BYTES_MAX + 1).read_to_string(&mut text);
    read.map_err(|error| CliError::usage(format!("standard input cannot be read as text: {error}")))?;
    if text.len() as u64 > SECRET_BYTES_MAX {
        return Err(CliError::usage("the text on standard input is too long for a secret"));
    }
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn in_event(seq: u64, ledger: &Ledger, redactor: &Redactor) -> Result<Vec<String>, CliError> {
    let mut found = None;
    ledger.each_body(&mut |number, _, kind, version, body| {
        if number == seq {
            found = Some((kind.to_owned(), version, body));
        }
    })?;
    let (kind, version, body) = found.ok_or_else(|| {
        CliError::usage(format!("there is no event {seq}")).hint(
            "to list the events: redraft \
            log",
        )
    })?;
    let mut texts = Vec::new();
    if let Ok(value) = serde_json::from_str::<Value>(&body) {
        strings(&value, &mut |text| texts.extend(secrets(text, redactor)));
    }
    let event = redraft_facts::event::Event::decode(&kind, version, &body);
    for id in event.as_ref().map(|event| event.blobs()).unwrap_or_default() {
        let bytes = ledger.blob(id)?;
        texts.extend(secrets(&String::from_utf8_lossy(&bytes), redactor));
    }
    named(texts, &format!("event {seq}"))
}

fn in_file(place: &str, process: &ProcessContext) -> Result<Vec<String>, CliError> {
    let parts = place.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse::<usize>().ok()?)));
    let (path, line) = parts.ok_or_else(|| {
        CliError::usage(format!("`{place}` is not of the form PATH:LINE")).hint(
            "write it like this: --file \
            src/main.rs:12",
        )
    })?;
    let file = process.folder.join(Path::new(path));
    let text = plain_file::read_text(&file, FILE_BYTES_MAX)
        .map_err(|error| CliError::usage(format!("{}: {error}", file.display())))?;
    let (_, hits) = process.redactor.redact(&text);
    let on_line = |start: usize| text[..start].matches('\n').count() + 1 == line;
    let found = hits.into_iter().filter(|hit| on_line(hit.range.start));
    named(found.map(|hit| text[hit.range].to_owned()).collect(), &format!("line {line} of {path}"))
}

fn secrets(text: &str, redactor: &Redactor) -> Vec<String> {
    let (_, hits) = redactor.redact(text);
    hits.into_iter().map(|hit| text[hit.range].to_owned()).collect()
}

fn strings(value: &Value, f: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => f(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, f)),
        Value::Object(fields) => fields.values().for_each(|value| strings(value, f)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn named(mut texts: Vec<String>, place: &str) -> Result<Vec<String>, CliError> {
    texts.sort();
    texts.dedup();
    if texts.is_empty() {
        return Err(CliError::usage(format!("nothing in {place} looks like a secret"))
            .hint("give the text itself: redraft ledger redact"));
    }
    Ok(texts)
}
