//! The memory of a loop: plain values. See [`super::step()`] for how they change.

use super::dispute::Dispute;
use super::finishing::Finishing;
use super::implementing::Implementing;
use super::seat::{Flight, Seat, SeatStatus};
use redraft_facts::event::{
    AuthorQuestion, Checked, LoopOpened, PhaseClosed, ProposalSettled, StageClosed, StageOutcome, Started,
};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::{BlobId, FindingId, Revision, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Scope, Ticket};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Whose loop it is.
    pub scope: Scope,
    pub opened: LoopOpened,
    /// The revision under review; none before the first draft.
    pub revision: Option<Revision>,
    /// Counts the times reviewers were given something to look at again. Two epochs may show the same bytes.
    pub epoch: u32,
    pub stages: Vec<Stage>,
    pub author: Seat,
    /// The reviewers of all stages, in panel order.
    pub reviewers: Vec<Seat>,
    /// Fresh eyes, where the loop asks for them.
    pub certifier: Seat,
    /// How often a certificate has reopened the phase.
    pub reopened: u16,
    /// The revision a certificate was given for.
    pub signed: Option<Revision>,
    /// Fresh eyes found blockers after the last reopening; a person must decide.
    pub refused: bool,
    pub findings: Vec<Finding>,
    /// Epochs in which a late blocker was admitted.
    pub late: Vec<u32>,
    /// The last result of each gate.
    pub gates: BTreeMap<String, Checked>,
    pub failed_gates: u16,
    /// Whether a person was told that a check probably fails because of its sandbox, and had it run again.
    pub refusal_told: bool,
    /// How often in a row the author changed nothing and answered nothing.
    pub unchanged: u16,
    /// What it said when it last changed nothing; empty once it has changed something.
    pub said: String,
    /// The open findings that the author declined with a reason.
    pub disputes: BTreeMap<FindingId, Dispute>,
    /// People's comments that must be met and that the author has not been sent yet.
    pub unanswered: BTreeSet<FindingId>,
    /// The revision that a person approved, where one is asked before the phase closes.
    pub approved: Option<Revision>,
    /// The author's fix summaries with the epoch each one led to.
    pub summaries: Vec<(u32, String)>,
    /// What a change that is reviewed by itself was compared with, and from which epoch on.
    pub bases: Vec<(u32, Revision)>,
    /// What is said about that change.
    pub intent: Option<BlobId>,
    /// What the author asked before its first draft, once in a pass, and the answers; none until somebody answered.
    pub questions: Vec<AuthorQuestion>,
    pub answers: Option<Vec<String>>,
    /// How code is built before it is reviewed; none where nothing is built.
    pub implementing: Option<Implementing>,
    /// How a feature ends; none where the loop is about something else.
    pub finishing: Option<Finishing>,
    /// The conversations of hosts in which any of the text was written.
    pub writers: BTreeSet<String>,
    /// Whether a person said that code may be written.
    pub agreed: bool,
    /// Decisions from other clones that came after another one was stored.
    pub second: Vec<ProposalSettled>,
    /// Questions a person has answered.
    pub decided: u32,
    pub end: Option<LoopEnd>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoopEnd {
    Closed(PhaseClosed),
    /// A person asked for a new pass, went back to an earlier phase or chose another lane.
    Superseded,
    /// A person left the phase out.
    Skipped,
    Abandoned,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stage {
    /// Review rounds used.
    pub rounds: u16,
    /// The epoch in which the last of them was counted.
    pub counted: Option<u32>,
    /// Rounds beyond the limit that a person asked for, one at a time.
    pub granted: u16,
    pub closed: Option<StageClosed>,
}

/// The findings a loop begins with: those of the earlier one, with what was put off open again.
fn taken_up(opened: &LoopOpened, earlier: Option<&Loop>) -> Vec<Finding> {
    let mut findings = earlier.map(|earlier| earlier.findings.clone()).unwrap_or_default();
    let named = |id| opened.put_off.iter().any(|one| one.phase == opened.phase && one.id == id);
    for finding in findings.iter_mut().filter(|finding| finding.status == Status::Deferred) {
        if named(finding.id.clone()) {
            finding.status = Status::Open;
        }
    }
    let judge = judge_of_comments(opened);
    for finding in findings.iter_mut().filter(|finding| finding.is_comment()) {
        finding.role = judge.clone();
    }
    findings
}

/// Who says whether a person's comment is met: the first reviewer, or without reviewers the author, on its own word.
fn judge_of_comments(opened: &LoopOpened) -> Role {
    let first = opened.panels.iter().flat_map(|panel| &panel.roles).next();
    first.map_or_else(|| opened.author.clone(), |first| first.role.clone())
}

impl Loop {
    pub fn new(scope: Scope, opened: LoopOpened, earlier: Option<&Loop>) -> Loop {
        let author = Seat::new(opened.author.clone(), 'A', 0);
        let mut reviewers = Vec::new();
        for (stage, panel) in opened.panels.iter().enumerate() {
            for member in &panel.roles {
                reviewers.push(Seat::new(member.role.clone(), member.letter, stage as u16));
            }
        }
        let implementing =
            Implementing::new(&opened, earlier.and_then(|earlier| earlier.implementing.as_ref()));
        let finishing = Finishing::new(&opened, earlier.and_then(|earlier| earlier.finishing.as_ref()));
        let findings = taken_up(&opened, earlier);
        let certifier = reviewers.first().cloned().unwrap_or_else(|| author.clone());
        Loop {
            scope,
            stages: vec![Stage::default(); opened.panels.len()],
            // A new pass goes on with the same document and the same findings, but with no conversation.
            // Code begins with what is there.
            // The result of the merge is computed again.
            revision: earlier
                .filter(|_| finishing.is_none())
                .and_then(|earlier| earlier.revision.clone())
                .or_else(|| opened.base.clone().filter(|_| implementing.is_some() || finishing.is_some())),
            unanswered: findings
                .iter()
                .filter(|one| one.is_open_comment())
                .map(|one| one.id.clone())
                .collect(),
            approved: None,
            findings,
            opened,
            epoch: 0,
            author,
            reviewers,
            certifier,
            reopened: 0,
            signed: None,
            refused: false,
            late: Vec::new(),
            gates: BTreeMap::new(),
            failed_gates: 0,
            refusal_told: false,
            unchanged: 0,
            said: String::new(),
            // What a person has decided stays decided.
            disputes: earlier.map(|earlier| upheld(&earlier.disputes)).unwrap_or_default(),
            summaries: Vec::new(),
            bases: Vec::new(),
            intent: earlier.and_then(|earlier| earlier.intent.clone()),
            questions: Vec::new(),
            answers: None,
            implementing,
            finishing,
            writers: earlier.map(|earlier| earlier.writers.clone()).unwrap_or_default(),
            agreed: earlier.is_some_and(|earlier| earlier.agreed),
            second: Vec::new(),
            decided: 0,
            end: None,
        }
    }

    /// Who says whether a person's comment is met.
    pub fn judge_of_comments(&self) -> Role {
        judge_of_comments(&self.opened)
    }

    /// How many review rounds a stage may have: the limit, and what a person granted beyond it.
    pub fn rounds_max(&self, stage: u16) -> u16 {
        let granted = self.stages.get(usize::from(stage)).map_or(0, |stage| stage.granted);
        self.opened.limits.rounds.saturating_add(granted)
    }

    /// The artifact under review.
    pub fn artifact(&self) -> &str {
        self.opened.paths.first().map(String::as_str).unwrap_or_default()
    }

    pub fn seats(&self) -> impl Iterator<Item = &Seat> {
        let makers = self.implementing.iter().flat_map(Implementing::seats);
        core::iter::once(&self.author)
            .chain(&self.reviewers)
            .chain(core::iter::once(&self.certifier))
            .chain(makers)
            .chain(self.finishing.iter().map(|finishing| &finishing.judge))
    }

    fn seats_mut(&mut self) -> impl Iterator<Item = &mut Seat> {
        let makers = self.implementing.iter_mut().flat_map(Implementing::seats_mut);
        core::iter::once(&mut self.author)
            .chain(&mut self.reviewers)
            .chain(core::iter::once(&mut self.certifier))
            .chain(makers)
            .chain(self.finishing.iter_mut().map(|finishing| &mut finishing.judge))
    }

    /// No conversation can be continued any more.
    pub(crate) fn forget_conversations(&mut self, why: &str) {
        for seat in self.seats_mut().filter(|seat| seat.conversation.is_some()) {
            seat.forget_conversation(why);
        }
    }

    /// The seat a ticket belongs to. A repair belongs to the seat it repairs.
    pub fn seat_of(&self, ticket: &Ticket) -> Option<&Seat> {
        self.seats().find(|seat| seat.owns(ticket))
    }

    /// Forgets what a role was thought to need of the budget: the figure was wrong.
    pub(crate) fn forget_needs(&mut self, role: &Role) {
        for work in self.seats_mut().filter(|seat| seat.role == *role).filter_map(|seat| seat.work.as_mut()) {
            work.needs = None;
        }
    }

    pub(super) fn seat_of_mut(&mut self, ticket: &Ticket) -> Option<&mut Seat> {
        self.seats_mut().find(|seat| seat.owns(ticket))
    }

    pub fn reviewer(&self, role: &Role) -> Option<&Seat> {
        self.reviewers.iter().find(|seat| seat.role == *role)
    }

    pub(super) fn flights_mut(&mut self) -> impl Iterator<Item = &mut Flight> {
        self.seats_mut().filter_map(|seat| seat.work.as_mut()?.flight.as_mut())
    }

    pub fn flights(&self) -> impl Iterator<Item = (&Seat, &Flight)> {
        self.seats().filter_map(|seat| Some((seat, seat.work.as_ref()?.flight.as_ref()?)))
    }

    /// Work that was handed out to hosts and has not come back, in the order of the seats.
    pub fn handed_out(&self) -> impl Iterator<Item = &Started> {
        let out = self.flights().filter(|(_, flight)| flight.started.pull && flight.answered.is_none());
        out.map(|(_, flight)| &flight.started)
    }

    /// Whether an answer to this ticket from this conversation would be a review of what that conversation wrote.
    pub fn is_same_hand(&self, ticket: &Ticket, conversation: &str) -> bool {
        ticket.purpose.judges() && self.writers.contains(conversation)
    }

    /// Whether a review by the conversation that wrote the text counts here. As a certificate it never does.
    pub fn allows_same_hand(&self, ticket: &Ticket) -> bool {
        self.opened.same_hand && matches!(ticket.purpose, Purpose::Review | Purpose::Validate)
    }

    /// Open findings that stand in the way of an approval by this role.
    pub fn blocking<'a>(&'a self, role: &'a Role) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().filter(move |finding| finding.role == *role && finding.blocks(self.opened.rule))
    }

    /// Whether a role has still to be shown why the author declined one of its findings.
    pub fn has_unheard(&self, role: &Role) -> bool {
        let unheard = |finding: &Finding| self.disputes.get(&finding.id).is_some_and(Dispute::is_unheard);
        self.blocking(role).any(unheard)
    }

    /// Whether a blocker outside the delta may still be admitted in this round.
    pub fn late_left(&self) -> bool {
        self.late.contains(&self.epoch) || self.late.len() < usize::from(self.opened.limits.late_rounds)
    }

    /// The failed gate of the current revision.
    pub fn failed_gate(&self) -> Option<&Checked> {
        self.gates.values().find(|check| !check.passed && Some(&check.revision) == self.revision.as_ref())
    }

    /// Why a check probably fails because of its sandbox, until a person has been told: no author can mend that.
    pub fn untold_refusal(&self) -> Option<&str> {
        self.failed_gate().filter(|_| !self.refusal_told)?.refused()
    }

    /// Whether a gate fails after tests were written from the documents, and before any reviewer was asked. Those tests
    /// then count as the reason: the gates had passed before they were written.
    pub fn diverges(&self) -> bool {
        let unseen = self.reviewers.iter().all(|seat| seat.standing == SeatStatus::Unasked);
        let wrote = |implementing: &Implementing| implementing.tests.is_some();
        unseen && self.failed_gate().is_some() && self.implementing.as_ref().is_some_and(wrote)
    }

    /// Forgets how checks of code failed, so that they are run again. What a linter says about a document stays the
    /// same.
    pub(super) fn forget_failed_checks(&mut self) {
        let code = matches!(self.opened.phase, Phase::Implement | Phase::Finish);
        let revision = self.revision.clone();
        self.gates.retain(|_, check| !code || check.passed || Some(&check.revision) != revision.as_ref());
    }

    /// Whether a command that was run as a check has failed on the current revision. In a loop that has closed, a person
    /// decided to continue all the same. Checks that were ended before they had an exit code count as failed.
    pub fn goes_on_with_a_failed_check(&self) -> bool {
        let failed = |check: &Checked| !check.command.is_empty() && check.code != Some(0);
        self.gates.values().any(|check| failed(check) && Some(&check.revision) == self.revision.as_ref())
    }

    /// How many roles approved what an earlier stage had not and a person accepted in its place.
    pub fn approved_after_failure(&self) -> u32 {
        let failed = |stage: &Stage| {
            stage.closed.as_ref().is_some_and(|closed| closed.outcome == StageOutcome::Failed)
        };
        let Some(first) = self.stages.iter().position(failed) else { return 0 };
        let later = self.reviewers.iter().filter(|seat| usize::from(seat.stage) > first);
        later.filter(|seat| seat.approved().is_some()).count() as u32
    }

    /// Whether it has reviewers, and not gates alone.
    pub fn reviews(&self) -> bool {
        !self.reviewers.is_empty()
    }

    /// Whether the loop has reviewers and is not about code. They may not have been asked yet. A feature with such a loop
    /// cannot switch to a lane without reviewers; code has a reviewer in every lane, so it rules out none.
    pub fn judges_document(&self) -> bool {
        self.reviews() && self.opened.phase != Phase::Implement
    }

    /// What a gate that passed noticed in the current revision all the same, a line each.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let passed = |check: &&Checked| check.passed && Some(&check.revision) == self.revision.as_ref();
        self.gates.values().filter(passed).flat_map(|check| check.evidence.lines())
    }

    /// What code is compared with.
    pub fn base(&self) -> Option<&Revision> {
        self.base_at(u32::MAX)
    }

    /// The same as it was in an epoch: what a change is compared with may move.
    pub fn base_at(&self, epoch: u32) -> Option<&Revision> {
        let then = self.bases.iter().rev().find(|(since, _)| *since <= epoch);
        then.map(|(_, base)| base).or(self.opened.base.as_ref())
    }

    /// The fix summaries a role has not been shown.
    pub fn summaries_since(&self, epoch: u32) -> Vec<String> {
        let later = self.summaries.iter().filter(|(led_to, _)| *led_to > epoch);
        later.map(|(_, summary)| summary.clone()).collect()
    }
}

fn upheld(disputes: &BTreeMap<FindingId, Dispute>) -> BTreeMap<FindingId, Dispute> {
    let upheld = disputes.iter().filter(|(_, dispute)| dispute.upheld.is_some());
    upheld.map(|(id, dispute)| (id.clone(), dispute.clone())).collect()
}
