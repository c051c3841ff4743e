//! Reads what is to be carried out: the tasks of a feature, in their order.

use crate::ending::EngineError;
use crate::worktree::Worktree;
use redraft_core::pipeline::Pipeline;
use redraft_documents::schedule::ScheduledTask;
use redraft_documents::sections::Outline;
use redraft_documents::{task_id, tasks};
use redraft_facts::event::{Adopted, PlannedTask};
use redraft_facts::ids::TaskId;
use redraft_facts::phase::Phase;
use redraft_facts::text::{hash, one_line};
use std::collections::BTreeMap;

/// What is to be carried out, in its order. Where no list was made, the specification is the one task.
pub(crate) fn planned(worktree: Worktree<'_>, state: &Pipeline) -> Result<Vec<PlannedTask>, EngineError> {
    let Worktree { workspace, created, .. } = worktree;
    const TITLE_CHARS_MAX: usize = 200;
    let path = created.path_of(Phase::CreateTasks.artifact());
    let bytes = workspace.read(&path)?;
    let Some(bytes) = bytes.filter(|_| state.left_out(Phase::CreateTasks).is_none()) else {
        let title = one_line(&created.idea, TITLE_CHARS_MAX);
        let spec = workspace.read(&created.path_of(Phase::Specify.artifact()))?;
        let text = hash(&spec.unwrap_or_default());
        return Ok(vec![PlannedTask {
            id: TaskId::new("1"),
            title,
            text,
            ticked: false,
            needs: vec![],
            files: vec![],
        }]);
    };
    let text = String::from_utf8_lossy(&bytes);
    let wrong = |detail: String| EngineError::Tasks { feature: created.id, path: path.clone(), detail };
    let list = tasks::read(&text).map_err(|none| wrong(none.to_string()))?;
    let outline = Outline::parse(&text);
    // A ticked box counts as a person's word only where the list was adopted with it; in a list that agents wrote it
    // proves nothing.
    let taken = |taken: &Adopted| taken.accepted.contains(&Phase::CreateTasks);
    let taken = state.adopted.as_ref().is_some_and(taken);
    let unknown = tasks::unknown(&list.tasks);
    let mut seen = BTreeMap::new();
    let mut planned = Vec::new();
    for task in tasks::order(&list).map_err(|cycle| wrong(cycle.to_string()))? {
        if let Some(first) = seen.insert(task_id::key(&task.id), task.line) {
            return Err(wrong(format!(
                "task {} is defined in line {first} and again in line {}",
                task.id, task.line
            )));
        }
        let title = one_line(&task.title, TITLE_CHARS_MAX);
        let text = hash(outline.text(task.lines()).trim_end().as_bytes());
        let (id, ticked) = (TaskId::new(task.id.replace('/', "-")), taken && task.is_ticked(&outline));
        // By the ids that the loop knows them by.
        let needs = ScheduledTask::needs(task, &unknown).map(|need| need.replace('/', "-")).collect();
        planned.push(PlannedTask { id, title, text, ticked, needs, files: task.files.clone() });
    }
    Ok(planned)
}
