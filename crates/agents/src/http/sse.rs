//! Splits a byte stream into server-sent events. It knows their form and nothing of what is in them.

/// Collects bytes until events are whole.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// The bytes of a line that has not ended yet.
    line: Vec<u8>,
    name: String,
    data: Vec<u8>,
    has_data: bool,
    /// Whether the last line ended in a carriage return, whose line feed may come in the next piece.
    after_return: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// Empty where the stream names none.
    pub(crate) name: String,
    pub(crate) data: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadStream {
    #[error("an event is larger than {EVENT_BYTES_MAX} bytes")]
    TooLarge,
    #[error("an event is not UTF-8")]
    NotText,
}

/// The last event of some protocols repeats the whole answer.
pub(crate) const EVENT_BYTES_MAX: usize = 8 * 1024 * 1024;

impl Events {
    /// Takes the next bytes and returns the events they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, BadStream> {
        let mut events = Vec::new();
        for &byte in bytes {
            let is_second_half = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            match byte {
                b'\n' if is_second_half => {}
                b'\n' | b'\r' => events.extend(self.end_line()?),
                _ if self.line.len() + self.data.len() >= EVENT_BYTES_MAX => return Err(BadStream::TooLarge),
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Result<Option<Event>, BadStream> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.dispatch();
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, rest) = line.split_at(colon);
        let value = rest.strip_prefix(b":").unwrap_or(rest);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            // A comment, an id or a field of a later version.
            _ => {}
        }
        Ok(None)
    }

    /// An empty line ends an event; one without data is none.
    fn dispatch(&mut self) -> Result<Option<Event>, BadStream> {
        let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
        if !std::mem::take(&mut self.has_data) {
            return Ok(None);
        }
        let data = String::from_utf8(data).map_err(|_| BadStream::NotText)?;
        Ok(Some(Event { name, data }))
    }
}
