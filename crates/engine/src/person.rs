//! Stores what a person says to a feature: decisions, reasons, corrections. People type these, so each comes as
//! [`Typed`] and is stored without its secrets, whichever command or terminal it came from.

use crate::comments::Delivery;
use crate::ending::EngineError;
use crate::journal::Journal;
use crate::ports::Comment;
use redraft_core::review;
use redraft_facts::event::{
    About, Asked, Cancelled, Commented, CostCorrected, Decision, Event, LaneSet, PhaseSkipped, Question,
    Unblocked, WentBack,
};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::redact::Typed;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use redraft_facts::verdict::Severity;
use redraft_reports::question::asked_at;

/// Refuses a comment that no prompt would show whole.
pub fn require_short(text: &Typed) -> Result<(), EngineError> {
    match text.chars() {
        chars if chars > Commented::TEXT_CHARS_MAX => Err(EngineError::TooLong { chars }),
        _ => Ok(()),
    }
}

impl Journal<'_> {
    /// The question that is open.
    pub fn question(&self) -> Option<Question> {
        self.state().open.as_ref().and_then(review::question)
    }

    /// The open question, if it can be answered in this way.
    pub fn require_decidable(
        &self,
        choice: Decision,
        why: &Typed,
        answers: &[Typed],
    ) -> Result<Question, EngineError> {
        let question = self.question().ok_or(EngineError::NothingAsked)?;
        if !question.choices.contains(&choice) {
            return Err(EngineError::NotAChoice { choice, question });
        }
        if let Some(needs) = choice.needs_reason().filter(|_| why.is_empty()) {
            return Err(EngineError::NoReason(needs));
        }
        if choice == Decision::Comment {
            require_short(why)?;
            return Ok(question);
        }
        let asked = match &question.about {
            About::Author { questions } if choice == Decision::Answer => questions.len(),
            _ => 0,
        };
        match answers.len() == asked {
            true => Ok(question),
            false => Err(EngineError::Answers { given: answers.len(), asked }),
        }
    }

    /// Stores a person's answer to the open question; returns the question.
    pub fn decide(
        &mut self,
        by: &str,
        choice: Decision,
        why: &Typed,
        answers: &[Typed],
    ) -> Result<Question, EngineError> {
        let question = self.require_decidable(choice, why, answers)?;
        let open = self.state().open.as_ref().ok_or(EngineError::NothingAsked)?;
        if choice == Decision::Comment {
            let said = self.said_about(open.opened.phase, by, why);
            return match self.comment(&said)? {
                Delivery::Stored { .. } | Delivery::Repeated => Ok(question),
                Delivery::Later | Delivery::Refused => Err(EngineError::NotAChoice { choice, question }),
            };
        }
        let redactor = self.writer().redactor;
        let mut decided = review::decision(open, &question, choice, by, &why.clean(redactor));
        decided.answers = answers.iter().map(|answer| answer.clean(redactor)).collect();
        let mut events: Vec<Event> = Vec::new();
        if !self.was_asked(&question) {
            events.push(Asked { question: question.clone(), estimate: None }.into());
        }
        events.push(decided.into());
        self.append(events, &[])?;
        Ok(question)
    }

    /// The event by which the open question is known as it stands.
    pub(crate) fn asked_at(&self) -> Option<u64> {
        self.question().and_then(|question| asked_at(self.entries(), &question))
    }

    pub(crate) fn was_asked(&self, question: &Question) -> bool {
        asked_at(self.entries(), question).is_some()
    }

    /// Gives the feature up while nothing is asked.
    pub fn give_up(&mut self, by: &str, why: &Typed) -> Result<(), EngineError> {
        let (by, why) = self.said(by, why);
        self.record(Cancelled { by, why })
    }

    /// Leaves the next phase out; false where the machine does not allow that.
    pub fn skip_phase(&mut self, phase: Phase, by: &str, why: &Typed) -> Result<bool, EngineError> {
        let (by, why) = self.said(by, why);
        self.record_if_allowed(PhaseSkipped { phase, by, why })
    }

    /// Goes back to a phase that is over, with the reason as a comment that its author must meet; false where the machine
    /// does not allow that. Code is mostly gone back to because of something that happened, such as a merge by hand, so
    /// there the reason is a note. The end of a feature has no author, and there it is only a reason.
    pub fn go_back(&mut self, phase: Phase, by: &str, why: &Typed) -> Result<bool, EngineError> {
        require_short(why)?;
        let said = self.said_about(phase, by, why);
        let back = Event::from(WentBack { phase, by: said.by.clone(), why: said.text.clone() });
        if self.after(std::slice::from_ref(&back)).is_err() {
            return Ok(false);
        }
        match phase {
            Phase::Finish => self.record(back).map(|()| true),
            Phase::Implement => {
                self.record(back)?;
                self.comment(&Comment { severity: Severity::Warning, ..said })?;
                Ok(true)
            }
            _ => Ok(matches!(self.comment(&said)?, Delivery::Stored { went_back: true, .. })),
        }
    }

    /// What a person said about a phase as a whole.
    fn said_about(&self, phase: Phase, by: &str, text: &Typed) -> Comment {
        let (by, text) = self.said(by, text);
        let (id, file) = (self.own_comment_id(), String::new());
        Comment { id, phase, reopens: None, severity: Severity::Blocker, file, line: 0, text, by }
    }

    /// Takes another lane or another end; false where the machine does not allow that.
    pub fn set_lane(&mut self, lane: Lane, until: Phase, by: &str, why: &Typed) -> Result<bool, EngineError> {
        let (by, why) = self.said(by, why);
        self.record_if_allowed(LaneSet { lane, until, by, why })
    }

    /// Goes on without features that were to come before this one; returns what was stored.
    pub fn unblock(
        &mut self,
        dependencies: Vec<String>,
        by: &str,
        why: &Typed,
    ) -> Result<Unblocked, EngineError> {
        let (by, why) = self.said(by, why);
        let unblocked = Unblocked { dependencies, by, why };
        self.record(unblocked.clone())?;
        Ok(unblocked)
    }

    /// Corrects the cost of a dispatch; returns what was stored.
    pub fn correct_cost(
        &mut self,
        ticket: Ticket,
        (was, cost): (Usd, Usd),
        by: &str,
        why: &Typed,
    ) -> Result<CostCorrected, EngineError> {
        let (by, why) = self.said(by, why);
        let corrected = CostCorrected { ticket, was, cost, by, why };
        self.record(corrected.clone())?;
        Ok(corrected)
    }

    fn said(&self, by: &str, why: &Typed) -> (String, String) {
        (by.to_owned(), why.clean(self.writer().redactor))
    }

    fn record_if_allowed(&mut self, event: impl Into<Event>) -> Result<bool, EngineError> {
        let event = event.into();
        if self.after(std::slice::from_ref(&event)).is_err() {
            return Ok(false);
        }
        self.record(event).map(|()| true)
    }
}
