//! An agent: something that is given a prompt and a folder and answers.

use super::Moment;
use redraft_cost::price::Card;
use redraft_facts::choice::{Lifetime, Marks};
use redraft_facts::event::{AfterFailure, AgentIdentity, HostConversation};
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::{AgentName, Role, SessionId};
pub use redraft_facts::probed::Resume;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Payment, Usage, Usd};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What an agent at work asks for: one of the project's checks once more, or one test of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckWish {
    /// Empty where there is only one.
    pub name: String,
    /// The name of one test; empty for the whole check.
    pub test: String,
}

pub trait Agent: Send + Sync {
    fn name(&self) -> AgentName;

    /// What people read about it: the program or service and the model, e.g. `claude 2.1.197, claude-sonnet-5.5`. What
    /// a probe finds holds for exactly this.
    fn describe(&self) -> String;

    /// The agent's identity: stored with every dispatch, and named next to every verdict. Unlike [`Agent::describe`],
    /// which stored probes are compared by, it names no address.
    fn player(&self) -> AgentIdentity;

    fn abilities(&self) -> Abilities;

    /// The tools of a profile that it cannot offer. What it can offer comes from its configuration; if a tool turns out
    /// not to work later, that is a note of the outcome.
    fn missing(&self, tools: &[String]) -> Vec<String>;

    /// What its tokens are billed by, for predictions: the card that [`Agent::highest_cost`] uses.
    fn billing(&self) -> Billing;

    /// Whether nothing it does costs money.
    fn is_free(&self) -> bool;

    /// The most its first step can cost, reserved before it is sent: nothing read from the cache, and the longest
    /// answer allowed. Everything after that is asked for with [`RunHandle::afford`].
    fn highest_cost(&self, request: &Request) -> Usd;

    /// The finished answer to a ticket, where the agent keeps one that outlived the process which had asked for it.
    fn left_behind(&self, ticket: &Ticket) -> Option<Outcome>;

    /// The most a dispatch can have cost when it was not watched to its end, if that can be more than what was
    /// reserved: a program whose run and keeper were both killed goes on by itself, up to the limit it was given.
    fn unwatched(&self, _ticket: &Ticket) -> Option<Usd> {
        None
    }

    /// By how much one answer can exceed what is reserved for it, where the agent cannot limit the length of an answer.
    fn beyond(&self) -> Usd {
        Usd(0)
    }

    /// How far it, or the commands it runs, are held to a sandbox for a dispatch in this folder, found out by trying;
    /// none where it runs none, or in none.
    fn sandbox(&self, _folder: &Path) -> Option<String> {
        None
    }

    /// Answers, or fails in a way the engine can act on. Must return soon after `watch.stopped()`.
    fn run(&self, request: &Request, watch: &dyn RunHandle) -> Result<Outcome, AgentError>;
}

/// The prices and the model that an agent's tokens are billed by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Billing {
    /// The model as it is called, which says how texts are counted and how much it takes in.
    pub model: String,
    pub card: Card,
    /// About how many tokens its own tools and system text add to a prompt; bills correct it.
    pub overhead: u64,
}

/// Who plays which role.
pub trait Agents: Send + Sync {
    /// The agent that plays a role; the error says what is missing from the configuration.
    fn agent_for(&self, role: &Role) -> Result<Arc<dyn Agent>, String>;

    /// An agent by its name, whatever it plays now.
    fn named(&self, name: &AgentName) -> Result<Arc<dyn Agent>, String>;
}

/// What an agent can do. The engine relies on nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abilities {
    pub resume: Resume,
    /// Who names a new conversation.
    pub session_id: Naming,
    /// Which beginnings of a request the service behind it keeps.
    pub cache: Cache,
    /// How long it can keep them, the longest first. A request that asks for anything else gets the next longer one,
    /// or the longest there is.
    pub lifetimes: Vec<Lifetime>,
    /// Whether the agent reports which files it opened.
    pub opened_files: bool,
    /// Whether the agent is made to answer in the verdict's form.
    pub structured: bool,
    pub usage: UsageReport,
    /// Whether it fetches its work itself instead of being sent it: a host. A host is never run.
    pub pull: bool,
}

/// Who names a new conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// It is called what the request calls it.
    Ours,
    /// The agent names it; the name is in the outcome.
    Theirs,
}

/// Which beginnings of a request can be read again at the price of a cache hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    /// Beginnings that end at a boundary; at most this many boundaries in one request.
    Boundaries(u8),
    /// The system text, which is all but the turn, and the whole conversation up to its newest message.
    SystemAndLast,
    /// Any beginning, as far as it is the same.
    AnyPrefix,
    /// The conversation it continues, and no other.
    Conversation,
    None,
}

/// When an agent reports what it used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageReport {
    Streaming,
    AtEnd,
    Never,
}

/// One dispatch, ready to be sent.
#[derive(Debug, Clone)]
pub struct Request {
    pub ticket: Ticket,
    /// Fresh: the whole prompt, for the adapter to place. Resumed: the turn only; the adapter sends the stored
    /// rest again, byte for byte.
    pub prompt: Prompt,
    /// How long the constant fragments (`system`), the feature and the role fragments (`stable`) and all that follows
    /// them (`tail`) are to be kept. A part without a mark of its own is kept with the next one that has one; what
    /// follows the last mark need not be kept. None is longer than the one before it.
    pub marks: Marks,
    /// Tools the role's profile names and the agent offers, e.g. `Read`, `Grep`, `Write`.
    pub tools: Vec<String>,
    /// The JSON schema the answer must have.
    pub schema: &'static str,
    /// What the conversation is called; `resume` says whether it exists already.
    pub session: SessionId,
    pub resume: bool,
    /// The working folder; paths in the prompt are relative to it.
    pub folder: PathBuf,
    /// Files the role may change, relative to the folder.
    pub may_write: Vec<String>,
    /// Whether others are sent the same words up to the end of the feature fragments. An agent whose cache keeps few
    /// places then keeps the end of those, rather than the end of the role's own part.
    pub shares: bool,
    pub deadlines: Deadlines,
    /// For an agent that has to be told beforehand: the most it may cost, whatever other agents at work turn out to
    /// need.
    pub max_usd: Option<Usd>,
    /// The number of the worktree of its own that it works in, beside others; for whoever needs a port or a database of
    /// its own.
    pub slot: Option<u16>,
}

/// How long to wait for each thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    pub connect_ms: u64,
    pub first_byte_ms: u64,
    /// Between two signs of life.
    pub idle_ms: u64,
    pub total_ms: u64,
}

/// What came back. Stored as it is in `runs/TICKET/` before anything else happens with it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The answer; where the agent was made to answer in the verdict's form, that JSON.
    pub text: String,
    /// The conversation that can be continued, if any.
    pub session: Option<SessionId>,
    pub usage: Usage,
    /// The files it really opened, relative to the folder; none where the agent does not report them.
    pub opened: Option<Vec<String>>,
    /// Tools it asked for and was denied, and what it refused to do.
    pub denials: Vec<String>,
    /// What a person should know about how it went, such as why the cache was missed.
    pub notes: Vec<String>,
    /// Whether the agent was made to answer in the verdict's form and did not. The text is kept then, but it is not a
    /// verdict, whatever it says.
    pub formless: bool,
    /// When its last request was sent, in milliseconds since 1970; none where that is unknown.
    pub asked_ms: Option<i64>,
    /// How many requests the usage is for; none where the agent does not report it.
    pub requests: Option<u32>,
    /// The conversation of the host that submitted it, if one did.
    pub hand: Option<HostConversation>,
    /// Who pays for it, as far as the agent can tell.
    pub payment: Payment,
    /// How much of the cost is on no bill: a request that broke off, or reported nothing, counts as the most it can
    /// have been.
    pub unknown: Usd,
}

/// Why an agent gave no answer. `detail` is free of secrets.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{detail}")]
pub struct AgentError {
    pub now: AfterFailure,
    pub detail: String,
    /// What it cost nevertheless; none where that is not known, and then the budget counts what was reserved.
    pub usage: Option<Usage>,
    /// Whether the run was asked to stop, rather than the agent failing by itself.
    pub interrupted: bool,
}

impl AgentError {
    /// The usage of an attempt that is known to have cost nothing: nothing was sent, or it was refused unread.
    pub const UNBILLED: Option<Usage> =
        Some(Usage { uncached: 0, written: 0, read: 0, output: 0, cost: Usd(0) });
}

/// What a running agent can see of the run.
pub trait RunHandle: Send + Sync {
    /// Whether to give up now: the user interrupted.
    fn stopped(&self) -> bool;
    /// Waits at most this long; false when the run is asked to stop.
    fn wait_ms(&self, ms: u64) -> bool;
    /// The time of day, for what is recorded; see [`Clock::now_ms`](super::Clock::now_ms).
    fn now_ms(&self) -> i64;
    /// For limits.
    fn moment(&self) -> Moment;
    /// Reports what the agent does now, in a few words, for people who watch: `Read docs/spec.md`. Nothing depends on
    /// it.
    fn tell(&self, doing: &str);
    /// The agent begins to answer: from now on a cache holds what it was sent. Others that share that may wait for
    /// this.
    fn begun(&self) {}
    /// Whether the dispatch may cost this much in all, given the budget and whatever else is under way. Asked before
    /// each step that could exceed what was granted before; [`Agent::highest_cost`] is granted from the start.
    fn afford(&self, total: Usd) -> bool;
    /// The dispatch has already cost this much, or may have, whether or not that was granted. It counts from now on,
    /// even if the dispatch is never heard of again.
    fn owes(&self, _total: Usd) {}
    /// Has one of the project's checks run once more on what the agent reviews, in a throw-away copy, and returns what
    /// the agent is told about it. The error says why it was not run. The agent waits meanwhile, and its time passes;
    /// once it is `gone` the check is ended.
    fn check(&self, _wish: &CheckWish, _gone: &AtomicBool) -> Result<String, String> {
        Err(NO_CHECK.to_owned())
    }
}

/// A run seen through something that stands between it and an agent. All that is not said here is passed on.
pub trait RunBehind: Send + Sync {
    fn behind(&self) -> &dyn RunHandle;

    /// See [`RunHandle::stopped`].
    fn is_over(&self) -> bool {
        self.behind().stopped()
    }

    /// See [`RunHandle::check`].
    fn run_check(&self, wish: &CheckWish, gone: &AtomicBool) -> Result<String, String> {
        self.behind().check(wish, gone)
    }
}

impl<T: RunBehind> RunHandle for T {
    fn stopped(&self) -> bool {
        self.is_over()
    }

    fn wait_ms(&self, ms: u64) -> bool {
        self.behind().wait_ms(ms)
    }

    fn now_ms(&self) -> i64 {
        self.behind().now_ms()
    }

    fn moment(&self) -> Moment {
        self.behind().moment()
    }

    fn tell(&self, doing: &str) {
        self.behind().tell(doing);
    }

    fn begun(&self) {
        self.behind().begun();
    }

    fn afford(&self, total: Usd) -> bool {
        self.behind().afford(total)
    }

    fn owes(&self, total: Usd) {
        self.behind().owes(total);
    }

    fn check(&self, wish: &CheckWish, gone: &AtomicBool) -> Result<String, String> {
        self.run_check(wish, gone)
    }
}

/// Why nothing is run for most dispatches.
pub const NO_CHECK: &str = "no check is run for this dispatch: only reviewers of code may ask for one, where the engine has run it before";

/// The name of the tool that asks for [`RunHandle::check`], among the tools of a request.
pub use redraft_prompts::prompt::CHECK_TOOL;
