//! A goal of the PRD that no requirement serves.
//!
//! A requirement serves a goal when it names the goal's id or speaks of what sets this goal apart from the other
//! goals. A goal that the specification excludes on purpose is not reported.

use super::{Defect, Looked, Papers, Wrong, mark, quote, section_name};
use crate::rehearsal::document::{Kind, cells, plain};
use crate::rehearsal::ids::{Id, leading};
use crate::rehearsal::spec::{Part, Spec, after_id};
use crate::rehearsal::words::content;
use redraft_core::verdict::{Claim, Severity};
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) fn look(papers: &Papers<'_>) -> Looked {
    let mut looked = Looked { name: "every goal of the PRD has a requirement", ..Looked::default() };
    let Some((path, prd)) = &papers.prd else {
        looked.note = "there is no PRD".to_owned();
        return looked;
    };
    let goals = goals(prd);
    let spec = &papers.spec;
    let mut blocks = spec.statements();
    if spec.requirements.is_empty() {
        // Without ids, requirements and criteria cannot be told apart reliably.
        blocks.extend(spec.criteria());
    }
    let statements: Vec<Statement> = blocks.into_iter().map(|block| Statement::of(spec, block)).collect();
    let asked = !spec.requirements.is_empty()
        || (0..spec.document.lines.len()).any(|at| spec.is_in(at, Part::Requirements));
    if statements.is_empty() || !asked {
        looked.note =
            format!("{} goals, and no requirement that could be told from the other text", goals.len());
        return looked;
    }
    for (index, goal) in goals.iter().enumerate() {
        match served(spec, &goals, index, &statements) {
            Some(how) => looked.settled.push((vec![goal.name()], how)),
            None => looked.defects.push(defect(papers, path, prd, goal)),
        }
    }
    looked.note = format!("{} goals, {} requirements", goals.len(), statements.len());
    looked
}

pub(crate) struct Goal {
    pub(crate) id: Option<(Id, String)>,
    pub(crate) text: String,
    line: usize,
    words: BTreeSet<String>,
}

impl Goal {
    fn name(&self) -> String {
        self.id.as_ref().map_or_else(|| mark(&self.text), |(_, name)| name.clone())
    }
}

struct Statement {
    line: usize,
    ids: Vec<Id>,
    words: BTreeSet<String>,
}

impl Statement {
    fn of(spec: &Spec<'_>, block: Range<usize>) -> Self {
        let ids = spec.named(block.clone()).cloned().collect();
        Statement { line: block.start, ids, words: content(&spec.document.text(block)) }
    }
}

/// The goals of a document: items, rows and named headings of its goal sections.
pub(crate) fn goals(prd: &Spec<'_>) -> Vec<Goal> {
    let document = &prd.document;
    let mut found = Vec::new();
    for (at, line) in document.lines.iter().enumerate() {
        if !prd.is_in(at, Part::Goals) || prd.is_in(at, Part::Excluded) {
            continue;
        }
        let (said, block) = match line.kind {
            Kind::Item { indent: 0..=1, .. } => (document.said(at).to_owned(), document.block_of_item(at)),
            Kind::Row if !document.is_table_head(at) => (cells(line.raw).join(" "), at..at + 1),
            Kind::Heading if leading(&plain(line.raw.trim_start_matches(['#', ' ']))).is_some() => {
                let own = document.headings.iter().position(|heading| heading.line == at);
                let block = own.map_or(at..at + 1, |own| document.block_of_heading(own));
                (line.raw.trim_start_matches(['#', ' ']).to_owned(), block)
            }
            _ => continue,
        };
        let id = leading(&said).filter(|m| !m.id.is_requirement()).map(|m| (m.id, said[m.at].to_owned()));
        let text = if id.is_some() { after_id(&said) } else { plain(&said) };
        let words = content(&document.text(block));
        if words.len() > 1 {
            found.push(Goal { id, text, line: at, words });
        }
    }
    found
}

/// Which requirement serves a goal, in words; none if nothing does.
fn served(spec: &Spec<'_>, goals: &[Goal], index: usize, statements: &[Statement]) -> Option<String> {
    let goal = &goals[index];
    let at = |statement: &Statement| format!("the requirement in line {} serves it", statement.line + 1);
    if let Some((id, _)) = &goal.id {
        let by_id = statements.iter().find(|statement| statement.ids.contains(id));
        if let Some(statement) = by_id {
            return Some(at(statement));
        }
        let lines = 0..spec.document.lines.len();
        let tied = lines.into_iter().find(|line| {
            let mut ids = spec.named(*line..line + 1);
            let requirement =
                || spec.named(*line..line + 1).any(|other| other.is_requirement() && spec.defines(other));
            ids.any(|named| named == id) && requirement()
        });
        if let Some(line) = tied {
            return Some(format!("line {} ties it to a requirement", line + 1));
        }
    }
    let common = |word: &String| {
        let holding = statements.iter().filter(|statement| statement.words.contains(word)).count();
        holding > 1 && holding * 3 > statements.len()
    };
    let own = distinctive(goals, index);
    let rare = |statement: &Statement| {
        statement.words.intersection(&goal.words).filter(|word| !common(word)).count()
    };
    let all: Vec<BTreeSet<String>> = (0..goals.len()).map(|goal| distinctive(goals, goal)).collect();
    let share = |statement: &Statement, goal: usize| {
        let own = &all[goal];
        (own.intersection(&statement.words).count(), own.len())
    };
    let strongest =
        statements.iter().max_by_key(|statement| (share(statement, index).0, overlap(statement, goal)))?;
    let (matched, of) = share(strongest, index);
    let strong = matched * 2 >= of && matched > 0;
    // Where the other requirements name the goals they serve, a few shared words are not enough.
    if cites_goals(goals, statements) && goal.id.is_some() {
        let most = overlap(strongest, goal) * 5 >= goal.words.len() * 3;
        return if strong && most { Some(at(strongest)) } else { excluded(spec, &own) };
    }
    if strong {
        return Some(at(strongest));
    }
    let taken = |statement: &&Statement| {
        let here = share(statement, index).0;
        (0..goals.len()).filter(|other| *other != index).any(|other| {
            let (there, of) = share(statement, other);
            there * own.len() > here * of && there * 2 >= of
        })
    };
    // A requirement that no other goal claims may be this goal's in other words.
    let free = statements.iter().filter(|statement| !taken(statement));
    let likely = free.max_by_key(|statement| (rare(statement), overlap(statement, goal)))?;
    let shared_own = own.intersection(&likely.words).any(|word| !common(word));
    if shared_own || rare(likely) > 1 {
        return Some(at(likely));
    }
    excluded(spec, &own)
}

fn overlap(statement: &Statement, goal: &Goal) -> usize {
    statement.words.intersection(&goal.words).count()
}

/// Whether requirements of this document name the goals they serve.
fn cites_goals(goals: &[Goal], statements: &[Statement]) -> bool {
    let ids = goals.iter().filter_map(|goal| goal.id.as_ref());
    let cited = ids.filter(|(id, _)| statements.iter().any(|statement| statement.ids.contains(id))).count();
    cited > 0 && cited * 2 >= goals.len()
}

/// The words that only this goal has.
fn distinctive(goals: &[Goal], index: usize) -> BTreeSet<String> {
    let goal = &goals[index];
    let elsewhere =
        |word: &String| goals.iter().enumerate().any(|(at, other)| at != index && other.words.contains(word));
    let generic = |word: &String| GENERIC.split_whitespace().any(|generic| generic == word);
    let own: BTreeSet<String> =
        goal.words.iter().filter(|word| !elsewhere(word) && !generic(word)).cloned().collect();
    if own.is_empty() { goal.words.clone() } else { own }
}

/// Stems that say that something is wanted, not what.
const GENERIC: &str = "\
    reduc improv increas eas easi simpl better clear time tim work chang creat add show see want take tak \
    way best least less fewer help start set percent day minut second hour week month";

fn excluded(spec: &Spec<'_>, own: &BTreeSet<String>) -> Option<String> {
    let line = (0..spec.document.lines.len()).find(|at| {
        let words = content(spec.document.lines[*at].raw);
        let shared = words.intersection(own).count();
        spec.is_in(*at, Part::Excluded) && shared > 1 && shared * 2 >= own.len()
    });
    line.map(|line| format!("line {} excludes it on purpose", line + 1))
}

fn defect(papers: &Papers<'_>, path: &str, prd: &Spec<'_>, goal: &Goal) -> Defect {
    let section = prd.document.section(goal.line);
    let requirements = papers.spec.requirements.first().map_or("", |r| papers.spec.document.section(r.line));
    let name = goal.name();
    let says = if goal.id.is_some() { format!(" ({})", mark(&goal.text)) } else { String::new() };
    let searched = section_name(requirements);
    Defect {
        wrong: Wrong::NoRequirement {
            id: goal.id.as_ref().map(|(_, name)| name.clone()).unwrap_or_default(),
            goal: goal.text.clone(),
        },
        severity: Severity::Blocker,
        category: "traceability",
        claim: Claim::Absent,
        file: path.to_owned(),
        line: goal.line,
        section: section.to_owned(),
        quote: quote(prd.document.lines[goal.line].raw),
        description: format!(
            "no requirement serves the goal `{name}`{says} of {} of the PRD (searched {searched})",
            section_name(section)
        ),
        suggestion:
            "add a requirement and its criterion for this goal, or exclude the goal under Out of Scope"
                .to_owned(),
    }
}
