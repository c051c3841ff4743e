//! What a number in a sentence is about: the thing, what happens to it, per what, and as which kind of bound.
//!
//! Knows one sentence. Start at [`Subject::of`]; whether two subjects are one is decided by the check of numbers.

use super::tokens::Token;
use super::units::{fixed_unit, is_unit};
use super::vocabulary::{LINKS, TOTAL, act, is_actor, is_generic, is_qualifier, is_special};
use super::words::{content_word, stem};
use std::collections::BTreeSet;
use std::ops::Range;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Subject {
    /// The words that name what is measured, without what happens to it.
    pub(super) things: BTreeSet<String>,
    /// The first of them, which mostly is what the sentence is about.
    pub(super) first: String,
    /// Things of which only a part or a property is meant: the file in "a part of a file".
    pub(super) owned: BTreeSet<String>,
    /// What happens, by kind: ending, keeping, answering, …
    pub(super) acts: BTreeSet<&'static str>,
    pub(super) role: Role,
    /// The time a count is for, in milliseconds: a minute in "100 requests per minute".
    pub(super) rate_ms: Option<u64>,
    /// What it is counted for: the key in "per key".
    pub(super) scope: BTreeSet<String>,
    /// Whether it is said to be for all together.
    pub(super) total: bool,
    /// Words that set a special case apart from the rule.
    pub(super) special: BTreeSet<String>,
    /// Words that set the thing behind them apart, with that thing: `free` and `plan`.
    pub(super) qualified: BTreeSet<(String, String)>,
    /// Whether the time is counted back from an event: "5 minutes before".
    pub(super) ahead: bool,
}

/// As what a number is stated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// As it is, or as the most there may be; which of the two is often left to the reader.
    #[default]
    Most,
    Least,
    /// What holds unless somebody chooses otherwise.
    Default,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measured {
    Time,
    /// Things that are counted.
    Count,
    /// Bytes, shares and the like.
    Size,
}

impl Subject {
    /// The subject of the number at `at`, whose unit stands at `unit_at`.
    pub(super) fn of(sentence: &[Token], at: usize, unit_at: usize, measured: Measured) -> Self {
        let rate = if measured == Measured::Count { rate(sentence, at) } else { None };
        let period = rate.as_ref().map_or(0..0, |(_, tokens)| tokens.clone());
        let mut subject = Subject {
            rate_ms: rate.map(|(ms, _)| ms),
            role: role(sentence, at, unit_at),
            total: has_phrase(sentence, TOTAL),
            ahead: is_ahead(sentence, at, unit_at),
            ..Subject::default()
        };
        let aside = asides(sentence, at);
        let event = event(sentence, unit_at);
        let clause = clause(sentence, at);
        let mut scoped = 0..0;
        for (index, token) in sentence.iter().enumerate().take(clause.end).skip(clause.start) {
            let own = index == at || index == unit_at || period.contains(&index);
            if own || aside[index] || event.contains(&index) || token.mark {
                continue;
            }
            if token.text == "of" {
                subject.owned.extend(owned(sentence, index));
            }
            if ["per", "each", "every"].contains(&token.text.as_str()) {
                scoped = index + 1..noun_phrase_end(sentence, index + 1);
            }
            match said(sentence, index) {
                Said::Qualifier(thing) => drop(subject.qualified.insert((token.text.clone(), thing))),
                Said::Modifier => subject.name(&token.text),
                Said::Ends => drop(subject.acts.insert("ends")),
                Said::Missing => {}
                Said::Word => subject.read(&token.text, scoped.contains(&index), measured),
            }
        }
        subject
    }

    /// Whether it speaks of somebody who uses the system, by whatever name.
    pub(super) fn has_actor(&self) -> bool {
        self.things.iter().chain(&self.scope).any(|word| is_actor(word))
    }

    /// Whether what it is counted for, if anything, is somebody who uses the system.
    pub(super) fn is_for_actor(&self) -> bool {
        self.scope.is_empty() || self.scope.iter().any(|word| is_actor(word))
    }

    fn read(&mut self, text: &str, scoped: bool, measured: Measured) {
        match act(text) {
            Some("keeps") if measured == Measured::Time => self.acts.extend(["ends", "removes"]),
            // What holds 50 rows does nothing else with them.
            Some("keeps") => {}
            Some(act) => self.acts.extend([act]),
            None if is_special(text) => self.special.extend([stem(text)]),
            None => {
                if scoped && !is_unit(text) {
                    // "User" is filler elsewhere; as a scope it counts.
                    self.scope.insert(content_word(text).unwrap_or_else(|| stem(text)));
                }
                if !is_generic(text) {
                    self.name(text);
                }
            }
        }
    }

    fn name(&mut self, text: &str) {
        if let Some(word) = content_word(text).filter(|_| !is_unit(text)) {
            if self.things.is_empty() {
                self.first.clone_from(&word);
            }
            self.things.insert(word);
        }
    }
}

/// "2 days before the course" is counted back from an event; "for 30 minutes before it is sold" lasts until one.
fn is_ahead(sentence: &[Token], at: usize, unit_at: usize) -> bool {
    let text = |at: Option<usize>| at.and_then(|at| sentence.get(at)).map_or("", |token| token.text.as_str());
    let lasts = ["for", "within", "after"].contains(&text(at.checked_sub(1)));
    ["before", "ahead", "prior"].contains(&text(Some(unit_at + 1))) && !lasts
}

/// What a word of a sentence does there.
enum Said {
    /// Names a case with a rule of its own for the thing behind it.
    Qualifier(String),
    /// Tells things of one name apart by another word.
    Modifier,
    /// Says, with the word behind it, that something ends: `times out`, `used for`.
    Ends,
    /// Names what is not there: the `key` of "without a key".
    Missing,
    Word,
}

fn said(sentence: &[Token], at: usize) -> Said {
    let text = sentence[at].text.as_str();
    let next = sentence.get(at + 1).map_or("", |next| next.text.as_str());
    let out = text.starts_with("tim") || ["log", "logged", "logs", "signed"].contains(&text);
    match () {
        // "The second reminder" is no time, "a second" is one.
        () if is_qualifier(text, next) && (text != "second" || at > 0 && sentence[at - 1].text == "the") => {
            Said::Qualifier(content_word(next).unwrap_or_else(|| stem(next)))
        }
        () if sentence[at.saturating_sub(2)..at].iter().any(|before| before.text == "without") => {
            Said::Missing
        }
        () if is_modifier(sentence, at) => Said::Modifier,
        () if out && next == "out" || ["used", "usable"].contains(&text) && next == "for" => Said::Ends,
        () => Said::Word,
    }
}

/// The part of a sentence that a number stands in, where "…, and …" joins several.
fn clause(sentence: &[Token], at: usize) -> Range<usize> {
    let joins = |index: &usize| {
        let next = sentence.get(index + 1).map_or("", |next| next.text.as_str());
        sentence[*index].text == "," && ["and", "but", "or", "which", "so"].contains(&next)
    };
    let start = (0..at).rev().find(joins).map_or(0, |index| index + 1);
    let end = (at..sentence.len()).find(joins).unwrap_or(sentence.len());
    start..end
}

/// The thing behind "of", where another thing stands before it.
fn owned(sentence: &[Token], of: usize) -> Option<String> {
    let thing = |token: &Token| {
        let plain =
            !token.mark && token.number.is_none() && !is_unit(&token.text) && !is_generic(&token.text);
        content_word(&token.text).filter(|_| plain)
    };
    let before = of.checked_sub(1).map(|before| &sentence[before])?;
    // What a thing is made of shares its rules.
    if ["entries", "items", "records", "lines", "rows", "contents", "data"].contains(&before.text.as_str()) {
        return None;
    }
    // "A reply of the bot" is what the bot does.
    if act(&before.text).is_some() {
        return None;
    }
    thing(before)?;
    let mut behind = sentence[of + 1..].iter();
    let next =
        behind.find(|token| !["a", "an", "the", "each", "every", "one"].contains(&token.text.as_str()))?;
    thing(next)
}

/// Whether a word that could say what happens only tells things apart: the `refresh` of "a refresh token", the
/// `closed` of "closed tickets".
fn is_modifier(sentence: &[Token], at: usize) -> bool {
    let article = |text: &str| ["a", "an", "the", "each", "every", "per"].contains(&text);
    let led = at.checked_sub(1).is_some_and(|before| article(&sentence[before].text));
    let starts = at.checked_sub(1).is_none_or(|before| sentence[before].mark);
    let state = sentence[at].text.ends_with("ed") && (led || starts);
    let noun = |next: &Token| {
        let content = !next.mark && next.number.is_none() && content_word(&next.text).is_some();
        content && act(&next.text).is_none() && !is_generic(&next.text)
    };
    let closes = sentence.get(at + 2).is_none_or(|next| next.mark || LINKS.contains(&next.text.as_str()));
    (led && closes || state) && act(&sentence[at].text).is_some() && sentence.get(at + 1).is_some_and(noun)
}

/// The event a time is counted from, which is not what the number is about: "2 days before the course starts".
fn event(sentence: &[Token], unit_at: usize) -> Range<usize> {
    const EVENT_TOKENS_MAX: usize = 4;
    let next = sentence.get(unit_at + 1).map_or("", |next| next.text.as_str());
    let behind = &sentence[(unit_at + 1).min(sentence.len())..];
    let clause = behind.iter().take_while(|token| !token.mark).count();
    match next {
        "before" | "ahead" | "prior" | "until" => unit_at + 1..unit_at + 1 + clause,
        "after" | "since" | "from" => unit_at + 1..unit_at + 1 + clause.min(EVENT_TOKENS_MAX),
        _ => 0..0,
    }
}

/// The time a count is for and the tokens that say so: `per minute`, `a minute`, `within 60 seconds`, `/min`.
fn rate(sentence: &[Token], number: usize) -> Option<(u64, Range<usize>)> {
    let period = |at: usize| fixed_unit(&sentence.get(at)?.text).filter(|(kind, _)| *kind == "time");
    let ms = |seconds: f64| (seconds * 1000.0).round() as u64;
    let lead = |at: usize, words: &[&str]| {
        at.checked_sub(1).is_some_and(|before| words.contains(&sentence[before].text.as_str()))
    };
    let each = ["per", "each", "every", "any", "/", "a", "an", "one", "single", "given"];
    let over = ["per", "within", "in", "every", "each", "over", "any", "during", "of"];
    for (at, token) in sentence.iter().enumerate() {
        if let Some((_, seconds)) = period(at).filter(|_| lead(at, &each)) {
            // "After a minute" and "for a minute" are times of their own.
            let own = at >= 2 && lead(at - 1, &["after", "for", "than", "half", "until", "about", "last"]);
            if !own {
                return Some((ms(seconds), at - 1..at + 1));
            }
        }
        let count = token.number.filter(|_| at > number && lead(at, &over));
        if let (Some(count), Some((_, seconds))) = (count, period(at + 1)) {
            return Some((ms(count * seconds), at - 1..at + 2));
        }
    }
    None
}

fn role(sentence: &[Token], at: usize, unit_at: usize) -> Role {
    // Another number ends what is said about this one.
    let back = sentence[..at].iter().rev().take_while(|token| token.number.is_none()).take(7);
    let ahead = sentence[unit_at + 1..].iter().take_while(|token| token.number.is_none()).take(4);
    let around: Vec<&str> = back.chain(ahead).map(|token| token.text.as_str()).collect();
    let says = |words: &[&str]| words.iter().any(|word| around.contains(word));
    let lead: Vec<&str> =
        sentence[at.saturating_sub(4)..at].iter().map(|token| token.text.as_str()).collect();
    let lead = format!(" {} ", lead.join(" "));
    let least = [" at least ", " minimum ", " no less than ", " no fewer than ", " min ", " not less than "];
    if says(&["default", "defaults", "initially", "preset", "unless"]) {
        Role::Default
    } else if least.iter().any(|phrase| lead.contains(phrase)) || says(&["minimum"]) {
        Role::Least
    } else {
        Role::Most
    }
}

/// Where the noun behind "per" or "each" ends: at the next small word, number or mark, after two words at most.
fn noun_phrase_end(sentence: &[Token], from: usize) -> usize {
    let noun =
        |token: &&Token| !token.mark && token.number.is_none() && !LINKS.contains(&token.text.as_str());
    from + sentence[from.min(sentence.len())..].iter().take(2).take_while(noun).count()
}

/// Which tokens stand in brackets that the number does not stand in.
pub(super) fn asides(sentence: &[Token], at: usize) -> Vec<bool> {
    let mut aside = vec![false; sentence.len()];
    let mut open = None;
    for (index, token) in sentence.iter().enumerate() {
        match (token.text.as_str(), open) {
            ("(", None) => open = Some(index),
            (")", Some(from)) => {
                if !(from..index).contains(&at) {
                    aside[from..index].fill(true);
                }
                open = None;
            }
            _ => {}
        }
    }
    aside
}

fn has_phrase(sentence: &[Token], phrases: &[&str]) -> bool {
    let words: Vec<&str> = sentence.iter().map(|token| token.text.as_str()).collect();
    let text = format!(" {} ", words.join(" "));
    phrases.iter().any(|phrase| text.contains(&format!(" {phrase} ")))
}
