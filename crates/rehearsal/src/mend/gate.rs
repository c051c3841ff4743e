//! Mends what a gate found: placeholders, left-over conflict markers, an open fence, a missing heading.

use super::Mended;
use crate::document::{Document, Kind};
use crate::edit::insert_after;
use crate::ids::leading;
use crate::measures::measures;
use crate::pace::{Pace, Stopped};
use crate::units::fixed_unit;
use std::collections::BTreeMap;
use std::ops::Range;

/// Placeholders of one line that are dealt with in one go; a line with more was written by a machine.
const LINE_GAPS_MAX: usize = 200;

/// What changed, one note each; none when there was nothing to mend.
pub(crate) fn mend_gate(text: &str, pace: &Pace<'_>) -> Result<Option<Mended>, Stopped> {
    let mut notes = Vec::new();
    let text = without_markers(text, &mut notes);
    let mut text = without_placeholders(&text, &mut notes, pace)?;
    for mend in [open_fence, no_heading] {
        if let Some(mended) = mend(&text, pace)? {
            text = mended.text;
            notes.push(mended.note);
        }
    }
    Ok((!notes.is_empty()).then(|| Mended { text, note: notes_shown(&notes) }))
}

/// A summary nobody can read helps nobody: the first ones and how many there are.
fn notes_shown(notes: &[String]) -> String {
    const NOTES_MAX: usize = 20;
    let more = notes.len().saturating_sub(NOTES_MAX);
    let shown = notes[..notes.len() - more].join("; ");
    if more == 0 { shown } else { format!("{shown}; and {more} more of the kind") }
}

/// Both sides of a conflict are kept; a reviewer will see what contradicts.
fn without_markers(text: &str, notes: &mut Vec<String>) -> String {
    let outer = |line: &str| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>");
    let inner = |line: &str| line.starts_with("|||||||") || line.trim_end() == "=======";
    let conflict = text.lines().any(outer);
    let mut kept = String::with_capacity(text.len());
    for (at, line) in text.split_inclusive('\n').enumerate() {
        if outer(line) || line.starts_with("|||||||") || (conflict && inner(line)) {
            notes.push(format!("took the conflict marker out of line {}", at + 1));
        } else {
            kept.push_str(line);
        }
    }
    kept
}

/// Each placeholder filled in or taken out, line by line.
fn without_placeholders(text: &str, notes: &mut Vec<String>, pace: &Pace<'_>) -> Result<String, Stopped> {
    let document = Document::parse(text, pace)?;
    let mut values = Values::default();
    let mut out = String::with_capacity(text.len());
    for (line, whole) in text.split_inclusive('\n').enumerate() {
        pace.step()?;
        let (raw, ending) = whole.split_at(document.lines[line].raw.len());
        let mut kept = Some(raw.to_owned());
        for _ in 0..LINE_GAPS_MAX {
            pace.step()?;
            let Some(old) = kept.as_deref().filter(|_| document.lines[line].kind != Kind::Code) else {
                break;
            };
            let Some(at) = find(old) else { break };
            let (new, how) = filled(&document, line, old, at, &mut values);
            notes.push(format!("line {}: {how}", line + 1));
            kept = new;
        }
        if let Some(kept) = kept {
            out.push_str(&kept);
            out.push_str(ending);
        }
    }
    Ok(out)
}

/// The line without the placeholder at `at`, or none if nothing is left of it, and what was done.
fn filled(
    document: &Document<'_>,
    line: usize,
    raw: &str,
    at: Range<usize>,
    values: &mut Values,
) -> (Option<String>, String) {
    let gap = raw[at.clone()].to_owned();
    let replaced = |at: Range<usize>, new: &str| Some(format!("{}{new}{}", &raw[..at.start], &raw[at.end..]));
    let after = raw[at.end..].trim_start();
    if let Some(value) = values.for_unit(document, after) {
        return (replaced(at, &value), format!("wrote {value} for {gap}"));
    }
    let said = match document.lines[line].kind {
        Kind::Item { text, .. } => raw.get(text..).unwrap_or_default(),
        _ => raw.trim(),
    };
    let id = leading(said).map(|mention| said[mention.at].to_owned());
    let rest = format!("{} {}", &raw[..at.start], after);
    let rest = id.as_ref().map_or(rest.clone(), |id| rest.replace(id.as_str(), " "));
    let empty = !rest.split(|c: char| !c.is_alphabetic()).any(|word| word.len() > 1);
    if empty && id.is_none() {
        let alone = document.lines.get(line.wrapping_sub(2)).is_some_and(|above| above.kind == Kind::Heading)
            && document.lines.get(line + 1).is_none_or(|below| below.kind == Kind::Blank);
        return if alone {
            (Some("None.".to_owned()), "said that there is none".to_owned())
        } else {
            (None, format!("removed the line that only said {gap}"))
        };
    }
    let inner = gap.trim_matches(['{', '}', ' ']);
    if gap.starts_with("{{") && inner.chars().any(char::is_alphabetic) {
        return (replaced(at, &inner.replace(['{', '}', '_'], " ")), format!("filled in {gap}"));
    }
    if after.starts_with(':') {
        let end = raw.len() - after.len() + 1;
        let end = end + raw[end..].len() - raw[end..].trim_start().len();
        return (replaced(at.start..end, ""), format!("took {gap} out"));
    }
    let new = if empty {
        "not part of this feature"
    } else {
        "as the owner of this feature decides (until then the narrower choice)"
    };
    (replaced(at, new), format!("wrote a default for {gap}"))
}

/// Where a line holds a placeholder.
fn find(raw: &str) -> Option<Range<usize>> {
    for word in ["TBD", "TODO", "FIXME"] {
        let whole = raw.match_indices(word).find(|(at, _)| {
            let before = raw[..*at].chars().next_back();
            let after = raw[at + word.len()..].chars().next();
            ![before, after].into_iter().flatten().any(|c| c.is_alphanumeric() || c == '_')
        });
        if let Some((at, _)) = whole {
            return Some(at..at + word.len());
        }
    }
    if let Some(at) = raw.find("???") {
        return Some(at..at + raw[at..].bytes().take_while(|b| *b == b'?').count());
    }
    if let Some(at) = raw.find("[NEEDS CLARIFICATION") {
        return Some(at..raw[at..].find(']').map_or(raw.len(), |end| at + end + 1));
    }
    let open = raw.find("{{")?;
    raw[open..].find("}}").map(|end| open..open + end + 2)
}

/// The first number a document gives for each unit, read when one is first asked for.
#[derive(Default)]
struct Values(Option<BTreeMap<String, String>>);

impl Values {
    /// A number for the unit that follows a gap; none where no unit follows.
    fn for_unit(&mut self, document: &Document<'_>, after: &str) -> Option<String> {
        const USUAL: &str = "30";
        let unit = after.split_whitespace().next()?.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
        let known = fixed_unit(unit).is_some_and(|(kind, _)| ["time", "size", "percent"].contains(&kind))
            || ["attempts", "times", "items", "characters"].contains(&unit);
        if !known {
            return None;
        }
        let first = self.0.get_or_insert_with(|| first_numbers(document));
        Some(first.get(unit).cloned().unwrap_or_else(|| USUAL.to_owned()))
    }
}

fn first_numbers(document: &Document<'_>) -> BTreeMap<String, String> {
    let mut first = BTreeMap::new();
    for line in &document.lines {
        for measure in measures(&line.prose) {
            let phrase = &line.raw[measure.at];
            let digits = |c: &char| c.is_ascii_digit() || matches!(c, '.' | ',');
            let number: String = phrase.chars().take_while(digits).collect();
            let unit: String =
                phrase.chars().rev().take_while(|c| c.is_alphanumeric() || *c == '%').collect();
            let unit: String = unit.chars().rev().collect();
            let unit = unit.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
            if !number.is_empty() {
                first.entry(unit).or_insert(number);
            }
        }
    }
    first
}

fn open_fence(text: &str, _pace: &Pace<'_>) -> Result<Option<Mended>, Stopped> {
    let mut open: Option<(char, usize)> = None;
    for line in text.lines().map(str::trim) {
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = mark.map_or(0, |mark| line.chars().take_while(|c| *c == mark).count());
        match (open, mark) {
            (None, Some(mark)) if length >= 3 && !line[length..].contains(mark) => {
                open = Some((mark, length))
            }
            (Some((was, least)), Some(mark))
                if was == mark && length >= least && line[length..].is_empty() =>
            {
                open = None
            }
            _ => {}
        }
    }
    let Some((mark, length)) = open else { return Ok(None) };
    let fence = mark.to_string().repeat(length);
    let last = text.lines().count().checked_sub(1);
    let text = insert_after(text, last, &[fence]);
    Ok(Some(Mended { text, note: "closed the last code fence".to_owned() }))
}

fn no_heading(text: &str, pace: &Pace<'_>) -> Result<Option<Mended>, Stopped> {
    let none = Document::parse(text, pace)?.headings.iter().all(|heading| heading.level > 6)
        && !text.trim().is_empty();
    let title = ["# Specification".to_owned(), String::new()];
    let text = none.then(|| insert_after(text, None, &title));
    Ok(text.map(|text| Mended { text, note: "gave the document a heading".to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str) {
        let mended = mend_gate(old, &Pace::calm()).unwrap().map(|mended| mended.text);
        assert_eq!(mended.as_deref(), Some(new), "{old}");
    }

    #[test]
    fn placeholders_are_filled_or_removed() {
        check("# A\n\n- one\n- TBD\n", "# A\n\n- one\n");
        check("# A\n\nTBD\n\n## B\n", "# A\n\nNone.\n\n## B\n");
        check(
            "# A\n\nThe timeout is 20 seconds.\n\nIt ends after TBD seconds.\n",
            "# A\n\nThe timeout is 20 seconds.\n\nIt ends after 20 seconds.\n",
        );
        check("# A\n\n- TODO: name the format\n", "# A\n\n- name the format\n");
        check("# A\n\nHello {{user_name}}!\n", "# A\n\nHello user name!\n");
        check("# A\n\n- **R3**: TBD\n", "# A\n\n- **R3**: not part of this feature\n");
        check(
            "# A\n\nRoles are ??? here.\n",
            "# A\n\nRoles are as the owner of this feature decides (until then the narrower choice) here.\n",
        );
    }

    #[test]
    fn markers_fences_and_headings_are_mended() {
        check("# A\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n", "# A\nx\ny\n");
        check("# A\n\n```\ncode\n", "# A\n\n```\ncode\n```\n");
        check("words\n", "# Specification\n\nwords\n");
    }

    #[test]
    fn code_and_ordinary_words_are_left_alone() {
        for text in ["# A\n\n```\nTODO\n```\n", "# A\n\nThe TODOs list and a_TBD_name.\n", "A\n===\n\nx\n"] {
            assert!(mend_gate(text, &Pace::calm()).unwrap().is_none(), "{text}");
        }
    }
}
