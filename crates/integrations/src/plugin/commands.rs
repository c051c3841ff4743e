//! The commands that people type to begin, go on or look: short texts that refer the agent to the tools, and describe
//! nothing that the process decides.

use super::words::{Names, fill};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;

const PHASE: &str = include_str!("../../texts/plugin/command-phase.md");
const NEW: &str = include_str!("../../texts/plugin/command-new.md");
const NEXT: &str = include_str!("../../texts/plugin/command-next.md");
const CONTINUE: &str = include_str!("../../texts/plugin/command-continue.md");
const STATUS: &str = include_str!("../../texts/plugin/command-status.md");
const REVIEW: &str = include_str!("../../texts/plugin/command-review.md");

/// The tools of the MCP server that a command may call without asking. `decide` is not one of them: a person decides,
/// and asking once more makes sure of that.
const LOOKING: &[&str] = &["status", "findings", "context", "cost", "lint"];
const WORKING: &[&str] = &["status", "next", "submit", "findings", "context", "cost", "lint"];

#[derive(Debug)]
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) description: String,
    pub(super) arguments: &'static str,
    /// Tools of the MCP server.
    pub(super) tools: &'static [&'static str],
    /// A command of the shell, with whatever follows it.
    pub(super) runs: Option<&'static str>,
    pub(super) body: String,
}

/// Every command, those of the phases last and in their order.
pub(super) fn commands(names: &Names) -> Vec<Command> {
    let command = |name, description: &str, arguments, tools, runs, body: &str| Command {
        name,
        description: description.to_owned(),
        arguments,
        tools,
        runs,
        body: names.fill(body),
    };
    let mut commands = vec![
        command("new", "Begin a feature with Redraft", "IDEA", LOOKING, Some("redraft new"), NEW),
        command(
            "next",
            "Do the next piece of work for Redraft, and only that",
            "[FEATURE]",
            WORKING,
            None,
            NEXT,
        ),
        command(
            "continue",
            "Go on with a feature until a person is needed or nothing is owed",
            "[FEATURE]",
            WORKING,
            None,
            CONTINUE,
        ),
        command("status", "Say where the features of Redraft stand", "[FEATURE]", LOOKING, None, STATUS),
        command(
            "review",
            "Have Redraft review one document or what a branch changes",
            "FILE | --base BRANCH",
            LOOKING,
            Some("redraft review"),
            REVIEW,
        ),
    ];
    commands.extend(Phase::ALL.into_iter().map(|phase| {
        let what = what(phase);
        let body = fill(PHASE, &[("phase", phase.name()), ("what", what)]);
        let description = format!("Take a feature through Redraft's phase {}: {what}", phase.name());
        command(phase.name(), &description, "[FEATURE]", WORKING, None, &body)
    }));
    commands
}

/// What a phase ends in.
fn what(phase: Phase) -> &'static str {
    match phase {
        Phase::Specify => "a specification that its reviewers approve",
        Phase::Design => "a design that its reviewers approve",
        Phase::CreatePlan => "a plan that its reviewers approve",
        Phase::CreateTasks => "a task list that its reviewers approve",
        Phase::Implement => "code that is built task by task, checked and reviewed",
        Phase::Finish => "a checked merge result, what was learned, and a branch that is ready",
        // No feature passes through this phase, so there is no command for it.
        Phase::Document => "a document that its reviewer approves",
    }
}
