//! Judges earlier lessons by a feature: confirmed by a finding about the same thing, challenged by something that was
//! done although the lesson warns of it, and skipped otherwise.

use super::bundle::{Part, lines, parts};
use redraft_facts::text::{self, one_line};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The words a sentence warns with. What it warns of follows.
const WARNINGS: [&str; 7] =
    ["never ", "avoid ", "do not ", "don't ", "must not ", "should not ", "beware of "];
const QUOTE_CHARS_MAX: usize = 160;

pub(super) fn weigh(bundle: &str) -> Value {
    let parts = parts(bundle);
    let feature = Feature {
        files: lines(&parts, "Files")
            .iter()
            .filter_map(|line| line.split_once(" +"))
            .map(|(path, _)| path)
            .collect(),
        decisions: lines(&parts, "Decisions").iter().filter_map(|line| line.split_once(": ")).collect(),
        findings: lines(&parts, "Findings").iter().filter_map(|line| line.split_once(": ")).collect(),
    };
    let judged: Vec<Value> = parts.iter().filter_map(|part| judge(part, &feature)).collect();
    json!({"judgements": judged})
}

/// What the feature did: paths; who decided, and what; which finding, and what it says.
struct Feature<'a> {
    files: Vec<&'a str>,
    decisions: Vec<(&'a str, &'a str)>,
    findings: Vec<(&'a str, &'a str)>,
}

/// `B1, heuristic: its name`
fn judge(part: &Part<'_>, feature: &Feature<'_>) -> Option<Value> {
    let (number, rest) = part.heading.split_once(", ")?;
    let (_, name) = rest.split_once(": ")?;
    number.strip_prefix('B')?.parse::<usize>().ok()?;
    let own = part.lines.iter().filter(|line| !line.starts_with("Why it is asked about: "));
    let text = own.copied().collect::<Vec<&str>>().join("\n");
    let (judgement, contradiction, cite) = if let Some(id) = confirmed(name, &text, feature) {
        ("confirmed", String::new(), id)
    } else if let Some((contradiction, cite)) = contradicted(&text, feature) {
        ("challenged", contradiction, cite)
    } else {
        ("skipped", String::new(), String::new())
    };
    let cites: Vec<String> = Some(cite).filter(|cite| !cite.is_empty()).into_iter().collect();
    Some(json!({"entry": number, "judgement": judgement, "contradiction": contradiction, "cites": cites}))
}

/// The id of a finding about what the lesson is named after, or about much of what it says.
fn confirmed(name: &str, text: &str, feature: &Feature<'_>) -> Option<String> {
    let (name, text) = (telling(name), telling(text));
    let speaks = |said: &&(&str, &str)| {
        let said = telling(said.1);
        let (of_name, of_text) = (name.intersection(&said).count(), text.intersection(&said).count());
        (of_name >= 2 && of_name * 2 >= name.len()) || (of_text >= 4 && of_text * 5 >= text.len() * 2)
    };
    let found = feature.findings.iter().find(speaks);
    found.map(|(place, _)| place.split(' ').next().unwrap_or_default().to_owned())
}

/// What was done although the lesson warns of it, and what shows that.
fn contradicted(text: &str, feature: &Feature<'_>) -> Option<(String, String)> {
    for sentence in text.split(". ").flat_map(|part| part.split([';', '\n'])) {
        let Some(warned) = warned_of(sentence) else { continue };
        let lesson = one_line(sentence, QUOTE_CHARS_MAX);
        let words = telling(warned);
        for (who, what) in &feature.decisions {
            if is_done(&words, what) {
                let (who, quote) =
                    (who.split(", ").next().unwrap_or_default(), one_line(what, QUOTE_CHARS_MAX));
                let text = format!("the lesson says \"{lesson}\", and {who} did just that: \"{quote}\"");
                return Some((text, quote));
            }
        }
        let named = |path: &&&str| {
            let is = |word: &str| word.trim_matches(['`', ',', '"', '(', ')', '.']) == **path;
            warned.split_whitespace().any(is)
        };
        let blamed = |path: &str| {
            feature.findings.iter().any(|(place, said)| place.contains(path) || said.contains(path))
        };
        if let Some(path) = feature.files.iter().find(named).filter(|path| !blamed(path)) {
            let text =
                format!("the lesson warns of {path}, which this feature changed without a finding about it");
            return Some((text, (*path).to_owned()));
        }
    }
    None
}

fn warned_of(sentence: &str) -> Option<&str> {
    let lower = sentence.to_ascii_lowercase();
    let at = WARNINGS.iter().filter_map(|warning| Some(lower.find(warning)? + warning.len())).min()?;
    sentence.get(at..)
}

/// Whether a decision is to do what the lesson warns of, and not to avoid it.
fn is_done(warned: &BTreeSet<String>, decision: &str) -> bool {
    let shared = warned.intersection(&telling(decision)).count();
    let lower = format!(" {} ", decision.to_lowercase());
    let leaves =
        [" not ", " no ", " never ", " without ", " instead of "].iter().any(|word| lower.contains(word));
    shared >= 2 && shared * 2 >= warned.len() && !leaves
}

/// The significant words of a text, without their endings. Lessons are about requirements, tests and failures, words
/// that the checks of documents ignore, so this set is simpler than theirs.
fn telling(text: &str) -> BTreeSet<String> {
    const LETTERS_MIN: usize = 4;
    const FILLER: [&str; 32] = [
        "about", "after", "always", "because", "been", "before", "both", "could", "does", "each", "every",
        "from", "have", "into", "just", "must", "need", "needs", "only", "other", "should", "some", "such",
        "than", "that", "then", "there", "they", "this", "what", "when", "with",
    ];
    let words = text::words(text).into_iter();
    let words = words.filter(|word| word.chars().count() >= LETTERS_MIN && !FILLER.contains(&word.as_str()));
    words.map(|word| stem(&word).to_owned()).collect()
}

fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 5] = ["ing", "ed", "es", "s", "e"];
    const LETTERS_LEFT_MIN: usize = 4;
    let fits = |stem: &&str| stem.chars().count() >= LETTERS_LEFT_MIN;
    ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending)).find(fits).unwrap_or(word)
}
