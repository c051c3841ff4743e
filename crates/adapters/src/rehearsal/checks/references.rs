//! A requirement or criterion that refers to an id or a section that is not there.
//!
//! Only names of a kind the document itself defines are judged: `R9` where `R1` to `R6` stand, section 7 where
//! sections are numbered. What the PRD defines, and what is said to stand in another document, is left alone.

use super::{Defect, Looked, Papers, Wrong, mark, quote, section_name};
use crate::rehearsal::document::{Document, Kind, has_any};
use crate::rehearsal::ids::{Id, mentions};
use crate::rehearsal::spec::{Part, Spec};
use redraft_core::verdict::{Claim, Severity};
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) fn look(papers: &Papers<'_>) -> Looked {
    let spec = &papers.spec;
    let mut looked = Looked { name: "every reference leads somewhere", ..Looked::default() };
    let mut count = 0;
    let mut seen = BTreeSet::new();
    let units = spec.statements().into_iter().chain(spec.criteria());
    let lines: BTreeSet<usize> = units.flatten().collect();
    for line in lines {
        let text = &spec.document.lines[line];
        if text.kind == Kind::Code || spec.is_in(line, Part::Excluded) {
            continue;
        }
        for (at, dead) in references(papers, line) {
            count += 1;
            let name = mark(&text.raw[at.clone()]);
            if dead && seen.insert((line, name.clone())) {
                looked.defects.push(defect(papers, line, at, &name));
            } else if !dead {
                looked.settled.push((vec![name], "it leads to something now".to_owned()));
            }
        }
    }
    looked.note = format!("{count} references followed");
    looked
}

/// The references of a line and whether they are dead.
fn references(papers: &Papers<'_>, line: usize) -> Vec<(Range<usize>, bool)> {
    let raw = papers.spec.document.lines[line].raw;
    let mut found: Vec<(Range<usize>, bool)> = Vec::new();
    for mention in mentions(raw) {
        if is_local(papers, &mention.id) && !is_elsewhere(raw, &mention.at) {
            let known = papers.spec.defines(&mention.id) || in_prd(papers, &mention.id);
            match found.iter_mut().find(|(at, _)| *at == mention.at) {
                Some(range) => range.1 |= !known,
                None => found.push((mention.at, !known)),
            }
        }
    }
    found.extend(anchors(&papers.spec.document, raw));
    found.extend(sections(&papers.spec, raw));
    found
}

/// Whether the document defines ids of that kind.
fn is_local(papers: &Papers<'_>, id: &Id) -> bool {
    let requirements = papers.spec.requirements.iter().map(|r| &r.id);
    let known =
        requirements.chain(&papers.spec.criterion_ids).filter(|known| known.prefix == id.prefix).count();
    (id.is_requirement() || id.is_criterion()) && known > 1
}

fn in_prd(papers: &Papers<'_>, id: &Id) -> bool {
    papers.prd.as_ref().is_some_and(|(_, prd)| {
        prd.document.lines.iter().any(|line| mentions(line.raw).iter().any(|mention| mention.id.covers(id)))
    })
}

/// "PRD R9", "R9 of feature 012": named as part of another document.
fn is_elsewhere(raw: &str, at: &Range<usize>) -> bool {
    let others = [
        "prd", "feature", "design", "plan", "rfc", "parent", "upstream", "roadmap", "backlog", "ticket",
        "new", ".md", ".sh", "`",
    ];
    let before: Vec<&str> = raw[..at.start].split_whitespace().rev().take(3).collect();
    let after: Vec<&str> = raw[at.end..].split_whitespace().take(4).collect();
    let near = |words: &[&str]| words.iter().any(|word| has_any(word, &others));
    near(&before)
        || (after.first() == Some(&"of") && near(&after))
        || (after.first() == Some(&"in") && near(&after))
}

/// Links inside the document.
fn anchors(document: &Document<'_>, raw: &str) -> Vec<(Range<usize>, bool)> {
    let slug = |title: &str| -> String {
        let kept = title.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    let slugs: BTreeSet<String> = document.headings.iter().map(|heading| slug(&heading.title)).collect();
    let explicit = |name: &str| {
        let forms = [format!("id=\"{name}\""), format!("name=\"{name}\""), format!("{{#{name}}}")];
        document.lines.iter().any(|line| forms.iter().any(|form| line.raw.contains(form)))
    };
    let mut found = Vec::new();
    for (open, _) in raw.match_indices("](#") {
        let start = open + 3;
        let Some(length) = raw[start..].find(')') else { continue };
        let name = &raw[start..start + length];
        let numbered =
            name.rsplit_once('-').is_some_and(|(base, n)| n.parse::<u8>().is_ok() && slugs.contains(base));
        found.push((start..start + length, !slugs.contains(name) && !numbered && !explicit(name)));
    }
    found
}

/// `section 4.2`, `§5`, `section "Limits"`, `section Limits`, `the Limits section`.
fn sections(spec: &Spec<'_>, raw: &str) -> Vec<(Range<usize>, bool)> {
    let document = &spec.document;
    let numbers: BTreeSet<String> =
        document.headings.iter().filter_map(|heading| number_of(&heading.title)).collect();
    let mut found = Vec::new();
    for word in ["section ", "Section ", "§"] {
        for (open, _) in raw.match_indices(word) {
            let start = open + word.len();
            let rest = &raw[start..];
            let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
            let number = rest[..digits].trim_end_matches('.');
            let at = start..start + number.len();
            if !number.is_empty() {
                if numbers.len() > 1 && !is_elsewhere(raw, &at) {
                    found.push((at, !numbers.contains(number)));
                }
            } else if let Some(name) = quoted(rest).filter(|_| word != "§") {
                let at = start + name.start..start + name.end;
                let known = document
                    .headings
                    .iter()
                    .any(|heading| has_any(&heading.title, &[&raw[at.clone()].to_lowercase()]));
                if !is_elsewhere(raw, &at) {
                    found.push((at, !known));
                }
            }
        }
    }
    found
}

/// A name in quotes or capitals at the start of a text.
fn quoted(rest: &str) -> Option<Range<usize>> {
    for (open, close) in [('"', '"'), ('“', '”'), ('\'', '\''), ('*', '*')] {
        if let Some(inner) = rest.strip_prefix(open) {
            let inner = inner.trim_start_matches(open);
            let start = rest.len() - inner.len();
            let length = inner.find(close)?;
            return (length > 1).then_some(start..start + length);
        }
    }
    let mut end = 0;
    for word in rest.split_inclusive(' ') {
        if !word.starts_with(char::is_uppercase) {
            break;
        }
        let trimmed = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        end += trimmed.len();
        if trimmed.len() + 1 < word.len() || !word.ends_with(' ') {
            break;
        }
        end += 1;
    }
    let name = rest[..end].trim_end();
    (name.len() > 2).then_some(0..name.len())
}

fn number_of(title: &str) -> Option<String> {
    let title = title.trim_start_matches(['§', ' ']);
    let digits = title.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(title.len());
    let number = title[..digits].trim_end_matches('.');
    (!number.is_empty()).then(|| number.to_owned())
}

fn defect(papers: &Papers<'_>, line: usize, at: Range<usize>, name: &str) -> Defect {
    let document = &papers.spec.document;
    let section = document.section(line);
    Defect {
        wrong: Wrong::DeadReference { line, at },
        severity: Severity::Blocker,
        category: "consistency",
        claim: Claim::Present,
        file: papers.path.to_owned(),
        line,
        section: section.to_owned(),
        quote: quote(document.lines[line].raw),
        description: format!(
            "{} refers to `{name}`, which the document does not define: `{}`",
            section_name(section),
            mark(&document.lines[line].raw.replace(name, "…"))
        ),
        suggestion: format!("define {name} or take the reference out"),
    }
}
