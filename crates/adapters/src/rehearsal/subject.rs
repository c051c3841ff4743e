//! What a number in a sentence is about: the thing, what happens to it, per what, and as which kind of bound.
//!
//! Knows one sentence. Start at [`Subject::of`]; whether two subjects are one is decided by the check of numbers.

use super::tokens::Token;
use super::units::{fixed_unit, is_unit};
use super::words::{content_word, stem};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

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

impl Subject {
    /// The subject of the number at `at`, whose unit stands at `unit_at`.
    pub(super) fn of(sentence: &[Token], at: usize, unit_at: usize, counted: bool) -> Self {
        let rate = if counted { rate(sentence, at) } else { None };
        let period = rate.as_ref().map_or(0..0, |(_, tokens)| tokens.clone());
        let mut subject = Subject {
            rate_ms: rate.map(|(ms, _)| ms),
            role: role(sentence, at, unit_at),
            total: has_phrase(sentence, TOTAL),
            ahead: sentence
                .get(unit_at + 1)
                .is_some_and(|next| ["before", "ahead", "prior"].contains(&next.text.as_str())),
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
            let out = sentence.get(index + 1).is_some_and(|next| next.text == "out");
            let ends = token.text.starts_with("tim")
                || ["log", "logged", "logs", "signed"].contains(&token.text.as_str());
            let text = if out && ends { "timeout" } else { token.text.as_str() };
            if is_modifier(sentence, index) {
                subject.name(text);
            } else {
                subject.read(text, scoped.contains(&index));
            }
        }
        subject
    }

    fn read(&mut self, text: &str, scoped: bool) {
        let stem = stem(text);
        if let Some(act) = ACT_OF.get(&stem) {
            self.acts.insert(act);
            return;
        }
        if SPECIAL_STEMS.contains(&stem) {
            self.special.insert(stem);
            return;
        }
        if scoped && !is_unit(text) {
            // People say "user" where other words for them are content; as a scope it counts.
            self.scope.insert(content_word(text).unwrap_or(stem.clone()));
        }
        if !GENERIC_STEMS.contains(&stem) {
            self.name(text);
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

/// The part of a sentence that a number stands in, where "…, and …" joins several.
fn clause(sentence: &[Token], at: usize) -> std::ops::Range<usize> {
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
    thing(before)?;
    let mut behind = sentence[of + 1..].iter();
    let next =
        behind.find(|token| !["a", "an", "the", "each", "every", "one"].contains(&token.text.as_str()))?;
    thing(next)
}

/// Whether a word that could say what happens only tells things apart: the `refresh` of "a refresh token".
fn is_modifier(sentence: &[Token], at: usize) -> bool {
    let article = |text: &str| ["a", "an", "the", "each", "every", "per"].contains(&text);
    let led = at.checked_sub(1).is_some_and(|before| article(&sentence[before].text));
    let noun = |next: &Token| {
        let act = ACT_OF.contains_key(&stem(&next.text));
        !next.mark
            && next.number.is_none()
            && content_word(&next.text).is_some()
            && !act
            && !is_generic(&next.text)
    };
    let closes = sentence.get(at + 2).is_none_or(|next| next.mark || LINKS.contains(&next.text.as_str()));
    led && closes && ACT_OF.contains_key(&stem(&sentence[at].text)) && sentence.get(at + 1).is_some_and(noun)
}

/// The event a time is counted from, which is not what the number is about: "2 days before the course starts".
fn event(sentence: &[Token], unit_at: usize) -> std::ops::Range<usize> {
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
fn rate(sentence: &[Token], number: usize) -> Option<(u64, std::ops::Range<usize>)> {
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

/// Where the noun behind "per" or "each" ends: at the next small word, number or mark, after three words at most.
fn noun_phrase_end(sentence: &[Token], from: usize) -> usize {
    let noun =
        |token: &&Token| !token.mark && token.number.is_none() && !LINKS.contains(&token.text.as_str());
    from + sentence[from.min(sentence.len())..].iter().take(2).take_while(noun).count()
}

const LINKS: &[&str] = &[
    "is", "are", "may", "can", "shall", "must", "has", "have", "and", "or", "of", "in", "for", "with", "to",
    "gets", "at", "on", "a", "the", "will", "should", "by", "that", "which", "when", "if", "holds", "lists",
    "lasts",
];

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

/// A number for all together, not for each.
const TOTAL: &[&str] = &[
    "total",
    "overall",
    "altogether",
    "globally",
    "global",
    "across all",
    "all together",
    "combined",
    "in sum",
    "whole system",
    "system wide",
    "together",
];

/// Kinds of what happens. Two numbers about one thing and two kinds are two rules.
const ACTS: &[(&str, &str)] = &[
    (
        "ends",
        "expire expires expiry expiration lapse end ends close closed terminate terminated timeout invalid \
         invalidate invalidated logout valid lasts last lifetime live alive ttl stop stopped abort aborted \
         cancel cancelled cut",
    ),
    (
        "keeps",
        "keep keeps kept retain retains retained retention store stored preserve preserved delete deleted deletes \
         deletion remove removed removes purge purged erase erased discard discarded archive archived",
    ),
    ("locks", "lock locked locks lockout block blocked blocks suspend suspended ban banned freeze frozen"),
    ("unlocks", "unlock unlocked unblock reopen reopened reopens opens"),
    (
        "answers",
        "respond responds response answer answers answered reply replies return returns load loads loaded finish \
         finishes finished complete completes completed ready appear appears visible render rendered duration \
         latency",
    ),
    ("starts", "start starts started begin begins launch"),
    ("retries", "retry retries retried again backoff"),
    (
        "sends",
        "send sends sent deliver delivers delivered delivery arrive arrives arrived notify notified remind \
         reminder reminded reminders mail mailed",
    ),
    ("warns", "warn warns warned warning warnings alert alerts"),
    (
        "renews",
        "refresh refreshed refreshes renew renewed update updated updates poll polls sync synced reload",
    ),
    ("waits", "wait waits waited waiting delay delays delayed pause pauses"),
];

static ACT_OF: LazyLock<BTreeMap<String, &'static str>> = LazyLock::new(|| {
    ACTS.iter().flat_map(|(act, words)| words.split_whitespace().map(|word| (stem(word), *act))).collect()
});

/// Words that name a case with a rule of its own.
const SPECIAL: &str = "\
    admin admins administrator guest guests moderator manager free paid trial premium pro enterprise basic mobile \
    desktop staging production sandbox internal external anonymous public private soft hard burst bulk batch peak \
    night weekend initial final emergency incoming outgoing nightly daily weekly monthly yearly median average \
    worst slow thumbnail preview draft";

static SPECIAL_STEMS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    // What happens to a thing is read as an act first, so only what is left counts here.
    SPECIAL.split_whitespace().map(stem).filter(|stem| !ACT_OF.contains_key(stem)).collect()
});

/// Words that say that there is a rule, not what it is about.
const GENERIC: &str = "\
    limit limits limited maximum minimum default defaults value set total number exactly time times least max min \
    most accept accepts accepted refuse refuses refused reject rejects rejected serve serves served let takes take \
    hold holds held contain contains apply applies count counts counted have open active concurrent concurrently \
    parallel simultaneous simultaneously current currently single further more less fewer next later earlier old \
    older long longer large larger big bigger idle inactive inactivity activity unused untouched use length size \
    capacity budget allowance ceiling bound amount configured fixed exceed exceeds exceeding beyond reach reaches \
    reached show shows shown see seen given show test tests result status code error list lists listed fail fails \
    failed failing offer offers rule gets together stay stays work works mean means fit fits rate";

/// Whether a word says that there is a rule, not what it is about.
pub(super) fn is_generic(text: &str) -> bool {
    GENERIC_STEMS.contains(&stem(text))
}

static GENERIC_STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| GENERIC.split_whitespace().map(stem).collect());
