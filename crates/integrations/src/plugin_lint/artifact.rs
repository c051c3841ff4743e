//! Checks artifacts in prompts: whole ones that should be a path (R2 of the lazy references), and the list of those a
//! role has to read (its artifact map).
//!
//! The role profiles say which role needs what; a role they do not know has no map. Start at [`check`].

use super::Found;
use super::dispatch::Dispatch;
use super::prompt_line::{REQUIRED, is_about_review, is_form, is_heading, named, whole};
use redraft_documents::lint::{ArtifactKind, Rule};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_roles::profile;

pub(super) fn check<'a>(dispatches: &[Dispatch<'a>], found: &mut Found<'a>) {
    let listing = dispatches.iter().any(|dispatch| required(dispatch).is_some());
    for dispatch in dispatches {
        check_inline(dispatch, found);
        if dispatch.resumed {
            continue;
        }
        match required(dispatch) {
            Some(at) => check_list(dispatch, at, found),
            // Where no prompt has such a list, the plugin works in another way.
            None if listing && dispatch.is_review() && !maps(dispatch).is_empty() => {
                let message = format!("the prompt of {} has no list of required artifacts", dispatch.agent);
                let hint = "add `## Required Artifacts` with the path of each, as the other prompts have";
                found.add(dispatch.path, Rule::PluginArtifactMap, dispatch.line, message, hint);
            }
            None => {}
        }
    }
}

/// The place of the list's heading in the prompt.
fn required(dispatch: &Dispatch<'_>) -> Option<usize> {
    let is_it = |(_, line): &(usize, &str)| is_heading(line) && line.to_lowercase().contains(REQUIRED);
    dispatch.prompt.iter().position(is_it)
}

fn check_inline<'a>(dispatch: &Dispatch<'a>, found: &mut Found<'a>) {
    let mut heading = "";
    for (line, text) in &dispatch.prompt {
        if is_heading(text) {
            heading = text;
        }
        let Some((placeholder, kind)) = whole(text) else { continue };
        let file = kind.file();
        if dispatch.resumed {
            let message =
                format!("`{placeholder}` sends all of {file} to a conversation that has it already");
            found.add(
                dispatch.path,
                Rule::PluginInlineArtifact,
                *line,
                message,
                "send what has changed, and nothing else",
            );
        } else if !is_under_review(dispatch, kind, heading) {
            let message = format!("`{placeholder}` puts all of {file} into the prompt");
            let hint = format!(
                "list its path under `## Required Artifacts`: - {}: {{feature_path}}/{file}",
                label(kind)
            );
            found.add(dispatch.path, Rule::PluginInlineArtifact, *line, message, &hint);
        }
    }
}

fn label(kind: ArtifactKind) -> &'static str {
    match kind {
        ArtifactKind::Prd => "PRD",
        ArtifactKind::Spec => "Spec",
        ArtifactKind::Design => "Design",
        ArtifactKind::Plan => "Plan",
        ArtifactKind::Tasks => "Tasks",
    }
}

/// A reviewer is given what it reviews: by its own name, or by what the heading says. A reviewer of a hand-off reads it
/// by its path.
fn is_under_review(dispatch: &Dispatch<'_>, kind: ArtifactKind, heading: &str) -> bool {
    let judges = dispatch.is_review() || dispatch.agent.contains("skeptic");
    if !judges || dispatch.agent == "phase-reviewer" {
        return false;
    }
    let first = dispatch.agent.split('-').next().unwrap_or_default();
    let own = if first == "task" { Some(ArtifactKind::Tasks) } else { named(first) };
    own == Some(kind) || is_about_review(heading)
}

/// What a role may be asked to read, and what it reviews. More than one where a role works in several phases.
fn maps(dispatch: &Dispatch<'_>) -> Vec<(BTreeSet<ArtifactKind>, Option<ArtifactKind>)> {
    let here = Phase::ALL.into_iter().find(|phase| phase.name() == dispatch.stem);
    let in_phase = |phase: Phase| {
        let cast = profile::participants(phase).iter();
        cast.filter(|profile| profile.role == dispatch.agent).map(move |profile| {
            let needed: BTreeSet<ArtifactKind> =
                profile.artifacts.iter().filter_map(|file| ArtifactKind::from_path(file)).collect();
            let own = (profile.kind == profile::ProfileKind::Domain)
                .then(|| ArtifactKind::from_path(phase.artifact()))
                .flatten();
            (needed, own)
        })
    };
    let of = |phases: &[Phase]| -> Vec<(BTreeSet<ArtifactKind>, Option<ArtifactKind>)> {
        phases.iter().flat_map(|phase| in_phase(*phase)).filter(|(needed, _)| !needed.is_empty()).collect()
    };
    let here = of(here.as_slice());
    if here.is_empty() { of(&Phase::ALL) } else { here }
}

fn check_list<'a>(dispatch: &Dispatch<'a>, at: usize, found: &mut Found<'a>) {
    let (line, _) = dispatch.prompt[at];
    let rest = dispatch.prompt[at + 1..].iter().map(|(_, text)| *text);
    let list: Vec<&str> = rest.take_while(|text| !is_heading(text) && !is_form(text)).collect();
    let all = list.join("\n").to_lowercase();
    let mut add =
        |message: String, hint: &str| found.add(dispatch.path, Rule::PluginArtifactMap, line, message, hint);
    if !all.contains("must read") {
        let message = "nothing says that the required artifacts must be read".to_owned();
        add(message, "write `You MUST read the following files before you begin.`");
    }
    if !all.contains("files read") {
        let message = "nothing asks to confirm that the required artifacts were read".to_owned();
        add(message, "write `After reading, confirm: \"Files read: {name} ({N} lines), …\"`");
    }
    let maps = maps(dispatch);
    // A list that is filled in by a rule cannot be compared.
    if maps.is_empty() || all.contains("for each") || all.contains("{artifact") {
        return;
    }
    let listed: BTreeSet<ArtifactKind> = list.iter().filter_map(|line| entry(line)).collect();
    let differences =
        |(needed, own): &(BTreeSet<ArtifactKind>, Option<ArtifactKind>)| -> (Vec<&str>, Vec<&str>) {
            let missing = needed.difference(&listed).map(|kind| kind.file()).collect();
            let more = listed
                .difference(needed)
                .filter(|kind| Some(**kind) != *own)
                .map(|kind| kind.file())
                .collect();
            (missing, more)
        };
    let best = maps.iter().map(differences).min_by_key(|(missing, more)| missing.len() + more.len());
    let Some((missing, more)) = best else { return };
    if !missing.is_empty() {
        let message =
            format!("{} needs {}, which the list does not have", dispatch.agent, missing.join(", "));
        add(message, "add the path of each");
    }
    if !more.is_empty() {
        let message =
            format!("{} has no use for {}, and pays for reading it", dispatch.agent, more.join(", "));
        add(message, "take it out of the list");
    }
}

/// The artifact that a line of a list names: by its file, by its label, or as a line that is resolved elsewhere.
fn entry(line: &str) -> Option<ArtifactKind> {
    let text = line.trim().to_lowercase();
    let by_file =
        || text.split(|c: char| c.is_whitespace() || "\"'`()".contains(c)).find_map(ArtifactKind::from_path);
    let by_label = || named(text.trim_start_matches(['-', '*', ' ']).split(':').next()?.trim());
    let resolved = || (text.starts_with('{') && text.contains("prd")).then_some(ArtifactKind::Prd);
    let is_item =
        text.starts_with(['-', '*', '{']) || text.chars().next().is_some_and(|c| c.is_ascii_digit());
    is_item.then(|| by_file().or_else(by_label).or_else(resolved)).flatten()
}
