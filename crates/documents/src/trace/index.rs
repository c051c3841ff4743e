//! Finds the places of a document that may define something, in one pass over its lines.
//!
//! Start at [`Targets::find`].

use super::place::Match;
use super::place::{Lead, Place, Runs, is_entry, tells_about};
use super::target::Targets;
use super::titles::Titles;
use crate::page::line::{self, Item};
use crate::sections::Outline;
use crate::task_id;
use redraft_facts::prelude::*;

/// A heading with more words is a text.
const TOKENS_MAX: usize = 40;
const INDENT_MAX: usize = 3;

impl<'a> Targets<'a> {
    pub fn find(text: &'a str) -> Targets<'a> {
        let outline = Outline::parse(text.strip_prefix('\u{feff}').unwrap_or(text));
        let mut targets = Targets {
            outline,
            places: Vec::new(),
            leading: BTreeMap::new(),
            naming: BTreeMap::new(),
            titles: Titles::default(),
        };
        let mut runs = Runs::default();
        let mut in_table = false;
        let mut aside = false;
        // Whether a line of text may begin an entry, and whether the last one did.
        let (mut begins, mut entry) = (true, false);
        let sections: BTreeMap<usize, (&'a str, u8)> = (targets.outline.sections().iter())
            .filter(|section| section.level > 0)
            .map(|section| (section.lines.start, (section.title, section.level)))
            .collect();
        let mut open: Vec<(u8, usize)> = Vec::new();
        for at in 0..targets.outline.lines().len() {
            let line = targets.outline.lines()[at];
            if let Some((title, level)) = sections.get(&at) {
                (in_table, begins, entry) = (false, true, false);
                aside = tells_about(title);
                while open.pop_if(|(last, _)| *last >= *level).is_some() {}
                let chapter = open.last().map(|(_, at)| *at);
                open.push((*level, at));
                targets.add(at, Match::Heading, title, aside).chapter = chapter;
                continue;
            }
            if !targets.outline.is_text(at) {
                (begins, entry) = (false, false);
                continue;
            }
            let first = targets.places.len();
            let mut is_text = false;
            let cells = line::cells(line);
            if let Some(cells) = &cells {
                // The first row is the head.
                if in_table && !line::is_rule_of_table(cells) {
                    for (column, cell) in cells.iter().enumerate().take(2) {
                        targets.add(at, Match::TableRow, cell, aside).column = column;
                    }
                }
            } else if let Some(item) = Item::parse(line) {
                let place = targets.places.len();
                targets.add(at, Match::ListItem, item.text, aside).indent = item.indent;
                if let Some(number) = item.number {
                    targets.leading.entry(task_id::folded(number)).or_default().push(place);
                    runs.next(number, item.indent, place, &mut targets.places);
                }
            } else if line.trim_start().starts_with("**") && line::indent(line) <= INDENT_MAX {
                targets.add(at, Match::Paragraph, line.trim(), aside);
            } else if (begins || entry)
                && is_entry(line, targets.outline.lines().get(at + 1).copied(), begins, entry)
            {
                targets.add(at, Match::Paragraph, line.trim(), aside).text = true;
                is_text = true;
            }
            let chapter = open.last().map(|(_, at)| *at);
            targets.places[first..].iter_mut().for_each(|place| place.chapter = chapter);
            in_table = cells.is_some();
            (begins, entry) = (line.trim().is_empty(), is_text);
        }
        targets
    }

    fn add(&mut self, line: usize, how: Match, text: &'a str, aside: bool) -> &mut Place {
        let lead = Lead::parse(text);
        let place = self.places.len();
        let bold = text.starts_with("**");
        let noun = lead.as_ref().and_then(|lead| lead.noun.clone());
        let set_off = how == Match::Heading || lead.as_ref().is_none_or(|lead| lead.is_set_off(bold));
        if let Some(lead) = &lead {
            self.leading.entry(task_id::folded(lead.id)).or_default().push(place);
        }
        self.titles.add(place, how, text);
        if matches!(how, Match::Heading | Match::Paragraph) {
            let mut before = String::new();
            for token in
                text.split(|c: char| !task_id::is_inner(c)).filter(|token| !token.is_empty()).take(TOKENS_MAX)
            {
                let token = task_id::folded(token.trim_end_matches(['.', '-', '_']));
                // A number says something only after its word.
                let counts = token.contains(char::is_alphabetic);
                let key = if counts { token.clone() } else { format!("{before} {token}") };
                before = token;
                let places = self.naming.entry(key).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
        self.places.push(Place {
            line,
            how,
            noun,
            set_off,
            aside,
            column: 0,
            indent: 0,
            number: None,
            run: 0,
            bold,
            text: false,
            chapter: None,
        });
        &mut self.places[place]
    }
}
