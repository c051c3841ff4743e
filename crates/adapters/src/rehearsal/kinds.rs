//! What a line of Markdown is, told from the line and, for fences and comments, from those before it.
//!
//! Knows lines, not sections. Start at [`Reader::kind_of`].

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Heading,
    /// A list item: how far it is indented and at which byte its text starts.
    Item {
        indent: usize,
        text: usize,
    },
    /// A row of a table.
    Row,
    /// The line of dashes below a table's head.
    Divider,
    Text,
    /// Inside a fence, a comment or front matter.
    Code,
}

/// Tells the kinds of the lines of one text, in order.
pub(super) struct Reader(Opaque);

impl Reader {
    pub(super) fn of(text: &str) -> Self {
        Reader(Opaque::at_start(text))
    }

    pub(super) fn kind_of(&mut self, raw: &str) -> Kind {
        if self.0.takes(raw) { Kind::Code } else { kind_of(raw) }
    }
}

/// What is no prose over several lines: fences, comments, front matter.
enum Opaque {
    No,
    Fence(char, usize),
    Comment,
    FrontMatter { opened: bool },
}

impl Opaque {
    fn at_start(text: &str) -> Self {
        let mut lines = text.lines();
        let opens = lines.next().is_some_and(|line| line.trim_end() == "---");
        let closes = lines.any(|line| line.trim_end() == "---");
        if opens && closes { Opaque::FrontMatter { opened: false } } else { Opaque::No }
    }

    /// Whether this line is inside, given all lines before it.
    fn takes(&mut self, raw: &str) -> bool {
        let line = raw.trim();
        match self {
            Opaque::FrontMatter { opened } if *opened && line == "---" => *self = Opaque::No,
            Opaque::FrontMatter { opened } => *opened = true,
            Opaque::Comment if line.contains("-->") => *self = Opaque::No,
            Opaque::Comment => {}
            Opaque::Fence(mark, length) => {
                let closing = line.chars().all(|c| c == *mark) && line.chars().count() >= *length;
                if closing && !line.is_empty() {
                    *self = Opaque::No;
                }
            }
            Opaque::No => {
                if let Some(fence) = fence_of(line) {
                    *self = fence;
                } else if line.starts_with("<!--") {
                    if !line.contains("-->") {
                        *self = Opaque::Comment;
                    }
                } else {
                    return false;
                }
            }
        }
        true
    }
}

fn fence_of(line: &str) -> Option<Opaque> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let label = &line[length..];
    (length >= 3 && !(mark == '`' && label.contains('`'))).then_some(Opaque::Fence(mark, length))
}

fn kind_of(raw: &str) -> Kind {
    let line = raw.trim();
    if line.is_empty() {
        return Kind::Blank;
    }
    let level = hashes(raw);
    if (1..=6).contains(&level) && line[usize::from(level)..].starts_with([' ', '\t']) {
        return Kind::Heading;
    }
    if line.contains('-') && line.contains('|') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) {
        return Kind::Divider;
    }
    if line.starts_with('|') && line.len() > 1 {
        return Kind::Row;
    }
    item(raw).unwrap_or(Kind::Text)
}

pub(super) fn hashes(raw: &str) -> u8 {
    let count = raw.trim_start().bytes().take_while(|b| *b == b'#').count();
    u8::try_from(count).unwrap_or(u8::MAX)
}

fn item(raw: &str) -> Option<Kind> {
    let indent = depth(raw);
    let start = raw.len() - raw.trim_start().len();
    let line = &raw[start..];
    let marker = match line.as_bytes().first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            matches!(line.as_bytes().get(digits), Some(b'.' | b')')).then_some(digits + 1)?
        }
        _ => return None,
    };
    let rest = &line[marker..];
    let gap = rest.len() - rest.trim_start().len();
    if gap == 0 || rest.trim().is_empty() {
        return None;
    }
    let mut text = start + marker + gap;
    for tick in ["[ ] ", "[x] ", "[X] "] {
        if raw[text..].starts_with(tick) {
            text += tick.len();
        }
    }
    Some(Kind::Item { indent, text })
}

pub(super) fn depth(raw: &str) -> usize {
    raw.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}
