//! What the person has chosen to see, and what follows from each key. Neither a terminal nor a clock is known here:
//! [`App::key`] returns what is to be done.

use super::dialog::{Dialog, Outcome};
use super::ink::Ink;
use super::snapshot::{Detail, Snapshot};
use super::source::Wanted;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use redraft_facts::ticket::Scope;
use redraft_reports::projections::BoardRow;

/// What is shown of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pane {
    Overview,
    Findings,
    Diff,
    Log,
    Costs,
}

impl Pane {
    pub(super) const ALL: [Pane; 5] = [Pane::Overview, Pane::Findings, Pane::Diff, Pane::Log, Pane::Costs];

    pub(super) fn name(self) -> &'static str {
        match self {
            Pane::Overview => "overview",
            Pane::Findings => "findings",
            Pane::Diff => "diff",
            Pane::Log => "log",
            Pane::Costs => "costs",
        }
    }

    fn at(self, by: usize) -> Pane {
        let at = Pane::ALL.iter().position(|pane| *pane == self).unwrap_or(0);
        Pane::ALL[(at + by) % Pane::ALL.len()]
    }
}

/// What is to be done after a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Nothing,
    Quit,
    /// Everything is drawn anew.
    Redraw,
    /// This program is run with these words, and what it says is shown.
    Run(Vec<String>),
}

pub(super) struct App {
    pub(super) ink: Ink,
    pub(super) repository: String,
    pub(super) snapshot: Snapshot,
    /// Whether anything was gathered yet.
    pub(super) is_loaded: bool,
    /// The line of the list that is chosen.
    pub(super) chosen: Option<Scope>,
    /// The feature that is looked at; none for the list.
    pub(super) opened: Option<Scope>,
    pub(super) pane: Pane,
    /// The first line that is shown of the pane; of the log, how many lines above the end.
    pub(super) scroll: usize,
    /// How far it can be scrolled and how much fits, as it was last drawn.
    pub(super) scroll_max: usize,
    pub(super) page: usize,
    /// Whether the log shows how things were done.
    pub(super) is_detailed: bool,
    pub(super) dialog: Option<Dialog>,
    /// What was last searched for, and where it was found.
    pub(super) search: String,
    pub(super) is_searching: bool,
    pub(super) seek: Option<usize>,
    /// A word to the person in the last line.
    pub(super) notice: Option<String>,
    /// What is being done for the person.
    pub(super) busy: Option<String>,
}

impl App {
    pub(super) fn new(ink: Ink, repository: String, opened: Option<Scope>) -> App {
        App {
            ink,
            repository,
            snapshot: Snapshot::default(),
            is_loaded: false,
            chosen: opened.clone(),
            opened,
            pane: Pane::Overview,
            scroll: 0,
            scroll_max: 0,
            page: 1,
            is_detailed: false,
            dialog: None,
            search: String::new(),
            is_searching: false,
            seek: None,
            notice: None,
            busy: None,
        }
    }

    /// Something was gathered. What cannot be read leaves on the screen what was there, with a word that it may be old.
    pub(super) fn show(&mut self, found: Snapshot) {
        if found.trouble.is_some() {
            self.snapshot.trouble = found.trouble;
            self.dialog = self.dialog.take().filter(|dialog| !dialog.acts());
            return;
        }
        let gone = |scope: &Scope| !found.rows.iter().any(|row| row.scope() == *scope);
        if let Some(scope) = self.opened.take_if(|scope| gone(scope)) {
            self.notice = Some(format!("{scope} is no longer here"));
            (self.dialog, self.scroll) = (None, 0);
        }
        self.snapshot = found;
        self.is_loaded = true;
        if self
            .chosen
            .as_ref()
            .is_none_or(|scope| !self.snapshot.rows.iter().any(|row| row.scope() == *scope))
        {
            self.chosen = self.snapshot.rows.first().map(BoardRow::scope);
        }
        let driver = self.detail().and_then(|detail| detail.driven_by.as_ref()).map(ToString::to_string);
        // Whoever drives it now was not asked about.
        if self.dialog.as_ref().and_then(Dialog::driver).is_some_and(|named| driver.as_deref() != Some(named))
        {
            self.dialog = None;
            self.notice = Some("the run has ended, or another one goes on with it".to_owned());
        }
        let question = self.detail().and_then(|detail| detail.question.as_ref()).map(|asked| asked.number);
        // An answer to a question that is gone would be one to another.
        if self
            .dialog
            .as_ref()
            .is_some_and(|dialog| dialog.question().is_some_and(|number| question != Some(number)))
        {
            self.dialog = None;
            self.notice = Some("the question is gone: the feature has moved on".to_owned());
        }
    }

    /// What has to be gathered.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted { scope: self.opened.clone(), diff: self.opened.is_some() && self.pane == Pane::Diff }
    }

    /// The feature that is looked at, as far as it is gathered.
    pub(super) fn detail(&self) -> Option<&Detail> {
        let scope = self.opened.as_ref()?;
        self.snapshot.detail.as_ref().filter(|detail| detail.scope == *scope)
    }

    /// Whether something on the screen changes with the time.
    pub(super) fn ticks(&self) -> bool {
        // The list says how long ago something was.
        self.opened.is_none()
            || self.busy.is_some()
            || self.detail().is_some_and(|detail| !detail.overview.under_way.is_empty())
    }

    /// What is to be seen now is on the screen since this moment.
    pub(super) fn drawn(&mut self, at_ms: i64) {
        if let Some(dialog) = &mut self.dialog {
            dialog.drawn(at_ms);
        }
    }

    /// `at_ms` is when the key was read, by the clock of [`App::drawn`].
    pub(super) fn key(&mut self, key: KeyEvent, at_ms: i64) -> Wish {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => return Wish::Quit,
            KeyCode::Char('l') if control => return Wish::Redraw,
            _ => {}
        }
        if let Some(dialog) = &mut self.dialog {
            return match dialog.key(key, at_ms) {
                Outcome::Stays => Wish::Nothing,
                Outcome::Closed => {
                    self.dialog = None;
                    Wish::Nothing
                }
                Outcome::Run(words) => {
                    self.dialog = None;
                    self.busy = Some(format!("redraft {}", words.join(" ")));
                    Wish::Run(words)
                }
            };
        }
        self.notice = None;
        if self.is_searching {
            self.search_key(key.code);
            return Wish::Nothing;
        }
        match key.code {
            KeyCode::Char('q') => return Wish::Quit,
            KeyCode::Char('?') | KeyCode::F(1) => self.dialog = Some(Dialog::help()),
            _ if self.opened.is_none() => self.list_key(key.code),
            code => self.feature_key(code),
        }
        Wish::Nothing
    }

    /// A text was pasted; line breaks in it are no Enter.
    pub(super) fn paste(&mut self, text: &str) {
        match &mut self.dialog {
            Some(dialog) => dialog.paste(text),
            None if self.is_searching => self.search.push_str(text.lines().next().unwrap_or_default()),
            None => {}
        }
    }

    /// What the program said that was run for the person.
    pub(super) fn said(&mut self, ended: bool, text: &str) {
        self.busy = None;
        self.dialog = Some(Dialog::said(ended, text));
    }

    fn list_key(&mut self, code: KeyCode) {
        let all: Vec<Scope> = self.snapshot.rows.iter().map(BoardRow::scope).collect();
        let Some(last) = all.len().checked_sub(1) else { return };
        let at = all.iter().position(|scope| Some(scope) == self.chosen.as_ref()).unwrap_or(0);
        let to = match code {
            KeyCode::Up | KeyCode::Char('k') => at.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => (at + 1).min(last),
            KeyCode::PageUp => at.saturating_sub(self.page.div_ceil(3).max(1)),
            KeyCode::PageDown | KeyCode::Char(' ') => (at + self.page.div_ceil(3).max(1)).min(last),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => last,
            KeyCode::Enter | KeyCode::Right | KeyCode::Char('l') => {
                self.open(all[at].clone());
                return;
            }
            _ => return,
        };
        self.chosen = Some(all[to].clone());
    }

    fn open(&mut self, scope: Scope) {
        self.chosen = Some(scope.clone());
        self.opened = Some(scope);
        self.scroll = 0;
    }

    fn feature_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Esc | KeyCode::Left | KeyCode::Char('h' | 'b') | KeyCode::Backspace => {
                (self.opened, self.scroll) = (None, 0);
            }
            KeyCode::Tab | KeyCode::Right => self.turn_to(self.pane.at(1)),
            KeyCode::BackTab => self.turn_to(self.pane.at(Pane::ALL.len() - 1)),
            KeyCode::Char(digit @ '1'..='5') => {
                let at = digit as usize - '1' as usize;
                self.turn_to(Pane::ALL[at]);
            }
            KeyCode::Char(']') => self.neighbour(1),
            KeyCode::Char('[') => self.neighbour(self.snapshot.rows.len().saturating_sub(1)),
            KeyCode::Char('v') => self.is_detailed = !self.is_detailed,
            KeyCode::Char('/') => {
                self.search.clear();
                self.is_searching = true;
            }
            KeyCode::Char('n') => self.seek = Some(self.top() + 1),
            KeyCode::Char('d') => self.decide(),
            KeyCode::Char('c') => self.comment(),
            KeyCode::Char('s') => self.stop(),
            code => self.scroll_key(code),
        }
    }

    fn turn_to(&mut self, pane: Pane) {
        (self.pane, self.scroll) = (pane, 0);
    }

    fn neighbour(&mut self, by: usize) {
        let rows = &self.snapshot.rows;
        let Some(at) = rows.iter().position(|row| Some(row.scope()) == self.opened) else { return };
        let next = rows[(at + by) % rows.len()].scope();
        self.open(next);
    }

    /// The first line that is shown. The log stands at its end unless it is scrolled.
    pub(super) fn top(&self) -> usize {
        match self.pane {
            Pane::Log => self.scroll_max.saturating_sub(self.scroll),
            _ => self.scroll.min(self.scroll_max),
        }
    }

    pub(super) fn scroll_to(&mut self, top: usize) {
        let top = top.min(self.scroll_max);
        self.scroll = if self.pane == Pane::Log { self.scroll_max - top } else { top };
    }

    fn scroll_key(&mut self, code: KeyCode) {
        let (top, page) = (self.top(), self.page.saturating_sub(1).max(1));
        let to = match code {
            KeyCode::Up | KeyCode::Char('k') => top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => top + 1,
            KeyCode::PageUp => top.saturating_sub(page),
            KeyCode::PageDown | KeyCode::Char(' ') => top + page,
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => self.scroll_max,
            _ => return,
        };
        self.scroll_to(to);
    }

    fn search_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Enter => (self.is_searching, self.seek) = (false, Some(self.top())),
            KeyCode::Esc => self.is_searching = false,
            KeyCode::Backspace => drop(self.search.pop()),
            KeyCode::Char(letter) => self.search.push(letter),
            _ => {}
        }
    }

    /// Why nothing can be done for the feature now, if so.
    fn in_the_way(&self) -> Option<String> {
        if let Some(busy) = &self.busy {
            return Some(format!("`{busy}` is still at work"));
        }
        self.snapshot.trouble.as_ref().map(|_| "not while the ledger cannot be read".to_owned())
    }

    fn decide(&mut self) {
        self.notice = self.in_the_way();
        let Some(detail) = self.detail().filter(|_| self.notice.is_none()) else { return };
        let made = match (&detail.question, &detail.scope) {
            (Some(asked), Scope::Feature(id)) if asked.asked_at.is_none() => {
                Err(format!("the run that asks this was cut off; to be asked again: redraft run {id}"))
            }
            (Some(asked), Scope::Feature(id)) => Ok(Dialog::decide(&id.to_string(), asked.clone())),
            _ if detail.overview.row.waits_for_you && detail.driven_by.is_some() => {
                Err("it is asked on the terminal the run was started on: answer there".to_owned())
            }
            _ if detail.overview.row.waits_for_you => Err(format!("to go on: {}", detail.overview.row.next)),
            _ => Err("nothing is asked here now".to_owned()),
        };
        match made {
            Ok(dialog) => self.dialog = Some(dialog),
            Err(notice) => self.notice = Some(notice),
        }
    }

    fn comment(&mut self) {
        self.notice = self.in_the_way();
        let Some(detail) = self.detail().filter(|_| self.notice.is_none()) else { return };
        match &detail.scope {
            Scope::Feature(id) => {
                self.dialog = Some(Dialog::comment(&id.to_string(), detail.overview.moved_at));
            }
            _ => self.notice = Some("you can comment only on features".to_owned()),
        }
    }

    fn stop(&mut self) {
        self.notice = self.in_the_way();
        let Some(detail) = self.detail().filter(|_| self.notice.is_none()) else { return };
        match &detail.driven_by {
            Some(holder) => {
                self.dialog = Some(Dialog::stop(&detail.scope.to_string(), &holder.to_string()));
            }
            None => self.notice = Some("nobody drives it: there is nothing to stop".to_owned()),
        }
    }
}
