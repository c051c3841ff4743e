//! Computes which entries are relevant to a feature, by files, words and rules, so that an agent judges only those.
//!
//! Does not know whether an entry is confirmed or challenged. Start at [`relevant`].

use super::entry::BankEntry;
use super::terms;
use redraft_facts::prelude::*;

/// What a feature did and what was said about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureRecord {
    /// Files that its change touches.
    pub paths: Vec<String>,
    /// Decisions, deviations and concerns, one text each.
    pub decisions: Vec<String>,
    /// Findings, one text each, with their files.
    pub findings: Vec<String>,
    /// Rules and checks that failed on the way.
    pub rules: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relevant<'a> {
    pub entry: &'a BankEntry,
    /// In words, one line: `files: hooks/run.sh; finding: paths, relative, worktree`.
    pub why: String,
}

/// How many significant words of an entry one decision or finding must share to be about it.
const SHARED_MIN: usize = 3;
/// If two of them are in the entry's name, these are enough.
const SHARED_WITH_NAME_MIN: usize = 2;
/// A word that more than one in this many entries has is not significant, once there are enough entries to tell.
const ORDINARY: usize = 8;
const ENTRIES_TO_TELL: usize = 24;
/// Files and words named as reasons.
const SHOWN_MAX: usize = 4;

/// The entries that overlap with a feature, in their order. Patterns are not judged, so none is returned.
pub fn relevant<'a>(entries: &'a [BankEntry], feature: &FeatureRecord) -> Vec<Relevant<'a>> {
    let own: Vec<Terms> = entries.iter().map(Terms::new).collect();
    let ordinary = ordinary(&own);
    let said =
        |texts: &[String]| -> Vec<BTreeSet<String>> { texts.iter().map(|text| terms::terms(text)).collect() };
    let (decisions, findings) = (said(&feature.decisions), said(&feature.findings));
    let mut found = Vec::new();
    for (entry, terms) in entries.iter().zip(&own).filter(|(entry, _)| entry.kind.grows_stale()) {
        let reasons = [
            files(entry, feature).map(|files| format!("files: {files}")),
            rules(entry, feature).map(|rules| format!("rules: {rules}")),
            words(terms, &findings, &ordinary).map(|words| format!("finding: {words}")),
            words(terms, &decisions, &ordinary).map(|words| format!("decision: {words}")),
        ];
        let why: Vec<String> = reasons.into_iter().flatten().collect();
        if !why.is_empty() {
            found.push(Relevant { entry, why: why.join("; ") });
        }
    }
    found
}

pub(super) struct Terms {
    pub(super) name: BTreeSet<String>,
    pub(super) all: BTreeSet<String>,
}

impl Terms {
    pub(super) fn new(entry: &BankEntry) -> Terms {
        let name = terms::terms(&entry.name);
        let mut all = terms::terms(&entry.text);
        all.extend(name.iter().cloned());
        Terms { name, all }
    }
}

/// Words that are in too many entries to distinguish one from another.
pub(super) fn ordinary(all: &[Terms]) -> BTreeSet<String> {
    if all.len() < ENTRIES_TO_TELL {
        return BTreeSet::new();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for term in all.iter().flat_map(|terms| &terms.all) {
        *counts.entry(term).or_default() += 1;
    }
    let most = all.len() / ORDINARY;
    counts.into_iter().filter(|(_, count)| *count > most).map(|(term, _)| term.to_owned()).collect()
}

/// The files that an entry names by itself or by its anchors.
pub(super) fn named_files(entry: &BankEntry) -> Vec<String> {
    let mut named = entry.fields.anchors.clone();
    named.extend(terms::paths(&entry.name));
    named.extend(terms::paths(&entry.text));
    named
}

fn files(entry: &BankEntry, feature: &FeatureRecord) -> Option<String> {
    let named = named_files(entry);
    let touched = feature.paths.iter().filter(|path| named.iter().any(|named| terms::means(named, path)));
    listed(touched.map(String::as_str))
}

fn rules(entry: &BankEntry, feature: &FeatureRecord) -> Option<String> {
    let named = |rule: &&String| {
        let checked = entry.fields.checked_by.iter().any(|by| match by {
            super::CheckedBy::Lint(name) | super::CheckedBy::Check(name) => name == *rule,
        });
        checked || entry.text.split('`').skip(1).step_by(2).any(|code| code.trim() == rule.as_str())
    };
    listed(feature.rules.iter().filter(named).map(String::as_str))
}

fn words(entry: &Terms, said: &[BTreeSet<String>], ordinary: &BTreeSet<String>) -> Option<String> {
    let shared = said.iter().map(|text| shared(entry, text, ordinary));
    let best = shared.filter(|(all, name)| is_enough(all.len(), *name)).max_by_key(|(all, _)| all.len());
    listed(best?.0.into_iter())
}

/// The words two texts share, and how many of them are in the entry's name.
pub(super) fn shared<'a>(
    entry: &'a Terms,
    text: &BTreeSet<String>,
    ordinary: &BTreeSet<String>,
) -> (Vec<&'a str>, usize) {
    let all = entry.all.iter().filter(|term| text.contains(*term) && !ordinary.contains(*term));
    let all: Vec<&str> = all.map(String::as_str).collect();
    let name = all.iter().filter(|term| entry.name.contains(**term)).count();
    (all, name)
}

/// Whether this many shared words, this many of them in the name, mean that a text is about an entry.
pub(super) fn is_enough(shared: usize, of_name: usize) -> bool {
    shared >= SHARED_MIN || of_name >= SHARED_WITH_NAME_MIN
}

fn listed<'a>(items: impl Iterator<Item = &'a str>) -> Option<String> {
    let all: Vec<&str> = items.collect();
    let more = all.len().saturating_sub(SHOWN_MAX);
    let shown = all.get(..all.len().min(SHOWN_MAX)).unwrap_or_default().join(", ");
    match (all.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(shown),
        (false, more) => Some(format!("{shown} and {more} more")),
    }
}
