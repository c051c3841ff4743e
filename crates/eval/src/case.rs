//! A case: one document or change to be reviewed, with the defects that were planted in it, and a later revision of it.
//!
//! [`cases`] and [`code_cases`] make them; the form in which they are stored has a version.

use crate::code::{self, ChangeSet, PlantedChange};
use crate::draw::Draw;
use crate::plant::{DocumentSet, Plant, plant, revised};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use serde::{Deserialize, Serialize};

/// The version of the stored form.
pub const VERSION: u16 = 1;

/// Everything about a case but its texts, which are files of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub v: u16,
    /// `031-links.spec.2`; the clean one ends in `.0`.
    pub id: String,
    /// The phase that writes the document, or the code.
    pub phase: Phase,
    /// The documents that the reviewed one builds on, by name.
    pub upstream: Vec<String>,
    /// None in a clean case.
    pub plants: Vec<Plant>,
    /// None in a clean case, and where only one defect was planted.
    pub second: Option<SecondRevision>,
    /// Of a change: the files after it, by path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// A revision that fixed some defects, left one and has a new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecondRevision {
    /// Which of the case's plants is still there, with its line in this revision.
    pub left: usize,
    pub left_line: u32,
    /// None where the document had no place for one.
    pub new: Option<Plant>,
}

/// The texts of a case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseTexts {
    /// Name and text.
    pub upstream: Vec<(String, String)>,
    /// The document; of a change, its diff.
    pub first: String,
    pub second: Option<String>,
    /// Of a change: its files by path, in both revisions.
    pub files: Vec<(String, String)>,
    pub second_files: Vec<(String, String)>,
    /// Of a change: what its commits say of it.
    pub intent: String,
}

/// Why a stored case cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCase {
    #[error("it is not a case: {0}")]
    Unreadable(String),
    #[error("it has version {0}, and this redraft reads version {VERSION}")]
    Version(u16),
}

impl Case {
    /// The name of the reviewed document.
    pub fn artifact(&self) -> &'static str {
        self.phase.artifact()
    }

    /// Whether a change is reviewed, and no document.
    pub fn is_code(&self) -> bool {
        self.phase == Phase::Implement
    }

    pub fn is_clean(&self) -> bool {
        self.plants.is_empty()
    }

    pub fn read(json: &str) -> Result<Case, BadCase> {
        #[derive(Deserialize)]
        struct Versioned {
            v: u16,
        }
        let unreadable = |error: serde_json::Error| BadCase::Unreadable(error.to_string());
        let Versioned { v } = serde_json::from_str(json).map_err(unreadable)?;
        if v != VERSION {
            return Err(BadCase::Version(v));
        }
        serde_json::from_str(json).map_err(unreadable)
    }

    /// The stored form.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// The cases of one document: a clean one, and `count` with up to `plants` defects each. Fewer where the document has no
/// place for a defect.
pub fn cases(
    name: &str,
    phase: Phase,
    set: &DocumentSet,
    count: usize,
    plants: usize,
    seed: u64,
) -> Vec<(Case, CaseTexts)> {
    let id = |number: usize| format!("{name}.{}.{number}", phase.artifact().trim_end_matches(".md"));
    let case = |number: usize, plants: Vec<Plant>, second: Option<SecondRevision>| Case {
        v: VERSION,
        id: id(number),
        phase,
        upstream: set.upstream.iter().map(|(name, _)| name.clone()).collect(),
        plants,
        second,
        files: Vec::new(),
    };
    let texts = |first: &str, second: Option<String>| CaseTexts {
        upstream: set.upstream.clone(),
        first: first.to_owned(),
        second,
        ..CaseTexts::default()
    };
    let mut made = vec![(case(0, Vec::new(), None), texts(&set.text, None))];
    for number in 1..=count {
        let mut draw = Draw::new(seed, &id(number));
        let planted = plant(set, plants, &mut draw);
        if planted.plants.is_empty() {
            break;
        }
        // What is planted twice is counted once.
        if made.iter().any(|(_, texts)| texts.first == planted.text) {
            continue;
        }
        if planted.plants.len() < 2 {
            made.push((case(number, planted.plants, None), texts(&planted.text, None)));
            continue;
        }
        let left = draw.below(planted.plants.len());
        let (second, new) = revised(set, &planted, &[left], &mut draw);
        let kind = planted.plants[left].kind;
        let left_line = second.plants.iter().find(|plant| plant.kind == kind).map_or(0, |plant| plant.line);
        let revision = SecondRevision { left, left_line, new };
        made.push((case(number, planted.plants, Some(revision)), texts(&planted.text, Some(second.text))));
    }
    made
}

/// The cases of one change: a clean one, and `count` with up to `plants` defects each. Fewer where the change has no place
/// for a defect.
pub fn code_cases(
    name: &str,
    change: &ChangeSet,
    count: usize,
    plants: usize,
    seed: u64,
) -> Vec<(Case, CaseTexts)> {
    let id = |number: usize| format!("{name}.code.{number}");
    let made_of = |number: usize, planted: PlantedChange, second: Option<(SecondRevision, PlantedChange)>| {
        let (revision, second) = second.unzip();
        let case = Case {
            v: VERSION,
            id: id(number),
            phase: Phase::Implement,
            upstream: Vec::new(),
            plants: planted.plants,
            second: revision,
            files: planted.files.iter().map(|(path, _)| path.clone()).collect(),
        };
        let (second, second_files) = second.map(|second| (second.diff, second.files)).unzip();
        let texts = CaseTexts {
            upstream: Vec::new(),
            first: planted.diff,
            second,
            files: planted.files,
            second_files: second_files.unwrap_or_default(),
            intent: change.intent.clone(),
        };
        (case, texts)
    };
    let mut made = vec![made_of(0, code::clean(change), None)];
    for number in 1..=count {
        let mut draw = Draw::new(seed, &id(number));
        let planted = code::plant(change, plants, &mut draw);
        if planted.plants.is_empty() {
            break;
        }
        // What is planted twice is counted once.
        if made.iter().any(|(_, texts)| texts.first == planted.diff && texts.files == planted.files) {
            continue;
        }
        if planted.plants.len() < 2 {
            made.push(made_of(number, planted, None));
            continue;
        }
        let left = draw.below(planted.plants.len());
        let (second, new) = code::revised(change, &planted, &[left], &mut draw);
        let kind = planted.plants[left].kind;
        let left_line = second.plants.iter().find(|plant| plant.kind == kind).map_or(0, |plant| plant.line);
        let revision = SecondRevision { left, left_line, new };
        made.push(made_of(number, planted, Some((revision, second))));
    }
    made
}

#[cfg(test)]
mod tests;
