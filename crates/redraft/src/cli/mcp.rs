//! `redraft mcp`: the process for hosts, programs in which people already work with an agent.
//!
//! A server of the Model Context Protocol on standard input and output. `next` and `submit` are in files of their own;
//! the other tools are the commands people type, with `--json`. It starts no agent and sends nothing: whatever costs
//! money is done by the host, or by `redraft run`. The only asynchronous code of the program is in `server`, which hands
//! every call to a thread ([decision 11](../../../../docs/decisions/0011-a-runtime-for-the-protocol-only.md)).
//! Start at [`Desk::call`].

mod commands;
mod inlet;
mod next;
mod reply;
mod server;
mod submit;
mod tools;

use next::Job;
use redraft_facts::ids::FeatureId;
use redraft_frame::errors::{CliError, Code};
use redraft_frame::site::{Site, Surroundings};
use reply::Reply;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Where calls arrive. One for the life of the server; several calls may be under way at once.
pub(crate) struct Desk {
    around: Surroundings,
    /// How long `next` waits for work of our own before it says `wait`.
    patience: Duration,
    /// What is being driven on, feature by feature.
    jobs: Mutex<BTreeMap<FeatureId, Job>>,
    /// The features that a call of `next` is about, and when that changed.
    turns: Mutex<BTreeSet<FeatureId>>,
    turned: Condvar,
}

/// Serves until the host closes standard input, or a signal ends it.
pub(crate) fn mcp(patience_s: u64, mut around: Surroundings) -> Result<Code, CliError> {
    // Whoever decides here does it through a host, and the ledger says so.
    around.user = format!("{} via mcp", around.user);
    let desk = Arc::new(Desk {
        around,
        patience: Duration::from_secs(patience_s),
        jobs: Mutex::default(),
        turns: Mutex::default(),
        turned: Condvar::new(),
    });
    let served = server::serve(&desk);
    let interrupted = desk.around.stopped();
    desk.close();
    served.map_err(|detail| CliError::new(Code::Agent, format!("the host broke the protocol: {detail}")))?;
    Ok(if interrupted { Code::Interrupted } else { Code::Done })
}

impl Desk {
    /// Answers one call of a tool.
    fn call(self: &Arc<Self>, tool: &str, arguments: &Map<String, Value>) -> Reply {
        match self.answer(tool, arguments) {
            Ok(reply) => reply,
            Err(error) => Reply::error(&error.typed_here(&self.around)),
        }
    }

    fn answer(self: &Arc<Self>, tool: &str, arguments: &Map<String, Value>) -> Result<Reply, CliError> {
        match tool {
            "next" => next::next(self, tools::read(tool, arguments)?),
            "submit" => submit::submit(self, &tools::read(tool, arguments)?),
            _ => commands::perform(self, tool, arguments),
        }
    }

    /// The feature that is meant, as commands understand it.
    fn feature(&self, site: &Site, word: Option<&str>) -> Result<FeatureId, CliError> {
        let Some(ledger) = site.reader()? else {
            return Err(
                CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
            );
        };
        site.feature(&ledger, word)
    }

    /// Ends what is under way; what it had stored stays.
    fn close(&self) {
        self.around.clock.stop();
        let jobs = std::mem::take(&mut *self.jobs.lock().unwrap_or_else(PoisonError::into_inner));
        jobs.into_values().for_each(Job::join);
    }
}
