//! A command line as simple commands: words, redirections that write, and where subshells begin and end.
//!
//! Quotes, escapes, comments, here-documents and substitutions are read so far that what stands in them is not taken for
//! commands or files. What a variable, a substitution or a pattern would become is not known, and a word says from where
//! on. Commands inside `$( )` are commands like any other. A line that does not end its quotes gives nothing.

use crate::prelude::*;
use core::iter::Peekable;
use core::str::Chars;

/// One thing after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Command(Simple),
    Enter,
    Leave,
}

/// A command with the files it is redirected to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    pub(super) writes: Vec<Word>,
}

/// A word without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// From where on it is not known what it becomes.
    unknown_at: Option<usize>,
    /// Whether a quote or an escape stood in it: then it is no operator and no number of a file.
    quoted: bool,
}

impl Word {
    /// The text, where all of it is known.
    pub(super) fn plain(&self) -> Option<&str> {
        self.unknown_at.is_none().then_some(self.text.as_str())
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// What is known of it, and the rest as it was typed.
    pub(super) fn known(&self) -> (&str, &str) {
        self.text.split_at(self.unknown_at.unwrap_or(self.text.len()))
    }

    /// What follows a beginning, as a word of its own.
    pub(super) fn after(&self, beginning: &str) -> Option<Word> {
        let text = self.text.strip_prefix(beginning)?.to_owned();
        let unknown_at = match self.unknown_at {
            Some(at) => Some(at.checked_sub(beginning.len())?),
            None => None,
        };
        Some(Word { text, unknown_at, quoted: self.quoted })
    }

    fn unknown(&mut self) {
        self.unknown_at.get_or_insert(self.text.len());
    }

    fn is_number(&self) -> bool {
        !self.quoted && !self.text.is_empty() && self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// Substitutions inside substitutions; deeper ones are nobody's plain words.
const DEPTH_MAX: u8 = 12;

/// The steps of a command line; none where it cannot be read.
pub(super) fn steps(command: &str) -> Vec<Step> {
    let mut reader =
        Reader { letters: command.chars().peekable(), steps: Vec::new(), bodies: Vec::new(), depth: 0 };
    match reader.list(false) {
        Some(()) => reader.steps,
        None => Vec::new(),
    }
}

struct Reader<'a> {
    letters: Peekable<Chars<'a>>,
    steps: Vec<Step>,
    /// Here-documents that begin with the next line: what ends each, and whether tabs before that do not count.
    bodies: Vec<(String, bool)>,
    depth: u8,
}

/// What the next word is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Argument,
    /// A file that is written to; a number or `-` is none.
    Write,
    /// Something that is only read.
    Read,
    /// The end of a here-document.
    Body {
        tabs: bool,
    },
}

impl Reader<'_> {
    /// Reads commands up to the end, or up to the parenthesis that closes a substitution.
    fn list(&mut self, inside: bool) -> Option<()> {
        let (mut simple, mut wanted) = (Simple::default(), For::Argument);
        // Subshells that began in this list; another closing parenthesis is the one of the substitution.
        let mut open = 0_u32;
        while let Some(letter) = self.letters.peek().copied() {
            match letter {
                '\n' => {
                    self.letters.next();
                    self.end(&mut simple, &mut wanted);
                    self.skip_bodies();
                }
                ' ' | '\t' | '\r' => drop(self.letters.next()),
                '#' => while self.letters.next_if(|letter| *letter != '\n').is_some() {},
                ';' | '|' => {
                    self.letters.next();
                    self.end(&mut simple, &mut wanted);
                }
                '&' => {
                    self.letters.next();
                    match self.letters.peek() {
                        Some('>') => wanted = self.redirection(&mut simple, false)?,
                        _ => self.end(&mut simple, &mut wanted),
                    }
                }
                '(' => {
                    self.letters.next();
                    self.end(&mut simple, &mut wanted);
                    self.steps.push(Step::Enter);
                    open += 1;
                }
                ')' => {
                    self.letters.next();
                    self.end(&mut simple, &mut wanted);
                    if inside && open == 0 {
                        return Some(());
                    }
                    self.steps.push(Step::Leave);
                    open = open.saturating_sub(1);
                }
                '<' | '>' => wanted = self.redirection(&mut simple, false)?,
                _ => {
                    let word = self.word()?;
                    let redirects = matches!(self.letters.peek(), Some('<' | '>'));
                    if redirects && wanted == For::Argument && word.is_number() {
                        wanted = self.redirection(&mut simple, true)?;
                    } else {
                        self.put(word, &mut simple, wanted);
                        wanted = For::Argument;
                    }
                }
            }
        }
        self.end(&mut simple, &mut wanted);
        // A substitution that nobody closes is no command line.
        (!inside).then_some(())
    }

    fn end(&mut self, simple: &mut Simple, wanted: &mut For) {
        *wanted = For::Argument;
        let simple = core::mem::take(simple);
        if !simple.words.is_empty() || !simple.writes.is_empty() {
            self.steps.push(Step::Command(simple));
        }
    }

    fn put(&mut self, word: Word, simple: &mut Simple, wanted: For) {
        match wanted {
            For::Argument => simple.words.push(word),
            For::Write if word.is_number() || word.is("-") => {}
            For::Write => simple.writes.push(word),
            For::Read => {}
            For::Body { tabs } => self.bodies.push((word.text, tabs)),
        }
    }

    /// Reads the operator; what it wants next. Behind a number it is the same.
    fn redirection(&mut self, simple: &mut Simple, numbered: bool) -> Option<For> {
        let reads = self.letters.next() == Some('<');
        match (reads, self.letters.peek()) {
            (_, Some('(')) if !numbered => {
                self.letters.next();
                self.substitution()?;
                let mut word = Word::default();
                word.unknown();
                simple.words.push(word);
                Some(For::Argument)
            }
            (true, Some('<')) => {
                self.letters.next();
                if self.letters.next_if_eq(&'<').is_some() {
                    return Some(For::Read);
                }
                Some(For::Body { tabs: self.letters.next_if_eq(&'-').is_some() })
            }
            (true, Some('>')) => {
                self.letters.next();
                Some(For::Write)
            }
            (true, Some('&')) => {
                self.letters.next();
                Some(For::Read)
            }
            (true, _) => Some(For::Read),
            (false, Some('>' | '|' | '&')) => {
                self.letters.next();
                Some(For::Write)
            }
            (false, _) => Some(For::Write),
        }
    }

    fn word(&mut self) -> Option<Word> {
        let mut word = Word::default();
        if self.letters.peek() == Some(&'~') {
            word.unknown();
        }
        while let Some(letter) = self.letters.peek().copied() {
            match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\'' => {
                    self.letters.next();
                    word.quoted = true;
                    self.until_quote(&mut word)?;
                }
                '"' => {
                    self.letters.next();
                    word.quoted = true;
                    self.double_quoted(&mut word)?;
                }
                '\\' => {
                    self.letters.next();
                    match self.letters.next() {
                        Some('\n') => {}
                        Some(escaped) => {
                            word.quoted = true;
                            word.text.push(escaped);
                        }
                        None => break,
                    }
                }
                '$' | '`' => self.expansion(&mut word)?,
                '*' | '?' | '[' | '{' => {
                    if letter != '{' || !word.text.is_empty() {
                        word.unknown();
                    }
                    word.text.push(letter);
                    self.letters.next();
                }
                // A list in braces at the beginning of a word; a brace alone is a word of the shell.
                ',' | '}' if word.text.starts_with('{') && !word.quoted => {
                    word.unknown_at = Some(0);
                    word.text.push(letter);
                    self.letters.next();
                }
                _ => {
                    word.text.push(letter);
                    self.letters.next();
                }
            }
        }
        Some(word)
    }

    fn until_quote(&mut self, word: &mut Word) -> Option<()> {
        loop {
            match self.letters.next()? {
                '\'' => return Some(()),
                letter => word.text.push(letter),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Word) -> Option<()> {
        loop {
            match self.letters.peek().copied()? {
                '"' => {
                    self.letters.next();
                    return Some(());
                }
                '\\' => {
                    self.letters.next();
                    match self.letters.next()? {
                        '\n' => {}
                        escaped @ ('$' | '`' | '"' | '\\') => word.text.push(escaped),
                        other => word.text.extend(['\\', other]),
                    }
                }
                '$' | '`' => self.expansion(word)?,
                letter => {
                    word.text.push(letter);
                    self.letters.next();
                }
            }
        }
    }

    /// Reads over a variable or a substitution. What stands in one of commands is kept as commands.
    fn expansion(&mut self, word: &mut Word) -> Option<()> {
        if self.letters.next() == Some('`') {
            word.unknown();
            loop {
                match self.letters.next()? {
                    '`' => return Some(()),
                    '\\' => drop(self.letters.next()),
                    _ => {}
                }
            }
        }
        match self.letters.peek() {
            Some('(') => {
                word.unknown();
                self.letters.next();
                self.substitution()
            }
            Some('{') => {
                word.unknown();
                while self.letters.next()? != '}' {}
                Some(())
            }
            Some('\'') => {
                word.unknown();
                self.letters.next();
                loop {
                    match self.letters.next()? {
                        '\'' => return Some(()),
                        '\\' => drop(self.letters.next()),
                        _ => {}
                    }
                }
            }
            Some(letter) if letter.is_alphanumeric() || "_@*#?$!-".contains(*letter) => {
                word.unknown();
                Some(())
            }
            // A dollar that means itself.
            _ => {
                word.text.push('$');
                Some(())
            }
        }
    }

    /// The commands up to the closing parenthesis, as a subshell of its own.
    fn substitution(&mut self) -> Option<()> {
        if self.depth >= DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let bodies = core::mem::take(&mut self.bodies);
        self.steps.push(Step::Enter);
        self.list(true)?;
        self.steps.push(Step::Leave);
        self.bodies.splice(..0, bodies);
        self.depth -= 1;
        Some(())
    }

    /// Reads over the here-documents that began in the line before.
    fn skip_bodies(&mut self) {
        for (end, tabs) in core::mem::take(&mut self.bodies) {
            loop {
                let mut line = String::new();
                let ended = loop {
                    match self.letters.next() {
                        Some('\n') => break false,
                        Some(letter) => line.push(letter),
                        None => break true,
                    }
                };
                let line = if tabs { line.trim_start_matches('\t') } else { &line };
                if ended || line == end {
                    break;
                }
            }
        }
    }
}
