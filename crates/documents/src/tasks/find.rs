//! Finds every place of a document that could begin a task.
//!
//! Nothing is decided here; `choose` does that. Start at [`candidates`].

use super::candidate::{Candidate, Claim, WORDS, begins_with_word, claimed, is_set_off};
use super::{TaskForm, bold, form, title};
use crate::page::line::{self, Item};
use crate::sections::Outline;
use crate::sections::block::end_of_item;
use crate::task_id::{self, Id, Shape};
use redraft_facts::prelude::*;

pub(super) fn candidates<'a>(outline: &Outline<'a>) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    let mut table: Option<Table> = None;
    let headings: Vec<_> = outline.sections().iter().filter(|section| section.level > 0).collect();
    let mut chapters = Chapters::default();
    // Paragraphs in bold that may be tasks, and lines where groups of those begin.
    let mut in_bold: Vec<Candidate<'a>> = Vec::new();
    let mut bold_groups: Vec<usize> = Vec::new();
    for (at, text) in outline.lines().iter().enumerate() {
        let chapter = chapters.count;
        if let Some(heading) = headings.get(chapter).filter(|heading| heading.lines.start == at) {
            chapters.next(heading.title, heading.level);
            table = None;
            let under_tasks = chapters.under_tasks(heading.level);
            found.extend(of_heading(heading.title, heading.level, at, under_tasks).map(|one| {
                let (title, end) = form::find(&headings[chapter..]).unwrap_or((one.title, heading.lines.end));
                Candidate { title, end, chapter: chapter + 1, under_tasks, ..one }
            }));
            continue;
        }
        if !outline.is_text(at) {
            continue;
        }
        let under_tasks = chapters.under_tasks(u8::MAX);
        if let Some(item) = Item::parse(text) {
            let end = || end_of_item(outline, at, item.indent);
            let one = of_item(&item, at).or_else(|| of_number(&item, at).filter(|_| chapters.lists_tasks()));
            found.extend(one.map(|one| Candidate { end: end(), chapter, under_tasks, ..one }));
        } else if let Some(one) = bold::find(text, at) {
            let end = outline.at(at).map_or(at + 1, |section| section.own.end);
            in_bold.push(Candidate { end, chapter, under_tasks, ..one });
        } else if bold::is_group(text) {
            bold_groups.push(at);
        }
        table = Table::next(table, text, at);
        if let Some(table) = table.as_ref().filter(|table| table.rows > 0) {
            let head = Some(table.head);
            found.extend(of_row(text, table.ids, at).map(|one| Candidate {
                chapter,
                under_tasks,
                head,
                ..one
            }));
        }
    }
    found.extend(bold::tasks(in_bold, &bold_groups));
    found.sort_by_key(|one| one.line);
    found
}

/// The headings above a line.
#[derive(Default)]
struct Chapters {
    /// Of all headings so far.
    count: usize,
    /// Level, and whether it only announces tasks.
    open: Vec<(u8, bool)>,
}

impl Chapters {
    fn next(&mut self, title: &str, level: u8) {
        self.count += 1;
        while self.open.pop_if(|(last, _)| *last >= level).is_some() {}
        self.open.push((level, announces_tasks(title)));
    }

    /// Whether a heading above this level does. The title of a document does not count, because it would hold for
    /// everything.
    fn under_tasks(&self, level: u8) -> bool {
        self.open.iter().any(|(above, tasks)| *tasks && *above > 1 && *above < level)
    }

    /// Whether the last heading does.
    fn lists_tasks(&self) -> bool {
        self.open.last().is_some_and(|(_, tasks)| *tasks)
    }
}

/// `Tasks`, `2. Task List`, `Tasks / Subtasks`, `Tasks: Name of the feature`, `TODO`, `Work items`; not `Task 3`, nor
/// `Task overview`.
fn announces_tasks(title: &str) -> bool {
    const BESIDE: [&str; 9] =
        ["list", "breakdown", "details", "detailed", "subtasks", "implementation", "the", "all", "liste"];
    let title = title.trim_start_matches(|c: char| c.is_ascii_digit() || ".) ".contains(c));
    let title = title.split([':', '：', '—', '–', '(']).next().unwrap_or_default().to_lowercase();
    let title = title.replace("to-do", "todo").replace("to do", "todo");
    let title =
        ["work items", "action items"].iter().fold(title, |title, items| title.replace(items, "tasks"));
    let words = || title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_task =
        |word: &str| WORDS.contains(&word) || ["todo", "todos", "backlog", "タスク一覧"].contains(&word);
    words().any(is_task) && words().all(|word| is_task(word) || BESIDE.contains(&word))
}

fn of_heading(title: &str, level: u8, line: usize, under_tasks: bool) -> Option<Candidate<'_>> {
    let form = TaskForm::Heading(level);
    let text = after_status(title);
    let (claim, id) = claimed(text)?;
    // A number alone is hardly a task, and a sign must separate it from the title.
    let bare = claim == Claim::Faint && id.shape == Shape::Number && !begins_with_word(text);
    if bare && !under_tasks && !is_set_off(id.rest) {
        return None;
    }
    Candidate::new(claim, id, form, line)
}

/// `3. Title` of a list without other ids.
fn of_number<'a>(item: &Item<'a>, line: usize) -> Option<Candidate<'a>> {
    const INDENT_MAX: usize = 3;
    let text = item.number.filter(|_| item.indent <= INDENT_MAX && !item.checkbox)?;
    let id = Id { text, shape: task_id::shape(text)?, rest: item.text };
    let one = Candidate::new(Claim::Faint, Id { rest: "", ..id }, TaskForm::ListItem, line)?;
    let title = title::trimmed(title::before_remark(item.text));
    Some(Candidate { title, tagged: item.text, indent: item.indent, ..one })
}

fn of_item<'a>(item: &Item<'a>, line: usize) -> Option<Candidate<'a>> {
    let form = if item.checkbox { TaskForm::Checkbox } else { TaskForm::ListItem };
    let text = after_status(item.text);
    let (claim, id) = claimed(text)?;
    let set_off = is_set_off(id.rest);
    let marked =
        text.starts_with(['*', '_', '`', '[']) && id.rest.starts_with(['*', '_', '`', ']', ':', '.']);
    let claim = match (claim, id.shape) {
        // `- [ ] 3. Title` is as good as `- [ ] 3.1 Title`.
        (Claim::Faint, Shape::Number) if set_off && !begins_with_word(text) => Claim::Fair,
        (claim, _) => claim,
    };
    // A list item that merely mentions a task is no task.
    let is_task = match form {
        TaskForm::Checkbox => claim == Claim::Plain || id.shape == Shape::Dotted || set_off || marked,
        _ => (set_off || marked) && claim >= Claim::Fair && id.shape != Shape::Number,
    };
    let one = Candidate::new(claim, id, form, line)?;
    is_task.then_some(Candidate { indent: item.indent, ..one })
}

/// `ids` is the column whose head says it holds ids; in other tables only unmistakable ids count, faintly.
fn of_row(text: &str, ids: Option<usize>, line: usize) -> Option<Candidate<'_>> {
    let cells = line::cells(text)?;
    let column = ids.unwrap_or(0);
    let (claim, id) = claimed(after_status(cells.get(column)?))?;
    let claim = match ids {
        Some(_) => claim,
        None if claim == Claim::Plain => Claim::Faint,
        None => return None,
    };
    // A cell with several ids describes them.
    let (further, _) = title::aliases(&id);
    if !further.is_empty() && id.rest.trim_start().starts_with([',', '+', '&']) {
        return None;
    }
    let inside = id.rest.trim_matches(|c: char| !c.is_alphanumeric());
    // The cell is the id, or the id with its title.
    let title = match inside {
        "" => cells.get(column + 1).copied().unwrap_or_default(),
        title => title,
    };
    let one = Candidate::new(claim, Id { rest: "", ..id }, TaskForm::TableRow, line)?;
    let tagged = title;
    let title = title::trimmed(title);
    (!title.is_empty()).then_some(Candidate { title, tagged, end: line + 1, ..one })
}

/// What follows a box, a tag in brackets, or a picture that says how far something is.
fn after_status(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let rest = line::after_checkbox(text).unwrap_or(text);
        let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && !"*_`[(~#".contains(c));
        let rest = rest.strip_prefix("~~").unwrap_or(rest).trim_start();
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

/// A table that is being read: which column holds ids, and how many rows there were below its head.
struct Table {
    head: usize,
    ids: Option<usize>,
    rows: usize,
    ruled: bool,
}

impl Table {
    fn next(table: Option<Table>, line: &str, at: usize) -> Option<Table> {
        let cells = line::cells(line)?;
        Some(match table {
            None => Table { head: at, ids: id_column(&cells), rows: 0, ruled: false },
            Some(table) if !table.ruled => Table { ruled: line::is_rule_of_table(&cells), ..table },
            Some(table) => Table { rows: table.rows + 1, ..table },
        })
    }
}

/// The column whose head says that it holds ids or tasks: one of the first two, so that a list of dependencies is not
/// taken for one.
fn id_column(head: &[&str]) -> Option<usize> {
    const IDS: [&str; 11] = ["id", "task id", "#", "no", "no.", "nr.", "№", "task #", "step", "item", "编号"];
    let name = |cell: &&str| cell.trim_matches(['*', '_', '`', ' ']).to_lowercase();
    let is_id = |cell: &&str| IDS.contains(&name(cell).as_str());
    let is_task = |cell: &&str| WORDS.contains(&name(cell).as_str());
    head.iter().take(2).position(is_id).or_else(|| head.iter().take(2).position(is_task))
}
