//! Redacts a text that comes line by line, such as the output of a command: each line is passed on as soon as it can no
//! longer be part of a secret that spans several lines.
//!
//! [`OpenKey`] says which lines have to wait for the next; [`Lines`] keeps them and passes them on without secrets.

use super::pem::{Line, Reading};
use super::{Redactor, SecretKind, view};
use crate::prelude::*;

/// More than the largest key, including what a log writes before each of its lines. Anything longer is not held back.
const HELD_BYTES_MAX: usize = 64 << 10;

/// Follows a private key through the lines of a text.
#[derive(Debug, Clone, Default)]
pub struct OpenKey {
    reading: Option<Reading>,
}

impl OpenKey {
    /// Whether the line, without its end, must wait for the next one: a key is open at its end.
    pub fn holds(&mut self, line: &str) -> bool {
        let read = view::once(line);
        let line = read.as_deref().unwrap_or(line);
        // An escaped text may be several lines.
        for line in line.split('\n') {
            let went_on = match &mut self.reading {
                Some(reading) => reading.take(line),
                None => Line::Other,
            };
            if went_on == Line::Body {
                continue;
            }
            self.reading = None;
            if let Some((mut reading, behind)) = Reading::begun(line) {
                let open = reading.take(&line[behind..]) == Line::Body;
                self.reading = open.then_some(reading);
            }
        }
        self.reading.is_some()
    }

    /// Whether enough of what is open was seen to call it a key.
    fn is_key(&self) -> bool {
        self.reading.as_ref().is_some_and(Reading::is_key)
    }
}

/// Passes on the lines of a text, without secrets.
#[derive(Debug)]
pub struct Lines<'a> {
    redactor: &'a Redactor,
    key: OpenKey,
    held: Vec<String>,
    held_bytes: usize,
    /// Whether the rest of a key that was too long to wait for is left out.
    leaves_out: bool,
}

impl<'a> Lines<'a> {
    pub fn new(redactor: &'a Redactor) -> Lines<'a> {
        Lines { redactor, key: OpenKey::default(), held: Vec::new(), held_bytes: 0, leaves_out: false }
    }

    /// The next line, without its end; `each` gets what need not wait any longer.
    pub fn push(&mut self, line: &str, each: &mut dyn FnMut(&str)) {
        let holds = self.key.holds(line);
        if self.leaves_out && holds {
            return;
        }
        self.leaves_out = false;
        self.held_bytes += line.len() + 1;
        self.held.push(line.to_owned());
        if !holds {
            return self.pass_on(each);
        }
        if self.held_bytes > HELD_BYTES_MAX {
            let is_key = self.key.is_key();
            self.pass_on(each);
            if is_key {
                each(&SecretKind::PrivateKey.marker());
                self.leaves_out = true;
            }
        }
    }

    /// Nothing more comes.
    pub fn finish(mut self, each: &mut dyn FnMut(&str)) {
        self.pass_on(each);
    }

    fn pass_on(&mut self, each: &mut dyn FnMut(&str)) {
        self.held_bytes = 0;
        let held = core::mem::take(&mut self.held);
        match held.as_slice() {
            [] => {}
            [line] => each(&self.redactor.redact(line).0),
            lines => self.redactor.redact(&lines.join("\n")).0.split('\n').for_each(each),
        }
    }
}
