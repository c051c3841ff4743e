//! A simple, tolerant reading of a task list: the tasks, and what each says it depends on.
//!
//! Headings, check boxes and bold list items count, with ids such as `Task 3`, `T1.1`, `1.2a` or `Final.1`. What
//! cannot be read as an id is left out, never guessed. Start at [`tasks`].

use super::id::{after_checkbox, key, token};
use super::page::{Page, Place, after_list_mark};
use crate::prelude::*;

pub(super) struct Task<'a> {
    /// As written.
    pub(super) id: &'a str,
    pub(super) key: String,
    pub(super) title: &'a str,
    pub(super) line: usize,
    /// The level of its heading; 0 for an item of a list.
    pub(super) level: u8,
    /// How many headings stand before it.
    pub(super) chapter: usize,
    pub(super) needs: Vec<Need<'a>>,
}

/// A task that another one depends on.
pub(super) struct Need<'a> {
    pub(super) id: &'a str,
    pub(super) key: String,
    pub(super) line: usize,
    /// Named with the word for a task: it can be nothing else.
    pub(super) by_name: bool,
    /// An end of a range; what lies between is not spelled out.
    pub(super) in_range: bool,
}

/// The word for a task, as people write it before an id.
const WORDS: [&str; 14] = [
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

/// What a line begins with that names what a task depends on.
const LABELS: [&str; 21] = [
    "depends on",
    "dependencies",
    "dependency",
    "deps",
    "blocked by",
    "requires",
    "prerequisite",
    "prerequisites",
    "abhängig von",
    "hängt ab von",
    "abhängigkeiten",
    "depende de",
    "dependencias",
    "dépend de",
    "dépendances",
    "зависит от",
    "зависимости",
    "依赖于",
    "依赖",
    "依存",
    "의존",
];

pub(super) fn tasks<'a>(page: &Page<'a>) -> Vec<Task<'a>> {
    let mut tasks: Vec<Task<'a>> = Vec::new();
    let mut headings = page.headings.iter().peekable();
    // What stands under another heading than a task's own belongs to no task.
    let mut inside = false;
    let mut chapter = 0;
    for (at, line) in page.lines.iter().enumerate() {
        if line.place != Place::Text {
            continue;
        }
        if let Some(heading) = headings.next_if(|heading| heading.line == at) {
            chapter += 1;
            let begun = heading_task(heading.title);
            inside = match begun {
                Some((id, title)) => {
                    tasks.push(Task::new(id, title, at, heading.level, chapter));
                    true
                }
                // A heading below a task's own divides the task.
                None => {
                    inside && tasks.last().is_some_and(|task| task.level != 0 && task.level < heading.level)
                }
            };
            continue;
        }
        if let Some((id, title)) = item_task(line.text) {
            tasks.push(Task::new(id, title, at, 0, chapter));
            inside = true;
        }
        if inside && let Some(task) = tasks.last_mut() {
            task.needs.extend(needs(line.text, at));
        }
    }
    tasks
}

impl<'a> Task<'a> {
    fn new(id: &'a str, title: &'a str, line: usize, level: u8, chapter: usize) -> Task<'a> {
        Task { id, key: task_key(id), title, line, level, chapter, needs: Vec::new() }
    }
}

/// `Task 1.1`, `T1.1` and `1.1` are one.
pub(super) fn task_key(id: &str) -> String {
    let key = key(id);
    let bare = key.strip_prefix("task").or_else(|| key.strip_prefix('t')).unwrap_or(&key);
    let bare = bare.trim_start_matches(['-', '_', '.']);
    if bare.starts_with(|c: char| c.is_ascii_digit()) { bare.to_owned() } else { key }
}

fn heading_task(title: &str) -> Option<(&str, &str)> {
    let (named, rest) = after_word(title);
    let (id, after) = token(rest)?;
    let is_task = named || is_task_like(id);
    is_task.then(|| (id, after.trim_start_matches([':', '*', '.', '—', '–', '-', ' ', ']', '`', '：'])))
}

fn item_task(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_start();
    let item = after_list_mark(text);
    if item.len() == text.len() {
        return None;
    }
    let checked = after_checkbox(item);
    let is_box = checked.len() < item.len();
    let is_bold = checked.starts_with("**");
    let (named, rest) = after_word(checked);
    let (id, after) = token(rest)?;
    // A list item that merely mentions a task is no task: without a box it must be set off.
    let set_off = after.starts_with(['*', ':', '：', ']']);
    let is_task = (is_box || is_bold && set_off) && (named || is_task_like(id));
    is_task.then(|| (id, after.trim_start_matches([':', '*', '.', '—', '–', '-', ' ', ']', '`', '：'])))
}

/// `1.1`, `1.2a`, `T3`, `TASK-4`; a bare number only with the word for a task before it.
fn is_task_like(id: &str) -> bool {
    let key = key(id);
    let prefixed = ["task", "t"].iter().any(|prefix| {
        key.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let dotted = key.starts_with(|c: char| c.is_ascii_digit())
        && key.contains('.')
        && key.split('.').all(|part| !part.is_empty() && part.chars().all(char::is_alphanumeric));
    prefixed || dotted
}

/// Whether a text begins with the word for a task, and what follows.
fn after_word(text: &str) -> (bool, &str) {
    let text = text.trim_start_matches(['*', '_', '`', '[', ' ']);
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let word = text[..end].to_lowercase();
    let rest = text[end..].trim_start();
    let named = WORDS.contains(&word.as_str()) && rest.starts_with(|c: char| c.is_alphanumeric() || c == '[');
    if named { (true, rest) } else { (false, text) }
}

fn needs(line: &str, at: usize) -> Vec<Need<'_>> {
    let Some(mut rest) = listed(line) else { return Vec::new() };
    let mut needs: Vec<Need<'_>> = Vec::new();
    let (mut by_name, mut in_range) = (false, false);
    loop {
        let (named, after) = after_word(rest);
        by_name |= named;
        let Some((id, after)) = piece(after) else { break };
        if in_range && let Some(last) = needs.last_mut() {
            last.in_range = true;
        }
        needs.push(Need { id, key: task_key(id), line: at, by_name, in_range });
        rest = after;
        let Some((next, range)) = after_separator(after) else { break };
        (rest, in_range) = (next, range);
    }
    // A task of another feature is none of ours.
    let rest = rest.trim_start_matches(['*', '`', ']', ' ']);
    let foreign = ["of ", "from ", "in ", "von ", "de "].iter().any(|word| rest.starts_with(word));
    if foreign { Vec::new() } else { needs }
}

/// The id a list goes on with. `1.1-1.3` and `T1..T3` are two.
fn piece(text: &str) -> Option<(&str, &str)> {
    const CHARS_MAX: usize = 24;
    let (id, after) = token(text)?;
    let dash = id.match_indices('-').map(|(at, _)| at);
    let range = dash.chain(id.find("..")).find(|at| id[..*at].chars().any(|c| c.is_ascii_digit()));
    let text = &text[text.len() - after.len() - id.len()..];
    let (id, after) = range.map_or((id, after), |at| text.split_at(at));
    (id.chars().count() <= CHARS_MAX).then_some((id, after))
}

/// Whether a line says what a task depends on.
pub(super) fn names_needs(line: &str) -> bool {
    listed(line).is_some()
}

/// What a line lists after a label, if it begins with one or has one at the beginning of a code span.
fn listed(line: &str) -> Option<&str> {
    let text = line.trim_start().trim_start_matches(['>', ' ']);
    let starts = core::iter::once(after_checkbox(after_list_mark(text)));
    let spans = line.match_indices('`').map(|(at, _)| &line[at + 1..]);
    starts.chain(spans).find_map(|text| {
        let text = text.trim_start_matches(['*', '_', '(', '[', ' ']);
        let label = LABELS.iter().find(|label| begins_with(text, label))?;
        let rest = &text[length_of(text, label)..];
        let list = rest.trim_start_matches(['*', '_', ' ', ':', '：']);
        let set_off = rest.trim_start_matches(['*', '_', ' ']).starts_with([':', '：']);
        // Without a colon only the labels that are verbs read on to what they name.
        (set_off || label.ends_with(" on") || label.ends_with(" by")).then_some(list)
    })
}

fn begins_with(text: &str, label: &str) -> bool {
    let mut chars = text.chars().flat_map(char::to_lowercase);
    let all = label.chars().all(|wanted| chars.next() == Some(wanted));
    all && !chars.next().is_some_and(|c| c.is_alphabetic() && !is_wide(c))
}

/// Scripts without blanks between words.
fn is_wide(c: char) -> bool {
    ('\u{2e80}'..='\u{d7ff}').contains(&c)
}

/// The bytes of as many characters of `text` as `label` has. Some letters change their length with their case.
fn length_of(text: &str, label: &str) -> usize {
    let mut wanted = label.chars().count();
    for (at, c) in text.char_indices() {
        if wanted == 0 {
            return at;
        }
        wanted = wanted.saturating_sub(c.to_lowercase().count());
    }
    text.len()
}

/// What follows a separator of two ids, and whether it stands for a range.
fn after_separator(text: &str) -> Option<(&str, bool)> {
    let text = text.trim_start_matches(['*', '`', ']', '_']);
    let trimmed = text.trim_start();
    for (sign, range) in [
        ("...", true),
        ("..", true),
        ("–", true),
        ("—", true),
        ("-", true),
        ("~", true),
        ("→", true),
        (",", false),
        ("，", false),
        ("、", false),
        (";", false),
        ("/", false),
        ("+", false),
        ("&", false),
    ] {
        if let Some(rest) = trimmed.strip_prefix(sign) {
            let rest = rest.trim_start();
            return Some((after_conjunction(rest).unwrap_or(rest), range));
        }
    }
    for word in ["to ", "through ", "bis ", "hasta ", "à "] {
        if let Some(rest) = trimmed.strip_prefix(word) {
            return Some((rest.trim_start(), true));
        }
    }
    after_conjunction(trimmed).map(|rest| (rest, false))
}

fn after_conjunction(text: &str) -> Option<&str> {
    let words = ["and ", "und ", "y ", "et ", "и ", "和", "と"];
    words.iter().find_map(|word| text.strip_prefix(word)).map(str::trim_start)
}
