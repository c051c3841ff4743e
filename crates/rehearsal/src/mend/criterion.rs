//! Adds an acceptance criterion in the form the document's criteria have.

use super::{Mended, next_marker, next_name};
use crate::document::{Kind, cells, has_any, plain};
use crate::edit::{insert_after, remove_line, replace_line};
use crate::ids::{Id, leading, mentions};
use crate::spec::{Part, Requirement, Spec};
use redraft_core::text::one_line;
use std::ops::Range;

pub(super) fn add(text: &str, spec: &Spec<'_>, index: usize) -> Option<Mended> {
    let requirement = spec.requirements.get(index)?;
    let check = check_of(&spec.statement(requirement));
    if let Some(mended) = fill_column(text, spec, requirement, &check) {
        return Some(mended);
    }
    let apart = |unit: &Range<usize>| spec.owners(unit.start).is_empty();
    let units: Vec<Range<usize>> = spec.criteria().into_iter().filter(apart).collect();
    let naming = |unit: &&Range<usize>| spec.named((*unit).clone()).any(Id::is_requirement);
    let listed = |unit: &&Range<usize>| spec.document.lines[unit.start].kind != Kind::Text;
    let template = units.iter().rfind(naming).or_else(|| units.iter().rfind(listed)).or(units.last());
    match template {
        Some(unit) => Some(after(text, spec, unit, requirement, &check)),
        None if owns_checks(spec) => Some(below(text, spec, requirement, &check)),
        None => section(text, spec, requirement, &check),
    }
}

/// Criteria for every requirement in an acceptance section that holds none.
pub(super) fn fill_section(text: &str, spec: &Spec<'_>, line: usize) -> Option<Mended> {
    let document = &spec.document;
    let heading = document.heading_at(line)?;
    let mut new = vec![String::new()];
    if spec.requirements.is_empty() {
        let stated = spec.statements().into_iter().map(|block| plain(document.said(block.start)));
        new.extend(stated.map(|statement| format!("- {}", check_of(&statement))));
    } else {
        let named = spec.requirements.iter().enumerate();
        new.extend(
            named.map(|(at, r)| format!("- AC{} ({}): {}", at + 1, r.name, check_of(&spec.statement(r)))),
        );
    }
    // What stands there says that there is nothing, which is no longer so.
    let block = document.block_of_heading(heading);
    let hollow = |at: &usize| matches!(document.lines[*at].kind, Kind::Text | Kind::Item { .. });
    let mut text = text.to_owned();
    for at in (block.start + 1..block.end).rev().filter(hollow) {
        text = remove_line(&text, at);
    }
    let underlined = document
        .lines
        .get(line + 1)
        .is_some_and(|next| next.heading == Some(heading) && !next.raw.trim().is_empty());
    let count = new.len() - 1;
    let last = line + usize::from(underlined && document.lines[line + 1].kind == Kind::Blank);
    let note = format!("wrote {count} criteria into the section");
    (count > 0).then(|| Mended { text: insert_after(&text, Some(last), &new), note })
}

/// What a tester would look for, from the requirement's own sentence.
pub(super) fn check_of(statement: &str) -> String {
    let first = statement.split_inclusive(". ").next().unwrap_or_default();
    let says = one_line(first.trim().trim_end_matches(['.', ';', ':']), 240);
    // Only letters of ASCII change, so places in one are places in the other.
    let lower = says.to_ascii_lowercase();
    let modal = [" shall ", " must ", " will ", " should "]
        .iter()
        .find_map(|modal| lower.find(modal).map(|at| (at, modal.len())));
    match (modal, says.find(", ")) {
        (Some((at, length)), Some(comma)) if comma < at && starts_condition(&lower) => {
            let condition = says[says.find(' ').unwrap_or(0)..comma].trim();
            let actor = says[comma + 2..at].trim().trim_start_matches("then ");
            format!("Given that {condition}, then {actor} can be seen to {}.", says[at + length..].trim())
        }
        (Some((at, length)), _) => {
            format!("A test shows {} to {}.", small_article(says[..at].trim()), says[at + length..].trim())
        }
        _ if says.is_empty() => "A test shows that it is met.".to_owned(),
        _ => format!("A test shows that this holds: {says}."),
    }
}

fn starts_condition(lower: &str) -> bool {
    ["when ", "if ", "while ", "once ", "after ", "whenever ", "as soon as "]
        .iter()
        .any(|word| lower.starts_with(word))
}

fn small_article(text: &str) -> String {
    match text.strip_prefix("The ") {
        Some(rest) => format!("the {rest}"),
        None => text.to_owned(),
    }
}

/// The requirement's own table has a column for it.
fn fill_column(text: &str, spec: &Spec<'_>, requirement: &Requirement, check: &str) -> Option<Mended> {
    let document = &spec.document;
    let head = document.table_head(requirement.line)?;
    let columns = cells(document.lines[head].raw);
    let column = columns
        .iter()
        .position(|title| has_any(title, &["accept", "check", "verif", "test", "criteri", "measure"]))?;
    let row = cells(document.lines[requirement.line].raw);
    let mut filled: Vec<String> = row.iter().map(|cell| (*cell).to_owned()).collect();
    let cell = filled.get_mut(column)?;
    let empty = cell.chars().filter(|c| c.is_alphanumeric()).count() <= 3;
    let dead = mentions(cell).iter().any(|m| m.id.is_criterion());
    if !(empty || dead) {
        return None;
    }
    *cell = check.replace('|', "/");
    let new = replace_line(text, requirement.line, &format!("| {} |", filled.join(" | ")));
    Some(Mended { text: new, note: format!("stated the check of {} in its row", requirement.name) })
}

/// One more criterion behind the last one, in its form.
fn after(text: &str, spec: &Spec<'_>, unit: &Range<usize>, requirement: &Requirement, check: &str) -> Mended {
    let document = &spec.document;
    let line = &document.lines[unit.start];
    let name = &requirement.name;
    let heading = document.headings.iter().enumerate().position(|(own, heading)| {
        heading.level <= 6
            && leading(&heading.title).is_some_and(|m| m.id.is_criterion())
            && document.block_of_heading(own).contains(&unit.start)
    });
    if let Some(heading) = heading {
        let own = &document.headings[heading];
        let mention = leading(&own.title);
        let id = mention.map_or_else(String::new, |m| next_id(spec, &own.title[m.at]));
        let end = last_filled(spec, document.block_of_heading(heading));
        let hashes = "#".repeat(usize::from(own.level));
        let new = [
            String::new(),
            format!("{hashes} {id}: {name} is met"),
            String::new(),
            format!("{check} ({name})"),
        ];
        return Mended { text: insert_after(text, Some(end), &new), note: format!("added {id} for {name}") };
    }
    let said = document.said(unit.start);
    let (new, id) = match line.kind {
        Kind::Row => row(spec, line.raw, name, check),
        Kind::Item { text, .. } => {
            let (label, id) = label(spec, said, name);
            (vec![format!("{}{label} {check}", next_marker(&line.raw[..text]))], id)
        }
        _ => {
            let (label, id) = label(spec, said, name);
            (vec![String::new(), format!("{label} {check}")], id)
        }
    };
    let note = if id.is_empty() {
        format!("added a criterion for {name}")
    } else {
        format!("added {id} for {name}")
    };
    Mended { text: insert_after(text, Some(unit.end - 1), &new), note }
}

/// How the new criterion starts, after the one that stands before it.
fn label(spec: &Spec<'_>, said: &str, name: &str) -> (String, String) {
    let bold = if said.starts_with("**") { "**" } else { "" };
    match leading(said).filter(|m| !m.id.is_requirement()) {
        Some(mention) => {
            let id = next_id(spec, &said[mention.at]);
            (format!("{bold}{id}{bold} ({name}):"), id)
        }
        None => (format!("{bold}{name}{bold}:"), String::new()),
    }
}

fn row(spec: &Spec<'_>, raw: &str, name: &str, check: &str) -> (Vec<String>, String) {
    let cells = cells(raw);
    let longest = cells.iter().enumerate().max_by_key(|(_, cell)| cell.len()).map_or(0, |(at, _)| at);
    let mut id = String::new();
    let mut named = false;
    let mut new: Vec<String> = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        let found = mentions(cell);
        let only_ids = at != longest && found.first().is_some_and(|m| m.id.is_requirement());
        let own = leading(cell).filter(|m| !m.id.is_requirement() && at != longest && id.is_empty());
        new.push(match own {
            Some(mention) => {
                id = next_id(spec, &cell[mention.at]);
                id.clone()
            }
            None if only_ids => {
                named = true;
                name.to_owned()
            }
            None if at == longest => check.replace('|', "/"),
            None => "–".to_owned(),
        });
    }
    if !named {
        new[longest] = format!("{name}: {}", new[longest]);
    }
    (vec![format!("| {} |", new.join(" | "))], id)
}

/// The next free id of the series a criterion belongs to.
fn next_id(spec: &Spec<'_>, template: &str) -> String {
    let prefix = leading(template).map(|m| m.id.prefix).unwrap_or_default();
    let series = spec.criterion_ids.iter().filter(|id| id.prefix == prefix);
    let highest = series.filter_map(|id| id.path.first().copied()).max().unwrap_or(0);
    next_name(template, highest + 1)
}

/// Whether the requirements of this document carry their checks themselves.
fn owns_checks(spec: &Spec<'_>) -> bool {
    let inside = |r: &Requirement| {
        r.block.clone().skip(1).any(|at| spec.is_criterion(at) || says_acceptance(spec, at))
    };
    spec.requirements.iter().any(inside)
}

fn says_acceptance(spec: &Spec<'_>, at: usize) -> bool {
    let said = plain(spec.document.said(at)).to_lowercase();
    ["acceptance", "verif", "check", "given "].iter().any(|word| said.starts_with(word))
}

/// Below the requirement itself.
fn below(text: &str, spec: &Spec<'_>, requirement: &Requirement, check: &str) -> Mended {
    let end = last_filled(spec, requirement.block.clone());
    let new = match spec.document.lines[requirement.line].kind {
        Kind::Item { indent, .. } => vec![format!("{}- Acceptance: {check}", " ".repeat(indent + 2))],
        _ => vec![String::new(), format!("Acceptance: {check}")],
    };
    let note = format!("stated how {} is accepted", requirement.name);
    Mended { text: insert_after(text, Some(end), &new), note }
}

/// A section of its own behind the requirements.
fn section(text: &str, spec: &Spec<'_>, requirement: &Requirement, check: &str) -> Option<Mended> {
    let document = &spec.document;
    let last = spec.requirements.last()?;
    let outer = document.headings.iter().enumerate().filter(|(_, heading)| {
        heading.line <= last.line && heading.level <= 6 && spec.is_in(heading.line, Part::Requirements)
    });
    let outermost = outer.min_by_key(|(_, heading)| heading.level);
    let (level, block) = match outermost {
        Some((at, heading)) => (heading.level, document.block_of_heading(at)),
        None => (2, 0..document.lines.len()),
    };
    let end = last_filled(spec, block.start..block.end.max(last.block.end));
    let title = format!("{} Acceptance Criteria", "#".repeat(usize::from(level)));
    let new = [String::new(), title, String::new(), format!("- AC1 ({}): {check}", requirement.name)];
    let note = format!("added a section with AC1 for {}", requirement.name);
    Some(Mended { text: insert_after(text, Some(end), &new), note })
}

/// The last line of a range that is not blank.
pub(super) fn last_filled(spec: &Spec<'_>, range: Range<usize>) -> usize {
    let start = range.start;
    range.rev().find(|at| !spec.document.lines[*at].raw.trim().is_empty()).unwrap_or(start)
}
