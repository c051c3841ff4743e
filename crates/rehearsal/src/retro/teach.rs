//! Finds what a feature teaches: where most rounds went, which kind of finding came up most, and one lesson of that
//! kind.

use super::bundle::{Raised, figures, lines, parts, raised};
use redraft_reports::retro::numeral::{KnownNumbers, first_unknown_number};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// This many ids are enough to show what is meant.
const IDS_MAX: usize = 5;

/// The answer. `counts` writes numbers of its own where names of figures belong.
pub(super) fn teach(bundle: &str, counts: bool) -> Value {
    let parts = parts(bundle);
    let figures = figures(lines(&parts, "Phases"));
    let findings = raised(lines(&parts, "Review History"));
    let written = |text: String| if counts { with_numbers(&text, &figures) } else { text };
    let kind = most_common(&findings);
    let mut observations = Vec::new();
    if let Some(phase) = most_rounds(&figures) {
        let of_phase: Vec<&Raised<'_>> = findings.iter().filter(|one| one.phase == phase).collect();
        let text =
            format!("Of all phases {phase} took the most review rounds, {{{phase}.rounds}} of {{rounds}}.");
        observations.push(json!({"text": written(text), "evidence": ids(&of_phase)}));
    }
    let mut recommendations = Vec::new();
    let mut lessons = Vec::new();
    if let Some(first) = kind.first() {
        let Raised { category, file, .. } = first;
        let text =
            format!("Findings about {category} came up more often than others, of {{findings}} in all.");
        observations.push(json!({"text": written(text), "evidence": ids(&kind)}));
        if let Some((one, claim, remedy)) = kind.iter().find_map(|one| lesson(one)) {
            let confidence = if kind.len() > 1 { "high" } else { "medium" };
            let text = format!("Before the first review of {}, {remedy}.", one.file);
            recommendations.push(json!({"text": text, "evidence": ids(&kind), "confidence": confidence}));
            let text = format!(
                "A reviewer had to say of {file}: {claim}. Before somebody is asked to review one, {remedy}. \
                 It can be dropped once a check finds this by itself."
            );
            let provenance = format!("{} in {}", one.id, one.phase);
            lessons.push(json!({"name": capital(&claim), "text": text, "provenance": provenance,
                "confidence": confidence}));
        }
    }
    json!({"observations": observations, "recommendations": recommendations, "patterns": [],
        "anti_patterns": lessons, "heuristics": []})
}

/// The phase with the most rounds; of several, the first.
fn most_rounds<'a>(figures: &[(&'a str, u64)]) -> Option<&'a str> {
    let rounds = figures.iter().filter_map(|(name, value)| Some((name.strip_suffix(".rounds")?, *value)));
    rounds.rev().max_by_key(|(_, value)| *value).map(|(phase, _)| phase)
}

/// The findings of the category that has the most; of several, the one that came first.
fn most_common<'f, 'a>(findings: &'f [Raised<'a>]) -> Vec<&'f Raised<'a>> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in findings {
        *counts.entry(one.category).or_default() += 1;
    }
    let most = findings.iter().rev().max_by_key(|one| counts.get(one.category));
    let Some(most) = most else { return Vec::new() };
    findings.iter().filter(|one| one.category == most.category).collect()
}

/// What a finding says, without the thing it is about, and what to do about it; none where a number is part of either.
fn lesson<'f, 'a>(one: &'f Raised<'a>) -> Option<(&'f Raised<'a>, String, String)> {
    const WORDS_MIN: usize = 3;
    let claim = general(one.text);
    let remedy = general(one.suggestion);
    let nothing = KnownNumbers::empty();
    let fine = |text: &str| first_unknown_number(text, &nothing).is_none() && !text.contains(['{', '}']);
    let says = claim.split(' ').count() >= WORDS_MIN && !remedy.is_empty();
    (says && fine(&claim) && fine(&remedy)).then_some((one, claim, remedy))
}

/// The first clause of a text without quotations and remarks in brackets.
fn general(text: &str) -> String {
    let mut out = String::new();
    let mut until: Option<char> = None;
    for c in text.chars() {
        match (until, c) {
            (Some(end), c) if c == end => until = None,
            (Some(_), _) => {}
            (None, '`') => until = Some('`'),
            (None, '“') => until = Some('”'),
            (None, '(') => until = Some(')'),
            (None, '[') => until = Some(']'),
            (None, c) => out.push(c),
        }
    }
    let clause = out.split([':', ';', ',']).next().unwrap_or_default();
    let words: Vec<&str> = clause.split_whitespace().collect();
    let clause = words.join(" ");
    let cut = clause.find(" of section").unwrap_or(clause.len());
    clause[..cut].to_owned()
}

fn ids(findings: &[&Raised<'_>]) -> String {
    let named = findings.iter().take(IDS_MAX).map(|one| format!("{} ({})", one.id, one.file));
    named.collect::<Vec<String>>().join(", ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Names of figures replaced by numbers that are far from them.
fn with_numbers(text: &str, figures: &[(&str, u64)]) -> String {
    let wrong = |text: String, (name, value): &(&str, u64)| {
        text.replace(&format!("{{{name}}}"), &(value * 7 + 1_001).to_string())
    };
    figures.iter().fold(text.to_owned(), wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_told_without_what_it_was_said_of() {
        for (text, claim) in [
            (
                "no requirement handles the failure `It hangs.` of section “Failures”",
                "no requirement handles the failure",
            ),
            ("two numbers for one thing: section “A” says `30 s`", "two numbers for one thing"),
            ("it is stated in two ways [read]", "it is stated in two ways"),
            ("`x`", ""),
        ] {
            assert_eq!(general(text), claim, "{text}");
        }
    }
}
