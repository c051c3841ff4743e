//! Writes the first versions of a specification, a design, a plan and a task list, from the idea and the documents
//! before them.
//!
//! Deterministic in its arguments. The author is a person in a hurry: what a draft lacks follows from how it was
//! written, not from chance. Start at [`draft`].

mod design;
mod plan;
mod spec;
mod tasks;

pub(crate) use plan::call;

use crate::ask::Answered;
use crate::checks::Before;
use crate::edit::insert_after;
use crate::parsed_document::{Need, ParsedDocument, full_stop, needs, telling_words};
use redraft_facts::phase::Phase;
use redraft_facts::text::one_line;

/// How the repository is built, as far as its files say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kit {
    /// The ending of a source file's name; empty where it is not known.
    pub(crate) ending: &'static str,
    pub(crate) test: &'static str,
    pub(crate) known: bool,
}

impl Kit {
    /// By the files that stand in the working folder.
    pub(crate) fn new(has: impl Fn(&str) -> bool) -> Self {
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

/// The first version of a phase's document.
pub(crate) fn draft(phase: Phase, idea: &str, before: &Before<'_>, kit: Kit) -> String {
    match phase {
        Phase::Specify => spec::write(idea, before.prd),
        Phase::Design => design::write(&Feature::new(idea, before), kit),
        Phase::CreatePlan => plan::write(&Feature::new(idea, before), before, kit),
        Phase::CreateTasks => tasks::write(&Feature::new(idea, before), before, kit),
        Phase::Implement | Phase::Finish | Phase::Document => String::new(),
    }
}

/// The name of the folders that a feature's files stand in.
pub(crate) fn folder_name(spec: &str) -> String {
    Feature::new("", &Before { spec: Some(spec), ..Before::default() }).slug
}

/// What is the same in all documents of a feature.
struct Feature {
    title: String,
    /// The title as a name for files and code.
    slug: String,
    needs: Vec<Need>,
    excluded: Vec<String>,
}

impl Feature {
    fn new(idea: &str, before: &Before<'_>) -> Self {
        let spec = before.spec.map(ParsedDocument::read);
        let heading = spec.as_ref().and_then(|spec| spec.outline.sections().iter().find(|one| one.level > 0));
        let title = heading.map_or_else(|| one_line(idea, 70), |section| section.title.to_owned());
        let title = ["Spec:", "Specification:", "Spec", "Specification"]
            .into_iter()
            .find_map(|lead| title.strip_prefix(lead))
            .unwrap_or(&title)
            .trim_start_matches([':', ' ', '—', '–', '-'])
            .trim()
            .to_owned();
        let title = if title.is_empty() { "The feature".to_owned() } else { title };
        let excluded =
            spec.as_ref().and_then(|spec| Some(spec.items(spec.section_about(&["out of scope"])?)));
        Feature {
            slug: slug(&title, 3, '-'),
            title,
            needs: before.spec.map(needs).unwrap_or_default(),
            excluded: excluded.unwrap_or_default(),
        }
    }
}

/// The category of what the user said unasked.
pub(crate) const COMMENT: &str = "comment";

/// The line of a document that says what the user wants.
fn decided(said: &str) -> String {
    format!("- Decided by the user: {}", full_stop(said))
}

/// Whether a document says what the user wants.
pub(crate) fn has_comment(text: &str, said: &str) -> bool {
    let wanted = decided(said);
    text.lines().any(|line| line.trim() == wanted)
}

/// Adds to the document what the user said, and what is assumed where the user did not say anything.
pub(crate) fn with_answers(text: &str, answers: &[Answered]) -> String {
    if answers.is_empty() {
        return text.to_owned();
    }
    let line = |answered: &Answered| {
        let question = answered.question.trim_end();
        match answered.decided {
            true if question.is_empty() => decided(&answered.said),
            true => format!("- Decided by the user: {question} {}", full_stop(&answered.said)),
            false => format!("- Assumed, because nobody answered: {question} {}", full_stop(&answered.said)),
        }
    };
    let lines: Vec<String> = answers.iter().map(line).collect();
    match text.lines().position(|line| line.trim() == "## Assumptions") {
        Some(at) => insert_after(text, Some(at + 1), &lines),
        None => {
            let section = [vec![String::new(), "## Assumptions".to_owned(), String::new()], lines].concat();
            insert_after(text, text.lines().count().checked_sub(1), &section)
        }
    }
}

/// The first significant words of a text, as a name.
pub(crate) fn slug(text: &str, words_max: usize, joint: char) -> String {
    let plain =
        |word: &str| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let words = text.split_whitespace().map(plain).filter(|word| telling(word));
    let kept: Vec<String> = words.filter(|word| word.len() > 1).take(words_max).collect();
    if kept.is_empty() { "feature".to_owned() } else { kept.join(&joint.to_string()) }
}

/// Whether a word says what a wish is about.
fn telling(word: &str) -> bool {
    const EVERYWHERE: [&str; 14] = [
        "allow", "enable", "everyone", "let", "make", "people", "person", "possible", "sure", "system",
        "user", "users", "want", "wants",
    ];
    let number = word.chars().all(|c| c.is_ascii_digit());
    number || (!telling_words(word).is_empty() && !EVERYWHERE.contains(&word.to_lowercase().as_str()))
}

/// What a requirement asks the system to do, without its condition.
pub(crate) fn act(text: &str) -> String {
    let rest = [" shall ", " must ", " should "].into_iter().find_map(|word| text.split_once(word));
    rest.map_or(text, |(_, rest)| rest).trim_end_matches('.').to_owned()
}
