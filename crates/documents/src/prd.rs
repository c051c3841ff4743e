//! Finds the parts of a PRD that every builder of a feature must know: what the problem is, and what is wanted.
//!
//! Found by their headings, in the ways people write them. Start at [`essentials`].

use crate::sections::{Outline, Section};
use redraft_facts::prelude::*;

/// Where the two parts stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Essentials<'a> {
    pub problem: Option<Section<'a>>,
    pub goals: Option<Section<'a>>,
}

/// The problem statement and the goals. Where nothing is called a goal, criteria of success say what is wanted.
pub fn essentials<'a>(outline: &Outline<'a>) -> Essentials<'a> {
    let find = |wanted: fn(&[String]) -> bool| {
        let mut headings = outline.sections().iter().filter(|section| section.level > 0);
        headings.find(|section| wanted(&heading_words(section.title))).cloned()
    };
    Essentials { problem: find(is_problem), goals: find(is_goals).or_else(|| find(is_success)) }
}

/// Whether a heading announces goals, in one of the ways people write it. `Non-Goals` does not.
pub(crate) fn is_goals(words: &[String]) -> bool {
    const GOALS: [&str; 8] =
        ["goal", "goals", "objective", "objectives", "aims", "ziele", "objetivos", "目标"];
    let is_one = |word: Option<&String>| word.is_some_and(|word| GOALS.contains(&word.as_str()));
    is_one(words.first())
        || (is_one(words.last()) && !words.iter().any(|word| word == "non" || word == "not"))
}

pub(crate) fn is_problem(words: &[String]) -> bool {
    words.first().is_some_and(|word| word == "problem" || word == "problems")
        || words.last().is_some_and(|word| word == "problem")
}

fn is_success(words: &[String]) -> bool {
    words.first().is_some_and(|word| word == "success")
        && words.iter().any(|word| ["criteria", "metrics", "measures", "outcomes"].contains(&word.as_str()))
}

/// The words of a heading in lower case, without its number.
pub(crate) fn heading_words(title: &str) -> Vec<String> {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> (Option<&str>, Option<&str>) {
        let found = essentials(&Outline::parse(text));
        (found.problem.map(|section| section.title), found.goals.map(|section| section.title))
    }

    #[test]
    fn problem_and_goals_are_found_by_the_headings_people_write() {
        for (text, problem, goals) in [
            ("# P\n\n## Problem Statement\n\nx\n\n## Goals\n\ny\n", Some("Problem Statement"), Some("Goals")),
            ("## 1. The Problem\n\nx\n\n## 2. Objectives\n", Some("1. The Problem"), Some("2. Objectives")),
            (
                "## Problem\n\n## Non-Goals\n\n## Goals / Success Criteria\n",
                Some("Problem"),
                Some("Goals / Success Criteria"),
            ),
            ("## Problem\n\n## Non-Goals\n\n## Success Metrics\n", Some("Problem"), Some("Success Metrics")),
            ("## Background\n\n```\n## Goals\n```\n", None, None),
        ] {
            assert_eq!(titles(text), (problem, goals), "{text}");
        }
    }
}
