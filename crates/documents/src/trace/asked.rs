//! An id that somebody looks for, and the ways it may be written where it is defined.

use super::words::part_of;
use crate::task_id;
use redraft_facts::prelude::*;

/// Words for parts of the work, which people use for each other.
pub(super) fn is_part_of_work(noun: &str) -> bool {
    ["step", "item", "task", "phase", "part", "stage", "plan", "schritt", "paso", "étape"].contains(&noun)
}

/// An id that is looked for.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    noun: Option<String>,
    pub(super) id: String,
    /// It is the whole of which the id that was asked for is a part.
    pub(super) shortened: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Noun<'a> {
    Any,
    Is(&'a str),
    /// This word, or none, or a similar one.
    OrNone(&'a str),
}

impl Asked {
    pub(super) fn parse(text: &str) -> Asked {
        let text = text.trim().trim_start_matches(['§', '#', ' ']);
        let mut words: Vec<&str> = text.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
        let id = words.pop().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric() || c == '#');
        // Of a range, the first.
        let id = super::range::first_of_range(id);
        let noun = words
            .last()
            .map(|word| word.to_lowercase())
            .filter(|word| !["plan", "design", "spec", "prd"].contains(&word.as_str()));
        let noun = noun.map(|word| word.strip_suffix('s').map_or(word.clone(), ToOwned::to_owned));
        Asked { noun, id: task_id::folded(id), shortened: false }
    }

    /// `1A` of `1A.1`, `2.1` of `2.1a`, `C3` of `C3-a`.
    pub(super) fn shorter(&self) -> Option<Asked> {
        let cut = match self.id.rsplit_once('.') {
            // A letter of a number only.
            _ if self.id.ends_with(|c: char| c.is_ascii_lowercase()) && self.id.len() > 1 => {
                let bare = self.id[..self.id.len() - 1].trim_end_matches('-');
                bare.ends_with(|c: char| c.is_ascii_digit()).then_some(bare)
            }
            Some((whole, _)) => Some(whole),
            None => None,
        }?;
        cut.contains(|c: char| c.is_ascii_digit()).then(|| Asked {
            id: cut.to_owned(),
            shortened: true,
            ..self.clone()
        })
    }

    /// Its name in a heading that begins otherwise: `c9`, `step 3`. A number or letter alone may be anything.
    pub(super) fn name(&self) -> Option<String> {
        match &self.noun {
            _ if self.id.len() > 1 && self.id.contains(char::is_alphabetic) => Some(self.id.clone()),
            Some(noun) => Some(format!("{noun} {}", self.id)),
            None => None,
        }
    }

    pub(super) fn noun(&self) -> Option<&str> {
        self.noun.as_deref()
    }

    /// The ways it may be written, the most literal first: `C10` and `Component 10` are one.
    pub(super) fn spellings(&self) -> Vec<(String, Noun<'_>, u8)> {
        let digits = self.id.find(|c: char| c.is_ascii_digit());
        match (&self.noun, digits) {
            // Only words that are known to be interchangeable may be left out or replaced.
            (Some(noun), Some(0) | None) if part_of(noun).is_none() => {
                vec![(self.id.clone(), Noun::Is(noun), 0)]
            }
            (Some(noun), Some(0)) => {
                let initial: String = noun.chars().take(1).collect();
                let mut all = vec![
                    (self.id.clone(), Noun::OrNone(noun), 0),
                    (format!("{initial}{}", self.id), Noun::Any, 4),
                ];
                if noun == "item" {
                    all.push((format!("pi{}", self.id), Noun::Any, 4));
                }
                all
            }
            (None, Some(0)) => vec![(self.id.clone(), Noun::Any, 0), (format!("t{}", self.id), Noun::Any, 4)],
            (_, Some(letters)) => {
                let (prefix, number) = self.id.split_at(letters);
                let mut all = vec![(self.id.clone(), Noun::Any, 0)];
                let word = match prefix {
                    "c" => "component",
                    "i" | "if" => "interface",
                    "d" | "td" => "decision",
                    "s" => "step",
                    "r" => "r",
                    "fr" | "req" => "requirement",
                    "pi" => "item",
                    "p" => "phase",
                    "us" => "story",
                    "uc" => "case",
                    _ => return all,
                };
                all.push((number.to_owned(), Noun::Is(word), 4));
                all
            }
            (Some(noun), None) => vec![(self.id.clone(), Noun::OrNone(noun), 0)],
            (None, None) if self.id.len() == 1 => vec![(self.id.clone(), Noun::Any, 0)],
            (None, None) => Vec::new(),
        }
    }
}
