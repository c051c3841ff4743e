//! Merges a feature at the end of a run, if that is wanted.

use redraft_agents::config::Config;
use redraft_engine::Run;
use redraft_engine::ports::Clock as _;
use redraft_facts::phase::Phase;
use redraft_frame::args::RunArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::projections::BoardRow;
use redraft_reports::question::QuestionForm;
use redraft_views::board;

/// What became of the request to merge.
#[derive(PartialEq, Eq)]
pub(super) enum Merging {
    Not,
    /// It was requested, and nobody has agreed.
    Wanted,
    Done,
}

/// Why the question can be asked.
fn finished(run: &Run<'_>, repo: &RepositoryContext, process: &ProcessContext) -> String {
    match BoardRow::new(run.state(), process.clock.now_ms()).unchecked {
        true => format!("the feature is finished; {}", board::no_check_ran(repo, process)),
        false => "the feature is finished, and the checks passed on what would be merged".to_owned(),
    }
}

/// Merges a feature that has come to its end, where that is wanted: at once where a person typed it or agreed
/// beforehand, else after a question.
pub(super) fn merge(
    run: &mut Run<'_>,
    repo: &RepositoryContext,
    config: &Config,
    args: &RunArgs,
    typed: bool,
    process: &ProcessContext,
    console: &Console,
) -> Result<Merging, CliError> {
    let state = run.state();
    let ready = state.closed(Phase::Finish).is_some() && state.merged.is_none() && !state.cancelled;
    let into = state.created.as_ref().map(|created| created.base_branch.clone()).unwrap_or_default();
    if let Some(merged) = state.merged.as_ref().filter(|_| args.merge) {
        console.say(&format!("it was merged before, into {}: {}", merged.into, merged.commit));
    }
    if !ready || into.is_empty() && !args.merge {
        return Ok(Merging::Not);
    }
    let agreed = match (args.merge, typed || args.yes) {
        (true, true) => true,
        (false, true) => return Ok(Merging::Not),
        (wanted, false) if console.can_ask() => {
            let form = QuestionForm::yes_or_no(
                &format!("Should it be merged into {into} now?"),
                vec![finished(run, repo, process)],
                &format!("{into} has the feature; nothing is pushed"),
                "its branch stays as it is, ready to be merged",
            );
            let yes = console.agrees(&form, &process.clock);
            if !yes && wanted {
                return Ok(Merging::Wanted);
            }
            yes
        }
        (true, false) => {
            console.say(&format!("merging into {into} needs your yes: --yes, or the command below"));
            return Ok(Merging::Wanted);
        }
        (false, false) => false,
    };
    if !agreed {
        return Ok(Merging::Not);
    }
    // Where the base has moved, checks run once more, and the base may have brought other commands.
    if let Some(created) = &run.state().created {
        let then = format!("redraft finish {} --merge", created.id);
        redraft_frame::trust::require_for_checks(repo, config, &then, process)?;
    }
    let _lock = repo.lock_repository(process, console)?;
    let merged = run.merge(config.finish.history)?;
    console.say(&format!("merged into {}: {}", merged.into, merged.commit));
    Ok(Merging::Done)
}
