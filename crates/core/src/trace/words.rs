//! The words of references: what the labels of fields are about, what documents and their parts are called.

use super::Kind;
use crate::prelude::*;

/// What a field is about, by its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// Whatever it names.
    Anything,
    /// Parts of this document, unless it names another.
    Document(Kind),
    /// Only ids that can be nothing else.
    Ids,
}

impl About {
    pub(super) fn of(label: &str) -> Option<About> {
        const ANYTHING: [&str; 22] = [
            "why",
            "source",
            "sources",
            "implements",
            "implement",
            "traces",
            "trace",
            "traceability",
            "traces to",
            "ref",
            "refs",
            "reference",
            "references",
            "from",
            "origin",
            "derived from",
            "upstream",
            "links",
            "covers",
            "addresses",
            "related",
            "context",
        ];
        const SPEC: [&str; 22] = [
            "fr",
            "frs",
            "nfr",
            "ac",
            "acs",
            "sc",
            "scs",
            "verifies",
            "satisfies",
            "validates",
            "requirement",
            "requirements",
            "ac coverage",
            "acs covered",
            "coverage",
            "fulfills",
            "anforderung",
            "anforderungen",
            "requisitos",
            "требования",
            "要件",
            "需求",
        ];
        let lower = label.to_lowercase();
        let name = lower.split('(').next().unwrap_or_default().trim();
        let words: Vec<&str> = name.split([' ', '-', '_', '/']).filter(|word| !word.is_empty()).collect();
        const PARTS: [&str; 16] = [
            "ref",
            "refs",
            "reference",
            "references",
            "item",
            "items",
            "step",
            "steps",
            "section",
            "sections",
            "coverage",
            "component",
            "components",
            "interface",
            "interfaces",
            "source",
        ];
        if name == "title" {
            return Some(About::Ids);
        }
        if ANYTHING.contains(&name) {
            return Some(About::Anything);
        }
        if SPEC.contains(&name) {
            return Some(About::Document(Kind::Spec));
        }
        // `Plan ref`, `Design components`, `Spec`, `Plan/Design refs`.
        let kinds: Vec<Kind> = words.iter().filter_map(|word| kind_of(word)).collect();
        let only = words.iter().all(|word| kind_of(word).is_some() || PARTS.contains(word));
        // `FR/AC` is about one document, too.
        if !words.is_empty() && words.iter().all(|word| SPEC.contains(word)) {
            return Some(About::Document(Kind::Spec));
        }
        match (kinds.as_slice(), only) {
            ([kind], true) => Some(About::Document(*kind)),
            ([_, ..], true) => Some(About::Anything),
            ([], true)
                if words
                    .first()
                    .is_some_and(|word| word.starts_with("component") || word.starts_with("interface")) =>
            {
                Some(About::Document(Kind::Design))
            }
            _ => (words.first() == Some(&"ac") || words.first() == Some(&"acs"))
                .then_some(About::Document(Kind::Spec)),
        }
    }
}

pub(super) fn kind_of(word: &str) -> Option<Kind> {
    match word {
        "plan" | "plan.md" | "計画" | "计划" => Some(Kind::Plan),
        "design" | "design.md" | "entwurf" | "設計" | "设计" => Some(Kind::Design),
        "spec" | "spec.md" | "specification" | "specs" | "spezifikation" | "仕様" => Some(Kind::Spec),
        "prd" | "prd.md" => Some(Kind::Prd),
        _ => None,
    }
}

/// A word for a part of a document, in the singular, and the document it is a part of when none is named.
pub(super) fn part_of(word: &str) -> Option<(&'static str, Option<Kind>)> {
    Some(match word {
        "step" | "steps" | "schritt" | "schritte" => ("Step", Some(Kind::Plan)),
        "item" | "items" => ("item", None),
        "component" | "components" => ("Component", Some(Kind::Design)),
        "interface" | "interfaces" => ("Interface", Some(Kind::Design)),
        "decision" | "decisions" => ("Decision", Some(Kind::Design)),
        "requirement" | "requirements" => ("Requirement", Some(Kind::Spec)),
        "section" | "sections" | "sec" | "sec." => ("", None),
        "phase" | "phases" => ("Phase", None),
        "stage" => ("Stage", None),
        "part" => ("Part", None),
        "group" | "groups" => ("group", None),
        "risk" | "risks" => ("Risk", None),
        "milestone" => ("Milestone", None),
        "criterion" | "criteria" => ("criterion", Some(Kind::Spec)),
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

/// The word for a part in a label: `Step` of `Plan step`.
pub(super) fn part_of_label(label: &str) -> Option<&'static str> {
    let (part, _) = part_of(&label.rsplit(' ').next()?.to_lowercase())?;
    (!part.is_empty() && label.contains(' ')).then_some(part)
}

/// Where an id with these letters stands when no document is named.
pub(super) fn home(prefix: &str) -> Option<Kind> {
    match prefix {
        "FR" | "NFR" | "AC" | "SC" | "REQ" | "US" | "UC" | "EC" | "BR" | "R" | "CR" | "UR" | "SR" | "BS"
        | "OQ" => Some(Kind::Spec),
        "C" | "I" | "D" | "TD" | "ADR" | "IF" | "DD" | "DEC" | "M" => Some(Kind::Design),
        "PI" | "P" => Some(Kind::Plan),
        "PRD" => Some(Kind::Prd),
        _ => None,
    }
}
