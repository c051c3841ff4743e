//! The lines of one entry, to be changed one by one.

use super::super::field::{Field, Label, Style};
use super::super::lines::{Line, What, lines};
use super::super::mark::{stale_mark, without_mark};
use super::super::reader::{Placed, fields_of, text_lines, value};
use super::super::seen::Observed;
use redraft_facts::ids::FeatureId;
use redraft_facts::prelude::*;

/// An entry's own bytes; not parsed until something is to change.
pub(super) struct Draft {
    text: String,
    line_break: &'static str,
}

impl Draft {
    pub(super) fn from_lines(lines: &[Line<'_>], line_break: &'static str) -> Draft {
        let mut text = String::with_capacity(lines.iter().map(|line| line.whole.len()).sum());
        lines.iter().for_each(|line| text.push_str(line.whole));
        let own = match lines.first() {
            Some(first) if first.whole.ends_with("\r\n") => "\r\n",
            Some(first) if first.whole.ends_with('\n') => "\n",
            _ => line_break,
        };
        Draft { text, line_break: own }
    }

    pub(super) fn new(lines: &[String], line_break: &'static str) -> Draft {
        let mut text = lines.join(line_break);
        text.push_str(line_break);
        Draft { text, line_break }
    }

    pub(super) fn write(&self, text: &mut String) {
        text.push_str(&self.text);
    }

    pub(super) fn is_ended(&self) -> bool {
        self.text.ends_with('\n')
    }

    /// Ends the last line if it has no break; whether it had one.
    pub(super) fn end_line(&mut self, line_break: &str) -> bool {
        let ended = self.is_ended();
        if !ended {
            self.text.push_str(line_break);
        }
        ended
    }

    pub(super) fn leave_line_open(&mut self) {
        self.text.truncate(self.text.trim_end_matches(['\r', '\n']).len());
    }

    pub(super) fn all_text(&self) -> String {
        self.text.clone()
    }

    /// Last observed there, one observation more; nothing if it was last observed there already.
    pub(super) fn confirm(&mut self, feature: FeatureId) -> bool {
        let known = self.last_observed().is_some_and(|seen| seen.is_of(feature) && !seen.approximate);
        // A mark is removed first: what stood below its line could otherwise continue the field above it.
        let mark = self.unmark();
        if known && self.get(Label::Count).is_some() {
            return mark;
        }
        let count = self.get(Label::Count).and_then(|value| number(&value)).unwrap_or(0);
        // An entry without a count was observed once, when it was written.
        let count = if count == 0 { 1 } else { count };
        self.set(Label::LastObserved, &format!("Feature #{feature}"));
        self.set(Label::Count, &format!("{}", count.saturating_add(1)));
        true
    }

    pub(super) fn challenge(&mut self, feature: FeatureId, text: &str) -> bool {
        let mut challenges = self.all(Label::Challenged).into_iter();
        if challenges
            .any(|line| Observed::read(line.split(['—', '–']).next().unwrap_or(&line)).is_of(feature))
        {
            return false;
        }
        self.append(Label::Challenged, &format!("Feature #{feature} — {text}"));
        true
    }

    pub(super) fn keep(&mut self, observed: &str) -> bool {
        let mark = self.unmark();
        self.set(Label::LastObserved, observed) || mark
    }

    pub(super) fn update(&mut self, feature: FeatureId, text: &str) -> bool {
        let mark = self.unmark();
        let text = self.rewrite(text);
        let observed = self.set(Label::LastObserved, &format!("Feature #{feature}"));
        let count = self.set(Label::Count, "1");
        text || observed || count || mark
    }

    pub(super) fn backfill(&mut self, observed: &str) -> bool {
        let first = self.get(Label::LastObserved).is_none() && self.set(Label::LastObserved, observed);
        let second = self.get(Label::Count).is_none() && self.set(Label::Count, "1");
        first || second
    }

    fn last_observed(&self) -> Option<Observed> {
        self.get(Label::LastObserved).map(|value| Observed::read(&value))
    }

    fn get(&self, label: Label) -> Option<String> {
        self.all(label).into_iter().next()
    }

    fn all(&self, label: Label) -> Vec<String> {
        let lines = lines(&self.text);
        let placed = fields_of(&lines);
        let wanted = placed.iter().filter(|placed| placed.field.label == label);
        wanted.map(|placed| value(&lines, &placed.field, &placed.lines)).collect()
    }

    /// Gives the first field with this label another value, or adds one. Whether something changed.
    fn set(&mut self, label: Label, wanted: &str) -> bool {
        let lines = lines(&self.text);
        let placed = fields_of(&lines);
        let Some(Placed { field, lines: taken }) = placed.iter().find(|placed| placed.field.label == label)
        else {
            drop(placed);
            self.append(label, wanted);
            return true;
        };
        if value(&lines, field, taken) == wanted {
            return false;
        }
        let text = self.with(|at, line, out| {
            if at == taken.start {
                let (before, after) = (&line[..field.value.start], &line[field.value.end..]);
                let gap = if before.ends_with([' ', '\t']) { "" } else { " " };
                out.push_str(&format!("{before}{gap}{wanted}{after}"));
            } else if !taken.contains(&at) {
                out.push_str(line);
            }
        });
        self.text = text;
        true
    }

    /// Adds a field below the last one, looking like it; below the text where there is none.
    fn append(&mut self, label: Label, wanted: &str) {
        let (after, line) = {
            let lines = lines(&self.text);
            let placed = fields_of(&lines);
            // Challenges come last; other fields stay above them.
            let last = placed
                .iter()
                .rfind(|placed| label == Label::Challenged || placed.field.label != Label::Challenged);
            let last = last.or(placed.last());
            let (style, indent) =
                last.map_or((Style::USUAL, 0), |placed| (placed.field.style, placed.field.indent));
            let says = |line: &Line<'_>| !line.is_blank() && line.what != What::Comment;
            let end = lines.iter().rposition(says).unwrap_or(0);
            let after = last.map_or(end, |placed| placed.lines.end - 1);
            (after, style.line(indent, label.words(), wanted))
        };
        let line_break = self.line_break;
        let text = self.with(|at, whole, out| {
            out.push_str(whole);
            if at == after {
                let ended = whole.ends_with('\n');
                let (before, end) = if ended { ("", line_break) } else { (line_break, "") };
                out.push_str(&format!("{before}{line}{end}"));
            }
        });
        self.text = text;
    }

    /// Takes out every stale mark. Whether there was one.
    fn unmark(&mut self) -> bool {
        let codes: Vec<bool> = lines(&self.text).iter().map(|line| line.what != What::Text).collect();
        let text = self.with(|at, line, out| match stale_mark(line).filter(|_| !codes[at]) {
            Some(mark) => out.push_str(&without_mark(line, mark).unwrap_or_default()),
            None => out.push_str(line),
        });
        let changed = text != self.text;
        self.text = text;
        changed
    }

    /// Puts another text in place of everything that is neither heading, field nor comment.
    fn rewrite(&mut self, wanted: &str) -> bool {
        let lines = lines(&self.text);
        let placed = fields_of(&lines);
        let own: Vec<(usize, bool)> =
            text_lines(&lines, &placed).map(|(at, line)| (at, line.is_blank())).collect();
        let says: Vec<usize> = own.iter().filter(|(_, blank)| !blank).map(|(at, _)| *at).collect();
        let now: Vec<&str> = own.iter().map(|(at, _)| lines[*at].bare()).collect();
        if now.join("\n").trim_matches(['\n', ' ']) == wanted {
            return false;
        }
        let first = says.first().copied();
        let last = says.last().copied();
        let gone: BTreeSet<usize> = match (first, last) {
            (Some(first), Some(last)) => {
                own.iter().map(|(at, _)| *at).filter(|at| (first..=last).contains(at)).collect()
            }
            _ => BTreeSet::new(),
        };
        let line_break = self.line_break;
        let new: Vec<String> = wanted.lines().map(str::to_owned).collect();
        let at_line = first.unwrap_or(0);
        let text = self.with(|at, whole, out| {
            let put = |out: &mut String, ended: bool| {
                out.push_str(&new.join(line_break));
                out.push_str(if ended { line_break } else { "" });
            };
            match (at == at_line, first.is_some()) {
                (true, true) => put(out, whole.ends_with('\n')),
                (true, false) => {
                    out.push_str(whole);
                    out.push_str(if whole.ends_with('\n') { "" } else { line_break });
                    put(out, whole.ends_with('\n'));
                }
                (false, _) if gone.contains(&at) => {}
                (false, _) => out.push_str(whole),
            }
        });
        self.text = text;
        true
    }

    /// The text rewritten line by line.
    fn with(&self, mut each: impl FnMut(usize, &str, &mut String)) -> String {
        let mut out = String::with_capacity(self.text.len() + 64);
        for (at, line) in self.text.split_inclusive('\n').enumerate() {
            each(at, line, &mut out);
        }
        out
    }
}

fn number(value: &str) -> Option<u32> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    value[..digits].parse().ok()
}

/// Whether a line would be read as a field that means something.
pub(super) fn is_field(line: &str) -> bool {
    Field::read(line).is_some_and(|field| field.label != Label::Other)
}
