//! Writes new text for a file: nothing in it can pass for a heading, a field, a comment or the end of one.

use super::super::entry::BankFile;
use super::super::field::{Field, Label, Style};
use super::super::seen::Observed;
use super::super::terms;
use super::draft::is_field;
use super::{LINE_CHARS_MAX, NewEntry, label};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

/// The first lines of a new file.
pub(super) fn title(kind: BankFile, line_break: &str) -> String {
    let title = match kind {
        BankFile::AntiPattern => "# Anti-Patterns",
        BankFile::Heuristic => "# Heuristics",
        BankFile::Pattern => "# Patterns",
    };
    format!("{title}{line_break}")
}

/// A name that stays one heading.
pub(super) fn heading(name: &str, chars_max: usize) -> String {
    let line = one_line(name, chars_max).replace("<!--", "").replace(['\u{26a0}', '\u{fe0f}'], "");
    let bare = line.trim_matches(['#', ' ', '*']);
    let (bare, _) = super::super::entry::without_kind(bare);
    bare.to_owned()
}

/// The lines of a new entry.
pub(super) fn lines_of(entry: &NewEntry, name: &str, text: &str, level: u8, kind_told: bool) -> Vec<String> {
    let marks = "#".repeat(usize::from(level));
    let kind = if kind_told { format!("{}: ", entry.kind.title()) } else { String::new() };
    let mut lines = vec![format!("{marks} {kind}{name}")];
    lines.extend(text.lines().map(str::to_owned));
    let mut field = |of: Label, value: &str| {
        let value = one_line(value, LINE_CHARS_MAX);
        if !value.is_empty() {
            lines.push(Style::USUAL.line(0, label(entry.kind, of), &value));
        }
    };
    field(Label::Provenance, &entry.provenance);
    field(Label::Confidence, &entry.confidence);
    if entry.kind.grows_stale() {
        let seen = Observed::read(&entry.provenance);
        if let Some(named) = seen.features.first() {
            field(Label::LastObserved, &format!("Feature #{}", named.id));
        }
        field(Label::Count, "1");
    }
    lines
}

/// More than an entry should say; a text that is read for every feature is short.
const LINES_MAX: usize = 60;
const TEXT_CHARS_MAX: usize = 4_000;

/// A text in which no line is a heading, a field, a fence or a comment.
pub(super) fn harmless(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut chars = 0;
    for line in text.trim().lines().take(LINES_MAX) {
        let line: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let line = line.replace("<!--", "< !--").replace('\u{26a0}', "").trim_end().to_owned();
        chars += line.chars().count() + 1;
        if chars > TEXT_CHARS_MAX {
            break;
        }
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        // Without its marks, what stood after them begins the line.
        let line = if fence { line.trim_matches(['`', '~', ' ', '\t']).to_owned() } else { line };
        let bare = line.trim_start();
        let safe = match bare {
            _ if bare.starts_with('#') => line.replacen('#', "\\#", 1),
            _ if is_field(&line) => no_label(&line),
            // A line of dashes or equals signs would make the one above it a heading.
            _ if !bare.is_empty() && bare.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' ')) => {
                String::new()
            }
            _ => line,
        };
        out.push(safe);
    }
    // Next to fields, any item with a label would count as one of them.
    let says = |line: &String| !line.trim().is_empty();
    let ends = [out.iter().position(says), out.iter().rposition(says)];
    for at in ends.into_iter().flatten().filter(|at| Field::read(&out[*at]).is_some()).collect::<Vec<_>>() {
        out[at] = no_label(&out[at]);
    }
    out.join("\n").trim_matches(['\n', ' ']).to_owned()
}

/// A line that looks the same on the rendered page but has no label.
fn no_label(line: &str) -> String {
    line.replacen(':', "\\:", 1)
}

/// How many words a challenge must add to those of the entry itself.
const NEW_TERMS_MIN: usize = 4;

/// Whether a challenge says what contradicts an entry: it names a file, an id or a quote, or says enough that is not in
/// the entry itself.
pub fn is_specific(challenge: &str, entry: &str) -> bool {
    const WORDS_MIN: usize = 4;
    let challenge = one_line(challenge, LINE_CHARS_MAX);
    if challenge.split_whitespace().count() < WORDS_MIN {
        return false;
    }
    let quoted = |mark: char| challenge.matches(mark).count() >= 2;
    let names = !terms::paths(&challenge).is_empty()
        || quoted('`')
        || quoted('"')
        || challenge.contains('“')
        || challenge.split(|c: char| !c.is_alphanumeric() && c != '-').any(is_id);
    let known = terms::terms(entry);
    let stock = terms::terms(
        "contradicted contradicts contradiction contradictory entry wrong true experience opposite challenged observed advice guidance lesson",
    );
    let new =
        terms::terms(&challenge).into_iter().filter(|term| !known.contains(term) && !stock.contains(term));
    names || new.count() >= NEW_TERMS_MIN
}

/// `S3`, `AC-12`, `FR-3`: capitals, then a number.
fn is_id(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = word[letters..].trim_start_matches('-');
    (1..=4).contains(&letters) && !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
}
