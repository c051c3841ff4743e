//! Turns the trace of `reports` into findings: requirements that a design or a plan does not carry on, and orphans of a
//! list of tasks.
//!
//! Where fewer than half of the requirements are named, ids are not used for tracing, and nothing is missing. Start at
//! [`look`].

use super::remedy::DONE;
use super::{Before, CheckedDocuments, Defect, Found, Looked, Remedy};
use crate::edit::Edit;
use crate::pace::Stopped;
use crate::parsed_document::names;
use redraft_documents::lint::Rule;
use redraft_documents::page::line::cells;
use redraft_documents::tasks::{self, TaskForm};
use redraft_facts::phase::Phase;
use redraft_facts::text::one_line;
use redraft_facts::verdict::{Claim, Severity};
use redraft_reports::matrix::{self, DocumentPart, Matrix, Orphan, Requirement, Row, Sources};

const NOT_DESIGNED: &str = "no element of the design carries requirement `";
const NOT_PLANNED: &str = "no step of the plan carries out requirement `";
/// How descriptions of orphans begin; the rule follows in backticks.
const ORPHAN: &str = "trace `";

pub(super) fn is_ours(description: &str) -> bool {
    [NOT_DESIGNED, NOT_PLANNED, ORPHAN].iter().any(|lead| description.starts_with(lead))
}

pub(super) fn look(checked: &CheckedDocuments<'_>) -> Result<Looked, Stopped> {
    let Before { prd, spec, design, plan } = checked.before;
    let own = Some(checked.parsed.text);
    let sources = match checked.phase {
        Phase::Design => Sources { prd, spec, design: own, ..Sources::default() },
        Phase::CreatePlan => Sources { prd, spec, design, plan: own, ..Sources::default() },
        Phase::CreateTasks => Sources { prd, spec, design, plan, tasks: own, ..Sources::default() },
        Phase::Specify | Phase::Implement | Phase::Finish | Phase::Document => return Ok(Looked::default()),
    };
    let matrix = matrix::build(&sources);
    checked.pace.look()?;
    if checked.phase == Phase::CreateTasks {
        let (requirements, criteria) = matrix.reached();
        let (all, reached) = (requirements.all + criteria.all, requirements.reached + criteria.reached);
        let is_traced = reached > 0 && reached * 2 >= all;
        let single = matrix.orphans.iter().filter(|orphan| is_traced && orphan.document && is_single(orphan));
        let defects = single.map(|orphan| orphaned(checked, orphan)).collect();
        return Ok(Looked { defects, note: matrix.reached_in_words(), ..Looked::default() });
    }
    Ok(carried(checked, &matrix))
}

fn carried(checked: &CheckedDocuments<'_>, matrix: &Matrix) -> Looked {
    let parts =
        |row: &Row| if checked.phase == Phase::Design { row.sections.clone() } else { row.steps.clone() };
    let requirements = matrix.rows.iter().filter_map(|row| Some((row, row.requirement.as_ref()?)));
    let rows: Vec<(&Row, &Requirement)> = requirements.filter(|(_, one)| !one.is_criterion).collect();
    let (found, left): (Vec<_>, Vec<_>) = rows.iter().partition(|(row, _)| !parts(row).is_empty());
    let note = format!("{} of {} requirements named", found.len(), rows.len());
    let mut looked = Looked { note, ..Looked::default() };
    if found.len() * 2 < rows.len() || found.is_empty() {
        looked.note.push_str(", too few to tell what was forgotten");
        return looked;
    }
    let first = found.first().and_then(|(row, one)| Some((parts(row).first()?.clone(), one.id.clone())));
    for (_, one) in left {
        let beside = found.iter().rev().find(|(_, other)| other.line < one.line);
        let beside = beside.and_then(|(row, other)| Some((parts(row).first()?.clone(), other.id.clone())));
        let place = if checked.phase == Phase::Design { first.clone() } else { beside.or(first.clone()) };
        looked.defects.extend(place.map(|(part, other)| forgotten(checked, one, &part, &other)));
    }
    looked.settled =
        found.iter().map(|(_, one)| (one.id.clone(), format!("{} is named now", one.id))).collect();
    looked
}

fn forgotten(checked: &CheckedDocuments<'_>, one: &Requirement, part: &DocumentPart, other: &str) -> Defect {
    let is_design = checked.phase == Phase::Design;
    let (lead, next) = if is_design { (NOT_DESIGNED, "planned") } else { (NOT_PLANNED, "built") };
    let found = Found {
        severity: Severity::Blocker,
        category: if is_design { "completeness" } else { "feasibility" },
        claim: Claim::Absent,
        line: (part.line as usize).saturating_sub(1),
        description: format!(
            "{lead}{}` of the specification ({}), so it will not be {next}; its id was searched for in the whole document",
            one.id,
            one_line(&one.text.replace('`', "'"), 100)
        ),
        suggestion: "name it where it is met".to_owned(),
    };
    let remedy = if is_design { in_design(checked, one, part, other) } else { in_plan(checked, one, part) };
    checked.defect(found, remedy)
}

/// The first part is made to serve it as well, in its own text and in a table of requirements.
fn in_design(
    checked: &CheckedDocuments<'_>,
    one: &Requirement,
    part: &DocumentPart,
    other: &str,
) -> Option<Remedy> {
    let parsed = &checked.parsed;
    let section = parsed.outline.at((part.line as usize).checked_sub(1)?)?;
    let after = parsed.last_filled(section.own.clone());
    let new = format!("- **Also serves:** Spec {}: {}", one.id, one.text);
    let mut edits = vec![Edit::Insert { after: Some(after), lines: vec![new] }];
    let row_at = |at: &usize| cells(parsed.line(*at));
    let lines = 0..parsed.outline.lines().len();
    let is_named =
        |at: &usize| row_at(at).is_some_and(|row| row.first().is_some_and(|cell| names(cell, other)));
    if let Some(row) = lines.clone().find(is_named) {
        let last = (row..lines.end).take_while(|at| row_at(at).is_some()).last();
        edits.push(Edit::Insert { after: last, lines: vec![parsed.line(row).replacen(other, &one.id, 1)] });
    }
    Remedy::new(format!("{} serves {} as well", part.name(), one.id), edits)
}

/// The step is made to carry it out as well.
fn in_plan(checked: &CheckedDocuments<'_>, one: &Requirement, part: &DocumentPart) -> Option<Remedy> {
    let parsed = &checked.parsed;
    let start = (part.line as usize).checked_sub(1)?;
    let lines = parsed.outline.at(start)?.lines.clone();
    let note = format!("step {} carries out {} as well", part.id, one.id);
    let line = lines.clone().find(|at| parsed.line(*at).starts_with("**Implements:**"));
    let edit = match line {
        Some(line) => {
            let end = parsed.line(line).trim_end().len();
            Edit::Replace { line, at: end..end, new: format!(", Spec {}", one.id) }
        }
        None => Edit::Insert {
            after: Some(start),
            lines: vec![String::new(), format!("**Implements:** Spec {}", one.id)],
        },
    };
    Remedy::new(note, vec![edit])
}

/// Whether a single thing is left over, and not most of its kind, for which the trace has one sentence.
fn is_single(orphan: &Orphan) -> bool {
    let alone = format!("`{}`", orphan.id);
    ["", "step ", "task "].iter().any(|word| orphan.message.starts_with(&format!("{word}{alone}")))
}

fn orphaned(checked: &CheckedDocuments<'_>, orphan: &Orphan) -> Defect {
    let own = checked.path.rsplit('/').next() == Some(orphan.file.as_str());
    let found = Found {
        severity: Severity::Blocker,
        category: "plan-fidelity",
        claim: if own { Claim::Present } else { Claim::Absent },
        // What another document asks for has no place in this one.
        line: if own { (orphan.line as usize).saturating_sub(1) } else { 0 },
        description: format!("{ORPHAN}{}`: {}", orphan.rule, orphan.message),
        suggestion: orphan.hint.to_owned(),
    };
    let named = match orphan.rule {
        Rule::UntracedRequirement => Some(format!("Spec {}", orphan.id)),
        Rule::UntracedStep => Some(format!("Plan {}", orphan.id)),
        _ => None,
    };
    let remedy = named.and_then(|named| one_more_task(checked, &named));
    checked.defect(found, remedy)
}

/// A task behind the last one, in the files of that one.
fn one_more_task(checked: &CheckedDocuments<'_>, named: &str) -> Option<Remedy> {
    let parsed = &checked.parsed;
    let last = tasks::read(parsed.text).ok()?.tasks.pop()?;
    let TaskForm::Heading(level) = last.form else { return None };
    let (group, number) = last.id.rsplit_once('.')?;
    let id = format!("{group}.{}", number.parse::<u32>().ok()? + 1);
    let files = parsed.field(last.lines(), "Files")?;
    let lines = format!(
        "\n{} Task {id}: Carry out {named}\n\n**Implements:** {named}\n**Files:** {files}\n**Depends on:** {}\n\n**Do:**\n\
         1. Write a test of {named} and see it fail.\n2. Make it pass.\n\n**Done when:**\n- {DONE}",
        "#".repeat(usize::from(level)),
        last.id
    );
    let after = Some(parsed.last_filled(last.lines()));
    let lines = lines.lines().map(str::to_owned).collect();
    Remedy::new(format!("added task {id} for {named}"), vec![Edit::Insert { after, lines }])
}
