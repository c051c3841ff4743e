//! What is said in a clone that does not drive, and how the one that drives takes it in.

use super::notes::{Notes, OpenProposal};
use super::{Driving, Sharing};
use crate::errors::CliError;
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::{Clock as _, Comment, Store as _};
use redraft_engine::{Delivery, Journal};
use redraft_facts::event::{Against, Decided, Decision, Entry, Event, ProposalSettled};
use redraft_facts::ids::CommentId;
use redraft_facts::redact::Typed;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Scope;
use redraft_sharing::{
    Anchors, History, PackContent, Placed, Proposal, RemoteError, Said, SaidComment, SaidDecision,
};

/// How much of a comment is shown in a line.
const TEXT_CHARS: usize = 120;

impl Sharing<'_> {
    /// Says something to whoever drives. It is kept here first, so that it is sent later where that is not possible now;
    /// whether it was sent.
    pub fn propose(
        &self,
        ledger: &Ledger,
        scope: &Scope,
        id: CommentId,
        said: Said,
    ) -> Result<bool, CliError> {
        let _sharing = self.lock()?;
        let Some(uuid) = self.uuid_of(ledger, scope)? else { return Ok(false) };
        let shared = self.remote.read(&uuid)?;
        let seen = shared.feature.history().map_err(RemoteError::from)?.end;
        let (at_ms, by) = (self.process.clock.now_ms(), self.process.user.clone());
        let proposal = Proposal { id, seen, at_ms, by, said };
        let called = match shared.feature.called() {
            "" => scope.to_string(),
            called => called.to_owned(),
        };
        let content = PackContent { called, proposals: vec![proposal], ..PackContent::default() };
        let shared = self.remote.add(&shared, content, &Anchors::new())?;
        self.process.boundaries.pass("before a proposal is sent");
        let sent = match self.remote.publish(&shared, false) {
            Ok(_) => true,
            Err(RemoteError::Unreachable { .. }) => false,
            Err(error) => return Err(error.into()),
        };
        // Where that was not possible, the next command that sends something looks for it.
        let known = if sent { None } else { Some(0) };
        self.note(&uuid, scope, &shared, &ledger.read(scope.clone())?, known)?;
        Ok(sent)
    }

    /// Takes in what was said elsewhere about a feature that this clone drives: what can be stored is, what cannot is
    /// refused with the reason. Two decisions on one question wait for a person.
    pub fn hear(&self, ledger: &Ledger, driving: &Driving) -> Result<(), CliError> {
        let _sharing = self.lock()?;
        let scope = &driving.scope;
        let Some(uuid) = self.uuid_of(ledger, scope)? else { return Ok(()) };
        let shared = self.remote.read(&uuid)?;
        let history = shared.feature.history().map_err(RemoteError::from)?;
        let notes = Notes::read(&self.repo.state);
        let shown = notes.into_iter().flat_map(|notes| notes.features).filter(|(known, _)| *known == uuid);
        let shown = shown.flat_map(|(_, note)| note.proposals).filter(|proposal| proposal.disputed);
        let shown: Vec<String> = shown.map(|proposal| proposal.id).collect();
        let _lock = self.repo.lock(&scope.to_string(), self.process)?;
        let mut journal = self.process.journal(ledger, scope.clone())?;
        for placed in waiting(&history, journal.entries()) {
            self.process.boundaries.pass("before a proposal is settled");
            match &placed.proposal.said {
                Said::Comment(comment) => self.comment(&mut journal, placed, comment)?,
                Said::Decision(decision) => {
                    let others = waiting(&history, journal.entries());
                    let other = disputed(placed, &others).filter(|_| is_asked(&journal, decision));
                    if let Some(other) = other {
                        self.console.say(&format!(
                            "{} in {} decided {}, and {} in {} decided otherwise; that waits for you: redraft decide {scope}",
                            placed.proposal.by,
                            placed.place,
                            decision.choice.name(),
                            other.proposal.by,
                            other.place
                        ));
                        continue;
                    }
                    // Whoever decided between two was shown both.
                    let is_known = shown.iter().any(|id| id == placed.proposal.id.as_str());
                    self.decision(&mut journal, placed, decision, is_known)?;
                }
            }
        }
        self.note(&uuid, scope, &shared, journal.entries(), None)
    }

    fn comment(
        &self,
        journal: &mut Journal<'_>,
        placed: &Placed,
        comment: &SaidComment,
    ) -> Result<(), CliError> {
        let SaidComment { phase, reopens, severity, file, line, text } = comment.clone();
        let (id, by) = (placed.proposal.id.clone(), placed.proposal.by.clone());
        let text = Typed::from(text).clean(&self.process.redactor);
        let delivery = journal.comment(&Comment { id, phase, reopens, severity, file, line, text, by })?;
        match delivery {
            Delivery::Stored { .. } | Delivery::Repeated => settle(journal, placed, None),
            Delivery::Refused => settle(journal, placed, Some("the feature is over".to_owned())),
            Delivery::Later => Ok(()),
        }
    }

    fn decision(
        &self,
        journal: &mut Journal<'_>,
        placed: &Placed,
        decision: &SaidDecision,
        is_known: bool,
    ) -> Result<(), CliError> {
        if !is_asked(journal, decision) {
            let Some(stands) = stands(journal.entries(), decision) else {
                return settle(journal, placed, Some("that is not asked any more".to_owned()));
            };
            let refused = Some(format!("{} had decided {}", stands.by, stands.choice.name()));
            let agrees = (stands.choice, &stands.answers) == (decision.choice, &decision.answers);
            let against = Against { by: stands.by.clone(), choice: stands.choice };
            let against = (!agrees && !is_known).then_some(against);
            return Ok(journal.record(ProposalSettled { against, ..settled(placed, refused) })?);
        }
        let stands = journal.state().open.as_ref().and_then(|open| open.revision.clone());
        if decision.choice == Decision::Approve && decision.revision != stands {
            let why = "the revision that was looked at is no longer the current one";
            return settle(journal, placed, Some(why.to_owned()));
        }
        let answers: Vec<Typed> =
            decision.answers.iter().map(|answer| Typed::from(answer.as_str())).collect();
        let why = Typed::from(decision.why.as_str());
        match journal.decide(&placed.proposal.by, decision.choice, &why, &answers) {
            Ok(_) => {
                self.console.say(&format!(
                    "{} in {} decided {}",
                    placed.proposal.by,
                    placed.place,
                    decision.choice.name()
                ));
                settle(journal, placed, None)
            }
            Err(error) => settle(journal, placed, Some(error.to_string())),
        }
    }
}

/// Whether the question that it answers is still open.
fn is_asked(journal: &Journal<'_>, decision: &SaidDecision) -> bool {
    let phase = journal.state().open.as_ref().map(|open| open.opened.phase);
    journal.question().is_some_and(|question| {
        (phase, question.pass, question.number, &question.about)
            == (Some(decision.phase), decision.pass, decision.number, &decision.about)
    })
}

fn settle(journal: &mut Journal<'_>, placed: &Placed, refused: Option<String>) -> Result<(), CliError> {
    Ok(journal.record(settled(placed, refused))?)
}

fn settled(placed: &Placed, refused: Option<String>) -> ProposalSettled {
    let Proposal { id, by, said, .. } = placed.proposal.clone();
    let what = match said {
        Said::Comment(_) => "comment".to_owned(),
        Said::Decision(decision) => decision.choice.name().to_owned(),
    };
    let (clone, place) = (placed.clone.as_str().to_owned(), placed.place.clone());
    ProposalSettled { id, clone, place, by, what, refused, against: None }
}

/// What was stored for the question.
fn stands<'e>(entries: &'e [Entry], decision: &SaidDecision) -> Option<&'e Decided> {
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Decided(fact)
            if (fact.phase, fact.pass, fact.number, &fact.about)
                == (Some(decision.phase), decision.pass, decision.number, &decision.about) =>
        {
            Some(fact)
        }
        _ => None,
    })
}

/// What was proposed and is neither taken in nor refused, in the order in which it is.
fn waiting<'a>(history: &'a History, entries: &[Entry]) -> Vec<&'a Placed> {
    let is_settled = |id: &CommentId| {
        entries.iter().any(|entry| match &entry.event {
            Event::ProposalSettled(fact) => fact.id == *id,
            _ => false,
        })
    };
    history.proposals.iter().filter(|placed| !is_settled(&placed.proposal.id)).collect()
}

/// Another one that answers the same question differently.
fn disputed<'a>(placed: &Placed, others: &[&'a Placed]) -> Option<&'a Placed> {
    let Said::Decision(mine) = &placed.proposal.said else { return None };
    others.iter().copied().find(|other| match &other.proposal.said {
        Said::Decision(theirs) => mine.answers_the_same(theirs) && !mine.agrees_with(theirs),
        Said::Comment(_) => false,
    })
}

/// The same as people are shown it.
pub(super) fn open_proposals(history: &History, entries: &[Entry]) -> Vec<OpenProposal> {
    let all = waiting(history, entries);
    let shown = all.iter().map(|placed| OpenProposal {
        id: placed.proposal.id.to_string(),
        by: placed.proposal.by.clone(),
        place: placed.place.clone(),
        what: match &placed.proposal.said {
            Said::Comment(comment) => format!("comment: {}", one_line(&comment.text, TEXT_CHARS)),
            Said::Decision(decision) => format!("decision: {}", decision.choice.name()),
        },
        disputed: disputed(placed, &all).is_some(),
    });
    shown.collect()
}
