//! Reads titles and names in a field: `Design § Error Handling`, `design "Retry policy"`, `Design Storage`,
//! `plan Wave 2`, and documents that are named after what they hold: `R2 in the design`.
//!
//! A name that may mean something else counts only if a document defines it. Start at [`Reader::name`].

use super::place::{Lead, is_letter};
use super::range::{first_of_range, is_lettered, joined};
use super::read::{Part, Reader};
use super::words::{About, home, kind_of, part_of};
use super::{CountsWhen, Reference, TargetDocument};
use crate::task_id::{self, Shape};
use redraft_facts::prelude::*;

/// A longer one is a sentence.
const TITLE_CHARS_MAX: usize = 60;

impl Reader<'_> {
    /// `§`: a number follows, or, after a document, the title of a chapter: `Design § Error Handling`.
    pub(super) fn sign(&mut self, at: usize) -> usize {
        let behind = at + '§'.len_utf8();
        let document = self.kind.filter(|(_, named)| *named >= self.last && self.ready);
        self.part = Some(Part { word: "", kind: None, at, end: at, capital: true });
        self.ready = true;
        let Some((kind, named)) = document else { return behind };
        let Some(title) = title_of_chapter(&self.text[behind..]).filter(|title| is_capital(title)) else {
            return behind;
        };
        let start = self.text.len() - self.text[behind..].trim_start().len();
        let end = self.end_of_path(start + title.len());
        self.push_title(kind, start, end, named, CountsWhen::Plain);
        end
    }

    /// What `design.md#error-handling` leads to, if a document's name ends at a place.
    pub(super) fn anchor(&mut self, kind: TargetDocument, at: usize, end: usize) -> usize {
        let rest = self.text[end..].strip_prefix('#').unwrap_or_default();
        let length =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(rest.len());
        if length == 0 {
            return end;
        }
        let behind = end + 1 + length;
        let basis = self.basis(CountsWhen::Plain);
        let reference = self.reference(kind, self.text[end..behind].to_owned(), &self.text[at..behind]);
        self.push(Reference { basis, ..reference });
        self.after(behind);
        behind
    }

    /// `design.md:21`, `design.md#L21-L30`: a line of a document, and where its number ends. It stands for the section
    /// that it is in.
    pub(super) fn line(&mut self, kind: TargetDocument, at: usize, end: usize) -> Option<usize> {
        const DIGITS_MAX: usize = 6;
        let rest = &self.text[end..];
        let number = rest.strip_prefix("#L").or_else(|| rest.strip_prefix(':'))?;
        let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let after = &number[digits..];
        if !(1..=DIGITS_MAX).contains(&digits) || after.starts_with(char::is_alphanumeric) {
            return None;
        }
        // The end of the range of lines is not used.
        let to = after.trim_start_matches(['-', '–', ':', 'L']);
        let to = to.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = self.text[..self.text.len() - to.len()].ends_with(|c: char| c.is_ascii_digit());
        let behind = self.text.len() - if numbered { to } else { after }.len();
        let basis = self.basis(CountsWhen::Plain);
        let reference = self.reference(kind, format!(":{}", &number[..digits]), &self.text[at..behind]);
        self.push(Reference { basis, ..reference });
        self.after(behind);
        Some(behind)
    }

    /// A title in quotation marks, and where it ends.
    pub(super) fn quoted(&mut self, mark: char, at: usize) -> Option<usize> {
        const MARKS: [(char, &[char]); 7] = [
            ('"', &['"']),
            ('“', &['”']),
            ('„', &['“', '”']),
            ('«', &['»']),
            ('‘', &['’']),
            ('\'', &['\'']),
            ('「', &['」']),
        ];
        let (_, closing) = MARKS.iter().find(|(open, _)| *open == mark)?;
        if self.text[..at].ends_with(char::is_alphanumeric) {
            return None;
        }
        let start = at + mark.len_utf8();
        let text = self.text;
        let mut near = text[start..].char_indices().take(TITLE_CHARS_MAX);
        let (length, close) = near.find(|(_, c)| closing.contains(c) || *c == '\n')?;
        let end = start + length + close.len_utf8();
        (close != '\n' && self.titled(&text[start..start + length], at, end, true)).then_some(end)
    }

    /// Takes a text in quotation marks or code from `at` to `end` as the title of a part, if it can be one.
    pub(super) fn titled(&mut self, title: &str, at: usize, end: usize, quoted: bool) -> bool {
        let title = title.trim();
        let start = self.text[at..end].find(title).map_or(at, |offset| at + offset);
        // An id or a part with its number is read as such.
        let is_title = title.contains(char::is_alphabetic)
            && title.len() <= TITLE_CHARS_MAX
            && Lead::parse(title).is_none();
        if !is_title {
            return false;
        }
        let direct = self.kind.filter(|_| self.directly(at));
        let behind = self.document_behind(end).map(|(kind, _)| kind);
        let sure = if quoted && is_capital(title) { CountsWhen::Plain } else { CountsWhen::IfDefined };
        let (kind, named, basis) = match (direct, behind, self.about) {
            (Some((kind, named)), ..) => (kind, named, sure),
            (None, Some(kind), _) => (kind, at, sure),
            _ if title.contains(|c: char| c.is_ascii_digit()) => return false,
            (.., About::Document(kind)) => (kind, at, CountsWhen::IfDefined),
            (.., About::Anything) if quoted => (TargetDocument::Design, at, CountsWhen::IfDefined),
            _ => return false,
        };
        self.push_title(kind, start, start + title.len(), named, basis);
        self.after(end);
        true
    }

    /// A name without marks: after a document, `Design Storage`, or in a field about one, `Components: Storage`.
    pub(super) fn name(&mut self, word: &str, at: usize, fresh: bool) -> Option<usize> {
        if self.about == About::Ids {
            return None;
        }
        // `Storage in the design`.
        let end = at + word.len();
        if let Some((kind, _)) = self.document_behind(end).filter(|_| is_capital(word)) {
            self.push_title(kind, at, end, at, CountsWhen::IfDefined);
            return Some(end);
        }
        if self.about == About::Mentions {
            return None;
        }
        let title = title_of_chapter(&self.text[at..])?;
        let direct = self.kind.filter(|_| self.directly(at) && is_capital(title));
        let of_field = self.about.document().filter(|_| fresh && !self.explains);
        // `Design storage`: in lower case a few words with a sign behind them, or it is a sentence.
        let alone = is_few_words(title) && self.ends(at + title.len());
        let small = self
            .kind
            .filter(|(_, named)| alone && !is_capital(title) && self.directly(at) && self.is_bare(*named));
        let end = self.end_of_path(at + title.len());
        match (direct, of_field) {
            _ if let Some((kind, named)) = small => {
                self.push_title(kind, at, at + title.len(), named, CountsWhen::IfDefined);
                return Some(at + title.len());
            }
            (Some((kind, named)), _) => {
                let basis = if is_name(title) { CountsWhen::Plain } else { CountsWhen::IfDefined };
                self.push_title(kind, at, end, named, basis);
            }
            (None, Some(kind)) => self.push_title(kind, at, end, at, CountsWhen::IfDefined),
            (None, None) => return None,
        }
        Some(end)
    }

    /// Whether a document is named without an article: `the design` is mostly spoken of.
    fn is_bare(&self, named: usize) -> bool {
        let before = self.text[..named].trim_end_matches([' ', '`', '*']);
        let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        !["the", "this", "that", "our", "its"].contains(&word.to_lowercase().as_str())
    }

    /// An unlisted word with a number or letter: `plan Wave 2`, `design Appendix A`. Before an id with letters it says
    /// what that is: `constraint C2`.
    pub(super) fn counted_noun(&mut self, word: &str, at: usize, fresh: bool) -> Option<usize> {
        let is_word = word.chars().all(char::is_alphabetic) && part_of(&word.to_lowercase()).is_none();
        if self.about == About::Mentions || !is_word {
            return None;
        }
        let mut end = at + word.len();
        let (mut start, mut token) = next_token(self.text, end)?;
        if is_lettered(first_of_range(token)) {
            let noun = Some(word.to_lowercase()).filter(|word| is_noun(word))?;
            // `Design uses FR-1`, `constraints C1-C2`: what was named before is not about the id.
            if let Some(single) = noun.strip_suffix('s') {
                self.ready = false;
                self.letters = None;
                self.noun = Some(single.to_owned());
            } else {
                self.noun = Some(noun);
            }
            self.fresh = fresh;
            return Some(end);
        }
        // `Work package 3`.
        if token.chars().all(|c| c.is_lowercase()) && kind_of(token).is_none() && part_of(token).is_none() {
            end = start + token.len();
            (start, token) = next_token(self.text, end)?;
        }
        let number = first_of_range(token);
        let capital = is_capital(word);
        let counted = matches!(task_id::shape(number), Some(Shape::Number | Shape::Dotted))
            && number.starts_with(|c: char| c.is_ascii_digit());
        if !(counted || capital && is_letter(number)) {
            return None;
        }
        let direct = self.kind.filter(|_| self.directly(at)).map(|(kind, _)| kind);
        let of_field = self.about.document().filter(|_| fresh);
        let any = fresh && capital && !self.explains && self.about == About::Anything;
        let kind = direct.or(of_field).or(any.then_some(TargetDocument::Plan))?;
        let (more, used) = joined(number, &self.text[start + number.len()..]);
        let behind = (start + token.len()).max(start + number.len() + used);
        let raw = &self.text[self.raw_start(at)..behind];
        let words = &self.text[at..end];
        for number in [number].into_iter().chain(more.iter().map(String::as_str)) {
            let reference = self.reference(kind, format!("{words} {number}"), raw);
            self.push(Reference { basis: CountsWhen::IfDefined, ..reference });
        }
        self.after(behind);
        Some(behind)
    }

    /// Takes a document that is named after what it holds: `R2 in the design`, `C1–C2 (design)`.
    pub(super) fn belongs_behind(&mut self, kind: TargetDocument, at: usize, end: usize) -> bool {
        let same = self.last > 0 && self.document_behind(self.last).is_some_and(|(_, behind)| behind == end);
        if !same || at < self.last {
            return false;
        }
        for one in self.clause().iter_mut().filter(|one| !one.named) {
            (one.kind, one.named) = (kind, true);
        }
        self.kind = None;
        self.letters = None;
        true
    }

    /// The document that is named directly after a place, and where its name ends.
    pub(super) fn document_behind(&self, place: usize) -> Option<(TargetDocument, usize)> {
        let mut rest = self.text[place..].trim_start_matches(['*', '_', ' ']);
        let bracket = rest.starts_with('(');
        rest = rest.trim_start_matches('(');
        let mut linked = bracket;
        for word in ["see ", "in ", "of ", "from ", "the "] {
            if let Some(after) = rest.strip_prefix(word) {
                rest = after.trim_start();
                linked |= word != "see ";
            }
        }
        // The longest name of a document has 15 characters.
        const NAME_MAX: usize = 20;
        let name = rest.trim_start_matches('`');
        let (end, _) = name
            .char_indices()
            .take(NAME_MAX)
            .find(|(_, c)| !task_id::is_inner(*c))
            .unwrap_or((name.len(), ' '));
        let kind = kind_of(&name[..end].trim_end_matches('.').to_lowercase()).filter(|_| linked)?;
        let after = name[end..].trim_start_matches('`');
        let behind = self.text.len() - after.len();
        let ends = match bracket {
            true => after.trim_start().starts_with(')'),
            // `in design C1`: the document is that of what follows.
            false => {
                let next = after.trim_start_matches([' ', '*']);
                let word = &next[..next.find(|c: char| !task_id::is_inner(c)).unwrap_or(next.len())];
                let part = part_of(&word.to_lowercase()).is_some() || is_lettered(word);
                !part && !next.starts_with(|c: char| c.is_ascii_digit() || "§\"“„#".contains(c))
            }
        };
        ends.then_some((kind, behind - usize::from(name[..end].ends_with('.'))))
    }

    /// Whether nothing but a separator follows a place.
    pub(super) fn ends(&self, place: usize) -> bool {
        let rest = self.text[place..].trim_start_matches(['*', '_', '`', ' ']);
        let word =
            ["and ", "or ", "und ", "to ", "through ", "in the "].iter().any(|word| rest.starts_with(word));
        rest.is_empty()
            || word
            || rest.starts_with([
                ',', ';', '/', '+', '&', '(', ')', ']', '.', ':', '|', '\n', '—', '–', '-', '→', '⇒',
            ])
    }

    /// The end of a title that is followed by titles inside it: `→ Sync → Conflicts`.
    fn end_of_path(&self, mut end: usize) -> usize {
        const DEPTH_MAX: usize = 4;
        for _ in 0..DEPTH_MAX {
            let rest = self.text[end..].trim_start();
            let Some(inner) = rest.strip_prefix(['→', '>', '›', '»', '/']) else { break };
            let Some(title) = title_of_chapter(inner).filter(|title| is_capital(title)) else { break };
            let first = title.split(' ').next().unwrap_or_default().to_lowercase();
            if kind_of(&first).is_some() {
                break;
            }
            end = self.text.len() - inner.trim_start().len() + title.len();
        }
        end
    }

    fn push_title(&mut self, kind: TargetDocument, start: usize, end: usize, raw: usize, basis: CountsWhen) {
        let (id, raw) = (format!("§ {}", &self.text[start..end]), &self.text[raw.min(start)..end]);
        let reference = self.reference(kind, id, raw);
        let basis = self.basis(basis);
        self.push(Reference { basis, ..reference });
        self.after(end);
        self.letters = None;
    }

    /// In running text everything may mean something else.
    fn basis(&self, basis: CountsWhen) -> CountsWhen {
        if self.about == About::Mentions { CountsWhen::IfDefined } else { basis }
    }
}

/// The title of a chapter that a text begins with: words up to a sign, none with a number.
fn title_of_chapter(text: &str) -> Option<&str> {
    const SIGNS: &str = ",;/+()[]{}<>§|—–`:\n→›»\"“„";
    let text = text.trim_start();
    // A title is short, and a text without any sign would be searched from each of its words.
    let near = text.char_indices().map(|(at, _)| at).find(|at| *at > TITLE_CHARS_MAX).unwrap_or(text.len());
    let end = text[..near].find(|c| SIGNS.contains(c)).unwrap_or(near);
    let end = [" - ", ". "].iter().filter_map(|sign| text[..end].find(sign)).fold(end, usize::min);
    // Emphasis may end with it: `_Design: Retry policy_`.
    let title = text[..end].trim().trim_end_matches(['.', '_', '*']);
    let first = title.split(' ').next().unwrap_or_default();
    let letters = home(first.strip_suffix('s').unwrap_or(first)).is_some();
    let named =
        first.starts_with(char::is_alphabetic) && part_of(&first.to_lowercase()).is_none() && !letters;
    let counted = title.contains(|c: char| c.is_ascii_digit());
    (named && !counted && title.len() <= TITLE_CHARS_MAX).then_some(title)
}

/// Whether every word of a title has a capital, as names do.
fn is_name(title: &str) -> bool {
    const WORDS_MAX: usize = 5;
    const SMALL: [&str; 8] = ["and", "of", "the", "for", "to", "in", "a", "&"];
    let mut words = title.split(' ').filter(|word| !word.is_empty());
    title.split(' ').count() <= WORDS_MAX
        && words.all(|word| is_capital(word) && !word.contains('.') || SMALL.contains(&word))
}

/// Whether a text without capitals is short enough to be a name, and begins like one.
fn is_few_words(text: &str) -> bool {
    const WORDS_MAX: usize = 3;
    const OF_SENTENCES: [&str; 10] = ["the", "a", "an", "as", "is", "of", "for", "this", "and", "with"];
    let first = text.split(' ').next().unwrap_or_default();
    text.split(' ').count() <= WORDS_MAX && !OF_SENTENCES.contains(&first)
}

/// Whether a word may say what an id after it is; short words belong to the sentence.
fn is_noun(word: &str) -> bool {
    const LETTERS_MIN: usize = 4;
    word.len() >= LETTERS_MIN && !["with", "from", "into", "over", "than", "this", "that"].contains(&word)
}

fn is_capital(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}

/// The word after a place, with nothing but blanks between, and where it begins.
fn next_token(text: &str, place: usize) -> Option<(usize, &str)> {
    let rest = text[place..].trim_start_matches(' ');
    let start = text.len() - rest.len();
    let end = rest.find(|c: char| !task_id::is_inner(c)).unwrap_or(rest.len());
    let token = rest[..end].trim_end_matches(['.', '-', '_']);
    (start > place && !token.is_empty()).then_some((start, token))
}
