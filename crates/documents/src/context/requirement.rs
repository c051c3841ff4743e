//! Finds what goes with a requirement in a specification: the criteria that name it, and what bounds all requirements.

use crate::page::line::Item;
use crate::prd::heading_words;
use crate::sections::Outline;
use crate::sections::block::{self, counted};
use crate::task_id;
use crate::trace::{Match, Target};
use redraft_facts::prelude::*;

/// Each with what it is.
pub(super) fn with(text: &str, ids: &[String]) -> Vec<(String, Target)> {
    let outline = Outline::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
    let ids: BTreeSet<String> = ids.iter().map(|id| task_id::folded(id)).collect();
    let mut found = Vec::new();
    for section in outline.sections().iter().filter(|section| section.level > 0) {
        let lines = section.lines.clone();
        if bounds(section.title) || names(section.title, &ids) {
            found.push((section.title.to_owned(), lines.start, lines.end, Match::Heading));
        }
    }
    for (at, line) in outline.lines().iter().enumerate().filter(|(at, _)| outline.is_text(*at)) {
        if !names(line, &ids) {
            continue;
        }
        let end = Item::parse(line).map_or(at + 1, |item| block::end_of_item(&outline, at, item.indent));
        found.push(("criterion".to_owned(), at, end, Match::ListItem));
    }
    let target = |(name, start, end, how): (String, usize, usize, Match)| {
        let last = block::last_line(&outline, start, end);
        (name, Target { line: counted(start), end_line: counted(last), how })
    };
    found.into_iter().map(target).collect()
}

/// Whether a line names one of these ids as what it is about: `AC1 (R1, R2)`.
fn names(line: &str, ids: &BTreeSet<String>) -> bool {
    let inside = line.split('(').skip(1).filter_map(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let words = inside.flat_map(|inside| inside.split(|c: char| !task_id::is_inner(c)));
    words.filter(|word| !word.is_empty()).any(|word| ids.contains(&task_id::folded(word)))
}

/// Whether what stands under a heading holds for every requirement.
fn bounds(title: &str) -> bool {
    const BOUNDS: [&str; 9] = [
        "scope",
        "excluded",
        "exclusions",
        "nongoals",
        "limits",
        "constraints",
        "assumptions",
        "glossary",
        "terms",
    ];
    let words = heading_words(title);
    let non_goals = words.windows(2).any(|pair| pair[0] == "non" && pair[1].starts_with("goal"));
    non_goals || words.iter().any(|word| BOUNDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "# Spec\n\n## Requirements\n\n- **R1**: a\n- **R2**: b (see R1)\n\n## Criteria\n\n\
        - **AC1** (R1): one\n  goes on\n- **AC2** (R2, R3): two\n\n```\n(R1)\n```\n\n## Out of Scope\n\n- c\n\n## Notes\n\nd\n";

    fn lines(ids: &[&str]) -> Vec<(u32, u32)> {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        with(SPEC, &ids).into_iter().map(|(_, target)| (target.line, target.end_line)).collect()
    }

    #[test]
    fn a_requirement_brings_its_criteria_and_what_is_out_of_scope() {
        assert_eq!(lines(&["R2"]), [(18, 20), (12, 12)]);
        assert_eq!(lines(&["r1"]), [(18, 20), (6, 6), (10, 11)]);
        assert_eq!(lines(&["R9"]), [(18, 20)], "code in a fence names nothing");
    }

    #[test]
    fn what_bounds_everything_is_known_by_its_heading() {
        for title in ["Out of Scope", "3. Scope", "Non-Goals", "Limits", "What Is Excluded"] {
            assert!(bounds(title), "{title}");
        }
        assert!(!bounds("Goals") && !bounds("Requirements"));
    }
}
