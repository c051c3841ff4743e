//! The words of references: what the labels of fields are about, and the names of documents and their parts.

use super::TargetDocument;
use redraft_facts::prelude::*;

/// What a field is about, by its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// Whatever it names.
    Anything,
    /// Parts of this document, unless it names another.
    Document(TargetDocument),
    /// Only ids that can be nothing else.
    Ids,
    /// Text that has another purpose: only titles after their document count.
    Mentions,
}

impl About {
    /// Judged by the words of a label: documents, parts of documents, and words that announce a reference. A label with
    /// any other word is about something else.
    pub(super) fn parse(label: &str) -> Option<About> {
        let lower = label.to_lowercase();
        let name = lower.split('(').next().unwrap_or_default().trim();
        if name == "title" {
            return Some(About::Ids);
        }
        let words: Vec<&str> =
            name.split([' ', '-', '_', '/', '&', '.']).filter(|word| !word.is_empty()).collect();
        // `AC for this task`.
        let criteria = words.first().is_some_and(|word| ["ac", "acs"].contains(word));
        let known = |word: &&str| {
            kind_of(word).is_some() || part_of(word).is_some() || is_of_spec(word) || REFERS.contains(word)
        };
        if words.is_empty() || !words.iter().all(|word| known(word) || SMALL.contains(word)) {
            return criteria.then_some(About::Document(TargetDocument::Spec));
        }
        // Documents by their names; else by what stands in them.
        let mut kinds: BTreeSet<TargetDocument> = words.iter().filter_map(|word| kind_of(word)).collect();
        if kinds.is_empty() {
            let of_parts = words.iter().filter_map(|word| label_of_part(word));
            let of_spec = words.iter().filter(|word| is_of_spec(word)).map(|_| TargetDocument::Spec);
            kinds = of_parts.chain(of_spec).collect();
        }
        match (kinds.len(), kinds.first()) {
            (1, Some(kind)) => Some(About::Document(*kind)),
            (0, _) => words.iter().any(|word| REFERS.contains(word)).then_some(About::Anything),
            _ => Some(About::Anything),
        }
    }

    pub(super) fn document(self) -> Option<TargetDocument> {
        match self {
            About::Document(kind) => Some(kind),
            About::Anything | About::Ids | About::Mentions => None,
        }
    }
}

/// Words of labels that announce a reference.
const REFERS: [&str; 37] = [
    "why",
    "source",
    "sources",
    "implements",
    "implement",
    "traces",
    "trace",
    "traced",
    "traceability",
    "ref",
    "refs",
    "reference",
    "references",
    "from",
    "origin",
    "derived",
    "based",
    "upstream",
    "link",
    "links",
    "covers",
    "covered",
    "addresses",
    "addressed",
    "related",
    "relates",
    "context",
    "see",
    "maps",
    "per",
    "supports",
    "realizes",
    "realises",
    "built",
    "implemented",
    "basis",
    "bezug",
];

/// Words that say nothing about what a label is about.
const SMALL: [&str; 10] = ["to", "by", "in", "of", "the", "and", "on", "also", "user", "id"];

/// Whether a word of a label is about the contents of a specification.
fn is_of_spec(word: &str) -> bool {
    const WORDS: [&str; 25] = [
        "fr",
        "frs",
        "nfr",
        "nfrs",
        "ac",
        "acs",
        "sc",
        "scs",
        "us",
        "verifies",
        "satisfies",
        "validates",
        "fulfills",
        "coverage",
        "requirement",
        "requirements",
        "story",
        "stories",
        "anforderung",
        "anforderungen",
        "requisitos",
        "требования",
        "要件",
        "需求",
        "req",
    ];
    WORDS.contains(&word)
}

/// The document that a label is about if it is only a word for a part: `Phase: 3`, `Component: Store`.
fn label_of_part(word: &str) -> Option<TargetDocument> {
    match part_of(word)? {
        ("Component" | "Interface" | "Decision", kind) => kind,
        // `Steps` are what is to be done.
        ("Step" | "Phase" | "Milestone" | "Stage" | "Sprint" | "Iteration", _) if !word.ends_with('s') => {
            Some(TargetDocument::Plan)
        }
        _ => None,
    }
}

/// The word for a part that the numbers in a field count: `Phase: 3`, `Plan item: 3`. A `Plan step` may have any name.
pub(super) fn counted_by_label(label: &str) -> Option<&'static str> {
    let (part, _) = part_of(&label.rsplit(' ').next()?.to_lowercase())?;
    let alone = !label.contains(' ') && label_of_part(&label.to_lowercase()) == Some(TargetDocument::Plan);
    (alone || part == "item" && label.contains(' ')).then_some(part)
}

pub(super) fn kind_of(word: &str) -> Option<TargetDocument> {
    match word {
        "plan" | "plan.md" | "計画" | "计划" => Some(TargetDocument::Plan),
        "design" | "design.md" | "entwurf" | "設計" | "设计" => Some(TargetDocument::Design),
        "spec" | "spec.md" | "specification" | "specs" | "spezifikation" | "仕様" | "requirements.md" => {
            Some(TargetDocument::Spec)
        }
        "prd" | "prd.md" => Some(TargetDocument::Prd),
        _ => None,
    }
}

/// A word for a part of a document, in the singular, and the document it is a part of when none is named.
pub(super) fn part_of(word: &str) -> Option<(&'static str, Option<TargetDocument>)> {
    Some(match word {
        "step" | "steps" | "schritt" | "schritte" => ("Step", Some(TargetDocument::Plan)),
        "item" | "items" => ("item", None),
        "component" | "components" => ("Component", Some(TargetDocument::Design)),
        "interface" | "interfaces" => ("Interface", Some(TargetDocument::Design)),
        "decision" | "decisions" => ("Decision", Some(TargetDocument::Design)),
        "requirement" | "requirements" | "req" | "reqs" => ("Requirement", Some(TargetDocument::Spec)),
        "story" | "stories" => ("Story", Some(TargetDocument::Spec)),
        "section" | "sections" | "sec" | "chapter" | "chapters" | "ch" | "clause" | "abschnitt"
        | "abschnitte" | "kapitel" => ("", None),
        "phase" | "phases" => ("Phase", None),
        "stage" | "stages" => ("Stage", None),
        "sprint" | "sprints" => ("Sprint", None),
        "iteration" | "iterations" => ("Iteration", None),
        "task" | "tasks" => ("Task", None),
        "part" => ("Part", None),
        "group" | "groups" => ("group", None),
        "risk" | "risks" => ("Risk", None),
        "milestone" | "milestones" => ("Milestone", None),
        "criterion" | "criteria" => ("criterion", Some(TargetDocument::Spec)),
        _ => return None,
    })
}

/// `AC` of the label `ACs covered`: numbers in such a field are those ids.
pub(super) fn letters_of(label: &str) -> Option<&'static str> {
    const LETTERS: [&str; 5] = ["AC", "FR", "NFR", "SC", "US"];
    let word = label.split(|c: char| !c.is_alphanumeric()).next()?;
    let word = word.strip_suffix('s').unwrap_or(word);
    LETTERS.into_iter().find(|letters| *letters == word)
}

/// Words that leave out what follows, and the one that ends it.
pub(super) fn is_exception(word: &str) -> bool {
    ["not", "except", "excluding", "without", "nicht", "außer", "ohne", "but"].contains(&word)
}

/// Where an id with these letters stands when no document is named.
pub(super) fn home(prefix: &str) -> Option<TargetDocument> {
    match prefix {
        "FR" | "NFR" | "AC" | "SC" | "REQ" | "US" | "UC" | "EC" | "BR" | "R" | "CR" | "UR" | "SR" | "BS"
        | "OQ" => Some(TargetDocument::Spec),
        "C" | "I" | "D" | "TD" | "ADR" | "IF" | "DD" | "DEC" | "M" => Some(TargetDocument::Design),
        "PI" | "P" => Some(TargetDocument::Plan),
        "PRD" => Some(TargetDocument::Prd),
        _ => None,
    }
}
