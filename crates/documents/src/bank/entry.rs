//! The entries of the bank, whatever they look like in their files.

use super::seen::Observed;
use crate::lint::Rule;
use core::fmt;
use core::str::FromStr;
use redraft_facts::prelude::*;

/// Which of the three files an entry stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BankFile {
    /// What was done and should not be done again.
    AntiPattern,
    /// A rule of thumb.
    Heuristic,
    /// What worked well. Exempt from judging and from growing stale: an unused one does no harm.
    Pattern,
}

impl BankFile {
    pub const ALL: [BankFile; 3] = [BankFile::AntiPattern, BankFile::Heuristic, BankFile::Pattern];

    pub fn name(self) -> &'static str {
        match self {
            BankFile::AntiPattern => "anti-pattern",
            BankFile::Heuristic => "heuristic",
            BankFile::Pattern => "pattern",
        }
    }

    /// As in a heading: `### Anti-Pattern: …`.
    pub fn title(self) -> &'static str {
        match self {
            BankFile::AntiPattern => "Anti-Pattern",
            BankFile::Heuristic => "Heuristic",
            BankFile::Pattern => "Pattern",
        }
    }

    /// From the repository's root.
    pub fn path(self) -> &'static str {
        match self {
            BankFile::AntiPattern => "docs/knowledge-bank/anti-patterns.md",
            BankFile::Heuristic => "docs/knowledge-bank/heuristics.md",
            BankFile::Pattern => "docs/knowledge-bank/patterns.md",
        }
    }

    /// Whether its entries grow stale, are judged and are filled in.
    pub fn grows_stale(self) -> bool {
        match self {
            BankFile::AntiPattern | BankFile::Heuristic => true,
            BankFile::Pattern => false,
        }
    }

    /// How the file says where an entry comes from.
    pub(super) fn provenance(self) -> &'static str {
        match self {
            BankFile::AntiPattern | BankFile::Pattern => "Observed in",
            BankFile::Heuristic => "Source",
        }
    }
}

impl fmt::Display for BankFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BankFile {
    type Err = ();

    fn from_str(word: &str) -> Result<BankFile, ()> {
        let word = word.trim().to_lowercase();
        BankFile::ALL.into_iter().find(|kind| word == kind.name() || word == format!("{kind}s")).ok_or(())
    }
}

/// One lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankEntry {
    pub kind: BankFile,
    /// Without `Anti-Pattern:` before it.
    pub name: String,
    /// What it says, without its fields.
    pub text: String,
    /// Of the heading, counted from 1.
    pub line: u32,
    /// The last line that belongs to it.
    pub end_line: u32,
    pub fields: Fields,
}

/// The labelled lines of an entry that mean something here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// `Observed in:` or `Source:`, as written.
    pub provenance: Option<Observed>,
    pub last_observed: Option<Observed>,
    /// The line of `Last observed:`, counted from 1.
    pub last_observed_line: Option<u32>,
    pub count: Option<u32>,
    pub confidence: Option<String>,
    /// Each `Challenged:` line, as written.
    pub challenged: Vec<String>,
    pub checked_by: Vec<CheckedBy>,
    /// Files named by an `Anchor:` line.
    pub anchors: Vec<String>,
    /// Somebody wrote `⚠️ STALE` into it. Never written here: whether an entry is stale is computed.
    pub marked_stale: bool,
}

impl BankEntry {
    /// Its name among entries of several kinds: `heuristic: Quote variables`.
    pub fn full_name(&self) -> String {
        format!("{}: {}", self.kind, self.name)
    }

    /// The last observation, if anything states one: the field, else where the entry comes from.
    pub fn seen(&self) -> Option<&Observed> {
        self.fields.last_observed.as_ref().or(self.fields.provenance.as_ref())
    }

    /// Whether it has this name, however it is spelled.
    pub fn is_called(&self, name: &str) -> bool {
        key(&self.name) == key(name)
    }
}

/// Names are compared without case, blanks, marks and the kind before them.
pub(super) fn key(name: &str) -> String {
    let (bare, _) = without_kind(name.trim().trim_start_matches('#').trim());
    redraft_facts::citation::fold(&bare.replace(['*', '`', '_'], "")).to_lowercase()
}

/// A name without `Anti-Pattern:`, `Heuristic:` or `Pattern:` before it.
pub(super) fn without_kind(title: &str) -> (&str, bool) {
    let Some((before, after)) = title.split_once(':') else { return (title, false) };
    let before = before.trim().to_lowercase();
    let told =
        matches!(before.as_str(), "anti-pattern" | "antipattern" | "anti pattern" | "heuristic" | "pattern");
    if told { (after.trim(), true) } else { (title, false) }
}

/// A mechanical check of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckedBy {
    /// The name of a lint rule, which becomes an error; there may be none of that name.
    Lint(String),
    /// The name of an entry of `[checks]`.
    Check(String),
}

impl CheckedBy {
    /// `lint vague-word`, `check test`, `lint rule \`vague-word\`, checks.test`; a name alone means the rule of that
    /// name if there is one, else a check.
    pub(super) fn read(value: &str) -> Vec<CheckedBy> {
        let parts = value.split([',', ';']).flat_map(|part| part.split(" and "));
        parts.filter_map(CheckedBy::read_one).collect()
    }

    fn read_one(part: &str) -> Option<CheckedBy> {
        let bare = part.replace(['`', '*', '[', ']', '"'], " ");
        let words: Vec<&str> =
            bare.split_whitespace().map(|word| word.trim_end_matches(['.', ':'])).collect();
        let (first, rest) = words.split_first()?;
        let is = |word: &str, names: [&str; 4]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        let (lint, check) = (["lint", "rule", "lints", "rules"], ["check", "checks", "test", "gate"]);
        let named =
            rest.iter().copied().find(|word| !is(word, lint) && !is(word, ["the", "named", "a", "is"]));
        if let Some(name) = first.strip_prefix("checks.").filter(|name| !name.is_empty()) {
            return Some(CheckedBy::Check(name.to_owned()));
        }
        match named {
            Some(name) if is(first, lint) => Some(CheckedBy::Lint(name.to_owned())),
            Some(name) if is(first, check) => Some(CheckedBy::Check(name.to_owned())),
            _ if first.parse::<Rule>().is_ok() => Some(CheckedBy::Lint((*first).to_owned())),
            _ => Some(CheckedBy::Check((*first).to_owned())),
        }
    }

    /// The rule, if lint has one of that name.
    pub fn rule(&self) -> Option<Rule> {
        match self {
            CheckedBy::Lint(name) => name.parse().ok(),
            CheckedBy::Check(_) => None,
        }
    }
}

impl fmt::Display for CheckedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckedBy::Lint(name) => write!(f, "lint {name}"),
            CheckedBy::Check(name) => write!(f, "check {name}"),
        }
    }
}

/// All entries, in the order of their files and lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bank {
    pub entries: Vec<BankEntry>,
}

impl Bank {
    /// The entries of this name; several where kinds share it or a file has it twice.
    pub fn called(&self, name: &str) -> Vec<&BankEntry> {
        let wanted = key(name);
        self.entries.iter().filter(|entry| key(&entry.name) == wanted).collect()
    }
}
