//! Builds the part of a prompt about one task. What all tasks share stands before it, in the part that lasts.
//!
//! Design and plan come by section, in full or by path, each with the reason; specification and PRD come by strategy, like
//! any required artifact, so that a document that stands in the prompt already is not sent a second time.

use super::super::brief::Brief;
use super::super::code_brief::{ReturnedTask, ReturnedWhy, TaskArtifact, TaskBrief};
use super::super::sizes::{FIELD_CHARS_MAX, NAME_CHARS_MAX};
use super::super::stable::label;
use redraft_documents::context::ContextMode;
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::{self, one_line};

/// How much is shown of what a feature has gained; the rest stands in the files.
const GAINED_CHARS_MAX: usize = 8_000;

/// The task, its criteria, and what it builds on.
pub(super) fn task(brief: &Brief<'_>, task_brief: &TaskBrief<'_>) -> Fragment {
    let line = |value: &str| one_line(value, FIELD_CHARS_MAX);
    let (id, file) = (line(task_brief.id), line(task_brief.file));
    let mut text = match task_brief.text {
        // The file is a required artifact.
        "" => format!(
            "## Task {id}: {}\n\nCarry out the whole of {file}. Its done criteria: every requirement is met, and every \
             acceptance criterion holds.\n",
            line(task_brief.title)
        ),
        block => {
            format!("## Task {id}\n\nCarry out this task of {file}:\n\n{}", text::fenced("markdown", block))
        }
    };
    if !task_brief.says_when_done {
        text.push_str(
            "\nIt names no done criteria of its own: it is done when all it asks for is there and a test or a command \
             shows it. Write down which, under `implemented`.\n",
        );
    }
    if !task_brief.depends.is_empty() {
        text.push_str("\nIt builds on these tasks:\n\n");
        for one in task_brief.depends {
            let state = match one.left_out {
                None => "done; what it built is in the files".to_owned(),
                Some(why) => format!("left out by a person: {}", line(why)),
            };
            text.push_str(&format!("- {} {}: {state}\n", line(one.id), line(one.title)));
        }
    }
    if task_brief.begun {
        let failed = match brief.gate {
            Some(_) => " It is not done: a check of the project fails, as shown under Failed Project Check.",
            None => "",
        };
        text.push_str(&format!(
            "\nAn earlier turn has worked on this task, and what it did is in the files.{failed} Go on from there; what \
             is right already stays.\n"
        ));
    }
    if let Some(why) = task_brief.stopped {
        text.push_str(&format!(
            "\nAn earlier turn stopped and said why the task was not done. It is a claim: see for yourself whether it \
             holds. Where it does not, carry the task out; where it does, stop as well and say what somebody has to \
             decide.\n\n{}",
            text::fenced("text", why)
        ));
    }
    if let Some(returned) = &task_brief.returned {
        text.push_str(&sent_back(returned));
    }
    Fragment::new("task", text)
}

/// What somebody has to know whose work was finished and could not become part of the feature.
fn sent_back(returned: &ReturnedTask<'_>) -> String {
    let with = match returned.with {
        "" => "what became part of the feature meanwhile.".to_owned(),
        tasks => format!("what these tasks changed:\n\n{tasks}\n"),
    };
    let mut text = match returned.why {
        ReturnedWhy::Conflict { files } => {
            let files: Vec<String> =
                files.iter().map(|file| format!("`{}`", one_line(file, FIELD_CHARS_MAX))).collect();
            format!(
                "\nIt was carried out beside others, and what it changed excludes {with}\nThe files \
                 hold both sides, with git's marks where they exclude each other, in {}: first what the feature has now, \
                 then what this task made. Bring them together so that nothing of either side is lost, and leave no mark.\n",
                files.join(", ")
            )
        }
        ReturnedWhy::Red { gate, evidence } => format!(
            "\nIt was carried out beside others. On top of what the feature has now, the check `{}` fails{}. Look \
             for the reason in how it fits together with {with}\nMend what belongs to this task; what the others made stays \
             as they meant it.\n\nThe end of what the check printed:\n\n{}",
            one_line(gate, NAME_CHARS_MAX),
            if returned.with.is_empty() { "" } else { ", and it passes without either of the two" },
            text::fenced("text", evidence)
        ),
    };
    if !returned.gained.is_empty() {
        let end = returned.gained.char_indices().nth(GAINED_CHARS_MAX).map(|(at, _)| at);
        let shown = &returned.gained[..end.unwrap_or(returned.gained.len())];
        let part = if end.is_some() { ", its beginning" } else { "" };
        text.push_str(&format!(
            "\nWhat the feature has gained since this task was begun{part}:\n\n{}",
            text::fenced("diff", shown)
        ));
    }
    text
}

/// The documents that come with the task, except those that are in the prompt already.
pub(super) fn artifacts(brief: &Brief<'_>, task_brief: &TaskBrief<'_>) -> Vec<Fragment> {
    let inline = brief.strategy == Strategy::Inline;
    let stands = |one: &&TaskArtifact<'_>| inline && brief.upstream.iter().any(|file| file.name == one.name);
    let required = |one: &&TaskArtifact<'_>| brief.profile.artifacts.contains(&one.name);
    let more = task_brief.artifacts.iter().filter(|one| !stands(one));
    let mut fragments: Vec<Fragment> =
        more.clone().filter(|one| one.mode != ContextMode::Reference).map(given).collect();
    // A required one is named by its path already.
    let named: Vec<&TaskArtifact<'_>> =
        more.filter(|one| one.mode == ContextMode::Reference && !required(one)).collect();
    if !named.is_empty() {
        let mut text =
            "## More Documents\n\nOpen one of these only where the task cannot be done without it.\n\n"
                .to_owned();
        for one in named {
            let reason = one_line(one.reason, FIELD_CHARS_MAX);
            text.push_str(&format!("- {}: {} ({reason})\n", label(one.name), one.path));
        }
        fragments.push(Fragment::new("more-documents", text));
    }
    fragments
}

/// A task is made from a step of the plan, and repeats it.
fn without_task(name: &str) -> &'static str {
    if name == "plan.md" { ", without what it says itself" } else { "" }
}

fn given(one: &TaskArtifact<'_>) -> Fragment {
    let name = label(one.name);
    let reason = one_line(one.reason, FIELD_CHARS_MAX);
    let (heading, intro) = match one.mode {
        ContextMode::Scoped => (
            format!("{name}, in Part"),
            format!("The sections of {} that concern this task{}:", one.path, without_task(one.name)),
        ),
        ContextMode::Full | ContextMode::Reference => {
            (name, format!("{}, in full ({reason}); it need not be opened:", one.path))
        }
    };
    let fragment = format!("task-{}", one.name.trim_end_matches(".md"));
    Fragment::new(&fragment, format!("## {heading}\n\n{intro}\n\n{}", text::fenced("markdown", one.text)))
}
