//! `redraft eval plant`: puts known defects into approved documents, or into an approved change.

use super::case_folder;
use crate::cli::review::Range;
use redraft_adapters::git::GitWorkspace;
use redraft_engine::ports::Workspace;
use redraft_eval::ask::reviewer_of;
use redraft_eval::case::{Case, CaseTexts, cases, code_cases};
use redraft_eval::code::{ChangeSet, ChangedFile};
use redraft_eval::plant::{DocumentSet, PlantKind};
use redraft_facts::phase::Phase;
use redraft_facts::text::count;
use redraft_frame::args::{ChangeArgs, PlantArgs};
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
    /// Documents and changes that have no place for a defect.
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
        let (name, phase, set) = document_set(&process.folder.join(file), process)?;
        let of_one = cases(&name, phase, &set, args.cases.into(), args.plants.into(), args.seed);
        if of_one.len() == 1 {
            without.push(file.display().to_string());
        }
        made.extend(of_one);
    }
    if let Some(base) = &args.base {
        let (name, change) = change_set(base, args, process)?;
        let of_one = code_cases(&name, &change, args.cases.into(), args.plants.into(), args.seed);
        if of_one.len() == 1 {
            without.push(format!("the change since {base}"));
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
        "\nnext: redraft eval run {} --agent NAME --arm ours --arm plain",
        args.folder.display()
    ));
    let kinds: BTreeMap<&str, usize> = kinds.into_iter().map(|(kind, times)| (kind.name(), times)).collect();
    let cases = made.iter().map(|(case, _)| case.id.as_str()).collect();
    console.show(&text, &PlantReport { v: 1, cases, plants, kinds, without });
    Ok(ErrorCode::Done)
}

/// A text as it is planted: a folder of cases is passed on, and whatever is asked about it is asked without secrets.
fn without_secrets(text: &str, process: &ProcessContext) -> String {
    process.redactor.redact(text).0.into_owned()
}

/// A document with those it builds on, and the name of the folder it is in.
fn document_set(file: &Path, process: &ProcessContext) -> Result<(String, Phase, DocumentSet), CliError> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(phase) = Phase::writing(&name) else {
        return Err(CliError::usage(format!("{} is not a document of a feature", file.display()))
            .hint("name a spec.md, design.md, plan.md or tasks.md"));
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    let text = without_secrets(&case_folder::text(file)?, process);
    let mut upstream = Vec::new();
    // What the reviewer is given in a run.
    let given = reviewer_of(phase).map(|profile| profile.artifacts).unwrap_or_default();
    for name in phase.upstream().iter().filter(|name| given.contains(name)) {
        let path = folder.join(name);
        if path.is_file() {
            upstream.push(((*name).to_owned(), without_secrets(&case_folder::text(&path)?, process)));
        }
    }
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let called = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // It becomes part of the names of files.
    let called = called.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    Ok((called, phase, DocumentSet { upstream, name, text }))
}

/// What a branch changed since it left its base, as text; and a name for it.
fn change_set(
    base: &str,
    args: &PlantArgs,
    process: &ProcessContext,
) -> Result<(String, ChangeSet), CliError> {
    let repo = process.repository()?;
    repo.require_own_state()?;
    let wanted = ChangeArgs { head: args.head.clone(), ..ChangeArgs::default() };
    let range = Range::find(&repo, base, &wanted, process)?;
    repo.repository.require_files_to_compare(&range.from, &range.to)?;
    let workspace = GitWorkspace::open(&repo.repository, repo.repository.here(), "eval")?;
    let mut files = Vec::new();
    for path in workspace.changed(&range.from, &range.to)? {
        let text = |bytes: Option<Vec<u8>>| {
            let text = bytes.map(String::from_utf8).transpose().ok()?;
            Some(text.map(|text| without_secrets(&text, process)))
        };
        let before = text(workspace.read_at(&range.from, &path)?);
        let after = text(workspace.read_at(&range.to, &path)?);
        // What is not text is not shown to reviewers.
        if let (Some(before), Some(after)) = (before, after) {
            files.push(ChangedFile { path, before, after });
        }
    }
    if files.is_empty() {
        let error = CliError::usage(format!("{} changes no text since {base}", range.name));
        return Err(error.hint("name another base or head; `git log --oneline` shows commits"));
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let (intent, _) = range.intent(&repo, &wanted, None, process)?;
    let intent = without_secrets(&intent, process);
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let name = format!("{base}-{}", range.name).chars().map(plain).collect();
    Ok((name, ChangeSet { files, intent }))
}
