//! Text as it is shown: harmless, coloured and wrapped.

use crate::colour::painted;
use crate::wrap::wrapped;
use redraft_facts::harmless;

/// A text that may be written to a terminal.
pub(super) struct Shown(pub(super) String);

impl Shown {
    /// Colours come last, so that no text can bring its own.
    pub(super) fn text(outside: &str, colours: bool) -> Shown {
        let harmless = harmless::text(outside);
        Shown(if colours { painted(&harmless) } else { harmless.into_owned() })
    }

    /// The same with lines that fit into these columns.
    pub(super) fn wrapped(outside: &str, columns: Option<usize>, colours: bool) -> Shown {
        match columns {
            Some(columns) => Shown::text(&wrapped(&harmless::text(outside), columns), colours),
            None => Shown::text(outside, colours),
        }
    }

    pub(super) fn json(written: &str) -> Shown {
        Shown(harmless::json(written).into_owned())
    }
}

/// A message whose further lines, which may be somebody else's words, cannot be taken for lines of ours. A line of a
/// configuration stays as it is: it is meant to be copied, and looks like nothing that we print.
pub fn beneath(message: &str) -> String {
    let mut lines = message.trim_end().split('\n');
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let bar = if is_setting(line) { "" } else { "    | " };
        text.push_str(&format!("\n{bar}{line}"));
    }
    text
}

/// Whether a line is an indented `[table]` or `key = value`.
fn is_setting(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("  ") else { return false };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.\"".contains(letter);
    let key = rest.trim_start().trim_start_matches('[');
    let after = key.trim_start_matches(plain);
    after.len() < key.len() && (after.starts_with(" = ") || after == "]")
}
