//! Reads the answer of a retrospective's facilitator: observations, recommendations, and lessons for later features.
//!
//! Read like a verdict: the last object of the wanted form counts, whatever surrounds it, and other shapes of the same
//! thing are understood. Unlike a verdict it decides nothing, so what cannot be understood is left out. Its numbers are
//! not checked here; see [`super::numeral`]. Start at [`RetroAnswer::read`].

use super::numeral::{KnownNumbers, first_unknown_number};
use redraft_documents::answer::json;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use serde_json::{Map, Value};

/// More items of one list are left out: a page that nobody reads to its end teaches nothing.
const OBSERVATIONS_MAX: usize = 8;
const RECOMMENDATIONS_MAX: usize = 5;
/// For each of the three lists of lessons. Every lesson is sent to later features, so few and good ones are wanted.
const LESSONS_MAX: usize = 3;
/// The other fields of an answer with observations.
const OTHERS: [&str; 4] = ["recommendations", "patterns", "anti_patterns", "heuristics"];
const NAME_CHARS_MAX: usize = 80;
const TEXT_CHARS_MAX: usize = 600;
const EVIDENCE_CHARS_MAX: usize = 300;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetroAnswer {
    pub observations: Vec<Observation>,
    pub recommendations: Vec<Recommendation>,
    pub patterns: Vec<NewLesson>,
    pub anti_patterns: Vec<NewLesson>,
    pub heuristics: Vec<NewLesson>,
    /// How many items a list had beyond its maximum.
    pub beyond: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub text: String,
    pub evidence: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recommendation {
    pub text: String,
    pub evidence: String,
    pub confidence: Confidence,
}

/// A lesson that is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLesson {
    pub kind: LessonKind,
    pub name: String,
    pub text: String,
    /// Where it was seen, in the words of the agent that saw it; may be empty.
    pub provenance: String,
    pub confidence: Confidence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LessonKind {
    AntiPattern,
    Heuristic,
    Pattern,
}

impl LessonKind {
    pub fn name(self) -> &'static str {
        match self {
            LessonKind::AntiPattern => "anti-pattern",
            LessonKind::Heuristic => "heuristic",
            LessonKind::Pattern => "pattern",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    Low,
    Medium,
    High,
}

impl Confidence {
    pub const ALL: [Confidence; 3] = [Confidence::Low, Confidence::Medium, Confidence::High];

    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }

    /// Anything that is not clearly one of the three counts as low.
    fn parse(word: &str) -> Confidence {
        let word = word.trim().to_lowercase();
        Confidence::ALL.into_iter().find(|one| one.name() == word).unwrap_or(Confidence::Low)
    }
}

impl RetroAnswer {
    /// The error says why nothing of it can be used.
    pub fn read(text: &str) -> Result<RetroAnswer, String> {
        let flat = json::last_object_with("observations", text);
        // In the format of the original workflow the lists are one level down, where `observations` has no other list
        // next to it.
        let whole = |object: &Map<String, Value>| OTHERS.iter().any(|name| object.contains_key(*name));
        let nested = json::last_object_with("act", text);
        let broken = nested.broken || flat.broken;
        let object = match (flat.last, nested.last) {
            (Some(flat), nested) => {
                if whole(&flat) {
                    flat
                } else {
                    nested.unwrap_or(flat)
                }
            }
            (None, Some(nested)) => nested,
            (None, None) if broken => {
                return Err("the answer holds a retrospective that breaks off or is not JSON".to_owned());
            }
            (None, None) => return Err("the answer holds no JSON object with `observations`".to_owned()),
        };
        let mut beyond = 0;
        let observations = listed(&object, "review", "observations", OBSERVATIONS_MAX, &mut beyond);
        let recommendations = listed(&object, "tune", "recommendations", RECOMMENDATIONS_MAX, &mut beyond);
        let mut lessons = |kind, name| {
            let entries = listed(&object, "act", name, LESSONS_MAX, &mut beyond);
            entries.iter().filter_map(|value| lesson(kind, value)).collect::<Vec<NewLesson>>()
        };
        let patterns = lessons(LessonKind::Pattern, "patterns");
        let anti_patterns = lessons(LessonKind::AntiPattern, "anti_patterns");
        let heuristics = lessons(LessonKind::Heuristic, "heuristics");
        Ok(RetroAnswer {
            observations: observations.iter().filter_map(|value| observation(value)).collect(),
            recommendations: recommendations.iter().filter_map(|value| recommendation(value)).collect(),
            patterns,
            anti_patterns,
            heuristics,
            beyond,
        })
    }
}

/// The lessons that are worth keeping: each once, and none with a number in it. What was counted in one feature is no
/// rule for the next, and neither is a made-up bound.
pub fn new_entries(answer: &RetroAnswer) -> Vec<NewLesson> {
    let nothing = KnownNumbers::empty();
    let numbered = |text: &str| text.contains(['{', '}']) || first_unknown_number(text, &nothing).is_some();
    let mut kept: Vec<NewLesson> = Vec::new();
    for entry in answer.anti_patterns.iter().chain(&answer.heuristics).chain(&answer.patterns) {
        let name = entry.name.to_lowercase();
        let known = kept.iter().any(|other| other.kind == entry.kind && other.name.to_lowercase() == name);
        if known || numbered(&entry.name) || numbered(&entry.text) {
            continue;
        }
        let provenance = if numbered(&entry.provenance) { String::new() } else { entry.provenance.clone() };
        kept.push(NewLesson { provenance, ..entry.clone() });
    }
    kept
}

/// A list of the answer, under its own name or within the part that it belongs to.
fn listed<'a>(
    object: &'a Map<String, Value>,
    part: &str,
    name: &str,
    max: usize,
    beyond: &mut usize,
) -> Vec<&'a Value> {
    let dashed = name.replace('_', "-");
    let within = object.get(part).and_then(Value::as_object);
    let holders = [Some(object), within].into_iter().flatten();
    let list = holders.filter_map(|holder| holder.get(name).or_else(|| holder.get(&dashed)));
    let Some(list) = list.filter_map(Value::as_array).next() else { return Vec::new() };
    *beyond += list.len().saturating_sub(max);
    list.iter().take(max).collect()
}

fn observation(value: &Value) -> Option<Observation> {
    let text = said(value, &["text", "observation", "description", "finding"], TEXT_CHARS_MAX);
    let evidence = field(value, &["evidence", "source", "cites"], EVIDENCE_CHARS_MAX);
    (!text.is_empty()).then_some(Observation { text, evidence })
}

fn recommendation(value: &Value) -> Option<Recommendation> {
    let text = said(value, &["text", "recommendation", "action", "description"], TEXT_CHARS_MAX);
    let evidence = field(value, &["evidence", "source", "rationale"], EVIDENCE_CHARS_MAX);
    let confidence = Confidence::parse(&field(value, &["confidence"], NAME_CHARS_MAX));
    (!text.is_empty()).then_some(Recommendation { text, evidence, confidence })
}

fn lesson(kind: LessonKind, value: &Value) -> Option<NewLesson> {
    let name = field(value, &["name", "title"], NAME_CHARS_MAX);
    // It becomes a heading, and the file it stands in says the kind.
    let name = name.trim_start_matches(['#', '*', '`', ' ']).trim_end_matches(['*', '`', ' ']);
    let label = name.split_once(':').filter(|(label, _)| {
        let label = label.trim().to_lowercase();
        ["anti-pattern", "antipattern", "anti pattern", "heuristic", "pattern"].contains(&label.as_str())
    });
    let name = label.map_or(name, |(_, rest)| rest.trim()).to_owned();
    let text = field(value, &["text", "description", "lesson"], TEXT_CHARS_MAX);
    let provenance = field(value, &["provenance", "observed_in", "source", "evidence"], EVIDENCE_CHARS_MAX);
    let confidence = Confidence::parse(&field(value, &["confidence"], NAME_CHARS_MAX));
    (!name.is_empty() && !text.is_empty()).then_some(NewLesson { kind, name, text, provenance, confidence })
}

/// An entry that is a text is what it says.
fn said(value: &Value, names: &[&str], chars_max: usize) -> String {
    value.as_str().map_or_else(|| field(value, names, chars_max), |text| plain(text, chars_max))
}

fn field(value: &Value, names: &[&str], chars_max: usize) -> String {
    let mut texts = names.iter().filter_map(|name| value.get(*name)).map(|value| match value {
        Value::String(text) => plain(text, chars_max),
        Value::Array(items) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            plain(&items.join("; "), chars_max)
        }
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Object(_) => String::new(),
    });
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// One line that can neither hide what follows it nor look like the beginning of something else.
pub(super) fn plain(text: &str, chars_max: usize) -> String {
    let line = one_line(text, chars_max).replace("<!--", "<!- -").replace("-->", "- ->");
    line.trim_start_matches(['#', '-', '>', '|', ' ']).to_owned()
}
