//! A requirement that no acceptance criterion mentions.
//!
//! A criterion may name the id, stand below the requirement itself, or be tied to it in a table. Where no
//! criterion names any id, shared words decide, and in doubt nothing is said.

use super::{Defect, Looked, Papers, Wrong, quote, section_name};
use crate::document::{Kind, cells, has_any};
use crate::ids::{Id, leading, mentions};
use crate::index::Index;
use crate::pace::{Pace, Stopped};
use crate::spec::{Requirement, Spec};
use crate::words::content;
use redraft_core::verdict::{Claim, Severity};
use std::collections::{BTreeSet, HashMap, HashSet};

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let spec = &papers.spec;
    let mut looked = Looked::default();
    if super::shape::is_hollow(papers) {
        looked.note = "there is nothing to compare yet".to_owned();
        return Ok(looked);
    }
    let criteria = Criteria::of(spec, papers.pace)?;
    for (index, requirement) in spec.requirements.iter().enumerate() {
        papers.pace.step()?;
        match criteria.covering(spec, index) {
            Covered::By(how) => looked.settled.push((vec![requirement.name.clone()], how)),
            Covered::Unclear => {}
            Covered::No => looked.defects.push(defect(papers, index, requirement, &criteria)),
        }
    }
    let (all, open) = (spec.requirements.len(), looked.defects.len());
    looked.note = format!("{all} requirements with an id, {} criteria, {open} without one", criteria.units);
    Ok(looked)
}

enum Covered {
    By(String),
    No,
    Unclear,
}

struct Criteria {
    /// How many criteria there are.
    units: usize,
    /// The words of those that name no requirement.
    free: Index,
    /// Ids named anywhere in acceptance sections with the line, by family.
    named: HashMap<(String, u32), Vec<(usize, Id)>>,
    /// The letters of those ids.
    prefixes: BTreeSet<String>,
    names_requirements: bool,
    sections: Vec<String>,
    /// Per requirement, the check it carries itself.
    own: Vec<Option<String>>,
    /// Per letters of requirement ids: how many there are, and how many carry acceptance criteria.
    classes: HashMap<String, (usize, usize)>,
    /// Per requirement: the most words a criterion shares with it, and how many words it has.
    spoken: Vec<(usize, usize)>,
    /// Whether the document speaks of checking anywhere, outside its headings.
    speaks_of_checks: bool,
}

impl Criteria {
    fn of(spec: &Spec<'_>, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let document = &spec.document;
        let (mut all, mut free) = (Vec::new(), Vec::new());
        for unit in spec.criteria() {
            pace.step()?;
            // A criterion that has a heading is named there.
            let mut titles = document
                .titles(unit.start)
                .filter(|title| leading(title).is_some_and(|m| m.id.is_criterion()))
                .flat_map(mentions);
            let names = spec.named(unit.clone()).any(Id::is_requirement)
                || titles.any(|mention| mention.id.is_requirement());
            let words = content(&document.text(unit));
            if !names {
                free.push(words.clone());
            }
            all.push(words);
        }
        let all = Index::of(all.iter(), pace)?;
        let mut spoken = Vec::new();
        for requirement in &spec.requirements {
            pace.step()?;
            let words = content(&spec.statement(requirement));
            spoken.push((all.most_shared(&words), words.len()));
        }
        let mut criteria = Criteria {
            units: all.len(),
            free: Index::of(free.iter(), pace)?,
            named: HashMap::new(),
            prefixes: BTreeSet::new(),
            names_requirements: false,
            sections: Vec::new(),
            own: Vec::new(),
            classes: HashMap::new(),
            spoken,
            speaks_of_checks: speaks_of_checks(spec),
        };
        criteria.read_sections(spec, pace)?;
        criteria.read_requirements(spec, pace)?;
        Ok(criteria)
    }

    fn read_sections(&mut self, spec: &Spec<'_>, pace: &Pace<'_>) -> Result<(), Stopped> {
        let mut known = BTreeSet::new();
        let lines = 0..spec.document.lines.len();
        for at in lines.filter(|at| spec.is_criterion(*at) && !spec.is_definition(*at)) {
            pace.step()?;
            let section = spec.document.section(at);
            if !section.is_empty() && known.insert(section) {
                self.sections.push(section.to_owned());
            }
            for id in spec.named(at..at + 1) {
                self.names_requirements |= id.is_requirement();
                self.prefixes.insert(id.prefix.clone());
                self.named.entry(id.family()).or_default().push((at, id.clone()));
            }
        }
        Ok(())
    }

    fn read_requirements(&mut self, spec: &Spec<'_>, pace: &Pace<'_>) -> Result<(), Stopped> {
        let tied = tied_lines(spec, pace)?;
        for requirement in &spec.requirements {
            pace.step()?;
            self.own.push(own_check(spec, requirement, &tied));
            let class = self.classes.entry(requirement.id.prefix.clone()).or_default();
            class.0 += 1;
            class.1 += usize::from(has_acceptance(spec, requirement));
        }
        Ok(())
    }

    fn covering(&self, spec: &Spec<'_>, index: usize) -> Covered {
        let requirement = &spec.requirements[index];
        let family = self.named.get(&requirement.id.family());
        let named = family.and_then(|named| named.iter().find(|(_, id)| id.covers(&requirement.id)));
        if let Some((line, _)) = named {
            return Covered::By(format!("line {} names {}", line + 1, requirement.name));
        }
        if let Some(how) = &self.own[index] {
            return Covered::By(how.clone());
        }
        // Where the others carry their checks themselves, one that does not has been forgotten.
        let prefix = &requirement.id.prefix;
        let (class, checked) = self.classes.get(prefix).copied().unwrap_or_default();
        if checked > 1 && checked * 3 >= (class - 1) * 2 {
            return Covered::No;
        }
        if !self.names_requirements {
            return self.by_words(index);
        }
        // The class is never named by any criterion: the document checks it in another way.
        if class > 1 && !self.prefixes.contains(prefix) {
            return Covered::Unclear;
        }
        let words = content(&spec.document.text(requirement.block.clone()));
        let shared = self.free.most_shared(&words);
        if shared >= 3 || shared * 5 >= words.len() * 3 && shared > 1 {
            Covered::Unclear
        } else {
            Covered::No
        }
    }

    /// No criterion names an id. A requirement counts as forgotten only if criteria speak of the others.
    fn by_words(&self, index: usize) -> Covered {
        if self.units == 0 {
            return if self.speaks_of_checks { Covered::Unclear } else { Covered::No };
        }
        let is_spoken_of = |(most, _): &&(usize, usize)| *most >= 3;
        let (most, words) = self.spoken[index];
        let others = self.spoken.len() - 1;
        let spoken = self.spoken.iter().filter(is_spoken_of).count() - usize::from(most >= 3);
        let fewer = self.units < self.spoken.len();
        let forgotten = fewer && most <= 1 && words >= 4 && others > 0 && spoken * 4 >= others * 3;
        if forgotten { Covered::No } else { Covered::Unclear }
    }
}

fn speaks_of_checks(spec: &Spec<'_>) -> bool {
    let words = ["accept", "verif", "check", "criteri", "test", "measur", "given "];
    let prose = spec.document.lines.iter().filter(|line| line.kind != Kind::Heading);
    prose.into_iter().any(|line| has_any(line.raw, &words))
}

/// Lines that name a criterion, by the requirements they name beside it.
fn tied_lines(spec: &Spec<'_>, pace: &Pace<'_>) -> Result<TiedLines, Stopped> {
    let known: HashSet<&Id> = spec.criterion_ids.iter().collect();
    let mut tied = TiedLines::new();
    for at in 0..spec.document.lines.len() {
        pace.step()?;
        if spec.named(at..at + 1).any(|id| !id.is_requirement() && known.contains(id)) {
            for id in spec.named(at..at + 1) {
                tied.entry(id.family()).or_default().push((at, id.clone()));
            }
        }
    }
    Ok(tied)
}

type TiedLines = HashMap<(String, u32), Vec<(usize, Id)>>;

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
fn own_check(spec: &Spec<'_>, requirement: &Requirement, tied: &TiedLines) -> Option<String> {
    let document = &spec.document;
    let family = tied.get(&requirement.id.family());
    let line = family.and_then(|lines| lines.iter().find(|(_, id)| id.covers(&requirement.id)));
    if let Some((line, _)) = line {
        return Some(format!("line {} ties {} to a criterion", line + 1, requirement.name));
    }
    let inner = requirement.block.clone().find(|at| {
        let said = document.said(*at);
        let line = &document.lines[*at];
        let heading = line.kind == Kind::Heading;
        let labelled = *at > requirement.line && !heading && is_check(said);
        let below = *at > requirement.line && !heading && line.kind != Kind::Blank && spec.is_criterion(*at);
        let refers = spec.named(*at..*at + 1).any(|id| id.is_criterion() && spec.has_criterion(id));
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
        let dead = names.any(|id| id.is_criterion() && !spec.has_criterion(id));
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
