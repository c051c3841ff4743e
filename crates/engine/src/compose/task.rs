//! Reads one task and the parts of the documents that concern it, from the revision its implementer is shown.
//!
//! `documents` decides what is taken from each document ([`context::select`]); here it is read and cut out. Where no
//! task list was made, the specification is the one task.

use super::Texts;
use crate::ports::WorkspaceError;
use redraft_core::review::{DispatchOrder, Loop, SentBack, TaskEnd, TaskWork};
use redraft_documents::context::{self, Artifacts, ContextMode, LineRange};
use redraft_documents::sections::Outline;
use redraft_documents::tasks::{self, Task};
use redraft_documents::trace::TargetDocument;
use redraft_documents::{prd, task_id};
use redraft_facts::citation;
use redraft_facts::event::FeatureCreated;
use redraft_facts::findings::Finding;
use redraft_facts::ids::TaskId;
use redraft_facts::phase::Phase;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Unit;
use redraft_prompts::prompt::{Dependency, ReturnedTask, ReturnedWhy, TaskArtifact, TaskBrief};
use std::ops::Range;

/// The texts that the brief of a task is made of.
pub(super) struct TaskTexts {
    id: String,
    title: String,
    file: String,
    text: String,
    /// Whether the whole file is the task.
    whole: bool,
    says_when_done: bool,
    artifacts: Vec<Piece>,
    depends: Vec<(String, String, Option<String>)>,
    begun: bool,
    stopped: Option<String>,
    returned: Option<Returned>,
    pub(super) wanted: Option<String>,
    pub(super) constraints: Option<String>,
}

/// Why the work of the last turn did not become part of the feature.
struct Returned {
    why: SentBack,
    with: String,
    gained: String,
}

impl Returned {
    fn brief(&self) -> ReturnedTask<'_> {
        let why = match &self.why {
            SentBack::Conflict { files, .. } => ReturnedWhy::Conflict { files },
            SentBack::Red { gate, evidence, .. } => ReturnedWhy::Red { gate, evidence },
        };
        ReturnedTask { why, with: &self.with, gained: &self.gained }
    }
}

fn returned(
    texts: &Texts<'_>,
    state: &Loop,
    order: &DispatchOrder,
    work: &TaskWork,
) -> Result<Option<Returned>, WorkspaceError> {
    let Some(why) = work.returned.clone() else { return Ok(None) };
    let with: &[TaskId] = match &why {
        SentBack::Conflict { with, .. } => with,
        SentBack::Red { with, .. } => with.as_slice(),
    };
    let tasks = || state.implementing.iter().flat_map(|implementing| &implementing.tasks);
    let line = |id: &TaskId| {
        let title = tasks().find(|task| task.id == *id).map(|task| one_line(&task.title, 200));
        format!("- {id} {}", title.unwrap_or_default())
    };
    let with: Vec<String> = with.iter().map(line).collect();
    let gained = match (&order.since, &order.sees) {
        (Some(since), Some(sees)) if since != sees => texts.delta(since, sees)?,
        _ => String::new(),
    };
    Ok(Some(Returned { why, with: with.join("\n"), gained }))
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
        whole: true,
        says_when_done: true,
        artifacts: Vec::new(),
        depends: Vec::new(),
        begun: work.built || work.wrote.is_some() || work.own.is_some(),
        stopped: work.unfinished.clone(),
        returned: returned(texts, state, order, work)?,
        wanted: None,
        constraints: None,
    };
    let Some((list, found)) = list.as_deref().and_then(|list| Some((list, planned(list, id.as_str())?)))
    else {
        return Ok(Some(task));
    };
    task.file = created.path_of(Phase::CreateTasks.artifact());
    task.text = Outline::parse(list).text(found.lines());
    task.whole = false;
    task.says_when_done = found.done.is_some();
    task.depends = depends(state, &found);
    task.constraints = constraints(list);
    let artifacts = Artifacts {
        prd: prd.as_deref(),
        spec: spec.as_deref(),
        design: design.as_deref(),
        plan: plan.as_deref(),
    };
    let essentials = prd.as_deref().and_then(Essentials::read).filter(|_| some_name_parts(list, &artifacts));
    task.wanted = essentials.as_ref().map(|essentials| essentials.text.clone());
    let mut chosen = context::select(&found, &artifacts);
    chosen.leave_out_of_plan(plan.as_deref().unwrap_or_default(), &task.text);
    for selected in chosen.artifacts {
        let Some(text) = artifacts.get(selected.kind) else { continue };
        let (mut sections, mut reason) = (selected.sections, selected.reason);
        let path = match (selected.kind, selected.mode) {
            // What is given whole comes by strategy.
            (TargetDocument::Spec, _) => continue,
            (TargetDocument::Prd, ContextMode::Full) if essentials.is_none() => continue,
            // Other tasks are given it in part, and what stands before all tasks is the same for all.
            (TargetDocument::Prd, ContextMode::Full) => prd_path.clone(),
            (TargetDocument::Prd, _) => {
                // The problem and the goals stand before all tasks.
                sections.retain(|part| !essentials.as_ref().is_some_and(|known| known.hold(part)));
                if sections.is_empty() {
                    continue;
                }
                reason = "references name parts of it".to_owned();
                prd_path.clone()
            }
            (TargetDocument::Design | TargetDocument::Plan, _) => created.path_of(selected.kind.file()),
        };
        let (name, mode) = (selected.kind.file(), selected.mode);
        let text = match (mode, selected.kind) {
            (ContextMode::Scoped, TargetDocument::Plan) => {
                context::unsaid(&context::excerpt(text, &sections), &task.text)
            }
            (ContextMode::Scoped, _) => context::excerpt(text, &sections),
            (ContextMode::Full, _) => text.to_owned(),
            (ContextMode::Reference, _) => String::new(),
        };
        if mode == ContextMode::Scoped && text.is_empty() {
            continue;
        }
        task.artifacts.push(Piece { name, path, mode, text, reason });
    }
    Ok(Some(task))
}

impl TaskTexts {
    /// Everything that the list says about it.
    pub(super) fn all(&self) -> &str {
        &self.text
    }

    /// Whether a finding about the list is about this task: it names it, or quotes what the list says of it.
    pub(super) fn concerns(&self, finding: &Finding) -> bool {
        let said = [&finding.section, &finding.quote, &finding.description, &finding.suggestion];
        let names =
            |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == self.id);
        let quote = citation::fold(&finding.quote);
        let quotes = !quote.is_empty() && citation::fold(&self.text).contains(&quote);
        self.whole || quotes || said.into_iter().any(|text| names(text))
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
            text: if self.whole { "" } else { &self.text },
            says_when_done: self.says_when_done,
            artifacts: &artifacts,
            depends: &depends,
            begun: self.begun,
            stopped: self.stopped.as_deref(),
            returned: self.returned.as_ref().map(Returned::brief),
        })
    }
}

/// The task of the list that a loop was opened with under this id.
fn planned(list: &str, id: &str) -> Option<Task> {
    let tasks = tasks::read(list).ok()?.tasks;
    tasks.into_iter().find(|task| task.id.replace('/', "-") == id)
}

/// Whether a task of the list names the parts of the PRD that concern it. Then all of them begin with the problem and
/// the goals, so that the prompts of all tasks begin alike.
fn some_name_parts(list: &str, artifacts: &Artifacts<'_>) -> bool {
    let in_part = |task: &Task| {
        let selected = context::select(task, artifacts).artifacts;
        selected.iter().any(|one| one.kind == TargetDocument::Prd && one.mode != ContextMode::Full)
    };
    tasks::read(list).is_ok_and(|read| read.tasks.iter().any(in_part))
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

/// The problem and the goals of a PRD that has both.
struct Essentials {
    text: String,
    /// Lines counted from 0.
    lines: [Range<usize>; 2],
}

impl Essentials {
    fn read(prd: &str) -> Option<Essentials> {
        let outline = Outline::parse(prd);
        let essentials = prd::essentials(&outline);
        let (problem, goals) = (essentials.problem?.lines, essentials.goals?.lines);
        let (first, second) = if problem.start <= goals.start { (problem, goals) } else { (goals, problem) };
        let mut text = outline.text(first.clone());
        if second.start >= first.end {
            text = format!("{}\n\n{}", text.trim_end(), outline.text(second.clone()));
        }
        Some(Essentials { text: format!("{}\n", text.trim_end()), lines: [first, second] })
    }

    /// Whether all of a part stands among them.
    fn hold(&self, part: &LineRange) -> bool {
        let within =
            |lines: &Range<usize>| part.line as usize > lines.start && part.end_line as usize <= lines.end;
        self.lines.iter().any(within)
    }
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
        let wanted = |prd: &str| Essentials::read(prd).map(|essentials| essentials.text);
        let prd = "# P\n\n## Goals\n\n- g\n\n## Notes\n\nn\n\n## Problem Statement\n\np\n";
        assert_eq!(wanted(prd).as_deref(), Some("## Goals\n\n- g\n\n## Problem Statement\n\np\n"));
        let known = Essentials::read(prd).unwrap();
        let part = |line, end_line| LineRange { line, end_line, refs: Vec::new() };
        assert!(known.hold(&part(3, 5)) && known.hold(&part(11, 13)), "they are given already");
        assert!(!known.hold(&part(7, 9)) && !known.hold(&part(3, 9)), "what else a task names is not");
        assert_eq!(wanted("# P\n\n## Goals\n\n- g\n"), None, "the whole PRD is given instead");
        let inside = "# P\n\n## Problem\n\np\n\n### Goals\n\n- g\n";
        assert_eq!(wanted(inside).as_deref(), Some("## Problem\n\np\n\n### Goals\n\n- g\n"));
    }
}
