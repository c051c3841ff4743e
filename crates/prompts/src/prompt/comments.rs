//! What people said about a phase, for roles that have to heed it and do not rule on it.
//!
//! People typed it, so every comment stays on its line.

use super::brief::Brief;
use super::sizes::{FIELD_CHARS_MAX, SETTLED_MAX};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Purpose;
use redraft_facts::verdict::Severity;

/// The comments that a role is to heed. None where there are none.
pub(super) fn fragment(brief: &Brief<'_>) -> Option<Fragment> {
    // What was taken back is no wish any more.
    let wanted =
        |one: &&&Finding| !matches!(one.status, Status::Overruled | Status::Ruled | Status::Withdrawn);
    let all: Vec<&&Finding> = brief.comments.iter().filter(wanted).collect();
    let shown = &all[all.len().saturating_sub(SETTLED_MAX)..];
    if shown.is_empty() {
        return None;
    }
    let lead = match brief.purpose {
        Purpose::Implement | Purpose::Simplify | Purpose::Tests => {
            "The user said this about the code. Where it bears on your work, do what they say."
        }
        Purpose::Revise => "The user said this before. It was worked in: keep it so.",
        _ => {
            "The user said this. It counts like what was asked for: a finding that wants the opposite is wrong, and \
             whether each is met is another reviewer's to say."
        }
    };
    let list: String = shown.iter().map(|one| line(one)).collect();
    Some(Fragment::new("comments", format!("## Comments of the User\n\n{lead}\n\n{list}")))
}

fn line(one: &Finding) -> String {
    let text = |value: &str| one_line(value, FIELD_CHARS_MAX);
    let note = if one.severity == Severity::Blocker { "" } else { " (a note: it may be left)" };
    let place = match one.file.is_empty() {
        true => String::new(),
        false => format!(" (at: {})", text(&one.place())),
    };
    let again = match one.reopened_because() {
        Some(why) => format!(" Opened again: {}", text(why)),
        None => String::new(),
    };
    format!("- [{}] {}: {}{place}{note}{again}\n", one.id, text(one.raised_by()), text(&one.description))
}

/// Who raised findings, for an author that has not seen them.
pub(super) fn raised(findings: &[&Finding]) -> &'static str {
    let of_people = findings.iter().filter(|one| one.is_comment()).count();
    match of_people {
        0 => "Reviewers found these",
        all if all == findings.len() => "The user said this",
        _ => "Reviewers found these, or the user said them",
    }
}

/// What a list of findings that has comments of people among them adds to how they are answered.
pub(super) fn ruling(findings: &[Finding], answers: bool) -> String {
    if !findings.iter().any(Finding::is_comment) {
        return String::new();
    }
    let of: Vec<String> = (findings.iter().filter(|one| one.is_comment()))
        .map(|one| format!("{} ({})", one.id, one_line(one.raised_by(), 80)))
        .collect();
    let of = of.join(", ");
    match answers {
        true => format!(
            "\nWhat the user said is among them: {of}. `fixed` means that it is met as they said it; `withdrawn` is not \
             yours to say. A warning of theirs may be left.\n"
        ),
        false => format!(
            "\nWhat the user said is among them: {of}. It counts like what was asked for: do it as they say, and where it \
             goes against an earlier document, say so in your summary. Decline it only where it cannot be done. A warning \
             of theirs may be left.\n"
        ),
    }
}
