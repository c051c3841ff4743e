//! The only place that prints. Data goes to stdout, talk to stderr.
//!
//! Everything it is given may come from outside, so all of it is made harmless first ([`Shown`]) and coloured
//! afterwards: no text can bring a colour of its own, or anything else a terminal obeys.

#![expect(clippy::disallowed_methods, reason = "this is the one place")]

use crate::colour::painted;
use crate::errors::{CliError, ErrorCode};
use redraft_agents::config::{Colour, TerminalSettings};
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Clock;
use redraft_engine::{Progress, Undone};
use redraft_facts::event::{Entry, Event};
use redraft_facts::harmless;
use redraft_facts::redact::Typed;
use redraft_facts::text::{indented, one_line};
use redraft_facts::ticket::Ticket;
use redraft_reports::projections;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

/// How to talk: JSON keeps stdout for one object and stderr quiet. Apart from letters, it writes what takes back a line
/// on a terminal and colours a few words there.
#[derive(Debug)]
pub struct Console {
    pub json: bool,
    /// Whether only errors and questions are printed.
    quiet: bool,
    /// What is under way, and what each agent does; only where a line can be taken back.
    live: Option<Mutex<Vec<(Ticket, String)>>>,
    manners: TerminalSettings,
    /// Why data did not arrive on stdout, if it did not.
    lost: OnceLock<String>,
    /// What was printed, where it is to be passed on by somebody else.
    kept: Option<Mutex<String>>,
}

impl Console {
    /// Prints nothing: data is kept for the caller, as JSON, and talk is dropped.
    pub fn kept() -> Self {
        Self { kept: Some(Mutex::default()), live: None, ..Self::new(true, true) }
    }

    /// What was kept so far.
    pub fn printed(&self) -> String {
        let kept = self.kept.as_ref().map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner).clone());
        kept.unwrap_or_default()
    }

    pub fn new(json: bool, quiet: bool) -> Self {
        let live = !json && !quiet && can_rewrite_lines();
        let (live, lost) = (live.then(Mutex::default), OnceLock::new());
        Self { json, quiet, live, manners: TerminalSettings::default(), lost, kept: None }
    }

    /// The same with the user's terminal settings.
    pub fn with_manners(mut self, manners: TerminalSettings) -> Self {
        self.manners = manners;
        self
    }

    /// Rings the terminal's bell, if the user wants that.
    pub fn ring(&self) {
        if self.manners.bell && !self.json && std::io::stderr().is_terminal() {
            // A terminal that is gone rings nothing.
            let _ = std::io::stderr().write_all(b"\x07");
        }
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

    /// Why data did not arrive on stdout, if it did not.
    pub fn lost(&self) -> Option<&str> {
        self.lost.get().map(String::as_str)
    }

    /// One line of data.
    pub fn data(&self, text: &str) {
        self.write_out(&Shown::text(text, self.colours(&std::io::stdout())));
    }

    /// A script or a page that this program itself has made, whose control characters have a meaning.
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
        if self.json { self.object(value) } else { self.data(text.trim_end()) }
    }

    pub fn error(&self, error: &CliError) {
        if self.json {
            let code = error.code as i32;
            self.object(&ErrorJson { v: 1, error: &error.message, hints: &error.hints, exit: code });
        }
        self.complain(error);
    }

    /// The same for people only.
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
        let mut err = std::io::stderr().lock();
        // A terminal that is gone shows nothing; the answer is then missing too.
        let _ = write!(err, "{}", Shown::text(question, false).0);
        let _ = err.flush();
        drop(err);
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

    pub fn can_ask(&self) -> bool {
        !self.json && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    fn talk(&self, text: &str) {
        if self.kept.is_some() {
            return;
        }
        let mut err = std::io::stderr().lock();
        if self.live.is_some() {
            // Clears the line that shows what is under way.
            let _ = write!(err, "\r\x1b[K");
        }
        let _ = writeln!(err, "{}", Shown::text(text, self.colours(&err)).0);
    }

    fn under_way(&self, entry: &Entry) {
        let Some(live) = &self.live else { return };
        let Ok(mut tickets) = live.lock() else { return };
        match &entry.event {
            Event::Started(fact) => tickets.push((fact.ticket.clone(), String::new())),
            Event::Answered(fact) => tickets.retain(|(ticket, _)| *ticket != fact.ticket),
            Event::Failed(fact) => tickets.retain(|(ticket, _)| *ticket != fact.ticket),
            Event::Lost(fact) => tickets.retain(|(ticket, _)| *ticket != fact.ticket),
            _ => {}
        }
        waiting(&tickets);
    }

    /// A closed pipe means that the reader has enough; any other reason why data stops is reported at the end.
    fn write_out(&self, Shown(text): &Shown) {
        if let Some(kept) = &self.kept {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push_str(text);
            kept.push('\n');
            return;
        }
        let mut out = std::io::stdout().lock();
        let written = writeln!(out, "{text}").and_then(|()| out.flush());
        if let Err(error) = written
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            // The first reason is the one that counts.
            let _ = self.lost.set(error.to_string());
        }
    }
}

/// A text that may be written to a terminal.
struct Shown(String);

impl Shown {
    /// Colours come last, so that no text can bring its own.
    fn text(outside: &str, colours: bool) -> Shown {
        let harmless = harmless::text(outside);
        Shown(if colours { painted(&harmless) } else { harmless.into_owned() })
    }

    fn json(written: &str) -> Shown {
        Shown(harmless::json(written).into_owned())
    }
}

/// A message whose further lines, which may be somebody else's words, cannot be taken for lines of ours. A line of a
/// configuration stays as it is: it is meant to be copied, and looks like nothing that we print.
pub fn beneath(message: &str) -> String {
    let mut lines = message.trim_end().split('\n');
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let bar = if is_setting(line) { "" } else { "    | " };
        text.push_str(&format!("\n{bar}{line}"));
    }
    text
}

/// Whether a line is an indented `[table]` or `key = value`.
fn is_setting(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("  ") else { return false };
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.\"".contains(letter);
    let key = rest.trim_start().trim_start_matches('[');
    let after = key.trim_start_matches(plain);
    after.len() < key.len() && (after.starts_with(" = ") || after == "]")
}

/// The line that shows what is under way, written over the one before.
fn waiting(tickets: &[(Ticket, String)]) {
    let room = columns();
    if tickets.is_empty() || room < ROOM_MIN {
        return;
    }
    let name = |(ticket, doing): &(Ticket, String)| match doing.as_str() {
        "" => format!("{} {}", ticket.role, ticket.purpose),
        doing => format!("{} {} ({doing})", ticket.role, ticket.purpose),
    };
    let names: Vec<String> = tickets.iter().map(name).collect();
    let line = format!("… waiting for {}", names.join(", "));
    let mut err = std::io::stderr().lock();
    let _ = write!(err, "\r\x1b[K{}", one_line(&Shown::text(&line, false).0, room));
    let _ = err.flush();
}

/// A shorter line would say nothing.
const ROOM_MIN: usize = 16;

/// Whether the line that shows what is under way can be taken back: on a terminal that supports it.
fn can_rewrite_lines() -> bool {
    std::io::stderr().is_terminal() && is_capable()
}

/// Whether the terminal supports more than letters.
fn is_capable() -> bool {
    let term = std::env::var_os("TERM").unwrap_or_default();
    !term.is_empty() && term != "dumb"
}

/// How long a line may be without running into the next one, which could not be taken back.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    // Some terminals do not know how wide they are.
    let columns = size.map_or(0, |size| usize::from(size.ws_col));
    if columns == 0 { 79 } else { columns - 1 }
}

impl Progress for Console {
    fn stored(&self, entry: &Entry, _state: &Pipeline) {
        self.say(&format!("  {}", indented(&projections::line(&entry.event), 2)));
        self.under_way(entry);
    }

    fn doing(&self, ticket: &Ticket, doing: &str) {
        let Some(live) = &self.live else { return self.say(&format!("    {}: {doing}", ticket.role)) };
        let Ok(mut tickets) = live.lock() else { return };
        if let Some((_, last)) = tickets.iter_mut().find(|(one, _)| one == ticket) {
            doing.clone_into(last);
        }
        waiting(&tickets);
    }

    fn undone(&self, undone: &Undone) {
        self.say(&format!("  what was undone is kept; to get it back: {}", undone.command));
    }
}

#[derive(Serialize)]
struct ErrorJson<'a> {
    v: u16,
    error: &'a str,
    hints: &'a [String],
    exit: i32,
}
