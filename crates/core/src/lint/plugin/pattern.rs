//! Whether a pattern of a matcher finds itself in a word, as JavaScript would say.
//!
//! Only what people write in matchers is understood: letters, classes, groups, alternatives, repetitions, anchors and
//! looking ahead. Whatever else there is, and whatever takes too long, has no answer rather than a guessed one. Knows
//! no event and no tool. Start at [`found_in`].

use crate::prelude::*;
use alloc::boxed::Box;
use core::cell::Cell;

/// A trade between patterns somebody wrote on purpose and the depth of the stack.
const CHARS_MAX: usize = 300;
/// A pattern that needs more to be held against one word was made to need it.
const STEPS_MAX: u32 = 20_000;
/// How deep groups may stand in each other.
const DEPTH_MAX: usize = 20;

enum Part {
    Char(char),
    Any,
    Class {
        not: bool,
        ranges: Vec<(char, char)>,
    },
    Start,
    End,
    /// The edge of a word, or no edge.
    Edge(bool),
    Group(Vec<Vec<Part>>),
    Ahead {
        not: bool,
        of: Vec<Vec<Part>>,
    },
    Repeat {
        part: Box<Part>,
        min: u32,
        max: u32,
    },
}

/// Whether the pattern matches anywhere in the word; none where that cannot be told.
pub(super) fn found_in(pattern: &str, word: &str) -> Option<bool> {
    let chars: Vec<char> = pattern.chars().collect();
    if chars.len() > CHARS_MAX {
        return None;
    }
    let mut reader = Reader { chars: &chars, at: 0 };
    let alternatives = reader.alternatives(0)?;
    if reader.at < chars.len() {
        return None;
    }
    let word: Vec<char> = word.chars().collect();
    let run = Run { word: &word, steps: Cell::new(STEPS_MAX) };
    let found = (0..=word.len()).any(|start| run.any_of(&alternatives, start, &mut |_| true));
    (run.steps.get() > 0).then_some(found)
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += 1;
        next
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let is_there =
            wanted.chars().enumerate().all(|(offset, c)| self.chars.get(self.at + offset) == Some(&c));
        if is_there {
            self.at += wanted.chars().count();
        }
        is_there
    }

    fn alternatives(&mut self, depth: usize) -> Option<Vec<Vec<Part>>> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut found = Vec::new();
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                None | Some(')') => {
                    found.push(parts);
                    return Some(found);
                }
                Some('|') => {
                    self.at += 1;
                    found.push(core::mem::take(&mut parts));
                }
                Some(_) => {
                    let part = self.part(depth)?;
                    parts.push(self.repeated(part)?);
                }
            }
        }
    }

    fn part(&mut self, depth: usize) -> Option<Part> {
        match self.next()? {
            '.' => Some(Part::Any),
            '^' => Some(Part::Start),
            '$' => Some(Part::End),
            '[' => self.class(),
            '\\' => self.escaped(),
            '(' => {
                let ahead = if self.eat("?=") {
                    Some(false)
                } else if self.eat("?!") {
                    Some(true)
                } else {
                    // A name of a group, looking behind and flags are not understood.
                    if !self.eat("?:") && self.peek() == Some('?') {
                        return None;
                    }
                    None
                };
                let of = self.alternatives(depth + 1)?;
                if self.next()? != ')' {
                    return None;
                }
                Some(match ahead {
                    Some(not) => Part::Ahead { not, of },
                    None => Part::Group(of),
                })
            }
            '*' | '+' | '?' | '{' | ')' => None,
            other => Some(Part::Char(other)),
        }
    }

    fn escaped(&mut self) -> Option<Part> {
        match self.next()? {
            'b' => Some(Part::Edge(true)),
            'B' => Some(Part::Edge(false)),
            letter if named(letter).is_some() => {
                let (not, ranges) = named(letter)?;
                Some(Part::Class { not, ranges })
            }
            letter if letter.is_ascii_alphanumeric() => None,
            other => Some(Part::Char(other)),
        }
    }

    fn class(&mut self) -> Option<Part> {
        let not = self.eat("^");
        let mut ranges = Vec::new();
        loop {
            match self.next()? {
                ']' => return Some(Part::Class { not, ranges }),
                '\\' => match self.next()? {
                    letter if named(letter).is_some_and(|(not, _)| !not) => ranges.extend(named(letter)?.1),
                    letter if letter.is_ascii_alphanumeric() => return None,
                    other => ranges.push((other, other)),
                },
                from => {
                    let is_range =
                        self.peek() == Some('-') && self.chars.get(self.at + 1).is_some_and(|c| *c != ']');
                    if is_range {
                        self.at += 1;
                    }
                    let to = if is_range { self.next()? } else { from };
                    ranges.push((from, to));
                }
            }
        }
    }

    fn repeated(&mut self, part: Part) -> Option<Part> {
        let (min, max) = match self.peek() {
            Some('*') => (0, u32::MAX),
            Some('+') => (1, u32::MAX),
            Some('?') => (0, 1),
            Some('{') => {
                let close = self.chars[self.at..].iter().position(|c| *c == '}')?;
                let inside: String = self.chars[self.at + 1..self.at + close].iter().collect();
                self.at += close;
                match inside.split_once(',') {
                    None => (inside.parse().ok()?, inside.parse().ok()?),
                    Some((min, "")) => (min.parse().ok()?, u32::MAX),
                    Some((min, max)) => (min.parse().ok()?, max.parse().ok()?),
                }
            }
            _ => return Some(part),
        };
        self.at += 1;
        // Lazy or not, it is found or it is not.
        let _ = self.eat("?");
        Some(Part::Repeat { part: Box::new(part), min, max })
    }
}

/// `\w` and its like.
fn named(letter: char) -> Option<(bool, Vec<(char, char)>)> {
    let ranges = match letter.to_ascii_lowercase() {
        'w' => vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')],
        'd' => vec![('0', '9')],
        's' => vec![(' ', ' '), ('\t', '\r')],
        _ => return None,
    };
    Some((letter.is_ascii_uppercase(), ranges))
}

struct Run<'a> {
    word: &'a [char],
    steps: Cell<u32>,
}

type Then<'a> = &'a mut dyn FnMut(usize) -> bool;

impl Run<'_> {
    fn any_of(&self, alternatives: &[Vec<Part>], at: usize, then: Then<'_>) -> bool {
        alternatives.iter().any(|parts| self.all_of(parts, at, then))
    }

    fn all_of(&self, parts: &[Part], at: usize, then: Then<'_>) -> bool {
        match parts.split_first() {
            None => then(at),
            Some((first, rest)) => self.one(first, at, &mut |next| self.all_of(rest, next, then)),
        }
    }

    fn one(&self, part: &Part, at: usize, then: Then<'_>) -> bool {
        let left = self.steps.get().saturating_sub(1);
        self.steps.set(left);
        if left == 0 {
            return false;
        }
        let here = self.word.get(at).copied();
        match part {
            Part::Char(wanted) => here == Some(*wanted) && then(at + 1),
            Part::Any => here.is_some_and(|c| c != '\n') && then(at + 1),
            Part::Class { not, ranges } => {
                let holds = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *not;
                here.is_some_and(holds) && then(at + 1)
            }
            Part::Start => at == 0 && then(at),
            Part::End => at == self.word.len() && then(at),
            Part::Edge(edge) => {
                let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
                let before = at.checked_sub(1).and_then(|at| self.word.get(at).copied());
                (is_word(before) != is_word(here)) == *edge && then(at)
            }
            Part::Group(of) => self.any_of(of, at, then),
            Part::Ahead { not, of } => self.any_of(of, at, &mut |_| true) != *not && then(at),
            Part::Repeat { part, min, max } => self.repeat(part, *min, *max, at, then),
        }
    }

    fn repeat(&self, part: &Part, min: u32, max: u32, at: usize, then: Then<'_>) -> bool {
        let again = max > 0
            && self.one(part, at, &mut |next| {
                // What matches nothing would do so for ever.
                if next == at {
                    then(next)
                } else {
                    self.repeat(part, min.saturating_sub(1), max.saturating_sub(1), next, then)
                }
            });
        again || (min == 0 && then(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_held_against_words_as_javascript_does() {
        for (pattern, word, expected) in [
            ("startup|compact", "compact", Some(true)),
            ("^(startup|resume)$", "compact", Some(false)),
            (".*", "compact", Some(true)),
            ("com.*", "compact", Some(true)),
            ("^(?!compact$).*$", "compact", Some(false)),
            ("^(?!compact$).*$", "startup", Some(true)),
            ("[a-d]om\\w+", "compact", Some(true)),
            ("[^c]ompact", "compact", Some(false)),
            ("c{1}o?m{0,2}p", "compact", Some(true)),
            ("\\bpact", "compact", Some(false)),
            ("(?:x|)compact", "compact", Some(true)),
            ("(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaac", None),
            ("(?<=x)compact", "compact", None),
            ("(compact", "compact", None),
            ("compact)", "compact", None),
            ("*", "compact", None),
            ("\\p{L}", "compact", None),
            ("", "compact", Some(true)),
        ] {
            assert_eq!(found_in(pattern, word), expected, "{pattern} in {word}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_pattern_has_an_answer_or_none(pattern in "[a-c(|)*+?{}0-2,.\\[\\]^$\\\\!:=-]{0,40}", word in "[a-c]{0,12}") {
            let _ = found_in(&pattern, &word);
        }

        #[test]
        fn a_word_finds_itself(word in "[a-z]{1,12}") {
            assert_eq!(found_in(&word, &word), Some(true));
        }
    }
}
