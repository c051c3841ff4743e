//! Finds words in a requirement that nobody can measure.
//!
//! Only lines that define a requirement or a criterion are read, and one that gives a number is left alone: "fast
//! (under 50 ms)" is not vague. The built-in list is English; a project can bring its own in any language.

use super::language::Language;
use super::page::{CODE, Page, after_list_mark, without_code_spans};
use super::{Faults, LintSettings, Rule};
use crate::page::id::Definition;
use redraft_facts::prelude::*;

const WORDS: [&str; 35] = [
    "user-friendly",
    "easy to use",
    "intuitive",
    "as appropriate",
    "if appropriate",
    "where appropriate",
    "as needed",
    "as necessary",
    "if possible",
    "where possible",
    "as far as possible",
    "etc.",
    "and so on",
    "and/or",
    "fast enough",
    "quickly",
    "reasonable",
    "reasonably",
    "sufficiently",
    "adequate",
    "adequately",
    "timely",
    "seamless",
    "seamlessly",
    "high performance",
    "state of the art",
    "best effort",
    "as soon as possible",
    "in a timely manner",
    "good performance",
    "robust",
    "flexible",
    "various",
    "properly",
    "appropriately",
];

pub(super) fn check(
    page: &Page<'_>,
    definitions: &[Definition<'_>],
    language: Language,
    settings: &LintSettings,
    faults: &mut Faults<'_>,
) {
    let own: Option<Vec<&str>> =
        settings.vague_words.as_ref().map(|words| words.iter().map(String::as_str).collect());
    let list: &[&str] = match (&own, language) {
        (Some(own), _) => own,
        (None, Language::English) => &WORDS,
        (None, _) => return,
    };
    let mut told = BTreeSet::new();
    for (line, name, text) in requirements(page, definitions) {
        let prose = without_code_spans(text);
        let measured = prose.chars().any(|c| c.is_ascii_digit() || c == CODE || c == '"');
        if measured && own.is_none() {
            continue;
        }
        let lower = prose.to_lowercase();
        if let Some(word) = list.iter().find(|word| has(&lower, &word.to_lowercase()))
            && told.insert(line)
        {
            let message = format!("`{word}` in {name} cannot be measured");
            let hint = "say how much, how long, how often, or what exactly";
            faults.add(Rule::VagueWord, line, message, hint);
        }
    }
}

/// What is required: everything with an id, and every list item that says something must be so.
fn requirements<'a>(page: &Page<'a>, definitions: &[Definition<'a>]) -> Vec<(usize, String, &'a str)> {
    const MUST: [&str; 17] = [
        "must",
        "shall",
        "should",
        "muss",
        "müssen",
        "soll",
        "sollen",
        "debe",
        "deben",
        "doit",
        "doivent",
        "должен",
        "должна",
        "должно",
        "должны",
        "必须",
        "应",
    ];
    let mut found: Vec<(usize, String, &str)> = definitions
        .iter()
        .map(|definition| (definition.line, format!("`{}`", definition.id), definition.text))
        .collect();
    for (at, line) in page.texts() {
        let text = line.text.trim_start();
        let item = after_list_mark(text);
        if item.len() == text.len() {
            continue;
        }
        let lower = item.to_lowercase();
        if MUST.iter().any(|must| has(&lower, must)) {
            found.push((at, "this requirement".to_owned(), item));
        }
    }
    found
}

/// Whether a text has these words as whole words; scripts without blanks have no whole words.
fn has(text: &str, words: &str) -> bool {
    let wide = words.chars().any(|c| ('\u{2e80}'..='\u{d7ff}').contains(&c));
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
    text.match_indices(words).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        wide || !joins(before) && !joins(after)
    })
}
