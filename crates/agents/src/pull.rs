//! A host: an agent that comes for its work, does it in a conversation of its own and brings it back.
//!
//! Nothing is started or sent here. A host does not report what it used, and has whatever tools it has. Each time it
//! asks for work it says which of its conversations it can continue. The interface decides how it asks, the engine what
//! it is given.

use redraft_cost::price::{Card, Cards};
use redraft_engine::ports::{
    Abilities, Agent, AgentError, Billing, Cache, Naming, Outcome, Request, Resume, RunHandle, UsageReport,
};
use redraft_facts::event::{AfterFailure, AgentIdentity, PlayerKind};
use redraft_facts::ids::AgentName;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;

/// Its name where the configuration names none.
pub const HOST: &str = "host";

pub struct PullAgent {
    name: AgentName,
    player: AgentIdentity,
    card: Card,
}

impl PullAgent {
    /// `told` is the name and the version that the host gives itself, if it has come.
    pub fn new(name: AgentName, told: Option<&(String, String)>) -> Self {
        let (program, version) = told.map_or(("", ""), |(name, version)| (name, version));
        // No host says which model it uses.
        let player = AgentIdentity::new(PlayerKind::Pull, program, version, "");
        PullAgent { name, player, card: Cards::builtin().conservative() }
    }
}

impl Agent for PullAgent {
    fn name(&self) -> AgentName {
        self.name.clone()
    }

    fn describe(&self) -> String {
        let AgentIdentity { program, version, .. } = &self.player;
        // What is shown of one host's memory says nothing about another's.
        match program.is_empty() {
            true => "a host that fetches its work".to_owned(),
            false => format!("a host that fetches its work: {program} {version}").trim_end().to_owned(),
        }
    }

    fn player(&self) -> AgentIdentity {
        self.player.clone()
    }

    /// This is unknown here; a role whose tool is missing says so in its answer.
    fn missing(&self, _tools: &[String]) -> Vec<String> {
        Vec::new()
    }

    /// Whatever it costs is between the host and its user.
    fn is_free(&self) -> bool {
        true
    }

    /// There is nothing to make predictions from, so none is kept.
    fn billing(&self) -> Billing {
        Billing { model: HOST.to_owned(), card: self.card.clone(), overhead: 0 }
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            resume: Resume::Unproved,
            session_id: Naming::Theirs,
            cache: Cache::None,
            lifetimes: Vec::new(),
            opened_files: false,
            structured: false,
            usage: UsageReport::Never,
            pull: true,
        }
    }

    /// What was submitted is kept in the inbox, and nowhere else.
    fn left_behind(&self, _ticket: &Ticket) -> Option<Outcome> {
        None
    }

    fn highest_cost(&self, _request: &Request) -> Usd {
        Usd(0)
    }

    fn run(&self, request: &Request, _watch: &dyn RunHandle) -> Result<Outcome, AgentError> {
        let detail = format!("{} fetches its work itself: {} was not sent", self.name, request.ticket);
        Err(AgentError {
            now: AfterFailure::AskPerson,
            detail,
            usage: AgentError::UNBILLED,
            interrupted: false,
        })
    }
}
