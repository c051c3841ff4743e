//! The question that a feature waits for, as a form that can be filled in.

use crate::question::QuestionForm;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::{self, Rejected};
use redraft_facts::event::{About, AuthorQuestion, Entry, Event};
use redraft_facts::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedView {
    /// The event in which it was asked. An answer names it, so that it cannot be taken for the answer to another
    /// question. None where the run was cut off before it was stored: the next run asks.
    pub seq: Option<u64>,
    pub form: QuestionForm,
    /// What an author wants to know, each with what it would assume; an answer has one text for each.
    pub questions: Vec<AuthorQuestion>,
}

impl AskedView {
    pub fn new(entries: &[Entry]) -> Result<Option<AskedView>, Rejected> {
        let state = Pipeline::replay(entries)?;
        let Some(question) = state.open.as_ref().and_then(review::question) else { return Ok(None) };
        let last = entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Asked(asked) => Some((entry.seq, &asked.question)),
            _ => None,
        });
        let is_it = |asked: &redraft_facts::event::Question| {
            (asked.pass, asked.number) == (question.pass, question.number)
        };
        Ok(Some(AskedView {
            seq: last.filter(|(_, asked)| is_it(asked)).map(|(seq, _)| seq),
            form: QuestionForm::new(&question, &state),
            questions: match question.about {
                About::Author { questions } => questions,
                _ => Vec::new(),
            },
        }))
    }
}
