//! Scores how well tasks and references are read, against labels that people made.
//!
//! `cargo run -p redraft-testkit --bin score -- --tasks FILE --refs FILE --features DIR`. What the files look like and
//! what the figures mean is in docs/tasks.md. `tasks`, `refs` and, without labels, `coverage` compute the figures.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool for people who work on the parser")]

mod coverage;
mod refs;
mod tasks;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str =
    "usage: score --features DIR [--tasks LABELS.jsonl] [--refs LABELS.jsonl] [--only LIST] [--misses]";

struct Args {
    tasks: Option<PathBuf>,
    refs: Option<PathBuf>,
    features: PathBuf,
    misses: bool,
    only: Option<PathBuf>,
}

fn main() -> ExitCode {
    let outcome = args().and_then(|args| report(&args));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn args() -> Result<Args, String> {
    let mut given = std::env::args_os().skip(1);
    let mut args = Args { tasks: None, refs: None, features: PathBuf::new(), misses: false, only: None };
    while let Some(word) = given.next() {
        let mut path = || given.next().map(PathBuf::from).ok_or_else(|| USAGE.to_owned());
        match word.to_str() {
            Some("--tasks") => args.tasks = Some(path()?),
            Some("--refs") => args.refs = Some(path()?),
            Some("--features") => args.features = path()?,
            Some("--only") => args.only = Some(path()?),
            Some("--misses") => args.misses = true,
            _ => return Err(USAGE.to_owned()),
        }
    }
    if args.features.as_os_str().is_empty() {
        return Err(USAGE.to_owned());
    }
    Ok(args)
}

fn report(args: &Args) -> Result<(), String> {
    let only = args.only.as_deref().map(read).transpose()?;
    let wanted =
        |feature: &str| only.as_deref().is_none_or(|list| list.lines().any(|line| line.trim() == feature));
    if let Some(file) = &args.tasks {
        let labels = labels::<tasks::File>(file)?;
        let labels: Vec<_> = labels.into_iter().filter(|one| wanted(&one.feature)).collect();
        print!("{}", tasks::score(&labels, &args.features, args.misses)?);
    }
    if let Some(file) = &args.refs {
        let labels = labels::<refs::Labelled>(file)?;
        let labels: Vec<_> = labels.into_iter().filter(|one| wanted(&one.feature)).collect();
        print!("{}", refs::score(&labels, &args.features, args.misses)?);
    }
    if args.tasks.is_none() && args.refs.is_none() {
        print!("{}", coverage::score(&args.features, wanted, args.misses)?);
    }
    Ok(())
}

fn labels<T: serde::de::DeserializeOwned>(file: &Path) -> Result<Vec<T>, String> {
    let text = read(file)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| format!("{} line {}: {error}", file.display(), at + 1))
        })
        .collect()
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

/// `0.970 (97 of 100)`
fn share(part: usize, whole: usize) -> String {
    let ratio = if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    format!("{ratio:.3} ({part} of {whole})")
}
