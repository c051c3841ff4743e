//! Finds parts of a document by their titles and by the chapters they stand in.
//!
//! Start at [`Targets::chapter`].

use super::asked::Asked;
use super::place::{Lead, Match, Place};
use super::target::{FoundTarget, Target, Targets};
use super::titles::agree;
use redraft_facts::prelude::*;

impl Targets<'_> {
    /// The headings that consist of just these words, their numbers left out.
    pub(super) fn titled(&self, words: &str) -> Vec<Target> {
        if let Some(anchor) = words.strip_prefix('#') {
            return self.headings(|title| slug(title) == anchor.to_lowercase());
        }
        if words.contains(|c: char| c.is_ascii_digit()) {
            return Vec::new();
        }
        let found = self.titles.find(words.trim_start_matches('§')).into_iter();
        let headings = found.filter(|place| self.places[*place].how == Match::Heading);
        headings.map(|place| self.target(place, false)).collect()
    }

    /// What a title names or, after other titles, the title inside what those name: `Failure modes / Lost files`.
    pub(super) fn chapter(&self, title: &str) -> Vec<Target> {
        let named = |title: &str| -> Vec<Target> {
            self.titles.find(title).into_iter().map(|place| self.target(place, false)).collect()
        };
        let whole = named(title);
        if !whole.is_empty() {
            return whole;
        }
        let mut parts = title.split(PATH).map(str::trim).filter(|part| !part.is_empty());
        let mut found = parts.next().map(named).unwrap_or_default();
        for part in parts {
            let inner: Vec<Target> = named(part).into_iter().filter(|one| is_inside(one, &found)).collect();
            if inner.is_empty() {
                break;
            }
            found = inner;
        }
        found
    }

    /// Where an id is defined in a chapter with such a title: `C2` under `Constraints` for `constraint`.
    pub(super) fn under(&self, id: &str, noun: &str) -> Vec<Target> {
        let speaks = |place: usize| {
            let chapter = self.places[place].chapter.and_then(|line| self.outline.at(line));
            let title = chapter.map(|section| section.title.to_lowercase()).unwrap_or_default();
            title.split(|c: char| !c.is_alphanumeric()).any(|word| word.trim_end_matches('s') == noun)
        };
        let found = self.ranked(&Asked::parse(id), false);
        self.best(found.into_iter().filter(|(_, place)| speaks(*place)).collect(), false)
    }

    /// The innermost section that holds a line, counted from 1. The title of the document holds everything.
    pub(super) fn around(&self, line: usize) -> Option<Target> {
        let section = self.outline.at(line.checked_sub(1)?).filter(|section| section.level > 1)?;
        let at = self.places.partition_point(|place| place.line < section.lines.start);
        self.places.get(at).filter(|place| place.how == Match::Heading)?;
        Some(self.target(at, false))
    }

    /// The headings that begin as another one does and have no other title: `Phase 2 — Store` for `Phase 2`, `The store`.
    pub(super) fn repeated(&self, id: &str, title: &str) -> FoundTarget {
        let asked = Asked::parse(id);
        let own = |place: usize| {
            let text = self.outline.at(self.places[place].line).map_or("", |section| section.title);
            Lead::parse(text)
                .is_some_and(|lead| lead.noun.as_deref() == asked.noun() && agree(lead.after, title))
        };
        let places = self.leading.get(&asked.id).into_iter().flatten().copied();
        let headings = places.filter(|place| self.places[*place].how == Match::Heading && own(*place));
        let headings: Vec<usize> = headings.collect();
        match headings.as_slice() {
            [one] => FoundTarget::One(self.target(*one, false)),
            _ => FoundTarget::None,
        }
    }

    /// The headings with such titles.
    fn headings(&self, fits: impl Fn(&str) -> bool) -> Vec<Target> {
        let title = |place: &Place| self.outline.at(place.line).map_or("", |section| section.title);
        let same = |place: &Place| place.how == Match::Heading && fits(title(place));
        (0..self.places.len()).filter(|at| same(&self.places[*at])).map(|at| self.target(at, false)).collect()
    }
}

/// The signs between a title and one in it.
const PATH: [char; 5] = ['→', '>', '›', '»', '/'];

/// Whether a place stands in one of some others.
fn is_inside(one: &Target, others: &[Target]) -> bool {
    others.iter().any(|other| super::holds(other, one))
}

/// How a link spells a heading: `error-handling` for `Error handling!`.
fn slug(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}
