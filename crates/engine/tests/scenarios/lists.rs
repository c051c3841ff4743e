//! Lists of tasks that tests make up, with a turn of the implementer for each task.

use crate::script::{self, Step};
use redraft_facts::ids::{Role, TaskId};
use redraft_testkit::fakes::{Answers, Deed, ScriptedTurn, TurnEnd};

/// A task of a list; its id is its place, counted from 1.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) needs: Vec<usize>,
    pub(crate) files: Vec<String>,
}

/// The feature up to its task list, with a check.
pub(crate) fn begun(jobs: usize, list: &str) -> Vec<Step> {
    let mut steps = script::steps(&format!(
        "the feature goes until implement\nat most {jobs} tasks at once\ncode must pass tests: `run tests`\n"
    ));
    steps.extend(script::approved_tasks(list));
    steps
}

/// The review and the end of it.
pub(crate) fn ended() -> Vec<Step> {
    script::steps(
        "
        implementation-reviewer approves
        code-quality-reviewer approves
        security-reviewer approves
        the run is done
        ",
    )
}

/// What the implementer of a task does when it is asked next.
pub(crate) fn turn(task: usize, does: Vec<Deed>) -> Step {
    let says = r#"{"approved":true,"summary":"done","answers":[],"issues":[],"checks":[],"verified":[],"files_read":[]}"#;
    let when = Answers::Task(Role::new("implementer"), TaskId::new(task.to_string()));
    Step::Turn(ScriptedTurn { when, does, says: TurnEnd::Text(says.to_owned()) })
}

/// As it is written.
pub(crate) fn page(list: &[Listed]) -> String {
    let mut page = "# Tasks: report export\n".to_owned();
    for (at, task) in list.iter().enumerate() {
        page += &format!("\n## Task {}: Write part {}\n\nIt does its part.\n", at + 1, at + 1);
        if !task.files.is_empty() {
            page += &format!("\n**Files:** {}\n", task.files.join(", "));
        }
        if !task.needs.is_empty() {
            let needs: Vec<String> = task.needs.iter().map(|need| format!("Task {}", need + 1)).collect();
            page += &format!("\nDepends on: {}.\n", needs.join(", "));
        }
    }
    page
}
