//! References in a field: words that name a document, words that name a part, and ids.
//!
//! A number counts only behind a word that says what it numbers; an id with letters says it itself. Start at
//! [`references`].

use super::range::{is_lettered, numbers_between, range, without_word};
use super::words::{About, home, kind_of, letters_of, part_of, part_of_label};
use super::{Kind, Reference};
use crate::prelude::*;
use crate::tasks::id::{self, Shape};

/// Of one field; more is no reference but a list of everything.
const REFERENCES_MAX: usize = 100;

/// What a field refers to. Fields that refer to nothing by their label have none.
pub fn references(label: &str, text: &str) -> Vec<Reference> {
    let Some(about) = About::of(label) else { return Vec::new() };
    let mut reader = Reader::of(text, about);
    // `AC: 1, 2` are AC1 and AC2, and `Plan item: 3` is item 3.
    reader.letters = letters_of(label);
    reader.part = part_of_label(label).filter(|part| *part == "item").map(|word| Part {
        word,
        kind: None,
        at: 0,
        capital: true,
    });
    reader.read()
}

/// Whether a field is there to refer to something.
pub fn is_for_references(label: &str) -> bool {
    About::of(label).is_some_and(|about| about != About::Ids)
}

/// What was read so far.
struct Reader<'a> {
    text: &'a str,
    about: About,
    found: Vec<Reference>,
    /// The document that was named last, and where.
    kind: Option<(Kind, usize)>,
    /// The part that was named last: its word, its usual document, where it stands, whether with a capital.
    part: Option<Part>,
    /// Nothing but separators since the last word that a number can follow.
    ready: bool,
    /// The letters of the last id, for `AC-1, 2, 3`.
    letters: Option<&'a str>,
    /// Where the last reference ended.
    last: usize,
    /// An explanation has begun: a part counts only behind its document.
    explains: bool,
    /// A number of another feature was named.
    foreign: bool,
}

#[derive(Clone, Copy)]
struct Part {
    word: &'static str,
    kind: Option<Kind>,
    at: usize,
    capital: bool,
}

pub(super) fn read(text: &str, about: About) -> Vec<Reference> {
    Reader::of(text, about).read()
}

/// The title of a chapter that a text begins with: words up to a sign, the first with a capital, none with a number.
fn title_of_chapter(text: &str) -> Option<&str> {
    const CHARS_MAX: usize = 60;
    let text = text.trim_start();
    let end =
        text.find([',', ';', '/', '+', '(', ')', '§', '|', '—', '–', '`', ':', '\n']).unwrap_or(text.len());
    let end = [" - ", ". "].iter().filter_map(|sign| text[..end].find(sign)).fold(end, usize::min);
    let title = text[..end].trim().trim_end_matches('.');
    let first = title.split(' ').next().unwrap_or_default();
    let named = first.starts_with(char::is_uppercase) && part_of(&first.to_lowercase()).is_none();
    let counted = title.contains(|c: char| c.is_ascii_digit());
    (named && !counted && title.len() <= CHARS_MAX).then_some(title)
}

/// The word at a place; `SC#1` is one.
fn counted_word(text: &str, at: usize, end: usize) -> &str {
    let capitals = text[at..end].bytes().all(|byte| byte.is_ascii_uppercase());
    let number = text[end..].strip_prefix('#').unwrap_or_default();
    let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if capitals && digits > 0 { &text[at..end + 1 + digits] } else { &text[at..end] }
}

impl<'a> Reader<'a> {
    fn of(text: &'a str, about: About) -> Reader<'a> {
        Reader {
            text,
            about,
            found: Vec::new(),
            kind: None,
            part: None,
            ready: matches!(about, About::Document(_)),
            letters: None,
            last: 0,
            explains: false,
            foreign: false,
        }
    }

    fn read(mut self) -> Vec<Reference> {
        let text = self.text;
        let mut at = 0;
        while at < text.len() && self.found.len() < REFERENCES_MAX {
            let Some(c) = text[at..].chars().next() else { break };
            if c == '`' {
                at = self.code(at);
            } else if c == '§' {
                at = self.sign(at);
            } else if c.is_alphanumeric() {
                let end = text[at..].find(|c: char| !id::is_inner(c)).map_or(text.len(), |end| at + end);
                let word = counted_word(text, at, end).trim_end_matches(['.', '-', '_']);
                at = self.word(word, at).max(at + word.len().max(1));
            } else {
                // Separators and brackets keep a list going; a dash between blanks begins an explanation.
                let explains = [" - ", " — ", ". "].iter().any(|sign| text[at..].starts_with(sign));
                if explains {
                    self.explain();
                } else if matches!(c, ',' | ';' | '/' | '+') {
                    self.foreign = false;
                }
                at += c.len_utf8();
            }
        }
        self.found
    }

    /// `§`: a number follows, or, behind a document, the title of a chapter: `Design § Error Handling`.
    fn sign(&mut self, at: usize) -> usize {
        let behind = at + '§'.len_utf8();
        let document = self.kind.filter(|(_, named)| *named >= self.last && self.ready);
        self.part = Some(Part { word: "", kind: None, at, capital: true });
        self.ready = true;
        let Some((kind, named)) = document else { return behind };
        let Some(title) = title_of_chapter(&self.text[behind..]) else { return behind };
        let start = self.text.len() - self.text[behind..].trim_start().len();
        let end = start + title.len();
        self.push(kind, format!("§ {title}"), &self.text[named..end]);
        self.after(end);
        end
    }

    /// What `design.md#error-handling` leads to, if a document's name ends at a place.
    fn anchor(&mut self, kind: Kind, at: usize, end: usize) -> usize {
        let rest = self.text[end..].strip_prefix('#').unwrap_or_default();
        let length =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(rest.len());
        if length == 0 {
            return end;
        }
        let behind = end + 1 + length;
        self.push(kind, self.text[end..behind].to_owned(), &self.text[at..behind]);
        self.after(behind);
        behind
    }

    /// A code span: the name of a document, or nothing.
    fn code(&mut self, at: usize) -> usize {
        let rest = &self.text[at + 1..];
        let Some(end) = rest.find('`') else { return at + 1 };
        let inside = rest[..end].trim().to_lowercase();
        match kind_of(&inside) {
            _ if inside.contains(".md#") => return at + 1,
            Some(kind) => self.document(kind, at),
            None if id::shape(rest[..end].trim()).is_some() => return at + 1,
            None => self.ready = false,
        }
        at + 1 + end + 1
    }

    fn explain(&mut self) {
        self.ready = false;
        self.letters = None;
        self.kind = None;
        self.part = None;
        self.explains = true;
    }

    fn document(&mut self, kind: Kind, at: usize) {
        self.kind = Some((kind, at));
        self.part = None;
        self.letters = None;
        self.ready = true;
    }

    /// Takes one word and says where to read on.
    fn word(&mut self, word: &'a str, at: usize) -> usize {
        let lower = word.to_lowercase();
        let end = at + word.len();
        if let Some(kind) = kind_of(&lower) {
            self.document(kind, at);
            if lower.ends_with(".md") {
                return self.anchor(kind, at, end);
            }
        } else if let Some((part, kind)) = part_of(&lower) {
            let capital = word.starts_with(|c: char| c.is_uppercase());
            let document = self.kind.is_some_and(|(_, named)| named >= self.last);
            // `Step 1, items 3-8`: items of that step, which is shown anyway.
            let inner = ["item", "group"].contains(&part)
                && !self.found.is_empty()
                && !document
                && self.part.is_none_or(|before| before.word != part);
            let counts = !inner && (!self.explains || document);
            self.part = counts.then_some(Part { word: part, kind, at, capital });
            self.letters = None;
            self.ready = counts;
        } else if ["and", "to", "through", "und", "bis", "&"].contains(&lower.as_str()) {
            // A list goes on.
        } else {
            return self.id(word, at).unwrap_or_else(|| {
                self.ready = false;
                self.letters = None;
                end
            });
        }
        end
    }

    fn id(&mut self, word: &'a str, at: usize) -> Option<usize> {
        // `114 design C13` is of feature 114.
        if word.len() == 3 && self.part.is_none() && word.bytes().all(|byte| byte.is_ascii_digit()) {
            self.foreign = true;
            return None;
        }
        if self.foreign {
            return None;
        }
        let (first, last) = range(word);
        let first = without_word(first);
        if first.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(first, last, word, at);
        }
        let letters = first.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let kind = self.kind_of_letters(letters, first, at)?;
        let raw_start = self.raw_start(at);
        let raw = &self.text[raw_start..at + word.len()];
        self.push(kind, first.to_owned(), raw);
        if let Some(last) = last {
            self.fill(kind, first, last, raw);
        }
        self.after(at + word.len());
        self.letters = first.find(|c: char| c.is_ascii_digit()).map(|digits| &first[..digits]);
        Some(at + word.len())
    }

    /// Which document an id with letters is of; none if it is no id.
    fn kind_of_letters(&self, letters: &str, id: &str, at: usize) -> Option<Kind> {
        let named = self.kind.filter(|_| self.ready).map(|(kind, _)| kind);
        let counted = id.contains(|c: char| c.is_ascii_digit());
        // `Component Auth-Module`, `Component [A]`: a name behind the word for a part.
        if !counted {
            let part =
                self.part.filter(|part| self.ready && part.capital && self.between_is_short(part.at, at))?;
            let name = id.starts_with(|c: char| c.is_uppercase())
                && (id.contains('-') || id.len() <= 2 || part.word == "Component");
            return (name && !part.word.is_empty())
                .then(|| self.kind.map(|(kind, _)| kind).or(part.kind))
                .flatten();
        }
        if !is_lettered(id) {
            return None;
        }
        let of_document = match self.about {
            About::Document(kind) => Some(kind),
            About::Anything | About::Ids => None,
        };
        let direct = named.filter(|_| self.directly(at));
        match home(letters) {
            // Decisions and components count in a title only behind their document.
            Some(kind) if self.about == About::Ids && kind != Kind::Spec => direct,
            // Letters have their document, unless another one is named right before them, or by the field.
            Some(kind) => {
                let of_field = of_document.filter(|of| {
                    ![*of, kind].contains(&Kind::Spec) && self.found.is_empty() && named.is_none()
                });
                Some(direct.or(of_field).unwrap_or(kind))
            }
            // Others are ids in a list behind a document, or in a field about one.
            None => direct.or(named.filter(|_| self.letters.is_some())).or(of_document),
        }
    }

    /// Whether the last document was named right before a place, with at most a word for a part between.
    fn directly(&self, at: usize) -> bool {
        self.kind.is_some_and(|(_, named)| named >= self.last && self.ready && at - named <= 40)
    }

    fn between_is_short(&self, from: usize, to: usize) -> bool {
        to.saturating_sub(from) <= 24
    }

    fn number(&mut self, first: &'a str, last: Option<&'a str>, word: &'a str, at: usize) -> Option<usize> {
        if !self.ready || !matches!(id::shape(first)?, Shape::Number | Shape::Dotted) {
            return None;
        }
        let end = at + word.len();
        if self.text[end..].starts_with('%')
            || self.text[end..].starts_with("/")
                && self.text[end + 1..].starts_with(char::is_alphabetic)
                && self.part.is_none()
                && self.kind.is_none()
        {
            return None;
        }
        let raw_start = self.raw_start(at);
        let raw = &self.text[raw_start..end];
        if let Some(letters) = self.letters {
            let kind = self.found.last().map(|last| last.kind).or_else(|| home(letters))?;
            self.push(kind, format!("{letters}{first}"), raw);
            if let Some(last) = last {
                self.fill(kind, &format!("{letters}{first}"), &format!("{letters}{last}"), raw);
            }
            self.after(end);
            return Some(end);
        }
        let of_document = match self.about {
            About::Document(kind) => Some(kind),
            About::Anything | About::Ids => None,
        };
        let part = self.part;
        let named = self.kind.map(|(kind, _)| kind).or(of_document);
        let kind = named
            .or(part.filter(|part| part.capital && self.about != About::Ids).and_then(|part| part.kind))?;
        let spell = |number: &str| match part {
            Some(part) if !part.word.is_empty() && id::shape(number) == Some(Shape::Number) => {
                format!("{} {number}", part.word)
            }
            _ => number.to_owned(),
        };
        self.push(kind, spell(first), raw);
        if let Some(last) = last {
            for between in numbers_between(first, last) {
                self.push(kind, spell(&between), raw);
            }
        }
        self.after(end);
        Some(end)
    }

    fn after(&mut self, end: usize) {
        self.last = end;
        self.ready = true;
    }

    /// Where a reference begins that has its id at this place: at the document or part that was named for it.
    fn raw_start(&self, at: usize) -> usize {
        let part = self.part.map(|part| part.at).filter(|part| *part >= self.last && self.ready);
        let kind = self.kind.map(|(_, named)| named).filter(|named| *named >= self.last && self.ready);
        kind.or(part).unwrap_or(at).min(at)
    }

    fn push(&mut self, kind: Kind, id: String, raw: &str) {
        const RAW_CHARS_MAX: usize = 80;
        let raw = crate::text::one_line(raw, RAW_CHARS_MAX);
        let letters: String = id.chars().take_while(char::is_ascii_uppercase).collect();
        let elsewhere = home(&letters).is_some_and(|home| home != kind);
        let named = self.kind.is_some_and(|(named, _)| named == kind)
            || self.about == About::Document(kind) && kind != Kind::Spec && !elsewhere;
        self.found.push(Reference { raw, kind, id, named, inherited: false });
    }

    /// The ids between two, and the last one: `D4-D7`.
    fn fill(&mut self, kind: Kind, first: &str, last: &str, raw: &str) {
        let digits = |id: &str| id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (from, to) = (digits(first), digits(last));
        if first[..from] != last[..to] {
            self.push(kind, last.to_owned(), raw);
            return;
        }
        let prefix = &first[..from];
        for number in numbers_between(&first[from..], &last[to..]) {
            self.push(kind, format!("{prefix}{number}"), raw);
        }
    }
}
