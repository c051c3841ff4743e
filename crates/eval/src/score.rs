//! Counts what an answer found of what was planted.
//!
//! A finding is taken for a plant if it has a word of each of the plant's groups, and either stands near it, or has two of
//! its words with an id, a number or a name in code among them, or three others. What no plant explains is only
//! counted and kept for a judge: a program cannot say whether it is right.

use crate::arm::ReviewRound;
use crate::case::Case;
use crate::judge::{self, ExtraFinding};
use crate::plant::{Plant, PlantKind};
use redraft_documents::answer;
use redraft_facts::findings::Threshold;
use redraft_facts::prelude::*;
use redraft_facts::verdict::{AnswerStatus, Issue, Severity, Verdict};
use serde::Serialize;

/// How a defect was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Caught {
    /// By something that stands in the way of an approval.
    Blocking,
    /// By something that does not.
    Otherwise,
    Missed,
}

/// What an answer found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Scored {
    /// False where nothing in the answer can count as a verdict; then nothing was found.
    pub readable: bool,
    /// What the answer itself says.
    pub approved: bool,
    /// Whether it has a finding that stands in the way of an approval.
    pub blocks: bool,
    /// For each defect of the reviewed revision: those of the case in a first review, the new one in a second.
    pub plants: Vec<Caught>,
    /// In a second review: whether the defect that was left is said not to be fixed.
    pub left: Option<bool>,
    /// In a second review: defects that were fixed and are reported all the same.
    pub again: usize,
    /// What stands in the way of an approval and no plant explains.
    pub extra_blocking: usize,
    /// The rest of what no plant explains.
    pub extra_other: usize,
    /// What stands in the way of an approval and is a plant.
    pub planted_blocking: usize,
    /// Everything that no plant explains, for a judge.
    pub extras: Vec<ScoredExtra>,
    pub words: usize,
}

/// A finding that no plant explains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScoredExtra {
    pub finding: ExtraFinding,
    pub blocking: bool,
}

impl Scored {
    /// The same as far as it is a role's work: only the defects that the role is to find count. Without a role all do.
    pub fn of_role(mut self, case: &Case, round: ReviewRound, role: Option<&str>) -> Scored {
        let Some(role) = role else { return self };
        let kinds: Vec<PlantKind> = match (round, &case.second) {
            (ReviewRound::Second, Some(second)) => second.new.iter().map(|plant| plant.kind).collect(),
            _ => case.plants.iter().map(|plant| plant.kind).collect(),
        };
        let mut kinds = kinds.into_iter();
        self.plants.retain(|_| kinds.next().is_some_and(|kind| kind.is_for(role)));
        let left = case.second.as_ref().and_then(|second| case.plants.get(second.left));
        self.left = self.left.filter(|_| left.is_some_and(|plant| plant.kind.is_for(role)));
        self
    }

    /// What several reviewers of one case found together; each must have looked for all defects.
    pub fn together(all: &[Scored]) -> Option<Scored> {
        let mut all = all.iter().cloned();
        let mut sum = all.next()?;
        for one in all {
            for (sum, one) in sum.plants.iter_mut().zip(&one.plants) {
                *sum = (*sum).min(*one);
            }
            sum.readable &= one.readable;
            sum.approved &= one.approved;
            sum.blocks |= one.blocks;
            sum.left = sum.left.max(one.left);
            sum.again += one.again;
            sum.extra_blocking += one.extra_blocking;
            sum.extra_other += one.extra_other;
            sum.planted_blocking += one.planted_blocking;
            sum.extras.extend(one.extras);
            sum.words += one.words;
        }
        Some(sum)
    }

    /// Defects that were caught by something that blocks; in a second review also the one that was left.
    pub fn right_blockers(&self) -> usize {
        let caught = self.plants.iter().filter(|caught| **caught == Caught::Blocking).count();
        caught + usize::from(self.left == Some(true))
    }
}

/// How far from a defect a finding about it may be placed.
const LINES_NEAR: u32 = 3;
/// This many telling words of a plant make a finding about it, wherever it is placed; fewer if one of them is an id, a
/// number or a name in code.
const TELLING_MIN: usize = 3;
const SPECIAL_MIN: usize = 2;

pub fn score(case: &Case, round: ReviewRound, answer: &str, rule: Threshold) -> Scored {
    let parsed = answer::parse(answer.as_bytes()).verdict;
    let readable = parsed.is_some();
    let verdict = parsed.unwrap_or_default();
    let words = answer.split_whitespace().count();
    let there: Vec<Plant> = match (round, &case.second) {
        (ReviewRound::First, _) | (_, None) => case.plants.clone(),
        // What was fixed or left is reported by its id, and repeats are counted apart.
        (ReviewRound::Second, Some(second)) => {
            let old = case.plants.iter().enumerate().map(|(at, plant)| match at == second.left {
                true => Plant { line: second.left_line, ..plant.clone() },
                // What was fixed has no place any more.
                false => Plant { line: 0, ..plant.clone() },
            });
            second.new.iter().cloned().chain(old).collect()
        }
    };
    let explained: Vec<Option<usize>> =
        verdict.issues.iter().map(|issue| explaining(issue, &there)).collect();
    let blocks = |severity: Severity| severity >= rule.least();
    let caught = |place: usize| {
        let found = verdict.issues.iter().zip(&explained).filter(|(_, plant)| **plant == Some(place));
        match found.map(|(issue, _)| issue.severity).max() {
            Some(severity) if blocks(severity) => Caught::Blocking,
            Some(_) => Caught::Otherwise,
            None => Caught::Missed,
        }
    };
    let issues = || verdict.issues.iter().zip(&explained);
    let extra = |blocking: bool| {
        issues().filter(|(issue, plant)| plant.is_none() && blocks(issue.severity) == blocking).count()
    };
    let document = judge::document_of(&case.id);
    let extras = issues().filter(|(_, plant)| plant.is_none()).map(|(issue, _)| ScoredExtra {
        finding: ExtraFinding::new(document, issue),
        blocking: blocks(issue.severity),
    });
    let (plants, left, again) = match (round, &case.second) {
        (ReviewRound::Second, Some(second)) => {
            let new = second.new.iter().map(|_| caught(0)).collect();
            let first = second.new.iter().count();
            let is_left = |place: usize| place.checked_sub(first) == Some(second.left);
            let said_left = status(&verdict, second.left);
            let reported = explained.iter().flatten().any(|place| is_left(*place));
            let left = said_left == Some(AnswerStatus::NotFixed) || said_left.is_none() && reported;
            let raised = explained.iter().flatten().filter_map(|place| place.checked_sub(first));
            let not_fixed = |at: &usize| status(&verdict, *at) == Some(AnswerStatus::NotFixed);
            let again: BTreeSet<usize> = raised.chain((0..case.plants.len()).filter(not_fixed)).collect();
            let again = again.into_iter().filter(|at| *at != second.left).count();
            (new, Some(left), again)
        }
        _ => ((0..there.len()).map(caught).collect(), None, 0),
    };
    Scored {
        readable,
        approved: readable && verdict.approved,
        blocks: verdict.issues.iter().any(|issue| blocks(issue.severity)),
        plants,
        left,
        again,
        extra_blocking: extra(true),
        extra_other: extra(false),
        planted_blocking: issues().filter(|(issue, plant)| plant.is_some() && blocks(issue.severity)).count(),
        extras: extras.collect(),
        words,
    }
}

/// What a second review says about the finding at this place of the first.
fn status(verdict: &Verdict, at: usize) -> Option<AnswerStatus> {
    let number = (at + 1).to_string();
    let of = |id: &str| id.trim_start_matches(|c: char| c.is_ascii_alphabetic()) == number;
    verdict.answers.iter().find(|answer| of(&answer.id)).map(|answer| answer.status)
}

/// Which plant a finding is about: the one it fits best.
fn explaining(issue: &Issue, plants: &[Plant]) -> Option<usize> {
    let fits = plants.iter().enumerate().filter_map(|(at, plant)| Some((fit(issue, plant)?, at)));
    fits.max_by_key(|(fit, at)| (*fit, core::cmp::Reverse(*at))).map(|(_, at)| at)
}

/// How well a finding fits a plant; none if it is not about it.
fn fit(issue: &Issue, plant: &Plant) -> Option<usize> {
    let said = [&issue.description, &issue.quote, &issue.suggestion, &issue.section];
    let said = said.map(|text| text.to_lowercase()).join("\n");
    let mut hits = BTreeSet::new();
    for group in &plant.words {
        let found: Vec<&String> = group.iter().filter(|word| has_word(&said, &word.to_lowercase())).collect();
        if found.is_empty() {
            return None;
        }
        hits.extend(found);
    }
    let same_file = issue.file.is_empty() || is_same_file(&issue.file, &plant.file);
    // Words of code are in many findings about other files.
    if plant.kind.is_of_code() && !same_file {
        return None;
    }
    let from = plant.line.saturating_sub(LINES_NEAR);
    let to = plant.line.saturating_add(plant.lines).saturating_add(LINES_NEAR);
    let near = same_file && issue.line > 0 && plant.line > 0 && (from..=to).contains(&issue.line);
    // An id or a number stands in many findings; with a second word it is this one.
    let special = has_special(&hits) && !plant.kind.is_of_code();
    (near || hits.len() >= if special { SPECIAL_MIN } else { TELLING_MIN })
        .then_some(hits.len() + if near { 10 } else { 0 })
}

/// Whether a finding names the file of a plant: a document by its name, code by as much of its path as both say.
fn is_same_file(named: &str, file: &str) -> bool {
    let parts = |path: &'_ str| path.split(['/', '\\']).map(str::to_owned).rev().collect::<Vec<_>>();
    let (named, file) = (parts(named), parts(file));
    named.iter().zip(&file).all(|(one, other)| one == other)
}

/// Whether an id, a number or a name in code is among these words.
fn has_special(words: &BTreeSet<&String>) -> bool {
    words.iter().any(|word| word.contains(|c: char| c.is_ascii_digit() || c == '_'))
}

/// Whether a text has a word, and not only as part of a longer one. A plural counts.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let after = text[at + word.len()..].strip_prefix('s').unwrap_or(&text[at + word.len()..]);
        !text[..at].ends_with(part) && !after.starts_with(part)
    })
}

#[cfg(test)]
mod tests;
