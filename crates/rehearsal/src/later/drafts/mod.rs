//! First versions of a design, a plan and a task list, made from the documents before them.
//!
//! Deterministic in its arguments. The author is a person in a hurry: what a draft lacks follows from how it was
//! written, not from chance. Start at [`draft`].

mod design;
mod plan;
mod tasks;

use super::Above;
use super::outline::{Label, Outline, Unit};
use crate::ask::Answered;
use crate::document::{Document, Kind as Line};
use crate::pace::{Pace, Stopped};
use crate::spec::{Part, Spec, after_id};
use crate::words::content_word;
use redraft_core::phase::Phase;
use redraft_core::text::one_line;

/// How the repository is built, as far as its files say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kit {
    /// What a source file's name ends in; empty where it is not known.
    pub(crate) ending: &'static str,
    pub(crate) test: &'static str,
    pub(crate) known: bool,
}

impl Kit {
    /// Told from the files that stand in the working folder.
    pub(crate) fn of(has: impl Fn(&str) -> bool) -> Self {
        const KITS: [(&str, &str, &str); 7] = [
            ("Cargo.toml", ".rs", "cargo test"),
            ("package.json", ".js", "npm test"),
            ("pyproject.toml", ".py", "pytest"),
            ("setup.py", ".py", "pytest"),
            ("go.mod", ".go", "go test ./..."),
            ("Makefile", "", "make test"),
            ("tests/run.sh", ".sh", "sh tests/run.sh"),
        ];
        let found = KITS.into_iter().find(|(file, ..)| has(file));
        match found {
            Some((_, ending, test)) => Kit { ending, test, known: true },
            None => Kit { ending: "", test: "make test", known: false },
        }
    }
}

/// A requirement with the words of its criteria.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) criteria: Vec<String>,
}

/// The first version of a phase's document.
pub(crate) fn draft(
    phase: Phase,
    idea: &str,
    above: &Above<'_>,
    kit: Kit,
    pace: &Pace<'_>,
) -> Result<String, Stopped> {
    let feature = Feature::of(idea, above);
    match phase {
        Phase::Specify | Phase::Implement | Phase::Finish | Phase::Document => Ok(String::new()),
        Phase::Design => Ok(design::write(&feature, kit)),
        Phase::CreatePlan => plan::write(&feature, above, kit, pace),
        Phase::CreateTasks => tasks::write(&feature, above, kit, pace),
    }
}

/// What files of a feature are called after.
pub(crate) fn folder_name(idea: &str, above: &Above<'_>) -> String {
    Feature::of(idea, above).slug
}

/// What is the same in all documents of a feature.
struct Feature {
    title: String,
    /// The title as a name for files and code.
    slug: String,
    needs: Vec<Need>,
    excluded: Vec<String>,
    questions: Vec<String>,
}

impl Feature {
    fn of(idea: &str, above: &Above<'_>) -> Self {
        let spec = above.spec.as_ref();
        let heading = spec.and_then(|spec| spec.document.headings.first()).map(|first| first.title.clone());
        let title = heading.unwrap_or_else(|| one_line(idea, 70));
        let title = ["Spec:", "Specification:", "Spec", "Specification"]
            .into_iter()
            .find_map(|lead| title.strip_prefix(lead))
            .unwrap_or(&title)
            .trim_start_matches([':', ' ', '—', '–', '-'])
            .trim()
            .to_owned();
        let title = if title.is_empty() { "The feature".to_owned() } else { title };
        let needs = spec.map(needs).unwrap_or_default();
        let section = |part: Part| spec.map(|spec| items(spec, part)).unwrap_or_default();
        Feature {
            slug: slug(&title, 3, '-'),
            title,
            needs,
            excluded: section(Part::Excluded),
            questions: section(Part::Questions),
        }
    }
}

/// The requirements of a specification with what shows that they are met.
pub(super) fn needs(spec: &Spec<'_>) -> Vec<Need> {
    let units = spec.criteria();
    let criterion = |unit: &std::ops::Range<usize>| {
        let said = after_id(spec.document.said(unit.start));
        let said = match said.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((_, rest)) => rest.trim_start_matches([':', ' ', '-', '—']).to_owned(),
            None => said,
        };
        full_stop(&one_line(&said, 300))
    };
    let one = |requirement: &crate::spec::Requirement| {
        let own = |unit: &&std::ops::Range<usize>| {
            spec.named((*unit).clone()).any(|id| requirement.id.covers(id))
                || requirement.block.contains(&unit.start)
        };
        Need {
            name: requirement.name.clone(),
            text: full_stop(&one_line(&spec.statement(requirement), 300)),
            criteria: units.iter().filter(own).map(criterion).collect(),
        }
    };
    spec.requirements.iter().map(one).collect()
}

/// The items of a part of a specification.
fn items(spec: &Spec<'_>, part: Part) -> Vec<String> {
    let lines = 0..spec.document.lines.len();
    let inside = lines.filter(|at| {
        spec.is_in(*at, part) && matches!(spec.document.lines[*at].kind, Line::Item { indent: 0..=1, .. })
    });
    inside.map(|at| one_line(spec.document.said(at), 300)).collect()
}

/// The path of a test beside what a step or task writes.
pub(super) fn test_file(document: &Document<'_>, unit: &Unit) -> Option<String> {
    let field = unit.field(Label::Files)?;
    let paths = super::needs::paths(&field.text(document));
    paths.iter().find(|path| path.contains("test")).or_else(|| paths.first()).cloned()
}

/// Takes what the user said, and what is assumed because nobody did, into the document.
pub(crate) fn with_answers(text: &str, answers: &[Answered]) -> String {
    if answers.is_empty() {
        return text.to_owned();
    }
    let line = |answered: &Answered| {
        let question = answered.question.trim_end();
        match answered.decided {
            true => format!("- Decided by the user: {question} {}", full_stop(&answered.said)),
            false => format!("- Assumed, because nobody answered: {question} {}", full_stop(&answered.said)),
        }
    };
    let lines: Vec<String> = answers.iter().map(line).collect();
    let at = text.lines().position(|line| line.trim() == "## Assumptions");
    match at {
        Some(at) => crate::edit::insert_after(text, Some(at + 1), &lines),
        None => {
            let section = [vec![String::new(), "## Assumptions".to_owned(), String::new()], lines].concat();
            let before = text.lines().position(|line| line.trim() == "## Open Questions");
            let after = before.map_or(text.lines().count(), |at| at.saturating_sub(1)).checked_sub(1);
            crate::edit::insert_after(text, after, &section)
        }
    }
}

fn full_stop(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) || text.is_empty() { text.to_owned() } else { format!("{text}.") }
}

/// The first content words of a text as a name.
pub(crate) fn slug(text: &str, words_max: usize, joint: char) -> String {
    let plain =
        |word: &str| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let words = text.split_whitespace().filter(|word| content_word(&plain(word)).is_some()).map(plain);
    let kept: Vec<String> = words.filter(|word| word.len() > 1).take(words_max).collect();
    if kept.is_empty() { "feature".to_owned() } else { kept.join(&joint.to_string()) }
}

fn small(text: &str) -> String {
    crate::draft::small(text)
}

/// What a requirement asks the system to do, without its condition.
pub(crate) fn act(text: &str) -> String {
    let rest = [" shall ", " must ", " should "].into_iter().find_map(|word| text.split_once(word));
    rest.map_or(text, |(_, rest)| rest).trim_end_matches('.').to_owned()
}

/// The outline of a document that is there.
fn outline(paper: Option<&Spec<'_>>, phase: Phase, pace: &Pace<'_>) -> Result<Option<Outline>, Stopped> {
    paper.map(|paper| Outline::read(&paper.document, phase, pace)).transpose()
}
