//! Whether two places, and what is said about them, are the same.

use redraft_facts::citation;
use redraft_facts::findings::Finding;
use redraft_facts::text::words;
use redraft_facts::verdict::Issue;

/// Lines this far apart are the same place.
const NEAR_LINES: u32 = 3;

/// Where something is said to be wrong, and in which words.
pub(super) struct Place<'a> {
    file: &'a str,
    line: u32,
    section: &'a str,
    quote: &'a str,
    description: &'a str,
}

impl<'a> Place<'a> {
    pub(super) fn of_issue(issue: &'a Issue) -> Self {
        let Issue { file, line, section, quote, description, .. } = issue;
        Place { file, line: *line, section, quote, description }
    }

    pub(super) fn of_finding(finding: &'a Finding) -> Self {
        let Finding { file, line, section, quote, description, .. } = finding;
        Place { file, line: *line, section, quote, description }
    }

    pub(super) fn says_the_same(&self, other: &Place<'_>) -> bool {
        self.is_at(other)
            && !self.quotes_another_text(other)
            && enough_shared_words(self.description, other.description)
    }

    /// The same wherever it is quoted: a reviewer may cite it in another file.
    pub(super) fn is_settled_as(&self, other: &Place<'_>) -> bool {
        let quote = citation::fold(self.quote);
        let quoted = !quote.is_empty() && quote == citation::fold(other.quote);
        (quoted || self.is_at(other))
            && !self.quotes_another_text(other)
            && enough_shared_words(self.description, other.description)
    }

    /// Two defects of one kind on neighbouring lines are described alike; their quotes distinguish them.
    pub(super) fn quotes_another_text(&self, other: &Place<'_>) -> bool {
        let (one, other) = (citation::fold(self.quote), citation::fold(other.quote));
        let either_empty = one.is_empty() || other.is_empty();
        !(either_empty || one.contains(&other) || other.contains(&one) || enough_shared_words(&one, &other))
    }

    /// The same lines, section or quote of what may be one file; or neither says where.
    pub(super) fn is_at(&self, other: &Place<'_>) -> bool {
        let one_file = citation::same_file(self.file, other.file);
        if !one_file && !self.file.trim().is_empty() && !other.file.trim().is_empty() {
            return false;
        }
        let lines =
            one_file && self.line > 0 && other.line > 0 && self.line.abs_diff(other.line) <= NEAR_LINES;
        let (section, quote) = (citation::heading(self.section), citation::fold(self.quote));
        lines
            || (!section.is_empty() && section == citation::heading(other.section))
            || (!quote.is_empty() && quote == citation::fold(other.quote))
            || (self.is_nowhere() && other.is_nowhere())
    }

    fn is_nowhere(&self) -> bool {
        self.line == 0 && [self.file, self.section, self.quote].iter().all(|text| text.trim().is_empty())
    }
}

/// Whether at least 0.6 of all words of both texts are in both.
pub(super) fn enough_shared_words(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count();
    let all = one.union(&other).count();
    // In whole numbers, so that exactly 0.6 counts on every machine.
    all > 0 && shared * 10 >= all * 6
}
