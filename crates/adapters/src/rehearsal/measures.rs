//! Numbers with a unit in prose, and the words around them that say what is measured.
//!
//! Knows sentences, not documents. Start at [`measures`]. Versions, dates, ids, ordinals, ranges, money and
//! status codes are no measures; neither is anything in code, which arrives here blanked out.

use super::tokens::{Token, tokens};
use super::words::{content_word, stem};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measure {
    /// Where number and unit stand in the line.
    pub(super) at: Range<usize>,
    /// In the smallest unit of its kind, so that a minute and 60 seconds are equal.
    pub(super) value: f64,
    /// The number as written.
    pub(super) number: f64,
    /// What kind of unit: `time`, `size`, `percent`, or the noun that is counted.
    pub(super) kind: String,
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
    /// Words between number and unit: the `failed` of "5 failed attempts".
    pub(super) between: BTreeSet<String>,
}

/// The measures of one line of prose.
pub(super) fn measures(prose: &str) -> Vec<Measure> {
    let tokens = tokens(prose);
    let sentences = tokens.split(|token| token.ends_sentence);
    sentences.flat_map(|sentence| (0..sentence.len()).filter_map(|at| measure(sentence, at))).collect()
}

fn measure(sentence: &[Token], at: usize) -> Option<Measure> {
    let token = &sentence[at];
    let number = token.number.filter(|number| *number > 0.0)?;
    let before = |back: usize| at.checked_sub(back).map_or("", |at| sentence[at].text.as_str());
    if NAMED.split_whitespace().any(|word| word == before(1))
        || matches!(before(1), "#" | "§" | "$" | "€" | "£" | "+" | "~" | "≈" | "about" | "roughly")
    {
        return None;
    }
    let (unit_at, kind, factor) = unit(sentence, at)?;
    let range = |text: &str| matches!(text, "-" | "–" | "to" | "—" | "and" | "or");
    let numbers_around = (range(before(1)) && at >= 2 && sentence[at - 2].number.is_some())
        || sentence.get(at + 1).is_some_and(|next| range(&next.text))
            && sentence.get(at + 2).is_some_and(|next| next.number.is_some())
        || sentence.get(unit_at + 1).is_some_and(|next| range(&next.text))
            && sentence.get(unit_at + 2).is_some_and(|next| next.number.is_some());
    if numbers_around {
        return None;
    }
    let lead: Vec<&str> =
        sentence[at.saturating_sub(4)..at].iter().map(|token| token.text.as_str()).collect();
    let lead_text = format!(" {} ", lead.join(" "));
    let has = |words: &[&str]| words.iter().any(|word| lead_text.contains(&format!(" {word} ")));
    let least = has(&["at least", "minimum", "no less than", "no fewer than", "min"]);
    let threshold =
        has(&["after", "than", "exceeds", "exceed", "over", "within", "beyond", "under", "below"]);
    let bound = least
        || threshold
        || has(&["at most", "max", "maximum", "up to", "limit", "exactly", "limited to", "≤", "<", "="]);
    Some(Measure {
        at: token.at.start..sentence[unit_at].at.end,
        value: number * factor,
        number,
        near: near(sentence, at, unit_at, &kind),
        all: all(sentence, at, unit_at),
        least,
        every: matches!(before(1), "every" | "each"),
        scope: scope(sentence, unit_at),
        threshold,
        bound,
        between: sentence[at + 1..unit_at].iter().filter_map(|token| measured(&token.text)).collect(),
        kind: kind.name,
    })
}

struct UnitKind {
    name: String,
    /// Whether the unit itself says what is counted.
    tells: bool,
}

/// Which unit a number has: where it ends, its kind and its size.
fn unit(sentence: &[Token], at: usize) -> Option<(usize, UnitKind, f64)> {
    for ahead in 1..=3 {
        let Some(next) = sentence.get(at + ahead).filter(|next| !next.mark && next.number.is_none()) else {
            break;
        };
        if let Some((name, factor)) = fixed_unit(&next.text, next.joined) {
            return (ahead == 1).then(|| (at + 1, UnitKind { name, tells: false }, factor));
        }
        let counted = stem(&next.text);
        if COUNTED_STEMS.contains(&counted) {
            let tells = counted != stem("times");
            let name = if ["try", "tries"].contains(&next.text.as_str()) { stem("attempt") } else { counted };
            return Some((at + ahead, UnitKind { name, tells }, 1.0));
        }
        if content_word(&next.text).is_none() {
            break;
        }
    }
    let next = sentence.get(at + 1).filter(|next| !next.mark && content_word(&next.text).is_some())?;
    let plural =
        next.text.len() > 3 && next.text.ends_with('s') && !next.text.ends_with("ss") && !next.joined;
    let kind = UnitKind { name: stem(&next.text), tells: true };
    plural.then_some((at + 1, kind, 1.0))
}

fn fixed_unit(text: &str, joined: bool) -> Option<(String, f64)> {
    const UNITS: [(&str, &[&str], f64); 15] = [
        ("time", &["ms", "millisecond", "milliseconds", "msec"], 0.001),
        ("time", &["sec", "secs", "second", "seconds"], 1.0),
        ("time", &["min", "mins", "minute", "minutes"], 60.0),
        ("time", &["hr", "hrs", "hour", "hours"], 3600.0),
        ("time", &["day", "days"], 86_400.0),
        ("time", &["week", "weeks"], 604_800.0),
        ("time", &["month", "months"], 2_592_000.0),
        ("time", &["year", "years"], 31_536_000.0),
        ("size", &["byte", "bytes"], 1.0),
        ("size", &["kb", "kib", "kilobyte", "kilobytes"], 1024.0),
        ("size", &["mb", "mib", "megabyte", "megabytes"], 1_048_576.0),
        ("size", &["gb", "gib", "gigabyte", "gigabytes"], 1_073_741_824.0),
        ("size", &["tb", "tib", "terabyte", "terabytes"], 1_099_511_627_776.0),
        ("percent", &["%", "percent", "pct"], 1.0),
        ("pixel", &["px", "pixel", "pixels"], 1.0),
    ];
    if joined || text == "s" || text == "h" {
        match text {
            "s" => return Some(("time".to_owned(), 1.0)),
            "h" => return Some(("time".to_owned(), 3600.0)),
            _ => {}
        }
    }
    let found = UNITS.iter().find(|(_, words, _)| words.contains(&text))?;
    Some((found.0.to_owned(), found.2))
}

fn near(sentence: &[Token], at: usize, unit_at: usize, kind: &UnitKind) -> BTreeSet<String> {
    let open = |token: &&Token| !token.mark || matches!(token.text.as_str(), ":" | "|");
    let back = sentence[..at].iter().rev().take_while(open).take(6);
    let ahead = sentence[unit_at + 1..].iter().take_while(open).take(4);
    let between = &sentence[at + 1..unit_at];
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

/// Which tokens stand in brackets that the number does not stand in.
fn asides(sentence: &[Token], at: usize) -> Vec<bool> {
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
        "least", "max", "min",
    ];
    let unit = fixed_unit(text, false).is_some();
    let word = content_word(text)?;
    (!unit && !vague.contains(&word.as_str()) && !vague.contains(&text)).then_some(word)
}

/// Words after which a number is a name.
const NAMED: &str = "\
    line lines section step phase chapter table figure version http status code port rfc iso page level \
    priority feature issue ticket no python java node release option v top tier stage round case part item \
    rule appendix january february march april may june july august september october november december";

/// Nouns that are counted in specifications.
const COUNTED: &str = "\
    attempts tries retries times requests calls items entries rows records results characters chars words \
    digits letters files devices sessions connections messages emails pages tokens workers threads projects \
    keys members notes invitations accounts failures copies backups versions comments tags images seats \
    rooms orders lines";

static COUNTED_STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| COUNTED.split_whitespace().map(stem).collect());

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
