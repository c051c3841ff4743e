//! Tests what is shown on a terminal, narrow, plain or dumb.

use crate::world::feature;
use redraft_testkit::Scratch;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;

/// Both ends of a terminal: the person's and the programs'.
pub(crate) fn pair() -> (File, File) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = std::ffi::OsString::from_vec(ptsname(&terminal, Vec::new()).unwrap().into_bytes());
    (File::from(terminal), File::options().read(true).write(true).open(name).unwrap())
}

/// Runs with a terminal as stderr and returns what it showed.
fn shown(scratch: &Scratch, words: &[&str], columns: u16, variables: &[(&str, &str)]) -> String {
    let (mut terminal, end) = pair();
    tcsetwinsize(&end, Winsize { ws_row: 5, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let mut command = scratch.redraft(words);
    command
        .stderr(end)
        .stdout(std::process::Stdio::null())
        .env("TERM", "xterm")
        .envs(variables.iter().copied());
    let mut child = command.spawn().unwrap();
    // Our copy of the other end; without it the terminal closes with the program.
    drop(command);
    let mut said = Vec::new();
    // A terminal that is no longer open answers with an error, not with an end.
    let _ = terminal.read_to_end(&mut said);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    without_notice(&String::from_utf8(said).unwrap())
}

/// On a busy machine a run takes so long that the terminal rings at its end; `notices` tests that.
fn without_notice(said: &str) -> String {
    match said.split_once("\x1b]9;") {
        Some((before, notice)) if notice.ends_with("\x1b\\\x07") => before.to_owned(),
        _ => said.to_owned(),
    }
}

/// What is written to paint the lines of what is under way: moves, and the removal of what is there.
fn without_moves(said: &str) -> String {
    let mut text = said.to_owned();
    for moved in ["\x1b[K", "\x1b[J", "\x1b[1A", "\x1b[2A", "\x1b[3A"] {
        text = text.replace(moved, "");
    }
    text
}

#[test]
fn what_is_under_way_stands_below_the_story_and_never_wraps() {
    for columns in [1, 2, 10, 24, 60, 200] {
        let said = shown(&feature("Show the weather"), &["run", "001"], columns, &[]);
        let lines: Vec<&str> = said.split(['\n', '\r']).filter(|line| line.starts_with('…')).collect();
        assert!(columns < 17 || !lines.is_empty(), "{said}");
        for line in lines {
            let line = without_moves(line);
            assert!(line.chars().count() < usize::from(columns), "{columns}: {line:?}");
        }
        assert!(said.contains("approved"), "{said}");
        // Nothing is left of it at the end.
        assert!(said.rfind("\x1b[J").is_none_or(|at| !said[at..].contains('…')), "{said}");
    }
    let wide = shown(&feature("Show the weather"), &["run", "001"], 0, &[]);
    assert!(
        wide.contains("… 0:00 spec-reviewer reviews spec.md (rehearsal)"),
        "a terminal without a width: {wide}"
    );
}

#[test]
fn the_story_fits_a_narrow_terminal_and_words_stay_whole() {
    let said = shown(&feature("Show the weather"), &["run", "001"], 60, &[("NO_COLOR", "1")]);
    let (mut broken, text) = (0, without_moves(&said));
    for line in text.lines().map(|line| line.trim_end_matches('\r')) {
        let line = line.rsplit('\r').next().unwrap_or_default();
        assert!(line.chars().count() < 60, "{line:?} in {said}");
        broken += usize::from(line.starts_with("      ") && !line.trim().is_empty());
    }
    assert!(broken > 1, "findings are longer than a line: {said}");
}

#[test]
fn the_clock_of_a_dispatch_ticks_while_nothing_else_happens() {
    let scratch = feature("Show the weather");
    scratch.scenario("[[rule]]\nticket = \"*/review/spec-reviewer/1.1\"\ndo = \"late\"\nwait_ms = 1300\n");
    let said = shown(&scratch, &["run", "001"], 80, &[]);
    assert!(said.contains("… 0:01 spec-reviewer reviews spec.md (rehearsal)\x1b[K"), "{said}");
    // Only the line with the clock is written again.
    let (_, after) = said.split_once("… 0:01 spec-reviewer").unwrap();
    let repainted = after.split("\x1b[J").next().unwrap();
    assert!(!repainted.contains(" tokens, "), "{repainted:?}");
}

#[test]
fn a_dumb_terminal_gets_plain_lines_and_colours_go_where_they_are_wanted() {
    let plain = shown(&feature("Show the weather"), &["run", "001"], 80, &[("TERM", "dumb")]);
    assert!(!plain.contains('\x1b') && plain.contains("spec-reviewer approved"), "{plain}");
    for (colour, variables, coloured) in [
        ("auto", &[][..], true),
        ("auto", &[("NO_COLOR", "1")], false),
        ("always", &[("NO_COLOR", "1")], true),
        ("never", &[], false),
    ] {
        let scratch = feature("Show the weather");
        scratch.configure(&format!("colour = \"{colour}\"\n[roles]\ndefault = \"rehearsal\"\n"));
        let said = shown(&scratch, &["run", "001"], 80, variables);
        assert_eq!(without_moves(&said).contains('\x1b'), coloured, "{colour}, {variables:?}: {said}");
        assert_eq!(said.contains("spec-reviewer \x1b[32mapproved\x1b[0m"), coloured, "{colour}: {said}");
    }
}

#[test]
fn help_is_readable_however_narrow_the_terminal_is() {
    let scratch = Scratch::empty(crate::world::PROGRAM);
    for columns in ["1", "7", "40", "0", "nonsense"] {
        let output = scratch.redraft(["run", "--help"]).env("COLUMNS", columns).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{columns}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("--budget") && text.contains("130"), "{columns}: {text}");
    }
}
