//! What is asked over the screen: help, a decision, a comment, whether to stop a run, and what a command said.
//!
//! Nothing is done by one key: whoever decides picks a choice, types a reason and confirms. A confirmation counts only
//! when it has been asked for on the screen for some time, so that no pasted text can hold it. Times are those of the
//! view: milliseconds since it began.

use super::snapshot::Asked;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use redraft_reports::question::STOP;

/// The answer that is about one revision.
const APPROVE: &str = "approve";

/// How long a confirmation must have been on the screen.
const CONFIRM_MS: i64 = 250;

/// A text that is longer than this is no comment any more.
const CHARS_MAX: usize = 4_000;

pub(super) const HELP: &str = "\
list
  up, down       choose a feature
  Enter          look at it
feature
  1 to 5, Tab    overview, findings, diff, log, costs
  up, down, Space, PgUp, PgDn, g, G    move in a pane
  [ and ]        the feature before or after this one
  v              log: also how things were done
  / and n        search, search again
  d              decide what is asked
  c              comment: tell the agents something
  s              stop the run
  Esc            back to the list
everywhere
  q or Ctrl-C    end this view; a run goes on
  Ctrl-L         draw the screen again

Nothing is sent, accepted or merged from here without a confirmation. Every action is a command that you could also \
type: redraft decide, comment, stop.";

#[derive(Debug)]
pub(super) enum Dialog {
    Help { scroll: usize },
    Decide(Box<Deciding>),
    Comment { feature: String, text: String, seen: u64, confirm: Option<Confirmation> },
    Stop { feature: String, driver: String, confirm: Confirmation },
    Said { ended: bool, text: String, scroll: usize },
}

#[derive(Debug)]
pub(super) struct Deciding {
    pub(super) feature: String,
    pub(super) asked: Asked,
    pub(super) chosen: usize,
    pub(super) stage: Stage,
    /// What was typed: the reason, or one answer for each question.
    pub(super) texts: Vec<String>,
    pub(super) scroll: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    Choose,
    /// The reason or an answer is typed.
    Type,
    Confirm(Confirmation),
}

/// Whether a person is asked to confirm something, and since when that is on the screen: not before it was drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Confirmation {
    shown_ms: Option<i64>,
}

impl Confirmation {
    fn drawn(&mut self, at_ms: i64) {
        self.shown_ms.get_or_insert(at_ms);
    }

    /// What a key says to it: none where it came too early to be an answer. A key that is held down, or one of many that
    /// were pasted, stays too early.
    fn answer(&mut self, code: KeyCode, at_ms: i64) -> Option<bool> {
        if !matches!(code, KeyCode::Char('y' | 'Y')) {
            return Some(false);
        }
        let waited = self.shown_ms.is_some_and(|shown_ms| at_ms - shown_ms >= CONFIRM_MS);
        self.shown_ms = self.shown_ms.map(|shown_ms| shown_ms.max(at_ms));
        waited.then_some(true)
    }
}

/// What a key does to a dialog.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Stays,
    Closed,
    Run(Vec<String>),
}

impl Dialog {
    pub(super) fn help() -> Dialog {
        Dialog::Help { scroll: 0 }
    }

    pub(super) fn decide(feature: &str, asked: Asked) -> Dialog {
        let chosen = asked.form.choices.iter().position(|choice| choice.default).unwrap_or(0);
        let (feature, texts, stage) = (feature.to_owned(), Vec::new(), Stage::Choose);
        Dialog::Decide(Box::new(Deciding { feature, asked, chosen, stage, texts, scroll: 0 }))
    }

    /// `seen` is the event since which the feature stands where the screen shows it.
    pub(super) fn comment(feature: &str, seen: u64) -> Dialog {
        Dialog::Comment { feature: feature.to_owned(), text: String::new(), seen, confirm: None }
    }

    pub(super) fn stop(feature: &str, driver: &str) -> Dialog {
        let confirm = Confirmation::default();
        Dialog::Stop { feature: feature.to_owned(), driver: driver.to_owned(), confirm }
    }

    pub(super) fn said(ended: bool, text: &str) -> Dialog {
        Dialog::Said { ended, text: text.to_owned(), scroll: 0 }
    }

    /// The question that it is about.
    pub(super) fn question(&self) -> Option<(u16, u32)> {
        match self {
            Dialog::Decide(deciding) => Some(deciding.asked.number),
            _ => None,
        }
    }

    /// The process that it would stop, in words.
    pub(super) fn driver(&self) -> Option<&str> {
        match self {
            Dialog::Stop { driver, .. } => Some(driver),
            _ => None,
        }
    }

    /// Whether it ends in something that is done.
    pub(super) fn acts(&self) -> bool {
        matches!(self, Dialog::Decide(_) | Dialog::Comment { .. } | Dialog::Stop { .. })
    }

    /// It is on the screen since this moment, or was before.
    pub(super) fn drawn(&mut self, at_ms: i64) {
        match self {
            Dialog::Stop { confirm, .. } | Dialog::Comment { confirm: Some(confirm), .. } => {
                confirm.drawn(at_ms);
            }
            Dialog::Decide(deciding) => {
                if let Stage::Confirm(confirm) = &mut deciding.stage {
                    confirm.drawn(at_ms);
                }
            }
            Dialog::Comment { confirm: None, .. } | Dialog::Help { .. } | Dialog::Said { .. } => {}
        }
    }

    /// `at_ms` is when the key was read.
    pub(super) fn key(&mut self, key: KeyEvent, at_ms: i64) -> Outcome {
        match self {
            Dialog::Help { scroll } | Dialog::Said { scroll, .. } => scrolled(scroll, key.code),
            Dialog::Stop { feature, confirm, .. } => {
                confirmed(confirm.answer(key.code, at_ms), || vec!["stop".to_owned(), feature.clone()])
            }
            Dialog::Comment { text, confirm: confirm @ None, .. } => match key.code {
                KeyCode::Esc => Outcome::Closed,
                KeyCode::Enter if text.trim().is_empty() => Outcome::Closed,
                KeyCode::Enter => {
                    *confirm = Some(Confirmation::default());
                    Outcome::Stays
                }
                _ => typed(text, key),
            },
            Dialog::Comment { feature, text, seen, confirm: Some(confirm) } => {
                confirmed(confirm.answer(key.code, at_ms), || {
                    // It is about what was on the screen and nothing that came after it.
                    let words = ["comment", &format!("--seen={seen}"), "--", feature, text.trim()];
                    words.map(str::to_owned).to_vec()
                })
            }
            Dialog::Decide(deciding) => deciding.key(key, at_ms),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let into = match self {
            Dialog::Comment { text, confirm: None, .. } => Some(text),
            Dialog::Decide(deciding) if deciding.stage == Stage::Type => deciding.texts.last_mut(),
            _ => None,
        };
        if let Some(into) = into {
            into.extend(line.chars().take(CHARS_MAX.saturating_sub(into.chars().count())));
        }
    }
}

impl Deciding {
    pub(super) fn word(&self) -> &str {
        self.asked.form.choices.get(self.chosen).map_or(STOP, |choice| &choice.word)
    }

    /// How many texts are typed: one for each question that is answered, else the reason.
    pub(super) fn wanted(&self) -> usize {
        if self.word() == "answer" { self.asked.questions.len().max(1) } else { 1 }
    }

    fn key(&mut self, key: KeyEvent, at_ms: i64) -> Outcome {
        match &mut self.stage {
            Stage::Choose => self.choose(key.code),
            Stage::Type => match key.code {
                KeyCode::Esc => Outcome::Closed,
                KeyCode::Enter if self.texts.len() < self.wanted() => {
                    self.texts.push(String::new());
                    Outcome::Stays
                }
                KeyCode::Enter => {
                    self.stage = Stage::Confirm(Confirmation::default());
                    Outcome::Stays
                }
                _ => self.texts.last_mut().map_or(Outcome::Stays, |text| typed(text, key)),
            },
            Stage::Confirm(confirm) => confirmed(confirm.answer(key.code, at_ms), || self.command()),
        }
    }

    fn choose(&mut self, code: KeyCode) -> Outcome {
        let last = self.asked.form.choices.len().saturating_sub(1);
        match code {
            KeyCode::Up | KeyCode::Char('k') => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.chosen = (self.chosen + 1).min(last),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll += 5,
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(5),
            KeyCode::Esc | KeyCode::Char('q') => return Outcome::Closed,
            KeyCode::Enter if self.word() == STOP => return Outcome::Closed,
            KeyCode::Enter => {
                self.texts = vec![String::new()];
                self.stage = Stage::Type;
            }
            _ => {}
        }
        Outcome::Stays
    }

    /// The command that is run, as it could be typed.
    pub(super) fn command(&self) -> Vec<String> {
        let mut words = vec!["decide".to_owned(), self.feature.clone(), self.word().to_owned()];
        let option = if self.word() == "answer" { "--answer" } else { "--why" };
        let texts = self.texts.iter().filter(|text| option == "--answer" || !text.trim().is_empty());
        words.extend(texts.map(|text| format!("{option}={}", text.trim())));
        // It answers what was on the screen and nothing that came after it.
        words.extend(self.asked.asked_at.map(|event| format!("--seen={event}")));
        let revision = self.asked.revision.as_ref().filter(|_| self.word() == APPROVE);
        words.extend(revision.map(|revision| format!("--revision={revision}")));
        words
    }
}

fn confirmed(answer: Option<bool>, command: impl FnOnce() -> Vec<String>) -> Outcome {
    match answer {
        Some(true) => Outcome::Run(command()),
        Some(false) => Outcome::Closed,
        None => Outcome::Stays,
    }
}

fn scrolled(scroll: &mut usize, code: KeyCode) -> Outcome {
    match code {
        KeyCode::Down | KeyCode::Char('j') => *scroll += 1,
        KeyCode::PageDown | KeyCode::Char(' ') => *scroll += 10,
        KeyCode::Up | KeyCode::Char('k') => *scroll = scroll.saturating_sub(1),
        KeyCode::PageUp => *scroll = scroll.saturating_sub(10),
        _ => return Outcome::Closed,
    }
    Outcome::Stays
}

fn typed(text: &mut String, key: KeyEvent) -> Outcome {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('u') if control => text.clear(),
        KeyCode::Char('w') if control => {
            let end = text.trim_end().rfind(' ').map_or(0, |at| at + 1);
            text.truncate(end);
        }
        KeyCode::Char(_) if control => {}
        KeyCode::Char(letter) if text.chars().count() < CHARS_MAX => text.push(letter),
        KeyCode::Backspace => drop(text.pop()),
        _ => {}
    }
    Outcome::Stays
}
