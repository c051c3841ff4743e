//! `watch` and `ui` killed at many moments of one run: it stores what it stores without them.
//!
//! The run prints its events into a pipe that is full, so that it goes on only as far as the test reads. Every kill
//! therefore falls into the run, however fast the machine is.

use crate::ui::Ui;
use crate::watch::virtual_terminal::Watching;
use crate::world::{PROGRAM, entries};
use redraft_testkit::Scratch;
use std::io::{PipeReader, Read, Write};
use std::process::{Child, Stdio};

/// What Linux keeps of a pipe, and the least that has to be read of it before more fits in.
const PIPE_BYTES: usize = 65_536;
const PAGE_BYTES: usize = 4_096;

/// How many views are killed.
const KILLS: usize = 12;

struct HeldRun {
    child: Child,
    printed: PipeReader,
}

impl HeldRun {
    fn new(scratch: &Scratch) -> HeldRun {
        let (printed, mut writer) = std::io::pipe().unwrap();
        for _ in 0..PIPE_BYTES / PAGE_BYTES {
            writer.write_all(&[b'\n'; PAGE_BYTES]).unwrap();
        }
        let mut command = scratch.redraft(["run", "001", "--events"]);
        let child = command.stdout(writer).stderr(Stdio::null()).spawn().unwrap();
        HeldRun { child, printed }
    }

    /// Lets it store some more.
    fn go_on(&mut self, pages: usize) {
        let mut page = [0; PAGE_BYTES];
        for _ in 0..pages {
            self.printed.read_exact(&mut page).unwrap();
        }
    }

    fn is_under_way(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Lets it run to its end.
    fn end(mut self) {
        let mut rest = Vec::new();
        self.printed.read_to_end(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

/// Numbers that look drawn and are the same each time.
fn drawn() -> impl Iterator<Item = usize> {
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(22), next).map(|state| (state >> 16) as usize)
}

fn begun() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "create-plan", "Show the weather"]).expect(0);
    scratch
}

#[test]
fn a_run_stores_the_same_whenever_a_view_is_killed() {
    let (alone, watched) = (begun(), begun());
    alone.run(["run", "001"]).expect(0);
    let mut run = HeldRun::new(&watched);
    let mut stored = Vec::new();
    for (kill, draw) in drawn().take(KILLS).enumerate() {
        run.go_on(draw % 3);
        let is_drawn = draw % 5 < 3;
        if kill % 2 == 0 {
            let mut watching = Watching::new(&watched, &["watch", "001"], (80, 24), &[]);
            if is_drawn {
                watching.until("driven by `redraft run 001 --events`");
            }
            watching.kill("-KILL");
            assert_eq!(watching.ended(), None);
        } else {
            let ui = Ui::new(&watched);
            if is_drawn {
                assert!(ui.page("/feature/001").contains("Show the weather"));
            }
            drop(ui);
        }
        assert!(run.is_under_way(), "kill {kill}");
        stored.push(entries(&watched).len());
    }
    stored.dedup();
    assert!(stored.len() > KILLS / 3, "the kills fell on too few moments: {stored:?}");
    run.end();
    let kinds =
        |scratch: &Scratch| entries(scratch).iter().map(|entry| entry.event.kind()).collect::<Vec<_>>();
    assert_eq!(kinds(&watched), kinds(&alone));
    let standing = |scratch: &Scratch| scratch.json(["status"])["features"][0]["standing"].clone();
    assert_eq!(standing(&watched), standing(&alone));
}
