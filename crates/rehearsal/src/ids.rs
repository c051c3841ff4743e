//! Names of requirements, criteria and goals in a text: `R1`, `FR-01`, `AC-2.3`, `R1-R3`.
//!
//! Knows no document. Start at [`mentions`]. An id is compared without dashes and leading zeros, so `FR-01` in a
//! heading and `FR1` in a criterion are one; it is a whole token, so `R1` is not found in `R10`.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id {
    pub(super) prefix: String,
    pub(super) path: Vec<u32>,
    letter: Option<char>,
}

impl Id {
    pub(super) fn is_requirement(&self) -> bool {
        let first = self.prefix.split('-').next().unwrap_or_default();
        ["R", "FR", "NFR", "REQ", "RQ", "NF", "SR", "BR", "UR"].contains(&first)
    }

    pub(super) fn is_criterion(&self) -> bool {
        ["AC", "SC", "TC"].contains(&self.prefix.as_str())
    }

    /// What every id has in common with those that cover it.
    pub(super) fn family(&self) -> (String, u32) {
        (self.prefix.clone(), self.path.first().copied().unwrap_or_default())
    }

    /// The same id, or one of the two is a part of the other: `R1` and `R1.2`, `R6` and `R6a`.
    pub(super) fn covers(&self, other: &Id) -> bool {
        let shorter = self.path.len().min(other.path.len());
        let letters = self.letter == other.letter || self.letter.is_none() || other.letter.is_none();
        self.prefix == other.prefix && self.path[..shorter] == other.path[..shorter] && letters
    }
}

/// One id where it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) id: Id,
    pub(super) at: Range<usize>,
}

/// Every id a text names, ranges and lists written out.
pub(super) fn mentions(text: &str) -> Vec<Mention> {
    let plain = tokens(text);
    let mut found: Vec<Mention> = Vec::new();
    for (index, mention) in plain.iter().enumerate() {
        found.push(mention.clone());
        let rest = &text[mention.at.end..];
        if let Some((last, length)) = range_end(rest, &mention.id, plain.get(index + 1), mention.at.end) {
            let first = mention.id.path.last().copied().unwrap_or_default();
            let at = mention.at.start..mention.at.end + length;
            for number in first + 1..=last.min(first + 200) {
                found.push(Mention { id: with_last(&mention.id, number), at: at.clone() });
            }
        }
    }
    found
}

/// The id a text starts with, as a definition does: after emphasis, brackets or a word like "Requirement".
pub(super) fn leading(text: &str) -> Option<Mention> {
    let mut start = text.len() - text.trim_start_matches([' ', '*', '_', '[', '(', '`', '#', '§']).len();
    for word in ["Requirement ", "Criterion ", "Goal "] {
        if text[start..].starts_with(word) {
            start += word.len();
        }
    }
    let mention = token_at(text, start)?;
    Some(mention)
}

/// The ids of a text as they are written.
fn tokens(text: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        if at < from || !c.is_ascii_uppercase() {
            continue;
        }
        let before = text[..at].chars().next_back();
        if before.is_some_and(|b| b.is_alphanumeric() || b == '_') {
            continue;
        }
        // `X-R1` is a name of its own, `R1-R3` is a range whose second end is found here.
        let joined =
            before == Some('-') && !text[..at - 1].ends_with(|c: char| c.is_ascii_digit() || c == ' ');
        if joined {
            continue;
        }
        if let Some(mention) = token_at(text, at) {
            from = mention.at.end;
            found.push(mention);
        }
    }
    found
}

fn token_at(text: &str, start: usize) -> Option<Mention> {
    let rest = text.get(start..)?;
    let count = |text: &str, wanted: fn(&u8) -> bool| text.bytes().take_while(wanted).count();
    let mut end = count(rest, u8::is_ascii_uppercase);
    if !(1..=6).contains(&end) {
        return None;
    }
    let mut prefix = rest[..end].to_owned();
    if let Some(middle) = rest[end..].strip_prefix('-') {
        let letters = count(middle, u8::is_ascii_uppercase);
        if (2..=10).contains(&letters) && middle[letters..].starts_with('-') {
            prefix = format!("{prefix}-{}", &middle[..letters]);
            end += 1 + letters;
        }
    }
    if rest[end..].starts_with(['-', '_']) {
        end += 1;
    }
    let mut path = Vec::new();
    loop {
        let digits = count(&rest[end..], u8::is_ascii_digit);
        if digits == 0 || digits > 4 {
            return None;
        }
        path.push(rest[end..end + digits].parse().ok()?);
        end += digits;
        let more =
            rest[end..].strip_prefix('.').is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
        if !more || rest[end..].starts_with("..") {
            break;
        }
        end += 1;
    }
    let mut letter = None;
    let mut tail = rest[end..].chars();
    if let Some(c) = tail.next().filter(char::is_ascii_lowercase) {
        letter = Some(c);
        end += 1;
    } else {
        tail = rest[end..].chars();
    }
    let next = tail.next();
    let whole = !next.is_some_and(|c| c.is_alphanumeric() || c == '_');
    // `FR-3-command` is another name, `R1-R3` and `R1-3` are ranges.
    let dashed = next == Some('-') && tail.next().is_some_and(|c| c.is_ascii_lowercase());
    (whole && !dashed).then(|| Mention { id: Id { prefix, path, letter }, at: start..start + end })
}

/// Where a range that starts with `first` ends: `-R3`, ` to R3`, `..3`. Gives its last number and the bytes it took.
fn range_end(rest: &str, first: &Id, next: Option<&Mention>, offset: usize) -> Option<(u32, usize)> {
    const JOINTS: [&str; 9] = [" through ", " to ", " – ", " - ", "...", "..", "–", "—", "-"];
    let joint = JOINTS.iter().find(|joint| rest.starts_with(**joint))?;
    let from = *first.path.last()?;
    let after = &rest[joint.len()..];
    if let Some(next) = next.filter(|next| next.at.start == offset + joint.len()) {
        let to = *next.id.path.last()?;
        let same = next.id.prefix == first.prefix && next.id.path.len() == first.path.len();
        return (same && to > from).then_some((to, joint.len() + next.at.len()));
    }
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    let tight = !joint.starts_with(' ') && (1..=3).contains(&digits);
    let to: u32 = after[..digits].parse().ok().filter(|to| tight && *to > from)?;
    let ends = !after[digits..].starts_with(|c: char| c.is_alphanumeric());
    ends.then_some((to, joint.len() + digits))
}

fn with_last(id: &Id, number: u32) -> Id {
    let mut id = id.clone();
    if let Some(last) = id.path.last_mut() {
        *last = number;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        let show = |m: Mention| {
            let path: Vec<String> = m.id.path.iter().map(u32::to_string).collect();
            format!("{}{}{}", m.id.prefix, path.join("."), m.id.letter.map(String::from).unwrap_or_default())
        };
        mentions(text).into_iter().map(show).collect()
    }

    #[test]
    fn ids_are_found_in_their_common_forms() {
        assert_eq!(
            named("R1, R-2 (FR-03) **REQ-4**: NFR5. R1.2"),
            ["R1", "R2", "FR3", "REQ4", "NFR5", "R1.2"]
        );
        assert_eq!(named("see FR-6a and FR-AUTH-12."), ["FR6a", "FR-AUTH12"]);
    }

    #[test]
    fn an_id_is_a_whole_token() {
        assert_eq!(named("R10 and xR1 and R1x2 and FR-3-command"), ["R10"]);
        assert!(named("utf-8, 1R, r1, SHA-25600").is_empty());
    }

    #[test]
    fn ranges_and_lists_are_written_out() {
        assert_eq!(named("R1-R3"), ["R1", "R2", "R3", "R3"]);
        assert_eq!(named("R1–3 and R5 to R6"), ["R1", "R2", "R3", "R5", "R6", "R6"]);
        assert_eq!(named("FR-1..FR-3"), ["FR1", "FR2", "FR3", "FR3"]);
        assert_eq!(named("R1/R2"), ["R1", "R2"]);
    }

    #[test]
    fn parts_and_wholes_cover_each_other() {
        let id = |text: &str| leading(text).unwrap().id;
        assert!(id("R1").covers(&id("R1.2")) && id("R1.2").covers(&id("R-01")));
        assert!(!id("R1").covers(&id("R10")) && !id("R1.1").covers(&id("R1.2")));
        assert!(id("R6").covers(&id("R6a")) && !id("R6a").covers(&id("R6b")));
    }

    #[test]
    fn a_definition_starts_with_its_id() {
        assert_eq!(leading("**R1**: x").unwrap().at, 2..4);
        assert_eq!(leading("[FR-2] x").unwrap().at, 1..5);
        assert!(leading("the R1 x").is_none());
    }
}
