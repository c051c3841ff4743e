//! `redraft check`: an agent at work has one of the project's checks run once more. It asks the run that it works for
//! and prints the answer; it starts nothing itself, and no person needs it. `--serve` does the same as a tool, for
//! programs that have tools and no shell.

use crate::cli::mcp::reply::Reply;
use crate::cli::mcp::server::{Desk, serve};
use crate::cli::mcp::tools::{Tool, form};
use redraft_agents::programs::{DeskAnswer, ask, desk_of};
use redraft_engine::ports::{CHECK_TOOL, CheckWish, NO_CHECK};
use redraft_facts::ticket::Ticket;
use redraft_frame::args::CheckArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Serialize)]
struct Shown {
    v: u16,
    ran: bool,
    text: String,
}

pub(crate) fn check(
    args: CheckArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    if let Some(folder) = args.serve {
        return serve_tool(folder);
    }
    let Some(ticket) = &process.ticket else {
        return Err(CliError::usage("`redraft check` works only for a reviewer inside a run")
            .hint("run the command of the check itself; [checks] in redraft.toml has it")
            .hint("see how checks ended: redraft log"));
    };
    let ticket: Ticket = ticket
        .parse()
        .map_err(|_| CliError::usage("REDRAFT_TICKET does not name a dispatch, so nothing is run"))?;
    let repo = RepositoryContext::find(&process.folder)?;
    let desk = desk_of(&repo.state.join("runs").join(ticket.to_string()));
    let wish = CheckWish { name: args.name.unwrap_or_default(), test: args.test.unwrap_or_default() };
    let (ran, text) = asked(&desk, &wish);
    if !ran {
        return Err(CliError::usage(text));
    }
    match console.json {
        true => console.object(&Shown { v: 1, ran, text }),
        false => console.data(text.trim_end()),
    }
    Ok(ErrorCode::Done)
}

/// Whether it was run, and what is said about it.
fn asked(desk: &Path, wish: &CheckWish) -> (bool, String) {
    match ask(desk, wish) {
        Ok(Some(DeskAnswer { ran, text, .. })) => (ran, text),
        Ok(None) => (false, NO_CHECK.to_owned()),
        Err(error) => (false, format!("{}: {error}", desk.display())),
    }
}

/// Serves until the program that started it closes standard input, or a signal comes.
fn serve_tool(folder: PathBuf) -> Result<ErrorCode, CliError> {
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without it the signal ends the process, which is all the same.
        let _ = signal_hook::flag::register(signal, Arc::clone(&stopped));
    }
    let served = serve(&Arc::new(CheckTool { folder, stopped }));
    served.map_err(|detail| {
        CliError::new(ErrorCode::Agent, format!("the program broke the protocol: {detail}"))
    })?;
    Ok(ErrorCode::Done)
}

/// The one tool of a reviewer's program.
struct CheckTool {
    folder: PathBuf,
    stopped: Arc<AtomicBool>,
}

impl Desk for CheckTool {
    fn tools(&self) -> Vec<Tool> {
        let text = |description: &str| json!({ "type": "string", "description": description });
        let properties = json!({
            "name": text("Name of the check, as you were told it."),
            "test": text("Name of one test, where only that is to be run."),
        });
        vec![Tool {
            name: CHECK_TOOL,
            description: "Runs one of the project's checks once more, on a copy of what you review, and returns how it \
                          ended and the end of what it printed. Nothing else can be run.",
            schema: form(properties, &["name"]),
            reads: true,
        }]
    }

    fn instructions(&self) -> &'static str {
        "Runs the project's checks for a reviewer."
    }

    fn answer(self: Arc<Self>, tool: &str, arguments: &Map<String, Value>) -> Reply {
        let word = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (ran, text) = match tool == CHECK_TOOL {
            true => asked(&self.folder, &CheckWish { name: word("name"), test: word("test") }),
            false => (false, format!("there is no tool `{tool}` here")),
        };
        Reply { text, is_error: !ran }
    }

    fn meet(&self, _name: &str, _version: &str) {}

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}
