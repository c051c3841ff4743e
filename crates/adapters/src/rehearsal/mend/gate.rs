//! Mends what a gate found: placeholders, left-over conflict markers, an open fence, a missing heading.

use super::Mended;
use crate::rehearsal::document::{Document, Kind};
use crate::rehearsal::edit::{insert_after, remove_line, replace_in_line, replace_line};
use crate::rehearsal::ids::leading;
use crate::rehearsal::measures::measures;
use std::ops::Range;

/// What changed, one note each; none when there was nothing to mend.
pub(in crate::rehearsal) fn mend_gate(text: &str) -> Option<Mended> {
    let mut text = text.to_owned();
    let mut notes = Vec::new();
    // Each pass removes one defect for good, so the number of lines bounds the passes.
    for _ in 0..=text.lines().count() * 4 {
        let Some(mended) = markers(&text).or_else(|| placeholder(&text)) else { break };
        text = mended.text;
        notes.push(mended.note);
    }
    for mended in [open_fence(&text), no_heading(&text)].into_iter().flatten() {
        text = mended.text;
        notes.push(mended.note);
    }
    (!notes.is_empty()).then(|| Mended { text, note: notes.join("; ") })
}

/// Both sides of a conflict are kept; a reviewer will see what contradicts.
fn markers(text: &str) -> Option<Mended> {
    let marker = |line: &str| {
        ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| line.starts_with(mark))
            || line.trim_end() == "======="
    };
    let conflict = text.lines().any(|line| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>"));
    let (at, _) =
        text.lines().enumerate().find(|(_, line)| marker(line) && (conflict || !line.starts_with('=')))?;
    Some(Mended {
        text: remove_line(text, at),
        note: format!("took the conflict marker out of line {}", at + 1),
    })
}

fn placeholder(text: &str) -> Option<Mended> {
    let document = Document::parse(text);
    let (line, at) = (document.lines.iter().enumerate()).find_map(|(line, found)| {
        if found.kind == Kind::Code { None } else { find(found.raw).map(|at| (line, at)) }
    })?;
    let raw = document.lines[line].raw;
    let gap = raw[at.clone()].to_owned();
    let done = |text: String, how: &str| Some(Mended { text, note: format!("line {}: {how}", line + 1) });
    let after = raw[at.end..].trim_start();
    if let Some(value) = value_for(&document, after) {
        return done(replace_in_line(text, line, at, &value), &format!("wrote {value} for {gap}"));
    }
    let rest = format!("{} {}", &raw[..at.start], after);
    let empty = !document_words(&document, line, &rest);
    let defines = leading(document.said(line)).is_some();
    if empty && !defines {
        let alone = document.lines.get(line.wrapping_sub(2)).is_some_and(|above| above.kind == Kind::Heading)
            && document.lines.get(line + 1).is_none_or(|below| below.kind == Kind::Blank);
        return if alone {
            done(replace_line(text, line, "None."), "said that there is none")
        } else {
            done(remove_line(text, line), &format!("removed the line that only said {gap}"))
        };
    }
    let inner = gap.trim_matches(['{', '}', ' ']);
    if gap.starts_with("{{") && inner.chars().any(char::is_alphabetic) {
        return done(
            replace_in_line(text, line, at, &inner.replace(['{', '}', '_'], " ")),
            &format!("filled in {gap}"),
        );
    }
    if after.starts_with(':') {
        let end = raw.len() - after.len() + 1;
        let end = end + raw[end..].len() - raw[end..].trim_start().len();
        return done(replace_in_line(text, line, at.start..end, ""), &format!("took {gap} out"));
    }
    let new = if empty {
        "not part of this feature"
    } else {
        "as the owner of this feature decides (until then the narrower choice)"
    };
    done(replace_in_line(text, line, at, new), &format!("wrote a default for {gap}"))
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

/// A number that the document gives for the same unit elsewhere, where a unit follows the gap.
fn value_for(document: &Document<'_>, after: &str) -> Option<String> {
    const USUAL: &str = "30";
    let unit = after.split_whitespace().next()?.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
    let probe = format!("{USUAL} {unit}");
    let kind = measures(&probe).into_iter().next().map(|m| m.kind)?;
    let known = ["time", "size", "percent"].contains(&kind.as_str())
        || ["attempts", "times", "items", "characters"].contains(&unit);
    let same = document
        .lines
        .iter()
        .flat_map(|line| measures(&line.prose).into_iter().map(|m| line.raw[m.at].to_owned()));
    let found = same.into_iter().find_map(|phrase| {
        let number: String =
            phrase.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
        (phrase.ends_with(unit) && !number.is_empty()).then_some(number)
    });
    known.then(|| found.unwrap_or_else(|| USUAL.to_owned()))
}

/// Whether a line says anything besides its placeholder and its id.
fn document_words(document: &Document<'_>, line: usize, rest: &str) -> bool {
    let id = leading(document.said(line)).map(|m| document.said(line)[m.at].to_owned()).unwrap_or_default();
    let words = if id.is_empty() { rest.to_owned() } else { rest.replace(&id, " ") };
    words.split(|c: char| !c.is_alphabetic()).any(|word| word.len() > 1)
}

fn open_fence(text: &str) -> Option<Mended> {
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
    let (mark, length) = open?;
    let fence = mark.to_string().repeat(length);
    let last = text.lines().count().checked_sub(1);
    Some(Mended { text: insert_after(text, last, &[fence]), note: "closed the last code fence".to_owned() })
}

fn no_heading(text: &str) -> Option<Mended> {
    let none =
        Document::parse(text).headings.iter().all(|heading| heading.level > 6) && !text.trim().is_empty();
    let title = ["# Specification".to_owned(), String::new()];
    none.then(|| Mended {
        text: insert_after(text, None, &title),
        note: "gave the document a heading".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str) {
        assert_eq!(mend_gate(old).map(|mended| mended.text).as_deref(), Some(new), "{old}");
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
            assert!(mend_gate(text).is_none(), "{text}");
        }
    }
}
