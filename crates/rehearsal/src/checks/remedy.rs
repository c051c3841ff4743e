//! Makes the changes that mend faults of lint and add missing criteria, where the change follows from the fault without
//! guessing.
//!
//! Pure. The author itself checks whether the fault is gone afterwards. Start at [`for_fault`].

use super::Remedy;
use crate::amounts::{amounts, unit};
use crate::edit::Edit;
use crate::parsed_document::{ParsedDocument, Wanted, leading_id, marks};
use redraft_documents::lint::Rule;
use redraft_documents::page::Page;
use redraft_documents::page::line::{Item, cells};
use redraft_documents::task_id;
use redraft_documents::tasks::{self, Task, TaskForm};
use redraft_facts::text::one_line;

/// `line` counts from 0.
pub(super) fn for_fault(
    rule: Rule,
    parsed: &ParsedDocument<'_>,
    line: usize,
    message: &str,
) -> Option<Remedy> {
    let mark = marks(message).next().unwrap_or_default();
    let last = parsed.outline.lines().len().checked_sub(1);
    let at_end = |lines: &[&str]| Edit::Insert {
        after: last,
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
    };
    match rule {
        Rule::Placeholder => placeholder(parsed, line, mark),
        Rule::ConflictMarker => Remedy::new(
            format!("took the conflict marker out of line {}", line + 1),
            vec![Edit::Remove { line }],
        ),
        Rule::UnclosedFence => {
            let open = Page::read(parsed.text).open_fence?;
            let fence = parsed.line(open).trim_start_matches(|c: char| c != '`' && c != '~');
            let mark = fence.chars().next()?;
            let fence: String = fence.chars().take_while(|c| *c == mark).collect();
            Remedy::new("closed the last code fence".to_owned(), vec![at_end(&[&fence])])
        }
        Rule::NoHeading => {
            let lines = vec!["# Specification".to_owned(), String::new()];
            Remedy::new("gave the document a heading".to_owned(), vec![Edit::Insert { after: None, lines }])
        }
        Rule::MissingSection => Remedy::new(
            format!("added the section {mark}"),
            vec![at_end(&["", &format!("## {mark}"), "", "- Nothing beyond what is said above."])],
        ),
        Rule::CutOff => {
            let end = if message.starts_with("the comment") { "-->" } else { "None." };
            Remedy::new("ended what broke off".to_owned(), vec![at_end(&["", end])])
        }
        Rule::VagueWord => {
            let text = parsed.line(line).trim_end().trim_end_matches('.');
            let edit = Edit::Replace {
                line,
                at: text.len()..text.len(),
                new: " in at least 95 of 100 cases".to_owned(),
            };
            Remedy::new(format!("said how often {mark} has to hold"), vec![edit])
        }
        Rule::UnknownReference => without_need(parsed, line, mark),
        Rule::DependencyCycle => without_circle(parsed),
        Rule::NoDoneCriterion => with_done_criterion(parsed, line),
        _ => None,
    }
}

/// The line without the placeholder: a number where a unit follows, the name of a field, a default, or nothing.
fn placeholder(parsed: &ParsedDocument<'_>, line: usize, mark: &str) -> Option<Remedy> {
    let text = parsed.line(line);
    let start = text.find(mark).filter(|_| !mark.is_empty())?;
    let (before, after) = (&text[..start], &text[start + mark.len()..]);
    let replaced = |length: usize, new: &str, note: String| {
        Remedy::new(
            format!("line {}: {note}", line + 1),
            vec![Edit::Replace { line, at: start..start + length, new: new.to_owned() }],
        )
    };
    let next = after.split_whitespace().next().unwrap_or_default().trim_end_matches(['.', ',', ';']);
    if let Some((kind, _)) = unit(next) {
        let known = parsed.prose().find_map(|(_, prose)| {
            let found = amounts(&prose)
                .into_iter()
                .find(|one| one.kind == kind && prose[one.at.clone()].ends_with(next));
            found.map(|one| prose[one.at].split(' ').next().unwrap_or_default().to_owned())
        });
        let number = known.unwrap_or_else(|| "30".to_owned());
        return replaced(mark.len(), &number, format!("wrote {number} for {mark}"));
    }
    let said = Item::parse(before).map_or(before.trim(), |item| item.text);
    let words = |text: &str| text.split(|c: char| !c.is_alphabetic()).any(|word| word.len() > 1);
    if !words(said) && !words(after) && !said.contains(|c: char| c.is_ascii_digit()) {
        let above = line.checked_sub(2).and_then(|above| parsed.outline.at(above));
        let alone = above.is_some_and(|section| section.level > 0 && section.lines.start + 2 == line)
            && parsed.line(line + 1).trim().is_empty();
        return match alone {
            true => Remedy::new(
                "said that there is none".to_owned(),
                vec![Edit::Replace { line, at: 0..text.len(), new: "None.".to_owned() }],
            ),
            false => {
                Remedy::new(format!("removed the line that only said {mark}"), vec![Edit::Remove { line }])
            }
        };
    }
    let field = mark.trim_matches(['{', '}', ' ']);
    match () {
        () if mark.starts_with("{{") && words(field) => {
            replaced(mark.len(), &field.replace('_', " "), format!("filled in {mark}"))
        }
        () if after.starts_with(": ") => replaced(mark.len() + 2, "", format!("took {mark} out")),
        () if words(said) || words(after) => {
            let new = "as the owner of this feature decides (until then the narrower choice)";
            replaced(mark.len(), new, format!("wrote a default for {mark}"))
        }
        () => replaced(mark.len(), "not part of this feature", format!("wrote a default for {mark}")),
    }
}

/// The line without one of the tasks that it depends on.
fn without_need(parsed: &ParsedDocument<'_>, line: usize, id: &str) -> Option<Remedy> {
    let text = parsed.line(line);
    let start = text.find(':')? + 1;
    let (label, listed) = text.split_at(start);
    let start = label.len() + (listed.len() - listed.trim_start_matches(['*', ' ']).len());
    let kept: Vec<&str> =
        text[start..].split(", ").filter(|part| !part.split_whitespace().any(|word| word == id)).collect();
    let new = if kept.is_empty() { "none".to_owned() } else { kept.join(", ") };
    let edit = Edit::Replace { line, at: start..text.len(), new };
    (kept.len() < text[start..].split(", ").count()).then(|| Remedy {
        note: format!("took the dependency on {id} out of line {}", line + 1),
        edits: vec![edit],
    })
}

/// In a circle, the first dependency on something that stands later is dropped.
fn without_circle(parsed: &ParsedDocument<'_>) -> Option<Remedy> {
    let list = tasks::read(parsed.text).ok()?;
    let circle = tasks::order(&list).err()?.0;
    let in_circle = |id: &str| circle.iter().any(|one| task_id::key(one) == task_id::key(id));
    let place = |id: &str| list.tasks.iter().position(|task| task.keys().any(|key| key == task_id::key(id)));
    let later = |task: &&Task| {
        let own = place(&task.id)?;
        let need = task
            .needs
            .iter()
            .find(|need| in_circle(&need.id) && place(&need.id).is_some_and(|at| at >= own))?;
        Some((need.line as usize - 1, need.id.clone()))
    };
    let (line, id) = list.tasks.iter().filter(|task| in_circle(&task.id)).find_map(|task| later(&task))?;
    without_need(parsed, line, &id)
}

fn with_done_criterion(parsed: &ParsedDocument<'_>, line: usize) -> Option<Remedy> {
    let list = tasks::read(parsed.text).ok()?;
    let task = list.tasks.into_iter().find(|task| task.line as usize == line + 1)?;
    let lines = match task.form {
        TaskForm::Heading(_) => vec![String::new(), "**Done when:**".to_owned(), format!("- {DONE}")],
        TaskForm::Checkbox | TaskForm::ListItem => vec![format!("  - Done when: {DONE}")],
        TaskForm::TableRow => return None,
    };
    let after = parsed.last_filled(task.lines());
    Remedy::new(
        format!("said when task {} is done", task.id),
        vec![Edit::Insert { after: Some(after), lines }],
    )
}

pub(super) const DONE: &str = "its test passes with all others; without the work of the task it fails.";

/// One more criterion behind the last one, in its form.
pub(super) fn one_more_criterion(
    parsed: &ParsedDocument<'_>,
    one: &Wanted,
    lines: &[usize],
) -> Option<Remedy> {
    let last =
        lines.iter().rev().find(|at| Item::parse(parsed.line(**at)).is_some_and(|item| item.indent < 2));
    let last = *last.or_else(|| lines.iter().rev().find(|at| cells(parsed.line(**at)).is_some()))?;
    let check = check_of(&parsed.statement(&one.id, one.line));
    let ids = lines.iter().filter_map(|at| leading_id(parsed.line(*at)));
    let numbered = ids.filter_map(|id| {
        let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
        Some((id[letters.len()..].parse::<u32>().ok()?, letters)).filter(|_| !one.id.starts_with(letters))
    });
    let id =
        numbered.max().map_or_else(|| one.id.clone(), |(most, letters)| format!("{letters}{}", most + 1));
    let name = if id == one.id { String::new() } else { format!(" ({})", one.id) };
    let line = parsed.line(last);
    let new = match Item::parse(line) {
        Some(item) => {
            let bold = if item.text.starts_with("**") { "**" } else { "" };
            format!("{}- {bold}{id}{bold}{name}: {check}", " ".repeat(item.indent))
        }
        None => {
            let blank = cells(line).map_or(0, |cells| cells.len().saturating_sub(2));
            format!("| {id}{name} | {} |{}", check.replace('|', "/"), " – |".repeat(blank))
        }
    };
    let end = (last + 1..parsed.outline.lines().len())
        .take_while(|at| {
            Item::parse(parsed.line(*at)).is_none_or(|item| item.indent > 1)
                && parsed.line(*at).starts_with("  ")
        })
        .last();
    Remedy::new(
        format!("added {id} for {}", one.id),
        vec![Edit::Insert { after: Some(end.unwrap_or(last)), lines: vec![new] }],
    )
}

/// What a tester would look for, from the requirement's own sentence.
fn check_of(statement: &str) -> String {
    let says = one_line(statement.trim_end_matches(['.', ';', ':']), 240);
    let modal = [" shall ", " must ", " should "].iter().find_map(|word| says.split_once(word));
    let conditional = |before: &str| {
        ["When ", "If ", "While ", "Once "]
            .iter()
            .find_map(|word| before.strip_prefix(word))
            .map(str::to_owned)
    };
    match modal {
        Some((before, act)) => match conditional(before).as_deref().and_then(|rest| rest.rsplit_once(", ")) {
            Some((condition, actor)) => format!("Given that {condition}, then {actor} can be seen to {act}."),
            None => format!("A test shows {} to {act}.", before.replacen("The ", "the ", 1)),
        },
        None if says.is_empty() => "A test shows that it is met.".to_owned(),
        None => format!("A test shows that this holds: {says}."),
    }
}
