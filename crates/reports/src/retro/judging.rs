//! Judges lessons of earlier features by this one: asks the question, and reads what an answer is worth.
//!
//! Which lessons are asked about is decided elsewhere; one dispatch asks about all of them. A challenge counts only
//! where it names what contradicts the lesson, out of what was sent: a file of the change, a finding, the report of a
//! task, or words that stand there. An unclear answer is [`LessonStance::Skipped`], which changes nothing. Start at
//! [`judge_bundle`]; its result reads the answer ([`Judgements::read`]).

use super::FeatureChange;
use super::answer::plain;
use super::bundle::{git_summary, shortened};
use redraft_core::pipeline::Pipeline;
use redraft_documents::answer::json;
use redraft_documents::report::NONE;
use redraft_facts::event::{Entry, Event};
use redraft_facts::prelude::*;
use redraft_facts::text::{fenced, one_line};
use redraft_facts::ticket::Unit;
use redraft_facts::usage::grouped;
use serde_json::{Map, Value};

/// The maximum size of the question. Some 60 lessons of the usual length fit next to a large feature; a bank that needs
/// more has to be cleaned up, and no answer to all of it would be careful.
pub const JUDGE_TOKENS_MAX: u64 = 24_000;
/// A fixed estimate on the safe side, because it decides what is sent.
const CHARS_PER_TOKEN: u64 = 3;
const DECISIONS_CHARS_MAX: usize = 12_000;
const FINDINGS_CHARS_MAX: usize = 16_000;
const FINDING_CHARS_MAX: usize = 400;
const WHY_CHARS_MAX: usize = 300;
const CHALLENGE_CHARS_MAX: usize = 400;
/// A shorter text contradicts nothing in particular.
const CHALLENGE_WORDS_MIN: usize = 4;
/// Fewer words occur in any text by chance.
const QUOTE_WORDS_MIN: usize = 3;

/// A lesson of an earlier feature, and why it is judged by this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Older<'a> {
    /// `anti-pattern`, `heuristic`
    pub kind: &'a str,
    pub name: &'a str,
    pub text: &'a str,
    pub why: &'a str,
}

/// The question, and everything that an answer may refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judging {
    /// What is sent.
    pub text: String,
    /// The lessons in the order they are asked about.
    pub names: Vec<String>,
    /// What this feature did, in lower case and on one line, so that a quotation can be searched for.
    material: String,
    files: Vec<String>,
    findings: Vec<String>,
    tasks: Vec<String>,
}

/// The judgement of one lesson by this feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LessonStance {
    Confirmed,
    /// With the specific contradiction.
    Challenged(String),
    Skipped,
}

/// The question. An error where it is too large to be asked at once; then nothing is judged.
pub fn judge_bundle(
    older: &[Older<'_>],
    pipeline: &Pipeline,
    entries: &[Entry],
    change: &FeatureChange,
) -> Result<Judging, String> {
    let findings: Vec<_> = pipeline.standing().flat_map(|one| &one.findings).collect();
    let found: String = findings
        .iter()
        .map(|one| {
            let (id, severity, status) = (&one.id, one.severity, one.status.name());
            let (place, text) = (one_line(&one.place(), 200), one_line(&one.description, FINDING_CHARS_MAX));
            format!("{id} [{severity}, {status}] {place}: {text}\n")
        })
        .collect();
    let decided = decisions(entries);
    let decisions: String = decided.iter().map(|(_, text)| text.as_str()).collect();
    let block = |text: &str, chars_max, none: &str| match text {
        "" => format!("{none}\n"),
        text => fenced("", &shortened(text, chars_max)),
    };
    let material = [
        format!("### Files\n\n{}", git_summary(change)),
        format!("### Decisions\n\n{}", block(&decisions, DECISIONS_CHARS_MAX, "No decision is recorded.")),
        format!("### Findings\n\n{}", block(&found, FINDINGS_CHARS_MAX, "No finding was raised.")),
    ]
    .join("\n");
    let lessons: String = (1..).zip(older).map(|(number, one)| lesson(number, one)).collect();
    let text = format!("## Lessons of Earlier Features\n{lessons}\n## What This Feature Did\n\n{material}");
    let tokens = (text.chars().count() as u64).div_ceil(CHARS_PER_TOKEN);
    if tokens > JUDGE_TOKENS_MAX {
        return Err(format!(
            "{} lessons are about {} tokens with what they are held against, and at most {} are sent",
            older.len(),
            grouped(tokens),
            grouped(JUDGE_TOKENS_MAX)
        ));
    }
    Ok(Judging {
        text,
        names: older.iter().map(|one| one.name.to_owned()).collect(),
        material: folded(&material),
        files: change.files.iter().map(|(path, ..)| path.to_lowercase()).collect(),
        findings: findings.iter().map(|one| one.id.as_str().to_lowercase()).collect(),
        tasks: decided.into_iter().filter_map(|(task, _)| Some(task?.to_lowercase())).collect(),
    })
}

/// An answer refers to it as `B1`: a name may be long, and two kinds may have the same.
fn lesson(number: usize, one: &Older<'_>) -> String {
    let (kind, name, why) =
        (one_line(one.kind, 40), one_line(one.name, 200), one_line(one.why, WHY_CHARS_MAX));
    format!(
        "\n### B{number}, {kind}: {name}\n\nWhy it is asked about: {why}\n\n{}",
        fenced("markdown", one.text)
    )
}

/// What was decided, done otherwise, or left as a concern, by task; the last report of each task counts.
fn decisions(entries: &[Entry]) -> Vec<(Option<String>, String)> {
    let mut last: Vec<(String, Option<String>, String)> = Vec::new();
    for entry in entries {
        let Event::Built(built) = &entry.event else { continue };
        let task = match &built.ticket.unit {
            Unit::Task(id) => Some(id.to_string()),
            Unit::Whole => None,
        };
        let of = task.as_ref().map_or_else(|| built.ticket.purpose.to_string(), |id| format!("task {id}"));
        let report = &built.report;
        let parts =
            [("decided", &report.decisions), ("deviated", &report.deviations), ("concern", &report.concerns)];
        let parts = parts.into_iter().filter(|(_, said)| !is_none(said));
        let text: String = parts
            .map(|(what, said)| format!("{of}, {what}: {}\n", one_line(said, FINDING_CHARS_MAX)))
            .collect();
        last.retain(|(known, ..)| *known != of);
        if !text.is_empty() {
            last.push((of, task, text));
        }
    }
    last.into_iter().map(|(_, task, text)| (task, text)).collect()
}

fn is_none(said: &str) -> bool {
    let said = said.trim().trim_end_matches('.').to_lowercase();
    said.is_empty() || said == NONE
}

/// The judgements of an answer on the lessons it was asked about.
#[derive(Debug)]
pub struct Judgements;

impl Judgements {
    /// One for every lesson that was asked about, in that order. An error where nothing in the answer can be read.
    pub fn read(text: &str, asked: &Judging) -> Result<Vec<(String, LessonStance)>, String> {
        let found = json::last_object_with("judgements", text);
        let object = found.last.ok_or_else(|| match found.broken {
            true => "the answer holds judgements that break off or are not JSON".to_owned(),
            false => "the answer holds no JSON object with `judgements`".to_owned(),
        })?;
        let Some(list) = object.get("judgements").and_then(Value::as_array) else {
            return Err("`judgements` is no list".to_owned());
        };
        let mut stances: Vec<Option<LessonStance>> = vec![None; asked.names.len()];
        for judged in list.iter().filter_map(Value::as_object) {
            let Some(place) = asked.place(&said(judged, &["entry", "id", "name"])) else { continue };
            let Some(stance) = stances.get_mut(place) else { continue };
            let now = asked.stance(judged);
            // An answer that says two different things about one lesson has not judged it.
            let same = stance.as_ref().is_none_or(|before| *before == now);
            *stance = Some(if same { now } else { LessonStance::Skipped });
        }
        let stances = stances.into_iter().map(|stance| stance.unwrap_or(LessonStance::Skipped));
        Ok(asked.names.iter().cloned().zip(stances).collect())
    }
}

impl Judging {
    /// The lesson that is meant by its number or, where no other has it, by its name.
    fn place(&self, entry: &str) -> Option<usize> {
        let entry = entry.trim().to_lowercase();
        let number = entry.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let number = number.strip_prefix('b').and_then(|digits| digits.parse::<usize>().ok());
        let named = || {
            let mut same = self.names.iter().enumerate().filter(|(_, name)| name.to_lowercase() == entry);
            same.next().filter(|_| same.next().is_none()).map(|(place, _)| place)
        };
        named().or_else(|| number?.checked_sub(1).filter(|place| *place < self.names.len()))
    }

    fn stance(&self, judged: &Map<String, Value>) -> LessonStance {
        match said(judged, &["judgement", "stance", "status", "verdict"]).to_lowercase().as_str() {
            "confirmed" | "confirm" => LessonStance::Confirmed,
            "challenged" | "challenge" | "contradicted" => {
                self.challenge(judged).unwrap_or(LessonStance::Skipped)
            }
            _ => LessonStance::Skipped,
        }
    }

    fn challenge(&self, judged: &Map<String, Value>) -> Option<LessonStance> {
        let text = plain(&said(judged, &["contradiction", "text", "reason", "note"]), CHALLENGE_CHARS_MAX);
        let cites: Vec<String> = match judged.get("cites") {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Some(Value::String(cite)) => vec![cite.clone()],
            _ => Vec::new(),
        };
        let says_something = text.split_whitespace().count() >= CHALLENGE_WORDS_MIN;
        let cited = self.cites(&text) || cites.iter().any(|cite| self.cites(cite) || self.quotes(cite));
        (says_something && cited).then_some(LessonStance::Challenged(text))
    }

    /// Whether a text names a file of the change, a finding or a task with decisions, or quotes what was sent.
    fn cites(&self, text: &str) -> bool {
        let words: Vec<String> = text.split_whitespace().map(bare).collect();
        let file = |word: &String| {
            let path = word.split([':', '#']).next().unwrap_or_default();
            let name = |file: &String| file.rsplit('/').next() == Some(path) && path.contains('.');
            !path.is_empty() && self.files.iter().any(|file| file == path || name(file))
        };
        let finding = |word: &String| self.findings.contains(word);
        let task = |pair: &[String]| matches!(pair, [of, id] if of == "task" && self.tasks.contains(id));
        words.iter().any(|word| file(word) || finding(word))
            || words.windows(2).any(task)
            || ['"', '`']
                .into_iter()
                .any(|mark| text.split(mark).skip(1).step_by(2).any(|part| self.quotes(part)))
            || quoted(text).any(|part| self.quotes(part))
    }

    fn quotes(&self, text: &str) -> bool {
        let text = folded(text.trim_matches(['"', '`', '“', '”', ' ']));
        text.split(' ').count() >= QUOTE_WORDS_MIN && self.material.contains(&text)
    }
}

/// What stands between curly quotation marks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('“').skip(1).filter_map(|part| part.split_once('”')).map(|(inside, _)| inside)
}

/// A word without what stands around it.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '_')).to_lowercase()
}

fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

fn said(object: &Map<String, Value>, names: &[&str]) -> String {
    let texts = names.iter().filter_map(|name| object.get(*name)).filter_map(Value::as_str);
    texts.map(str::trim).find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}
