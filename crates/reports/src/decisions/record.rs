//! Writes a decision as a record of its own: context, decision, status, consequences.
//!
//! What agents and people wrote is quoted line by line, so that it can neither begin a heading nor end a comment.

use super::{DecisionKind, DecisionStatus, ReportedWork, Resolution};
use redraft_facts::ids::slug;
use redraft_facts::prelude::*;
use redraft_facts::text::{one_line, utc};

/// The mark that identifies a record, wherever it was moved and whatever it is called.
pub fn marker(one: &Resolution) -> String {
    // A comment ends with two dashes.
    format!("<!-- redraft: {} -->", one_line(&one.id, ID_CHARS_MAX).replace("--", "-"))
}

const ID_CHARS_MAX: usize = 300;

/// `0007-turns-are-files.md`.
pub fn file_name(number: u32, one: &Resolution) -> String {
    let title = title(one);
    // A title in another script is not used: the names of records stay plain.
    let readable = title.contains(|c: char| c.is_ascii_alphanumeric());
    format!("{number:04}-{}.md", slug(if readable { &title } else { one.kind.name() }))
}

/// The text of a record. `feature` is the name of the feature's folder, `concerns` are its builder's doubts.
pub fn record(number: u32, feature: &str, one: &Resolution, concerns: &[&Resolution]) -> String {
    let mut out = format!("# {number}. {}\n\n{}\n\n## Context\n\n", plain(&title(one)), marker(one));
    out.push_str(&context(feature, one));
    out.push_str(&format!("\n## Decision\n\n{}", quoted(&one.text)));
    out.push_str(&format!("\n## Status\n\n{}\n\n## Consequences\n\n", status(one)));
    out.push_str(&consequences(one, concerns));
    out
}

fn title(one: &Resolution) -> String {
    const CHARS_MAX: usize = 80;
    let first = one.text.lines().find(|line| !line.trim().is_empty()).unwrap_or(one.kind.name());
    let subject = match (&one.work, one.findings.first(), one.kind) {
        (Some(ReportedWork { task: Some(task), .. }), _, DecisionKind::Ruling) => {
            format!("Task {task}: {first}")
        }
        (_, Some(finding), DecisionKind::Ruling) => format!("{}: {}", finding.id, finding.description),
        (
            _,
            _,
            DecisionKind::Ruling | DecisionKind::Decision | DecisionKind::Deviation | DecisionKind::Concern,
        ) => first.to_owned(),
    };
    one_line(&subject, CHARS_MAX)
}

fn context(feature: &str, one: &Resolution) -> String {
    let (feature, phase) = (plain(feature), one.phase);
    let mut out = match &one.work {
        Some(ReportedWork { task: Some(task), title, .. }) => {
            format!("Feature {feature}, {phase}, task {}: {}.\n", plain(task), plain(title))
        }
        Some(ReportedWork { title, .. }) => format!("Feature {feature}, {phase}, {}.\n", plain(title)),
        None => format!("Feature {feature}, {phase}.\n"),
    };
    if !one.asked.trim().is_empty() {
        out.push_str(&format!("\nA person was asked:\n\n{}", quoted(&one.asked)));
    }
    if one.kind == DecisionKind::Ruling && !one.findings.is_empty() {
        out.push_str("\nThese findings were open:\n\n");
        for finding in &one.findings {
            out.push_str(&format!("- {} {}\n", finding.id, plain(&finding.description)));
        }
    }
    if one.kind == DecisionKind::Deviation {
        out.push_str("\nIt is not what the plan or the design says.\n");
    }
    out
}

fn status(one: &Resolution) -> String {
    let (by, at) = (plain(&one.by), utc(one.at_ms));
    match (one.standing, one.kind) {
        (DecisionStatus::Accepted, DecisionKind::Ruling) => format!("Accepted by {by}, {at}."),
        (DecisionStatus::Accepted, _) => {
            format!("Accepted: made by {by}, {at}, and approved with the code it is in.")
        }
        (DecisionStatus::Proposed, _) => {
            format!("Proposed by {by}, {at}; the code it is in is not approved yet.")
        }
        (DecisionStatus::Dropped, _) => {
            format!("Dropped: made by {by}, {at}, and removed with what it was about.")
        }
    }
}

fn consequences(one: &Resolution, concerns: &[&Resolution]) -> String {
    let mut out = String::new();
    if let Some(ReportedWork { commit, files, .. }) = one.work.as_ref().filter(|work| !work.commit.is_empty())
    {
        let files: Vec<String> =
            files.iter().map(|file| format!("`{}`", one_line(file, 400).replace('`', "'"))).collect();
        out.push_str(&format!("- In commit `{}`: {}.\n", one_line(commit, 64), files.join(", ")));
    }
    for concern in concerns {
        out.push_str(&format!("- Concern: {}\n", plain(&concern.text)));
    }
    for finding in &one.findings {
        let about = if one.kind == DecisionKind::Ruling { "Settled" } else { "A finding about its files" };
        let (id, phase, status) = (&finding.id, finding.phase, finding.status.name());
        out.push_str(&format!("- {about}: {id} of {phase} ({status}): {}\n", plain(&finding.description)));
    }
    if one.kind == DecisionKind::Ruling && !one.findings.is_empty() {
        out.push_str("- They do not block later reviews of this feature.\n");
    }
    if out.is_empty() {
        out.push_str("- None recorded.\n");
    }
    out
}

/// One line that has no special meaning in Markdown.
fn plain(text: &str) -> String {
    const CHARS_MAX: usize = 600;
    let mut out = String::new();
    for c in one_line(text, CHARS_MAX).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '[' | ']' | '`' | '*' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// Line by line, as a quotation.
fn quoted(text: &str) -> String {
    const LINES_MAX: usize = 60;
    const CHARS_MAX: usize = 2_000;
    let lines = text.trim().lines().take(LINES_MAX);
    let line = |line: &str| {
        let kept: String = line.chars().filter(|c| !c.is_control()).take(CHARS_MAX).collect();
        format!("> {}", kept.trim_end().replace('<', "&lt;")).trim_end().to_owned() + "\n"
    };
    lines.map(line).collect()
}
