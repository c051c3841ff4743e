//! The only place that prints. Data goes to stdout, talk to stderr.
//!
//! Everything it is given may come from outside, so all of it is made harmless first ([`Shown`]) and coloured
//! afterwards: no text can bring a colour of its own, or anything else a terminal obeys.

#![expect(clippy::disallowed_methods, reason = "this is the one place")]

mod asking;
mod lane;
mod notices;
mod screen;
mod shown;
mod typed_ahead;

use self::lane::Lane;
use crate::attention::Attention;
use crate::errors::{CliError, ErrorCode};
use crate::region::{Region, Screen};
use redraft_agents::config::{Colour, TerminalSettings};
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Clock;
use redraft_facts::event::Entry;
use redraft_facts::harmless;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::Usd;
use screen::{can_rewrite_lines, columns, is_capable, size};
use serde::Serialize;
use shown::Shown;
pub use shown::beneath;
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How to talk: JSON keeps stdout for one object and stderr quiet. Apart from letters, it writes what takes back lines
/// on a terminal and colours a few words there.
#[derive(Debug)]
pub struct Console {
    pub json: bool,
    /// Whether only errors and questions are printed.
    quiet: bool,
    /// Whether each event is told, with its ticket.
    pub verbose: bool,
    /// Whether stdout is for events, one JSON object a line, and the result as the last of them.
    pub events: bool,
    /// What is under way, below everything else; only where lines can be taken back.
    live: Option<Arc<Region>>,
    manners: TerminalSettings,
    attention: Attention,
    /// Why data did not arrive on stdout, if it did not.
    lost: Arc<OnceLock<String>>,
    /// What was printed, where it is to be passed on by somebody else.
    kept: Option<Mutex<String>>,
    /// Which of several features this is about.
    lane: Option<Lane>,
}

pub use self::lane::Shown as ShownResult;

impl Console {
    /// Prints nothing: data is kept for the caller, as JSON, and talk is dropped.
    pub fn capturing() -> Self {
        Self { kept: Some(Mutex::default()), live: None, ..Self::new(true, true) }
    }

    /// What was kept so far.
    pub fn printed(&self) -> String {
        let kept = self.kept.as_ref().map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner).clone());
        kept.unwrap_or_default()
    }

    pub fn new(json: bool, quiet: bool) -> Self {
        let live = !json && !quiet && can_rewrite_lines();
        let live =
            live.then(|| Region::new(Screen { write: write_at_once, size, typed: typed_ahead::lines }));
        let (manners, lost) = (TerminalSettings::default(), Arc::default());
        let attention = Attention::default();
        let (verbose, events, kept, lane) = (false, false, None, None);
        Self { json, quiet, verbose, events, live, manners, attention, lost, kept, lane }
    }

    /// The same with the user's terminal settings.
    pub fn with_manners(mut self, manners: TerminalSettings) -> Self {
        self.manners = manners;
        self
    }

    /// Whether words on this stream are coloured.
    fn colours(&self, stream: &impl IsTerminal) -> bool {
        match self.manners.colour {
            Colour::Always => !self.json,
            Colour::Never => false,
            Colour::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                !self.json && !refused && stream.is_terminal() && is_capable()
            }
        }
    }

    /// Whether a full screen on stdout is coloured.
    pub fn colours_on_screen(&self) -> bool {
        self.colours(&std::io::stdout())
    }

    /// Whether a person sees what is printed as data.
    pub fn prints_to_a_terminal(&self) -> bool {
        self.kept.is_none() && std::io::stdout().is_terminal()
    }

    /// Why data did not arrive on stdout, if it did not.
    pub fn lost(&self) -> Option<&str> {
        self.lost.get().map(String::as_str)
    }

    /// One line of data.
    pub fn data(&self, text: &str) {
        let out = std::io::stdout();
        let columns = columns(&out).filter(|_| out.is_terminal());
        self.write_out(&Shown::wrapped(text, columns, self.colours(&out)));
    }

    /// A page for a program or a file: neither coloured nor broken into lines, but harmless like everything else.
    pub fn page(&self, text: &str) {
        self.write_out(&Shown::text(text.trim_end(), false));
    }

    /// A script or a manual page that this program itself has made, whose control characters have a meaning.
    pub fn made_here(&self, text: &str) {
        self.write_out(&Shown(text.to_owned()));
    }

    /// JSON that is already written, on one line.
    pub fn json_line(&self, written: &str) {
        self.write_out(&Shown::json(written));
    }

    /// One JSON object on stdout.
    pub fn object(&self, value: &impl Serialize) {
        // Spaces are for people.
        let json = match self.kept {
            Some(_) => serde_json::to_string(value),
            None => serde_json::to_string_pretty(value),
        };
        self.json_line(&json.unwrap_or_default());
    }

    /// The same on one line, for a stream of objects.
    pub fn line_object(&self, value: &impl Serialize) {
        self.json_line(&serde_json::to_string(value).unwrap_or_default());
    }

    /// A line for the person; nothing when the output is for a program, or the person wants quiet.
    pub fn say(&self, text: &str) {
        if !self.json && !self.quiet {
            self.talk(text);
        }
    }

    /// What a question is about: shown even to a person who wants quiet, if the question can be asked.
    pub fn say_before_asking(&self, text: &str) {
        if self.quiet && self.can_ask() {
            self.talk(text);
        } else {
            self.say(text);
        }
    }

    /// The same for several lines.
    pub fn say_all(&self, lines: &[String]) {
        for line in lines {
            self.say(line);
        }
    }

    /// Either data for a person or one object for a program.
    pub fn show(&self, text: &str, value: &impl Serialize) {
        if let Some(lane) = &self.lane {
            return lane.show(text, value);
        }
        match (self.json, self.events) {
            (true, _) => self.object(value),
            (false, true) => self.line_object(&ResultJson { v: 1, what: "result", result: value }),
            (false, false) => self.data(text.trim_end()),
        }
    }

    pub fn error(&self, error: &CliError) {
        let (hints, exit) = (error.hints.as_slice(), error.code as i32);
        let object =
            ErrorJson { v: 1, what: self.events.then_some("error"), error: &error.message, hints, exit };
        match (self.json, self.events) {
            (true, _) => self.object(&object),
            (false, true) => self.line_object(&object),
            (false, false) => {}
        }
        self.complain(error);
    }

    /// A person was asked what it may cost and did not agree. In a stream of objects this is its last line.
    pub fn not_sent(&self, next: &str, code: ErrorCode) {
        if self.events {
            let (error, hints) = ("nothing was sent: nobody agreed to what it may cost", [next.to_owned()]);
            let (what, exit) = (Some("error"), code as i32);
            self.line_object(&ErrorJson { v: 1, what, error, hints: &hints, exit });
        }
        self.say(&format!("nothing was sent\nnext: {next}"));
    }

    /// The same as [`Console::error`] for people only.
    pub fn complain(&self, error: &CliError) {
        self.talk(&format!("error: {}", beneath(&error.message)));
        for hint in &error.hints {
            self.talk(&format!("  hint: {}", beneath(hint)));
        }
        if error.code == ErrorCode::Bug {
            self.talk("  hint: this should not happen; report it with the output of `redraft log`");
        }
    }

    /// Asks on the terminal; none at the end of input or when the user stops the program.
    pub fn ask(&self, question: &str, clock: &dyn Clock) -> Option<String> {
        self.ask_about(question, question, clock)
    }

    /// The same, where the line in which the answer is typed does not say what is asked.
    fn ask_about(&self, what: &str, question: &str, clock: &dyn Clock) -> Option<String> {
        self.call(what);
        let answer = match &self.live {
            Some(live) => live.without(|| self.prompted(question, clock)),
            None => self.prompted(question, clock),
        };
        self.attention.saw_person(clock.moment());
        answer
    }

    fn prompted(&self, question: &str, clock: &dyn Clock) -> Option<String> {
        let mut err = std::io::stderr().lock();
        // A terminal that is gone shows nothing; the answer is then missing too.
        let _ = write!(err, "{}", Shown::text(question, false).0);
        let _ = err.flush();
        drop(err);
        if let Some(line) = self.live.as_ref().and_then(|live| live.typed_ahead()) {
            write_at_once(&format!("{}\n", Shown::text(&line, false).0));
            return Some(line.trim().to_owned());
        }
        // Reading cannot be interrupted, so another thread does it; one that is left behind ends with the program.
        let (answer, waiting) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            let read = std::io::stdin().read_line(&mut line).ok().filter(|read| *read > 0);
            // Nobody waits any more after Ctrl-C.
            let _ = answer.send(read.map(|_| line.trim().to_owned()));
        });
        while clock.wait_ms(20) {
            if let Ok(line) = waiting.try_recv() {
                return line;
            }
        }
        None
    }

    pub fn can_ask(&self) -> bool {
        !self.json && self.lane.is_none() && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    fn talk(&self, text: &str) {
        if self.kept.is_some() {
            return;
        }
        let err = std::io::stderr();
        let columns = columns(&err).filter(|_| err.is_terminal());
        let columns = columns.map(|all| all.saturating_sub(self.lane.as_ref().map_or(0, Lane::width)));
        let Shown(mut text) = Shown::wrapped(text, columns, self.colours(&err));
        if let Some(lane) = &self.lane {
            text = lane.told(&text);
            if text.is_empty() {
                return;
            }
        }
        match &self.live {
            Some(live) => live.above(&format!("{text}\n")),
            None => write_at_once(&format!("{text}\n")),
        }
    }

    /// What is under way has changed.
    pub(crate) fn under_way(&self, entry: &Entry, state: &Pipeline) {
        if let Some(live) = &self.live {
            live.take(entry, state);
        }
    }

    /// What an agent does now. Without a terminal it is a line like any other.
    pub(crate) fn doing(&self, ticket: &Ticket, doing: &str) {
        match &self.live {
            Some(live) => live.doing(ticket, &harmless::name(doing)),
            None => self.say(&format!("    {}: {doing}", ticket.role)),
        }
    }

    /// Nothing is under way any more.
    pub(crate) fn land(&self) {
        if let Some(live) = &self.live {
            live.land(self.lane.as_ref().map(|lane| lane.id));
        }
    }

    /// What the run may cost, to be shown with what it has cost.
    pub fn budget(&self, budget: Usd) {
        // What one of several may cost says nothing about all.
        if let Some(live) = self.live.as_ref().filter(|_| self.lane.is_none()) {
            live.budget(budget);
        }
    }

    /// A closed pipe means that the reader has enough; any other reason why data stops is reported at the end.
    fn write_out(&self, Shown(text): &Shown) {
        if let Some(kept) = &self.kept {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push_str(text);
            kept.push('\n');
            return;
        }
        let write = || {
            let mut out = std::io::stdout().lock();
            writeln!(out, "{text}").and_then(|()| out.flush())
        };
        let written = match &self.live {
            Some(live) => live.without(write),
            None => write(),
        };
        if let Err(error) = written
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            // The first reason is the one that counts.
            let _ = self.lost.set(error.to_string());
        }
    }
}

/// Writes to stderr, all of it at once.
fn write_at_once(text: &str) {
    let mut err = std::io::stderr().lock();
    // A terminal that is gone shows nothing.
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// The last line of a stream of objects.
#[derive(Serialize)]
struct ResultJson<'a, T: Serialize> {
    v: u16,
    #[serde(rename = "type")]
    what: &'static str,
    result: &'a T,
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    v: u16,
    /// Only in a stream of objects.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    what: Option<&'static str>,
    error: &'a str,
    hints: &'a [String],
    exit: i32,
}
