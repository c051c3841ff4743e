//! What each rule finds and, as important, what it leaves alone.

mod features;
mod text;

use super::*;

/// The broken rules of one document as `line rule`, in order.
fn found_in(path: &str, text: &str) -> Vec<String> {
    let faults = super::check(&Documents::of_one(path, text.to_owned()), &LintSettings::default());
    faults.iter().map(|fault| format!("{} {}", fault.line, fault.rule)).collect()
}

#[track_caller]
fn check_named(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(found_in(path, text), expected, "in {path}:\n{text}");
}

/// The same for a document that is no artifact, so that nothing is expected of it.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_named("notes.md", text, expected);
}

/// The faults of a feature as `file line rule`, in order.
#[track_caller]
fn check_feature(files: &[(&str, &str)], expected: &[&str]) {
    let faults = super::check(&feature(files), &LintSettings::default());
    let found: Vec<String> =
        faults.iter().map(|fault| format!("{} {} {}", fault.path, fault.line, fault.rule)).collect();
    assert_eq!(found, expected, "in {files:?}");
}

fn feature(files: &[(&str, &str)]) -> Documents {
    let document = |(path, text): &(&str, &str)| Document {
        path: (*path).to_owned(),
        content: LintedContent::Text((*text).to_owned()),
    };
    Documents { documents: files.iter().map(document).collect(), absent_files: BTreeSet::new() }
}
