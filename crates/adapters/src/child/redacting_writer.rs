//! Keeps what a program prints, without secrets: known values, and anything that looks like a secret, are replaced
//! before a byte reaches the disk.
//!
//! The unit is the line, however many pieces it comes in. A line of JSON is redacted string by string and stays JSON,
//! so that an answer can still be read from it. Other lines are redacted as text; a private key, which spans several of
//! them, is held back until its end. What a line means is not known here. Start at [`RedactingWriter`].

use redraft_facts::redact::{OpenKey, Redactor};
use serde_json::{Map, Value};
use std::io::{self, Write};

/// The most bytes of text that are held back while a private key has not ended.
const BLOCK_BYTES_MAX: usize = 64 << 10;
const TOO_LONG: &[u8] = b"(a line too long to be kept)\n";

/// Writes what it is given, without secrets, as soon as a line of it is whole.
pub(super) struct RedactingWriter<W> {
    file: W,
    redactor: Redactor,
    /// Lines that begin with one of these are not kept.
    unkept: Vec<String>,
    line_max: usize,
    /// How many more bytes are kept.
    room: u64,
    /// The line that has not ended yet.
    line: Vec<u8>,
    is_too_long: bool,
    /// Lines of text that are not written yet.
    block: Vec<u8>,
    key: OpenKey,
}

impl<W: Write> RedactingWriter<W> {
    pub(super) fn new(file: W, redactor: Redactor, unkept: Vec<String>, line_max: usize, room: u64) -> Self {
        let (line, block) = (Vec::new(), Vec::new());
        let key = OpenKey::default();
        RedactingWriter { file, redactor, unkept, line_max, room, line, is_too_long: false, block, key }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + piece.len() > self.line_max {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if !self.is_too_long {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                self.end_line()?;
            }
        }
        Ok(())
    }

    /// Nothing more will come; the last line may have had no end.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end_line()?;
        self.end_block()?;
        self.file.flush()
    }

    fn end_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            self.end_block()?;
            return self.write(TOO_LONG);
        }
        if self.unkept.iter().any(|beginning| line.starts_with(beginning.as_bytes())) {
            return Ok(());
        }
        if let Some(clean) = self.clean_json(&line) {
            self.end_block()?;
            return self.write(&clean);
        }
        self.block.extend_from_slice(&line);
        let text = String::from_utf8_lossy(&line);
        if !self.key.holds(text.trim_end_matches(['\n', '\r'])) || self.block.len() > BLOCK_BYTES_MAX {
            self.end_block()?;
        }
        Ok(())
    }

    fn end_block(&mut self) -> io::Result<()> {
        let block = std::mem::take(&mut self.block);
        let text = String::from_utf8_lossy(&block);
        let (clean, hits) = self.redactor.redact(&text);
        if hits.is_empty() { self.write(&block) } else { self.write(clean.as_bytes()) }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let keep = bytes.len().min(usize::try_from(self.room).unwrap_or(usize::MAX));
        self.room -= keep as u64;
        self.file.write_all(&bytes[..keep])
    }

    /// The line without secrets, if it is an object or a list.
    fn clean_json(&self, line: &[u8]) -> Option<Vec<u8>> {
        let mut value: Value = serde_json::from_slice(line).ok()?;
        if !value.is_object() && !value.is_array() {
            return None;
        }
        if !self.hide(&mut value) {
            return Some(line.to_owned());
        }
        let mut clean = serde_json::to_vec(&value).ok()?;
        clean.push(b'\n');
        Some(clean)
    }

    /// Replaces secrets in every string; returns whether there was one.
    fn hide(&self, value: &mut Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
            Value::String(text) => match self.redactor.redact(text) {
                (_, hits) if hits.is_empty() => false,
                (clean, _) => {
                    *text = clean.into_owned();
                    true
                }
            },
            // All are looked at, even after one was found.
            Value::Array(list) => list.iter_mut().fold(false, |found, one| self.hide(one) | found),
            Value::Object(fields) => self.hide_fields(fields),
        }
    }

    fn hide_fields(&self, fields: &mut Map<String, Value>) -> bool {
        let mut found = false;
        let mut clean = Map::new();
        for (name, mut value) in std::mem::take(fields) {
            found |= self.hide(&mut value);
            found |= self.hide_named(&name, &mut value);
            let (shown, hits) = self.redactor.redact(&name);
            found |= !hits.is_empty();
            clean.insert(shown.into_owned(), value);
        }
        *fields = clean;
        found
    }

    /// Some values are secret because of the name they stand under.
    fn hide_named(&self, name: &str, value: &mut Value) -> bool {
        let Value::String(text) = value else { return false };
        let before = format!("{name}=");
        let assigned = format!("{before}{text}");
        let (clean, _) = self.redactor.redact(&assigned);
        match clean.strip_prefix(&before) {
            Some(clean) if clean != text => {
                *text = clean.to_owned();
                true
            }
            Some(_) | None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &str = "canary-4f1d9c77e2b8a35d60";

    fn kept(pieces: &[&[u8]], line_max: usize, room: u64) -> String {
        let mut file = Vec::new();
        let unkept = vec![r#"{"type":"stream_event""#.to_owned()];
        let redactor = Redactor::new(vec![KNOWN.to_owned(), "say \"it\" aloud".to_owned()]);
        let mut keeper = RedactingWriter::new(&mut file, redactor, unkept, line_max, room);
        pieces.iter().for_each(|piece| keeper.push(piece).unwrap());
        keeper.finish().unwrap();
        String::from_utf8(file).unwrap()
    }

    fn all(text: &str) -> String {
        kept(&[text.as_bytes()], 1 << 20, 1 << 20)
    }

    #[test]
    fn a_secret_is_replaced_wherever_its_pieces_are_cut() {
        let text = format!("before {KNOWN} after\n{{\"a\":\"{KNOWN}\",\"n\":[1,0.25]}}\nlast {KNOWN}");
        let whole = all(&text);
        assert_eq!(
            whole,
            "before [redacted:known] after\n{\"a\":\"[redacted:known]\",\"n\":[1,0.25]}\nlast [redacted:known]"
        );
        for at in 0..=text.len() {
            let (left, right) = text.as_bytes().split_at(at);
            assert_eq!(kept(&[left, right], 1 << 20, 1 << 20), whole, "cut at {at}");
        }
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(kept(&bytes, 1 << 20, 1 << 20), whole);
    }

    #[test]
    fn a_line_of_json_stays_json_and_one_without_secrets_stays_as_it_is() {
        let plain = "{\"z\": 1.50, \"a\":\"\\u00e9\" }\n[1]\n";
        assert_eq!(all(plain), plain);
        let odd = format!("{{\"t\":\"say \\\"it\\\" aloud\",\"{KNOWN}\":{{\"x\":[\"{KNOWN}\"]}}}}\n");
        let clean: Value = serde_json::from_str(&all(&odd)).unwrap();
        assert_eq!(clean["t"], "[redacted:known]");
        assert_eq!(clean["[redacted:known]"]["x"][0], "[redacted:known]");
        let named = "{\"api_key\":\"q8Zr2Lw9Xk4Tn7Vb1Yc6\",\"session_id\":\"5d3c0f52-4a0e-5b7e-9d54-0c9a64b3a1f0\"}\n";
        let clean: Value = serde_json::from_str(&all(named)).unwrap();
        assert!(clean["api_key"].as_str().unwrap().starts_with("[redacted:"), "{clean}");
        assert_eq!(clean["session_id"], "5d3c0f52-4a0e-5b7e-9d54-0c9a64b3a1f0");
    }

    #[test]
    fn a_private_key_over_many_lines_is_replaced() {
        let body = "MIIEpAIBAAKCAQEA7bq8Zr2Lw9Xk4Tn7Vb1Yc6Pf3\n".repeat(12);
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n");
        let clean = all(&format!("one\n{key}two\n"));
        assert!(!clean.contains("MIIEpAIBAAKCAQEA"), "{clean}");
        assert!(clean.starts_with("one\n") && clean.ends_with("two\n"), "{clean}");
        let begun = all("-----BEGIN CERTIFICATE-----\nand nothing more\n");
        assert_eq!(begun, "-----BEGIN CERTIFICATE-----\nand nothing more\n", "held back, and not lost");
    }

    #[test]
    fn long_lines_unwanted_lines_and_what_has_no_room_are_not_kept() {
        let text = "{\"type\":\"stream_event\",\"x\":1}\nshort\nmuch too long for this\nend\n";
        assert_eq!(
            kept(&[text.as_bytes()], 10, 1 << 20),
            "(a line too long to be kept)\nshort\n(a line too long to be kept)\nend\n"
        );
        assert_eq!(kept(&[text.as_bytes()], 100, 1 << 20), "short\nmuch too long for this\nend\n");
        assert_eq!(kept(&[text.as_bytes()], 100, 8), "short\nmu");
        assert_eq!(kept(&[b"bytes \xff\xfe that are no text".as_slice()], 5, 0), "");
    }
}
