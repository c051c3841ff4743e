//! Reads one task and the parts of the documents that concern it, from the revision its implementer is shown.
//!
//! `documents` decides what is taken from each document ([`context::select`]); here it is read and cut out. Where no
//! task list was made, the specification is the one task.

use super::Texts;
use crate::ports::WorkspaceError;
use redraft_core::review::{DispatchOrder, Loop, TaskEnd};
use redraft_documents::context::{self, Artifacts, ContextMode};
use redraft_documents::sections::Outline;
use redraft_documents::tasks::{self, Task};
use redraft_documents::trace::TargetDocument;
use redraft_documents::{prd, task_id};
use redraft_facts::event::FeatureCreated;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Unit;
use redraft_prompts::prompt::{Dependency, TaskArtifact, TaskBrief};

/// The texts that the brief of a task is made of.
pub(super) struct TaskTexts {
    id: String,
    title: String,
    file: String,
    text: String,
    done: Option<String>,
    artifacts: Vec<Piece>,
    depends: Vec<(String, String, Option<String>)>,
    begun: bool,
    stopped: Option<String>,
    pub(super) wanted: Option<String>,
    pub(super) constraints: Option<String>,
}

/// What is taken from one document.
struct Piece {
    name: &'static str,
    path: String,
    mode: ContextMode,
    text: String,
    reason: String,
}

/// The task of an order; none where it is for no task.
pub(super) fn read(
    texts: &Texts<'_>,
    created: &FeatureCreated,
    state: &Loop,
    order: &DispatchOrder,
) -> Result<Option<TaskTexts>, WorkspaceError> {
    let Unit::Task(id) = &order.ticket.unit else { return Ok(None) };
    let Some(work) =
        state.implementing.iter().flat_map(|implementing| &implementing.tasks).find(|task| task.id == *id)
    else {
        return Ok(None);
    };
    let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let shown = |name: &str| {
        Ok::<_, WorkspaceError>(text(texts.shown(created, state, order, &created.path_of(name))?))
    };
    let (prd_path, prd) = texts.prd(created, state, order)?;
    let prd = text(prd);
    let (spec, design, plan) = (shown("spec.md")?, shown("design.md")?, shown("plan.md")?);
    let list = shown(Phase::CreateTasks.artifact())?;
    let mut task = TaskTexts {
        id: id.to_string(),
        title: work.title.clone(),
        file: created.path_of("spec.md"),
        text: spec.clone().unwrap_or_default(),
        done: Some("Every requirement is met, and every acceptance criterion holds.".to_owned()),
        artifacts: Vec::new(),
        depends: Vec::new(),
        begun: work.built || work.wrote.is_some(),
        stopped: work.unfinished.clone(),
        wanted: prd.as_deref().and_then(wanted),
        constraints: None,
    };
    let Some((list, found)) = list.as_deref().and_then(|list| Some((list, planned(list, id.as_str())?)))
    else {
        return Ok(Some(task));
    };
    task.file = created.path_of(Phase::CreateTasks.artifact());
    task.text = Outline::parse(list).text(found.lines());
    task.done = found.done.as_ref().map(|done| done.text.clone());
    task.depends = depends(state, &found);
    task.constraints = constraints(list);
    let artifacts = Artifacts {
        prd: prd.as_deref(),
        spec: spec.as_deref(),
        design: design.as_deref(),
        plan: plan.as_deref(),
    };
    for selected in context::select(&found, &artifacts).artifacts {
        let Some(text) = artifacts.get(selected.kind) else { continue };
        // The specification comes by strategy, and of the PRD the problem and the goals stand before all tasks.
        let essentials = selected.sections.iter().flat_map(|part| &part.refs);
        let mut named = essentials.filter(|name| !["problem statement", "goals"].contains(&name.as_str()));
        let known = selected.mode == ContextMode::Scoped
            && selected.kind == TargetDocument::Prd
            && named.next().is_none();
        if selected.kind == TargetDocument::Spec || (known && task.wanted.is_some()) {
            continue;
        }
        let path = if selected.kind == TargetDocument::Prd {
            prd_path.clone()
        } else {
            created.path_of(selected.kind.file())
        };
        let text = match selected.mode {
            ContextMode::Scoped => context::excerpt(text, &selected.sections),
            ContextMode::Full => text.to_owned(),
            ContextMode::Reference => String::new(),
        };
        let (name, mode, reason) = (selected.kind.file(), selected.mode, selected.reason);
        task.artifacts.push(Piece { name, path, mode, text, reason });
    }
    Ok(Some(task))
}

impl TaskTexts {
    /// Everything that the list says about it.
    pub(super) fn all(&self) -> &str {
        &self.text
    }

    /// Calls `with` with the brief: its parts borrow from each other.
    pub(super) fn with_brief<T>(&self, with: impl FnOnce(&TaskBrief<'_>) -> T) -> T {
        let artifacts: Vec<TaskArtifact<'_>> = (self.artifacts.iter())
            .map(|one| TaskArtifact {
                name: one.name,
                path: &one.path,
                mode: one.mode,
                text: &one.text,
                reason: &one.reason,
            })
            .collect();
        let depends: Vec<Dependency<'_>> = (self.depends.iter())
            .map(|(id, title, left_out)| Dependency { id, title, left_out: left_out.as_deref() })
            .collect();
        with(&TaskBrief {
            id: &self.id,
            title: &self.title,
            file: &self.file,
            text: &self.text,
            done: self.done.as_deref(),
            artifacts: &artifacts,
            depends: &depends,
            begun: self.begun,
            stopped: self.stopped.as_deref(),
        })
    }
}

/// The task of the list that a loop was opened with under this id.
fn planned(list: &str, id: &str) -> Option<Task> {
    let tasks = tasks::read(list).ok()?.tasks;
    tasks.into_iter().find(|task| task.id.replace('/', "-") == id)
}

/// The tasks it builds on, and whether a person went on without them.
fn depends(state: &Loop, task: &Task) -> Vec<(String, String, Option<String>)> {
    let known = || state.implementing.iter().flat_map(|implementing| &implementing.tasks);
    let of = |id: &String| {
        let wanted = task_id::key(&id.replace('/', "-"));
        let work = known().find(|work| task_id::key(work.id.as_str()) == wanted)?;
        let left_out = match work.end.as_ref()? {
            TaskEnd::Done | TaskEnd::Before => None,
            TaskEnd::Blocked { why } => Some(why.clone()),
        };
        Some((work.id.to_string(), work.title.clone(), left_out))
    };
    task.depends_on.iter().filter_map(of).collect()
}

/// The problem and the goals of a PRD, where it has both.
fn wanted(prd: &str) -> Option<String> {
    let outline = Outline::parse(prd);
    let essentials = prd::essentials(&outline);
    let (problem, goals) = (essentials.problem?, essentials.goals?);
    let (first, second) =
        if problem.lines.start <= goals.lines.start { (problem, goals) } else { (goals, problem) };
    let mut text = outline.text(first.lines.clone());
    if second.lines.start >= first.lines.end {
        text = format!("{}\n\n{}", text.trim_end(), outline.text(second.lines));
    }
    Some(format!("{}\n", text.trim_end()))
}

/// The section of constraints of a task list, which holds for all its tasks.
fn constraints(list: &str) -> Option<String> {
    let outline = Outline::parse(list);
    let is_one = |title: &str| title.to_lowercase().contains("constraint");
    let section = outline.sections().iter().find(|section| section.level > 0 && is_one(section.title))?;
    // Without its heading: the prompt has its own.
    let text = outline.text(section.own.start + 1..section.own.end);
    Some(format!("{}\n", text.trim())).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# Tasks\n\n## Constraints\n\n- Build: `make`\n\n## Phase 1\n\n### Task 1.1: One\n\n\
        **Done when:** it is there\n\n### Task 1.2: Two\n\n**Depends on:** 1.1\n";

    #[test]
    fn a_task_is_found_by_the_id_its_loop_was_opened_with() {
        let task = planned(LIST, "1.2").unwrap();
        assert_eq!((task.title.as_str(), task.depends_on.as_slice()), ("Two", ["1.1".to_owned()].as_slice()));
        let text = Outline::parse(LIST).text(planned(LIST, "1.1").unwrap().lines());
        assert!(text.starts_with("### Task 1.1: One\n") && !text.contains("Task 1.2"), "{text}");
        assert!(planned(LIST, "1.3").is_none() && planned("no list", "1.1").is_none());
    }

    #[test]
    fn the_constraints_of_a_list_are_taken_without_their_heading() {
        assert_eq!(constraints(LIST).as_deref(), Some("- Build: `make`\n"));
        assert_eq!(
            constraints("# Tasks\n\n## Constraints\n\n## Task 1: a\n"),
            None,
            "an empty section says nothing"
        );
        assert_eq!(constraints("# Tasks\n"), None);
    }

    #[test]
    fn problem_and_goals_are_taken_in_the_order_of_the_prd_and_only_both_together() {
        let prd = "# P\n\n## Goals\n\n- g\n\n## Notes\n\nn\n\n## Problem Statement\n\np\n";
        assert_eq!(wanted(prd).as_deref(), Some("## Goals\n\n- g\n\n## Problem Statement\n\np\n"));
        assert_eq!(wanted("# P\n\n## Goals\n\n- g\n"), None, "the whole PRD goes with the task instead");
        let inside = "# P\n\n## Problem\n\np\n\n### Goals\n\n- g\n";
        assert_eq!(wanted(inside).as_deref(), Some("## Problem\n\np\n\n### Goals\n\n- g\n"));
    }
}
