//! A requirement that no acceptance criterion mentions.
//!
//! A criterion may name the id, stand below the requirement itself, or be tied to it in a table. Where no
//! criterion names any id, shared words decide, and in doubt nothing is said.

use super::{Defect, Looked, Papers, Wrong, quote, section_name};
use crate::rehearsal::document::{Kind, cells, has_any};
use crate::rehearsal::ids::{Id, leading, mentions};
use crate::rehearsal::spec::{Requirement, Spec};
use crate::rehearsal::words::content;
use redraft_core::verdict::{Claim, Severity};
use std::collections::BTreeSet;

pub(super) fn look(papers: &Papers<'_>) -> Looked {
    let spec = &papers.spec;
    let criteria = Criteria::of(spec);
    let mut looked = Looked { name: "every requirement has an acceptance criterion", ..Looked::default() };
    for (index, requirement) in spec.requirements.iter().enumerate() {
        match criteria.covering(spec, index) {
            Covered::By(how) => looked.settled.push((vec![requirement.name.clone()], how)),
            Covered::Unclear => {}
            Covered::No => looked.defects.push(defect(papers, index, requirement, &criteria)),
        }
    }
    let (all, open) = (spec.requirements.len(), looked.defects.len());
    looked.note =
        format!("{all} requirements with an id, {} criteria, {open} without one", criteria.units.len());
    looked
}

enum Covered {
    By(String),
    No,
    Unclear,
}

struct Criteria {
    /// Per criterion: its first line, the ids it names and its words.
    units: Vec<(usize, Vec<Id>, BTreeSet<String>)>,
    /// Ids named anywhere in acceptance sections, with the line.
    named: Vec<(usize, Id)>,
    sections: Vec<String>,
    /// Per requirement, the check it carries itself.
    own: Vec<Option<String>>,
}

impl Criteria {
    fn of(spec: &Spec<'_>) -> Self {
        let document = &spec.document;
        let units = spec.criteria().into_iter().map(|unit| {
            let mut ids: Vec<Id> = spec.named(unit.clone()).cloned().collect();
            // A criterion that has a heading is named there.
            let titles = document
                .titles(unit.start)
                .filter(|title| leading(title).is_some_and(|m| m.id.is_criterion()));
            ids.extend(titles.flat_map(mentions).map(|mention| mention.id));
            (unit.start, ids, content(&document.text(unit)))
        });
        let definitions: BTreeSet<usize> = spec.requirements.iter().map(|r| r.line).collect();
        let lines =
            (0..document.lines.len()).filter(|at| spec.is_criterion(*at) && !definitions.contains(at));
        let mut sections: Vec<String> = Vec::new();
        let mut ids = Vec::new();
        for at in lines {
            let section = document.section(at);
            if !section.is_empty() && !sections.iter().any(|known| known == section) {
                sections.push(section.to_owned());
            }
            ids.extend(spec.named(at..at + 1).map(|id| (at, id.clone())));
        }
        let own = spec.requirements.iter().map(|requirement| own_check(spec, requirement)).collect();
        Criteria { units: units.collect(), named: ids, sections, own }
    }

    fn covering(&self, spec: &Spec<'_>, index: usize) -> Covered {
        let requirement = &spec.requirements[index];
        let named = self.named.iter().find(|(_, id)| id.covers(&requirement.id));
        if let Some((line, _)) = named {
            return Covered::By(format!("line {} names {}", line + 1, requirement.name));
        }
        if let Some(how) = &self.own[index] {
            return Covered::By(how.clone());
        }
        // Where the others carry their checks themselves, one that does not has been forgotten.
        let same = |id: &Id| id.prefix == requirement.id.prefix;
        let class: Vec<&Requirement> = spec.requirements.iter().filter(|r| same(&r.id)).collect();
        let checked = class.iter().filter(|r| has_acceptance(spec, r)).count();
        if checked > 1 && checked * 3 >= (class.len() - 1) * 2 {
            return Covered::No;
        }
        if !self.named.iter().any(|(_, id)| id.is_requirement()) {
            return self.by_words(spec, requirement);
        }
        // The class is never named by any criterion: the document checks it in another way.
        if class.len() > 1 && !self.named.iter().any(|(_, id)| same(id)) {
            return Covered::Unclear;
        }
        let words = content(&spec.document.text(requirement.block.clone()));
        let free = self.units.iter().filter(|(_, ids, _)| !ids.iter().any(Id::is_requirement));
        let shared = free.map(|(_, _, unit)| unit.intersection(&words).count()).max().unwrap_or(0);
        if shared >= 3 || shared * 5 >= words.len() * 3 && shared > 1 {
            Covered::Unclear
        } else {
            Covered::No
        }
    }

    /// No criterion names an id. A requirement counts as forgotten only if criteria speak of the others.
    fn by_words(&self, spec: &Spec<'_>, requirement: &Requirement) -> Covered {
        if self.units.is_empty() {
            let words = ["accept", "verif", "check", "criteri", "test", "measur", "given "];
            let any = spec.document.lines.iter().any(|line| has_any(line.raw, &words));
            return if any { Covered::Unclear } else { Covered::No };
        }
        let best = |r: &Requirement| {
            let words = content(&spec.statement(r));
            let most =
                self.units.iter().map(|(_, _, unit)| unit.intersection(&words).count()).max().unwrap_or(0);
            (most, words.len())
        };
        let others = spec.requirements.iter().filter(|r| r.id != requirement.id).map(best);
        let (spoken, total) = others.fold((0, 0), |(s, t), (most, _)| (s + usize::from(most >= 3), t + 1));
        let (most, words) = best(requirement);
        let fewer = self.units.len() < spec.requirements.len();
        let forgotten = fewer && most <= 1 && words >= 4 && total > 0 && spoken * 4 >= total * 3;
        if forgotten { Covered::No } else { Covered::Unclear }
    }
}

/// Whether acceptance criteria stand with the requirement itself, by that name.
fn has_acceptance(spec: &Spec<'_>, requirement: &Requirement) -> bool {
    let column = check_column(spec, requirement).is_some();
    column
        || requirement.block.clone().skip(1).any(|at| {
            let said = spec.document.said(at).trim_start_matches(['*', '_', ' ']).to_lowercase();
            let filled = !matches!(spec.document.lines[at].kind, Kind::Heading | Kind::Blank | Kind::Code);
            filled && (spec.is_criterion(at) || said.starts_with("accept"))
        })
}

/// A check that stands with the requirement itself or ties it to a criterion.
fn own_check(spec: &Spec<'_>, requirement: &Requirement) -> Option<String> {
    let document = &spec.document;
    let tied = |at: usize| {
        let criterion =
            spec.named(at..at + 1).any(|id| !id.is_requirement() && spec.criterion_ids.contains(id));
        criterion && spec.named(at..at + 1).any(|id| id.covers(&requirement.id))
    };
    if let Some(line) = (0..document.lines.len()).find(|at| tied(*at)) {
        return Some(format!("line {} ties {} to a criterion", line + 1, requirement.name));
    }
    let inner = requirement.block.clone().find(|at| {
        let said = document.said(*at);
        let line = &document.lines[*at];
        let heading = line.kind == Kind::Heading;
        let labelled = *at > requirement.line && !heading && is_check(said);
        let below = *at > requirement.line && !heading && line.kind != Kind::Blank && spec.is_criterion(*at);
        let refers = spec.named(*at..*at + 1).any(|id| spec.criterion_ids.contains(id) && id.is_criterion());
        labelled || below || refers || (*at == requirement.line && states_check(said))
    });
    if let Some(line) = inner {
        return Some(format!("line {} states the check of {}", line + 1, requirement.name));
    }
    check_column(spec, requirement)
}

/// `Acceptance: …`, `Verify that …`, `Given …` at the start of a line.
fn is_check(said: &str) -> bool {
    let lower = said.trim_start_matches(['*', '_', '`', '>', ' ']).to_lowercase();
    let starts = [
        "acceptance",
        "accept",
        "verif",
        "check",
        "test",
        "measure",
        "criteri",
        "fit criterion",
        "done when",
        "given ",
        "proof",
        "evidence",
        "pass if",
        "passes if",
        "ac:",
        "observable",
    ];
    starts.iter().any(|word| lower.starts_with(word)) || leading(said).is_some_and(|m| m.id.is_criterion())
}

/// The same inside the requirement's only line: `… *Check:* …`, `(verified by …)`.
fn states_check(said: &str) -> bool {
    let lower = said.to_lowercase().replace(['*', '_', '`'], "");
    let inside = [
        "acceptance:",
        "verify:",
        "verified by",
        "verification:",
        "check:",
        "checked by",
        "test:",
        "tested by",
        "criterion:",
        "criteria:",
        "measured by",
        "fit criterion",
        "done when",
    ];
    inside.iter().any(|word| lower.contains(word)) || (lower.contains("given ") && lower.contains(" then "))
}

/// A column of the requirement's own table that holds its check.
fn check_column(spec: &Spec<'_>, requirement: &Requirement) -> Option<String> {
    let document = &spec.document;
    let head = document.table_head(requirement.line)?;
    let row = cells(document.lines[requirement.line].raw);
    let columns = cells(document.lines[head].raw);
    let filled = columns.iter().enumerate().any(|(column, title)| {
        let asked = has_any(title, &["accept", "check", "verif", "test", "criteri", "measure", "proof"]);
        let cell = row.get(column).copied().unwrap_or_default();
        // A cell that only names criteria says nothing by itself: they have to exist.
        let mut names = spec.named(requirement.line..requirement.line + 1);
        let dead = names.any(|id| id.is_criterion() && !spec.criterion_ids.contains(id));
        asked && !dead && cell.chars().filter(|c| c.is_alphanumeric()).count() > 3
    });
    filled.then(|| {
        format!("the table states the check of {} in line {}", requirement.name, requirement.line + 1)
    })
}

fn defect(papers: &Papers<'_>, index: usize, requirement: &Requirement, criteria: &Criteria) -> Defect {
    let document = &papers.spec.document;
    let section = document.section(requirement.line);
    let searched = match criteria.sections.as_slice() {
        [] => "there is no acceptance section, and none stands with the requirement".to_owned(),
        sections => format!("searched {}", section_name(&sections[..sections.len().min(3)].join(", "))),
    };
    let name = &requirement.name;
    let place = section_name(section);
    Defect {
        wrong: Wrong::NoCriterion { requirement: index },
        severity: Severity::Blocker,
        category: "testability",
        claim: Claim::Absent,
        file: papers.path.to_owned(),
        line: requirement.line,
        section: section.to_owned(),
        quote: quote(document.lines[requirement.line].raw),
        description: format!("no acceptance criterion mentions requirement `{name}` of {place} ({searched})"),
        suggestion: format!("add a criterion that names {name} and can be seen to pass or fail"),
    }
}
