//! `redraft eval plant`: puts known defects into approved documents.

use super::case_folder;
use redraft_eval::ask::reviewer_of;
use redraft_eval::case::{Case, CaseTexts, cases};
use redraft_eval::plant::{DocumentSet, PlantKind};
use redraft_facts::phase::Phase;
use redraft_facts::text::count;
use redraft_frame::args::PlantArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a program is told.
#[derive(Serialize)]
struct PlantReport<'a> {
    v: u16,
    cases: Vec<&'a str>,
    plants: usize,
    kinds: BTreeMap<&'a str, usize>,
    /// Documents that have no place for a defect.
    without: Vec<String>,
}

pub(super) fn plant(
    args: &PlantArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let folder = process.folder.join(&args.folder);
    let mut made: Vec<(Case, CaseTexts)> = Vec::new();
    let mut without: Vec<String> = Vec::new();
    for file in &args.files {
        let (name, phase, set) = document_set(&process.folder.join(file))?;
        let of_one = cases(&name, phase, &set, args.cases.into(), args.plants.into(), args.seed);
        if of_one.len() == 1 {
            without.push(file.display().to_string());
        }
        made.extend(of_one);
    }
    let ids: BTreeSet<&str> = made.iter().map(|(case, _)| case.id.as_str()).collect();
    if ids.len() < made.len() {
        return Err(CliError::usage(
            "two of these documents are in folders of the same name, or one is named twice",
        )
        .hint("plant them into different folders of cases"));
    }
    for (case, _) in &made {
        case_folder::require_new(&folder, case)?;
    }
    for (case, texts) in &made {
        case_folder::write(&folder, case, texts)?;
    }
    let mut kinds: BTreeMap<PlantKind, usize> = BTreeMap::new();
    for plant in made.iter().flat_map(|(case, _)| &case.plants) {
        *kinds.entry(plant.kind).or_default() += 1;
    }
    let plants: usize = kinds.values().sum();
    let mut text = format!(
        "{} in {}: {} with {}",
        count(made.len(), "case"),
        args.folder.display(),
        made.iter().filter(|(case, _)| !case.is_clean()).count(),
        count(plants, "defect")
    );
    for (kind, times) in &kinds {
        text.push_str(&format!("\n  {:<20} {times}", kind.name()));
    }
    for file in &without {
        text.push_str(&format!("\n{file} has no place for a defect; it is only a clean case"));
    }
    text.push_str(&format!(
        "\nnext: redraft eval export {} OUT --arm ours --arm plain",
        args.folder.display()
    ));
    let kinds: BTreeMap<&str, usize> = kinds.into_iter().map(|(kind, times)| (kind.name(), times)).collect();
    let cases = made.iter().map(|(case, _)| case.id.as_str()).collect();
    console.show(&text, &PlantReport { v: 1, cases, plants, kinds, without });
    Ok(ErrorCode::Done)
}

/// A document with those it builds on, and the name of the folder it is in.
fn document_set(file: &Path) -> Result<(String, Phase, DocumentSet), CliError> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(phase) = Phase::writing(&name) else {
        return Err(CliError::usage(format!("{} is not a document of a feature", file.display()))
            .hint("name a spec.md, design.md, plan.md or tasks.md"));
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let text = case_folder::text(file)?;
    let mut upstream = Vec::new();
    // What the reviewer is given in a run.
    let given = reviewer_of(phase).map(|profile| profile.artifacts).unwrap_or_default();
    for name in phase.upstream().iter().filter(|name| given.contains(name)) {
        let path = folder.join(name);
        if path.is_file() {
            upstream.push(((*name).to_owned(), case_folder::text(&path)?));
        }
    }
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let called = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // It becomes part of the names of files.
    let called = called.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    Ok((called, phase, DocumentSet { upstream, name, text }))
}
