//! Writes what a form says, by starting this program as a person would type it. The server itself stores nothing, so
//! that what is checked, redacted and said is the same on a page as on a terminal.

use redraft_engine::ports::Clock as _;
use redraft_frame::errors::ErrorCode;
use redraft_frame::process_context::ProcessContext;
use serde::Deserialize;
use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, Stdio};

/// How long a decision or a comment may take: it waits for locks and git, never for an agent.
const WAIT_MS: u64 = 120_000;
const LOOK_AGAIN_MS: u64 = 20;
/// More than any of these commands prints.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    Done {
        /// Whether it is kept where a run takes it in, and not stored yet.
        waits: bool,
    },
    /// What it said instead, what to do about it, and whether it only wants to be told to go on.
    Refused { message: String, hints: Vec<String>, asks: bool },
}

#[derive(Deserialize)]
struct Done {
    stored: bool,
}

#[derive(Deserialize)]
struct Said {
    error: Option<String>,
    #[serde(default)]
    hints: Vec<String>,
    exit: i32,
}

/// Runs `redraft WORDS` in the folder that this process works in.
pub(super) fn write(words: &[String], process: &ProcessContext) -> Written {
    let refused = |message: String| Written::Refused { message, hints: Vec::new(), asks: false };
    if words.iter().any(|word| word.contains('\0')) {
        return refused("a text cannot hold a null character".to_owned());
    }
    let mut all: Vec<OsString> = vec!["--json".into(), "-C".into(), process.folder.clone().into_os_string()];
    all.extend(words.iter().map(OsString::from));
    match run(&all, process) {
        Ok((true, printed)) => Written::Done {
            // A comment may only have come as far as the inbox of whoever drives the feature.
            waits: serde_json::from_slice::<Done>(&printed).is_ok_and(|done| !done.stored),
        },
        Ok((false, printed)) => match serde_json::from_slice::<Said>(&printed) {
            Ok(Said { error: Some(message), hints, exit }) => {
                let clean = |text: String| process.redactor.redact(&text).0.into_owned();
                let (message, asks) = (clean(message), exit == ErrorCode::Waiting as i32);
                Written::Refused { message, hints: hints.into_iter().map(clean).collect(), asks }
            }
            _ => refused("the program did not say why it failed; type the command in a terminal".to_owned()),
        },
        Err(error) => refused(format!("the program could not be started: {error}")),
    }
}

#[expect(clippy::disallowed_methods, reason = "this program itself, with the words of a form")]
fn run(words: &[OsString], process: &ProcessContext) -> std::io::Result<(bool, Vec<u8>)> {
    let mut command = Command::new(&process.exe);
    command.args(words).current_dir(&process.folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut printed = Vec::new();
        // What cannot be read is missing, and said to be.
        let _ = output.map(|output| output.take(BYTES_MAX).read_to_end(&mut printed));
        printed
    });
    let ended = wait(&mut child, process)?;
    Ok((ended, reader.join().unwrap_or_default()))
}

/// Whether it ended well. One that takes too long is ended: everything it stored is whole.
fn wait(child: &mut Child, process: &ProcessContext) -> std::io::Result<bool> {
    let begun = process.clock.moment();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        let waited_ms = process.clock.moment().ms_since(begun);
        if waited_ms >= WAIT_MS {
            child.kill()?;
            return Ok(child.wait()?.success());
        }
        // The server ends, and what was begun is finished first.
        if !process.clock.wait_ms(LOOK_AGAIN_MS) {
            return Ok(child.wait()?.success());
        }
    }
}
