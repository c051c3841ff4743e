//! What a role is told of the documents: those it is given, those it has to read, and those that do not exist.

use super::super::brief::{FeaturePaths, Prd, Upstream};
use super::{file_name, label, nothing_to_read, work};
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text;
use redraft_roles::profile::Profile;

/// The files that a role reads by their paths: before it begins, or where it needs them.
pub(in crate::prompt) fn required_artifacts(profile: &Profile, place: &FeaturePaths<'_>) -> Fragment {
    if let Some(nothing) = nothing_to_read(profile, place) {
        let text = format!("{nothing}; confirm with \"Files read: none\" in a single line.\n");
        return Fragment::new("required-artifacts", text);
    }
    if profile.required().next().is_none() {
        let intro = "None of these has to be read whole. Open what your work depends on, and confirm what you opened: \
                     \"Files read: {name} ({N} lines), ...\" in a single line.";
        return listed_at_hand(profile, place, intro);
    }
    let work = work(profile);
    // What stands in the prompt in part is no file that has to be read.
    let in_part = matches!(place.prd, Prd::InPart(_));
    let (parts, paths): (Vec<_>, Vec<_>) =
        paths(profile, place).into_iter().partition(|(label, _)| in_part && label == "PRD");
    let (at_hand, paths): (Vec<_>, Vec<_>) =
        paths.into_iter().partition(|(label, path)| path.is_ok() && only_at_hand(profile, place, label));
    let mut text = format!(
        "## Required Artifacts\n\n\
         You MUST read the following files before beginning {work}.\n\
         After reading, confirm: \"Files read: {{name}} ({{N}} lines), ...\" in a single line.\n\n"
    );
    for (label, path) in &paths {
        text.push_str(&format!("- {label}: {}\n", path.as_ref().unwrap_or_else(|none| none)));
    }
    for (label, path) in &parts {
        text.push_str(&format!("\n{label}: {}.\n", path.as_ref().unwrap_or_else(|none| none)));
    }
    let at_hand = at_hand.into_iter().filter_map(|(label, path)| Some(format!("{label} {}", path.ok()?)));
    let at_hand: Vec<String> = at_hand.collect();
    if !at_hand.is_empty() {
        text.push_str(&format!("\n{AT_HAND}{}\n", at_hand.join(", ")));
    }
    if paths.iter().all(|(_, path)| path.is_err()) {
        text.push_str("\nNone of these is a file: confirm what else you read, or \"Files read: none\".\n");
    }
    text.push_str(stand_in(profile, place));
    Fragment::new("required-artifacts", text)
}

/// Whether a file of the role is only there to look something up. Where one that it must read is missing, all others may
/// have to take its place.
fn only_at_hand(profile: &Profile, place: &FeaturePaths<'_>, of: &str) -> bool {
    let missing = |name: &str| place.absent.iter().any(|absent| absent.name == name);
    !profile.required().any(missing) && profile.at_hand.iter().any(|name| label(name) == of)
}

/// The same list where every file is in the prompt. The author opens its own document all the same, to change it.
pub(in crate::prompt) fn given_artifacts(profile: &Profile, place: &FeaturePaths<'_>) -> Fragment {
    if let Some(nothing) = nothing_to_read(profile, place) {
        return Fragment::new("given-artifacts", format!("{nothing}.\n"));
    }
    // Each stands under its path.
    let (mut whole, mut others) = (Vec::new(), String::new());
    for (label, path) in paths(profile, place) {
        match path {
            Err(none) => others.push_str(&format!("- {label}: {none}\n")),
            Ok(path) if path == place.artifact => whole.push(format!("{label} Under Review")),
            Ok(_) => whole.push(label),
        }
    }
    let stand = match whole.as_slice() {
        [] => String::new(),
        whole => format!(
            "These stand in this prompt, in full, as they are on disk, and are read here: {}. ",
            whole.join(", ")
        ),
    };
    let mut text =
        format!("## Required Artifacts\n\n{stand}Open a file only for what is not in this prompt.\n");
    if !others.is_empty() {
        text.push_str(&format!("\n{others}"));
    }
    text.push_str(stand_in(profile, place));
    Fragment::new("given-artifacts", text)
}

/// The same list for a reader that is not asked about the whole, so nothing on it is required.
pub(in crate::prompt) fn artifacts_at_hand(profile: &Profile, place: &FeaturePaths<'_>) -> Fragment {
    if let Some(nothing) = nothing_to_read(profile, place) {
        return Fragment::new("artifacts-at-hand", format!("{nothing}.\n"));
    }
    let intro = "An earlier turn of your role has read these. Open one only where a finding or a change cannot be judged \
                 from what stands below; otherwise leave them closed.";
    listed_at_hand(profile, place, intro)
}

/// Every document of the role by its path, with what is to be done with them.
fn listed_at_hand(profile: &Profile, place: &FeaturePaths<'_>, intro: &str) -> Fragment {
    let mut text = format!("## Artifacts at Hand\n\n{intro}\n\n");
    for (label, path) in paths(profile, place) {
        text.push_str(&format!("- {label}: {}\n", path.as_ref().unwrap_or_else(|none| none)));
    }
    text.push_str(stand_in(profile, place));
    Fragment::new("artifacts-at-hand", text)
}

/// What takes the place of a document that is left out. Whoever compares code with all of them has that in its own text.
fn stand_in(profile: &Profile, place: &FeaturePaths<'_>) -> &'static str {
    let left_out =
        |name: &&&str| place.absent.iter().any(|absent| absent.name == **name && !absent.why.is_empty());
    match profile.artifacts.iter().find(left_out).filter(|_| !profile.compares()) {
        Some(_) => {
            "\nWhere these instructions speak of a document that is none, the nearest one before it takes its place, and \
             what that one asks for is what has to be met.\n"
        }
        None => "",
    }
}

pub(in crate::prompt) const NO_PRD: &str = "No PRD — feature created without brainstorm";

/// Begins the files that a role need not read.
const AT_HAND: &str = "For reference, opened only at the places that something refers to: ";

/// Begins the reason why another document is not there.
pub(in crate::prompt) const NONE: &str = "none (";

/// What is said of a PRD whose essentials stand in the prompt.
const IN_PART: &str = "in part under Problem and Goals; open it only for what is missing there";

/// The files the profile names: the label, and the path or what is said in its place. A file about which there is
/// nothing to say is not listed.
pub(super) fn paths(profile: &Profile, place: &FeaturePaths<'_>) -> Vec<(String, Result<String, String>)> {
    let path = |name: &&'static str| {
        let absent = place.absent.iter().find(|absent| absent.name == *name);
        match (*name, place.prd, absent) {
            ("prd.md", Prd::None, Some(_)) => None,
            ("prd.md", Prd::None, None) => Some(Err(NO_PRD.to_owned())),
            ("prd.md", Prd::File(path), _) => Some(Ok(path.to_owned())),
            ("prd.md", Prd::InPart(path), _) => Some(Err(format!("{path}, {IN_PART}"))),
            (_, _, Some(absent)) => {
                (!absent.why.is_empty()).then(|| Err(format!("{NONE}{})", text::one_line(absent.why, 120))))
            }
            (name, ..) if name == file_name(place.artifact) => Some(Ok(place.artifact.to_owned())),
            (name, ..) if place.folder.is_empty() => Some(Ok(name.to_owned())),
            (name, ..) => Some(Ok(format!("{}/{name}", place.folder))),
        }
    };
    profile.artifacts.iter().filter_map(|name| Some((label(name), path(name)?))).collect()
}

/// One line by which a reader can check that it has all of a file.
pub(in crate::prompt) fn header(path: &str, bytes: &[u8]) -> String {
    let replaced = match core::str::from_utf8(bytes) {
        Ok(_) => "",
        Err(_) => ", not valid UTF-8 (bytes that cannot be read stand as U+FFFD)",
    };
    let lines = String::from_utf8_lossy(bytes).lines().count();
    format!("{path}: {lines} lines, {} bytes{replaced}\n", bytes.len())
}

/// A file in full.
pub(in crate::prompt) fn given(file: &Upstream<'_>) -> Fragment {
    let (label, header) = (label(file.name), header(file.path, file.bytes));
    let content = String::from_utf8_lossy(file.bytes);
    let name = format!("given-{}", file.name.trim_end_matches(".md"));
    Fragment::new(&name, format!("## {label}\n\n{header}\n{}", text::fenced("markdown", &content)))
}
