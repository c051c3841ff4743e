//! What the answers of some folders found, one by one.

use super::{answers, case_folder};
use redraft_eval::arm::ReviewRound;
use redraft_eval::case::{Case, CaseTexts};
use redraft_eval::score::{self, Scored};
use redraft_eval::tally::TallyEntry;
use redraft_facts::findings::Threshold;
use redraft_facts::usage::Usd;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What every answer of these folders found.
pub(super) fn entries(
    outs: &[Out],
    cases: &[(Case, CaseTexts)],
    rule: Threshold,
) -> Result<Vec<TallyEntry>, CliError> {
    let mut entries = Vec::new();
    for out in outs {
        entries.extend(of_folder(out, cases, rule)?);
    }
    Ok(entries)
}

/// What every answer of a folder found.
fn of_folder(out: &Out, cases: &[(Case, CaseTexts)], rule: Threshold) -> Result<Vec<TallyEntry>, CliError> {
    let mut entries = Vec::new();
    let mut panels: BTreeMap<(String, &str), Vec<TallyEntry>> = BTreeMap::new();
    for name in answers::prompts(&out.folder)? {
        // The longest id: one case may be called like the beginning of another.
        let known = cases
            .iter()
            .filter(|(case, _)| name.strip_prefix(&case.id).is_some_and(|rest| rest.starts_with('.')));
        let Some((case, _)) = known.max_by_key(|(case, _)| case.id.len()) else { continue };
        let arm = &name[case.id.len() + 1..];
        let round = ReviewRound::from_arm_name(arm);
        let scored = answers::text(&out.folder, &name).map(|answer| score::score(case, round, &answer, rule));
        let cost = answers::record(&out.folder, &name)?.and_then(|record| record.answer_cost());
        let entry = |arm: &str, scored: Option<Scored>| TallyEntry {
            arm: format!("{}{arm}", out.prefix),
            case: case.id.clone(),
            clean: case.is_clean(),
            scored,
            cost,
        };
        let Some((whole, role)) = arm.split_once('.') else {
            entries.push(entry(arm, scored));
            continue;
        };
        panels.entry((whole.to_owned(), &case.id)).or_default().push(entry(whole, scored.clone()));
        entries.push(entry(arm, scored.map(|scored| scored.of_role(case, round, Some(role)))));
    }
    entries.extend(panels.into_values().filter_map(together));
    Ok(entries)
}

/// What all reviewers of a change found; nothing while one of them has not answered.
fn together(all: Vec<TallyEntry>) -> Option<TallyEntry> {
    let scored: Option<Vec<Scored>> = all.iter().map(|entry| entry.scored.clone()).collect();
    let costs: Option<Vec<Usd>> = all.iter().map(|entry| entry.cost).collect();
    let cost = costs.map(|costs| costs.into_iter().fold(Usd(0), |sum, cost| sum + cost));
    let scored = scored.and_then(|scored| Scored::together(&scored));
    all.into_iter().next().map(|first| TallyEntry { scored, cost, ..first })
}

/// A folder of answers, and what the arms in it are called after.
pub(super) struct Out {
    pub(super) folder: PathBuf,
    /// `sonnet/`; empty where there is only one folder.
    prefix: String,
}

/// The folders that were named, or those of all agents that were asked. `cases` is the folder of cases as it was typed.
pub(super) fn outs(cases: &Path, named: &[PathBuf], process: &ProcessContext) -> Result<Vec<Out>, CliError> {
    let mut folders: Vec<PathBuf> = named.iter().map(|out| process.folder.join(out)).collect();
    if folders.is_empty() {
        let entries = fs::read_dir(process.folder.join(cases).join(case_folder::ANSWERS))
            .into_iter()
            .flatten()
            .flatten();
        folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
    }
    if folders.is_empty() {
        let shown = cases.display();
        return Err(CliError::usage(format!("{shown} has no answers"))
            .hint(format!("ask for them: redraft eval run {shown} --agent NAME --arm ours"))
            .hint(format!("or name the folder of answers: redraft eval score {shown} OUT")));
    }
    let several = folders.len() > 1;
    let named = |folder: &PathBuf| folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let names: BTreeSet<Option<String>> = folders.iter().map(named).collect();
    if names.len() < folders.len() {
        return Err(CliError::usage("two folders of answers have the same name")
            .hint("arms are called after them; rename one of them"));
    }
    let out = |folder: PathBuf| {
        let prefix = named(&folder).filter(|_| several).map(|name| format!("{name}/")).unwrap_or_default();
        Out { folder, prefix }
    };
    Ok(folders.into_iter().map(out).collect())
}
