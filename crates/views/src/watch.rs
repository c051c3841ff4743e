//! `redraft watch`: all features on a full screen, or one of them, while others work on them.
//!
//! It looks and changes nothing: what a person decides, comments or stops is done by this program run once more, as if
//! it had been typed. `source` gathers what is shown (`snapshot`), `app` knows what the person has chosen to see and what
//! each key does, `dialog` what is asked, `draw` and `panes` what stands where, `ink` makes the lines, `screen` takes the
//! terminal over and gives it back. Start at [`watch`].

mod app;
mod dialog;
mod draw;
mod ink;
mod panes;
mod screen;
mod snapshot;
mod source;
#[cfg(test)]
mod tests;

use app::{App, Wish};
use ink::Ink;
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::crossterm::event::{Event, KeyEventKind};
use redraft_engine::ports::Clock;
use redraft_facts::ticket::Scope;
use redraft_frame::args::WatchArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::projections::BoardRow;
use redraft_reports::view::Overview;
use screen::Taken;
use serde::Serialize;
use snapshot::Snapshot;
use source::{Wanted, follow, look};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

/// How often it looks whether it was told to end.
const WAIT: Duration = Duration::from_millis(100);

/// How much of what happens may wait to be drawn. Whoever has more to say waits, so that a slow connection fills no
/// memory.
const QUEUE_MAX: usize = 8;

/// What the first screen would show.
#[derive(Serialize)]
struct WatchJson<'a> {
    v: u16,
    /// What waits for a person first.
    features: Vec<&'a BoardRow>,
    waiting: usize,
    /// The feature that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a Overview>,
    next: &'a str,
}

enum Message {
    Found(Box<Snapshot>),
    /// What the person did, and when that was read. None: the terminal is gone.
    Done(Option<Event>, Instant),
    /// Nobody gathers any more what is to be shown: a fault of this program.
    Broken,
    Said {
        ended: bool,
        text: String,
    },
}

pub fn watch(args: WatchArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let ledger = repo.reader()?;
    let scope = match (&ledger, &args.feature) {
        (Some(ledger), Some(word)) => Some(repo.resolve_scope(ledger, Some(word), process)?),
        (None, Some(_)) => {
            return Err(
                CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
            );
        }
        (_, None) => None,
    };
    drop(ledger);
    if console.json {
        return once(&repo, scope, process, console);
    }
    if !screen::is_there() {
        return Err(CliError::usage("`redraft watch` needs a terminal to draw on")
            .hint("where each feature stands: redraft status")
            .hint("what happened last: redraft log -n 20; as it happens: redraft run --events"));
    }
    let ink = Ink { colours: console.colours_on_screen() };
    let name = repo.repository.main_checkout().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut app = App::new(ink, name, scope);
    let (tell, messages) = sync_channel(QUEUE_MAX);
    let (wish, wishes) = channel();
    let mut taken = Taken::new(ink.colours).map_err(|error| {
        CliError::new(ErrorCode::Config, format!("the terminal cannot be drawn on: {error}"))
    })?;
    let keys = tell.clone();
    screen::listen(move |event| keys.send(Message::Done(event, Instant::now())).is_ok());
    std::thread::scope(|threads| {
        let found = tell.clone();
        let (repo, wishes) = (&repo, wishes);
        threads.spawn(move || {
            guarded(&found, || {
                follow(repo, process, &wishes, &|snapshot| {
                    found.send(Message::Found(Box::new(snapshot))).is_ok()
                });
            });
        });
        let (clock, exe, folder) = (&process.clock, &process.exe, &process.folder);
        let stage = Stage { clock, exe, folder, is_ours: screen::is_ours, tell: &tell, wish };
        let ended = stage.play(&mut app, &mut taken.screen, &messages);
        drop(taken);
        // Nobody draws any more what is still gathered.
        drop(messages);
        ended
    })
}

/// Gathers, and says so when that ends by a fault: a view that stands still would tell of something long past.
fn guarded(tell: &SyncSender<Message>, gather: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(gather)).is_err() {
        // The view may have ended meanwhile.
        let _ = tell.send(Message::Broken);
    }
}

fn broken() -> CliError {
    CliError::new(ErrorCode::Bug, "the view could not go on; a run is not touched by that")
        .hint("look again: redraft watch")
        .hint("where each feature stands: redraft status")
}

/// One object with what the first screen would show.
fn once(
    repo: &RepositoryContext,
    scope: Option<Scope>,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let found = look(repo, process, &Wanted { scope, diff: false }, &mut None);
    if let Some(trouble) = found.trouble {
        return Err(CliError::new(ErrorCode::Config, trouble));
    }
    let features: Vec<&BoardRow> = found.rows.iter().collect();
    let waiting = features.iter().filter(|row| row.waits_for_you).count();
    let detail = found.detail.as_ref().map(|detail| &detail.overview);
    console.object(&WatchJson { v: 1, features, waiting, detail, next: &found.next });
    Ok(ErrorCode::Done)
}

struct Stage<'a> {
    clock: &'a dyn Clock,
    /// This program, and where it works.
    exe: &'a Path,
    folder: &'a Path,
    /// Whether the screen may still be drawn on: a fault in any thread gives it back.
    is_ours: fn() -> bool,
    tell: &'a SyncSender<Message>,
    wish: Sender<Wanted>,
}

impl Stage<'_> {
    fn play<B: Backend>(
        self,
        app: &mut App,
        screen: &mut Terminal<B>,
        messages: &Receiver<Message>,
    ) -> Result<ErrorCode, CliError> {
        let began = Instant::now();
        let since_ms = |at: Instant| i64::try_from(at.duration_since(began).as_millis()).unwrap_or(i64::MAX);
        let gone = |_: B::Error| {
            CliError::new(ErrorCode::Config, "the terminal is gone; a run is not touched by that")
        };
        let mut wanted = app.wanted();
        // Whoever gathers is there as long as this is.
        let _ = self.wish.send(wanted.clone());
        let (mut is_new, mut second) = (true, 0);
        loop {
            let now_ms = self.clock.now_ms();
            if self.clock.leaving() {
                return Ok(ErrorCode::Interrupted);
            }
            if !(self.is_ours)() {
                return Err(broken());
            }
            if is_new || (app.ticks() && now_ms / 1000 != second) {
                screen.draw(|frame| draw::draw(frame, app, now_ms)).map_err(gone)?;
                app.drawn(since_ms(Instant::now()));
                (is_new, second) = (false, now_ms / 1000);
            }
            let message = match messages.recv_timeout(WAIT) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(ErrorCode::Done),
            };
            is_new = true;
            match message {
                Message::Found(found) => app.show(*found),
                Message::Said { ended, text } => app.said(ended, &text),
                Message::Broken => return Err(broken()),
                Message::Done(None, _) => return Ok(ErrorCode::Done),
                Message::Done(Some(Event::Key(key)), at) if key.kind != KeyEventKind::Release => {
                    match app.key(key, since_ms(at)) {
                        Wish::Nothing => {}
                        Wish::Quit => return Ok(ErrorCode::Done),
                        Wish::Redraw => screen.clear().map_err(gone)?,
                        Wish::Run(words) => self.run(words),
                    }
                }
                Message::Done(Some(Event::Paste(text)), _) => app.paste(&text),
                Message::Done(Some(_), _) => {}
            }
            if app.wanted() != wanted {
                wanted = app.wanted();
                let _ = self.wish.send(wanted.clone());
            }
        }
    }

    /// Runs this program as if these words had been typed, and passes on what it says.
    #[expect(
        clippy::disallowed_methods,
        reason = "the person asked for this command, and it is this program"
    )]
    fn run(&self, words: Vec<String>) {
        let mut command = Command::new(self.exe);
        command.arg("-C").arg(self.folder).args(words);
        command.stdin(Stdio::null()).env("NO_COLOR", "1");
        let tell = self.tell.clone();
        std::thread::spawn(move || {
            let (ended, text) = match command.output() {
                Ok(output) => {
                    let said = [output.stdout, output.stderr]
                        .map(|said| String::from_utf8_lossy(&said).into_owned());
                    (output.status.success(), said.join("\n").trim().to_owned())
                }
                Err(error) => (false, format!("this program cannot be started: {error}")),
            };
            // The view may have ended meanwhile; the command was carried out all the same.
            let _ = tell.send(Message::Said { ended, text });
        });
    }
}
