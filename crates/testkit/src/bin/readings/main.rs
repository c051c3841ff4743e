//! Writes down what every reader of documents finds in a folder of them, so that two versions of the readers can be
//! compared.
//!
//! `cargo run -p redraft-testkit --bin readings -- --features DIR --out DIR`. `DIR` holds a folder for each feature, as
//! for `score`. For each document one text file is written that says, a fact in a line, which sections, code blocks,
//! tasks, references, ids, lint faults, bank entries and goals were found. Run it before and after a change and compare
//! the two folders with `diff -r`.

#![expect(clippy::print_stderr, reason = "a tool for people who work on the readers")]

mod facts;

use redraft_documents::lint::{ArtifactKind, Document, Documents, LintSettings, LintedContent, check};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: readings --features DIR --out DIR";

fn main() -> ExitCode {
    match args().and_then(|(features, out)| write_all(&features, &out)) {
        Ok(count) => {
            eprintln!("{count} documents");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn args() -> Result<(PathBuf, PathBuf), String> {
    let mut given = std::env::args_os().skip(1);
    let (mut features, mut out) = (None, None);
    while let Some(word) = given.next() {
        match word.to_str() {
            Some("--features") => features = given.next().map(PathBuf::from),
            Some("--out") => out = given.next().map(PathBuf::from),
            _ => return Err(USAGE.to_owned()),
        }
    }
    features.zip(out).ok_or_else(|| USAGE.to_owned())
}

fn write_all(features: &Path, out: &Path) -> Result<usize, String> {
    std::fs::create_dir_all(out).map_err(told(out))?;
    let mut count = 0;
    for folder in sorted(features)?.into_iter().filter(|path| path.is_dir()) {
        let documents = documents(&folder)?;
        let faults = check(&documents, &LintSettings::default());
        let feature = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for document in &documents.documents {
            let LintedContent::Text(text) = &document.content else { continue };
            let file = out.join(format!("{feature}--{}.txt", document.path));
            let mut lines = facts::list(text);
            for fault in faults.iter().filter(|fault| fault.path == document.path) {
                lines.push(format!("lint {} {} {}", fault.line, fault.rule, fault.message));
            }
            lines.push(String::new());
            std::fs::write(&file, lines.join("\n")).map_err(told(&file))?;
            count += 1;
        }
    }
    Ok(count)
}

/// The documents of a feature that are there.
fn documents(folder: &Path) -> Result<Documents, String> {
    let mut documents = Documents::default();
    for kind in ArtifactKind::ALL {
        let file = folder.join(kind.file());
        if file.is_file() {
            let text = std::fs::read_to_string(&file).map_err(told(&file))?;
            documents
                .documents
                .push(Document { path: kind.file().to_owned(), content: LintedContent::Text(text) });
        }
    }
    Ok(documents)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(told(folder))?;
    let mut paths =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(told(folder))?;
    paths.sort();
    Ok(paths)
}

fn told(path: &Path) -> impl Fn(std::io::Error) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}
