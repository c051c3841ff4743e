//! The pages of the repository that the server was started in. Every page reads what it shows when it is asked for;
//! nothing is kept from one to the next but what became of the last forms.

mod looking;
mod timed_changes;
mod writes;

use super::pages::layout::{Page, notice};
use super::pages::{board as board_page, feature};
use super::site::{Answer, Made, Part, Place, Posted, Site, Wanted};
use crate::board::Board;
use crate::following::{ASK_EVERY_MS, Following};
use looking::Looked;
use maud::{Markup, html};
use redraft_engine::ports::Clock as _;
use redraft_facts::ticket::Scope;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::rows::{reviews, rows};
use redraft_frame::served_page::ServedPage;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use timed_changes::Dues;

/// How many outcomes of forms are remembered.
const OUTCOMES_MAX: usize = 16;

pub(super) struct RepositorySite<'a> {
    process: &'a ProcessContext,
    /// The repository's name.
    called: String,
    /// What became of the last forms, each with its number.
    outcomes: Mutex<VecDeque<(u64, String)>>,
    /// Where it is served, and that others are told so.
    port: u16,
    served: Mutex<Option<ServedPage>>,
}

impl<'a> RepositorySite<'a> {
    pub(super) fn new(process: &'a ProcessContext) -> Result<RepositorySite<'a>, CliError> {
        let repo = process.repository()?;
        let called = repo.repository.main_checkout().file_name().unwrap_or_default();
        let called = called.to_string_lossy().into_owned();
        Ok(RepositorySite { process, called, outcomes: Mutex::default(), port: 0, served: Mutex::default() })
    }

    /// The same, served on this port.
    pub(super) fn at(self, port: u16) -> RepositorySite<'a> {
        let here = RepositorySite { port, ..self };
        here.announce();
        here
    }

    /// Tells others of the page once there is a ledger here: looking creates nothing.
    fn announce(&self) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if served.is_none()
            && let Ok(repo) = self.process.repository()
            && matches!(repo.reader(), Ok(Some(_)))
        {
            *served = ServedPage::announce(&repo.state, self.port);
        }
    }

    fn board(&self) -> Result<Board, CliError> {
        let repo = self.process.repository()?;
        let (rows, reviews) = match repo.reader()? {
            Some(ledger) => (rows(&ledger)?, reviews(&ledger)?),
            None => (Vec::new(), Vec::new()),
        };
        Ok(Board::new(&repo, rows, reviews, self.process))
    }

    fn draw(&self, wanted: &Wanted) -> Result<Answer, CliError> {
        match &wanted.place {
            Place::Board => self.draw_board(wanted),
            Place::Feature { scope, part, which } => {
                let Some(looked) = Looked::new(scope, self.process)? else {
                    return Ok(self.missing(&format!("There is no feature {scope} here."), &wanted.made));
                };
                looking::page(self, &looked, *part, which.as_deref(), wanted)
            }
        }
    }

    fn draw_board(&self, wanted: &Wanted) -> Result<Answer, CliError> {
        let board = self.board()?;
        let title = match board_page::waiting(&board) {
            0 => "Features".to_owned(),
            waiting => format!("({waiting}) Features"),
        };
        let page = Page {
            title,
            called: &self.called,
            nav: None,
            parts: board_page::parts(&board),
            made: &wanted.made,
            is_still: false,
        };
        Ok(Answer::Page { status: 200, html: page.html() })
    }

    /// A page of a feature.
    fn of_feature(
        &self,
        looked: &Looked,
        part: Part,
        status: u16,
        parts: Vec<(String, Markup)>,
        made: &Made,
        is_still: bool,
    ) -> Answer {
        let row = &looked.overview.row;
        let waits = if row.waits_for_you { "(waiting for you) " } else { "" };
        let mut all = vec![("head".to_owned(), feature::head(&looked.overview))];
        all.extend(parts);
        let page = Page {
            title: format!("{waits}{} {}", row.id, part.title()),
            called: &self.called,
            nav: Some(feature::nav(&looked.scope, part)),
            parts: all,
            made,
            is_still,
        };
        Answer::Page { status, html: page.html() }
    }

    fn missing(&self, text: &str, made: &Made) -> Answer {
        self.told(404, "bad", text, &[], made)
    }

    fn failed(&self, error: CliError, made: &Made) -> Answer {
        let error = error.typed_here(self.process);
        let clean = |text: &str| self.process.redactor.redact(text).0.into_owned();
        let hints: Vec<String> = error.hints.iter().map(|hint| clean(hint)).collect();
        let status = if error.code == ErrorCode::Usage { 404 } else { 500 };
        self.told(status, "bad", &clean(&error.message), &hints, made)
    }

    fn told(&self, status: u16, class: &str, text: &str, more: &[String], made: &Made) -> Answer {
        let part = html! {
            h1 { "Redraft" }
            (notice(class, text, more))
            p { a href="/" { "All features" } }
        };
        let page = Page {
            title: "Redraft".to_owned(),
            called: &self.called,
            nav: None,
            parts: vec![("told".to_owned(), part)],
            made,
            is_still: false,
        };
        Answer::Page { status, html: page.html() }
    }

    /// Remembers what became of a form; the number is how the next page finds it.
    fn remember(&self, outcome: String) -> u64 {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        let number = outcomes.back().map_or(1, |(number, _)| number + 1);
        outcomes.push_back((number, outcome));
        while outcomes.len() > OUTCOMES_MAX {
            outcomes.pop_front();
        }
        number
    }

    fn remembered(&self, number: Option<u64>) -> Option<String> {
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.iter().find(|(own, _)| Some(*own) == number).map(|(_, outcome)| outcome.clone())
    }
}

impl Site for RepositorySite<'_> {
    fn page(&self, wanted: &Wanted) -> Answer {
        self.draw(wanted).unwrap_or_else(|error| self.failed(error, &wanted.made))
    }

    fn write(&self, posted: &Posted) -> Answer {
        let written = match &posted.scope {
            Scope::Feature(_) => writes::write(self, posted),
            scope => Ok(self.missing(&format!("Nothing can be decided about {scope} here."), &posted.made)),
        };
        written.unwrap_or_else(|error| self.failed(error, &posted.made))
    }

    fn follow(&self, moved: &mut dyn FnMut(), is_watched: &dyn Fn() -> bool) {
        let Ok(repo) = self.process.repository() else { return };
        let (mut following, mut dues) = (Following::new(&repo.state), Dues::default());
        while self.process.clock.wait_ms(ASK_EVERY_MS) {
            let (changed, now_ms) = (following.changed(), self.process.clock.now_ms());
            if changed {
                self.announce();
            }
            let rows = || self.board().map(|board| board.features.into_iter().map(|seen| seen.row).collect());
            if dues.moved(changed, now_ms, is_watched(), || rows().unwrap_or_default()) {
                moved();
            }
        }
    }
}
