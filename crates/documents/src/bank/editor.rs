//! Changes a file of entries, and keeps it byte for byte where nothing was to change.
//!
//! Line breaks, a missing one at the end, comments, groups and every entry that is not named stay as they are; in a
//! named entry only the necessary lines change. What was done is not done again: the same change of the same feature
//! changes nothing the second time. Start at [`apply`]; `draft` edits the lines of one entry.

mod draft;
mod writing;

use super::entry::{BankFile, key};
use super::field::Label;
use super::reader::{Found, Page};
use core::fmt;
use draft::Draft;
use redraft_facts::ids::FeatureId;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

pub use writing::is_specific;

/// A new lesson, as a retrospective proposes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    pub kind: BankFile,
    pub name: String,
    pub text: String,
    /// Where it comes from, as `Feature #031`.
    pub provenance: String,
    /// High, medium or low; empty if not stated.
    pub confidence: String,
}

impl NewEntry {
    /// The same with a provenance that names the feature, so that its last observation is known.
    #[must_use]
    pub fn of_feature(mut self, feature: FeatureId) -> NewEntry {
        let told = super::seen::Observed::read(&self.provenance);
        if !told.is_of(feature) {
            let rest = self.provenance.trim();
            let gap = if rest.is_empty() { "" } else { " — " };
            self.provenance = format!("Feature #{feature}{gap}{rest}");
        }
        self
    }
}

/// A change to a file of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BankChange {
    Add(NewEntry),
    /// A feature's experience agrees: last observed there, one observation more.
    Confirm {
        name: String,
        feature: FeatureId,
    },
    /// A feature's experience contradicts; the text says how.
    Challenge {
        name: String,
        feature: FeatureId,
        text: String,
    },
    /// A person keeps it: last observed there, the count as it is, no stale mark.
    Keep {
        name: String,
        feature: FeatureId,
    },
    /// The same where that feature already observed it last and its code has changed since: the entry then names the
    /// commit up to which it holds, or nobody could see that it was kept.
    KeepAt {
        name: String,
        feature: FeatureId,
        commit: String,
    },
    /// A person rewrites it: last observed there, one observation.
    Update {
        name: String,
        feature: FeatureId,
        text: String,
    },
    /// A person takes it out, with a reason.
    Retire {
        name: String,
        reason: String,
    },
    /// Fills in `Last observed:` and `Observation count:` where they are missing.
    Backfill {
        name: String,
        observed: String,
    },
}

impl BankChange {
    pub fn name(&self) -> &str {
        match self {
            BankChange::Add(entry) => &entry.name,
            BankChange::Confirm { name, .. }
            | BankChange::Challenge { name, .. }
            | BankChange::Keep { name, .. }
            | BankChange::KeepAt { name, .. }
            | BankChange::Update { name, .. }
            | BankChange::Retire { name, .. }
            | BankChange::Backfill { name, .. } => name,
        }
    }
}

/// The result of some changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    pub text: String,
    pub refused: Vec<EditRefused>,
    /// `Retired: {name} — {reason}` for each entry that was taken out, to be noted elsewhere.
    pub retired: Vec<String>,
    /// How many changes had an effect; the others had been made before.
    pub changed: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditRefused {
    pub name: String,
    pub why: EditRefusedWhy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditRefusedWhy {
    /// No entry of that name is in the file.
    NotFound,
    /// Several are.
    Ambiguous,
    NoName,
    NoText,
    /// The challenge does not say what contradicts the entry.
    Unspecific,
    NoReason,
    /// The entry belongs in another file.
    OtherKind,
    /// Patterns are neither judged nor filled in.
    Exempt,
}

impl fmt::Display for EditRefusedWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EditRefusedWhy::NotFound => "there is no entry of that name",
            EditRefusedWhy::Ambiguous => "several entries have that name",
            EditRefusedWhy::NoName => "an entry needs a name",
            EditRefusedWhy::NoText => "an entry needs a text",
            EditRefusedWhy::Unspecific => {
                "a challenge must say what contradicts the entry: a file, a finding, a decision, a quote"
            }
            EditRefusedWhy::NoReason => "an entry is retired for a reason",
            EditRefusedWhy::OtherKind => "it is an entry of another kind",
            EditRefusedWhy::Exempt => "patterns are neither judged nor filled in",
        })
    }
}

/// A name is a heading, and headings are short.
const NAME_CHARS_MAX: usize = 120;
/// A commit's whole name.
const COMMIT_CHARS_MAX: usize = 64;
/// A line that people can take in.
const LINE_CHARS_MAX: usize = 400;

/// Makes the changes in this order in a file of this kind.
pub fn apply(kind: BankFile, text: &str, changes: &[BankChange]) -> Applied {
    let mut sheet = Sheet::new(kind, text);
    let mut refused = Vec::new();
    let mut retired = Vec::new();
    let mut changed = 0;
    for change in changes {
        match sheet.apply(change, &mut retired) {
            Ok(true) => changed += 1,
            Ok(false) => {}
            Err(why) => refused.push(EditRefused { name: one_line(change.name(), NAME_CHARS_MAX), why }),
        }
    }
    Applied { text: sheet.text(), refused, retired, changed }
}

/// A file cut into its entries and what stands between them.
struct Sheet<'a> {
    kind: BankFile,
    whole: &'a str,
    line_break: &'static str,
    /// What stands before the first entry.
    head: String,
    parts: Vec<Part>,
    by_key: BTreeMap<String, Vec<usize>>,
}

struct Part {
    level: u8,
    kind_told: bool,
    draft: Draft,
    gone: bool,
    /// What stands between it and the next one.
    after: String,
}

impl<'a> Sheet<'a> {
    fn new(kind: BankFile, whole: &'a str) -> Sheet<'a> {
        let page = Page::read(whole);
        let line_break = if whole.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) {
            "\r\n"
        } else {
            "\n"
        };
        let text = |from: usize, to: usize| -> String {
            page.lines[from..to].iter().map(|line| line.whole).collect()
        };
        let start = |found: Option<&Found>| found.map_or(page.lines.len(), |found| found.lines.start);
        let mut sheet = Sheet {
            kind,
            whole,
            line_break,
            head: text(0, start(page.found.first())),
            parts: Vec::with_capacity(page.found.len()),
            by_key: BTreeMap::new(),
        };
        for (at, found) in page.found.iter().enumerate() {
            sheet.by_key.entry(key(&found.name)).or_default().push(at);
            sheet.parts.push(Part {
                level: found.level,
                kind_told: found.kind_told,
                draft: Draft::from_lines(&page.lines[found.lines.clone()], line_break),
                gone: false,
                after: text(found.lines.end, start(page.found.get(at + 1))),
            });
        }
        sheet
    }

    fn text(&self) -> String {
        let mut text = String::with_capacity(self.whole.len() + 256);
        text.push_str(&self.head);
        for part in &self.parts {
            if !part.gone {
                part.draft.write(&mut text);
            }
            text.push_str(&part.after);
        }
        text
    }

    /// Whether something changed.
    fn apply(&mut self, change: &BankChange, retired: &mut Vec<String>) -> Result<bool, EditRefusedWhy> {
        let entry = match change {
            BankChange::Add(entry) => return self.add(entry),
            BankChange::Confirm { .. } | BankChange::Challenge { .. } | BankChange::Backfill { .. }
                if !self.kind.grows_stale() =>
            {
                return Err(EditRefusedWhy::Exempt);
            }
            change => self.part(change.name())?,
        };
        let draft = &mut self.parts[entry].draft;
        match change {
            BankChange::Add(_) => Ok(false),
            BankChange::Confirm { feature, .. } => Ok(draft.confirm(*feature)),
            BankChange::Challenge { feature, text, .. } => {
                if !is_specific(text, &draft.all_text()) {
                    return Err(EditRefusedWhy::Unspecific);
                }
                Ok(draft.challenge(*feature, &one_line(text, LINE_CHARS_MAX)))
            }
            BankChange::Keep { feature, .. } => Ok(draft.keep(&format!("Feature #{feature}"))),
            BankChange::KeepAt { feature, commit, .. } => {
                let commit = one_line(commit, COMMIT_CHARS_MAX);
                Ok(draft.keep(&format!("Feature #{feature} (holds at {commit})")))
            }
            BankChange::Update { feature, text, .. } => {
                let text = writing::harmless(text);
                if text.is_empty() {
                    return Err(EditRefusedWhy::NoText);
                }
                Ok(draft.update(*feature, &text))
            }
            BankChange::Retire { name, reason } => {
                let reason = one_line(reason, LINE_CHARS_MAX);
                if reason.is_empty() {
                    return Err(EditRefusedWhy::NoReason);
                }
                retired.push(format!("Retired: {} — {reason}", one_line(name, NAME_CHARS_MAX)));
                self.take_out(entry);
                Ok(true)
            }
            BankChange::Backfill { observed, .. } => Ok(draft.backfill(&one_line(observed, LINE_CHARS_MAX))),
        }
    }

    fn part(&self, name: &str) -> Result<usize, EditRefusedWhy> {
        let places = self.by_key.get(&key(name)).map(Vec::as_slice).unwrap_or_default();
        let mut there = places.iter().copied().filter(|place| !self.parts[*place].gone);
        match (there.next(), there.next()) {
            (Some(only), None) => Ok(only),
            (Some(_), Some(_)) => Err(EditRefusedWhy::Ambiguous),
            (None, _) => Err(EditRefusedWhy::NotFound),
        }
    }

    fn add(&mut self, entry: &NewEntry) -> Result<bool, EditRefusedWhy> {
        let name = writing::heading(&entry.name, NAME_CHARS_MAX);
        let text = writing::harmless(&entry.text);
        match () {
            () if entry.kind != self.kind => return Err(EditRefusedWhy::OtherKind),
            () if key(&name).is_empty() => return Err(EditRefusedWhy::NoName),
            () if text.is_empty() => return Err(EditRefusedWhy::NoText),
            () if self.part(&name) != Err(EditRefusedWhy::NotFound) => return Ok(false),
            () => {}
        }
        let like = self.parts.iter().rev().find(|part| !part.gone);
        let level = like.map_or(3, |part| part.level);
        let kind_told = like.map_or(self.kind != BankFile::Heuristic, |part| part.kind_told);
        let lines = writing::lines_of(entry, &name, &text, level, kind_told);
        let draft = Draft::new(&lines, self.line_break);
        self.by_key.entry(key(&name)).or_default().push(self.parts.len());
        // What stands after the last entry, a template in a comment perhaps, stays after it.
        let (before_ends, after) = match self.parts.last_mut() {
            Some(last) => {
                let ends = last.gone || last.draft.end_line(self.line_break);
                (ends, core::mem::take(&mut last.after))
            }
            None => {
                if self.head.is_empty() {
                    self.head = writing::title(self.kind, self.line_break);
                }
                let ends = self.head.ends_with('\n');
                (ends, String::new())
            }
        };
        let before = match self.parts.last_mut() {
            Some(last) => &mut last.after,
            None => &mut self.head,
        };
        if !before_ends {
            before.push_str(self.line_break);
        }
        let gap =
            before.is_empty() || !before.trim_end_matches(['\r', '\n']).is_empty() && !is_gapped(before);
        if gap {
            before.push_str(self.line_break);
        }
        let mut draft = draft;
        if !before_ends && after.is_empty() {
            draft.leave_line_open();
        }
        self.parts.push(Part { level, kind_told, draft, gone: false, after });
        Ok(true)
    }

    /// Takes an entry out, and the blank lines that kept it apart.
    fn take_out(&mut self, at: usize) {
        let part = &mut self.parts[at];
        let ended = part.draft.is_ended();
        part.gone = true;
        let blank = |line: &&str| line.trim().is_empty();
        let blanks: usize = part.after.split_inclusive('\n').take_while(blank).map(str::len).sum();
        let rest = part.after[blanks..].to_owned();
        part.after = rest;
        if !part.after.is_empty()
            || self.parts[at + 1..].iter().any(|part| !part.gone || !part.after.is_empty())
        {
            return;
        }
        // It was the last: the file ends as it did before, with or without a line break.
        let before = match self.parts[..at].iter_mut().rev().find(|part| !part.gone || !part.after.is_empty())
        {
            Some(part) => &mut part.after,
            None => &mut self.head,
        };
        let bare = before.trim_end_matches([' ', '\t', '\r', '\n']).len();
        let breaks: String = before[bare..].split_inclusive('\n').take(1).collect();
        let own_line = bare > 0;
        before.truncate(bare);
        if ended && own_line {
            before.push_str(&breaks);
        }
    }
}

/// Whether a text ends with a blank line.
fn is_gapped(text: &str) -> bool {
    text.trim_end_matches([' ', '\t']).ends_with("\n\n")
        || text.ends_with("\r\n\r\n")
        || text == "\n"
        || text == "\r\n"
}

/// The label of a field by kind.
fn label(kind: BankFile, label: Label) -> &'static str {
    match label {
        Label::Provenance => kind.provenance(),
        label => label.words(),
    }
}
