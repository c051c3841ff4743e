//! Says where a document defines an id, by what it begins with, by a title or by its position.
//!
//! Titles are looked up in `chapter`, the rest among the places of `target`. Start at [`Targets::resolve`].

use super::asked::Asked;
use super::place::{Match, Place, initials};
use super::target::{FoundTarget, Target, Targets};

impl Targets<'_> {
    /// Where an id is defined: `3.2`, `C9`, `Component 2`, `item 4`, `Auth-Module`.
    pub fn resolve(&self, id: &str) -> FoundTarget {
        // An id that names nothing would be a part of everything.
        if !id.contains(char::is_alphanumeric) {
            return FoundTarget::None;
        }
        // The title of a chapter is not an id: its last word may occur anywhere.
        if let Some(title) = id.strip_prefix("§ ").filter(|title| is_title(title)) {
            return FoundTarget::new(self.chapter(title));
        }
        if let Some(line) = id.strip_prefix(':') {
            return line
                .parse()
                .ok()
                .and_then(|line| self.around(line))
                .map_or(FoundTarget::None, FoundTarget::One);
        }
        let titled = self.titled(id);
        if !titled.is_empty() {
            return FoundTarget::new(titled);
        }
        for asked in core::iter::successors(Some(Asked::parse(id)), Asked::shorter) {
            let found = self.ranked(&asked, true);
            // What only a chapter about risks or tests names is defined elsewhere, if anywhere.
            let defined = found.iter().any(|(rank, _)| !rank.aside);
            if !defined && let Some(item) = self.by_position(&asked) {
                return FoundTarget::One(item);
            }
            let best = self.best(found, asked.shortened);
            if !best.is_empty() {
                return FoundTarget::new(best);
            }
        }
        FoundTarget::None
    }

    /// What a text names or, if that is a title, the beginning of one: `Storage` of `Storage of everything`.
    pub(super) fn beginning(&self, id: &str) -> FoundTarget {
        let Some(mut title) = id.strip_prefix("§ ").filter(|title| is_title(title)) else {
            return self.exact(id).map_or_else(|| self.resolve(id), FoundTarget::One);
        };
        loop {
            let found = self.chapter(title);
            match title.rsplit_once(' ') {
                Some((shorter, _)) if found.is_empty() => title = shorter.trim_end(),
                _ => return FoundTarget::new(found),
            }
        }
    }

    /// Ids that are not written down: `AC13` is the thirteenth item under `Acceptance Criteria`, `S2.1` the first one
    /// under `Stage 2`, and `2.1` the first one under `Requirement 2`.
    fn by_position(&self, asked: &Asked) -> Option<Target> {
        let digits = asked.id.find(|c: char| c.is_ascii_digit())?;
        let (letters, number) = asked.id.split_at(digits);
        let letters = letters.trim_end_matches(['#', '-']);
        let headings = self.places.iter().filter(|place| place.how == Match::Heading);
        let (chapter, item) = match number.split_once('.') {
            None if letters.len() > 1 => {
                let title = |place: &Place| self.outline.at(place.line).map_or("", |section| section.title);
                (headings.clone().find(|place| initials(title(place)) == letters)?, number)
            }
            Some((chapter, item)) if letters.len() <= 1 => {
                let wanted = if letters.is_empty() { "requirement" } else { letters };
                let leads = self.leading.get(chapter)?.iter().map(|at| &self.places[*at]);
                let begins =
                    |place: &&Place| place.noun.as_deref().is_some_and(|noun| noun.starts_with(wanted));
                (leads.filter(|place| place.how == Match::Heading).find(begins)?, item)
            }
            _ => return None,
        };
        let number: usize = item.parse().ok()?;
        let lines = self.outline.at(chapter.line)?.lines.clone();
        let first = self.places.partition_point(|place| place.line < lines.start);
        let items = || {
            self.places[first..]
                .iter()
                .take_while(|place| lines.contains(&place.line))
                .filter(|place| place.how == Match::ListItem)
        };
        let margin = items().map(|place| place.indent).min()?;
        let outer = || items().filter(|place| place.indent == margin);
        let counted = outer().find(|place| place.number == Some(number));
        let nth = || outer().filter(|place| place.number.is_none()).nth(number.checked_sub(1)?);
        let place = counted.or_else(nth)?;
        let at = self.places.partition_point(|other| other.line < place.line);
        Some(self.target(at, false))
    }
}

/// Whether the text after `§` is a title, not a number or an id.
fn is_title(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    !first.contains(|c: char| c.is_ascii_digit()) && text.contains(char::is_alphabetic)
}
