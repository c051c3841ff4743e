//! Reads messages from the host, and replaces those that are too large by a short one that says so.
//!
//! The protocol's library drops such a message silently, and its sender would wait forever. A message is a line. Start
//! at [`BoundedReader`]; [`Lines`] does the work and reads nothing itself.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// Larger messages are not read: more than any answer has, escaped (`submit` takes 4 MiB), and less than the library
/// reads.
pub(super) const MESSAGE_BYTES_MAX: usize = 15 * 1024 * 1024;
/// The method of the message that replaces one that is too large; its parameter `bytes` says how large that was.
pub(super) const TOO_LARGE: &str = "redraft/too-large";

const PIECE_BYTES: usize = 64 * 1024;

/// A reader that lets no message through that is too large.
pub(super) struct BoundedReader<R> {
    inner: R,
    lines: Lines,
    /// What was let through and not taken yet, from `taken` on.
    ready: Vec<u8>,
    taken: usize,
}

impl<R> BoundedReader<R> {
    pub(super) fn new(inner: R) -> BoundedReader<R> {
        BoundedReader { inner, lines: Lines::new(MESSAGE_BYTES_MAX), ready: Vec::new(), taken: 0 }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedReader<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.taken == this.ready.len() {
            this.ready.clear();
            this.taken = 0;
            let mut piece = [0; PIECE_BYTES];
            let mut into = ReadBuf::new(&mut piece);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut into))?;
            if into.filled().is_empty() {
                // The end. An unfinished line is not a message.
                return Poll::Ready(Ok(()));
            }
            this.lines.push(into.filled(), &mut this.ready);
        }
        let left = &this.ready[this.taken..];
        let most = left.len().min(buf.remaining());
        buf.put_slice(&left[..most]);
        this.taken += most;
        Poll::Ready(Ok(()))
    }
}

/// Whole lines out of pieces.
struct Lines {
    bytes_max: usize,
    /// The line so far; empty for one that is too large.
    line: Vec<u8>,
    /// How long it is so far.
    length: usize,
    seen: Head,
}

impl Lines {
    fn new(bytes_max: usize) -> Lines {
        Lines { bytes_max, line: Vec::new(), length: 0, seen: Head::default() }
    }

    /// Adds the lines that this piece ends.
    fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let text = part.strip_suffix(b"\n");
            self.add(text.unwrap_or(part));
            if text.is_some() {
                self.end(out);
            }
        }
    }

    fn add(&mut self, part: &[u8]) {
        let fitted = self.length <= self.bytes_max;
        self.length = self.length.saturating_add(part.len());
        match (fitted, self.length <= self.bytes_max) {
            (_, true) => self.line.extend_from_slice(part),
            (true, false) => {
                let line = std::mem::take(&mut self.line);
                self.seen.read(&line);
                self.seen.read(part);
            }
            (false, false) => self.seen.read(part),
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let seen = std::mem::take(&mut self.seen);
        if self.length <= self.bytes_max {
            out.append(&mut self.line);
        } else {
            out.extend_from_slice(seen.instead(self.length).as_bytes());
        }
        out.push(b'\n');
        self.length = 0;
    }
}

/// The outermost level of a message, read while it passes by.
#[derive(Default)]
struct Head {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Whether the next text of the outermost level is a value.
    at_value: bool,
    name: Vec<u8>,
    value: Vec<u8>,
    id: Option<Vec<u8>>,
    has_method: bool,
}

impl Head {
    /// Names and ids are short; anything longer is neither.
    const BYTES_MAX: usize = 256;

    fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.take(*byte);
        }
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b':' if self.depth == 1 => self.at_value = true,
            b',' if self.depth == 1 => self.finish(),
            b'}' | b']' => {
                if self.depth == 1 {
                    self.finish();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b' ' | b'\t' | b'\r' => {}
            other => self.keep(other),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 {
            let part = if self.at_value { &mut self.value } else { &mut self.name };
            if part.len() < Self::BYTES_MAX {
                part.push(byte);
            }
        }
    }

    /// A member of the outermost object has ended.
    fn finish(&mut self) {
        let (name, value) = (std::mem::take(&mut self.name), std::mem::take(&mut self.value));
        self.at_value = false;
        match name.as_slice() {
            b"\"id\"" => {
                let is_id = |value: &serde_json::Value| value.is_number() || value.is_string();
                self.id = serde_json::from_slice(&value).ok().filter(is_id).map(|_| value);
            }
            b"\"method\"" => self.has_method = true,
            _ => {}
        }
    }

    /// The message that replaces this one. A notification gets no answer; something that is not a message at all is
    /// passed on as one that the library refuses.
    fn instead(self, bytes: usize) -> String {
        match self.id.map(String::from_utf8) {
            Some(Ok(id)) if self.has_method => {
                format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":"{TOO_LARGE}","params":{{"bytes":{bytes}}}}}"#
                )
            }
            _ if self.has_method => String::new(),
            _ => "{}".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that come out, however the input is cut into pieces.
    fn through(text: &str) -> String {
        let mut all = Vec::new();
        for size in [1, 7, text.len().max(1)] {
            let (mut lines, mut out) = (Lines::new(60), Vec::new());
            text.as_bytes().chunks(size).for_each(|piece| lines.push(piece, &mut out));
            all.push(String::from_utf8(out).unwrap());
        }
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
        all.swap_remove(0)
    }

    #[test]
    fn a_message_that_fits_is_let_through_as_it_is() {
        for text in ["\n", "{}\n", "no JSON\n\n{\"id\":1}\r\n", "not ended"] {
            assert_eq!(through(text), if text.ends_with('\n') { text } else { "" });
        }
        let exact = "x".repeat(60) + "\n";
        assert_eq!(through(&exact), exact);
    }

    #[test]
    fn a_message_that_is_too_large_becomes_one_with_its_id_wherever_that_stands() {
        let long = "y\\\"{[,:id".repeat(20);
        for (id, given) in [
            ("7", format!(r#"{{"jsonrpc":"2.0","id":7,"method":"m","params":{{"id":9,"x":"{long}"}}}}"#)),
            ("7", format!(r#"{{"method":"m","params":{{"x":["{long}",{{"id":9}}]}} , "id" : 7 }}"#)),
            ("\"a\\\"b\"", format!(r#"{{"x":"{long}","method":"m","id":"a\"b"}}"#)),
        ] {
            let bytes = given.len();
            let short = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{TOO_LARGE}\",\"params\":{{\"bytes\":{bytes}}}}}\n"
            );
            assert_eq!(through(&format!("{given}\n{{}}\n")), format!("{short}{{}}\n"), "{given}");
            serde_json::from_str::<serde_json::Value>(&short).unwrap();
        }
    }

    #[test]
    fn what_wants_no_answer_gets_none_and_what_is_no_message_is_refused_as_one() {
        let long = "y".repeat(80);
        for (given, out) in [
            (format!(r#"{{"method":"notifications/x","params":"{long}"}}"#), ""),
            (format!(r#"{{"method":"m","id":null,"params":"{long}"}}"#), ""),
            (format!(r#"{{"method":"m","id":"{}","params":1}}"#, "z".repeat(400)), ""),
            (long.clone(), "{}"),
            (format!("[[[{long}"), "{}"),
        ] {
            assert_eq!(through(&format!("{given}\n")), format!("{out}\n"), "{given}");
        }
    }
}
