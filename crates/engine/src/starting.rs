//! Starts a dispatch: decides what it may use, how it is sent and what it may cost; stores that before anything is
//! sent.
//!
//! Start at [`Starting::start`]. How it is sent is chosen in `choosing`.

use crate::budget_pool::Draw;
use crate::choosing::{Choosing, Chosen};
use crate::ending::EngineError;
use crate::experience::Experience;
use crate::host::KeptConversations;
use crate::journal::Journal;
use crate::landing::Place;
use crate::ports::{Agent, Agents, CHECK_TOOL, Request, Slots, Workspace};
use crate::rechecking::CheckGrant;
use crate::redacting::{player_without_secrets, prompt_without_secrets};
use crate::values::{LoopTexts, Rules};
use crate::worktree::Worktree;
use redraft_core::review::DispatchOrder;
use redraft_cost::price::{Budget, OverBudget};
use redraft_facts::choice::{Choice, Strategy};
use redraft_facts::event::{Panel, Started, TreeMark};
use redraft_facts::ids::{AgentName, Revision, SessionId};
use redraft_facts::probed::{AgentsMet, MetAgent};
use redraft_facts::text;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use redraft_prompts::probe::Resumable;
use redraft_prompts::prompt::schema_for;
use redraft_roles::profile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A dispatch whose start is stored.
pub(crate) struct StartedDispatch {
    pub(crate) request: Request,
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) mark: TreeMark,
    pub(crate) reserved: Usd,
    /// What it may have run.
    pub(crate) grant: Option<CheckGrant>,
    /// Its own worktree; none where it works in the feature's.
    pub(crate) own: Option<Arc<dyn Workspace>>,
}

/// The state of the worktree before the agents that are at work began.
#[derive(Default)]
pub(crate) struct WorktreeBaseline {
    /// The tree of the last mark that a ref keeps.
    kept_mark: String,
    /// What was there and in no commit; none where no agent builds.
    pub(crate) unseen: Option<BTreeSet<String>>,
}

/// Starts dispatches.
pub(crate) struct Starting<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
    pub(crate) agents: &'r dyn Agents,
    pub(crate) rules: &'r Rules,
    pub(crate) loop_texts: &'r LoopTexts,
    pub(crate) experience: &'r mut Experience,
    pub(crate) before: &'r mut WorktreeBaseline,
    /// What a host that is here can go on with.
    pub(crate) kept: &'r KeptConversations,
    /// Whether a change is only reviewed, so that nothing is committed.
    pub(crate) only_reviews: bool,
    /// What several runs may spend together.
    pub(crate) draw: Option<&'r Draw>,
    pub(crate) slots: &'r dyn Slots,
}

/// Why a dispatch is not started.
pub(crate) enum Short {
    /// It does not fit the feature's own budget.
    Own(OverBudget),
    /// It does not fit what several features may spend together.
    Shared(OverBudget),
}

impl Starting<'_, '_> {
    /// Checks whether a round can be sent at all, and marks the state of the worktree before it.
    pub(crate) fn mark_round(&mut self) -> Result<TreeMark, EngineError> {
        let Worktree { workspace, created, .. } = self.worktree;
        let first = self.before.kept_mark.is_empty();
        if first && !self.only_reviews {
            workspace.may_commit(self.journal.open_loop()?.artifact())?;
        }
        self.meet_agents()?;
        let mark = workspace.mark(&self.worktree.projections())?;
        let builds = self.journal.open_loop()?.opened.is_code() && !self.only_reviews;
        self.before.unseen = if builds { Some(workspace.unseen()?) } else { None };
        if self.before.kept_mark != mark.work {
            // The state that a crash is undone to must outlive `git gc`.
            workspace.keep(&format!("{}/mark", created.id), &Revision::new(mark.work.clone()))?;
            self.before.kept_mark.clone_from(&mark.work);
        }
        Ok(mark)
    }

    /// Stores which agents the loop works with and whether they may be resumed, whenever that changes.
    fn meet_agents(&mut self) -> Result<(), EngineError> {
        self.experience.catch_up(self.journal);
        let open = self.journal.open_loop()?;
        let roles = open.seats().map(|seat| &seat.role);
        let mut met: BTreeMap<AgentName, MetAgent> = BTreeMap::new();
        for role in roles {
            let agent = self.agents.agent_for(role).map_err(EngineError::Agent)?;
            let Resumable { resume, why } = self.experience.resumable(agent.as_ref(), self.kept);
            let (agent, version) = (agent.name(), agent.describe());
            met.insert(agent.clone(), MetAgent { agent, version, resume, why });
        }
        let agents: Vec<MetAgent> = met.into_values().collect();
        if agents == self.journal.state().met {
            return Ok(());
        }
        self.journal.record(AgentsMet { agents })
    }

    pub(crate) fn start(
        &mut self,
        order: &DispatchOrder,
        mark: &TreeMark,
        budget: Budget,
    ) -> Result<Result<StartedDispatch, Short>, EngineError> {
        self.experience.catch_up(self.journal);
        let place = match order.slot {
            Some(slot) => Some(Place::prepare(slot, &order.ticket, self.journal, self.worktree, self.slots)?),
            None => None,
        };
        let (slot, own) = place.map(|place| (place.slot, place.workspace)).unzip();
        let worktree = self.worktree.in_slot(own.as_deref());
        let mark = &match &own {
            Some(own) => own.mark(&worktree.projections())?,
            None => mark.clone(),
        };
        if let Some(slot) = &slot {
            let name = format!("{}/mark-{}", worktree.created.id, slot.number);
            worktree.workspace.keep(&name, &Revision::new(mark.work.clone()))?;
        }
        let agent = self.agents.agent_for(&order.ticket.role).map_err(EngineError::Agent)?;
        let open = self.journal.open_loop()?;
        let (mut tools, missing) = tools(&order.ticket, &open.opened.panels, self.loop_texts, agent.as_ref());
        let kind = agent.player().kind;
        let grant = CheckGrant::for_dispatch(open, &order.ticket, order.sees.as_ref(), kind, self.rules);
        tools.extend(grant.as_ref().map(|_| CHECK_TOOL.to_owned()));
        let pull = agent.abilities().pull;
        let order = &if pull { for_host(order, &agent.name(), self.kept) } else { order.clone() };
        let Chosen { mut composed, mut choice, marks, markers, recall } =
            self.choosing().choose(order, agent.as_ref(), &missing)?;
        // Where the host has the conversation, the reason says why it goes on with it or does not.
        if pull && !order.allowed.contains(&Strategy::Resume) {
            choice = Choice::new(choice.strategy, "a host reads the files itself and reports no cost");
        }
        prompt_without_secrets(&mut composed.prompt, self.worktree.redactor);
        let resume = choice.strategy == Strategy::Resume;
        let conversation = order.conversation.as_ref().filter(|_| resume);
        let session = match conversation {
            Some(conversation) => conversation.id.clone(),
            None => SessionId::new(self.journal.writer().store.session_name(&order.ticket.to_string())),
        };
        let prompt_chars = composed.prompt.chars();
        let request = Request {
            ticket: order.ticket.clone(),
            prompt: composed.prompt,
            marks,
            tools,
            schema: schema_for(order.ticket.purpose),
            session: session.clone(),
            resume,
            folder: worktree.place_of(open, &order.ticket)?,
            may_write: self.worktree.may_write(open, &order.ticket),
            shares: !resume && has_peers(&open.opened.panels, &order.ticket),
            deadlines: self.rules.deadlines,
            max_usd: Some(budget.left()),
            slot: slot.as_ref().map(|slot| slot.number),
        };
        let needs = order.needs.as_ref().filter(|(name, _)| *name == agent.name()).map(|(_, needs)| *needs);
        let reserved = agent.highest_cost(&request).max(needs.unwrap_or_default());
        let after = match budget.reserve(reserved) {
            Ok(after) => after,
            Err(over) => return Ok(Err(Short::Own(over))),
        };
        if let Some(Err(over)) = self.draw.map(|draw| draw.reserve(after.spent, after.in_flight)) {
            return Ok(Err(Short::Shared(over)));
        }
        let blob = serde_json::to_vec(&request.prompt).unwrap_or_default();
        let started = Started {
            ticket: order.ticket.clone(),
            agent: agent.name(),
            sees: order.sees.clone(),
            since: order.since.clone(),
            choice,
            prompt: text::hash(&blob),
            prompt_chars,
            context_chars: conversation
                .map_or(composed.context_chars, |conversation| conversation.context_chars),
            session: Some(session),
            tree: mark.clone(),
            reserved,
            expires_ms: self
                .journal
                .writer()
                .clock
                .now_ms()
                .saturating_add_unsigned(self.rules.deadlines.total_ms),
            markers,
            missing,
            told: composed.told,
            pull,
            player: player_without_secrets(agent.player(), self.worktree.redactor),
            recall,
            sandbox: agent.sandbox(&request.folder),
            slot,
        };
        self.worktree.boundaries.pass("before a start is stored");
        self.journal.append(vec![started.into()], &[blob])?;
        self.worktree.boundaries.pass("after a start is stored");
        let grant = grant.map(|grant| grant.in_session(request.session.as_str()));
        Ok(Ok(StartedDispatch { request, agent, mark: mark.clone(), reserved, grant, own }))
    }

    fn choosing(&self) -> Choosing<'_> {
        let (state, entries, writer) = (self.journal.state(), self.journal.entries(), self.journal.writer());
        let (worktree, loop_texts, experience) = (self.worktree, self.loop_texts, &*self.experience);
        Choosing { state, entries, writer, worktree, loop_texts, experience, kept: self.kept }
    }
}

/// Whether several reviewers are asked about the same thing at once, so that their prompts begin alike.
fn has_peers(panels: &[Panel], ticket: &Ticket) -> bool {
    let sits = |panel: &Panel| panel.roles.iter().any(|seat| seat.role == ticket.role);
    ticket.purpose.judges() && panels.iter().any(|panel| panel.roles.len() > 1 && sits(panel))
}

/// An order as a host is given it: readable by itself, and complete unless the host still has the conversation.
fn for_host(order: &DispatchOrder, host: &AgentName, kept: &KeptConversations) -> DispatchOrder {
    let mut order = order.clone();
    if order.allowed.contains(&Strategy::Lazy) {
        let goes_on = kept.continues(&order, host);
        order.allowed.retain(|strategy| match strategy {
            Strategy::Lazy => true,
            Strategy::Resume => goes_on,
            Strategy::Inline | Strategy::Digest => false,
        });
    }
    order
}

/// The tools of a role: those its agent offers, and those it does not.
pub(crate) fn tools(
    ticket: &Ticket,
    panels: &[Panel],
    loop_texts: &LoopTexts,
    agent: &dyn Agent,
) -> (Vec<String>, Vec<String>) {
    let profile = profile::of_dispatch(ticket.phase, &ticket.role, ticket.purpose, panels);
    let named = profile.map(|profile| match loop_texts.profiles.get(&ticket.role) {
        Some(own) => own.tools(profile),
        None => profile.tools.to_vec(),
    });
    let mut tools: Vec<String> = named.unwrap_or_default().into_iter().map(str::to_owned).collect();
    let missing = agent.missing(&tools);
    tools.retain(|tool| !missing.contains(tool));
    (tools, missing)
}
