//! `redraft mcp`: serves the process to hosts, programs in which people already work with an agent.
//!
//! A server of the Model Context Protocol on standard input and output. `next` and `submit` are in files of their own;
//! the other tools are the commands people type, with `--json`. It starts no agent and sends nothing: the host, or
//! `redraft run`, does whatever costs money. Only `server` is asynchronous, and hands every call to a thread
//! ([decision 11](../../../../docs/decisions/0011-a-runtime-for-the-protocol-only.md)). Start at [`McpService::call`].

mod bounded_reader;
mod check;
mod commands;
mod next;
pub(crate) mod reply;
pub(crate) mod server;
mod submit;
pub(crate) mod tools;

use next::Job;
use redraft_facts::ids::FeatureId;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use reply::Reply;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Where calls arrive. One for the life of the server; several calls may be under way at once.
pub(crate) struct McpService {
    process: ProcessContext,
    /// How long `next` waits for our own work before it says `wait`.
    patience: Duration,
    /// What is being driven on, feature by feature.
    jobs: Mutex<BTreeMap<FeatureId, Job>>,
    /// The features that a call of `next` is about, and when that changed.
    turns: Mutex<BTreeSet<FeatureId>>,
    turned: Condvar,
    /// One check at a time runs for reviewers at work.
    checking: Mutex<()>,
}

/// Serves until the host closes standard input, or a signal ends it.
pub(crate) fn mcp(patience_s: u64, mut process: ProcessContext) -> Result<ErrorCode, CliError> {
    // Decisions made here come through a host, and the ledger says so.
    process.user = format!("{} via mcp", process.user);
    let desk = Arc::new(McpService {
        process,
        patience: Duration::from_secs(patience_s),
        jobs: Mutex::default(),
        turns: Mutex::default(),
        turned: Condvar::new(),
        checking: Mutex::default(),
    });
    let served = server::serve(&desk);
    let interrupted = desk.process.stopped();
    desk.close();
    served.map_err(|detail| {
        CliError::new(ErrorCode::Agent, format!("the host broke the protocol: {detail}"))
    })?;
    Ok(if interrupted { ErrorCode::Interrupted } else { ErrorCode::Done })
}

impl server::Desk for McpService {
    fn tools(&self) -> Vec<tools::Tool> {
        tools::all()
    }

    fn instructions(&self) -> &'static str {
        tools::INSTRUCTIONS
    }

    fn answer(self: Arc<Self>, tool: &str, arguments: &Map<String, Value>) -> Reply {
        match self.call(tool, arguments) {
            Ok(reply) => reply,
            Err(error) => Reply::error(&error.typed_here(&self.process)),
        }
    }

    fn meet(&self, name: &str, version: &str) {
        // It is set once; later calls come from the same host.
        let _ = self.process.host.set((name.to_owned(), version.to_owned()));
    }

    fn stopped(&self) -> bool {
        self.process.stopped()
    }
}

impl McpService {
    /// Answers one call of a tool.
    fn call(self: &Arc<Self>, tool: &str, arguments: &Map<String, Value>) -> Result<Reply, CliError> {
        match tool {
            "next" => next::next(self, tools::read(tool, arguments)?),
            "check" => check::check(self, &tools::read(tool, arguments)?),
            "submit" => submit::submit(self, &tools::read(tool, arguments)?),
            _ => commands::perform(self, tool, arguments),
        }
    }

    /// The feature that is meant, as commands understand it.
    fn feature(&self, repo: &RepositoryContext, word: Option<&str>) -> Result<FeatureId, CliError> {
        let Some(ledger) = repo.reader()? else {
            return Err(
                CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
            );
        };
        repo.feature(&ledger, word)
    }

    /// Ends what is under way; what was stored stays.
    fn close(&self) {
        self.process.clock.stop();
        let jobs = std::mem::take(&mut *self.jobs.lock().unwrap_or_else(PoisonError::into_inner));
        jobs.into_values().for_each(Job::join);
    }
}
