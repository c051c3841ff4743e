//! Answers a question without leaving the run: by a flag, or on the terminal.

use redraft_core::pipeline::Pipeline;
use redraft_engine::{Run, require_short};
use redraft_facts::event::{About, AuthorQuestion, Decision, Question};
use redraft_facts::findings::Finding;
use redraft_facts::ids::TaskId;
use redraft_facts::redact::Typed;
use redraft_frame::args::{OnCap, OnFailure};
use redraft_frame::console::Console;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_reports::question::QuestionForm;
use std::collections::BTreeSet;

/// What the flags say beforehand.
pub(crate) struct Beforehand {
    on_cap: OnCap,
    on_failure: OnFailure,
    yes: bool,
    /// Whether the person is played by a demo.
    plays: bool,
    /// The tasks that were tried once more in this run.
    retried: BTreeSet<TaskId>,
}

impl Beforehand {
    pub(crate) fn new(on_cap: OnCap, on_failure: Option<OnFailure>, yes: bool) -> Beforehand {
        let on_failure = on_failure.unwrap_or(OnFailure::Ask);
        Beforehand { on_cap, on_failure, yes, plays: false, retried: BTreeSet::new() }
    }

    /// The same where the person is played by a demo.
    pub(crate) fn playing(self, plays: bool) -> Beforehand {
        Beforehand { plays, ..self }
    }

    /// None where they leave the answer to a person.
    fn answer(&mut self, question: &Question, state: &Pipeline) -> Option<Said> {
        // A flag never accepts past what a person said.
        let unmet = state.open.iter().flat_map(|open| &open.findings).any(Finding::is_open_comment);
        match &question.about {
            About::Cap { .. } if self.on_cap == OnCap::Accept && !unmet => {
                Some(Said::new(Decision::Accept, "--on-cap accept"))
            }
            // With `--yes` lessons are only proposed; in a demo the person is played, too.
            About::Lessons if self.plays => Some(Said::new(Decision::Accept, "a demo asks nobody")),
            About::Lessons if self.yes => Some(Said::new(Decision::Skip, "--yes only proposes")),
            About::Begin if self.yes => Some(Said::new(Decision::Go, "--yes")),
            About::Author { .. } if self.yes => Some(Said::new(Decision::Assume, "--yes")),
            About::Task { .. } if self.on_failure == OnFailure::Skip => {
                Some(Said::new(Decision::Skip, "--on-failure skip"))
            }
            // Once in a run, or a task that can never be carried out would be tried forever.
            About::Task { id } if self.on_failure == OnFailure::Retry && self.retried.insert(id.clone()) => {
                Some(Said::new(Decision::Retry, "--on-failure retry"))
            }
            _ => None,
        }
    }

    /// Whether the run stops here instead of asking.
    fn stops_at(&self, question: &Question) -> bool {
        let cap = matches!(question.about, About::Cap { .. });
        self.yes || (cap && self.on_cap == OnCap::Stop)
    }
}

/// What a person said, or a flag in their place.
pub(crate) struct Said {
    pub(crate) choice: Decision,
    pub(crate) why: Typed,
    /// The answers for an author, a text for each of its questions.
    pub(crate) answers: Vec<Typed>,
}

impl Said {
    fn new(choice: Decision, why: impl Into<Typed>) -> Said {
        Said { choice, why: why.into(), answers: Vec::new() }
    }
}

/// None where the run has to wait for a person.
pub(crate) fn answer(
    question: &Question,
    state: &Pipeline,
    beforehand: &mut Beforehand,
    process: &ProcessContext,
    console: &Console,
) -> Option<Said> {
    if let Some(said) = beforehand.answer(question, state) {
        return Some(said);
    }
    if question.about == About::Lessons && !console.can_ask() {
        return Some(Said::new(Decision::Skip, "nobody could be asked"));
    }
    if beforehand.stops_at(question) || !console.can_ask() {
        return None;
    }
    let form = QuestionForm::new(question, state);
    loop {
        let word = console.choose(&form, &process.clock)?.word.as_str();
        let choice = question.choices.iter().find(|choice| choice.name() == word)?;
        if let (Decision::Answer, About::Author { questions }) = (choice, &question.about) {
            let answers = each_answer(questions, process, console)?;
            return Some(Said { answers, ..Said::new(Decision::Answer, "") });
        }
        let asks = match choice {
            Decision::Comment => "what must change? ",
            _ => "why (kept with the decision)? ",
        };
        let why = console.ask_text(asks, &process.clock)?;
        if *choice == Decision::Comment
            && let Err(error) = require_short(&why)
        {
            console.say_before_asking(&error.to_string());
            continue;
        }
        if let Some(needs) = choice.needs_reason().filter(|_| why.is_empty()) {
            console.say_before_asking(needs);
            continue;
        }
        return Some(Said::new(*choice, why));
    }
}

/// Stores what was said, or tells that it could not be.
pub(crate) fn decide(run: &mut Run<'_>, said: Said, console: &Console) -> Result<(), CliError> {
    let Said { choice, why, answers } = said;
    if !run.decide(choice, why, answers)? {
        console.say(&format!(
            "somebody commented while you answered, so `{}` was not stored; the run goes on with the comment",
            choice.name()
        ));
    }
    Ok(())
}

/// An empty line leaves a question to what the author would assume.
fn each_answer(
    questions: &[AuthorQuestion],
    process: &ProcessContext,
    console: &Console,
) -> Option<Vec<Typed>> {
    let mut answers = Vec::new();
    for (at, asked) in questions.iter().enumerate() {
        let assumed = if asked.assumed.is_empty() { "leave it open" } else { asked.assumed.as_str() };
        let text = format!("{}. {} [{assumed}] ", at + 1, asked.question);
        answers.push(console.ask_text(&text, &process.clock)?);
    }
    Some(answers)
}
