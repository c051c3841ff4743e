//! A place of a document that could begin a task, and how much evidence there is for it. Where they are is found in
//! `find`.

use super::{TaskForm, title};
use crate::task_id::{self, Id, Shape};
use redraft_facts::prelude::*;

/// A place with an id. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate<'a> {
    pub(super) id: &'a str,
    pub(super) key: String,
    /// Further ids it goes by.
    pub(super) aliases: Vec<&'a str>,
    pub(super) shape: Shape,
    pub(super) title: String,
    /// The same with its tags and marks.
    pub(super) tagged: &'a str,
    pub(super) line: usize,
    /// The line after its last one, whatever else may begin before.
    pub(super) end: usize,
    pub(super) form: TaskForm,
    /// Columns before an item; 0 elsewhere.
    pub(super) indent: usize,
    pub(super) claim: Claim,
    /// Which chapter it stands in: the number of headings before it.
    pub(super) chapter: usize,
    /// Under a heading that only announces tasks: `Tasks`, `Task List`.
    pub(super) under_tasks: bool,
    /// The first row of the table it is a row of.
    pub(super) head: Option<usize>,
}

/// How clearly a place is a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// A word that often means a part of something (`Step 3`), or a number alone.
    Faint,
    /// An id that other things have as well: `1.1`, `V1`.
    Fair,
    /// The word for a task, or an id that begins with its letter.
    Plain,
}

/// The word for a task, as people write it before an id.
pub(super) const WORDS: [&str; 14] = [
    "task",
    "tasks",
    "aufgabe",
    "aufgaben",
    "tarea",
    "tareas",
    "tâche",
    "tâches",
    "задача",
    "задачи",
    "任务",
    "任務",
    "タスク",
    "작업",
];

/// Words for a part of the work, which may be a task if nothing else is.
const PARTS: [&str; 10] =
    ["step", "item", "story", "ticket", "subtask", "todo", "schritt", "paso", "étape", "шаг"];

impl<'a> Candidate<'a> {
    pub(super) fn new(claim: Claim, id: Id<'a>, form: TaskForm, line: usize) -> Option<Candidate<'a>> {
        if id.shape == Shape::Requirement {
            return None;
        }
        let (aliases, rest) = title::aliases(&id);
        let tagged = title::tagged(rest, form);
        let title = title::trimmed(tagged);
        // `Q1 / Q2 / Q3` without a title heads several tasks.
        let heads = title.is_empty() && !aliases.is_empty();
        (!heads).then(|| Candidate {
            id: id.text,
            key: task_id::key(id.text),
            aliases,
            shape: id.shape,
            title,
            tagged,
            line,
            end: line + 1,
            form,
            indent: 0,
            claim,
            chapter: 0,
            under_tasks: false,
            head: None,
        })
    }

    pub(super) fn level(&self) -> Option<u8> {
        match self.form {
            TaskForm::Heading(level) => Some(level),
            TaskForm::Checkbox | TaskForm::ListItem | TaskForm::TableRow => None,
        }
    }

    pub(super) fn holds(&self, other: &Candidate<'_>) -> bool {
        self.line < other.line && other.line < self.end
    }
}

/// The id a text begins with, and how clearly it is one of a task.
pub(super) fn claimed(text: &str) -> Option<(Claim, Id<'_>)> {
    let (word, rest) = word(text);
    if let Some(word) = word {
        let id = task_id::leading(rest, true)?;
        return Some((if PARTS.contains(&word.as_str()) { Claim::Faint } else { Claim::Plain }, id));
    }
    let id = task_id::leading(text, false)?;
    let claim = match id.shape {
        Shape::Task => Claim::Plain,
        Shape::Dotted | Shape::Lettered | Shape::Requirement => Claim::Fair,
        Shape::Number => Claim::Faint,
    };
    Some((claim, id))
}

/// The word for a task or for a part of the work that a text begins with, and what follows it.
fn word(text: &str) -> (Option<String>, &str) {
    let text = text.trim_start_matches(['*', '_', '`', '[', ' ']);
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let word = text[..end].to_lowercase();
    let known = WORDS.contains(&word.as_str()) || PARTS.contains(&word.as_str());
    let rest = text[end..].trim_start();
    let follows = rest.len() < text[end..].len()
        && rest.starts_with(|c: char| c.is_alphanumeric() || "#[*`".contains(c));
    if known && follows { (Some(word), after_number_word(rest)) } else { (None, text) }
}

/// `3` of `Task ID: 3` and `Task No. 3`.
fn after_number_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let known = ["id", "no", "nr", "number"].contains(&text[..end].to_lowercase().as_str());
    let rest = text[end..].trim_start_matches(['.', ':', '*', ' ']);
    if known && rest.len() < text[end..].len() { rest } else { text }
}

pub(super) fn begins_with_word(text: &str) -> bool {
    word(text).0.is_some()
}

/// Whether a sign separates an id from what follows.
pub(super) fn is_set_off(rest: &str) -> bool {
    let bare = rest.trim_start_matches(['*', '_', '`', ']']);
    let marked = bare.len() < rest.len();
    let text = bare.trim_start();
    marked
        || text.is_empty()
        || text.starts_with([':', '：', '—', '–', '.', ')', '、'])
        || bare.starts_with(" - ")
}
