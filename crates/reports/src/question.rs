//! Questions to a person, in the one form in which they are asked: what is asked, why, and the choices, each with what
//! follows from it. Terminals, `redraft decide` and pages show the same; nothing here knows how.
//!
//! The default is what nothing depends on: it never trusts, accepts, merges or spends. Start at [`QuestionForm::new`].

#[cfg(test)]
mod tests;

use crate::estimate;
use redraft_core::pipeline::Pipeline;
use redraft_core::review;
use redraft_facts::event::{About, AuthorQuestion, Decided, Decision, Entry, Event, Question};
use redraft_facts::findings::Finding;
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use serde::Serialize;

/// A question with everything that a person needs to answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuestionForm {
    /// What is asked, in a sentence.
    pub what: String,
    /// Why it is asked, a line each.
    pub why: Vec<String>,
    /// The default is among them.
    pub choices: Vec<AnswerChoice>,
}

/// One of the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnswerChoice {
    pub word: String,
    /// What follows from it, in a few words.
    pub consequence: String,
    /// Whether it is taken where a person only presses Enter.
    pub default: bool,
}

/// A question that stands, with what tells it from every other: whoever answers it later says which one was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenQuestion {
    /// The number of the event with which it was asked, or with which somebody commented since; none where that was not
    /// stored yet.
    pub asked_at: Option<u64>,
    /// What it is about.
    pub revision: Option<Revision>,
    pub form: QuestionForm,
}

impl OpenQuestion {
    /// None where nothing is asked. `entries` are all events of the feature that `state` is folded from.
    pub fn new(state: &Pipeline, entries: &[Entry]) -> Option<OpenQuestion> {
        let open = state.open.as_ref()?;
        let question = review::question(open)?;
        let asked_at = asked_at(entries, &question);
        Some(OpenQuestion {
            asked_at,
            revision: open.revision.clone(),
            form: QuestionForm::new(&question, state),
        })
    }
}

/// The number by which this very question is known as it stands: that of the event with which it was asked, or of a later
/// comment, which whoever saw the question before has not seen. None where it was not asked since the last work: it may
/// be the same in every word and be about something that has changed meanwhile.
pub fn asked_at(entries: &[Entry], question: &Question) -> Option<u64> {
    let mut said = None;
    for entry in entries.iter().rev() {
        match &entry.event {
            Event::Asked(asked) if asked.question == *question => return said.or(Some(entry.seq)),
            Event::Commented(_) => said = said.or(Some(entry.seq)),
            // None of these changes what is asked.
            Event::Asked(_)
            | Event::AgentsMet(_)
            | Event::BudgetSet(_)
            | Event::BudgetReached(_)
            | Event::CostCorrected(_)
            | Event::Unblocked(_)
            | Event::DriverChanged(_)
            | Event::ProposalSettled(_)
            | Event::Unreadable(_) => {}
            _ => return None,
        }
    }
    None
}

/// The word that leaves a question open.
pub const STOP: &str = "stop";

impl QuestionForm {
    /// The question that a feature waits for.
    pub fn new(question: &Question, state: &Pipeline) -> QuestionForm {
        let mut choices: Vec<AnswerChoice> = question
            .choices
            .iter()
            .map(|choice| AnswerChoice {
                word: choice.name().to_owned(),
                consequence: consequence(&question.about, *choice).to_owned(),
                default: false,
            })
            .collect();
        choices.push(AnswerChoice {
            word: STOP.to_owned(),
            consequence: "decide later; nothing is sent until then".to_owned(),
            default: true,
        });
        let mut why: Vec<String> = question.text.lines().map(str::to_owned).collect();
        if let About::Author { questions } = &question.about {
            why.truncate(1);
            why.extend(questions.iter().enumerate().map(|(at, one)| format!("  {}", of_author(at, one))));
        }
        why.extend(on_a_word(question, state));
        why.extend(to_look_at(question, state));
        why.extend(in_the_way(question, state));
        why.extend(state.estimate.iter().flat_map(estimate::lines));
        QuestionForm { what: asked(&question.about), why, choices }
    }

    /// A question with yes and no, where Enter means no.
    pub fn yes_or_no(what: &str, why: Vec<String>, yes: &str, no: &str) -> QuestionForm {
        let choice = |word: &str, consequence: &str, default: bool| AnswerChoice {
            word: word.to_owned(),
            consequence: consequence.to_owned(),
            default,
        };
        QuestionForm {
            what: what.to_owned(),
            why,
            choices: vec![choice("yes", yes, false), choice("no", no, true)],
        }
    }

    /// Everything but the place where the answer is typed.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("question: {}", self.what)];
        lines.extend(self.why.iter().map(|line| format!("  {line}")));
        let words: Vec<String> = self.choices.iter().map(AnswerChoice::shown).collect();
        let wide = words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
        for (word, choice) in words.iter().zip(&self.choices) {
            lines.push(format!("    {word:<wide$}  {}", choice.consequence));
        }
        lines
    }

    /// The line in which the answer is typed: `go, abandon or STOP? `.
    pub fn prompt(&self) -> String {
        let words: Vec<String> = self.choices.iter().map(AnswerChoice::shown).collect();
        match words.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}? ", first.join(", ")),
            few => format!("{}? ", few.concat()),
        }
    }

    /// The choice that a person typed, in letters of any size; an empty line is the default. `y` and `n` are enough for
    /// yes and no, and these mean `go` and `stop` where a person is asked whether to go on.
    pub fn meant(&self, typed: &str) -> Option<&AnswerChoice> {
        let typed = typed.trim().to_lowercase();
        if typed.is_empty() {
            return self.choices.iter().find(|choice| choice.default);
        }
        let words = || self.choices.iter().map(|choice| choice.word.as_str());
        let [go, abandon] = [Decision::Go, Decision::Abandon].map(Decision::name);
        // With any other choice a yes could mean several of them.
        let goes = words().any(|word| word == go) && words().all(|word| [go, abandon, STOP].contains(&word));
        let also = |choice: &AnswerChoice| match choice.word.as_str() {
            "yes" => "yes",
            "no" => "no",
            word if goes && word == go => "yes",
            STOP if goes => "no",
            _ => "",
        };
        self.choices.iter().find(|choice| choice.word == typed || also(choice).starts_with(&typed))
    }
}

impl AnswerChoice {
    /// The word, in capitals where it is the default.
    fn shown(&self) -> String {
        if self.default { self.word.to_uppercase() } else { self.word.clone() }
    }
}

/// The maximum lengths of what an author wants to know, and of what it would assume.
const QUESTION_CHARS_MAX: usize = 600;
const ASSUMED_CHARS_MAX: usize = 240;

/// What an author wants to know, and with what it would go on. Told in the same words when it is asked.
pub(crate) fn of_author(at: usize, asked: &AuthorQuestion) -> String {
    let assumed = match asked.assumed.as_str() {
        "" => "it would leave that open".to_owned(),
        assumed => format!("it would assume: {}", one_line(assumed, ASSUMED_CHARS_MAX)),
    };
    format!("{}. {} ({assumed})", at + 1, one_line(&asked.question, QUESTION_CHARS_MAX))
}

fn asked(about: &About) -> String {
    match about {
        About::Cap { .. } => "The review rounds are used up. What should happen next?".to_owned(),
        About::Agent { role } => format!("What should happen with {role}?"),
        About::Gate => "A gate fails. What should happen next?".to_owned(),
        About::Unchanged => "The author changes nothing. What should happen next?".to_owned(),
        About::Certificate => "Fresh eyes found blockers again. What should happen next?".to_owned(),
        About::Author { .. } => "The author asks before it drafts. What should it be told?".to_owned(),
        About::Task { id } => format!("Task {id} could not be carried out. What should happen with it?"),
        About::Divergence => "The tests and the code disagree. Should the code stay as it is?".to_owned(),
        About::Begin => "Should code be written now?".to_owned(),
        About::Lessons => "Should this be written into the knowledge bank?".to_owned(),
        About::Deferred => "May the feature end with these blockers as they are?".to_owned(),
        About::Disagreement { finding } => format!("Does finding {finding} hold?"),
        About::Approval => "Do you approve what the phase made?".to_owned(),
        About::SecondDecision { .. } => {
            "Two people decided differently. Should the first decision stand?".to_owned()
        }
    }
}

fn consequence(about: &About, choice: Decision) -> &'static str {
    match (choice, about) {
        (Decision::Accept, About::Lessons) => "write it into the knowledge bank",
        (Decision::Accept, About::Divergence) => "keep the code, and remove those tests",
        (Decision::Accept, About::Gate) => "go on although the gate fails; your reason is kept",
        (Decision::Accept, About::Deferred) => "leave them as they are; your reason is kept",
        (Decision::Accept, About::Disagreement { .. }) => {
            "it holds, and is left as it is; your reason is kept"
        }
        (Decision::Accept, About::SecondDecision { .. }) => "the decision that was stored first stands",
        (Decision::Accept, _) => "take it as it is; what is open is settled by your word",
        (Decision::Rerun, _) => {
            "begin the phase again with new conversations, after your own edit if you like"
        }
        (Decision::Retry, About::Cap { .. }) => {
            "one more round: it is reviewed once more, after a revision where one is needed"
        }
        (Decision::Retry, About::Agent { .. }) => "ask it again",
        (Decision::Retry, About::Gate) => "try again, for example after you have fixed the cause",
        (Decision::Retry, _) => "let it try again",
        (Decision::Abandon, _) => "end the feature without merging it; its branch stays",
        (Decision::Answer, _) => "answer its questions one by one",
        (Decision::Assume, _) => "let it go on with what it would assume",
        (Decision::Skip, About::Lessons) => "leave the knowledge bank as it is",
        (Decision::Skip, _) => "go on without this task; what was built for it is removed",
        (Decision::Go, _) => "write the code, within the budget",
        (Decision::Uphold, _) => "it holds, and the author must change the file",
        (Decision::Overrule, About::Cap { .. }) => "the findings that the author declines no longer count",
        (Decision::Overrule, _) => "it does not hold",
        (Decision::Approve, _) => "close the phase at the revision that you looked at",
        (Decision::Comment, _) => "say what must change; the author works it in, and you are asked again",
    }
}

/// What a person decided, for the story: `ann chose go (write the code, within the budget): --yes`.
pub(crate) fn chosen(fact: &Decided) -> String {
    let (by, word) = (&fact.by, fact.choice.name());
    let what = match &fact.about {
        About::Disagreement { .. } => format!(" for {}", fact.disputed_in_words()),
        _ => String::new(),
    };
    let why = one_line(&fact.why, 200);
    let why = if why.is_empty() { why } else { format!(": {why}") };
    let names: Vec<&str> = fact.unseen.iter().map(|role| role.as_str()).collect();
    let unseen = if names.is_empty() {
        String::new()
    } else {
        format!(", although {} did not review it", names.join(", "))
    };
    format!("{by} chose {word}{what} ({}{unseen}){why}", consequence(&fact.about, fact.choice))
}

/// Where a person finds what they are asked to approve.
fn to_look_at(question: &Question, state: &Pipeline) -> Option<String> {
    let (created, open) = (state.created.as_ref()?, state.open.as_ref()?);
    let what = match open.opened.phase {
        Phase::Implement => format!("git diff {}...{}", created.base_commit, created.branch),
        _ if created.in_place => open.artifact().to_owned(),
        _ => format!(".redraft/worktrees/{}-{}/{}", created.id, created.slug, open.artifact()),
    };
    matches!(question.about, About::Approval).then(|| format!("to look at it: {what}"))
}

/// That nobody here has reviewed the documents that code would be written from.
fn on_a_word(question: &Question, state: &Pipeline) -> Option<String> {
    let taken = state.adopted.as_ref().filter(|taken| !taken.accepted.is_empty())?;
    let names: Vec<&str> = taken.accepted.iter().map(|phase| phase.artifact()).collect();
    let told = format!("taken over as approved on {}'s word: {}", taken.by, names.join(", "));
    matches!(question.about, About::Begin).then_some(told)
}

/// The findings that a decision is about, a line each. A question about one of them has it in its own text.
fn in_the_way(question: &Question, state: &Pipeline) -> Vec<String> {
    const LINES_MAX: usize = 20;
    let Some(open) = &state.open else { return Vec::new() };
    if matches!(question.about, About::Disagreement { .. }) {
        return Vec::new();
    }
    let blocking = open.findings.iter().filter(|finding| finding.blocks(open.opened.rule));
    let line = |finding: &Finding| {
        let (id, severity, by) = (&finding.id, finding.severity.name(), finding.raised_by());
        format!("{id} {severity}, {by}: {}", one_line(&finding.description, 300))
    };
    let mut lines: Vec<String> = blocking.clone().take(LINES_MAX).map(line).collect();
    let left = blocking.count().saturating_sub(LINES_MAX);
    if left > 0 {
        lines.push(format!("… and {left} more: redraft show findings {}", open.scope));
    }
    lines
}
