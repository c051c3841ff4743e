//! A task comes before the one it depends on.

use super::edit::Edit;
use super::shape::{Shape, has_any};
use core::ops::Range;
use redraft_facts::prelude::*;

/// A chapter about one step or task.
struct Step<'a> {
    lines: Range<usize>,
    level: u8,
    /// `2.1` of `### Task 2.1: Title`.
    number: &'a str,
}

pub(super) fn broken(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let steps = steps(&shape);
    let mut edits = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let Some(earlier) = at.checked_sub(1).map(|before| &steps[before]) else { continue };
        if earlier.level != step.level || earlier.lines.end != step.lines.start {
            continue;
        }
        let depends = step.lines.clone().map(|at| shape.line(at)).find(|line| {
            has_any(line, &["depends on", "after task", "after step", "requires task", "requires step"])
                && numbers(line).contains(&earlier.number)
        });
        if depends.is_none() {
            continue;
        }
        let lines =
            |range: &Range<usize>| range.clone().map(|at| shape.line(at).to_owned()).collect::<Vec<_>>();
        edits.push(Edit {
            lines: earlier.lines.start..step.lines.end,
            new: [lines(&step.lines), lines(&earlier.lines)].concat(),
            words: vec![vec![step.number.to_owned()], vec![earlier.number.to_owned()]],
            what: format!("{} comes before {}, which it depends on", step.number, earlier.number),
        });
    }
    edits
}

fn steps<'a>(shape: &Shape<'a>) -> Vec<Step<'a>> {
    let headings = &shape.page.headings;
    let mut steps = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        let title = heading.title;
        let Some(number) = numbers(title).first().copied() else { continue };
        if !has_any(title, &["task", "step"]) {
            continue;
        }
        let next = headings[at + 1..].iter().find(|next| next.level <= heading.level);
        let end = next.map_or(shape.page.lines.len(), |next| next.line);
        steps.push(Step { lines: heading.line..end, level: heading.level, number });
    }
    steps
}

/// Numbers such as `3` and `2.1`.
fn numbers(text: &str) -> Vec<&str> {
    let words =
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').map(|word| word.trim_matches('.'));
    words.filter(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == '.')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_put_before_the_one_it_depends_on() {
        let text = "# Tasks\n\n### Task 1.1: Store\n\n- text\n\n### Task 1.2: Read\n\n- **Depends on:** Task 1.1\n\n## End\n";
        let edits = broken(text);
        assert_eq!(edits.len(), 1);
        assert_eq!(edits[0].lines, 2..10);
        assert_eq!(edits[0].new[0], "### Task 1.2: Read");
        assert_eq!(edits[0].words, [["1.2"], ["1.1"]]);
    }
}
