//! The terminal as a full screen: taken over, drawn on, and given back however the program ends.

#![expect(
    clippy::disallowed_methods,
    reason = "the screen is drawn on stdout, and every line was made harmless"
)]

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{self, IsTerminal, Stdout};
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) type Screen = Terminal<CrosstermBackend<Stdout>>;

/// Whether the terminal is ours at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back when it is dropped.
pub(super) struct Taken {
    pub(super) screen: Screen,
}

/// Whether the terminal is taken over now. It is not any more where a thread has panicked.
pub(super) fn is_ours() -> bool {
    TAKEN.load(Ordering::SeqCst)
}

/// Whether there is a terminal to draw on and to read keys from.
pub(super) fn is_there() -> bool {
    let term = std::env::var_os("TERM").unwrap_or_default();
    let can = !term.is_empty() && term != "dumb";
    can && io::stdin().is_terminal() && io::stdout().is_terminal()
}

impl Taken {
    pub(super) fn new(colours: bool) -> io::Result<Taken> {
        // It would decide by itself otherwise, and not know what was typed as `--color`.
        ratatui::crossterm::style::force_color_output(colours);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // Otherwise the message would be drawn on a screen that goes away.
            give_back();
            before(panic);
        }));
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        let taken = execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match taken {
            Ok(screen) => Ok(Taken { screen }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // A terminal that is gone has no cursor.
        let _ = self.screen.show_cursor();
        give_back();
    }
}

fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        // A terminal that is gone needs nothing back.
        let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

/// Reads what the person does until the terminal is gone or nobody listens. Reading cannot be interrupted: a thread that
/// is left behind ends with the program.
pub(super) fn listen(tell: impl Fn(Option<Event>) -> bool + Send + 'static) {
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if !tell(Some(event)) {
                return;
            }
        }
        // The terminal is gone.
        tell(None);
    });
}
