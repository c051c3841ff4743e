//! What the screen can do: colours, rewriting a line, how many columns.

use std::io::IsTerminal;

/// Whether the lines that show what is under way can be taken back: on a terminal that supports it.
pub(super) fn can_rewrite_lines() -> bool {
    std::io::stderr().is_terminal() && is_capable()
}

/// Whether the terminal supports more than letters.
pub(super) fn is_capable() -> bool {
    let term = std::env::var_os("TERM").unwrap_or_default();
    !term.is_empty() && term != "dumb"
}

/// The columns and rows of the terminal that stderr is.
pub(super) fn size() -> (usize, usize) {
    let err = std::io::stderr();
    let rows = rustix::termios::tcgetwinsize(&err).map_or(0, |size| usize::from(size.ws_row));
    (columns(&err).unwrap_or(USUAL.0), if rows == 0 { USUAL.1 } else { rows })
}

/// Some terminals do not know how wide and how high they are.
const USUAL: (usize, usize) = (79, 24);

/// How long a line may be without running into the next one.
pub(super) fn columns(stream: &impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(if size.ws_col == 0 { USUAL.0 } else { usize::from(size.ws_col) - 1 })
}
