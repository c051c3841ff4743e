//! The phases a feature passes through and the lanes that choose among them.

use crate::ids::BadId;
use crate::prelude::*;
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    Specify,
    Design,
    CreatePlan,
    CreateTasks,
    /// The tasks are carried out and the code is reviewed.
    Implement,
    /// What would be merged is checked, what was learnt is written down, and the branch is made ready.
    Finish,
    /// The review of a document that belongs to no phase. No feature passes through it.
    Document,
}

impl Phase {
    /// Those that features pass through, in the order they follow each other.
    pub const ALL: [Phase; 6] = [
        Phase::Specify,
        Phase::Design,
        Phase::CreatePlan,
        Phase::CreateTasks,
        Phase::Implement,
        Phase::Finish,
    ];

    /// Those of them that write a document.
    pub const DOCUMENTS: [Phase; 4] = [Phase::Specify, Phase::Design, Phase::CreatePlan, Phase::CreateTasks];

    pub fn name(self) -> &'static str {
        match self {
            Phase::Specify => "specify",
            Phase::Design => "design",
            Phase::CreatePlan => "create-plan",
            Phase::CreateTasks => "create-tasks",
            Phase::Implement => "implement",
            Phase::Finish => "finish",
            Phase::Document => "document",
        }
    }

    /// The file this phase writes in the feature's folder.
    pub fn artifact(self) -> &'static str {
        match self {
            Phase::Specify => "spec.md",
            Phase::Design => "design.md",
            Phase::CreatePlan => "plan.md",
            Phase::CreateTasks => "tasks.md",
            Phase::Finish => "retro.md",
            // Code is not a single file, and a document by itself may be any file.
            Phase::Implement | Phase::Document => "",
        }
    }

    /// The files this phase builds on, in reading order.
    pub fn upstream(self) -> &'static [&'static str] {
        match self {
            Phase::Specify => &["prd.md"],
            Phase::Design => &["prd.md", "spec.md", "research.md"],
            Phase::CreatePlan => &["prd.md", "spec.md", "design.md"],
            Phase::CreateTasks => &["prd.md", "spec.md", "design.md", "plan.md"],
            Phase::Implement | Phase::Finish => &["prd.md", "spec.md", "design.md", "plan.md", "tasks.md"],
            Phase::Document => &[],
        }
    }

    /// Whether its author may ask the user before the first draft. What comes after the design is made from documents
    /// that were approved: what only the user can settle was asked before.
    pub fn may_ask(self) -> bool {
        matches!(self, Phase::Specify | Phase::Design)
    }

    /// The phase that writes this file, if one does.
    pub fn writing(artifact: &str) -> Option<Phase> {
        Phase::DOCUMENTS.into_iter().find(|phase| phase.artifact() == artifact)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Phase {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        let bad =
            || BadId::new(word, "a phase (specify, design, create-plan, create-tasks, implement or finish)");
        let mut known = Phase::ALL.into_iter().chain([Phase::Document]);
        known.find(|phase| phase.name() == word).ok_or_else(bad)
    }
}

/// How much ceremony a feature gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lane {
    /// A mini-spec that passes the gates, without reviewers.
    Express,
    /// A domain and a phase reviewer for every document.
    Standard,
    /// The same, and fresh eyes sign every phase.
    Deep,
}

impl Lane {
    pub const ALL: [Lane; 3] = [Lane::Express, Lane::Standard, Lane::Deep];

    pub fn name(self) -> &'static str {
        match self {
            Lane::Express => "express",
            Lane::Standard => "standard",
            Lane::Deep => "deep",
        }
    }

    pub fn phases(self) -> &'static [Phase] {
        match self {
            Lane::Express => &[Phase::Specify, Phase::Implement, Phase::Finish],
            Lane::Standard | Lane::Deep => &Phase::ALL,
        }
    }

    /// Where a feature of this lane ends unless somebody says otherwise.
    pub fn last(self) -> Phase {
        self.phases().last().copied().unwrap_or(Phase::Specify)
    }

    /// Whether its documents are read by reviewers, and not by gates alone.
    pub fn reviews(self) -> bool {
        self != Lane::Express
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Lane {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        let bad = || BadId::new(word, "a lane (express, standard or deep)");
        Lane::ALL.into_iter().find(|lane| lane.name() == word).ok_or_else(bad)
    }
}

/// The rules for choosing a lane, in addition to the idea.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneRules {
    /// Words and paths that ask for the deep lane, compared without regard to case.
    pub deep: Vec<String>,
}

impl Default for LaneRules {
    fn default() -> Self {
        let deep = [
            "auth",
            "oauth",
            "authentication",
            "authorization",
            "crypto",
            "payment",
            "payments",
            "migration",
            "migrations",
        ];
        LaneRules { deep: deep.map(str::to_owned).to_vec() }
    }
}

/// A lane and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub lane: Lane,
    pub reason: String,
}

/// The lane of a new feature: what a person said, else deep where a sensitive word or path occurs, else express where the
/// idea names one or two files, else standard.
pub fn lane_for(idea: &str, said: Option<Lane>, rules: &LaneRules) -> Chosen {
    if let Some(lane) = said {
        return Chosen { lane, reason: "you said so".to_owned() };
    }
    let files = files_named(idea);
    let words = words(idea);
    for sensitive in rules.deep.iter().map(|word| word.to_lowercase()).filter(|word| !word.is_empty()) {
        let in_path = |file: &&String| file.to_lowercase().contains(&sensitive);
        let is_path = sensitive.contains(['/', '.']);
        if !is_path && words.contains(&sensitive) {
            return Chosen { lane: Lane::Deep, reason: format!("the idea has the word `{sensitive}`") };
        }
        if let Some(file) = files.iter().find(in_path) {
            return Chosen { lane: Lane::Deep, reason: format!("the idea names {file} (`{sensitive}`)") };
        }
        if is_path && idea.to_lowercase().contains(&sensitive) {
            return Chosen { lane: Lane::Deep, reason: format!("the idea names `{sensitive}`") };
        }
    }
    match files.as_slice() {
        [] => Chosen { lane: Lane::Standard, reason: "the idea names no file".to_owned() },
        [one] => Chosen { lane: Lane::Express, reason: format!("the idea names one file, {one}") },
        [one, two] => {
            Chosen { lane: Lane::Express, reason: format!("the idea names two files, {one} and {two}") }
        }
        many => Chosen { lane: Lane::Standard, reason: format!("the idea names {} files", many.len()) },
    }
}

fn words(idea: &str) -> BTreeSet<String> {
    let split = idea.split(|c: char| !c.is_alphanumeric());
    split.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The files a text names, each once: names with a letter in their ending, such as `src/lib.rs` and `README.md`. Host
/// names and abbreviations do not count.
pub fn files_named(idea: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let words = idea
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | '\'' | '`' | '*'));
    for word in words {
        let word = word.trim_end_matches(['.', ':', '!', '?']).trim_start_matches("./");
        if is_file_name(word) && !files.iter().any(|known| known == word) {
            files.push(word.to_owned());
        }
    }
    files
}

/// Products with names that look like files.
const PRODUCTS: [&str; 16] = [
    "node.js",
    "vue.js",
    "next.js",
    "nuxt.js",
    "nest.js",
    "react.js",
    "angular.js",
    "ember.js",
    "express.js",
    "three.js",
    "d3.js",
    "chart.js",
    "p5.js",
    "discord.js",
    "asp.net",
    "socket.io",
];

/// Endings of Internet names, which are meant more often than files.
const NET: [&str; 10] = ["com", "org", "net", "io", "dev", "app", "de", "eu", "co", "ai"];

fn is_file_name(word: &str) -> bool {
    if word.contains("://") || word.contains('@') {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    let named = !name.is_empty() && name.chars().all(plain) && !ending.is_empty() && ending.len() <= 10;
    let ending_is_one = ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && ending.chars().all(|c| c.is_ascii_alphanumeric());
    // `e.g` and `v1.x`: an ending of one letter after no more than a number.
    let short = stem.trim_start_matches(['v', 'V']).chars().all(|c| c.is_ascii_digit() || c == '.')
        || stem.len() <= 1;
    let abbreviation = !word.contains('/') && short && ending.len() <= 1;
    let net = !word.contains('/') && NET.contains(&ending.to_lowercase().as_str());
    let product = PRODUCTS.contains(&word.to_lowercase().as_str());
    named
        && !product
        && ending_is_one
        && !abbreviation
        && !net
        && (!stem.is_empty() || word.contains('/') || ending.len() > 2)
}

#[cfg(test)]
mod tests;
