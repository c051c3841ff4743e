//! Reads ids and numbers in a field, and decides which document each belongs to.
//!
//! Start at [`Reader::id`].

use super::place::is_letter;
use super::range::{first_of_range, is_lettered, joined};
use super::read::{Letters, Part, Reader};
use super::words::{About, home};
use super::{CountsWhen, Reference, TargetDocument};
use crate::task_id::{self, Shape};
use redraft_facts::prelude::*;

impl<'a> Reader<'a> {
    /// `AC` of `AC 1-3`, `FRs` of `FRs 1, 2`: letters with their numbers apart.
    pub(super) fn letters_alone(&mut self, word: &str, end: usize) -> bool {
        let letters = word.strip_suffix('s').unwrap_or(word);
        let Some(kind) = home(letters).filter(|_| letters.len() > 1 && self.about != About::Mentions) else {
            return false;
        };
        let rest = self.text[end..].trim_start_matches([' ', '#']);
        let counts = rest.len() < self.text.len() - end && rest.starts_with(|c: char| c.is_ascii_digit());
        if counts {
            let kind = self.kind.filter(|_| self.directly(end)).map_or(kind, |(kind, _)| kind);
            self.letters = Some(Letters { text: letters.to_owned(), kind, dotted: false });
            self.ready = true;
        }
        counts
    }

    pub(super) fn id(&mut self, word: &'a str, at: usize, fresh: bool) -> Option<usize> {
        // In running text only `design §2` is meant for sure.
        let sign = self.part.is_some_and(|part| part.word.is_empty() && part.at == part.end);
        if self.about == About::Mentions && !(sign && self.directly(at)) {
            return None;
        }
        // `114 design C13` and `114-limits C13` are of feature 114.
        let three = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit());
        if three && self.part.is_none() && self.letters.is_none() || is_folder(word) {
            self.foreign = true;
        }
        if self.foreign {
            return None;
        }
        let first = first_of_range(word);
        if first.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(first, word, at);
        }
        // `AC-8/E6` is AC-8 and AC-E6.
        let shared =
            self.letters.as_ref().filter(|last| last.text.ends_with('-') && self.text[..at].ends_with('/'));
        if let Some(Letters { text, kind, .. }) =
            shared.filter(|_| is_lettered(first) && home(letters(first)).is_none()).cloned()
        {
            let end = at + word.len();
            self.push(self.reference(kind, format!("{text}{first}"), word));
            self.after(end);
            return Some(end);
        }
        let letters = letters(first);
        let (more, used) = joined(first, &self.text[at + first.len()..]);
        let end = (at + word.len()).max(at + first.len() + used);
        let (kind, basis) = self.kind_of_letters(letters, first, at, end, fresh)?;
        let raw = &self.text[self.raw_start(at)..end];
        let before = self.part.filter(|part| part.end > self.last && at.saturating_sub(part.end) <= 2);
        let noun = self.noun.take().or_else(|| before.and_then(|part| part.noun()));
        // `Component [A]`: a letter says little without its word.
        let word = before.map_or("", |part| part.word);
        let spell = |id: &str| match is_letter(id) && !word.is_empty() {
            true => format!("{word} {id}"),
            false => id.to_owned(),
        };
        for id in [first].into_iter().chain(more.iter().map(String::as_str)) {
            let reference = self.reference(kind, spell(id), raw);
            // The document that was named last may be another one's: `design "Sync", L1`.
            let named = reference.named && basis == CountsWhen::Plain;
            self.push(Reference { noun: noun.clone(), basis: basis.clone(), named, ..reference });
        }
        self.after(end);
        let digits = first.find(|c: char| c.is_ascii_digit());
        self.letters = digits.map(|digits| Letters {
            text: first[..digits].to_owned(),
            kind,
            dotted: first.contains('.'),
        });
        Some(end)
    }

    /// Which document an id with letters belongs to, and whether that is certain; none if it is not an id.
    fn kind_of_letters(
        &self,
        letters: &str,
        id: &str,
        at: usize,
        end: usize,
        fresh: bool,
    ) -> Option<(TargetDocument, CountsWhen)> {
        let named = self.kind.filter(|_| self.ready).map(|(kind, _)| kind);
        let counted = id.contains(|c: char| c.is_ascii_digit());
        // `Component Auth-Module`, `Component [A]`: a name after the word for a part.
        if !counted {
            let near = |part: &Part| part.at >= self.last && at.saturating_sub(part.at) <= 24;
            let part = self.part.filter(|part| self.ready && part.capital && near(part))?;
            let name = id.starts_with(|c: char| c.is_uppercase())
                && (id.contains('-') || is_letter(id) || part.word == "Component");
            let named = self.kind.filter(|_| self.directly(at)).map(|(kind, _)| kind);
            let kind = named.or(part.kind).or(self.about.document());
            return kind.filter(|_| name && !part.word.is_empty()).map(|kind| (kind, CountsWhen::Plain));
        }
        if !is_lettered(id) {
            return None;
        }
        let of_document = self.about.document();
        let direct = named.filter(|_| self.directly(at));
        let sure = match home(letters) {
            // Decisions and components count in a title only after their document.
            Some(kind) if self.about == About::Ids && kind != TargetDocument::Spec => direct,
            // Letters have their document, unless another one is named directly before them, or by the field.
            Some(kind) => {
                let of_field = of_document.filter(|of| {
                    ![*of, kind].contains(&TargetDocument::Spec) && self.found.is_empty() && named.is_none()
                });
                Some(direct.or(of_field).unwrap_or(kind))
            }
            // Others are ids in a list after a document, or in a field about one.
            None => direct.or(named.filter(|_| self.letters.is_some())).or(of_document),
        };
        // An id without a document of its own counts if it stands alone and one document defines it.
        let alone = fresh
            && self.about == About::Anything
            && self.ends(end)
            && task_id::shape(id) != Some(Shape::Task);
        sure.map(|kind| (kind, CountsWhen::Plain))
            .or_else(|| alone.then_some((TargetDocument::Design, CountsWhen::IfDefined)))
    }

    /// Whether the last document was named directly before a place, with at most a word for a part between.
    pub(super) fn directly(&self, at: usize) -> bool {
        let near = |named: usize| named >= self.last && at.saturating_sub(named) <= 40;
        self.kind.is_some_and(|(_, named)| near(named) && self.ready && !self.stale)
    }

    fn number(&mut self, first: &'a str, word: &'a str, at: usize) -> Option<usize> {
        if !self.ready || !matches!(task_id::shape(first)?, Shape::Number | Shape::Dotted) {
            return None;
        }
        let (more, used) = joined(first, &self.text[at + first.len()..]);
        let end = (at + word.len()).max(at + first.len() + used);
        let rest = &self.text[end..];
        let lone = self.part.is_none() && self.kind.is_none();
        if rest.starts_with('%')
            || lone && rest.starts_with('/') && rest[1..].starts_with(char::is_alphabetic)
        {
            return None;
        }
        let numbers = || [first].into_iter().chain(more.iter().map(String::as_str));
        let raw = &self.text[self.raw_start(at)..end];
        if let Some(Letters { text, kind, dotted }) = self.letters.clone() {
            // `D6.1, 2` may be D6.2 or D2.
            if dotted && !first.contains('.') || begins_with_plural(rest) {
                return None;
            }
            for number in numbers() {
                self.push(self.reference(kind, format!("{text}{number}"), raw));
            }
            self.after(end);
            return Some(end);
        }
        let part = self.part;
        let behind = self.document_behind(end).map(|(kind, _)| kind);
        let named = self.kind.map(|(kind, _)| kind).or(behind).or(self.about.document());
        let of_part = part.filter(|part| part.capital && self.about != About::Ids);
        let kind = named.or(of_part.and_then(|part| part.kind))?;
        let spell = |number: &str| match part {
            Some(part) if !part.word.is_empty() && task_id::shape(number) == Some(Shape::Number) => {
                format!("{} {number}", part.word)
            }
            _ => number.to_owned(),
        };
        for number in numbers() {
            self.push(self.reference(kind, spell(number), raw));
        }
        self.after(end);
        Some(end)
    }

    pub(super) fn after(&mut self, end: usize) {
        self.last = end;
        self.ready = true;
    }

    /// Where the reference with an id at this place begins: at the document or part that was named for it.
    pub(super) fn raw_start(&self, at: usize) -> usize {
        let part = self.part.map(|part| part.at).filter(|part| *part >= self.last && self.ready);
        let kind = self.kind.map(|(_, named)| named).filter(|named| *named >= self.last && self.ready);
        kind.or(part).unwrap_or(at).min(at)
    }

    pub(super) fn reference(&self, kind: TargetDocument, id: String, raw: &str) -> Reference {
        const RAW_CHARS_MAX: usize = 80;
        let letters: String = id.chars().take_while(char::is_ascii_uppercase).collect();
        let elsewhere = home(&letters).is_some_and(|home| home != kind);
        let named = self.kind.is_some_and(|(named, _)| named == kind)
            || self.about == About::Document(kind) && kind != TargetDocument::Spec && !elsewhere;
        let raw = redraft_facts::text::one_line(raw, RAW_CHARS_MAX);
        Reference { raw, kind, id, named, inherited: false, basis: CountsWhen::Plain, noun: None }
    }

    pub(super) fn push(&mut self, reference: Reference) {
        match self.excepted {
            true => self.found.retain(|one| one.kind != reference.kind || one.id != reference.id),
            false => self.found.push(reference),
        }
    }

    /// The references since the last comma, when a document is named after them.
    pub(super) fn clause(&mut self) -> &mut [Reference] {
        let from = self.clause.min(self.found.len());
        &mut self.found[from..]
    }
}

/// The name of a feature's folder: `114-limits`.
fn is_folder(word: &str) -> bool {
    let name = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let named = name.strip_prefix('-').is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    word.len() - name.len() == 3 && named
}

/// Whether a text begins with a word that a number before it counts: `11 functions`.
fn begins_with_plural(text: &str) -> bool {
    const LETTERS_MIN: usize = 4;
    let text = text.strip_prefix(' ').unwrap_or_default();
    let end = text.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(text.len());
    end >= LETTERS_MIN && text[..end].ends_with('s')
}

fn letters(id: &str) -> &str {
    id.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}

impl Part {
    /// What kind of thing an id after it is, if the word says so: a risk, not an item.
    fn noun(self) -> Option<String> {
        ["Risk", "Decision", "Requirement", "Component", "Interface", "Story"]
            .contains(&self.word)
            .then(|| self.word.to_lowercase())
    }
}
