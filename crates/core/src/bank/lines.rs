//! The lines of a file and what each is: text, code between fences, or part of an HTML comment.
//!
//! A fence or a comment that is never closed is taken as an ordinary line: a slip must not hide every entry after it.

use crate::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Text,
    Code,
    Comment,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// With its line break.
    pub(super) whole: &'a str,
    pub(super) what: What,
}

impl<'a> Line<'a> {
    /// Without its line break.
    pub(super) fn bare(&self) -> &'a str {
        self.whole.trim_end_matches(['\n', '\r'])
    }

    pub(super) fn is_blank(&self) -> bool {
        self.whole.trim().is_empty()
    }

    /// `---` and its like, which stand between entries.
    pub(super) fn is_rule(&self) -> bool {
        const LENGTH_MIN: usize = 3;
        let mut marks = self.whole.chars().filter(|c| !c.is_whitespace());
        let Some(mark) = marks.next().filter(|mark| matches!(mark, '-' | '*' | '_')) else { return false };
        let others = marks.try_fold(1, |count, other| (other == mark).then_some(count + 1));
        self.what == What::Text && others.is_some_and(|count| count >= LENGTH_MIN)
    }
}

pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> =
        text.split_inclusive('\n').map(|whole| Line { whole, what: What::Text }).collect();
    // The shortest fence of each kind that is known to have no end in what follows.
    let mut endless: [usize; 2] = [usize::MAX; 2];
    let mut comments_end = true;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].whole;
        if let Some((tilde, length)) = opening(line) {
            let kind = usize::from(tilde);
            let closes = |line: &Line<'_>| is_closing(line.whole, tilde, length);
            let end = (length < endless[kind]).then(|| lines[at + 1..].iter().position(closes)).flatten();
            match end {
                Some(end) => {
                    lines[at..=at + 1 + end].iter_mut().for_each(|line| line.what = What::Code);
                    at += end + 2;
                    continue;
                }
                None => endless[kind] = endless[kind].min(length),
            }
        } else if let Some(start) = unclosed_comment(line).filter(|_| comments_end) {
            let Some(end) = lines[at + 1..].iter().position(|line| line.whole.contains("-->")) else {
                comments_end = false;
                at += 1;
                continue;
            };
            let first = if line[..start].trim().is_empty() { at } else { at + 1 };
            lines[first..=at + 1 + end].iter_mut().for_each(|line| line.what = What::Comment);
            at += end + 2;
            continue;
        } else if is_comment(line) {
            lines[at].what = What::Comment;
        }
        at += 1;
    }
    lines
}

/// A line that opens a fenced block: whether with tildes, and how long the fence is.
fn opening(line: &str) -> Option<(bool, usize)> {
    const LENGTH_MIN: usize = 3;
    let text = line.trim();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let label = text.trim_start_matches(mark);
    let length = text.len() - label.len();
    let inline = mark == '`' && label.contains('`');
    (length >= LENGTH_MIN && !inline).then_some((mark == '~', length))
}

fn is_closing(line: &str, tilde: bool, length: usize) -> bool {
    let text = line.trim();
    let mark = if tilde { '~' } else { '`' };
    text.len() >= length && text.chars().all(|c| c == mark)
}

/// Where a comment begins that does not end in this line. What stands in backticks is spoken about.
fn unclosed_comment(line: &str) -> Option<usize> {
    let start = line.rfind("<!--")?;
    let spoken_about = line[..start].matches('`').count() % 2 == 1;
    (!spoken_about && !line[start..].contains("-->")).then_some(start)
}

/// Nothing but a comment.
fn is_comment(line: &str) -> bool {
    let text = line.trim();
    text.starts_with("<!--") && text.find("-->").is_some_and(|end| end + 3 == text.len())
}
