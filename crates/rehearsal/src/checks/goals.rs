//! A goal of the PRD that no requirement serves.
//!
//! A requirement serves a goal when it names the goal's id or speaks of what sets this goal apart from the other
//! goals; what the whole feature is named after sets none apart. A goal that the specification excludes on purpose is not reported.

use super::{Defect, Looked, Papers, Wrong, mark, quote, section_name};
use crate::document::{Kind, cells, plain};
use crate::ids::{Id, leading};
use crate::index::Index;
use crate::pace::{Pace, Stopped};
use crate::spec::{Part, Spec, after_id};
use crate::words::content;
use redraft_core::verdict::{Claim, Severity};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let Some((path, prd)) = papers.prd else {
        looked.note = "there is no PRD".to_owned();
        return Ok(looked);
    };
    let (spec, pace) = (&papers.spec, papers.pace);
    let goals = goals(prd, pace)?;
    let mut blocks = spec.statements();
    if spec.requirements.is_empty() {
        // Without ids, requirements and criteria cannot be told apart reliably.
        blocks.extend(spec.criteria());
    }
    let asked = !spec.requirements.is_empty()
        || (0..spec.document.lines.len()).any(|at| spec.is_in(at, Part::Requirements));
    if blocks.is_empty() || !asked {
        looked.note =
            format!("{} goals, and no requirement that could be told from the other text", goals.len());
        return Ok(looked);
    }
    let serving = Serving::of(spec, &goals, blocks, pace)?;
    for (index, goal) in goals.iter().enumerate() {
        pace.step()?;
        match serving.served(&goals, index) {
            Some(how) => looked.settled.push((vec![goal.name()], how)),
            None => looked.defects.push(defect(papers, path, prd, goal)),
        }
    }
    looked.note = format!("{} goals, {} requirements", goals.len(), serving.lines.len());
    Ok(looked)
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

/// The goals of a document: items, rows and named headings of its goal sections.
pub(crate) fn goals(prd: &Spec<'_>, pace: &Pace<'_>) -> Result<Vec<Goal>, Stopped> {
    let document = &prd.document;
    let mut found = Vec::new();
    for (at, line) in document.lines.iter().enumerate() {
        pace.step()?;
        if !prd.is_in(at, Part::Goals) || prd.is_in(at, Part::Excluded) {
            continue;
        }
        let (said, block) = match line.kind {
            Kind::Item { indent: 0..=1, .. } => (document.said(at).to_owned(), document.block_of_item(at)),
            Kind::Row if !document.is_table_head(at) => (cells(line.raw).join(" "), at..at + 1),
            Kind::Heading if leading(&plain(line.raw.trim_start_matches(['#', ' ']))).is_some() => {
                let own = document.heading_at(at);
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
    Ok(found)
}

/// What serves goals: the requirements and what is excluded, by their words and the ids they name.
struct Serving {
    /// Per requirement, its first line.
    lines: Vec<usize>,
    statements: Index,
    /// Per goal, the words that only it has.
    own: Vec<BTreeSet<String>>,
    /// Per requirement, the two goals with the best claims to it.
    claims: Vec<Vec<Share>>,
    /// The first requirement that names an id.
    by_id: HashMap<Id, usize>,
    /// The first line that names an id beside a requirement's.
    tied: HashMap<Id, usize>,
    /// Whether requirements of this document name the goals they serve.
    cites: bool,
    excluded_lines: Vec<usize>,
    excluded: Index,
    /// The words of the title of the document.
    topic: BTreeSet<String>,
}

impl Serving {
    fn of(
        spec: &Spec<'_>,
        goals: &[Goal],
        blocks: Vec<Range<usize>>,
        pace: &Pace<'_>,
    ) -> Result<Self, Stopped> {
        let mut by_id = HashMap::new();
        let (mut lines, mut words) = (Vec::new(), Vec::new());
        for (at, block) in blocks.into_iter().enumerate() {
            pace.step()?;
            for id in spec.named(block.clone()) {
                by_id.entry(id.clone()).or_insert(at);
            }
            lines.push(block.start);
            words.push(content(&spec.document.text(block)));
        }
        let own = distinctive(goals, pace)?;
        let ids = goals.iter().filter_map(|goal| goal.id.as_ref());
        let cited = ids.filter(|(id, _)| by_id.contains_key(id)).count();
        let mut tied = HashMap::new();
        let (mut excluded_lines, mut excluded) = (Vec::new(), Vec::new());
        for at in 0..spec.document.lines.len() {
            pace.step()?;
            if spec.named(at..at + 1).any(|id| id.is_requirement() && spec.defines(id)) {
                for id in spec.named(at..at + 1) {
                    tied.entry(id.clone()).or_insert(at);
                }
            }
            if spec.is_in(at, Part::Excluded) {
                excluded_lines.push(at);
                excluded.push(content(spec.document.lines[at].raw));
            }
        }
        Ok(Serving {
            lines,
            claims: claims(&words, &own, pace)?,
            statements: Index::of(words.iter(), pace)?,
            own,
            by_id,
            tied,
            cites: cited > 0 && cited * 2 >= goals.len(),
            excluded_lines,
            excluded: Index::of(excluded.iter(), pace)?,
            topic: spec
                .document
                .headings
                .first()
                .filter(|first| first.level == 1)
                .map_or_else(BTreeSet::new, |first| content(&first.title)),
        })
    }

    /// Which requirement serves a goal, in words; none if nothing does.
    fn served(&self, goals: &[Goal], index: usize) -> Option<String> {
        let goal = &goals[index];
        let at =
            |statement: usize| format!("the requirement in line {} serves it", self.lines[statement] + 1);
        if let Some((id, _)) = &goal.id {
            if let Some(statement) = self.by_id.get(id) {
                return Some(at(*statement));
            }
            if let Some(line) = self.tied.get(id) {
                return Some(format!("line {} ties it to a requirement", line + 1));
            }
        }
        let own = &self.own[index];
        let (words, own_words) = (self.statements.query(&goal.words), self.statements.query(own));
        let near = self.statements.sharing(&words);
        let share = |statement: usize| self.statements.shared(statement, &own_words);
        let overlap = |statement: usize| self.statements.shared(statement, &words);
        let strongest = near.iter().copied().max_by_key(|statement| (share(*statement), overlap(*statement)));
        // A goal of two or three words has hardly another word than those the feature is named after.
        let named = |word: &&String| own.len() > 3 && self.topic.contains(*word);
        let told = self.statements.query(own.iter().filter(|word| !named(word)));
        let strong = strongest.filter(|statement| {
            let matched = share(*statement);
            matched * 2 >= own.len() && self.statements.shared(*statement, &told) > 0
        });
        // Where the other requirements name the goals they serve, a few shared words are not enough.
        if self.cites && goal.id.is_some() {
            let most = |statement: &usize| overlap(*statement) * 5 >= goal.words.len() * 3;
            return strong.filter(most).map(at).or_else(|| self.excluded(own));
        }
        if strong.is_some() {
            return strong.map(at);
        }
        let telling = |word: &&String| !self.is_common(word) && !named(word);
        let rare_words = self.statements.query(goal.words.iter().filter(telling));
        let rare_own = self.statements.query(own.iter().filter(telling));
        let rare = |statement: usize| self.statements.shared(statement, &rare_words);
        // A requirement that no other goal claims may be this goal's in other words.
        let free = near.into_iter().filter(|at| !self.is_taken(*at, index, share(*at)));
        // One word of many is only the place where the goal plays.
        let serves = |statement: &usize| {
            let telling = self.statements.shared(*statement, &rare_own);
            telling > 0 && (telling * 3 >= own.len() || share(*statement) > 1)
                || rare(*statement) > 1 && rare(*statement) * 3 >= goal.words.len()
        };
        let likely = free.filter(serves).max_by_key(|statement| (rare(*statement), overlap(*statement)));
        likely.map(at).or_else(|| self.excluded(own))
    }

    /// Whether so many requirements hold a word that it tells none of them apart.
    fn is_common(&self, word: &str) -> bool {
        let holding = self.statements.holding(word);
        holding > 1 && holding * 3 > self.statements.len()
    }

    /// Whether another goal has a better claim to a requirement: at least half of its own words, and a larger
    /// share of them.
    fn is_taken(&self, statement: usize, index: usize, shared: usize) -> bool {
        let own = Share { goal: index, shared, of: self.own[index].len() };
        self.claims[statement].iter().any(|claim| claim.goal != index && claim.is_better_than(&own))
    }

    fn excluded(&self, own: &BTreeSet<String>) -> Option<String> {
        let query = self.excluded.query(own);
        let found = self.excluded.sharing(&query).into_iter().find(|at| {
            let shared = self.excluded.shared(*at, &query);
            shared > 1 && shared * 2 >= own.len()
        });
        found.map(|at| format!("line {} excludes it on purpose", self.excluded_lines[at] + 1))
    }
}

/// How much of a goal's own words a requirement holds.
#[derive(Debug, Clone, Copy)]
struct Share {
    goal: usize,
    shared: usize,
    of: usize,
}

impl Share {
    fn is_better_than(&self, other: &Share) -> bool {
        self.shared * other.of > other.shared * self.of
    }
}

fn claims(
    statements: &[BTreeSet<String>],
    own: &[BTreeSet<String>],
    pace: &Pace<'_>,
) -> Result<Vec<Vec<Share>>, Stopped> {
    let goals = Index::of(own.iter(), pace)?;
    let mut found = Vec::new();
    for words in statements {
        pace.step()?;
        let query = goals.query(words);
        let shares = goals.sharing(&query).into_iter().map(|goal| Share {
            goal,
            shared: goals.shared(goal, &query),
            of: own[goal].len(),
        });
        let mut best: Vec<Share> = Vec::new();
        for share in shares.filter(|share| share.shared * 2 >= share.of) {
            let at = best.iter().position(|known| share.is_better_than(known)).unwrap_or(best.len());
            best.insert(at, share);
            best.truncate(2);
        }
        found.push(best);
    }
    Ok(found)
}

/// Per goal, the words that only it has; all of its words if it has none of its own.
fn distinctive(goals: &[Goal], pace: &Pace<'_>) -> Result<Vec<BTreeSet<String>>, Stopped> {
    let all = Index::of(goals.iter().map(|goal| &goal.words), pace)?;
    let generic: BTreeSet<&str> = GENERIC.split_whitespace().collect();
    let mut found = Vec::new();
    for goal in goals {
        pace.step()?;
        let only_here = |word: &&String| all.holding(word) == 1 && !generic.contains(word.as_str());
        let own: BTreeSet<String> = goal.words.iter().filter(only_here).cloned().collect();
        found.push(if own.is_empty() { goal.words.clone() } else { own });
    }
    Ok(found)
}

/// Stems that say that something is wanted, not what.
const GENERIC: &str = "\
    reduc improv increas rais lower shar rate prevent avoid go goe becom come eas easi simpl better clear time tim work chang creat add show see want take tak \
    way best least less fewer help start set percent day minut second hour week month";

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

#[cfg(test)]
mod tests {
    use super::super::Check;
    use super::super::tests::with_papers;

    fn is_served(title: &str, goal: &str, requirement: &str) -> bool {
        let prd = format!("# {title}\n\n## Goals\n\n- {goal}\n- Visitors learn about the opening hours.\n");
        let text = format!(
            "# {title}\n\n## Requirements\n\n- R1: {requirement}\n- R2: The page lists the opening hours.\n- R3: The page loads quickly.\n- R4: The page has a map.\n"
        );
        with_papers(&text, Some(&prd), |papers| Check::Goals.look(papers).unwrap().defects.is_empty())
    }

    #[test]
    fn one_shared_word_that_names_the_feature_does_not_serve_a_goal() {
        for (title, goal, requirement) in [
            (
                "Order export",
                "An export never contains payment card numbers.",
                "When an export takes longer than 60 seconds, it is stopped.",
            ),
            (
                "Ticket shop",
                "A ticket cannot be resold above its printed price.",
                "A ticket is sent as a picture.",
            ),
        ] {
            assert!(!is_served(title, goal, requirement), "{goal}");
        }
    }

    #[test]
    fn a_requirement_that_speaks_of_the_goal_serves_it() {
        for (title, goal, requirement) in [
            (
                "Order export",
                "An export never contains payment card numbers.",
                "Card numbers are left out of every file.",
            ),
            ("Audit log", "The log is trustworthy.", "Nobody can change the log."),
            ("Ticket shop", "A ticket cannot be resold above its printed price.", "Resold tickets are void."),
        ] {
            assert!(is_served(title, goal, requirement), "{goal}");
        }
    }
}
