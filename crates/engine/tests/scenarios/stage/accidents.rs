//! What people and disks do between the death of a process and the next one, while tasks are carried out side by side.

use super::Stage;
use redraft_engine::{EngineError, Run};
use redraft_testkit::fakes::{GitTrouble, StoreFault};

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accident {
    /// Somebody writes into the worktree of every task that is there.
    Dirty,
    /// Somebody writes into the feature's own.
    Edited,
    /// The branch that the feature was begun on has another commit.
    BaseMoved,
    /// The feature's branch has one.
    Committed,
    /// The worktrees of tasks are removed by hand.
    SlotsRemoved,
    /// The feature's branch is checked out in one more place, where somebody works.
    CheckedOut,
    /// The next process finds no space for anything, and the one after it does.
    DiskFull,
}

impl Accident {
    pub(crate) const ALL: [Accident; 7] = [
        Accident::Dirty,
        Accident::Edited,
        Accident::BaseMoved,
        Accident::Committed,
        Accident::SlotsRemoved,
        Accident::CheckedOut,
        Accident::DiskFull,
    ];

    /// What somebody writes into a worktree: that of a task by its number, or the feature's own.
    pub(crate) fn precious(slot: u16) -> (String, String) {
        (format!("precious-{slot}.txt"), format!("written by a person beside task {slot}\n"))
    }
}

/// What git writes.
const WRITES: [&str; 12] = [
    "all_changed",
    "check_out",
    "commit",
    "keep",
    "loose_commit",
    "over",
    "put_back",
    "put_on",
    "restore",
    "slot",
    "tree",
    "write",
];

impl Stage<'_> {
    /// What a process comes to that does not die although something is wrong; none where the next one is to go on.
    pub(super) fn happens<T>(
        &self,
        accident: Accident,
        act: &mut dyn FnMut(&mut Run<'_>) -> Result<T, EngineError>,
    ) -> Option<Result<T, EngineError>> {
        let outside = self.world.outside();
        match accident {
            Accident::Dirty => {
                for slot in outside.slots() {
                    let (path, text) = Accident::precious(slot);
                    outside.put_in(&outside.slot_folder(slot), &path, &text);
                }
            }
            Accident::Edited => {
                let (path, text) = Accident::precious(0);
                outside.put(&path, &text);
            }
            Accident::BaseMoved => outside.commit_base("base.txt", "another base\n"),
            Accident::Committed => {
                let (path, text) = Accident::precious(0);
                outside.put(&path, &text);
                outside.commit("mine");
            }
            Accident::SlotsRemoved => outside.slots().into_iter().for_each(|slot| outside.remove_slot(slot)),
            Accident::CheckedOut => {
                let (path, text) = Accident::precious(0);
                outside.check_out_elsewhere(&path, &text);
            }
            Accident::DiskFull => return self.without_space(act),
        }
        None
    }

    fn without_space<T>(
        &self,
        act: &mut dyn FnMut(&mut Run<'_>) -> Result<T, EngineError>,
    ) -> Option<Result<T, EngineError>> {
        let (fake, place) = (self.fake(), self.disturbance.at.first().copied().unwrap_or_default());
        match place % 3 {
            0 => WRITES.iter().for_each(|one| fake.repository.fail_after(one, 0, GitTrouble::Full)),
            1 => fake.store.fail_after(place as u64 % 4, StoreFault::Full),
            _ => fake.inbox.refuse(Some("no space left")),
        }
        let found = self.process(0, act);
        fake.repository.mend();
        fake.store.mend();
        fake.inbox.refuse(None);
        self.repeat_unheard();
        // It is over where nothing was left to write.
        found.ok().filter(Result::is_ok)
    }
}
