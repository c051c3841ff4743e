//! Questions in their forms: a choice, a yes or no, a text, something that must not be seen.

use super::Console;
use redraft_engine::ports::Clock;
use redraft_facts::redact::Typed;
use redraft_reports::question::{AnswerChoice, QuestionForm};

impl Console {
    /// Asks a question in its one form until one of its choices is typed; none at the end of input or when the user
    /// stops the program.
    pub fn choose<'a>(&self, form: &'a QuestionForm, clock: &dyn Clock) -> Option<&'a AnswerChoice> {
        form.lines().iter().for_each(|line| self.say_before_asking(line));
        loop {
            let word = self.ask_about(&form.what, &form.prompt(), clock)?;
            match form.meant(&word) {
                Some(choice) => return Some(choice),
                None => self.say_before_asking(&format!("`{word}` is not a choice here")),
            }
        }
    }

    /// Asks a question with yes and no. Everything but a yes is a no.
    pub fn agrees(&self, form: &QuestionForm, clock: &dyn Clock) -> bool {
        self.choose(form, clock).is_some_and(|choice| choice.word == "yes")
    }

    /// Asks for a text that is kept, such as a reason.
    pub fn ask_text(&self, question: &str, clock: &dyn Clock) -> Option<Typed> {
        self.ask(question, clock).map(Typed::from)
    }

    /// Asks for something that must not be seen on the terminal.
    pub fn ask_hidden(&self, question: &str, clock: &dyn Clock) -> Option<String> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let stdin = std::io::stdin();
        let before = tcgetattr(&stdin).ok()?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Now, &hidden).ok()?;
        let answer = self.ask(question, clock);
        // A terminal that is gone needs no echo.
        let _ = tcsetattr(&stdin, OptionalActions::Now, &before);
        self.talk("");
        answer
    }
}
