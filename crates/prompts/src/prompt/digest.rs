//! The turn of a digest: a fresh reader is shown what changed, what is open, and the sections these touch.
//!
//! Such a reader knows less than one that has the whole document. It is told so, and asked only what it can judge.
//! Whether a dispatch may be sent this way is decided elsewhere (`knowledge` of a loop).

use super::anchor::Anchors;
use super::brief::Brief;
use super::stable::{file_name, header, label};
use super::turn::{CHECKS_OF_A_CHANGE, present};
use super::{open, turn};
use core::ops::RangeInclusive;
use redraft_documents::delta::{Delta, FileDelta};
use redraft_documents::sections::Outline;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_facts::{citation, text};

pub(super) fn turn(brief: &Brief<'_>) -> Vec<Fragment> {
    let validating = brief.purpose == Purpose::Validate;
    present([
        Some(note(brief)),
        turn::asked_for(brief),
        turn::delta(brief),
        turn::fix_summary(brief),
        touched(brief),
        turn::domain_outcome(brief).filter(|_| !validating),
        open::settled(brief),
        open::open_findings(brief, open::Intro::Recall),
        turn::iteration(brief),
    ])
}

fn note(brief: &Brief<'_>) -> Fragment {
    let name = file_name(brief.place.artifact);
    let (said, task) = match brief.purpose {
        Purpose::Validate => (
            format!("approved {name} at iteration {}", brief.last_round),
            format!(
                "Since then the file was changed. Check whether the approval still holds: go through \
                 every hunk and through every place that depends on what it touches, and put your checks to them. A \
                 new finding may lie anywhere in the file.\n{}",
                open::ruling_on(brief)
            ),
        ),
        _ => (
            match brief.findings.is_empty() {
                true => format!("did not approve {name}"),
                false => format!("left the findings listed under Open Findings on {name}"),
            },
            format!("Do this and no more:\n\n{}", open::steps_of_a_rereview(brief)),
        ),
    };
    let text = format!(
        "## What You Are Given\n\n\
         An earlier turn of your role walked the whole document and {said}. You continue that review without its \
         memory: what changed since then stands below, with the sections that the changes and the open findings \
         touch. The Walk of your role is not done again. {CHECKS_OF_A_CHANGE} {task}\n\
         Where a change depends on a part of {name} that is not below, open {} and look at that part.\n",
        brief.place.artifact
    );
    Fragment::new("digest-note", text)
}

/// The sections of the artifact that hold a change or the place of an open finding, in the order of the document
/// ([`Outline::touched`]).
fn touched(brief: &Brief<'_>) -> Option<Fragment> {
    let (path, bytes) = (brief.place.artifact, brief.artifact?);
    let content = String::from_utf8_lossy(bytes);
    let outline = Outline::parse(&content);
    let delta = Delta::parse(brief.delta.unwrap_or_default());
    let files = delta.files.iter().filter(|file| citation::same_file(&file.path, path));
    let mut lines: Vec<RangeInclusive<u32>> = files.flat_map(FileDelta::changed).collect();
    let anchors = Anchors::new(brief, &outline);
    let places = brief.findings.iter().filter_map(|finding| anchors.line(finding));
    lines.extend(places.map(|line| line..=line));
    let mut text = format!("## {} Under Review, in Part\n\n{}", label(path), header(path, bytes));
    let parts = outline.touched(&lines);
    for part in &parts {
        let body = text::fenced("markdown", &outline.text(part.clone()));
        text.push_str(&format!("\nLines {} to {}:\n\n{body}", part.start + 1, part.end));
    }
    if parts.is_empty() {
        text.push_str("\nNo section of it is touched.\n");
    }
    Some(Fragment::new("touched-sections", text))
}
