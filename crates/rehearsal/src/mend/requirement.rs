//! Adds a requirement in the form the document's requirements have, and its criterion.

use super::criterion::{self, last_filled};
use super::{Mended, next_marker, next_name};
use crate::document::{Kind, cells, has_any};
use crate::draft::{small, starts_with_verb};
use crate::edit::insert_after;
use crate::ids::leading;
use crate::pace::{Pace, Stopped};
use crate::spec::{Part, Requirement, Spec};
use redraft_core::text::one_line;
use std::collections::BTreeMap;

/// A result that may also be stopped; none where nothing fits.
type Added = Result<Option<Mended>, Stopped>;

pub(super) fn add_for_goal(text: &str, spec: &Spec<'_>, id: &str, goal: &str, pace: &Pace<'_>) -> Added {
    let goal = bare(goal);
    // Only a document that names goals gets one more name; elsewhere it would be the odd one out.
    let prefix = leading(id).map(|mention| mention.id.prefix);
    let cites = spec.named(0..spec.document.lines.len()).any(|named| Some(&named.prefix) == prefix.as_ref());
    let source = if cites { format!(" (goal {id})") } else { String::new() };
    let says = if starts_with_verb(&goal) {
        format!("When the feature is in use, the system shall {}{source}.", small(&goal))
    } else {
        format!("When the feature is in use, the system shall make sure of this: {}{source}.", small(&goal))
    };
    add(text, spec, &says, "a goal of the PRD", pace)
}

pub(super) fn add_for_failure(text: &str, spec: &Spec<'_>, failure: &str, pace: &Pace<'_>) -> Added {
    let failure = bare(failure);
    let clause = ["the ", "a ", "an ", "two ", "one ", "someone ", "somebody ", "no "];
    let happens = if has_start(&failure, &clause) {
        small(&failure)
    } else {
        format!("this happens – {} –", small(&failure))
    };
    let says = format!(
        "If {happens}, the system shall refuse the operation, keep the earlier state and report the cause."
    );
    add(text, spec, &says.replace(" –,", " –"), "that failure", pace)
}

fn has_start(text: &str, starts: &[&str]) -> bool {
    let lower = text.to_lowercase();
    starts.iter().any(|start| lower.starts_with(start))
}

fn bare(text: &str) -> String {
    one_line(&text.replace('|', "/"), 200).trim_end_matches(['.', '!', ':', ';', ' ']).to_owned()
}

fn add(text: &str, spec: &Spec<'_>, says: &str, reason: &str, pace: &Pace<'_>) -> Added {
    let Some(template) = template(spec) else { return Ok(add_plain(text, spec, says, reason)) };
    let name = next_requirement(spec, template);
    let document = &spec.document;
    let line = &document.lines[template.line];
    let end = last_filled(spec, template.block.clone());
    let new = match line.kind {
        Kind::Row => vec![row(spec, template, &name, says)],
        Kind::Heading => {
            let hashes = line.raw.bytes().take_while(|b| *b == b'#').count();
            let title = one_line(says.split(" shall ").last().unwrap_or(says), 60);
            let head = if hashes > 0 {
                format!("{} {name}: {}", "#".repeat(hashes), plain_title(&title))
            } else {
                format!("**{name}: {}**", plain_title(&title))
            };
            vec![String::new(), head, String::new(), says.to_owned()]
        }
        Kind::Item { text, .. } => vec![format!(
            "{}{} {says}",
            next_marker(&line.raw[..text]),
            label(document.said(template.line), &name)
        )],
        _ => vec![String::new(), format!("{} {says}", label(document.said(template.line), &name))],
    };
    let added = insert_after(text, Some(end), &new);
    let note = format!("added {name} for {reason}");
    with_criterion(added, &name, note, pace)
}

/// The new requirement needs a criterion like every other.
fn with_criterion(added: String, name: &str, note: String, pace: &Pace<'_>) -> Added {
    let changed = Spec::read(&added, pace)?;
    let Some(index) = changed.requirements.iter().position(|r| r.name == name) else { return Ok(None) };
    Ok(Some(match criterion::add(&added, &changed, index) {
        Some(more) => Mended { text: more.text, note: format!("{note} and {}", more.note) },
        None => Mended { text: added, note },
    }))
}

/// The first requirement of a document that has none: what its title says has to be done.
pub(super) fn add_first(text: &str, spec: &Spec<'_>, pace: &Pace<'_>) -> Added {
    const NAME: &str = "R1";
    let document = &spec.document;
    let title = document.headings.first().map_or("", |heading| heading.title.as_str());
    let title = title.rsplit_once(": ").map_or(title, |(_, rest)| rest);
    let title = bare(title.trim_start_matches(|c: char| !c.is_alphabetic()));
    let act = match () {
        () if title.is_empty() => "do what is described above".to_owned(),
        () if starts_with_verb(&title) => small(&title),
        () => format!("offer {}", small(&title)),
    };
    let says =
        format!("- **{NAME}**: When a person asks for it, the system shall {act} and show the result.");
    let own = document.headings.iter().find(|heading| spec.is_in(heading.line, Part::Requirements));
    let (line, new) = match own {
        Some(heading) => {
            // Below a title underlined with dashes the next line belongs to the title.
            let underlined = document.lines.get(heading.line + 1).is_some_and(|next| {
                !next.raw.trim().is_empty() && next.raw.trim().chars().all(|c| matches!(c, '-' | '='))
            });
            (Some(heading.line + usize::from(underlined)), vec![String::new(), says])
        }
        None => {
            let last = document.lines.iter().rposition(|line| !line.raw.trim().is_empty());
            (last, vec![String::new(), "## Requirements".to_owned(), String::new(), says])
        }
    };
    with_criterion(insert_after(text, line, &new), NAME, format!("stated {NAME}"), pace)
}

fn plain_title(title: &str) -> String {
    title.trim_end_matches(['.', '…']).trim().to_owned()
}

/// The requirement the new one stands behind: the last of the largest series, functional ones first.
fn template<'s>(spec: &'s Spec<'_>) -> Option<&'s Requirement> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for requirement in &spec.requirements {
        *sizes.entry(requirement.id.prefix.as_str()).or_default() += 1;
    }
    let size = |r: &Requirement| sizes.get(r.id.prefix.as_str()).copied().unwrap_or_default();
    let quality = |r: &Requirement| r.id.prefix.starts_with('N');
    let main = spec.requirements.iter().max_by_key(|r| (!quality(r), size(r)))?;
    spec.requirements.iter().rfind(|r| r.id.prefix == main.id.prefix && r.id.path.len() == main.id.path.len())
}

fn next_requirement(spec: &Spec<'_>, template: &Requirement) -> String {
    let series = spec.requirements.iter().filter(|r| r.id.prefix == template.id.prefix);
    let highest = series.filter_map(|r| r.id.path.first().copied()).max().unwrap_or(0);
    next_name(&template.name, highest + 1)
}

/// The id with the marks and the separator its neighbour has.
fn label(said: &str, name: &str) -> String {
    let Some(mention) = leading(said) else { return format!("{name}:") };
    let before = &said[..mention.at.start];
    let rest = &said[mention.at.end..];
    let closing: String =
        rest.chars().take_while(|c| matches!(c, '*' | '_' | ':' | '.' | ']' | ')' | '`')).collect();
    let dash = rest[closing.len()..].trim_start().chars().next().filter(|c| matches!(c, '—' | '–' | '-'));
    // A title in the same bold run ("**R1 Title.** text") does not fit a new one; its marks are closed at once.
    let open = before.matches("**").count() % 2 == 1 && !closing.contains("**");
    let close = if open { "**:" } else { "" };
    let dash = dash.filter(|_| !open).map(|c| format!(" {c}")).unwrap_or_default();
    format!("{before}{name}{closing}{close}{dash}")
}

fn row(spec: &Spec<'_>, template: &Requirement, name: &str, says: &str) -> String {
    let raw = spec.document.lines[template.line].raw;
    let cells = cells(raw);
    let head = spec
        .document
        .table_head(template.line)
        .map(|head| crate::document::cells(spec.document.lines[head].raw));
    let check = |at: usize| {
        let title = head.as_ref().and_then(|head| head.get(at)).copied().unwrap_or_default();
        has_any(title, &["accept", "check", "verif", "test", "criteri", "measure"])
    };
    let statement = (1..cells.len()).filter(|at| !check(*at)).max_by_key(|at| cells[*at].len()).unwrap_or(1);
    let bold = if cells[0].starts_with("**") { "**" } else { "" };
    let new = (0..cells.len()).map(|at| match at {
        0 => format!("{bold}{name}{bold}"),
        _ if at == statement => says.to_owned(),
        _ => "–".to_owned(),
    });
    format!("| {} |", new.collect::<Vec<_>>().join(" | "))
}

/// A document whose requirements have no ids gets one more of the same kind.
fn add_plain(text: &str, spec: &Spec<'_>, says: &str, reason: &str) -> Option<Mended> {
    let document = &spec.document;
    let mut items = (0..document.lines.len()).filter(|at| spec.is_in(*at, Part::Requirements));
    let last = items.rfind(|at| matches!(document.lines[*at].kind, Kind::Item { indent: 0..=1, .. }))?;
    let Kind::Item { text: start, .. } = document.lines[last].kind else { return None };
    let new = format!("{}{says}", next_marker(&document.lines[last].raw[..start]));
    let end = document.block_of_item(last).end - 1;
    Some(Mended {
        text: insert_after(text, Some(end), &[new]),
        note: format!("added a requirement for {reason}"),
    })
}
