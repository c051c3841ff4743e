//! Takes apart the bundle that the retrospective's agent is sent: sections, figures, findings, decisions.
//!
//! Reads lines and does not know what they mean for a feature.

use redraft_documents::page::{LinePlace, Page, line};

/// A heading and the lines below it, up to the next heading of any level. Lines inside fences are content whatever they
/// look like, and the fences themselves are not.
pub(super) struct Part<'a> {
    pub(super) heading: &'a str,
    pub(super) lines: Vec<&'a str>,
}

pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for line in Page::read(text).lines {
        match line::atx(line.text).filter(|_| line.place == LinePlace::Text) {
            Some((2 | 3, heading)) => parts.push(Part { heading, lines: Vec::new() }),
            _ if line.place == LinePlace::Fence => {}
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.lines.push(line.text);
                }
            }
        }
    }
    parts
}

pub(super) fn lines<'a>(parts: &'a [Part<'a>], heading: &str) -> &'a [&'a str] {
    let found = parts.iter().find(|part| part.heading == heading);
    found.map(|part| part.lines.as_slice()).unwrap_or_default()
}

/// `| {specify.rounds} | 3 |`: the name and the number, where it is one.
pub(super) fn figures<'a>(lines: &[&'a str]) -> Vec<(&'a str, u64)> {
    let figure = |line: &&'a str| {
        let (name, text) = line.strip_prefix("| {")?.split_once("} | ")?;
        Some((name, text.trim_end_matches([' ', '|']).replace(',', "").parse().ok()?))
    };
    lines.iter().filter_map(figure).collect()
}

/// A finding as the review history reports it when it is raised.
#[derive(Debug, Clone)]
pub(super) struct Raised<'a> {
    pub(super) phase: &'a str,
    pub(super) category: &'a str,
    pub(super) id: &'a str,
    pub(super) text: &'a str,
    /// The file it cites, by its name.
    pub(super) file: &'a str,
    pub(super) suggestion: &'a str,
}

/// Every finding of a history, in order; one that is stated again is listed once.
pub(super) fn raised<'a>(lines: &[&'a str]) -> Vec<Raised<'a>> {
    let mut found: Vec<Raised<'a>> = Vec::new();
    let mut phase = "";
    for (at, line) in lines.iter().enumerate() {
        if let Some((before, _)) = line.strip_prefix("## ").and_then(|rest| rest.split_once(" stage ")) {
            phase = before;
        }
        let suggestion = lines.get(at + 1).and_then(|next| next.strip_prefix("  - Suggestion: "));
        let Some(one) = finding(line, phase, suggestion.unwrap_or_default()) else { continue };
        if !found.iter().any(|known| known.phase == phase && known.id == one.id) {
            found.push(one);
        }
    }
    found
}

/// `- [blocker] [clarity] S2: two numbers for one thing (at: docs/spec.md:27 (Limits)) (open)`
fn finding<'a>(line: &'a str, phase: &'a str, suggestion: &'a str) -> Option<Raised<'a>> {
    let (_, rest) = line.strip_prefix("- [")?.split_once("] [")?;
    let (category, rest) = rest.split_once("] ")?;
    let (id, rest) = rest.split_once(": ")?;
    let (text, place) = rest.rsplit_once(" (at: ")?;
    let path = place.split([':', ' ', ')']).next()?;
    let file = path.rsplit('/').next()?;
    Some(Raised { phase, category, id, text, file, suggestion })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_taken_apart_without_what_only_looks_like_a_part_of_it() {
        let text = "## A\n\n````markdown\n## not one\n```\nb\n````\n### C\nd\n";
        let parts = parts(text);
        let names: Vec<&str> = parts.iter().map(|part| part.heading).collect();
        assert_eq!(names, ["A", "C"]);
        assert_eq!(lines(&parts, "A"), ["", "## not one", "```", "b"]);
        assert_eq!(figures(&["| {a.b} | 1,234 |", "| {c} | $0.1 |", "| name | figure |"]), [("a.b", 1_234)]);
    }

    #[test]
    fn a_finding_is_read_from_the_line_that_raises_it() {
        let lines = [
            "## specify stage 1, iteration 1 — now",
            "- [blocker] [clarity] S2: two numbers (both) differ (at: docs/x/spec.md:27 (Limits)) (open)",
            "  - Suggestion: decide",
            "- S1 fixed: gone",
            "- [blocker] [clarity] S2: again (at: docs/x/spec.md:27) (open, stated again)",
        ];
        let [one] = raised(&lines).try_into().unwrap();
        let Raised { phase, category, id, text, file, suggestion } = one;
        assert_eq!((phase, category, id), ("specify", "clarity", "S2"));
        assert_eq!((text, file, suggestion), ("two numbers (both) differ", "spec.md", "decide"));
    }
}
