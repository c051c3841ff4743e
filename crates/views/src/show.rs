//! `redraft show`: looks inside a feature. `documents` needs no feature, only documents; `trace` shows the trace of a
//! feature, `schedule` which of its tasks may run side by side.

pub mod documents;
mod example;
mod findings;
pub mod pull_request;
pub mod schedule;
pub mod trace;

use example::example;
pub use findings::{findings, table};
use redraft_adapters::inbox::FileInbox;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::compose;
use redraft_engine::ports::Store;
use redraft_facts::event::{Entry, Event, Started};
use redraft_facts::fragment::Prompt;
use redraft_facts::ticket::{Scope, Ticket};
use redraft_frame::args::PromptArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::resolve::ticket_in;
use serde::Serialize;

fn open(
    repo: &RepositoryContext,
    word: Option<&str>,
    process: &ProcessContext,
) -> Result<(Ledger, Scope, Vec<Entry>), CliError> {
    let Some(ledger) = repo.reader()? else {
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let scope = repo.resolve_scope(&ledger, word, process)?;
    let entries = ledger.read(scope.clone())?;
    Ok((ledger, scope, entries))
}

/// The scope of the events, in a sentence.
fn whom(scope: &Scope) -> String {
    match scope {
        Scope::Feature(id) => format!("feature {id}"),
        other => other.to_string(),
    }
}

#[derive(Default, Serialize)]
struct PromptJson {
    v: u16,
    ticket: String,
    strategy: &'static str,
    why: String,
    sha256: String,
    chars: u64,
    fragments: Vec<FragmentJson>,
    /// The folder that holds all that the program printed that was sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    printed: Option<String>,
}

#[derive(Serialize)]
struct FragmentJson {
    name: String,
    stability: &'static str,
    bytes: usize,
    text: String,
}

pub fn prompt(args: PromptArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    if args.example.is_some() {
        return example(&args, process, console);
    }
    let repo = process.repository()?;
    let whole: Option<Ticket> = args.ticket.as_deref().and_then(|word| word.parse().ok());
    if let Some(Ticket { scope: scope @ (Scope::Agent(_) | Scope::Review(_)), .. }) = &whole {
        let ledger = repo.reader()?;
        let Some(ledger) = ledger else { return Err(CliError::usage("nothing has been sent here yet")) };
        let entries = ledger.read(scope.clone())?;
        let (whom, command) = match scope {
            Scope::Agent(agent) => (format!("agent {agent}"), format!("redraft doctor --agent {agent}")),
            _ => (scope.to_string(), "redraft review FILE".to_owned()),
        };
        return show_prompt(&args, whole.as_ref(), (&repo, &ledger), &entries, (&whom, &command), console);
    }
    let of_ticket = whole.as_ref().map(|ticket| ticket.scope.to_string());
    let (ledger, scope, entries) = open(&repo, args.feature.as_deref().or(of_ticket.as_deref()), process)?;
    let ticket = args.ticket.as_deref().map(|word| ticket_in(&scope, word)).transpose()?;
    if args.verify {
        return verify(&repo, &ledger, &scope, &entries, process, console);
    }
    let command = match &scope {
        Scope::Feature(id) => format!("redraft run {id}"),
        _ => "redraft review FILE".to_owned(),
    };
    let whom = whom(&scope);
    show_prompt(&args, ticket.as_ref(), (&repo, &ledger), &entries, (&whom, &command), console)
}

/// The newest prompt that was asked for. `whom` is the scope it was sent for, with the command that sends the first
/// one.
fn show_prompt(
    args: &PromptArgs,
    ticket: Option<&Ticket>,
    (repo, ledger): (&RepositoryContext, &Ledger),
    entries: &[Entry],
    (whom, command): (&str, &str),
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let started = entries.iter().rev().filter_map(|entry| match &entry.event {
        Event::Started(started) => Some(started),
        _ => None,
    });
    let wanted = |started: &&Started| {
        ticket.is_none_or(|ticket| started.ticket == *ticket)
            && args.role.as_deref().is_none_or(|role| started.ticket.role.as_str() == role)
            && args.strategy.as_deref().is_none_or(|strategy| started.choice.strategy.name() == strategy)
    };
    let all: Vec<&Started> = started.collect();
    let Some(started) = all.iter().copied().find(wanted) else {
        let error = CliError::usage(format!("no such prompt was sent for {whom}"));
        let sent: Vec<String> = all.iter().map(|started| started.ticket.to_string()).collect();
        return Err(match sent.as_slice() {
            [] => error.hint(format!("nothing has been sent yet: {command}")),
            sent => error.hint(format!("sent so far: {}", sent.join(" "))),
        });
    };
    let prompt = read(ledger, started)?;
    let printed = FileInbox::new(&repo.state).printed(&started.ticket);
    let choice = &started.choice;
    let about = PromptJson {
        v: 1,
        ticket: started.ticket.to_string(),
        strategy: choice.strategy.name(),
        why: choice.why.clone(),
        sha256: started.prompt.to_string(),
        printed: printed.map(|folder| folder.display().to_string()),
        ..PromptJson::default()
    };
    shown(&prompt, about, console)
}

fn shown(prompt: &Prompt, about: PromptJson, console: &Console) -> Result<ErrorCode, CliError> {
    let fragments = prompt.fragments().map(|(stability, fragment)| FragmentJson {
        name: fragment.name.clone(),
        stability: stability.name(),
        bytes: fragment.text.len(),
        text: fragment.text.clone(),
    });
    let shown = PromptJson { chars: prompt.chars(), fragments: fragments.collect(), ..about };
    console.say(&format!("{}, {}: {}", shown.ticket, shown.strategy, shown.why));
    for fragment in &shown.fragments {
        console
            .say(&format!("  {:<9} {:<18} {:>7} bytes", fragment.stability, fragment.name, fragment.bytes));
    }
    if let Some(folder) = &shown.printed {
        console.say(&format!("all that its program printed: stdout and stderr in {folder}"));
    }
    console.show(&prompt.text(), &shown);
    Ok(ErrorCode::Done)
}

fn read(ledger: &Ledger, started: &Started) -> Result<Prompt, CliError> {
    let bytes = ledger.blob(&started.prompt)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        CliError::new(
            ErrorCode::Config,
            format!("the stored prompt of {} is damaged: {error}", started.ticket),
        )
    })
}

#[derive(Serialize)]
struct VerifyJson {
    v: u16,
    prompts: usize,
    differing: Vec<String>,
}

/// Shows for one feature that the same events and inputs give byte-identical prompts.
fn verify(
    repo: &RepositoryContext,
    ledger: &Ledger,
    scope: &Scope,
    entries: &[Entry],
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    if let Scope::Feature(id) = scope {
        repo.refuse_cleaned(*id)?;
    }
    let created = repo.created_in(ledger, scope.clone())?;
    let workspace = repo.workspace(&created)?;
    let rebuilt = compose::rebuild(ledger, &workspace, entries, &process.redactor)?;
    let sent = entries.iter().filter(|entry| matches!(entry.event, Event::Started(_))).count();
    let mut differing: Vec<String> = Vec::new();
    for one in &rebuilt {
        let bytes = serde_json::to_vec(&one.prompt).unwrap_or_default();
        if redraft_facts::text::hash(&bytes) != one.stored || ledger.blob(&one.stored)? != bytes {
            differing.push(one.ticket.to_string());
        }
    }
    let missing = sent - rebuilt.len();
    let text = match (differing.as_slice(), missing) {
        ([], 0) => {
            format!("{sent} prompts of {} were rebuilt from the ledger and are identical", whom(scope))
        }
        (differing, _) => format!("prompts that differ: {}; not rebuilt: {missing}", differing.join(" ")),
    };
    let fine = differing.is_empty() && missing == 0;
    console.show(&text, &VerifyJson { v: 1, prompts: sent, differing });
    Ok(if fine { ErrorCode::Done } else { ErrorCode::NotApproved })
}
