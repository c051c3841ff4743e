//! Keeps the lines of [`crate::live`] on a terminal while the story is told above them.
//!
//! A thread of its own lets the clocks tick while something is under way, a few times a second and only where a line has
//! changed. Everything is written as one text, so that nothing flickers, and under one lock, so that nothing is torn.

use crate::live::{Board, Painter};
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::Entry;
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the lines may change by themselves: often enough for a clock, seldom enough for a slow connection.
const TICK: Duration = Duration::from_millis(200);

/// More lines that nobody asked for are dropped.
const AHEAD_MAX: usize = 100;

/// The terminal, as far as it is needed here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    /// Writes all of it at once.
    pub(crate) write: fn(&str),
    /// Columns and rows that can be used.
    pub(crate) size: fn() -> (usize, usize),
    /// The lines that were typed since the last call, which the terminal has shown by itself.
    pub(crate) typed: fn() -> Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Region {
    screen: Screen,
    began: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    board: Board,
    painter: Painter,
    /// Whether a thread lets the clocks tick.
    ticking: bool,
    /// Whether the terminal is needed for a question.
    hidden: bool,
    /// What was typed while nothing was asked.
    ahead: VecDeque<String>,
}

impl Region {
    pub(crate) fn new(screen: Screen) -> Arc<Region> {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Arc::new(Region { screen, began: Instant::now(), state, changed })
    }

    /// Writes a text, with its line break, above the lines.
    pub(crate) fn above(&self, text: &str) {
        let mut state = self.looked();
        let mut out = state.painter.clear((self.screen.size)().0);
        out.push_str(text);
        out.push_str(&self.painted(&mut state));
        (self.screen.write)(&out);
    }

    /// Takes the lines away while something else is written.
    pub(crate) fn without<T>(&self, act: impl FnOnce() -> T) -> T {
        let mut state = self.looked();
        let out = state.painter.clear((self.screen.size)().0);
        self.write(&out);
        state.hidden = true;
        drop(state);
        let done = act();
        self.lock().hidden = false;
        done
    }

    /// What was typed before anything was asked, oldest first.
    pub(crate) fn typed_ahead(&self) -> Option<String> {
        self.lock().ahead.pop_front()
    }

    pub(crate) fn budget(&self, budget: Usd) {
        self.lock().board.budget = Some(budget);
    }

    pub(crate) fn take(self: &Arc<Self>, entry: &Entry, state: &Pipeline) {
        let mut mine = self.looked();
        mine.board.take(entry, state, self.began.elapsed());
        let out = self.painted(&mut mine);
        self.write(&out);
        if !mine.board.is_empty() && !mine.ticking {
            let region = Arc::clone(self);
            // Without it the clocks stand still, and everything else goes on.
            mine.ticking = std::thread::Builder::new().spawn(move || region.tick()).is_ok();
        }
    }

    /// It is shown at the next tick.
    pub(crate) fn doing(&self, ticket: &Ticket, doing: &str) {
        self.lock().board.doing(ticket, doing);
    }

    /// Nothing is under way any more, of this feature or at all.
    pub(crate) fn land(&self, only: Option<FeatureId>) {
        let mut state = self.looked();
        state.board.land(only);
        let out = self.painted(&mut state);
        self.write(&out);
        self.changed.notify_all();
    }

    fn tick(&self) {
        let mut state = self.lock();
        while !state.board.is_empty() {
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
            self.look(&mut state);
            let out = self.painted(&mut state);
            self.write(&out);
        }
        state.ticking = false;
    }

    fn painted(&self, state: &mut State) -> String {
        let (columns, rows) = (self.screen.size)();
        // The last row is the one in which the story goes on.
        let lines = match state.hidden {
            true => Vec::new(),
            false => state.board.lines(self.began.elapsed(), columns, rows.saturating_sub(1)),
        };
        state.painter.paint(lines, columns)
    }

    fn write(&self, out: &str) {
        if !out.is_empty() {
            (self.screen.write)(out);
        }
    }

    /// The state, for whoever writes: it knows where the cursor is.
    fn looked(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        self.look(&mut state);
        state
    }

    /// Takes in what was typed below the lines. Elsewhere the terminal keeps it until somebody asks.
    fn look(&self, state: &mut State) {
        if !state.painter.shows() {
            return;
        }
        for line in (self.screen.typed)() {
            state.painter.typed(&line);
            if state.ahead.len() < AHEAD_MAX {
                state.ahead.push_back(line);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
