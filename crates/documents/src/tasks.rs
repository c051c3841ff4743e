//! Reads the tasks of a `tasks.md`, in whatever form people write them.
//!
//! A heading of any level, an item with a check box or without, or a row of a table is a task if it begins with an id
//! ([`crate::task_id`]) and nothing suggests a group, a step or a mention ([`choose`]). What cannot be read is
//! reported, never guessed: no tasks is an error that shows the headings there are. It reads one text and knows no
//! file. Start at [`read`].

mod bold;
mod candidate;
mod choose;
mod field;
mod files;
mod find;
mod form;
mod needs;
mod order;
mod references;
#[cfg(test)]
mod tests;
mod title;

use crate::sections::block::{self, counted};
use crate::task_id::key;
pub(crate) use needs::names_needs;
pub use needs::{Need, unknown};
pub use order::{Cycle, order};
use references::{prose, references, unread, without_own};

use crate::page::line;
use crate::sections::Outline;
use crate::trace::Reference;
use candidate::Candidate;
use find::candidates;
use redraft_facts::prelude::*;

/// The tasks that a text lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskList {
    /// In document order.
    pub tasks: Vec<Task>,
    pub notes: Vec<Note>,
}

/// One task. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// As written, without the word for a task.
    pub id: String,
    /// Further ids it goes by.
    pub aliases: Vec<String>,
    pub title: String,
    pub line: u32,
    /// The last line that is not blank.
    pub end_line: u32,
    pub form: TaskForm,
    /// When it is done, if it says so.
    pub done: Option<Done>,
    /// The tasks it must wait for, as far as they are named one by one or as a range.
    pub depends_on: Vec<String>,
    /// The same as they are written.
    pub needs: Vec<Need>,
    /// The files, folders and patterns it says it writes, if it is sure that these are all.
    pub files: Vec<String>,
    pub refs: Vec<Reference>,
    /// Notes about fields for references that name no part of a document.
    pub unread: Vec<String>,
    /// The headings it stands under, outermost first, without the title of the document.
    pub groups: Vec<Group>,
}

/// How a task is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskForm {
    /// Of this level.
    Heading(u8),
    Checkbox,
    ListItem,
    TableRow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// As written: `Done when`, `DoD`, `Acceptance criteria`.
    pub field: String,
    pub text: String,
}

/// A heading above a task. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub title: String,
    pub line: u32,
}

/// Something a person should know about the list. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub line: u32,
    pub text: String,
}

/// A text without tasks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no task is found{}", told(*boxes, nearest))]
pub struct NoTasks {
    /// What looks most like one.
    pub nearest: Vec<Group>,
    /// How many items have a check box and no id. Made-up numbers would change with every new item.
    pub boxes: usize,
}

impl NoTasks {
    /// The way out.
    pub const HINT: &str = "a task begins with an id: `### Task 1.1: Title`, `### T1: Title`, `- [ ] **1.1** Title` or a \
                            row of a table";
}

fn told(boxes: usize, nearest: &[Group]) -> String {
    let boxes = match boxes {
        0 => String::new(),
        _ => format!("; {} with a check box but no id", redraft_facts::text::count(boxes, "item")),
    };
    let lines: Vec<String> =
        nearest.iter().map(|near| format!("line {} `{}`", near.line, near.title)).collect();
    match lines.is_empty() {
        true => boxes,
        false => format!("{boxes}; the nearest headings are {}", lines.join(", ")),
    }
}

impl TaskForm {
    /// `h3`, `checkbox`, `list_item`, `table_row`.
    pub fn name(self) -> String {
        match self {
            TaskForm::Heading(level) => format!("h{level}"),
            TaskForm::Checkbox => "checkbox".to_owned(),
            TaskForm::ListItem => "list_item".to_owned(),
            TaskForm::TableRow => "table_row".to_owned(),
        }
    }
}

impl TaskList {
    /// The task with this id, however it is spelled.
    pub fn find(&self, id: &str) -> Option<&Task> {
        let wanted = key(id);
        let exact = self.tasks.iter().find(|task| task.id == id.trim());
        let own = || self.tasks.iter().find(|task| key(&task.id) == wanted);
        let other = || self.tasks.iter().find(|task| task.keys().any(|key| key == wanted));
        exact.or_else(own).or_else(other)
    }
}

impl Task {
    /// How its ids are compared.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        [&self.id].into_iter().chain(&self.aliases).map(|id| key(id))
    }

    /// Whether it has check boxes and every one of them is ticked; `outline` is that of the text it was read from.
    pub fn is_ticked(&self, outline: &Outline<'_>) -> bool {
        let lines = self.lines().filter(|at| outline.is_text(*at));
        let ticked = |at: usize| {
            let line = outline.lines().get(at)?;
            line::Item::parse(line).filter(|item| item.checkbox)?;
            let (_, mark) = line.split_once('[')?;
            Some(mark.starts_with(['x', 'X', '✓', '✔', '✅']))
        };
        let mut boxes = lines.filter_map(ticked).peekable();
        boxes.peek().is_some() && boxes.all(|ticked| ticked)
    }

    /// The lines of its text, counted from 0.
    pub fn lines(&self) -> core::ops::Range<usize> {
        (self.line as usize).saturating_sub(1)..self.end_line as usize
    }
}

/// The tasks of a text.
pub fn read(text: &str) -> Result<TaskList, NoTasks> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let outline = Outline::parse(text);
    let (chosen, passed_over) = choose::choose(candidates(&outline), &outline);
    if chosen.is_empty() {
        let is_box = |(at, line): &(usize, &&str)| {
            outline.is_text(*at) && line::Item::parse(line).is_some_and(|item| item.checkbox)
        };
        let boxes = outline.lines().iter().enumerate().filter(is_box).count();
        return Err(NoTasks { nearest: nearest(&outline), boxes });
    }
    let mut notes = duplicates(&chosen);
    let parents = parents(&outline);
    let ids = chosen.iter().flat_map(|one| [one.id].into_iter().chain(one.aliases.iter().copied()));
    let known: BTreeSet<String> = ids.map(key).collect();
    let mut tasks: Vec<Task> = Vec::with_capacity(chosen.len());
    let mut chosen = chosen.into_iter().peekable();
    while let Some(one) = chosen.next() {
        let next = chosen.peek().map_or(usize::MAX, |next| next.line);
        tasks.push(task(one, next, &outline, &parents, &known));
    }
    without_own(&mut tasks);
    let places = needs::places(&tasks);
    for at in 0..tasks.len() {
        let depends_on = needs::resolved(&tasks[at].needs, &tasks, &places);
        tasks[at].depends_on = depends_on;
    }
    notes.extend(
        tasks
            .iter()
            .filter(|task| task.title.is_empty())
            .map(|task| Note { line: task.line, text: format!("task {} has no title", task.id) }),
    );
    notes.extend(passed_over.iter().map(|row| Note {
        line: counted(row.line),
        text: format!("the row `{}` is not read as a task: the tasks of this list stand elsewhere", row.id),
    }));
    notes.extend(needs::unknown(&tasks).into_iter().map(|need| Note {
        line: need.line,
        text: format!("`{}` is named as a dependency and is no task of this list", need.id),
    }));
    let mut list = TaskList { tasks, notes };
    if let Err(cycle) = order(&list) {
        let first = cycle.0.first().and_then(|id| list.find(id)).map_or(1, |task| task.line);
        list.notes.push(Note { line: first, text: cycle.to_string() });
    }
    list.notes.sort_by_key(|note| note.line);
    Ok(list)
}

fn task(
    one: Candidate<'_>,
    next: usize,
    outline: &Outline<'_>,
    parents: &[Option<usize>],
    known: &BTreeSet<String>,
) -> Task {
    let end = block::last_line(outline, one.line, one.end.min(next)) + 1;
    let fields = field::fields(outline, one.line, end, one.head, field::DONE_OR_REFERENCES);
    let done = field::done(&fields);
    let groups = groups(outline, parents, one.line);
    let refs = references(&one, &fields, &groups, &prose(outline, one.line, end));
    let unread = unread(&fields, &refs);
    Task {
        id: one.id.to_owned(),
        aliases: one.aliases.into_iter().map(ToOwned::to_owned).collect(),
        title: one.title,
        line: counted(one.line),
        end_line: counted(end.saturating_sub(1)),
        form: one.form,
        done,
        depends_on: Vec::new(),
        needs: needs::needs(outline, one.line, end, one.head, known),
        files: files::declared(outline, one.line, end, one.head),
        refs,
        unread,
        groups,
    }
}

/// For every section of a document, the one it stands in.
fn parents(outline: &Outline<'_>) -> Vec<Option<usize>> {
    let sections = outline.sections();
    let mut open: Vec<usize> = Vec::new();
    let mut parents = Vec::with_capacity(sections.len());
    for (at, section) in sections.iter().enumerate() {
        while open.pop_if(|last| sections[*last].level >= section.level).is_some() {}
        parents.push(open.last().copied());
        open.push(at);
    }
    parents
}

/// The headings above a line, without a heading in that line and the title of the document.
fn groups(outline: &Outline<'_>, parents: &[Option<usize>], line: usize) -> Vec<Group> {
    let sections = outline.sections();
    let inner = sections.partition_point(|section| section.lines.start <= line).checked_sub(1);
    let above = core::iter::successors(inner, |at| parents[*at]).map(|at| &sections[at]);
    let above = above.filter(|section| section.level > 1 && section.lines.start != line);
    let mut groups: Vec<Group> = above
        .map(|section| Group { title: section.title.to_owned(), line: counted(section.lines.start) })
        .collect();
    groups.reverse();
    groups
}

/// Ids that two tasks of one form have.
fn duplicates(tasks: &[Candidate<'_>]) -> Vec<Note> {
    let mut first: BTreeMap<&str, &Candidate<'_>> = BTreeMap::new();
    let mut notes = Vec::new();
    for task in tasks {
        let earlier = *first.entry(&task.key).or_insert(task);
        if earlier.line != task.line {
            let place = counted(earlier.line);
            let text = format!("task {} stands here a second time; the first is in line {place}", task.id);
            notes.push(Note { line: counted(task.line), text });
        }
    }
    notes
}

/// The headings that a person would look at first: those that speak of tasks or hold a number, else the first ones.
fn nearest(outline: &Outline<'_>) -> Vec<Group> {
    const SHOWN_MAX: usize = 5;
    const CHARS_MAX: usize = 80;
    let headings: Vec<_> = outline.sections().iter().filter(|section| section.level > 0).collect();
    let speaks = |title: &str| {
        let lower = title.to_lowercase();
        candidate::WORDS.iter().any(|word| lower.contains(word))
            || title.contains(|c: char| c.is_ascii_digit())
    };
    let (near, far): (Vec<_>, Vec<_>) = headings.into_iter().partition(|section| speaks(section.title));
    let mut shown: Vec<_> = near.into_iter().chain(far).take(SHOWN_MAX).collect();
    shown.sort_by_key(|section| section.lines.start);
    let group = |title: &str, line| Group { title: redraft_facts::text::one_line(title, CHARS_MAX), line };
    shown.into_iter().map(|section| group(section.title, counted(section.lines.start))).collect()
}
