//! What the view does with what it is told.

use super::super::{Stage, guarded};
use super::{app, busy};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use redraft_adapters::clock::SystemClock;
use redraft_frame::errors::{CliError, ErrorCode};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{channel, sync_channel};

/// Plays while `gather` gathers, as [`super::super::watch`] does.
fn played(is_ours: fn() -> bool, gather: impl FnOnce() + Send) -> Result<ErrorCode, CliError> {
    let (tell, messages) = sync_channel(8);
    let (wish, _wishes) = channel();
    let clock = SystemClock::new(Arc::default());
    let mut screen = Terminal::new(TestBackend::new(80, 24)).unwrap();
    std::thread::scope(|threads| {
        let found = tell.clone();
        threads.spawn(move || guarded(&found, gather));
        let (exe, folder) = (Path::new("x"), Path::new("x"));
        let stage = Stage { clock: &clock, exe, folder, is_ours, tell: &tell, wish };
        stage.play(&mut app(vec![busy("x")], true), &mut screen, &messages)
    })
}

#[test]
fn a_view_whose_gathering_breaks_ends_and_says_so() {
    let error = played(|| true, || panic!("a fault of ours")).unwrap_err();
    assert_eq!(error.code, ErrorCode::Bug);
    assert!(error.message.contains("a run is not touched"), "{}", error.message);
    assert!(error.hints.iter().any(|hint| hint.contains("redraft status")), "{:?}", error.hints);
}

#[test]
fn nothing_is_drawn_on_a_terminal_that_a_fault_has_given_back() {
    assert_eq!(played(|| false, || {}).unwrap_err().code, ErrorCode::Bug);
}
