//! Reads ids with letters, ranges of ids, and ids that leave out what they share with the one before: `D6.1-.3`,
//! `FR-001,-002`.
//!
//! Start at [`joined`].

use crate::task_id;
use redraft_facts::prelude::*;

/// Of a range such as `D4-D7`.
const RANGE_MAX: u32 = 50;
/// A longer word is not an id, and would be searched again for each of its dashes.
const WORD_MAX: usize = 64;

/// `D6` of `D6-narrow`.
fn without_word(id: &str) -> &str {
    let Some((bare, word)) = id.rsplit_once('-') else { return id };
    let is_word = word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    if is_word && bare.ends_with(|c: char| c.is_ascii_digit()) { bare } else { id }
}

/// `FR-1`, `C9`, `P-A.1`: begins with capitals and holds a number.
pub(super) fn is_lettered(id: &str) -> bool {
    const LETTERS_MAX: usize = 5;
    let letters = id.chars().take_while(|c| c.is_ascii_alphabetic()).count();
    let capitals = id.chars().take(letters).all(|c| c.is_ascii_uppercase());
    let shaped = task_id::shape(id).is_some() || id[letters..].starts_with(['-', '#']);
    (1..=LETTERS_MAX).contains(&letters) && capitals && shaped
}

/// The first id of a word that may be a range: `D4` of `D4-D7`. An id that merely has dashes is one.
pub(super) fn first_of_range(word: &str) -> &str {
    if word.len() > WORD_MAX {
        return word;
    }
    if let Some((first, _)) = word.split_once("..") {
        return first;
    }
    let counted = |id: &str| id[letters(id).len()..].starts_with(|c: char| c.is_ascii_digit());
    let heads = word.match_indices('-').map(|(at, _)| (&word[..at], &word[at + 1..]));
    let mut ranges = heads.filter(|(head, tail)| counted(head) && Joint::Range.follow(head, tail).is_some());
    ranges.next().map_or_else(|| without_word(word), |(head, _)| head)
}

/// The ids that a text adds to the one before it, and how much of the text that takes: `D7` and what lies between for
/// `-D7`, two more for `/.2/.3`.
pub(super) fn joined(first: &str, text: &str) -> (Vec<String>, usize) {
    let mut ids: Vec<String> = Vec::new();
    let mut end = 0;
    while ids.len() < RANGE_MAX as usize {
        let last = ids.last().map_or(first, String::as_str);
        let Some((joint, length)) = Joint::parse(&text[end..]) else { break };
        let Some((more, used)) = joint.follow(last, &text[end + length..]) else { break };
        ids.extend(more);
        end += length + used;
    }
    (ids, end)
}

/// An id that leaves out what it shares with the last one: `.3` after `D6.1`, `-002` after `FR-001`, `3` after `C1`,
/// `c` after `2a`.
pub(crate) fn completed(last: &str, part: &str) -> Option<String> {
    const PART_MAX: usize = 6;
    let number = part.trim_start_matches(['.', '-']);
    let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let letter = &number[digits..];
    let is_part = letter.len() <= 1 && letter.bytes().all(|byte| byte.is_ascii_lowercase());
    if number.is_empty() || !is_part || part.len() > PART_MAX {
        return None;
    }
    let shared = match part.as_bytes()[0] {
        b'.' => last.rsplit_once('.').map_or(last, |(shared, _)| shared),
        b'-' => last.rsplit_once('-')?.0,
        _ if digits > 0 => before_number(last)?,
        _ => last.strip_suffix(|c: char| c.is_ascii_lowercase()).filter(|id| ends_with_digit(id))?,
    };
    Some(format!("{shared}{part}"))
}

enum Joint {
    /// `-`, `–`, `..`, with nothing around it.
    Range,
    /// The same between blanks, where a dash may also begin an explanation.
    Spaced,
    /// `to`, `through`.
    Word,
    /// `,`, `/`, `+`, `&`.
    List { tight: bool },
}

impl Joint {
    /// The sign or word that a text begins with, and its length with the blanks around it.
    fn parse(text: &str) -> Option<(Joint, usize)> {
        const RANGE: [&str; 9] = ["...", "..", "…", "–", "‑", "−", "~", "—", "-"];
        const WORDS: [&str; 6] = ["through ", "thru ", "up to ", "to ", "bis ", "hasta "];
        let trimmed = text.trim_start_matches(' ');
        let length = |sign: usize| text.len() - trimmed[sign..].trim_start_matches(' ').len();
        let blanks = |sign: usize| trimmed.len() < text.len() || trimmed[sign..].starts_with(' ');
        if let Some(sign) = RANGE.iter().find(|sign| trimmed.starts_with(**sign)) {
            let joint = if blanks(sign.len()) { Joint::Spaced } else { Joint::Range };
            let explains = matches!(joint, Joint::Spaced) && *sign == "—";
            return (!explains).then(|| (joint, length(sign.len())));
        }
        if let Some(word) = WORDS.iter().find(|word| trimmed.starts_with(**word)) {
            return (trimmed.len() < text.len()).then(|| (Joint::Word, length(word.len())));
        }
        // `D3.1, .2 and .3`; what follows a word must leave out something to go on with the list.
        const LISTS: [&str; 5] = ["and ", "or ", "plus ", "und ", "sowie "];
        if let Some(word) = LISTS.iter().find(|word| trimmed.starts_with(**word)) {
            let list = Joint::List { tight: false };
            return (trimmed.len() < text.len()).then(|| (list, length(word.len())));
        }
        if !trimmed.starts_with([',', '/', '+', '&']) {
            return None;
        }
        // `, and .3`
        let behind = trimmed[1..].trim_start_matches(' ');
        let word = LISTS.iter().find(|word| behind.starts_with(**word)).map_or(0, |word| word.len());
        let sign = trimmed.len() - behind.len() + word;
        Some((Joint::List { tight: !blanks(1) && word == 0 }, length(sign)))
    }

    /// The ids that follow, and how much of the text they take.
    fn follow(&self, last: &str, text: &str) -> Option<(Vec<String>, usize)> {
        let end = text.find(|c: char| !task_id::is_inner(c)).unwrap_or(text.len()).min(WORD_MAX);
        let token = text.get(..end)?.trim_end_matches(['.', '-', '_']);
        let cut = token.get(1..)?.find(['-', '.']).map(|at| at + 1);
        // Of `.2-.4` the first; an id may hold such signs itself.
        let token = match cut {
            Some(at) if token.starts_with(['.', '-']) => &token[..at],
            _ if token.contains("..") => token.split("..").next()?,
            _ => token,
        };
        let elided = token.starts_with(['.', '-']);
        let bare = token.bytes().all(|byte| byte.is_ascii_digit());
        let id = match self {
            Joint::List { tight } => {
                let shares = elided || *tight && bare && last.contains('.');
                return shares.then(|| completed(last, token)).flatten().map(|id| (vec![id], token.len()));
            }
            Joint::Range | Joint::Word if elided || !is_alike(last, token) || bare && last.contains('.') => {
                completed(last, token)?
            }
            Joint::Spaced if !is_alike(last, token) || bare => return None,
            Joint::Range | Joint::Word | Joint::Spaced => token.to_owned(),
        };
        let whole = id == token;
        let more = between(last, &id).or_else(|| (whole && !bare).then(|| vec![id]))?;
        Some((more, token.len()))
    }
}

/// Whether two ids begin with the same letters, and numbers follow.
fn is_alike(one: &str, other: &str) -> bool {
    let rest = &other[letters(other).len()..];
    letters(one).trim_end_matches('-') == letters(other).trim_end_matches('-')
        && rest.starts_with(|c: char| c.is_ascii_digit())
}

fn letters(id: &str) -> &str {
    &id[..id.len() - id.trim_start_matches(|c: char| c.is_alphabetic() || c == '-').len()]
}

fn ends_with_digit(id: &str) -> bool {
    id.ends_with(|c: char| c.is_ascii_digit())
}

/// `D6.` of `D6.1` and of `D6.1a`.
fn before_number(id: &str) -> Option<&str> {
    let bare =
        id.strip_suffix(|c: char| c.is_ascii_lowercase()).filter(|id| ends_with_digit(id)).unwrap_or(id);
    let shared = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    (shared.len() < bare.len()).then_some(shared)
}

/// The ids after the first one up to the last one.
fn between(first: &str, last: &str) -> Option<Vec<String>> {
    if let (Some(from), Some(to)) = (lettered_part(first), lettered_part(last))
        && first[..first.len() - 1] == last[..last.len() - 1]
    {
        let shared = &first[..first.len() - 1];
        return (from < to).then(|| (from + 1..=to).map(|c| format!("{shared}{}", char::from(c))).collect());
    }
    let (shared, other) = (before_number(first)?, before_number(last)?);
    let same = shared.trim_end_matches('-') == other.trim_end_matches('-');
    let (from, to) = (first[shared.len()..].parse::<u32>().ok()?, last[other.len()..].parse::<u32>().ok()?);
    let width = if first[shared.len()..].starts_with('0') { first.len() - shared.len() } else { 0 };
    let fits = same && from < to && to - from <= RANGE_MAX;
    fits.then(|| (from + 1..=to).map(|number| format!("{shared}{number:0width$}")).collect())
}

/// The letter after the number of `2a`.
fn lettered_part(id: &str) -> Option<u8> {
    let letter = id.bytes().next_back().filter(u8::is_ascii_lowercase)?;
    ends_with_digit(&id[..id.len() - 1]).then_some(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_joined_ids_are_spelled_out() {
        for (text, wanted) in [
            ("D4-D7", "D4 D5 D6 D7"),
            ("D6.1-.3", "D6.1 D6.2 D6.3"),
            ("D6.1-3", "D6.1 D6.2 D6.3"),
            ("D6.1–D6.3", "D6.1 D6.2 D6.3"),
            ("C1 – C3", "C1 C2 C3"),
            ("C1 - C3", "C1 C2 C3"),
            ("FR1-3", "FR1 FR2 FR3"),
            ("FR-1-3", "FR-1 FR-2 FR-3"),
            ("FR-001…FR-003", "FR-001 FR-002 FR-003"),
            ("FR-001,-002, -003", "FR-001 FR-002 FR-003"),
            ("D3.1, .2 and .3", "D3.1 D3.2 D3.3"),
            ("D3.1, .2, and .3", "D3.1 D3.2 D3.3"),
            ("NFR-3 plus -4", "NFR-3 NFR-4"),
            ("1.1 und .2", "1.1 1.2"),
            ("FR-1 through FR-3", "FR-1 FR-2 FR-3"),
            ("FR-1 to 3", "FR-1 FR-2 FR-3"),
            ("1.1-1.3", "1.1 1.2 1.3"),
            ("1.1 to 1.3", "1.1 1.2 1.3"),
            ("2a-c", "2a 2b 2c"),
            ("AD2.1/.2/.4", "AD2.1 AD2.2 AD2.4"),
            ("AD2.1/2", "AD2.1 AD2.2"),
            ("AD2.1/.2-.4", "AD2.1 AD2.2 AD2.3 AD2.4"),
            ("D1.2-D2.1", "D1.2 D2.1"),
            // One id, whatever follows.
            ("C1 — C4 reads it", "C1"),
            ("C1 - 3 files", "C1"),
            ("3 - 5 files", "3"),
            ("C1, 2", "C1"),
            ("C1 and 2 files", "C1"),
            ("D3.1 and 2", "D3.1"),
            ("D3.1 android", "D3.1"),
            ("AC-2-1", "AC-2-1"),
            ("D6-narrow", "D6"),
            ("C3-a", "C3-a"),
            ("D4-X7", "D4-X7"),
            ("FR-1 to be sure", "FR-1"),
            ("R9-R2", "R9 R2"),
            ("R1-R900", "R1 R900"),
            ("T-EXEC-AC-2.2", "T-EXEC-AC-2.2"),
        ] {
            let end = text.find(|c: char| !task_id::is_inner(c)).unwrap_or(text.len());
            let first = first_of_range(&text[..end]);
            let (more, _) = joined(first, &text[first.len()..]);
            let all: Vec<&str> = [first].into_iter().chain(more.iter().map(String::as_str)).collect();
            assert_eq!(all.join(" "), wanted, "{text}");
        }
    }
}
