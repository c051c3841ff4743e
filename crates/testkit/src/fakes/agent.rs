//! Agents that answer as scripted, or fail in any way an agent can.
//!
//! All agents of a scenario share one script, so that its order is the order of the scenario. A turn is used up by the
//! question it answers. After a crash, [`ScriptedAgents::forget_unheard`] gives back the turns whose answers were lost:
//! a role that is asked again says the same again.

mod at_work;

use super::clock::StillClock;
use super::comment_box::MemoryCommentBox;
use super::turn::{Deed, ScriptedTurn, TurnEnd};
use super::{Crash, Outside, locked};
use at_work::AtWork;
use redraft_cost::price::{Card, Cards};
use redraft_engine::ports::{
    Abilities, Agent, AgentError, Agents, Billing, Cache, CheckWish, Naming, Outcome, Request, Resume,
    RunHandle, UsageReport,
};
use redraft_facts::choice::Lifetime;
use redraft_facts::event::{AfterFailure, AgentIdentity, PlayerKind};
use redraft_facts::ids::{AgentName, Role, SessionId};
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Usage, Usd};
use redraft_prompts::prompt;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex};

/// What an answer costs, and what is reserved for one.
const COST: Usd = Usd(10_000);
const RESERVED: Usd = Usd(20_000);

/// Read once: an agent is asked for it with every dispatch.
static LOCAL: LazyLock<Card> = LazyLock::new(|| {
    Cards::builtin().find("local").expect("the built-in cards have one for local models").clone()
});

/// The agents of a scenario.
pub struct ScriptedAgents {
    script: Arc<Script>,
    agents: Mutex<BTreeMap<AgentName, Arc<ScriptedAgent>>>,
    /// Which agent plays a role; the first agent plays all others.
    roles: Mutex<BTreeMap<Role, Option<AgentName>>>,
}

struct Script {
    turns: Mutex<Vec<(ScriptedTurn, Option<Ticket>)>>,
    asked: Mutex<Vec<Request>>,
    unscripted: Mutex<Vec<Ticket>>,
    /// What agents were told about checks that they had run.
    told: Mutex<Vec<String>>,
    at_work: AtWork,
    outside: Arc<dyn Outside>,
    clock: Arc<StillClock>,
    crash: Arc<Crash>,
    comments: Arc<MemoryCommentBox>,
}

/// One agent. Its abilities can be changed before it is asked.
pub struct ScriptedAgent {
    name: AgentName,
    script: Arc<Script>,
    abilities: Mutex<Abilities>,
    prices: Mutex<(Usd, Usd)>,
    lacks: Mutex<Vec<String>>,
    kind: Mutex<PlayerKind>,
    /// Whether it knows nothing of a conversation that it continues.
    forgets: Mutex<bool>,
    /// None where reading it ends in a panic.
    left_behind: Mutex<BTreeMap<Ticket, Option<Outcome>>>,
    unwatched: Mutex<Option<Usd>>,
}

impl ScriptedAgents {
    /// One agent, `scripted`, that plays every role.
    pub fn new(outside: Arc<dyn Outside>, clock: Arc<StillClock>, crash: Arc<Crash>) -> ScriptedAgents {
        let (turns, asked, unscripted) = (Mutex::default(), Mutex::default(), Mutex::default());
        let told = Mutex::default();
        let comments = Arc::new(MemoryCommentBox::new(Arc::clone(&crash)));
        let at_work = AtWork::default();
        let script =
            Arc::new(Script { turns, asked, unscripted, told, at_work, outside, clock, crash, comments });
        let agents = ScriptedAgents { script, agents: Mutex::default(), roles: Mutex::default() };
        agents.add("scripted");
        agents
    }

    /// One more agent, which plays nothing yet.
    pub fn add(&self, name: &str) -> Arc<ScriptedAgent> {
        let name = AgentName::new(name);
        let agent = Arc::new(ScriptedAgent {
            name: name.clone(),
            script: Arc::clone(&self.script),
            abilities: Mutex::new(able()),
            prices: Mutex::new((RESERVED, COST)),
            lacks: Mutex::default(),
            kind: Mutex::default(),
            forgets: Mutex::default(),
            left_behind: Mutex::default(),
            unwatched: Mutex::default(),
        });
        locked(&self.agents).insert(name, Arc::clone(&agent));
        agent
    }

    /// The agent that plays all roles nobody else was given.
    pub fn first(&self) -> Arc<ScriptedAgent> {
        let agents = locked(&self.agents);
        Arc::clone(agents.get(&AgentName::new("scripted")).expect("it was added first and is never removed"))
    }

    /// Gives a role to an agent by its name; none leaves the role without one.
    pub fn cast(&self, role: &str, agent: Option<&str>) {
        locked(&self.roles).insert(Role::new(role), agent.map(AgentName::new));
    }

    /// Where people leave comments while agents work.
    pub fn comments(&self) -> Arc<MemoryCommentBox> {
        Arc::clone(&self.script.comments)
    }

    /// Adds a turn at the end of the script.
    pub fn say(&self, turn: ScriptedTurn) {
        locked(&self.script.turns).push((turn, None));
    }

    /// What agents were asked, in order.
    pub fn asked(&self) -> Vec<Request> {
        locked(&self.script.asked).clone()
    }

    /// What agents were told about checks that they had run, in order.
    pub fn told(&self) -> Vec<String> {
        locked(&self.script.told).clone()
    }

    /// The tickets that the script had nothing for.
    pub fn unscripted(&self) -> Vec<Ticket> {
        locked(&self.script.unscripted).clone()
    }

    /// The turns that nobody asked for.
    pub fn unused(&self) -> Vec<ScriptedTurn> {
        let turns = locked(&self.script.turns);
        turns.iter().filter(|(_, used)| used.is_none()).map(|(turn, _)| turn.clone()).collect()
    }

    /// Gives back the turns of tickets whose end was never heard. A bug is not repeated.
    pub fn forget_unheard(&self, heard: impl Fn(&Ticket) -> bool) {
        for (_, used) in
            locked(&self.script.turns).iter_mut().filter(|(turn, _)| turn.says != TurnEnd::Panics)
        {
            if used.as_ref().is_some_and(|ticket| !heard(ticket)) {
                *used = None;
            }
        }
    }
}

impl Agents for ScriptedAgents {
    fn agent_for(&self, role: &Role) -> Result<Arc<dyn Agent>, String> {
        match locked(&self.roles).get(role) {
            None => Ok(self.first()),
            Some(Some(name)) => self.named(name),
            Some(None) => Err(format!("nobody plays {role}")),
        }
    }

    fn named(&self, name: &AgentName) -> Result<Arc<dyn Agent>, String> {
        let found = locked(&self.agents).get(name).cloned();
        found.map(|agent| agent as Arc<dyn Agent>).ok_or_else(|| format!("there is no agent {name}"))
    }
}

impl ScriptedAgent {
    pub fn change(&self, change: impl FnOnce(&mut Abilities)) {
        change(&mut locked(&self.abilities));
    }

    /// What is reserved for an answer, and what one costs.
    pub fn price(&self, reserved: Usd, cost: Usd) {
        *locked(&self.prices) = (reserved, cost);
    }

    /// Tools that it does not offer.
    pub fn lack(&self, tool: &str) {
        locked(&self.lacks).push(tool.to_owned());
    }

    /// From now on it is of this kind.
    pub fn be(&self, kind: PlayerKind) {
        *locked(&self.kind) = kind;
    }

    /// From now on, conversations that it continues are new to it.
    pub fn forget(&self) {
        *locked(&self.forgets) = true;
    }

    /// What a turn says, with the code of its conversation where it is asked for that.
    fn with_code(&self, says: TurnEnd, request: &Request) -> TurnEnd {
        let asked = locked(&self.script.asked);
        let first = asked.iter().filter(|earlier| earlier.session == request.session);
        let code = first.filter_map(|earlier| prompt::given(&earlier.prompt)).next();
        match (says, code.filter(|_| prompt::is_asked(&request.prompt) && !*locked(&self.forgets))) {
            (TurnEnd::Text(text), Some(code)) => TurnEnd::Text(prompt::tell(&text, &code)),
            (TurnEnd::Outcome(outcome), Some(code)) => {
                let text = prompt::tell(&outcome.text, &code);
                TurnEnd::Outcome(Box::new(Outcome { text, ..*outcome }))
            }
            (says, _) => says,
        }
    }

    /// Keeps an answer that outlived the process which had asked for it; none for one that cannot be read.
    pub fn leave_behind(&self, ticket: Ticket, outcome: Option<Outcome>) {
        locked(&self.left_behind).insert(ticket, outcome);
    }

    /// The most a dispatch can have cost that was not watched.
    pub fn go_on_unwatched(&self, total: Usd) {
        *locked(&self.unwatched) = Some(total);
    }

    fn bill(&self) -> Usage {
        Usage { uncached: 900, written: 0, read: 0, output: 100, cost: locked(&self.prices).1 }
    }

    fn act(&self, deed: &Deed, request: &Request, watch: &dyn RunHandle) -> Result<(), AgentError> {
        self.script.crash.alive();
        let (outside, folder) = (&self.script.outside, &request.folder);
        match deed {
            Deed::Put(path, text) => outside.put_in(folder, path, text),
            Deed::Add(path, text) => {
                let before = outside.look_in(folder, path).unwrap_or_default();
                outside.put_in(folder, path, &(before + text));
            }
            Deed::Find(path, text) => {
                let found = outside.look_in(folder, path).unwrap_or_default();
                assert!(found.contains(text), "{path} does not say {text:?} but {found:?}");
            }
            Deed::Take(path) => outside.take_in(folder, path),
            Deed::Stage(path) => outside.stage(path),
            Deed::Commit(message) => outside.commit_in(folder, message),
            Deed::SwitchToNew(branch) => outside.switch_to_new(branch),
            Deed::Detach => outside.detach(),
            Deed::Branch(name) => outside.branch(name),
            Deed::MoveBranch(name) => outside.move_branch(name),
            Deed::DeleteBranch(name) => outside.delete_branch(name),
            Deed::Tag(name) => outside.tag(name),
            Deed::Link(path, target) => outside.link(path, target),
            Deed::Pipe(path) => outside.pipe(path),
            Deed::Nest(path) => outside.nest(path),
            Deed::PutGit(path, text) => outside.put_git(path, text),
            Deed::BeginCherryPick => outside.begin_cherry_pick(),
            Deed::RemoveWorktree => outside.remove_worktree(),
            Deed::Tell(doing) => watch.tell(doing),
            Deed::Afford(total) if watch.afford(*total) => {}
            Deed::Afford(total) => {
                let (now, detail) = (AfterFailure::OverBudget(*total), format!("it may not come to {total}"));
                return Err(AgentError { now, detail, usage: Some(self.bill()), interrupted: false });
            }
            Deed::Owe(total) => watch.owes(*total),
            Deed::Check(name) => {
                let wish = CheckWish { name: name.clone(), test: String::new() };
                let told = watch.check(&wish, &AtomicBool::new(false)).unwrap_or_else(|why| why);
                locked(&self.script.told).push(told);
            }
            Deed::Meet(number) => self.script.at_work.meet(*number, &self.script.crash),
            Deed::LetGo(number) => self.script.at_work.let_go(*number, &self.script.crash),
            Deed::Wait(ms) => drop(watch.wait_ms(*ms)),
            Deed::StopRun => self.script.clock.stop(),
            Deed::LeaveRun => self.script.clock.leave(),
            Deed::Comment(comment) => {
                let left = self.script.comments.put(&request.ticket.scope, comment.clone());
                left.expect("its id is a plain name, and the box can be changed");
            }
        }
        Ok(())
    }

    fn end(&self, says: TurnEnd, session: SessionId) -> Result<Outcome, AgentError> {
        let usage = self.bill();
        match says {
            TurnEnd::Text(text) => Ok(Outcome { text, session: Some(session), usage, ..Outcome::default() }),
            TurnEnd::Outcome(outcome) => Ok(*outcome),
            TurnEnd::Fails { now, detail, usage } => {
                Err(AgentError { now, detail, usage, interrupted: false })
            }
            TurnEnd::Interrupted(usage) => {
                let (now, detail) = (AfterFailure::GiveUp, "it was asked to stop".to_owned());
                Err(AgentError { now, detail, usage, interrupted: true })
            }
            // Not through the panic hook: the scenario wants this panic.
            TurnEnd::Panics => resume_unwind(Box::new("a bug in an agent")),
        }
    }
}

impl Agent for ScriptedAgent {
    fn name(&self) -> AgentName {
        self.name.clone()
    }

    fn describe(&self) -> String {
        format!("{} 1, a script", self.name)
    }

    fn player(&self) -> AgentIdentity {
        AgentIdentity { kind: *locked(&self.kind), ..AgentIdentity::default() }
    }

    fn abilities(&self) -> Abilities {
        locked(&self.abilities).clone()
    }

    fn missing(&self, tools: &[String]) -> Vec<String> {
        let lacks = locked(&self.lacks);
        tools.iter().filter(|tool| lacks.contains(tool)).cloned().collect()
    }

    fn billing(&self) -> Billing {
        let card = LOCAL.clone();
        Billing { model: "local".to_owned(), card, overhead: 0 }
    }

    fn is_free(&self) -> bool {
        let (reserved, cost) = *locked(&self.prices);
        reserved == Usd(0) && cost == Usd(0)
    }

    fn highest_cost(&self, _request: &Request) -> Usd {
        locked(&self.prices).0
    }

    fn left_behind(&self, ticket: &Ticket) -> Option<Outcome> {
        let left = locked(&self.left_behind).get(ticket).cloned();
        left.map(|left| {
            left.unwrap_or_else(|| resume_unwind(Box::new("a bug in reading what was left behind")))
        })
    }

    fn unwatched(&self, _ticket: &Ticket) -> Option<Usd> {
        *locked(&self.unwatched)
    }

    fn run(&self, request: &Request, watch: &dyn RunHandle) -> Result<Outcome, AgentError> {
        self.script.crash.alive();
        locked(&self.script.asked).push(request.clone());
        let ticket = &request.ticket;
        let turn = locked(&self.script.turns)
            .iter_mut()
            .find(|(turn, used)| used.is_none() && turn.when.is(ticket))
            .map(|(turn, used)| {
                *used = Some(ticket.clone());
                turn.clone()
            });
        let Some(turn) = turn else {
            locked(&self.script.unscripted).push(ticket.clone());
            let (now, detail) = (AfterFailure::AskPerson, format!("the script has nothing for {ticket}"));
            return Err(AgentError { now, detail, usage: AgentError::UNBILLED, interrupted: false });
        };
        watch.begun();
        let _here = self.script.at_work.enter();
        for deed in &turn.does {
            self.act(deed, request, watch)?;
            self.script.crash.changed("an agent at work");
        }
        self.end(self.with_code(turn.says, request), request.session.clone())
    }
}

/// An agent that can do everything except fetch its work itself.
fn able() -> Abilities {
    Abilities {
        resume: Resume::Yes,
        session_id: Naming::Ours,
        cache: Cache::None,
        lifetimes: vec![Lifetime::FiveMinutes],
        opened_files: false,
        structured: false,
        usage: UsageReport::AtEnd,
        pull: false,
    }
}
