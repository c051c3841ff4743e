//! The turn of a digest: a fresh reader is shown what changed, what is open, and the sections these touch.
//!
//! Such a reader knows less than one that has the whole document. It is told so, and asked only what it can judge.
//! Whether a dispatch may be sent this way is decided elsewhere (`knowledge` of a loop).

use super::anchor::Anchors;
use super::brief::Brief;
use super::stable::{header, label};
use super::turn::present;
use super::{again, asked, comments, disputed, open, turn};
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
        Some(again::note(brief, again::Shown::Part)),
        asked::asked_for(brief),
        turn::delta(brief),
        turn::fix_summary(brief),
        touched(brief),
        turn::domain_outcome(brief).filter(|_| !validating),
        open::settled(brief),
        comments::fragment(brief),
        open::open_findings(brief, open::Intro::Recall),
        disputed::replies(brief),
        turn::iteration(brief),
    ])
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
