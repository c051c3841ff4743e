//! Lets a second role classify the findings that no planted defect explains: material, minor or wrong.
//!
//! The judge sees the clean document and the findings of all arms, in an order that says nothing about them, without their
//! severity. What it says is kept by the finding's [`key`], so nothing is asked twice; the material defects of a document
//! are numbered once and stay ([`Union`]). Start at [`pending`].

use crate::case::{Case, CaseTexts};
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::prelude::*;
use redraft_facts::text::{self, one_line};
use redraft_facts::verdict::Issue;
use serde::{Deserialize, Serialize};

/// The role that judges.
pub const ROLE: &str = "finding-judge";
/// The form of its answer.
pub const SCHEMA: &str = include_str!("../texts/judge.schema.json");
const RULES: &str = include_str!("../texts/finding-judge.md");

/// The version of both stored forms.
pub const VERSION: u16 = 1;
/// How many findings one prompt asks about.
pub const FINDINGS_MAX: usize = 100;
/// Of one field of a finding.
const FIELD_CHARS_MAX: usize = 1_200;

/// A finding that no plant explains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtraFinding {
    pub key: String,
    pub file: String,
    pub line: u32,
    pub quote: String,
    pub description: String,
}

impl ExtraFinding {
    pub fn new(document: &str, issue: &Issue) -> ExtraFinding {
        ExtraFinding {
            key: key(document, issue),
            file: one_line(&issue.file, FIELD_CHARS_MAX),
            line: issue.line,
            quote: one_line(&issue.quote, FIELD_CHARS_MAX),
            description: one_line(&issue.description, FIELD_CHARS_MAX),
        }
    }
}

/// What a finding about a document is known by, whichever arm made it.
pub fn key(document: &str, issue: &Issue) -> String {
    let words = [document, &issue.file, &issue.quote, &issue.description].join("\n");
    let hash = text::hash(words.as_bytes()).to_string();
    hash.get(..16).unwrap_or(&hash).to_owned()
}

/// The document or change that a case was made from: `031-links.spec` of `031-links.spec.2`.
pub fn document_of(case: &str) -> &str {
    case.rsplit_once('.').map_or(case, |(document, _)| document)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Whoever goes on from the document would do something wrong.
    Material,
    /// True, and of little consequence.
    Minor,
    Wrong,
}

/// Findings that are judged together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedSet {
    pub v: u16,
    pub document: String,
    /// The first is `F1` in the prompt.
    pub findings: Vec<ExtraFinding>,
}

/// What judges have said so far. What is in it stays as it is; later judgements only add to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Union {
    pub v: u16,
    pub documents: BTreeMap<String, JudgedDocument>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedDocument {
    /// The material defects of the clean document, over all arms. The first is `D1`.
    pub defects: Vec<JudgedDefect>,
    /// By key.
    pub findings: BTreeMap<String, ClassedFinding>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedDefect {
    pub id: String,
    pub file: String,
    pub line: u32,
    pub what: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassedFinding {
    pub class: Class,
    /// Which material defect it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defect: Option<String>,
    pub reason: String,
}

/// Why a stored form cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadJudgement {
    #[error("it is not what a judge left: {0}")]
    Unreadable(String),
    #[error("it has version {0}, and this redraft reads version {VERSION}")]
    Version(u16),
}

/// Reads a stored set or union.
pub fn read<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, BadJudgement> {
    #[derive(Deserialize)]
    struct Versioned {
        v: u16,
    }
    let unreadable = |error: serde_json::Error| BadJudgement::Unreadable(error.to_string());
    let Versioned { v } = serde_json::from_str(json).map_err(unreadable)?;
    if v != VERSION {
        return Err(BadJudgement::Version(v));
    }
    serde_json::from_str(json).map_err(unreadable)
}

/// The stored form.
pub fn to_json(stored: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(stored).unwrap_or_default();
    text.push('\n');
    text
}

impl Default for Union {
    fn default() -> Union {
        Union { v: VERSION, documents: BTreeMap::new() }
    }
}

/// The next findings of a document that nobody has classed, as many as one prompt asks about. None while a set of the
/// document has no answer: the judge of the next one is shown the defects that are known by then, so that two findings
/// about one defect are joined also where they are in two prompts.
pub fn pending(
    document: &str,
    found: &BTreeMap<String, ExtraFinding>,
    union: &Union,
    unanswered: &[JudgedSet],
) -> Option<JudgedSet> {
    if unanswered.iter().any(|set| set.document == document) {
        return None;
    }
    let judged = union.documents.get(document);
    let known = |key: &String| judged.is_some_and(|judged| judged.findings.contains_key(key));
    // In the order of their keys, which are as good as random: neighbours come from any arm.
    let left = found.iter().filter(|(key, _)| !known(key)).map(|(_, finding)| finding.clone());
    let findings: Vec<ExtraFinding> = left.take(FINDINGS_MAX).collect();
    (!findings.is_empty()).then(|| JudgedSet { v: VERSION, document: document.to_owned(), findings })
}

/// What the judge of a set is sent. `clean` is the case without a defect.
pub fn prompt(clean: &Case, texts: &CaseTexts, union: &Union, set: &JudgedSet) -> Prompt {
    let (kind, name) = if clean.is_code() { ("diff", "The Change") } else { ("markdown", clean.artifact()) };
    let mut documents = String::new();
    for (name, text) in &texts.upstream {
        documents.push_str(&format!("## {name}\n\n{}\n", text::fenced("markdown", text)));
    }
    documents.push_str(&format!("## {name}\n\n{}", text::fenced(kind, &texts.first)));
    let mut asked = String::new();
    let defects =
        union.documents.get(&set.document).map(|judged| judged.defects.as_slice()).unwrap_or_default();
    if !defects.is_empty() {
        asked.push_str("## Defects That Are Known\n\n");
        let line = |defect: &JudgedDefect| format!("- {}: {}\n", defect.id, defect.what);
        defects.iter().map(line).for_each(|line| asked.push_str(&line));
        asked.push('\n');
    }
    asked.push_str("## Findings to Judge\n");
    for (at, finding) in set.findings.iter().enumerate() {
        asked.push_str(&format!("\n### F{}\n\nAt: {}:{}\n", at + 1, finding.file, finding.line));
        if !finding.quote.is_empty() {
            asked.push_str(&format!("Quote: {}\n", finding.quote));
        }
        asked.push_str(&format!("Finding: {}\n", finding.description));
    }
    Prompt {
        constant: vec![Fragment::new("judge-rules", RULES)],
        feature: vec![Fragment::new("documents", documents)],
        role: Vec::new(),
        turn: vec![Fragment::new("findings", asked)],
    }
}

/// The ids of the findings that a prompt asks about.
pub fn ids(prompt: &Prompt) -> Vec<&str> {
    let asked = prompt.get("findings").unwrap_or_default();
    asked.lines().filter_map(|line| line.strip_prefix("### ")).collect()
}

#[derive(Deserialize)]
struct Judgements {
    findings: Vec<Judgement>,
}

#[derive(Deserialize)]
struct Judgement {
    id: String,
    class: Class,
    #[serde(default)]
    same_as: String,
    #[serde(default)]
    reason: String,
}

impl Union {
    /// Takes in what a judge said of a set; returns how many of its findings have a class now. An answer without the form
    /// changes nothing, and a finding that has a class keeps it.
    pub fn take(&mut self, set: &JudgedSet, answer: &str) -> usize {
        let object = answer.find('{').zip(answer.rfind('}')).and_then(|(from, to)| answer.get(from..=to));
        let Some(Judgements { findings }) = object.and_then(|json| serde_json::from_str(json).ok()) else {
            return 0;
        };
        let judged = self.documents.entry(set.document.clone()).or_default();
        for Judgement { id, class, same_as, reason } in findings {
            let Some(finding) = place(&id).and_then(|place| set.findings.get(place)) else { continue };
            if judged.findings.contains_key(&finding.key) {
                continue;
            }
            let defect = (class == Class::Material).then(|| judged.defect(set, &same_as, finding));
            let reason = one_line(&reason, FIELD_CHARS_MAX);
            judged.findings.insert(finding.key.clone(), ClassedFinding { class, defect, reason });
        }
        set.findings.iter().filter(|finding| judged.findings.contains_key(&finding.key)).count()
    }

    /// How many findings have a class.
    pub fn classed(&self) -> usize {
        self.documents.values().map(|judged| judged.findings.len()).sum()
    }

    pub fn class_of(&self, document: &str, key: &str) -> Option<&ClassedFinding> {
        self.documents.get(document)?.findings.get(key)
    }
}

impl JudgedDocument {
    /// The defect that a finding is about: one that is known, or a new one.
    fn defect(&mut self, set: &JudgedSet, same_as: &str, finding: &ExtraFinding) -> String {
        let known =
            self.defects.iter().find(|defect| defect.id == same_as.trim()).map(|defect| defect.id.clone());
        let same = || {
            let other = set.findings.get(place(same_as)?)?;
            self.findings.get(&other.key)?.defect.clone()
        };
        if let Some(id) = known.or_else(same) {
            return id;
        }
        let id = format!("D{}", self.defects.len() + 1);
        let ExtraFinding { file, line, description, .. } = finding.clone();
        self.defects.push(JudgedDefect { id: id.clone(), file, line, what: description });
        id
    }
}

/// The place of `F3` in its set.
fn place(id: &str) -> Option<usize> {
    id.trim().strip_prefix('F')?.parse::<usize>().ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests;
