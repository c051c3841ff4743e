//! What agents and people answer in a [`World`], drawn by its habits.

use super::World;
use redraft_core::review::{DispatchOrder, case_for, decision};
use redraft_facts::choice::{self, Cached, Choice, Lifetime, Marks, Policy, Prediction, Strategy};
use redraft_facts::event::*;
use redraft_facts::findings::{Finding, FindingChange, Status};
use redraft_facts::ids::{AgentName, BlobId, FindingId, Role, SessionId};
use redraft_facts::prelude::*;
use redraft_facts::probed::Recall;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_facts::usage::{Usage, Usd};
use redraft_facts::verdict::{Claim, Severity, Verdict};

impl World {
    pub(super) fn start(&mut self, order: &DispatchOrder) {
        let strategy = match self.rules.policy {
            Policy::Fresh => order.allowed[0],
            Policy::Resume => order.allowed[order.allowed.len() - 1],
            Policy::Digest if order.allowed.contains(&Strategy::Digest) => Strategy::Digest,
            Policy::Inline | Policy::Digest => order.allowed[0],
            Policy::Seed | Policy::Guarded | Policy::Cost => {
                order.allowed[self.number() as usize % order.allowed.len()]
            }
        };
        let pull = match strategy {
            Strategy::Resume => self.is_hosts(&order.conversation.as_ref().unwrap().id),
            Strategy::Inline | Strategy::Lazy | Strategy::Digest => self.draw(self.habits.pull),
        };
        self.happen(started(order, strategy, pull));
    }

    /// Whether a conversation is a host's, which alone can go on with it.
    fn is_hosts(&self, conversation: &SessionId) -> bool {
        self.log.iter().any(|entry| match &entry.event {
            Event::Answered(fact) => fact.session.as_ref() == Some(conversation) && fact.hand.is_some(),
            _ => false,
        })
    }

    pub(super) fn end_flight(&mut self, ticket: Ticket) {
        if self.draw(self.habits.fail) {
            let open = self.state.open.as_ref().unwrap();
            let reserved = open.seat_of(&ticket).and_then(|seat| seat.work.as_ref()?.flight.as_ref());
            let reserved = reserved.unwrap().started.reserved + Usd(1);
            self.happen(Raised { ticket: ticket.clone(), reserved });
        }
        if self.draw(self.habits.lose) {
            return self.happen(Lost { ticket, cost: Usd(1), undone: vec![] });
        }
        if self.draw(self.habits.parks) {
            let now = AfterFailure::ParkUntil(1_000 + i64::from(self.number()));
            return self.happen(Failed {
                ticket,
                now,
                detail: "d".into(),
                usage: None,
                undone: vec![],
                forgot: None,
            });
        }
        if self.draw(self.habits.fail) {
            let over = AfterFailure::OverBudget(Usd(7));
            let all = [
                AfterFailure::Wait(1),
                AfterFailure::FreshSession,
                AfterFailure::AskPerson,
                AfterFailure::GiveUp,
                over,
            ];
            let now = all[self.number() as usize % all.len()];
            return self.happen(Failed {
                ticket,
                now,
                detail: "d".into(),
                usage: None,
                undone: vec![],
                forgot: None,
            });
        }
        self.answer(ticket, Usage::default());
    }

    pub(in super::super) fn answer(&mut self, ticket: Ticket, usage: Usage) {
        let open = self.state.open.as_ref().unwrap();
        let session =
            open.flights().find(|(_, f)| f.started.ticket == ticket).unwrap().1.started.session.clone();
        let session = session.filter(|_| !self.draw(self.habits.fail));
        // Some agents name a conversation themselves, or go on under another name.
        let renamed = self.draw(self.habits.fail).then(|| SessionId::new(format!("t-{ticket}")));
        let session = session.map(|session| renamed.unwrap_or(session));
        let answer = BlobId::new("");
        let hand = self.hand(&ticket);
        self.happen(Answered {
            ticket,
            answer,
            usage,
            session,
            opened: None,
            undone: vec![],
            wall_ms: 0,
            denials: vec![],
            notes: vec![],
            formless: false,
            asked_ms: None,
            requests: None,
            hand,
            payment: Default::default(),
            unknown: Usd(0),
            ran: None,
        });
    }

    /// One of three conversations of a host or, where that one may not answer, a new one.
    fn hand(&mut self, ticket: &Ticket) -> Option<HostConversation> {
        let open = self.state.open.as_ref().unwrap();
        open.handed_out().find(|started| started.ticket == *ticket)?;
        let conversation = format!("talk-{}", self.number() % 3);
        let open = self.state.open.as_ref().unwrap();
        let same = open.is_same_hand(ticket, &conversation);
        if same && !open.allows_same_hand(ticket) {
            return Some(HostConversation { conversation: format!("talk-{ticket}"), same: false });
        }
        Some(HostConversation { conversation, same })
    }

    pub(super) fn snapshot(&mut self, ticket: Ticket) {
        match ticket.purpose {
            Purpose::Draft | Purpose::Revise => {}
            Purpose::Retro => return self.write_retro(Some(ticket), None),
            Purpose::Judge => return self.judge_bank(Some(ticket)),
            _ => return self.build(ticket),
        }
        let mut questions = vec![];
        let declined = if ticket.purpose == Purpose::Revise { self.declined() } else { vec![] };
        let revision = match () {
            () if ticket.purpose == Purpose::Draft && self.draw(self.habits.asks) => {
                let count = 1 + usize::from(self.number()) % 5;
                questions = vec![AuthorQuestion { question: "q".into(), assumed: "a".into() }; count];
                None
            }
            () if self.draw(self.habits.unusable) => None,
            () if !declined.is_empty() && self.draw(70) => self.state.open.as_ref().unwrap().revision.clone(),
            () if ticket.purpose == Purpose::Revise && self.draw(self.habits.unchanged) => {
                self.state.open.as_ref().unwrap().revision.clone()
            }
            () => Some(self.new_revision()),
        };
        self.happen(Drafted {
            ticket,
            revision,
            commit: "c".into(),
            summary: "s".into(),
            notes: vec![],
            questions,
            declined,
        });
    }

    /// The findings that an author declines, each with a reason.
    fn declined(&mut self) -> Vec<Declined> {
        let open = self.state.open.as_ref().unwrap();
        let blocking = open.findings.iter().filter(|finding| finding.blocks(open.opened.rule));
        let ids: Vec<FindingId> = blocking.map(|finding| finding.id.clone()).collect();
        let declined = ids.into_iter().filter(|_| self.draw(self.habits.declines));
        declined.map(|id| Declined { id, why: "it does not hold".into() }).collect()
    }

    pub(super) fn write_retro(&mut self, ticket: Option<Ticket>, plain: Option<String>) {
        let lesson = LessonName { kind: "heuristic".into(), name: "n".into() };
        let relevant = if self.draw(50) { vec![lesson] } else { vec![] };
        let (commit, added, judge, notes) = ("c".into(), vec![], None, vec![]);
        self.happen(RetroWritten { ticket, commit, plain, added, relevant, judge, notes });
    }

    pub(super) fn judge_bank(&mut self, ticket: Option<Ticket>) {
        let (commit, challenged, notes) = (String::new(), vec![], vec![]);
        let lesson = LessonName { kind: "heuristic".into(), name: "n".into() };
        let confirmed = if ticket.is_some() && self.draw(50) { vec![lesson] } else { vec![] };
        let proposed = self.draw(50);
        self.happen(BankJudged { ticket, commit, confirmed, challenged, proposed, notes });
    }

    fn build(&mut self, ticket: Ticket) {
        let now = self.state.open.as_ref().unwrap().revision.clone().unwrap();
        let changes = ticket.purpose != Purpose::Outline && !self.draw(self.habits.unchanged);
        let already = !changes && self.draw(50);
        let revision = if changes { self.new_revision() } else { now };
        let (commit, files) = match changes {
            true => ("c".to_owned(), vec!["f".to_owned()]),
            false => Default::default(),
        };
        let (report, notes) = (Report::default(), vec![]);
        let stops = ticket.purpose == Purpose::Implement && self.draw(self.habits.stops);
        let unfinished = stops.then(|| "c".to_owned());
        let built = Built { ticket, revision, commit, report, files, already, notes, unfinished };
        match self.slot_of(&built.ticket) {
            Some(slot) => self.enqueue(built, slot),
            None => self.happen(built),
        }
    }

    pub(super) fn judge(&mut self, ticket: Ticket) {
        let (unusable, drawn) = (self.draw(self.habits.unusable), self.draw(self.habits.reject));
        let reject = self.script.as_mut().map(|script| !script.pop_front().unwrap_or(true)).unwrap_or(drawn);
        let late = reject && self.state.open.as_ref().unwrap().late_left() && self.draw(20);
        let open = self.state.open.as_ref().unwrap();
        let facts = case_for(open, &ticket).unwrap();
        let mine = open.findings.iter().filter(|f| f.role == ticket.role && f.status == Status::Open);
        let mine = mine.filter(|finding| !facts.missed.contains(&finding.id));
        let mine: Vec<FindingId> = mine.map(|finding| finding.id.clone()).collect();
        let note = || "n".to_owned();
        let mut changes: Vec<FindingChange> = Vec::new();
        for id in mine {
            let keeps = reject && self.draw(self.habits.keeps);
            changes.push(match keeps {
                true => FindingChange::Kept { id, note: "it is still there".to_owned() },
                false => FindingChange::Fixed { id, note: note() },
            });
        }
        let kept = changes.iter().any(|change| matches!(change, FindingChange::Kept { .. }));
        let why = "w".to_owned();
        let judgement = match (unusable, reject) {
            (true, _) if facts.repair_left => Judgement::Repair { why },
            (true, _) => Judgement::NoVerdict { why },
            (false, true) => Judgement::Rejected,
            (false, false) => Judgement::Approved,
        };
        let settled = unusable && self.draw(self.habits.insists);
        let met = self.state.open.iter().flat_map(|open| &open.findings);
        let met =
            met.filter(|one| one.is_comment() && one.status == Status::Fixed && one.role == ticket.role);
        let met: Vec<FindingId> = met.map(|one| one.id.clone()).collect();
        let finds = reject && !kept && !unusable && self.script.is_none();
        let again = met.into_iter().next().filter(|_| finds && self.draw(40));
        let open = self.state.open.as_ref().unwrap();
        if settled && !facts.repair_left {
            let put_off = finding(open.findings.len(), &ticket.role, facts.letter, false);
            changes.push(FindingChange::Raised(Finding { status: Status::Deferred, ..put_off }));
        } else if unusable {
            changes.clear();
            let outside = finding(open.findings.len(), &ticket.role, facts.letter, late);
            let status = if late { Status::Open } else { Status::Deferred };
            let found = late || self.draw(20);
            changes.extend(found.then_some(FindingChange::Raised(Finding { status, ..outside })));
        } else if let Some(id) = again {
            changes.push(FindingChange::Reopened { id, note: "was fixed, found again".to_owned() });
        } else if reject && !kept {
            changes.push(FindingChange::Raised(finding(
                open.findings.len(),
                &ticket.role,
                facts.letter,
                late,
            )));
        }
        let late = late && !settled;
        let computed = !unusable && !reject && self.draw(20);
        let approved = judgement == Judgement::Approved && !computed;
        self.happen(Judged {
            ticket,
            judgement,
            verdict: Verdict { approved, ..Verdict::default() },
            changes,
            late,
            notes: vec![],
            settled,
        });
    }

    pub(super) fn ask(&mut self, question: Question) {
        self.people += 1;
        self.happen(Asked { question: question.clone(), estimate: None });
        let choices: Vec<Decision> = question
            .choices
            .iter()
            .copied()
            .filter(|c| !matches!(c, Decision::Abandon | Decision::Comment))
            .collect();
        let drawn = choices[self.number() as usize % choices.len()];
        let reruns = choices.contains(&Decision::Rerun) && core::mem::take(&mut self.rerun_first);
        let choice = if reruns { Decision::Rerun } else { drawn };
        let decided = decision(self.state.open.as_ref().unwrap(), &question, choice, "someone", "w");
        self.happen(decided);
    }
}

fn finding(number: usize, role: &Role, letter: char, late: bool) -> Finding {
    Finding {
        id: FindingId::new(format!("{letter}{}", number + 1)),
        role: role.clone(),
        round: 1,
        severity: Severity::Blocker,
        category: String::new(),
        claim: Claim::Present,
        file: String::new(),
        line: 0,
        section: String::new(),
        quote: String::new(),
        description: String::new(),
        suggestion: String::new(),
        status: Status::Open,
        late,
        unverified: None,
        note: String::new(),
        by: None,
    }
}

/// That an order is sent in this way.
pub(in super::super) fn started(order: &DispatchOrder, strategy: Strategy, pull: bool) -> Started {
    let session = match strategy {
        Strategy::Resume => order.conversation.as_ref().unwrap().id.clone(),
        Strategy::Inline | Strategy::Lazy | Strategy::Digest => SessionId::new(format!("s-{}", order.ticket)),
    };
    Started {
        ticket: order.ticket.clone(),
        agent: AgentName::new("fake"),
        sees: order.sees.clone(),
        since: order.since.clone(),
        choice: Choice {
            prediction: Some(prediction(strategy, &order.ticket)),
            ..Choice::new(strategy, "w")
        },
        prompt: BlobId::new(""),
        prompt_chars: 1,
        context_chars: 1,
        session: Some(session),
        tree: TreeMark::default(),
        reserved: Usd(1),
        expires_ms: 0,
        markers: vec![],
        missing: vec![],
        told: vec![],
        pull,
        player: AgentIdentity::default(),
        sandbox: None,
        slot: order.slot.map(|number| Slot { number, base: format!("of-{}", order.sees.as_ref().unwrap()) }),
        recall: match strategy {
            Strategy::Resume => order.conversation.as_ref().unwrap().code.clone().map(Recall::Asks),
            _ => Some(Recall::Gives(format!("code of {}", order.ticket))),
        },
    }
}

/// Different for each dispatch, so that one cannot pass for another.
fn prediction(strategy: Strategy, ticket: &Ticket) -> Prediction {
    let tokens = 1_000 * u64::from(ticket.round) + u64::from(ticket.attempt);
    let tail = Some(choice::CachedPrefix { tokens, lifetime: Lifetime::Hour, left_s: 3_600 });
    let began = if strategy == Strategy::Resume { Strategy::Inline } else { strategy };
    Prediction {
        card: "fake".into(),
        hit_rate: 1,
        since_s: None,
        marks: Marks::default(),
        overhead: 0,
        chars: [0; 5],
        usage: Usage::default(),
        later: Usd(0),
        leaves: Cached {
            system: None,
            stable: None,
            conversation: Some(choice::CachedConversation { began, tokens: tokens + 1, tail, earlier: None }),
        },
        alternatives: vec![],
    }
}
