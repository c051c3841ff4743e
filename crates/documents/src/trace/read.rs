//! Reads references in a field: words that name a document, words that name a part, and ids.
//!
//! A number counts only after a word that says what it numbers; an id with letters says it itself. Titles are read in
//! `names`, ids and numbers in `ids`. Start at [`references`].

use super::words::{About, counted_by_label, is_exception, kind_of, letters_of, part_of};
use super::{CountsWhen, Reference, TargetDocument};
use crate::task_id;
use redraft_facts::prelude::*;

/// Of one field; more are not references but a list of everything.
pub(super) const REFERENCES_MAX: usize = 100;

/// What a field refers to; nothing if its label is not one for references.
pub fn references(label: &str, text: &str) -> Vec<Reference> {
    let Some(about) = About::parse(label) else { return Vec::new() };
    if says_none(text) {
        return Vec::new();
    }
    let mut reader = Reader::new(text, about);
    // `AC: 1, 2` are AC1 and AC2, `Plan item: 3` is item 3, and `Phase: 3` is Phase 3.
    reader.letters = letters_of(label).map(|letters| Letters {
        text: letters.to_owned(),
        kind: TargetDocument::Spec,
        dotted: false,
    });
    reader.part = counted_by_label(label).map(|word| Part { word, kind: None, at: 0, end: 0, capital: true });
    // A part of the work that only the label names may be one of the list itself.
    let mut found = reader.read();
    if about == About::Document(TargetDocument::Plan)
        && !label.to_lowercase().split(' ').any(|word| kind_of(word).is_some())
    {
        found
            .iter_mut()
            .filter(|one| one.kind == TargetDocument::Plan)
            .for_each(|one| one.basis = CountsWhen::IfDefined);
    }
    found
}

/// The titles that a text names after their document.
pub fn mentions(text: &str) -> Vec<Reference> {
    read(text, About::Mentions)
}

/// Whether a field is there to refer to something.
pub fn is_for_references(label: &str) -> bool {
    About::parse(label).is_some_and(|about| about != About::Ids)
}

/// `none`, `n/a`, `—`, also with a reason after it: there is nothing to name.
pub(crate) fn says_none(text: &str) -> bool {
    const WORDS: [&str; 5] = ["none", "na", "nothing", "keine", "tbd"];
    let text = text.trim_start_matches(['*', '_', '`', ' ', '\n', '(', '[']);
    if !text.contains(char::is_alphanumeric) {
        return true;
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '/').unwrap_or(text.len());
    let word = text[..end].to_lowercase().replace('/', "");
    let rest = text[end..].trim_start_matches(['*', '_', '`', ' ']);
    WORDS.contains(&word.as_str())
        && (rest.is_empty() || rest.starts_with(['(', ')', ']', ',', ';', '.', ':', '—', '–', '-', '\n']))
}

/// What was read so far.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) about: About,
    pub(super) found: Vec<Reference>,
    /// The document that was named last, and where.
    pub(super) kind: Option<(TargetDocument, usize)>,
    /// The part that was named last: its word, its usual document, where it stands, whether with a capital.
    pub(super) part: Option<Part>,
    /// Other words stand between the last document and what follows.
    pub(super) stale: bool,
    /// Nothing but separators since the last word that a number can follow.
    pub(super) ready: bool,
    /// The letters of the last id and its document, for `AC-1, 2, 3`.
    pub(super) letters: Option<Letters>,
    /// Where the last reference ended.
    pub(super) last: usize,
    /// Behind a separator or at the beginning.
    pub(super) fresh: bool,
    /// The first of the references since the last comma or semicolon.
    pub(super) clause: usize,
    /// The word right before an id: `constraint` of `constraint C2`.
    pub(super) noun: Option<String>,
    /// An explanation has begun: a part counts only after its document.
    pub(super) explains: bool,
    /// A number of another feature was named.
    pub(super) foreign: bool,
    /// `not`, `except`: what follows is left out.
    pub(super) excepted: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) word: &'static str,
    pub(super) kind: Option<TargetDocument>,
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) capital: bool,
}

#[derive(Clone)]
pub(super) struct Letters {
    pub(super) text: String,
    pub(super) kind: TargetDocument,
    /// The last id had parts, so that a number alone may be one of them.
    pub(super) dotted: bool,
}

pub(super) fn read(text: &str, about: About) -> Vec<Reference> {
    Reader::new(text, about).read()
}

/// The word at a place; `SC#1` is one.
fn counted_word(text: &str, at: usize, end: usize) -> &str {
    let capitals = text[at..end].bytes().all(|byte| byte.is_ascii_uppercase());
    let number = text[end..].strip_prefix('#').unwrap_or_default();
    let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if capitals && digits > 0 { &text[at..end + 1 + digits] } else { &text[at..end] }
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, about: About) -> Reader<'a> {
        Reader {
            text,
            about,
            found: Vec::new(),
            kind: None,
            part: None,
            stale: false,
            ready: about.document().is_some(),
            letters: None,
            last: 0,
            fresh: true,
            clause: 0,
            noun: None,
            explains: false,
            foreign: false,
            excepted: false,
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
                let end = text[at..].find(|c: char| !task_id::is_inner(c)).map_or(text.len(), |end| at + end);
                let word = counted_word(text, at, end).trim_end_matches(['.', '-', '_']);
                at = self.word(word, at).max(at + word.len().max(1));
            } else {
                at = self.quoted(c, at).unwrap_or_else(|| self.separator(c, at));
            }
        }
        self.found
    }

    /// Separators and brackets keep a list going; a dash between blanks begins an explanation.
    fn separator(&mut self, c: char, at: usize) -> usize {
        if [" - ", " — ", ". "].iter().any(|sign| self.text[at..].starts_with(sign)) {
            self.explain();
        } else if matches!(c, ',' | ';' | '/' | '+') {
            self.foreign = false;
        }
        if matches!(c, ',' | ';' | '\n') {
            self.clause = self.found.len();
        }
        if matches!(c, ';' | '\n' | ')') {
            self.excepted = false;
        }
        self.fresh |= matches!(c, ',' | ';' | '/' | '+' | '&' | '|' | '(' | '\n' | '→' | '⇒');
        at + c.len_utf8()
    }

    /// A code span: the name of a document, of a part, or nothing.
    fn code(&mut self, at: usize) -> usize {
        let rest = &self.text[at + 1..];
        let Some(end) = rest.find('`') else { return at + 1 };
        let inside = rest[..end].trim();
        match kind_of(&inside.to_lowercase()) {
            _ if inside.contains(".md#") || inside.contains(".md:") => return at + 1,
            Some(kind) if self.belongs_behind(kind, at, at + 1 + end + 1) => {}
            Some(kind) => self.document(kind, at),
            None if task_id::shape(inside).is_some() => return at + 1,
            None if self.titled(inside, at, at + 1 + end + 1, false) => {}
            None => self.ready = false,
        }
        self.fresh = false;
        at + 1 + end + 1
    }

    fn explain(&mut self) {
        self.ready = false;
        self.letters = None;
        self.kind = None;
        self.part = None;
        self.explains = true;
        self.excepted = false;
    }

    fn document(&mut self, kind: TargetDocument, at: usize) {
        self.kind = Some((kind, at));
        self.part = None;
        self.letters = None;
        self.ready = true;
        self.stale = false;
    }

    /// Takes one word and says where to read on.
    fn word(&mut self, word: &'a str, at: usize) -> usize {
        let lower = word.to_lowercase();
        let end = at + word.len();
        let fresh = core::mem::take(&mut self.fresh);
        let noun = self.noun.take();
        // `Component {Name}`, `Plan <step>`: a placeholder that is still to be filled in.
        if self.text[..at].ends_with(['{', '<']) {
            self.ready = false;
        } else if let Some(kind) = kind_of(&lower) {
            if self.belongs_behind(kind, at, end) {
                return end;
            }
            self.document(kind, at);
            self.excepted = false;
            if lower.ends_with(".md") {
                return self.line(kind, at, end).unwrap_or_else(|| self.anchor(kind, at, end));
            }
        } else if self.is_architecture(&lower, end) {
            self.document(TargetDocument::Design, at);
            return end + usize::from(self.text[end..].starts_with('.'));
        } else if let Some((part, kind)) = part_of(&lower).filter(|(part, _)| self.is_part(part)) {
            self.part(Part { word: part, kind, at, end, capital: word.starts_with(char::is_uppercase) });
            // `Sec. 3` is no end of a sentence.
            return end + usize::from(self.text[end..].starts_with('.') && lower != part.to_lowercase());
        } else if self.letters_alone(word, end) {
            self.part = None;
        } else if ["and", "to", "through", "und", "bis", "or", "&"].contains(&lower.as_str()) {
            // A list goes on.
            self.fresh = fresh || self.last > 0 && self.text[self.last..at].trim().is_empty();
        } else if is_exception(&lower) {
            self.excepted = lower != "but";
            self.fresh = true;
        } else {
            self.noun = noun;
            let read = self.id(word, at, fresh);
            self.noun = None;
            let read =
                read.or_else(|| self.counted_noun(word, at, fresh)).or_else(|| self.name(word, at, fresh));
            return read.unwrap_or_else(|| {
                self.ready = false;
                self.stale = true;
                self.letters = None;
                end
            });
        }
        end
    }

    /// `architecture §2`, `arch. section 3`: another name for the design, where a part of it follows.
    fn is_architecture(&self, word: &str, end: usize) -> bool {
        let rest = &self.text[end..];
        let rest = rest.strip_prefix('.').unwrap_or(rest).trim_start_matches(' ');
        let named = ["architecture", "architecture.md", "arch"].contains(&word);
        named && ["§", "section ", "sec. ", "chapter "].iter().any(|part| rest.starts_with(part))
    }

    /// Whether the word for a part means one here: a task belongs to the list itself, unless a document is named, or
    /// the field names the plan.
    fn is_part(&self, part: &str) -> bool {
        let of_field = self.about == About::Document(TargetDocument::Plan) && self.ready && !self.stale;
        part != "Task" || of_field || self.kind.is_some_and(|(_, named)| named >= self.last && self.ready)
    }

    fn part(&mut self, part: Part) {
        let document = self.kind.is_some_and(|(_, named)| named >= self.last);
        // `Step 1, items 3-8`: items of that step, which is shown anyway.
        let inner = ["item", "group"].contains(&part.word)
            && !self.found.is_empty()
            && !document
            && self.part.is_none_or(|before| before.word != part.word);
        let counts = !inner && (!self.explains || document);
        self.part = counts.then_some(part);
        self.letters = None;
        self.ready = counts;
        self.fresh = true;
    }
}
