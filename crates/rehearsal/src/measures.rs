//! Numbers with a unit in prose, and the words around them that say what is measured.
//!
//! Knows sentences, not documents. Start at [`measures`]. Versions, dates, ids, ordinals, ranges, money and
//! status codes are no measures; neither is anything in code, which arrives here blanked out.

use super::subject::{Measured, Subject, asides};
use super::tokens::{Token, tokens};
use super::units::{counted, fixed_unit, is_unit};
use super::vocabulary::is_generic;
use super::words::{content_word, stem};
use std::collections::BTreeSet;
use std::ops::Range;

/// A text without full stops is read in pieces of so many words; what stands farther apart is not one sentence.
const SENTENCE_TOKENS_MAX: usize = 120;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measure {
    /// Where number and unit stand in the text.
    pub(super) at: Range<usize>,
    /// The sentence it stands in: which one, and where.
    pub(super) sentence: (usize, Range<usize>),
    /// In the smallest unit of its kind, so that a minute and 60 seconds are equal.
    pub(super) value: f64,
    /// The number as written.
    pub(super) number: f64,
    /// What kind of unit: `time`, `size`, `percent`, or the noun that is counted.
    pub(super) kind: String,
    /// Whether a noun is counted, rather than a unit of time or size.
    pub(super) counts: bool,
    /// What the whole sentence says it is about.
    pub(super) subject: Subject,
    /// Content words close by.
    pub(super) near: BTreeSet<String>,
    /// Content words of the sentence, each with the content word right before it, if any.
    pub(super) all: Vec<(String, Option<String>)>,
    pub(super) least: bool,
    pub(super) every: bool,
    /// What it is counted per, and percentiles.
    pub(super) scope: BTreeSet<String>,
    /// Whether a word like "after" or "than" makes the number a threshold.
    pub(super) threshold: bool,
    /// Whether words like "at most" make it a bound.
    pub(super) bound: bool,
    /// Whether words like "within" make it what is promised, rather than where a test looks.
    pub(super) promise: bool,
    /// Words between number and unit: the `failed` of "5 failed attempts".
    pub(super) between: BTreeSet<String>,
}

/// The measures of a passage of prose.
pub(super) fn measures(prose: &str) -> Vec<Measure> {
    let tokens = tokens(prose);
    let sentences = tokens.split_inclusive(|token| token.ends_sentence);
    let pieces = sentences.flat_map(|sentence| sentence.chunks(SENTENCE_TOKENS_MAX));
    let mut found = Vec::new();
    for (index, sentence) in pieces.enumerate() {
        let place = sentence[0].at.start..sentence[sentence.len() - 1].at.end;
        let here = (0..sentence.len()).filter_map(|at| measure(sentence, at));
        found.extend(here.map(|measure| Measure { sentence: (index, place.clone()), ..measure }));
    }
    found
}

fn measure(sentence: &[Token], at: usize) -> Option<Measure> {
    let token = &sentence[at];
    let number = token.number.or_else(|| lone_unit(sentence, at)).filter(|number| *number > 0.0)?;
    let before = |back: usize| at.checked_sub(back).map_or("", |at| sentence[at].text.as_str());
    if NAMED.split_whitespace().any(|word| word == before(1))
        || matches!(before(1), "#" | "§" | "$" | "€" | "£" | "+" | "~" | "≈")
        || ABOUT.contains(&before(1))
    {
        return None;
    }
    let (unit_at, kind, factor) = unit(sentence, at)?;
    if is_range(sentence, at, unit_at)
        || is_listed(sentence, at, unit_at)
        || (!kind.counts && is_period(sentence, at))
    {
        return None;
    }
    let lead: Vec<&str> =
        sentence[at.saturating_sub(4)..at].iter().map(|token| token.text.as_str()).collect();
    let lead_text = format!(" {} ", lead.join(" "));
    let has = |words: &[&str]| words.iter().any(|word| lead_text.contains(&format!(" {word} ")));
    let least = has(&["at least", "minimum", "no less than", "no fewer than", "min"]);
    let threshold =
        has(&["after", "than", "exceeds", "exceed", "over", "within", "beyond", "under", "below"]);
    let tail: Vec<&str> = sentence[unit_at + 1..].iter().take(3).map(|token| token.text.as_str()).collect();
    let capped =
        [["at", "most"], ["or", "less"], ["or", "fewer"]].iter().any(|words| tail.starts_with(words));
    let bound = least
        || threshold
        || capped
        || has(&["at most", "max", "maximum", "up to", "limit", "exactly", "limited to", "≤", "<", "="]);
    let promise = capped || has(&["within", "at most", "up to", "no more than", "at least"]);
    Some(Measure {
        at: token.at.start..sentence[unit_at].at.end,
        sentence: (0, 0..0),
        value: number * factor,
        number,
        subject: Subject::of(sentence, at, unit_at, measured_by(&kind)),
        near: near(sentence, at, unit_at, &kind),
        all: all(sentence, at, unit_at),
        least,
        every: matches!(before(1), "every" | "each"),
        scope: scope(sentence, unit_at),
        threshold,
        bound,
        promise,
        between: between(sentence, at, unit_at),
        counts: kind.counts,
        kind: kind.name,
    })
}

fn between(sentence: &[Token], at: usize, unit_at: usize) -> BTreeSet<String> {
    let words = sentence[at + 1..unit_at.max(at + 1)].iter().filter(|token| !is_generic(&token.text));
    words.filter_map(|token| measured(&token.text)).collect()
}

/// "Within an hour" says 1 without a number.
fn lone_unit(sentence: &[Token], at: usize) -> Option<f64> {
    let one = matches!(sentence[at].text.as_str(), "a" | "an" | "one");
    let unit = sentence.get(at + 1).and_then(|next| fixed_unit(&next.text));
    let time = unit.is_some_and(|(kind, _)| kind == "time");
    let lead = at.checked_sub(1).map_or("", |before| sentence[before].text.as_str());
    (one && time && ["within", "after", "for", "than", "least", "most"].contains(&lead)).then_some(1.0)
}

/// Whether numbers around make it a range, which states no single number.
fn is_range(sentence: &[Token], at: usize, unit_at: usize) -> bool {
    let joint = |text: &str| matches!(text, "-" | "–" | "to" | "—" | "and" | "or");
    let number = |at: usize| sentence.get(at).is_some_and(|token| token.number.is_some());
    let joins = |at: usize| sentence.get(at).is_some_and(|token| joint(&token.text)) && number(at + 1);
    (at >= 2 && joint(&sentence[at - 1].text) && number(at - 2)) || joins(at + 1) || joins(unit_at + 1)
}

/// Whether it is one of several to choose from: "1 hour, 8 hours or 7 days" states no single number either.
fn is_listed(sentence: &[Token], at: usize, unit_at: usize) -> bool {
    let kind = |at: usize| sentence.get(at).and_then(|unit| fixed_unit(&unit.text)).map(|(kind, _)| kind);
    let number = |at: usize| sentence.get(at).is_some_and(|token| token.number.is_some());
    let joint = |at: usize| {
        sentence.get(at).is_some_and(|token| matches!(token.text.as_str(), "," | "or" | "and" | "to" | "/"))
    };
    let Some(own) = kind(unit_at).filter(|_| unit_at > at) else { return false };
    // A comma may stand before the "or" of the last one.
    let back = (1..=2).take_while(|back| at.checked_sub(*back).is_some_and(joint)).last();
    let behind = back.and_then(|back| at.checked_sub(back + 2));
    let ahead = (1..=2).take_while(|ahead| joint(unit_at + ahead)).last().map(|ahead| unit_at + ahead + 1);
    behind.is_some_and(|before| number(before) && kind(before + 1) == Some(own))
        || ahead.is_some_and(|next| number(next) && kind(next + 1) == Some(own))
}

/// Whether a time is only what a count before it is for: the minute in "100 requests within 1 minute".
fn is_period(sentence: &[Token], at: usize) -> bool {
    let leads = ["within", "in", "per", "every", "each", "over", "any", "during", "of"];
    let led = at.checked_sub(1).is_some_and(|before| leads.contains(&sentence[before].text.as_str()));
    let counted_before = |token: &Token| counted(&token.text).is_some();
    let near = &sentence[at.saturating_sub(5)..at];
    led && near.iter().any(|token| token.number.is_some()) && near.iter().any(counted_before)
}

struct UnitKind {
    name: String,
    /// Whether the unit itself says what is counted.
    tells: bool,
    /// Whether it is a noun rather than a unit of time or size.
    counts: bool,
}

fn measured_by(kind: &UnitKind) -> Measured {
    match kind.name.as_str() {
        "time" => Measured::Time,
        _ if kind.counts => Measured::Count,
        _ => Measured::Size,
    }
}

/// Which unit a number has: where it ends, its kind and its size.
fn unit(sentence: &[Token], at: usize) -> Option<(usize, UnitKind, f64)> {
    for ahead in 1..=3 {
        let Some(next) = sentence.get(at + ahead).filter(|next| !next.mark && next.number.is_none()) else {
            break;
        };
        if let Some((name, factor)) = fixed_unit(&next.text) {
            let kind = UnitKind { name: name.to_owned(), tells: false, counts: false };
            return (ahead == 1).then_some((at + 1, kind, factor));
        }
        if let Some(name) = counted(&next.text) {
            let tells = name != stem("times");
            return Some((at + ahead, UnitKind { name, tells, counts: tells }, 1.0));
        }
        if content_word(&next.text).is_none() {
            break;
        }
    }
    if let Some(name) = rated_noun(sentence, at) {
        return Some((at, UnitKind { name, tells: true, counts: true }, 1.0));
    }
    let next = sentence.get(at + 1).filter(|next| !next.mark && content_word(&next.text).is_some())?;
    let plural =
        next.text.len() > 3 && next.text.ends_with('s') && !next.text.ends_with("ss") && !next.joined;
    let kind = UnitKind { name: stem(&next.text), tells: true, counts: true };
    plural.then_some((at + 1, kind, 1.0))
}

/// What "100 per minute" counts: the counted noun that stands before it.
fn rated_noun(sentence: &[Token], at: usize) -> Option<String> {
    let rate = |token: &Token| ["per", "/", "a", "an", "each", "every"].contains(&token.text.as_str());
    let rated = sentence.get(at + 1).is_some_and(rate)
        && sentence.get(at + 2).is_some_and(|unit| fixed_unit(&unit.text).is_some_and(|u| u.0 == "time"));
    let nouns = sentence[..at].iter().rev().take(8).filter_map(|token| counted(&token.text));
    nouns.into_iter().next().filter(|_| rated)
}

fn near(sentence: &[Token], at: usize, unit_at: usize, kind: &UnitKind) -> BTreeSet<String> {
    let open = |token: &&Token| !token.mark || matches!(token.text.as_str(), ":" | "|");
    let back = sentence[..at].iter().rev().take_while(open).take(6);
    let ahead = sentence[unit_at.max(at) + 1..].iter().take_while(open).take(4);
    let between = &sentence[at + 1..unit_at.max(at + 1)];
    let words = back.chain(ahead).chain(between).filter_map(|token| measured(&token.text));
    let own = kind.tells.then(|| kind.name.clone());
    words.chain(own).collect()
}

fn all(sentence: &[Token], at: usize, unit_at: usize) -> Vec<(String, Option<String>)> {
    let aside = asides(sentence, at);
    let outside = |index: &usize| *index != at && *index != unit_at && !aside[*index];
    let indexes = (0..sentence.len()).filter(outside);
    let words = indexes.filter_map(|index| {
        let word = measured(&sentence[index].text)?;
        let before = index.checked_sub(1).filter(outside).and_then(|index| measured(&sentence[index].text));
        Some((word, before))
    });
    words.collect()
}

fn scope(sentence: &[Token], unit_at: usize) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, token) in sentence.iter().enumerate() {
        let next = sentence.get(at + 1).map(|next| stem(&next.text));
        if token.text == "per" && at > unit_at {
            found.extend(next);
        } else if token.text.starts_with('p')
            && token.text[1..].parse::<u32>().is_ok_and(|p| (50..=100).contains(&p))
        {
            found.insert(token.text.clone());
        } else if let Some(share) = token.number.filter(|_| at != unit_at && next.as_deref() == Some("%")) {
            if at + 1 != unit_at {
                found.insert(format!("p{share}"));
            }
        } else if token.text.ends_with("th") && next.as_deref() == Some("percentil") {
            found.insert(format!("p{}", token.text.trim_end_matches("th")));
        }
    }
    found
}

/// A content word that can say what is measured.
fn measured(text: &str) -> Option<String> {
    let vague = [
        "limit", "maximum", "minimum", "default", "value", "set", "total", "number", "exactly", "tim",
        "least", "max", "min", "sur",
    ];
    let unit = is_unit(text);
    let word = content_word(text)?;
    (!unit && !vague.contains(&word.as_str()) && !vague.contains(&text)).then_some(word)
}

/// Words before a number that is not meant exactly.
const ABOUT: &[&str] =
    &["about", "roughly", "approximately", "around", "nearly", "almost", "some", "typically"];

/// Words after which a number is a name.
const NAMED: &str = "\
    line lines section step phase chapter table figure version http status code port rfc iso page level \
    priority feature issue ticket no python java node release option v top tier stage round case part item \
    rule appendix january february march april may june july august september october november december";

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, f64, String)> {
        measures(text).into_iter().map(|m| (text[m.at].to_owned(), m.value, m.kind)).collect()
    }

    fn one(text: &str) -> Measure {
        let mut all = measures(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        all.remove(0)
    }

    #[test]
    fn numbers_have_their_units() {
        assert_eq!(found("a timeout of 30 seconds"), [("30 seconds".to_owned(), 30.0, "time".to_owned())]);
        assert_eq!(found("a 5-minute window"), [("5-minute".to_owned(), 300.0, "time".to_owned())]);
        assert_eq!(found("within 200ms"), [("200ms".to_owned(), 0.2, "time".to_owned())]);
        assert_eq!(found("files of 1,000 KB"), [("1,000 KB".to_owned(), 1_024_000.0, "size".to_owned())]);
        assert_eq!(found("at most three failed attempts")[0].1, 3.0);
        assert_eq!(found("1.5 hours")[0].1, 5400.0);
    }

    #[test]
    fn what_only_looks_like_a_measure_is_none() {
        for text in [
            "version 3 seconds the motion",
            "since 2026-04-15 days count",
            "python 3.11.2 files",
            "R1 items",
            "see section 4 lines",
            "the 6th request",
            "3-5 seconds",
            "between 3 and 5 attempts",
            "HTTP 404 errors",
            "about 30 seconds",
            "from 10 to 20 items",
            "for 1 hour, 8 hours or 7 days",
            "between 15 minutes and 4 hours",
            "of 10 MB, 1 GB, or 5 GB",
            "UTF-8 files",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn the_words_around_say_what_is_measured() {
        assert!(one("the timeout of a request is 45 seconds").near.contains("request"));
        assert!(one("a 30-second timeout").near.contains("timeout"));
        assert!(!one("a request, which may be long, ends after 45 seconds").near.contains("request"));
        assert!(one("5 attempts per user").scope.contains(&stem("user")));
        assert!(one("runs every 5 minutes").every);
        assert!(one("at least 8 characters").least);
    }
}
