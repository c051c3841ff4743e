//! The places of a document that may define an id, and how well each fits: a heading, an item of a list, a row of a
//! table or a paragraph that begins in bold.
//!
//! Whole tokens only, and what defines an id takes precedence over what merely names it. The places are found in
//! `index`; `resolve` says which one is meant. Start at [`Targets::ranked`].

use super::asked::{Asked, Noun, is_part_of_work};
use super::place::{Match, Place};
use super::titles::Titles;
use crate::page::line::{self, Item};
use crate::sections::Outline;
use crate::sections::block::{self, counted};
use core::cmp::Reverse;
use redraft_facts::prelude::*;

/// The places of a document that may define something.
#[derive(Debug)]
pub struct Targets<'a> {
    pub(super) outline: Outline<'a>,
    pub(super) places: Vec<Place>,
    /// By the id they begin with, in the order of `places`.
    pub(super) leading: BTreeMap<String, Vec<usize>>,
    /// Headings and paragraphs, by every id and name in them.
    pub(super) naming: BTreeMap<String, Vec<usize>>,
    pub(super) titles: Titles,
}

/// Lines are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub line: u32,
    /// The last line that is not blank.
    pub end_line: u32,
    pub how: Match,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundTarget {
    One(Target),
    /// Several places define it equally well, in document order.
    Several(Vec<Target>),
    None,
}

impl FoundTarget {
    pub(super) fn new(targets: Vec<Target>) -> FoundTarget {
        match targets.as_slice() {
            [] => FoundTarget::None,
            [one] => FoundTarget::One(*one),
            _ => FoundTarget::Several(targets),
        }
    }
}

impl Targets<'_> {
    /// The places that fit best, in document order.
    pub(super) fn best(&self, found: Vec<(Rank, usize)>, shortened: bool) -> Vec<Target> {
        let Some(best) = found.iter().map(|(rank, _)| *rank).min() else { return Vec::new() };
        let mut places = found.into_iter().filter(|(rank, _)| *rank == best).map(|(_, place)| place);
        // Of several tables or lists, the first one introduces what the others describe.
        let first = places.next();
        let introduced = matches!(best.how, Match::TableRow | Match::ListItem);
        let rest = places.filter(|_| !introduced);
        first.into_iter().chain(rest).map(|place| self.target(place, shortened)).collect()
    }

    /// Every place that may be meant, with how well it fits; `by_name` also those that only name it.
    pub(super) fn ranked(&self, asked: &Asked, by_name: bool) -> Vec<(Rank, usize)> {
        let mut found: BTreeMap<usize, Rank> = BTreeMap::new();
        let mut add = |place: usize, fit: u8| {
            let rank = self.rank(place, fit);
            let known = found.entry(place).or_insert(rank);
            *known = (*known).min(rank);
        };
        for (key, noun, fit) in asked.spellings() {
            for place in self.leading.get(&key).into_iter().flatten() {
                let own = self.places[*place].noun.as_deref();
                match (noun, own) {
                    (Noun::Any, _) => add(*place, fit),
                    (Noun::Is(wanted), Some(own)) if own.starts_with(wanted) => add(*place, fit),
                    // A number of a list or chapter says less than the word itself.
                    (Noun::OrNone(wanted), Some(own)) if own == wanted => add(*place, fit),
                    (Noun::OrNone(_), None) => add(*place, fit + 1),
                    (Noun::OrNone(wanted), Some(own)) if is_part_of_work(wanted) && is_part_of_work(own) => {
                        add(*place, fit + 2);
                    }
                    (Noun::Is(_) | Noun::OrNone(_), _) => {}
                }
            }
        }
        if found.is_empty() && by_name {
            const NAMED: u8 = 20;
            let named = asked.name().and_then(|name| self.naming.get(&name));
            for place in named.into_iter().flatten() {
                found.insert(*place, self.rank(*place, NAMED));
            }
        }
        found.into_iter().map(|(place, rank)| (rank, place)).collect()
    }

    fn rank(&self, place: usize, fit: u8) -> Rank {
        let Place { how, set_off, aside, column, indent, run, bold, text, .. } = &self.places[place];
        let plain = !bold && *how == Match::ListItem;
        Rank {
            aside: *aside,
            fit,
            text: *text,
            loose: !set_off,
            how: *how,
            column: *column,
            indent: *indent,
            plain,
            run: Reverse(*run),
        }
    }

    pub(super) fn target(&self, place: usize, shortened: bool) -> Target {
        let Place { line, how, indent, .. } = &self.places[place];
        let end = match how {
            Match::Heading => self.outline.at(*line).map_or(line + 1, |section| section.lines.end),
            Match::ListItem => block::end_of_item(&self.outline, *line, *indent),
            Match::Paragraph => {
                // A line of text goes on to the next that defines something.
                let next = self.places.get(place + 1).map(|next| next.line);
                let limit = next.filter(|_| self.places[place].text);
                self.end_of_paragraph(*line, limit.unwrap_or(usize::MAX))
            }
            Match::TableRow | Match::Prefix => line + 1,
        };
        let last = block::last_line(&self.outline, *line, end);
        let how = if shortened { Match::Prefix } else { *how };
        Target { line: counted(*line), end_line: counted(last), how }
    }

    /// Up to the next heading or paragraph in bold, or to a gap with no list or code after it.
    fn end_of_paragraph(&self, start: usize, limit: usize) -> usize {
        let lines = self.outline.lines();
        let end = self.outline.at(start).map_or(lines.len(), |section| section.own.end).min(limit);
        let mut gap = false;
        for (at, line) in lines.iter().enumerate().take(end).skip(start + 1) {
            if self.outline.is_fenced(at) {
                gap = false;
            } else if line.trim().is_empty() {
                gap = true;
            } else {
                let bold = line.starts_with("**");
                let goes_on =
                    !gap || Item::parse(line).is_some() || line::indent(line) > 0 || line.starts_with('|');
                if bold || !goes_on {
                    return at;
                }
                gap = false;
            }
        }
        end
    }

    /// The one place that begins with this id as it is written.
    pub(super) fn literal(&self, id: &str) -> Option<Target> {
        let found = self.ranked(&Asked::parse(id), false).into_iter().filter(|(rank, _)| rank.fit == 0);
        match self.best(found.collect(), false).as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// The one place that begins with exactly this id, however it is spelled.
    pub(super) fn exact(&self, id: &str) -> Option<Target> {
        match self.best(self.ranked(&Asked::parse(id), false), false).as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }
}

/// How well a place fits; less is better, and earlier fields count first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) aside: bool,
    fit: u8,
    text: bool,
    /// Nothing separates the id from what follows.
    loose: bool,
    how: Match,
    column: usize,
    indent: usize,
    /// An item without a title in bold.
    plain: bool,
    /// The longest list is the one that is referred to.
    run: Reverse<usize>,
}
