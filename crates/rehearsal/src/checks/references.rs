//! A requirement or criterion that refers to an id or a section that is not there.
//!
//! Only names of a kind the document itself defines are judged: `R9` where `R1` to `R6` stand, section 7 where
//! sections are numbered. What the PRD defines, and what is said to stand in another document, is left alone.

use super::{Defect, Looked, Papers, Wrong, mark, quote, section_name};
use crate::document::{Kind, has_any};
use crate::ids::{Id, mentions};
use crate::pace::Stopped;
use crate::spec::{Part, Spec};
use redraft_core::verdict::{Claim, Severity};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let spec = &papers.spec;
    let mut looked = Looked::default();
    let mut targets = Targets::of(papers)?;
    let mut count = 0;
    let mut seen = BTreeSet::new();
    let units = spec.statements().into_iter().chain(spec.criteria());
    let lines: BTreeSet<usize> = units.flatten().collect();
    for line in lines {
        papers.pace.step()?;
        let text = &spec.document.lines[line];
        if text.kind == Kind::Code || spec.is_in(line, Part::Excluded) {
            continue;
        }
        for (at, dead) in targets.references(spec, text.raw) {
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
    Ok(looked)
}

/// What a reference can lead to.
struct Targets {
    /// The letters of ids that the document defines more than one of.
    local: BTreeSet<String>,
    /// Every id the PRD names, by family.
    upstream: HashMap<(String, u32), Vec<Id>>,
    /// Headings as links name them, and the names given to other places.
    slugs: HashSet<String>,
    /// The numbers headings begin with.
    numbers: HashSet<String>,
    /// Titles in small letters, each on a line of its own.
    titles: String,
    /// Whether a section of that name was found, for those asked about before.
    known: HashMap<String, bool>,
}

impl Targets {
    fn of(papers: &Papers<'_>) -> Result<Self, Stopped> {
        let spec = &papers.spec;
        let mut defined: HashMap<&str, usize> = HashMap::new();
        for id in spec.requirements.iter().map(|r| &r.id).chain(&spec.criterion_ids) {
            *defined.entry(id.prefix.as_str()).or_default() += 1;
        }
        let local = defined.into_iter().filter(|(_, count)| *count > 1).map(|(prefix, _)| prefix.to_owned());
        let mut upstream: HashMap<(String, u32), Vec<Id>> = HashMap::new();
        if let Some((_, prd)) = papers.prd {
            for line in &prd.document.lines {
                papers.pace.step()?;
                for mention in mentions(line.raw) {
                    let family = upstream.entry(mention.id.family()).or_default();
                    if !family.contains(&mention.id) {
                        family.push(mention.id);
                    }
                }
            }
        }
        let headings = &spec.document.headings;
        let mut slugs: HashSet<String> = headings.iter().map(|heading| slug(&heading.title)).collect();
        for line in &spec.document.lines {
            papers.pace.step()?;
            slugs.extend(named_places(line.raw));
        }
        Ok(Targets {
            local: local.collect(),
            upstream,
            slugs,
            numbers: headings.iter().filter_map(|heading| number_of(&heading.title)).collect(),
            titles: headings.iter().map(|heading| heading.title.to_lowercase() + "\n").collect(),
            known: HashMap::new(),
        })
    }

    /// The references of a line and whether they are dead.
    fn references(&mut self, spec: &Spec<'_>, raw: &str) -> Vec<(Range<usize>, bool)> {
        let mut found: Vec<(Range<usize>, bool)> = Vec::new();
        for mention in mentions(raw) {
            let id = &mention.id;
            let local = (id.is_requirement() || id.is_criterion()) && self.local.contains(&id.prefix);
            if local && !is_elsewhere(raw, &mention.at) {
                let dead = !spec.defines(id) && !self.in_prd(id);
                // The ids of a range stand in one place, one behind the other.
                match found.last_mut().filter(|(at, _)| *at == mention.at) {
                    Some(range) => range.1 |= dead,
                    None => found.push((mention.at, dead)),
                }
            }
        }
        self.anchors(raw, &mut found);
        self.sections(raw, &mut found);
        found
    }

    fn in_prd(&self, id: &Id) -> bool {
        let family = self.upstream.get(&id.family());
        family.is_some_and(|known| known.iter().any(|known| known.covers(id)))
    }

    /// Links inside the document.
    fn anchors(&self, raw: &str, found: &mut Vec<(Range<usize>, bool)>) {
        for (open, _) in raw.match_indices("](#") {
            let start = open + 3;
            let Some(length) = raw[start..].find(')') else { break };
            let name = &raw[start..start + length];
            let numbered = name
                .rsplit_once('-')
                .is_some_and(|(base, n)| n.parse::<u8>().is_ok() && self.slugs.contains(base));
            found.push((start..start + length, !self.slugs.contains(name) && !numbered));
        }
    }

    /// `section 4.2`, `§5`, `section "Limits"`, `section Limits`.
    fn sections(&mut self, raw: &str, found: &mut Vec<(Range<usize>, bool)>) {
        for word in ["section ", "Section ", "§"] {
            for (open, _) in raw.match_indices(word) {
                let start = open + word.len();
                let rest = &raw[start..];
                let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
                let number = rest[..digits].trim_end_matches('.');
                let at = start..start + number.len();
                if !number.is_empty() {
                    if self.numbers.len() > 1 && !is_elsewhere(raw, &at) {
                        found.push((at, !self.numbers.contains(number)));
                    }
                } else if let Some(name) = quoted(rest).filter(|_| word != "§") {
                    let at = start + name.start..start + name.end;
                    if !is_elsewhere(raw, &at) {
                        let known = self.has_section(&raw[at.clone()].to_lowercase());
                        found.push((at, !known));
                    }
                }
            }
        }
    }

    fn has_section(&mut self, name: &str) -> bool {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let known = self.titles.contains(name);
        self.known.insert(name.to_owned(), known);
        known
    }
}

/// A title as a link inside the document names it.
fn slug(title: &str) -> String {
    let kept = title.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

/// Names that a line gives to its place: `id="x"`, `name="x"`, `{#x}`.
fn named_places(raw: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (open, close) in [("id=\"", '"'), ("name=\"", '"'), ("{#", '}')] {
        for (at, _) in raw.match_indices(open) {
            let rest = &raw[at + open.len()..];
            let Some(end) = rest.find(close) else { break };
            found.push(rest[..end].to_owned());
        }
    }
    found
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
