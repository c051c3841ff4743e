//! A terminal with a person in front of it: what is on the screen, and keys.

use crate::terminal::pair;
use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A view on a terminal of its own.
pub(crate) struct Watching {
    terminal: File,
    child: Child,
    screen: Arc<Mutex<Screen>>,
}

#[derive(Default)]
struct Screen {
    /// Everything that was written.
    raw: Vec<u8>,
    columns: usize,
    cells: Vec<Vec<char>>,
    at: (usize, usize),
    /// An escape sequence that is not complete yet.
    sequence: String,
}

impl Watching {
    pub(crate) fn new(
        scratch: &Scratch,
        words: &[&str],
        size: (u16, u16),
        variables: &[(&str, &str)],
    ) -> Watching {
        let (terminal, end) = pair();
        let screen = Arc::new(Mutex::new(Screen::default()));
        screen.lock().unwrap().resize(size);
        tcsetwinsize(&end, winsize(size)).unwrap();
        // A session of its own: what a person types here reaches nobody else.
        let mut command = scratch.command("setsid");
        command.args(["--ctty", PROGRAM]).args(words);
        command.stdin(end.try_clone().unwrap()).stdout(end.try_clone().unwrap()).stderr(end);
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR").envs(variables.iter().copied());
        let child = command.spawn().unwrap();
        drop(command);
        let (mut reading, shown) = (terminal.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = reading.read(&mut bytes) {
                shown.lock().unwrap().take(&bytes[..read]);
            }
        });
        Watching { terminal, child, screen }
    }

    pub(crate) fn text(&self) -> String {
        let screen = self.screen.lock().unwrap();
        let lines = screen.cells.iter().map(|line| line.iter().collect::<String>().trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Waits until this is on the screen, with how long it took.
    #[track_caller]
    pub(crate) fn until(&mut self, wanted: &str) {
        let began = Instant::now();
        while !self.text().contains(wanted) {
            assert!(began.elapsed() < PATIENCE, "`{wanted}` does not appear:\n{}", self.text());
            assert!(self.child.try_wait().unwrap().is_none(), "it has ended:\n{}", self.text());
            std::thread::park_timeout(Duration::from_millis(10));
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// A confirmation counts only after a moment.
    pub(crate) fn press_later(&mut self, keys: &str) {
        std::thread::park_timeout(Duration::from_millis(400));
        self.press(keys);
    }

    pub(crate) fn resize(&mut self, size: (u16, u16)) {
        self.screen.lock().unwrap().resize(size);
        tcsetwinsize(&self.terminal, winsize(size)).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a signal from outside")]
    pub(crate) fn kill(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Waits for the end of the program.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Whether the terminal shows again what stood there before, and lines as they are typed.
    pub(crate) fn gave_back(&self) -> bool {
        let began = Instant::now();
        let left = |screen: &Screen| screen.raw.windows(8).any(|bytes| bytes == b"\x1b[?1049l");
        while !left(&self.screen.lock().unwrap()) && began.elapsed() < PATIENCE {
            std::thread::park_timeout(Duration::from_millis(10));
        }
        let modes = rustix::termios::tcgetattr(&self.terminal).unwrap().local_modes;
        let cooked = modes.contains(rustix::termios::LocalModes::ICANON | rustix::termios::LocalModes::ECHO);
        left(&self.screen.lock().unwrap()) && cooked
    }

    pub(crate) fn has_colours(&self) -> bool {
        let raw = String::from_utf8_lossy(&self.screen.lock().unwrap().raw).into_owned();
        raw.contains("\x1b[38;5;")
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // One that has ended cannot be ended again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn winsize((columns, rows): (u16, u16)) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

impl Screen {
    fn resize(&mut self, (columns, rows): (u16, u16)) {
        self.columns = usize::from(columns);
        self.cells = vec![vec![' '; self.columns]; usize::from(rows)];
    }

    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        // A letter of several bytes that was cut in two shows as a wrong one, which no test looks for.
        for letter in String::from_utf8_lossy(bytes).chars() {
            self.letter(letter);
        }
    }

    fn letter(&mut self, letter: char) {
        if !self.sequence.is_empty() {
            self.sequence.push(letter);
            let is_begin = self.sequence.len() == 2 && letter == '[';
            if !is_begin && letter.is_ascii_alphabetic() {
                let sequence = std::mem::take(&mut self.sequence);
                self.obey(&sequence);
            }
            return;
        }
        match letter {
            '\x1b' => self.sequence.push(letter),
            '\r' => self.at.1 = 0,
            '\n' => self.at.0 += 1,
            letter => {
                if let Some(cell) = self.cells.get_mut(self.at.0).and_then(|line| line.get_mut(self.at.1)) {
                    *cell = letter;
                }
                self.at.1 += 1;
            }
        }
    }

    fn obey(&mut self, sequence: &str) {
        let inner = sequence.trim_start_matches("\x1b[");
        let (numbers, what) = inner.split_at(inner.len() - 1);
        let number = |at: usize| numbers.split(';').nth(at).and_then(|one| one.parse::<usize>().ok());
        match what {
            "H" => self.at = (number(0).unwrap_or(1) - 1, number(1).unwrap_or(1) - 1),
            "J" => self.cells.iter_mut().for_each(|line| line.fill(' ')),
            _ => {}
        }
    }
}
