//! Which findings of a panel are about one defect, so that people and authors are shown it once.
//!
//! Each reviewer keeps its own finding and rules on it; a person rules on all of them at once. Two defects that are taken for one
//! would cost one of them its fix, so this asks for more than [`super::repeated`] does: the same file, lines that touch,
//! quotes that overlap, the same claim, and most of the words that say something. Start at [`defects`].

use super::place::Place;
use redraft_facts::citation;
use redraft_facts::findings::Finding;
use redraft_facts::prelude::*;
use redraft_facts::text::words;

/// Shorter words say little about a defect.
const WORD_CHARS_MIN: usize = 4;
/// Fewer words in common can be chance.
const SHARED_MIN: usize = 4;

/// One defect, as one or several reviewers found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect<'a> {
    /// The gravest of them, or the first.
    pub first: &'a Finding,
    /// What other reviewers said of the same defect.
    pub also: Vec<&'a Finding>,
}

impl<'a> Defect<'a> {
    pub fn all(&self) -> impl Iterator<Item = &'a Finding> {
        core::iter::once(self.first).chain(self.also.iter().copied())
    }

    /// `X1, Q2`
    pub fn ids(&self) -> String {
        let ids: Vec<&str> = self.all().map(|finding| finding.id.as_str()).collect();
        ids.join(", ")
    }
}

/// The findings in their order, those about one defect together.
pub fn defects<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<Defect<'a>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in findings {
        let group = groups.iter_mut().find(|group| group.iter().all(|other| one_defect(finding, other)));
        match group {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    let together = |mut group: Vec<&'a Finding>| {
        let gravest = group.iter().map(|finding| finding.severity).max();
        let at = group.iter().position(|finding| Some(finding.severity) == gravest).unwrap_or(0);
        let first = group.remove(at);
        Defect { first, also: group }
    };
    groups.into_iter().map(together).collect()
}

/// Whether two reviewers found the same. One reviewer's own findings are told apart by that reviewer.
fn one_defect(one: &Finding, other: &Finding) -> bool {
    let alike = one.role != other.role
        && !one.is_comment()
        && !other.is_comment()
        && one.status == other.status
        && one.claim == other.claim
        && one.unverified.is_none()
        && other.unverified.is_none();
    alike && overlap(one, other) && is_said_alike(&one.description, &other.description)
}

fn overlap(one: &Finding, other: &Finding) -> bool {
    let (here, there) = (Place::of_finding(one), Place::of_finding(other));
    let named = !one.file.trim().is_empty() && citation::same_file(&one.file, &other.file);
    let (quote, quoted) = (citation::fold(&one.quote), citation::fold(&other.quote));
    let lines = |finding: &Finding| {
        let more = finding.quote.trim().lines().count().saturating_sub(1);
        (finding.line, finding.line.saturating_add(u32::try_from(more).unwrap_or(u32::MAX)))
    };
    let ((first, last), (begin, end)) = (lines(one), lines(other));
    let touch = first > 0 && begin > 0 && first <= end && begin <= last;
    let inside =
        !quote.is_empty() && !quoted.is_empty() && (quote.contains(&quoted) || quoted.contains(&quote));
    named && (touch || inside) && !here.quotes_another_text(&there)
}

/// Whether most of the words that the shorter of two texts is made of are in both.
fn is_said_alike(one: &str, other: &str) -> bool {
    let telling = |text: &str| -> BTreeSet<String> {
        words(text).into_iter().filter(|word| word.chars().count() >= WORD_CHARS_MIN).collect()
    };
    let (one, other) = (telling(one), telling(other));
    let shared = one.intersection(&other).count();
    let fewer = one.len().min(other.len());
    // In whole numbers, so that exactly 0.6 counts on every machine.
    shared >= SHARED_MIN && shared * 10 >= fewer * 6
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use redraft_facts::findings::Status;
    use redraft_facts::ids::{FindingId, Role};
    use redraft_facts::verdict::{Claim, Severity};

    fn found(id: &str, severity: Severity, line: u32, quote: &str, description: &str) -> Finding {
        let role = if id.starts_with('X') { "security-reviewer" } else { "code-quality-reviewer" };
        Finding {
            id: FindingId::new(id),
            role: Role::new(role),
            round: 1,
            severity,
            category: String::new(),
            claim: Claim::Present,
            file: "src/app.py".to_owned(),
            line,
            section: String::new(),
            quote: quote.to_owned(),
            description: description.to_owned(),
            suggestion: String::new(),
            status: Status::Open,
            late: false,
            unverified: None,
            note: String::new(),
            by: None,
        }
    }

    const SWALLOWED: &str =
        "A write that fails is caught and success is returned, so the caller believes it is stored";

    fn swallowed(id: &str) -> Finding {
        found(id, Severity::Warning, 12, "except OSError: return True", SWALLOWED)
    }

    fn ids(findings: &[Finding]) -> Vec<String> {
        defects(findings).iter().map(Defect::ids).collect()
    }

    #[test]
    fn one_defect_that_two_reviewers_found_stands_once_and_the_graver_words_first() {
        let other = found(
            "X1",
            Severity::Blocker,
            13,
            "return True",
            "The write that fails is caught and success is returned: the data is lost and the caller believes it [traced]",
        );
        let between = found("Q2", Severity::Warning, 40, "x = 1", "A constant that nobody reads stands here");
        let all = [
            Finding { quote: "except OSError:\n    return True".to_owned(), ..swallowed("Q1") },
            between,
            other,
        ];
        assert_eq!(ids(&all), ["X1, Q1", "Q2"]);
    }

    #[test]
    fn what_may_be_another_defect_is_never_merged() {
        let same = swallowed("Q1");
        let line = "rows = db.run('select * from t where id = ' + request.id)";
        let (owner, query) = (
            "the id from the request is used without asking whose record it is",
            "the id from the request is put into the query unescaped",
        );
        let cases = [
            ("the same words of one reviewer", same.clone(), swallowed("Q2")),
            ("another file", same.clone(), Finding { file: "src/b.py".to_owned(), ..swallowed("X1") }),
            (
                "no file",
                Finding { file: String::new(), ..swallowed("Q1") },
                Finding { file: String::new(), ..swallowed("X1") },
            ),
            (
                "the same words at another place",
                same.clone(),
                Finding {
                    line: 90,
                    quote: "except ValueError: return True or False".to_owned(),
                    ..swallowed("X1")
                },
            ),
            ("another claim", same.clone(), Finding { claim: Claim::Absent, ..swallowed("X1") }),
            ("another status", same.clone(), Finding { status: Status::Fixed, ..swallowed("X1") }),
            (
                "a place that does not hold",
                same.clone(),
                Finding { unverified: Some(String::new()), ..swallowed("X1") },
            ),
            (
                "two defects of one line",
                found("Q1", Severity::Blocker, 7, line, owner),
                found("X1", Severity::Blocker, 7, line, query),
            ),
            (
                "few words",
                found("Q1", Severity::Blocker, 7, line, "this is wrong here"),
                found("X1", Severity::Blocker, 7, line, "this is wrong here"),
            ),
        ];
        for (name, one, other) in cases {
            assert_eq!(defects(&[one.clone(), other.clone()]).len(), 2, "{name}: {one:?} {other:?}");
        }
        assert_eq!(defects(&[same, swallowed("X1")]).len(), 1, "all of them are cases of this one");
    }

    proptest! {
        #[test]
        fn every_finding_is_in_exactly_one_group_and_no_reviewer_twice_in_one(
            drawn in proptest::collection::vec((0..2usize, 0..3u32, 0..3usize, 0..3usize), 0..12),
        ) {
            let all: Vec<Finding> = drawn.iter().enumerate().map(|(at, (role, line, words, grave))| {
                let severity = [Severity::Suggestion, Severity::Warning, Severity::Blocker][*grave];
                let words = [SWALLOWED, "a constant that nobody reads stands here again", ""][*words];
                found(&format!("{}{at}", ["Q", "X"][*role]), severity, *line, "", words)
            }).collect();
            let groups = defects(&all);
            let mut seen: Vec<&str> = groups.iter().flat_map(|group| group.all().map(|one| one.id.as_str())).collect();
            seen.sort_unstable();
            let mut wanted: Vec<&str> = all.iter().map(|one| one.id.as_str()).collect();
            wanted.sort_unstable();
            prop_assert_eq!(seen, wanted);
            for group in &groups {
                let roles: BTreeSet<&Role> = group.all().map(|one| &one.role).collect();
                prop_assert_eq!(roles.len(), group.also.len() + 1);
                prop_assert!(group.also.iter().all(|one| one.severity <= group.first.severity));
            }
        }
    }
}
