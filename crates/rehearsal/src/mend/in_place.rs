//! Mends that change words where they stand: numbers, spellings, owners of questions, dead references.

use super::Mended;
use crate::checks::spelling::places;
use crate::document::{Kind, cells, has_any};
use crate::edit::{replace_in_line, replace_line};
use crate::pace::{Pace, Stopped};
use crate::spec::Spec;
use crate::tokens::{Token, tokens};
use crate::units::fixed_unit;
use redraft_core::text::count;
use std::ops::Range;

pub(super) fn number(text: &str, line: usize, at: Range<usize>, right: &str) -> Option<Mended> {
    let wrong = text.lines().nth(line)?.get(at.clone())?;
    let new = renumbered(wrong, right)?;
    let note = format!("line {} now says {new} instead of {wrong}", line + 1);
    Some(Mended { text: replace_in_line(text, line, at, &new), note })
}

/// The wrong phrase with the right number and its own unit: `45-second` stays an adjective, `5 open sessions` stay
/// open, and 90 seconds become 120 where the other place says 2 minutes. None where that is no whole number.
pub(crate) fn renumbered(wrong: &str, right: &str) -> Option<String> {
    let (old, new) = (tokens(wrong), tokens(right));
    let (first, source) = (old.first()?, new.first()?);
    let one =
        |token: &Token| if ["a", "an", "one"].contains(&token.text.as_str()) { Some(1.0) } else { None };
    let value = source.number.or_else(|| one(source))?;
    first.number.or_else(|| one(first))?;
    let unit = |tokens: &[Token]| tokens.last().and_then(|token| fixed_unit(&token.text));
    let number = match (unit(&old), unit(&new)) {
        (Some((kind, size)), Some((other, there))) if kind == other => {
            let number = value * there / size;
            let same = (size - there).abs() < f64::EPSILON;
            let whole = (number - number.round()).abs() < 1e-9 && number >= 1.0;
            match (same, whole) {
                (true, _) => right[source.at.clone()].to_owned(),
                (false, true) => format!("{number:.0}"),
                (false, false) => return None,
            }
        }
        (None, None) => right[source.at.clone()].to_owned(),
        _ => return None,
    };
    Some(format!("{number}{}", &wrong[first.at.end..]))
}

pub(super) fn spelling(
    text: &str,
    spec: &Spec<'_>,
    right: &str,
    wrong: &str,
    pace: &Pace<'_>,
) -> Result<Option<Mended>, Stopped> {
    let found = places(&spec.document, wrong, pace)?;
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    // From the end, so that earlier places in a line keep their offsets.
    for (line, at) in found.iter().rev() {
        let there = &spec.document.lines[*line].raw[at.clone()];
        if let Some(new) = respelled(there, right, wrong) {
            lines[*line].replace_range(at.clone(), &new);
        }
    }
    let note = format!("wrote {right} for {wrong} in {}", count(found.len(), "place"));
    Ok((!found.is_empty()).then(|| Mended { text: lines.concat(), note }))
}

/// The right spelling in the form the wrong one has there: its plural and its capital.
fn respelled(there: &str, right: &str, wrong: &str) -> Option<String> {
    let cased = right.to_lowercase() == wrong.to_lowercase();
    let plural = if there.ends_with('s') && !wrong.ends_with('s') { "s" } else { "" };
    let first = right.chars().next()?;
    let capital = there.starts_with(char::is_uppercase) && !cased && !wrong.starts_with(char::is_uppercase);
    let lower = there.starts_with(char::is_lowercase) && !cased && right.starts_with(char::is_uppercase);
    let rest = &right[first.len_utf8()..];
    let word = match () {
        () if capital => format!("{}{rest}", first.to_uppercase()),
        () if lower && !rest.chars().any(char::is_uppercase) => format!("{}{rest}", first.to_lowercase()),
        () => right.to_owned(),
    };
    Some(format!("{word}{plural}"))
}

pub(super) fn owner(text: &str, spec: &Spec<'_>, line: usize) -> Option<Mended> {
    const OWNER: &str = "the product owner";
    const DEFAULT: &str = "the narrower choice";
    let document = &spec.document;
    let raw = document.lines.get(line)?.raw;
    let note = format!("gave the question in line {} an owner and a default", line + 1);
    if document.lines[line].kind == Kind::Row {
        let head = document.table_head(line).map(|head| cells(document.lines[head].raw)).unwrap_or_default();
        let mut row: Vec<String> = cells(raw).iter().map(|cell| (*cell).to_owned()).collect();
        let longest = (0..row.len()).max_by_key(|at| row[*at].len())?;
        let empty = |cell: &String| !cell.chars().any(char::is_alphanumeric);
        let column = |words: &[&str]| head.iter().position(|title| has_any(title, words));
        let asked = column(&["owner", "who"]).filter(|at| row.get(*at).is_some_and(empty));
        match asked {
            Some(at) => row[at] = OWNER.to_owned(),
            None => row[longest].push_str(&format!(" Owner: {OWNER}.")),
        }
        match column(&["default", "assumption", "answer"]).filter(|at| row.get(*at).is_some_and(empty)) {
            Some(at) => row[at] = DEFAULT.to_owned(),
            None => row[longest].push_str(&format!(" Default until answered: {DEFAULT}.")),
        }
        return Some(Mended { text: replace_line(text, line, &format!("| {} |", row.join(" | "))), note });
    }
    let block = document.block_of_item(line);
    let continued = block.skip(1).take_while(|at| document.lines[*at].kind == Kind::Text);
    let last = continued.last().unwrap_or(line);
    let end = document.lines[last].raw.trim_end();
    let stop = if end.ends_with(['.', '?', '!', ')']) { "" } else { "." };
    let new = format!("{end}{stop} Owner: {OWNER}. Default until answered: {DEFAULT}.");
    Some(Mended { text: replace_line(text, last, &new), note })
}

pub(super) fn reference(text: &str, line: usize, at: Range<usize>) -> Option<Mended> {
    let raw = text.lines().nth(line)?;
    let name = raw.get(at.clone())?;
    let new =
        without_link(raw, &at).or_else(|| without_brackets(raw, &at)).or_else(|| without_phrase(raw, &at))?;
    let note = format!("took the reference to {name} out of line {}", line + 1);
    Some(Mended { text: replace_line(text, line, &new), note })
}

/// `[text](#gone)` becomes `text`.
fn without_link(raw: &str, at: &Range<usize>) -> Option<String> {
    let open = raw[..at.start].strip_suffix("](#")?.rfind('[')?;
    let words = &raw[open + 1..at.start - 3];
    Some(format!("{}{words}{}", &raw[..open], raw.get(at.end + 1..)?))
}

/// `(R2, R9)` becomes `(R2)`, `(see R9)` disappears.
fn without_brackets(raw: &str, at: &Range<usize>) -> Option<String> {
    let open = raw[..at.start].rfind(['(', '['])?;
    let close = at.end + raw[at.end..].find([')', ']'])?;
    if raw[open..at.start].contains([')', ']']) {
        return None;
    }
    let inner = &raw[open + 1..close];
    let filler = ["see", "cf.", "per", "section", "as", "in", "and", "also", "§", "&", "or"];
    let parts: Vec<&str> = inner.split([',', ';', '/']).map(str::trim).collect();
    let name = &raw[at.clone()];
    let holds =
        |part: &&&str| part.split([' ', '"', '“', '”']).any(|word| word == name) || part.contains(name);
    let dead = parts.iter().find(holds)?;
    let rest: Vec<&str> = dead.split_whitespace().filter(|word| !filler.contains(word)).collect();
    let only = rest.join(" ").trim_matches(['"', '“', '”', '*', '§']) == name;
    if !only {
        return None;
    }
    let kept: Vec<&str> = parts.iter().filter(|part| *part != dead).copied().collect();
    let left = if kept.is_empty() {
        String::new()
    } else {
        format!("{}{}{}", &raw[open..=open], kept.join(", "), &raw[close..=close])
    };
    let before = if left.is_empty() { raw[..open].trim_end() } else { &raw[..open] };
    Some(format!("{before}{left}{}", &raw[close + 1..]))
}

/// `…, see R9` and `R2 and R9` lose the reference with its joint.
fn without_phrase(raw: &str, at: &Range<usize>) -> Option<String> {
    let before = raw[..at.start].trim_end_matches(['"', '“', '*']);
    let after = raw[at.end..].trim_start_matches(['"', '”', '*']);
    let before = before.strip_suffix("section ").unwrap_or(before);
    let leads = [
        ", see ",
        "; see ",
        " see ",
        " per ",
        ", as in ",
        " as in ",
        ", and ",
        " and ",
        ", ",
        " according to ",
        " (see ",
    ];
    let lead = leads.iter().find(|lead| before.ends_with(**lead))?;
    let joined = matches!(*lead, ", and " | " and " | ", ");
    let kept = &before[..before.len() - lead.len()];
    // Only a list of references may lose a member without losing its meaning.
    let listed = kept.ends_with(|c: char| c.is_ascii_digit());
    (!joined || listed).then(|| format!("{kept}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_replaced_and_its_unit_stays() {
        for (wrong, right, new) in [
            ("90 seconds", "2 minutes", "120 seconds"),
            ("45-second", "30 seconds", "30-second"),
            ("5 open sessions", "3 sessions", "3 open sessions"),
            ("3 tries", "5 attempts", "5 tries"),
            ("1.5 hours", "2.5 hours", "2.5 hours"),
            ("300 MB", "1 GB", "1024 MB"),
            ("6,000 rows", "five thousand rows", "five thousand rows"),
        ] {
            assert_eq!(renumbered(wrong, right).as_deref(), Some(new), "{wrong}, {right}");
        }
    }

    #[test]
    fn a_number_that_does_not_fit_the_unit_is_not_guessed() {
        for (wrong, right) in [("1 hour", "90 minutes"), ("7 days", "5 hours"), ("3 members", "10 seconds")] {
            assert_eq!(renumbered(wrong, right), None, "{wrong}, {right}");
        }
    }
}
