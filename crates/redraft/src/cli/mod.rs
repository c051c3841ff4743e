//! The command line: one file per command, all of them thin.

mod adopt;
mod answer;
mod bank;
mod check;
mod clean;
mod comment;
mod completions;
mod cost_correct;
mod decide;
mod demo;
mod doctor;
mod eval;
mod finish;
mod hook;
mod init;
mod ledger;
mod man;
mod mcp;
mod new;
mod phase;
mod plugin;
mod project;
mod refold;
mod rehearse;
mod review;
mod run;
mod share;
mod status;
mod stop;
mod sync;
#[cfg(test)]
mod tests;
mod uninstall;

use clap::Parser;
use redraft_adapters::child::Environment;
use redraft_agents::config::UserSettings;
use redraft_frame::ancestry::worker_above;
use redraft_frame::args::{
    BackfillArgs, BankArgs, BankCommand, Cli, Command, ConfigArgs, CostArgs, CostCommand, ExportArgs,
    LogArgs, ManArgs, McpArgs, PluginCommand, ProjectArgs, ReportArgs, ShowCommand, When,
};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::{config, notify, trust, typing_errors, worker};
use redraft_views::{cost, lint, log, models, replay, report, show, ui, watch};
use std::process::ExitCode;
use std::sync::Arc;

/// Parses, performs, and turns the result into an exit code.
pub(crate) fn main() -> ExitCode {
    // What is contained starts often and reads no arguments of its own, so it does not wait for the parser.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == redraft_sandbox::CONTAINED) {
        return ExitCode::from(redraft_sandbox::contained(&words.collect::<Vec<_>>()));
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refused(&error),
    };
    let own = UserSettings::from_environment(&Environment(std::env::vars_os().collect()));
    let mut manners = own.manners();
    manners.colour = cli.color.map_or(manners.colour, When::into);
    let mut console = Console::new(cli.json, cli.quiet).with_manners(manners);
    (console.verbose, console.events) = (cli.verbose, cli.command.streams_events());
    // The person who started one of these may have gone away meanwhile.
    let takes_long = matches!(cli.command, Command::Run(_) | Command::Finish(_) | Command::Review(_));
    let done = match cli.command {
        // A hook must not fail, so nothing is gathered that could.
        Command::Hook(command) => return hook::hook(command, cli.dir.as_deref(), &console),
        // It has no context of its own: the process that started it decides where and with which variables it runs.
        Command::Worker(args) => worker::worker(args),
        // It keeps its context for as long as it serves.
        Command::Mcp(McpArgs { patience_s }) => ProcessContext::new(&cli).and_then(|mut process| {
            process.learn_keys(&cli.command);
            refuse_agents(&cli.command, &process)?;
            if console.can_ask() {
                console.say(
                    "waiting for a host on standard input; hosts start this command themselves; press Ctrl-C \
                        to end it",
                );
            }
            mcp::mcp(patience_s, process)
        }),
        _ => ProcessContext::new(&cli).and_then(|mut process| {
            trust::ask_first(&cli.command, &process, &console).map_err(|error| error.typed_here(&process))?;
            process.learn_keys(&cli.command);
            let process = Arc::new(process);
            if takes_long {
                notify::start(&process, &console);
            }
            perform(cli, &process, &console).map_err(|error| error.typed_here(&process))
        }),
    };
    if let Err(error) = &done {
        console.error(error);
    }
    console.tell_end(&done);
    ended(done.unwrap_or_else(|error| error.code), &console)
}

/// What could not be read as a command, or asked only for help or the version.
fn refused(error: &clap::Error) -> ExitCode {
    let mut console = Console::new(typing_errors::wants("--json", std::env::args_os()), false);
    console.events = typing_errors::wants("--events", std::env::args_os()) && error.use_stderr();
    if !error.use_stderr() {
        console.data(error.render().to_string().trim_end());
        return ended(ErrorCode::Done, &console);
    }
    if let Some(meant) = typing_errors::meant(error, std::env::args_os()) {
        console.error(&meant);
    } else if console.json || console.events {
        console.error(&typing_errors::explained(error));
    } else {
        // As clap writes it, with the usage line.
        let mut text = error.render().to_string();
        for word in std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()) {
            // It repeats what was typed, and a line break in that would begin a new line.
            if word.contains('\n') {
                text = text.replace(&word, &redraft_facts::harmless::name(&word));
            }
        }
        console.say(text.trim_end());
    }
    // To the host of a hook the code for usage would mean to stop what it does.
    let code = if hook::is_meant(std::env::args_os()) { ErrorCode::NotApproved } else { ErrorCode::Usage };
    ended(code, &console)
}

/// The final exit code: data that did not arrive is an error, whatever the command says.
fn ended(code: ErrorCode, console: &Console) -> ExitCode {
    let Some(lost) = console.lost() else { return ExitCode::from(code as u8) };
    let error = CliError::new(ErrorCode::Config, format!("cannot write to stdout: {lost}"));
    console.complain(&error.hint("the work is done and stored; only the report is missing"));
    ExitCode::from(error_code(code) as u8)
}

/// An error's own code says more than that it could not be shown.
fn error_code(code: ErrorCode) -> ErrorCode {
    if code == ErrorCode::Done { ErrorCode::Config } else { code }
}

/// An agent at work, and whatever else runs below a run, may look at things. It may not begin, decide or accept anything
/// in the user's name.
fn refuse_agents(command: &Command, process: &ProcessContext) -> Result<(), CliError> {
    let wish = match command {
        Command::Run(_) | Command::Finish(_) | Command::Review(_) => "start a run",
        Command::Doctor(_) => "start a probe",
        Command::New(_) => "begin a feature",
        Command::Adopt(_) => "take over features",
        Command::Project(ProjectArgs { command: Some(_) }) => "begin a project",
        Command::Decide(_) | Command::Phase(_) => "decide for a person",
        Command::Stop(_) => "stop a run",
        Command::Share(_) | Command::Sync => "send anything to others",
        Command::Comment(_) => "comment for a person",
        Command::Trust(_) => "accept anything for a person",
        Command::Cost(CostArgs { command: Some(_), .. }) => "say what something cost",
        Command::Mcp(_) | Command::Ui(_) => "serve others",
        Command::Rehearse(_) => "play another role",
        Command::Init | Command::Config(ConfigArgs { command: Some(_) }) => "write the configuration",
        Command::Clean(_) | Command::Uninstall(_) => "remove anything",
        Command::Ledger(_) => "read or change the ledger as a whole",
        Command::Eval(_) => "measure reviews",
        Command::Man(ManArgs { folder: Some(_) }) => "write pages",
        Command::Report(ReportArgs { output: Some(_), .. }) => "write reports",
        Command::Log(LogArgs { export: Some(_), .. }) => "write decision records",
        Command::Plugin(PluginCommand::Export(ExportArgs { dry_run: false, .. })) => "export a plugin",
        Command::Bank(BankArgs {
            command:
                Some(
                    BankCommand::Keep(_)
                    | BankCommand::Update(_)
                    | BankCommand::Retire(_)
                    | BankCommand::Backfill(BackfillArgs { write: true }),
                ),
            ..
        }) => "change the knowledge bank",
        Command::Demo(_)
        | Command::Project(ProjectArgs { command: None })
        | Command::Config(ConfigArgs { command: None })
        | Command::Status(_)
        | Command::Watch(_)
        | Command::Bank(_)
        | Command::Lint(_)
        | Command::Models
        | Command::Log(_)
        | Command::Show(_)
        | Command::Cost(_)
        | Command::Report(_)
        | Command::Replay(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Hook(_)
        | Command::Plugin(PluginCommand::Export(_))
        | Command::Check(_)
        | Command::Worker(_) => return Ok(()),
    };
    let who = match &process.ticket {
        Some(ticket) => format!("an agent at work on {ticket}"),
        None => match worker_above(&process.trust, || Some(process.repository().ok()?.state)) {
            Some(folder) => format!("what redraft has started ({})", folder.display()),
            None => return Ok(()),
        },
    };
    Err(CliError::usage(format!("{who} cannot {wish}")).hint("start it from a terminal of your own"))
}

pub(crate) fn perform(cli: Cli, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    refuse_agents(&cli.command, process)?;
    match cli.command {
        Command::Demo(args) => demo::demo(args, process, console),
        Command::Init => init::init(process, console),
        Command::Config(args) => config::config(args, process, console),
        Command::New(args) => new::new(args, process, console),
        Command::Adopt(args) => adopt::adopt(args, process, console),
        Command::Project(args) => project::project(args, process, console),
        Command::Run(args) => run::run(args, process, console),
        Command::Finish(args) => finish::finish(args, process, console),
        Command::Review(args) => review::review(args, process, console),
        Command::Decide(args) => decide::decide(args, process, console),
        Command::Comment(args) => comment::comment(args, process, console),
        Command::Phase(command) => phase::phase(command, process, console),
        Command::Status(args) => status::status(args, process, console),
        Command::Watch(args) => watch::watch(args, process, console),
        Command::Stop(args) => stop::stop(args, process, console),
        Command::Share(args) => share::share(&args, process, console),
        Command::Sync => sync::sync(process, console),
        Command::Bank(args) => bank::bank(args, process, console),
        Command::Doctor(args) => doctor::doctor(args, process, console),
        Command::Check(args) => check::check(args, process, console),
        Command::Clean(args) => clean::clean(args, process, console),
        Command::Uninstall(args) => uninstall::uninstall(args, process, console),
        Command::Ledger(command) => ledger::ledger(command, process, console),
        Command::Lint(args) => lint::lint(args, process, console),
        Command::Log(args) => log::log(args, process, console),
        Command::Show(ShowCommand::Prompt(args)) => show::prompt(args, process, console),
        Command::Show(ShowCommand::Findings(args)) => show::findings(args, process, console),
        Command::Show(ShowCommand::Tasks(args)) => show::documents::tasks(args, process, console),
        Command::Show(ShowCommand::Schedule(args)) => show::schedule::schedule(args, process, console),
        Command::Show(ShowCommand::Section(args)) => show::documents::section(args, process, console),
        Command::Show(ShowCommand::Context(args)) => show::documents::context(args, process, console),
        Command::Show(ShowCommand::PullRequest(args)) => {
            show::pull_request::pull_request(args, process, console)
        }
        Command::Show(ShowCommand::Trace(args)) => show::trace::trace(args, process, console),
        Command::Cost(CostArgs { command: Some(CostCommand::Correct(args)), .. }) => {
            cost_correct::correct(&args, process, console)
        }
        Command::Cost(args) => cost::cost(args, process, console),
        Command::Report(args) => report::report(args, process, console),
        Command::Ui(args) => ui::ui(args, process, console),
        Command::Replay(args) => replay::replay(args, process, console),
        Command::Eval(command) => eval::eval(command, process, console),
        Command::Models => models::models(process, console),
        Command::Rehearse(args) => rehearse::rehearse(args, process, console),
        // It was served before this point, and does not serve within itself.
        Command::Mcp(_) => Ok(ErrorCode::Done),
        Command::Plugin(command) => plugin::plugin(command, process, console),
        Command::Worker(args) => worker::worker(args),
        Command::Hook(_) => Ok(ErrorCode::Done),
        Command::Completions(args) => completions::completions(args, process, console),
        Command::Man(args) => man::man(args, process, console),
        Command::Trust(args) => trust::trust(args, process, console),
    }
}
