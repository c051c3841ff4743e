//! Reads an agent's report on what it built from its answer.
//!
//! An agent that answers in the verdict's form puts each part of its report into `checks`, under its name. Any other
//! text is read by its headings, in whichever style they are written. A part that is missing is [`NONE`]: an incomplete
//! report is worth a note and never a failure. What it claims is kept as a claim; git and the checks say what is true.
//!
//! Start at [`read`].

use crate::answer;
use crate::page::Page;
use redraft_facts::event::Report;
use redraft_facts::phase::files_named;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::verdict;

/// What a part that was left out is taken to say.
pub const NONE: &str = "none";

/// The check by which an answer in the verdict's form says that there was nothing left to do.
pub const ALREADY: &str = "already-complete";

/// The parts of a report, in the order they are asked for.
pub const PARTS: [&str; 7] =
    ["implemented", "tested", "files-changed", "decisions", "deviations", "self-review", "concerns"];

/// A report as it was understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnderstoodReport {
    pub report: Report,
    /// Whether it says that the task was complete before anything was done.
    pub already: bool,
    /// Why it says that the task is not done: it does not approve of its own work, or does not call all of it implemented.
    pub unfinished: Option<String>,
    /// The report in one piece, for use where no parts are asked for.
    pub summary: String,
    pub notes: Vec<String>,
}

/// Reads an answer. It is `formless` if it was to be in the verdict's form and is not.
pub fn read(answer: &[u8], formless: bool) -> UnderstoodReport {
    const SUMMARY_CHARS_MAX: usize = 600;
    let parsed = if formless { None } else { answer::parse(answer).verdict };
    let text = match &parsed {
        Some(verdict) => verdict.summary.clone(),
        None => String::from_utf8_lossy(answer).into_owned(),
    };
    let mut parts = by_heading(&text);
    let mut already = says_already(&text);
    for check in parsed.iter().flat_map(|verdict| &verdict.checks) {
        if let Some(place) = part(&check.name) {
            parts[place] = check.note.trim().to_owned();
        }
        already |= check.passed && name(&check.name) == ALREADY;
    }
    let missing: Vec<&str> =
        PARTS.into_iter().zip(&parts).filter(|(_, text)| text.is_empty()).map(|(name, _)| name).collect();
    let mut notes = Vec::new();
    if !missing.is_empty() && !already {
        notes.push(format!("the report leaves out: {}", missing.join(", ")));
    }
    let [implemented, tested, files_changed, decisions, deviations, self_review, concerns] =
        parts.map(|text| if text.is_empty() { NONE.to_owned() } else { text });
    let report = Report { implemented, tested, files_changed, decisions, deviations, self_review, concerns };
    let summary = one_line(&text, SUMMARY_CHARS_MAX);
    let unfinished = parsed.filter(says_unfinished).map(|_| why_unfinished(&report, &summary));
    UnderstoodReport { report, already, unfinished, summary, notes }
}

fn says_unfinished(verdict: &verdict::Verdict) -> bool {
    let implemented = |check: &&verdict::CheckLine| part(&check.name) == Some(0);
    !verdict.approved || verdict.checks.iter().filter(implemented).any(|check| !check.passed)
}

/// The part of a report that says best why its task is not done.
fn why_unfinished(report: &Report, summary: &str) -> String {
    const CHARS_MAX: usize = 1_000;
    let said = |text: &&str| !matches!(text.trim().trim_end_matches('.').to_lowercase().as_str(), "" | NONE);
    let texts = [report.concerns.as_str(), &report.implemented, summary];
    let why = texts.into_iter().find(said).unwrap_or("it gave no reason");
    one_line(why, CHARS_MAX)
}

/// The tests that were thought of, one on a line: the entries of an answer in the verdict's form, or else its text as
/// it is.
pub fn outline(answer: &[u8]) -> String {
    const CHARS_MAX: usize = 60_000;
    let tests = answer::parse(answer).verdict.map(|verdict| verdict.checks).unwrap_or_default();
    let line = |(at, test): (usize, &verdict::CheckLine)| {
        format!("{}. {}: {}\n", at + 1, one_line(&test.name, CHARS_MAX), one_line(&test.note, CHARS_MAX))
    };
    let listed: String = tests.iter().enumerate().map(line).collect();
    let text = if listed.is_empty() { String::from_utf8_lossy(answer).trim().to_owned() } else { listed };
    text.chars().take(CHARS_MAX).collect()
}

/// What a report says about files, compared with what git says: a note for each that only one of them names.
pub fn compare(report: &Report, files: &[String]) -> Vec<String> {
    const NOTES_MAX: usize = 10;
    let told = &report.files_changed;
    let named = files_named(told);
    let ends = |path: &String, name: &String| path == name || path.ends_with(&format!("/{name}"));
    // A file without an ending does not look like one, so its name alone is looked for as well.
    let untold = files.iter().filter(|path| !told.contains(path.rsplit('/').next().unwrap_or(path)));
    let untold = untold.map(|path| format!("changed without being reported: {path}"));
    let unmade = named.iter().filter(|name| !files.iter().any(|path| ends(path, name)));
    let unmade = unmade.map(|name| format!("reported as changed, but git sees no change: {name}"));
    // A report without any file has its note already.
    let notes: Vec<String> = if named.is_empty() { Vec::new() } else { untold.chain(unmade).collect() };
    let more = notes.len().saturating_sub(NOTES_MAX);
    let more = (more > 0).then(|| format!("and {more} more files that report and git disagree about"));
    notes.into_iter().take(NOTES_MAX).chain(more).collect()
}

fn says_already(text: &str) -> bool {
    let plain = text.to_lowercase().replace(['*', '_', '`'], "");
    [
        "task already complete",
        "task is already complete",
        "already completed: nothing",
        "task was already complete",
    ]
    .iter()
    .any(|words| plain.contains(words))
}

/// The texts under headings that name a part, one for each part.
fn by_heading(text: &str) -> [String; 7] {
    let mut parts: [String; 7] = Default::default();
    let mut current: Option<usize> = None;
    for line in Page::read_past_open_fences(text).lines {
        let found = if line.place.is_code() { None } else { heading(line.text) };
        let line = line.text;
        let said = match found {
            Some(Heading { part, rest }) => {
                current = part;
                rest
            }
            None => line,
        };
        if let Some(place) = current {
            parts[place].push_str(said);
            parts[place].push('\n');
        }
    }
    parts.map(|part| part.trim().to_owned())
}

/// A line that begins a part of the report, or something else.
struct Heading<'a> {
    part: Option<usize>,
    /// What follows it on the same line.
    rest: &'a str,
}

fn heading(line: &str) -> Option<Heading<'_>> {
    let bare = line.trim();
    let marked = bare.starts_with('#');
    let text = unmarked(bare);
    let (label, rest) = text.split_once(':').unwrap_or((text, ""));
    let label = label.trim_matches(['*', '_', '`', ' ']);
    if let Some(place) = part(label) {
        return Some(Heading { part: Some(place), rest: rest.trim_start_matches(['*', '_', ' ']) });
    }
    let opens = bare.len() > 4 && bare.starts_with("**");
    let bold = opens && bare.ends_with("**");
    // `**Implementation Decisions:** text`
    let labelled = opens
        && (rest.starts_with("**") || text.split(':').next().is_some_and(|label| label.ends_with("**")));
    let alone =
        bare.ends_with(':') && !bare.starts_with(['-', '+', '*']) && words_in(label) <= LABEL_WORDS_MAX;
    let announced = (marked || bold || labelled || alone).then(|| named_in(label)).flatten();
    match announced {
        Some(place) => Some(Heading { part: Some(place), rest: rest.trim_start_matches(['*', '_', ' ']) }),
        None => (marked || bold).then_some(Heading { part: None, rest: "" }),
    }
}

/// A line by itself that is longer is a sentence.
const LABEL_WORDS_MAX: usize = 4;

fn words_in(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The part that a heading is about where it says more than the part's name: `Any issues or concerns`. Of several that
/// it speaks of, the one that says most: `Implementation Decisions` are decisions.
fn named_in(label: &str) -> Option<usize> {
    let name = name(label);
    let said = |stem: &str| match stem {
        // `Implementation of issue 21` is about what was implemented.
        "issue" => name.split('-').any(|word| word == "issues") && !name.contains("implement"),
        stem => name.split('-').any(|word| word.starts_with(stem)),
    };
    let known: [(usize, &[&str]); 6] = [
        (4, &["deviat"]),
        (3, &["decision"]),
        (6, &["concern", "issue"]),
        (2, &["files"]),
        (1, &["test"]),
        (0, &["implement"]),
    ];
    let of_itself = name.contains("self-review").then_some(5);
    let stems = || known.iter().find(|(_, stems)| stems.iter().any(|stem| said(stem)));
    of_itself.or_else(|| stems().map(|(place, _)| *place))
}

/// Without the marks of headings, lists and emphasis that a line begins with.
fn unmarked(line: &str) -> &str {
    let text = line.trim_start_matches(['#', '-', '*', '+', '>', '_', ' ']);
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let listed = number.len() < text.len() && number.starts_with(['.', ')']);
    let text = if listed { &number[1..] } else { text };
    text.trim_start_matches(['*', '_', ' '])
}

/// The place of the part that a heading names.
fn part(label: &str) -> Option<usize> {
    let known: [&[&str]; 7] = [
        &[
            "implemented",
            "what-i-implemented",
            "what-was-implemented",
            "implementation",
            "summary-of-implementation",
        ],
        &["tested", "what-i-tested", "tests", "testing", "what-was-tested", "tests-and-results"],
        &["files-changed", "changed-files", "files", "files-modified", "modified-files", "files-touched"],
        &["decisions", "decisions-made", "key-decisions", "design-decisions"],
        &["deviations", "deviations-from-plan", "deviations-from-the-plan", "deviation"],
        &["self-review", "self-review-findings", "review-of-my-own-work"],
        &["concerns", "issues", "issues-and-concerns", "issues-or-concerns", "open-concerns", "any-concerns"],
    ];
    let name = name(label);
    known.iter().position(|names| names.contains(&name.as_str()))
}

/// A heading as one word: lower case, words joined by dashes.
fn name(label: &str) -> String {
    let words = label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<String>>().join("-")
}

#[cfg(test)]
mod tests;
