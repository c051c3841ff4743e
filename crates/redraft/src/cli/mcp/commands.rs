//! The tools that are commands: what people type, with `--json`. They answer nothing that a command would not print.

use super::reply::{Costs, InFile, OfPhase, Reply, Spent, TOKENS_MAX, tokens};
use super::{CliError, McpService, RepositoryContext, tools};
use clap::Parser as _;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Store as _;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::Usd;
use redraft_frame::args::{Cli, Command};
use redraft_frame::console::Console;
use redraft_frame::errors::ErrorCode;
use redraft_frame::whole_file;
use redraft_reports::projections::costs::{Sum, costs};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::ffi::OsString;

/// A model writes the number of a feature as a number as often as it writes a string.
pub(super) fn feature_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "the number of a feature, such as \"031\"")]
    enum Name {
        Text(String),
        Number(u64),
    }
    Ok(Option::deserialize(from)?.map(|name| match name {
        Name::Text(text) => text,
        Name::Number(number) => number.to_string(),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Of {
    #[serde(default, deserialize_with = "feature_name")]
    feature: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecideArgs {
    #[serde(default, deserialize_with = "feature_name")]
    feature: Option<String>,
    choice: String,
    #[serde(default)]
    why: String,
    #[serde(default)]
    answers: Vec<String>,
    /// The revision that the person looked at.
    revision: Option<String>,
    /// The question that they were asked.
    seen: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContextArgs {
    #[serde(default, deserialize_with = "feature_name")]
    feature: Option<String>,
    task: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LintArgs {
    /// A feature's number, a file or a folder.
    target: Option<String>,
}

pub(super) fn perform(
    desk: &McpService,
    tool: &str,
    arguments: &Map<String, Value>,
) -> Result<Reply, CliError> {
    let words: Vec<OsString> = match tool {
        "status" => typed("status", [], tools::read::<Of>(tool, arguments)?.feature),
        "findings" => {
            let Of { feature } = tools::read(tool, arguments)?;
            [vec!["show".into()], typed("findings", [], feature)].concat()
        }
        "decide" => {
            let DecideArgs { feature, choice, why, answers, revision, seen } = tools::read(tool, arguments)?;
            let given = answers.into_iter().map(|answer| format!("--answer={answer}"));
            let revision = revision.into_iter().map(|revision| format!("--revision={revision}"));
            let seen = seen.into_iter().map(|seen| format!("--seen={seen}"));
            let flags = std::iter::once(format!("--why={why}")).chain(given).chain(revision).chain(seen);
            // The feature is given explicitly, or an unknown choice would be taken for a feature.
            let id = desk.feature(&RepositoryContext::find(&desk.process.folder)?, feature.as_deref())?;
            typed("decide", flags, [id.to_string(), choice])
        }
        "context" => {
            let ContextArgs { feature, task } = tools::read(tool, arguments)?;
            let folder = folder(desk, feature.as_deref())?;
            [vec!["show".into()], typed("context", [format!("--task={task}")], [folder])].concat()
        }
        "lint" => typed("lint", [], tools::read::<LintArgs>(tool, arguments)?.target),
        "cost" => return cost(desk, &tools::read(tool, arguments)?),
        _ => {
            return Err(CliError::usage(format!("there is no tool `{tool}`"))
                .hint(format!("there are {}", tools::NAMES.join(", "))));
        }
    };
    let all = [vec!["redraft".into(), "--json".into()], words].concat();
    let mut cli =
        Cli::try_parse_from(all).map_err(|error| redraft_frame::typing_errors::explained(&error))?;
    if let Command::Decide(args) = &mut cli.command {
        args.through_host = true;
    }
    let console = Console::capturing();
    match crate::cli::perform(cli, &desk.process, &console) {
        // An exit code other than success is still an answer: findings, a question.
        Ok(_) => bounded(desk, tool, Reply::printed(&console)),
        Err(error) => Err(error),
    }
}

/// A command with its flags, followed by anything that might look like one.
fn typed(
    command: &str,
    flags: impl IntoIterator<Item = String>,
    rest: impl IntoIterator<Item = String>,
) -> Vec<OsString> {
    let before = std::iter::once(command.to_owned()).chain(flags).chain(["--".to_owned()]);
    before.chain(rest).map(OsString::from).collect()
}

/// The folder that holds a feature's documents.
fn folder(desk: &McpService, feature: Option<&str>) -> Result<String, CliError> {
    let repo = RepositoryContext::find(&desk.process.folder)?;
    let id = desk.feature(&repo, feature)?;
    let Some(ledger) = repo.reader()? else { return Ok(String::new()) };
    let created = repo.created(&ledger, id)?;
    let folder = repo.worktree(&created)?.join(created.folder());
    if !folder.join("tasks.md").is_file() {
        return Err(CliError::usage(format!("feature {id} has no tasks.md yet"))
            .hint("it is written in the phase create-tasks; call `next` to continue"));
    }
    Ok(folder.display().to_string())
}

/// The sums of a feature's receipt; its lines are what `redraft cost` is for.
fn cost(desk: &McpService, args: &Of) -> Result<Reply, CliError> {
    let repo = RepositoryContext::find(&desk.process.folder)?;
    let id = desk.feature(&repo, args.feature.as_deref())?;
    let Some(ledger) = repo.reader()? else { return Err(CliError::usage("there is no feature here yet")) };
    let entries = ledger.read(Scope::Feature(id))?;
    let costs = costs(&entries);
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    let sum = |sum: &Sum| Spent {
        dispatches: sum.dispatches,
        billed: sum.money().spent.to_string(),
        covered: Some(sum.money().covered)
            .filter(|covered| *covered > Usd(0))
            .map(|covered| covered.to_string()),
        login: Some(sum.money().login).filter(|login| *login > Usd(0)).map(|login| login.to_string()),
        unknown: sum.unknown,
        counted: sum.reserved.to_string(),
    };
    let phases = costs.phases.iter().map(|one| OfPhase {
        phase: one.phase.name(),
        pass: one.pass,
        sum: sum(&one.sum),
    });
    Ok(Reply::new(&Costs {
        v: 1,
        feature: id.to_string(),
        sum: sum(&costs.sum),
        phases: phases.collect(),
        judged_by: state.judged_by(),
        rehearsed: state.is_rehearsed(),
        more: desk.process.next(&format!("redraft cost {id}")),
    }))
}

/// What is too long for a conversation becomes a file, which a host can read as far as it needs.
fn bounded(desk: &McpService, tool: &str, reply: Reply) -> Result<Reply, CliError> {
    let long = tokens(&reply.text);
    if long <= TOKENS_MAX {
        return Ok(reply);
    }
    let repo = RepositoryContext::find(&desk.process.folder)?;
    repo.require_own_state()?;
    let file = repo.state.join("mcp").join(format!("{tool}.json"));
    whole_file::keep(&file, &reply.text)?;
    Ok(Reply::new(&InFile { v: 1, file: file.display().to_string(), tokens: long }))
}
