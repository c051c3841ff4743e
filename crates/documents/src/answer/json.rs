//! A forgiving JSON reader: finds objects in whatever text surrounds them.
//!
//! It knows JSON and the usual slips (trailing commas, raw line breaks in strings, unknown escapes, `True`), and
//! nothing about verdicts. Start reading at [`last_object_with`].
//!
//! Time is linear in the text. Each failed attempt resumes where it got stuck, or inside the last string it read,
//! because a stray quote may have swallowed the start of a real object. An object that starts inside that string
//! needs a quote to get anywhere, and the next quote is the string's own end; so no byte is read more than a
//! few times.

use core::ops::Range;
use redraft_facts::prelude::*;
use serde_json::{Map, Number, Value};

/// Deeper nesting is not read as one object; what lies deeper is still found by itself.
const DEPTH_MAX: usize = 64;

/// The objects of a text that hold a wanted key.
#[derive(Debug, Default)]
pub struct FoundObjects {
    /// The last one.
    pub last: Option<Map<String, Value>>,
    pub count: usize,
    /// Whether an object that holds the key was begun but could not be read to its end.
    pub broken: bool,
    /// Where the last one stands in the text, if it is no part of another object or list.
    pub span: Option<Range<usize>>,
    /// A key that some object of the text has twice, with different values; the last one was read.
    pub repeated: Option<String>,
}

/// Looks through the outermost objects of a text. One without the key, or one that cannot be read to its end, may
/// wrap one that has it.
pub fn last_object_with(wanted: &str, text: &str) -> FoundObjects {
    let mut reader =
        Reader { text, at: 0, string_at: None, wanted, stranded: FoundObjects::default(), repeated: None };
    let mut found = FoundObjects::default();
    while let Some(start) = text.get(reader.at..).and_then(|rest| rest.find('{')).map(|gap| reader.at + gap) {
        reader.at = start;
        reader.string_at = None;
        match reader.object(0) {
            Some(object) => {
                let own = object.contains_key(wanted).then_some(start..reader.at);
                let before = found.count;
                found.search(Value::Object(object), wanted);
                found.span = if found.count > before { own } else { found.span };
            }
            None => {
                let stuck = reader.string_at.map_or(reader.at, |string| reader.at.min(string + 1));
                reader.at = stuck.max(start + 1);
            }
        }
        found.follow(core::mem::take(&mut reader.stranded));
    }
    found.repeated = reader.repeated;
    found
}

impl FoundObjects {
    fn search(&mut self, value: Value, wanted: &str) {
        let mut left = vec![value];
        while let Some(value) = left.pop() {
            match value {
                Value::Object(object) if object.contains_key(wanted) => {
                    self.count += 1;
                    self.last = Some(object);
                }
                // Popped from the end, hence reversed: of a list of objects the last one is seen last.
                Value::Object(object) => left.extend(object.into_iter().map(|(_, value)| value).rev()),
                Value::Array(items) => left.extend(items.into_iter().rev()),
                _ => {}
            }
        }
    }

    /// Adds what stands later in the text.
    fn follow(&mut self, later: FoundObjects) {
        self.count += later.count;
        self.broken |= later.broken;
        if later.last.is_some() {
            self.last = later.last;
            self.span = later.span;
        }
    }
}

/// Reads forward only. `None` from any method means stuck at `at`.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Where the last string of this attempt began.
    string_at: Option<usize>,
    wanted: &'a str,
    /// Whole objects inside one that could not be read to its end.
    stranded: FoundObjects,
    /// A key that came twice.
    repeated: Option<String>,
}

impl Reader<'_> {
    fn object(&mut self, depth: usize) -> Option<Map<String, Value>> {
        let mut members = Map::new();
        if self.members(&mut members, depth).is_some() {
            return Some(members);
        }
        if members.contains_key(self.wanted) {
            self.stranded.broken = true;
        } else {
            self.strand(Value::Object(members));
        }
        None
    }

    /// Keeps what a failed object or list had read. The innermost fails first and stands last in the text.
    fn strand(&mut self, value: Value) {
        let mut found = FoundObjects::default();
        found.search(value, self.wanted);
        found.follow(core::mem::take(&mut self.stranded));
        self.stranded = found;
    }

    fn members(&mut self, members: &mut Map<String, Value>, depth: usize) -> Option<()> {
        self.at += 1;
        loop {
            match self.next_mark()? {
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                b'"' => {}
                _ => return None,
            }
            let key = self.string()?;
            if self.next_mark()? != b':' {
                return None;
            }
            self.at += 1;
            let Some(value) = self.value(depth) else {
                self.stranded.broken |= key == self.wanted;
                return None;
            };
            if members.get(&key).is_some_and(|earlier| *earlier != value) {
                self.repeated.get_or_insert_with(|| key.clone());
            }
            members.insert(key, value);
            if self.closes(b'}')? {
                return Some(());
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Vec<Value>> {
        let mut items = Vec::new();
        if self.items(&mut items, depth).is_some() {
            return Some(items);
        }
        self.strand(Value::Array(items));
        None
    }

    fn items(&mut self, items: &mut Vec<Value>, depth: usize) -> Option<()> {
        self.at += 1;
        loop {
            if self.next_mark()? == b']' {
                self.at += 1;
                return Some(());
            }
            items.push(self.value(depth)?);
            if self.closes(b']')? {
                return Some(());
            }
        }
    }

    /// After a value: takes the closing mark (true) or a comma (false).
    fn closes(&mut self, mark: u8) -> Option<bool> {
        let next = self.next_mark()?;
        if next != mark && next != b',' {
            return None;
        }
        self.at += 1;
        Some(next == mark)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        let deeper = depth + 1;
        match self.next_mark()? {
            b'{' if deeper < DEPTH_MAX => self.object(deeper).map(Value::Object),
            b'[' if deeper < DEPTH_MAX => self.array(deeper).map(Value::Array),
            b'"' => self.string().map(Value::String),
            b'-' | b'+' | b'0'..=b'9' => self.number(),
            _ => self.word(),
        }
    }

    /// The words of JSON, and Python's spelling of them.
    fn word(&mut self) -> Option<Value> {
        const WORDS: [(&str, Value); 4] = [
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::Null),
            ("none", Value::Null),
        ];
        let rest = self.text.get(self.at..)?;
        for (word, value) in WORDS {
            if rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)) {
                self.at += word.len();
                return Some(value);
            }
        }
        None
    }

    fn number(&mut self) -> Option<Value> {
        let rest = self.text.get(self.at..)?;
        let digits = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let end = rest.find(|c| !digits(c)).unwrap_or(rest.len());
        let token = rest.get(..end)?;
        let number = match (token.parse::<u64>(), token.parse::<i64>()) {
            (Ok(number), _) => Number::from(number),
            (_, Ok(number)) => Number::from(number),
            _ => Number::from_f64(token.parse().ok()?)?,
        };
        self.at += end;
        Some(Value::Number(number))
    }

    fn string(&mut self) -> Option<String> {
        self.string_at = Some(self.at);
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.text.get(self.at..)?;
            let Some(stop) = rest.find(['"', '\\']) else {
                self.at = self.text.len();
                return None;
            };
            out.push_str(rest.get(..stop)?);
            self.at += stop;
            if rest.as_bytes().get(stop) == Some(&b'"') {
                self.at += 1;
                return Some(out);
            }
            self.escape(&mut out);
        }
    }

    /// Takes a backslash and what it stands for. One that stands for nothing is kept as it is: agents write
    /// patterns like `\d` without doubling it.
    fn escape(&mut self, out: &mut String) {
        let c = match self.text.as_bytes().get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'u') if self.hex4(self.at + 2).is_some() => {
                out.push(self.unicode());
                return;
            }
            _ => {
                out.push('\\');
                self.at += 1;
                return;
            }
        };
        out.push(c);
        self.at += 2;
    }

    /// Takes `\uXXXX`, and the second half of a pair with it. Half a pair becomes the replacement character.
    fn unicode(&mut self) -> char {
        let first = self.hex4(self.at + 2).unwrap_or(0xFFFD);
        self.at += 6;
        let follows = self.text.get(self.at..).is_some_and(|rest| rest.starts_with("\\u"));
        if let (0xD800..=0xDBFF, true, Some(second @ 0xDC00..=0xDFFF)) =
            (first, follows, self.hex4(self.at + 2))
        {
            self.at += 6;
            let joined = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            return char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        u32::from_str_radix(digits, 16).ok()
    }

    /// The next byte that is not white space, left where it is.
    fn next_mark(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }
}
