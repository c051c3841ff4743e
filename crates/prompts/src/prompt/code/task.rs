//! Builds the part of a prompt about one task. What all tasks share stands before it, in the part that lasts.
//!
//! Design and plan come by section, in full or by path, each with the reason; specification and PRD come by strategy, like
//! any required artifact, so that a document that stands in the prompt already is not sent a second time.

use super::super::brief::Brief;
use super::super::code_brief::{TaskArtifact, TaskBrief};
use super::super::sizes::FIELD_CHARS_MAX;
use super::super::stable::label;
use redraft_documents::context::ContextMode;
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::{self, one_line};

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
    Fragment::new("task", text)
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
