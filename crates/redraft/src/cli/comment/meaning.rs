//! What a comment on a closed phase means: what is opened again, what is reviewed anew, what is kept.

use redraft_core::pipeline::Pipeline;
use redraft_facts::phase::Phase;
use redraft_reports::question::QuestionForm;

pub(super) fn question(state: &Pipeline, phase: Phase) -> QuestionForm {
    QuestionForm::yes_or_no(
        &format!("{phase} {}. Open it again for your comment?", over(state, phase)),
        lines(state, phase),
        "the feature goes back there, with what exists",
        "nothing is said, and nothing changes",
    )
}

fn lines(state: &Pipeline, phase: Phase) -> Vec<String> {
    let standing = state.standing().find(|one| one.opened.phase == phase);
    let roles: Vec<&str> = standing
        .iter()
        .flat_map(|one| &one.opened.panels)
        .flat_map(|panel| &panel.roles)
        .map(|member| member.role.as_str())
        .collect();
    let reviewed = match roles.as_slice() {
        [] => "and the result passes the gates again".to_owned(),
        roles => format!("and {} review the result", roles.join(", ")),
    };
    let mut lines = vec![format!(
        "{phase} is opened again: its author works your comment into {}, {reviewed}",
        made(phase)
    )];
    let later: Vec<Phase> = state.phases().filter(|one| *one > phase && begun(state, *one)).collect();
    if later.is_empty() {
        lines.push("no later phase has begun, so nothing else is affected".to_owned());
        return lines;
    }
    let names: Vec<&str> = later.iter().map(|one| one.name()).collect();
    let kept: Vec<&str> = later.iter().map(|one| made(*one)).collect();
    lines.push(format!("the later phases lose their approval and are reviewed again: {}", names.join(", ")));
    lines.push(format!("their results are kept as a starting point: {}", kept.join(", ")));
    lines
}

/// How a phase came to be over.
pub(super) fn over(state: &Pipeline, phase: Phase) -> &'static str {
    if state.skipped.contains(&phase) { "is skipped" } else { "is closed" }
}

fn begun(state: &Pipeline, phase: Phase) -> bool {
    let open = state.open.as_ref().is_some_and(|open| open.opened.phase == phase);
    open || state.is_over(phase)
}

/// What a phase makes, in a word.
fn made(phase: Phase) -> &'static str {
    match phase {
        Phase::Implement => "the code",
        phase => phase.artifact(),
    }
}
