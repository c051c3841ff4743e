//! How a program that an agent works in has a check of the project run: by files in the folder of its dispatch.
//!
//! The program calls `redraft check`, which leaves a question here and waits; the run, which has the accepted commands,
//! the user's environment and the limits, looks for questions, has them run and leaves the answer. So the program gets
//! none of these. Both sides give up when the other is gone: a desk is there only while the program works. Start at
//! [`with_checks`]; [`ask`] is the other side, and [`check_server`] what a program starts to ask.

use super::kept_file::read_kept;
use redraft_adapters::plain_file;
use redraft_engine::ports::{CHECK_TOOL, CheckWish, Request, RunHandle};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, io, thread};

const VERSION: u16 = 1;

/// How often each side looks for what the other has left.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// More questions in one dispatch are not looked at; far fewer are answered.
const QUESTIONS_MAX: u32 = 50;

/// Far more than the names in a question have.
const QUESTION_BYTES_MAX: u64 = 64 * 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    v: u16,
    name: String,
    test: String,
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeskAnswer {
    v: u16,
    /// Whether it was run.
    pub ran: bool,
    /// What it printed, or why it was not run.
    pub text: String,
}

/// The server by which a program asks. Its one tool is [`CHECK_TOOL`].
pub const CHECK_SERVER: &str = "redraft-checks";

/// Whether the dispatch may have checks run.
pub fn wants_checks(request: &Request) -> bool {
    request.tools.iter().any(|tool| tool == CHECK_TOOL)
}

/// The command and the arguments of that server: our own binary, and nothing but that. A shell in which one command is
/// allowed would also run whatever the program takes for harmless.
pub fn check_server(own: &Path, dispatch: &Path) -> (String, Vec<String>) {
    let word = |path: &Path| path.to_string_lossy().into_owned();
    (word(own), vec!["check".to_owned(), "--serve".to_owned(), word(&desk_of(dispatch))])
}

/// Has the program at work, with a desk where the dispatch may have checks run.
pub fn with_checks<T>(
    request: &Request,
    dispatch: &Path,
    watch: &dyn RunHandle,
    work: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    match wants_checks(request) {
        true => serve(&desk_of(dispatch), watch, work).flatten(),
        false => work(),
    }
}

/// The desk of a dispatch, below the folder of its files.
pub fn desk_of(dispatch: &Path) -> PathBuf {
    dispatch.join("checks")
}

/// Answers questions in `folder` while `work` goes on, which has the program at work. A check that runs when it is over
/// is ended.
fn serve<T>(folder: &Path, watch: &dyn RunHandle, work: impl FnOnce() -> T) -> io::Result<T> {
    clear(folder)?;
    fs::create_dir_all(folder)?;
    let over = AtomicBool::new(false);
    let done = thread::scope(|scope| {
        let desk = scope.spawn(|| {
            let mut next = 1;
            while !over.load(Ordering::SeqCst) && next <= QUESTIONS_MAX {
                match question(folder, next) {
                    Some(wish) => {
                        let told = wish.and_then(|wish| watch.check(&wish, &over));
                        let (ran, text) = told.map_or_else(|why| (false, why), |text| (true, text));
                        // Who asked finds no answer then, and the desk gone in the end.
                        let _ = answer(folder, next, &DeskAnswer { v: VERSION, ran, text });
                        next += 1;
                    }
                    None => thread::park_timeout(LOOK_AGAIN),
                }
            }
        });
        let _over = Closing { over: &over, desk: desk.thread().clone() };
        work()
    });
    // Nobody reads a desk that is left over.
    let _ = clear(folder);
    Ok(done)
}

/// Ends the desk, also where the work ended in a panic.
struct Closing<'a> {
    over: &'a AtomicBool,
    desk: thread::Thread,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.desk.unpark();
    }
}

/// Asks at a desk and waits for the answer; none where there is no desk, or it closed meanwhile.
pub fn ask(folder: &Path, wish: &CheckWish) -> io::Result<Option<DeskAnswer>> {
    let question = Question { v: VERSION, name: wish.name.clone(), test: wish.test.clone() };
    let Some(number) = leave(folder, &question)? else { return Ok(None) };
    while folder.is_dir() {
        if let Ok(Some(answer)) = read_kept::<DeskAnswer>(&said(folder, number)) {
            return match answer.v {
                VERSION => Ok(Some(answer)),
                other => Err(io::Error::other(format!("the answer is of version {other}, not {VERSION}"))),
            };
        }
        thread::park_timeout(LOOK_AGAIN);
    }
    Ok(None)
}

/// Leaves a question under the next number that is free. Several may be left at once, so each is linked whole.
fn leave(folder: &Path, question: &Question) -> io::Result<Option<u32>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let part = part(folder, question)?;
    for number in 1..=QUESTIONS_MAX {
        match fs::hard_link(&part, asked(folder, number)) {
            Ok(()) => return fs::remove_file(&part).map(|()| Some(number)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn answer(folder: &Path, number: u32, answer: &DeskAnswer) -> io::Result<()> {
    fs::rename(part(folder, answer)?, said(folder, number))
}

/// A file that only its writer can name. A program at work may put links into this folder, and what the run writes must
/// not follow one.
fn part(folder: &Path, value: &impl Serialize) -> io::Result<PathBuf> {
    let path = folder.join(format!("{}.part", uuid::Uuid::new_v4().simple()));
    fs::File::create_new(&path)?.write_all(&serde_json::to_vec(value)?)?;
    Ok(path)
}

fn asked(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("asked-{number}.json"))
}

fn said(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("said-{number}.json"))
}

/// What is asked here; none where nothing is. A question is linked whole, so one that cannot be read never can be, and
/// who asked is told.
fn question(folder: &Path, number: u32) -> Option<Result<CheckWish, String>> {
    let path = asked(folder, number);
    path.symlink_metadata().ok()?;
    let read = plain_file::read_inside(folder, &path, QUESTION_BYTES_MAX).ok();
    Some(match read.and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
        Some(Question { v: VERSION, name, test }) => Ok(CheckWish { name, test }),
        _ => Err("the question is not one of this version of redraft, so nothing was run; review the code without it"
            .to_owned()),
    })
}

fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_engine::ports::Moment;
    use redraft_facts::usage::Usd;

    /// Runs one check, and says of which.
    struct Runs;

    impl RunHandle for Runs {
        fn stopped(&self) -> bool {
            false
        }

        fn wait_ms(&self, _ms: u64) -> bool {
            true
        }

        fn now_ms(&self) -> i64 {
            0
        }

        fn moment(&self) -> Moment {
            Moment::after(Duration::ZERO)
        }

        fn tell(&self, _doing: &str) {}

        fn afford(&self, _total: Usd) -> bool {
            false
        }

        fn check(&self, wish: &CheckWish, _gone: &AtomicBool) -> Result<String, String> {
            if wish.name == "tests" {
                Ok(format!("ran {}", wish.test))
            } else {
                Err("no such check".to_owned())
            }
        }
    }

    #[test]
    fn whoever_asks_is_answered_while_the_work_goes_on_and_not_afterwards() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = desk_of(scratch.path());
        let wish = |name: &str| CheckWish { name: name.to_owned(), test: "limit".to_owned() };
        assert_eq!(ask(&folder, &wish("tests")).unwrap(), None, "nobody is at work");
        let (one, two) = serve(&folder, &Runs, || {
            thread::scope(|scope| {
                let one = scope.spawn(|| ask(&folder, &wish("tests")).unwrap().unwrap());
                let two = scope.spawn(|| ask(&folder, &wish("rm -rf /")).unwrap().unwrap());
                (one.join().unwrap(), two.join().unwrap())
            })
        })
        .unwrap();
        assert_eq!(one, DeskAnswer { v: 1, ran: true, text: "ran limit".to_owned() });
        assert_eq!(two, DeskAnswer { v: 1, ran: false, text: "no such check".to_owned() });
        assert!(!folder.exists());
        for other in
            [r#"{"v":2,"name":"tests","test":""}"#, r#"{"v":1,"name":"tests","test":"","new":0}"#, "{"]
        {
            let answer = serve(&folder, &Runs, || {
                fs::write(folder.join("x.part"), other).unwrap();
                fs::hard_link(folder.join("x.part"), asked(&folder, 1)).unwrap();
                // The next one is answered too: the desk does not wait at what it cannot read.
                ask(&folder, &wish("tests")).unwrap();
                read_kept::<DeskAnswer>(&said(&folder, 1)).unwrap().unwrap()
            });
            let answer = answer.unwrap();
            assert!(!answer.ran && answer.text.contains("not one of this version"), "{other}: {answer:?}");
        }
        assert_eq!(ask(&folder, &wish("tests")).unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_that_a_program_puts_there_lead_nowhere() {
        use std::os::unix::fs::symlink;
        let scratch = tempfile::tempdir().unwrap();
        let folder = desk_of(scratch.path());
        let (theirs, whole) = (scratch.path().join("theirs"), scratch.path().join("question.json"));
        fs::write(&theirs, "as it was").unwrap();
        fs::write(&whole, r#"{"v":1,"name":"tests","test":"limit"}"#).unwrap();
        let answers = serve(&folder, &Runs, || {
            for name in ["said-1.json", "said-1.part", "said-2.json", "said-2.part"] {
                symlink(&theirs, folder.join(name)).unwrap();
            }
            symlink(&whole, asked(&folder, 1)).unwrap();
            ask(&folder, &CheckWish { name: "tests".to_owned(), test: "other".to_owned() }).ok();
            // It is a link until it is answered.
            let look = |number| {
                thread::park_timeout(LOOK_AGAIN);
                read_kept::<DeskAnswer>(&said(&folder, number)).ok().flatten()
            };
            [1, 2].map(|number| (0..200).find_map(|_| look(number)).unwrap())
        });
        let [first, second] = answers.unwrap();
        assert!(!first.ran && second.ran, "{first:?} {second:?}");
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "as it was");
    }
}
