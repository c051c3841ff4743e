//! Decides which feature is driven next, among those that were there when the run began.
//!
//! In the order of their numbers, each until it rests. One that rested is taken up again where others have stored
//! something for it since, such as a decision, or where the usage limit that it waited for is over; but only while
//! others are being driven, and never before one that was not tried yet. Start at [`Queue::pick`].

use redraft_adapters::lock::{Holder, Lock};
use redraft_engine::ports::Clock as _;
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_frame::args::RunArgs;
use redraft_frame::attention::RunEnd;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::rows;
use redraft_reports::standing::Standing;
use redraft_views::board::{Board, Seen, goes_on};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often it is looked whether something has changed from outside.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// How often a feature is tried again that found something held for a moment.
const HELD_TRIES: u32 = 3;

/// The features of a run, and where each is.
pub(super) struct Queue {
    /// All that are not over, by number; those that another process drives stay out of it.
    wanted: BTreeSet<FeatureId>,
    /// Driven by another process when the run began.
    held: BTreeMap<FeatureId, Holder>,
    /// Whether flags answer questions.
    answers: bool,
    /// Whether finished ones are merged.
    merges: bool,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    driving: BTreeSet<FeatureId>,
    /// Whether one of them works in the main checkout, where there is room for one.
    in_place: Option<FeatureId>,
    rested: BTreeMap<FeatureId, Rested>,
    /// Why nothing more can be decided.
    broken: Option<CliError>,
}

/// A feature that has come to rest.
struct Rested {
    ended: Ended,
    /// The last event of it at that time.
    seq: u64,
    /// From when on it may go on.
    again_ms: Option<i64>,
    /// How often something that it needs was held.
    held: u32,
}

/// How a feature came to rest.
pub(super) struct Ended {
    pub(super) done: Result<ErrorCode, CliError>,
    pub(super) end: RunEnd,
    /// The object that `run --json` prints for one.
    pub(super) run: Option<Value>,
}

/// What to do next.
pub(super) enum Pick<'a> {
    Drive(Driven<'a>),
    /// Nothing at this moment; others are being driven.
    Wait,
    /// Nothing any more.
    Over,
}

/// A feature that is driven; however that ends, it is no longer when this is dropped.
pub(super) struct Driven<'a> {
    queue: &'a Queue,
    id: FeatureId,
}

impl Queue {
    pub(super) fn new(board: &Board, args: &RunArgs) -> Queue {
        let answers = args.yes || args.on_failure.is_some();
        let (mut wanted, mut held) = (BTreeSet::new(), BTreeMap::new());
        for seen in board.features.iter().filter(|seen| is_meant(seen, args.merge)) {
            let Ok(id) = seen.row.id.parse::<FeatureId>() else { continue };
            match &seen.held_by {
                Some(holder) => drop(held.insert(id, holder.clone())),
                None => drop(wanted.insert(id)),
            }
        }
        Queue { wanted, held, answers, merges: args.merge, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Those that can be driven, now or once others have been.
    pub(super) fn wanted(&self) -> Vec<FeatureId> {
        self.wanted.iter().copied().collect()
    }

    /// What is said at the beginning about those that others drive.
    pub(super) fn left_alone(&self) -> Vec<String> {
        self.held.iter().map(|(id, holder)| format!("{id} is left alone: it is held by {holder}")).collect()
    }

    pub(super) fn holder(&self, id: FeatureId) -> Option<&Holder> {
        self.held.get(&id)
    }

    /// How each has come to rest that was driven, and what else went wrong.
    pub(super) fn ended(&self) -> (BTreeMap<FeatureId, Ended>, Option<CliError>) {
        let mut state = self.lock();
        let rested = std::mem::take(&mut state.rested);
        (rested.into_iter().map(|(id, rested)| (id, rested.ended)).collect(), state.broken.take())
    }

    /// Takes the next feature that can go on.
    pub(super) fn pick(&self, process: &ProcessContext) -> Pick<'_> {
        let mut state = self.lock();
        if state.broken.is_some() {
            return Pick::Over;
        }
        match self.next(&state, process) {
            Ok(Some((id, in_place))) => {
                state.driving.insert(id);
                if in_place {
                    state.in_place = Some(id);
                }
                Pick::Drive(Driven { queue: self, id })
            }
            Ok(None) if state.driving.is_empty() => {
                self.changed.notify_all();
                Pick::Over
            }
            Ok(None) => Pick::Wait,
            Err(error) => {
                state.broken = Some(error);
                self.changed.notify_all();
                Pick::Over
            }
        }
    }

    /// Waits until a feature rests, or it is time to look again.
    pub(super) fn wait(&self) {
        let waited = self.changed.wait_timeout(self.lock(), LOOK_AGAIN);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn next(&self, state: &State, process: &ProcessContext) -> Result<Option<(FeatureId, bool)>, CliError> {
        let repo = process.repository()?;
        let Some(ledger) = repo.reader()? else { return Ok(None) };
        let board = Board::new(&repo, rows::rows(&ledger)?, Vec::new(), process);
        let now_ms = process.clock.now_ms();
        let mut again = None;
        for seen in board.features.iter().filter(|seen| is_meant(seen, self.merges)) {
            let Ok(id) = seen.row.id.parse::<FeatureId>() else { continue };
            if !self.wanted.contains(&id) || state.driving.contains(&id) || !self.can_go_on(seen) {
                continue;
            }
            let in_place = repo.created(&ledger, id).is_ok_and(|created| created.in_place);
            if in_place && state.in_place.is_some() {
                continue;
            }
            let Some(rested) = state.rested.get(&id) else { return Ok(Some((id, in_place))) };
            // What nobody else is driven beside is over: a run does not wait for a limit to end, or for a person.
            if again.is_none() && rested.goes_on(now_ms, ledger.last_seq(Scope::Feature(id))?, state) {
                again = Some((id, in_place));
            }
        }
        Ok(again)
    }

    /// Whether nothing is in its way.
    fn can_go_on(&self, seen: &Seen) -> bool {
        let waits = match &seen.row.standing {
            Standing::Asked { .. } => !self.answers,
            Standing::OverBudget { .. } | Standing::AskedThere => true,
            _ => false,
        };
        seen.held_by.is_none() && seen.blocked_by.is_empty() && !waits
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a run of all features is about this one at all.
fn is_meant(seen: &Seen, merges: bool) -> bool {
    if merges { goes_on(&seen.row) } else { seen.row.is_open() }
}

impl Rested {
    fn goes_on(&self, now_ms: i64, seq: u64, state: &State) -> bool {
        let others = !state.driving.is_empty();
        match &self.ended.done {
            // Another thread of this run had the repository for itself.
            Err(error) if error.code == ErrorCode::Held => self.held < HELD_TRIES,
            Err(_) => false,
            Ok(ErrorCode::Interrupted) => false,
            Ok(_) => {
                let told = seq > self.seq;
                told || (others && self.again_ms.is_some_and(|until_ms| until_ms <= now_ms))
            }
        }
    }
}

impl Driven<'_> {
    pub(super) fn id(&self) -> FeatureId {
        self.id
    }

    /// It has come to rest.
    pub(super) fn rests(self, ended: Ended, process: &ProcessContext) {
        let seq = process.repository().and_then(|repo| repo.reader());
        let seq = seq.ok().flatten().and_then(|ledger| ledger.last_seq(Scope::Feature(self.id)).ok());
        let again_ms = ended.run.as_ref().and_then(|run| run.get("parked_until_ms")?.as_i64());
        let mut state = self.queue.lock();
        let was_held = matches!(&ended.done, Err(error) if error.code == ErrorCode::Held);
        let before = state.rested.get(&self.id).map_or(0, |rested| rested.held);
        // Whoever took the feature itself meanwhile is left alone.
        let other =
            process.repository().ok().and_then(|repo| Lock::holder(&repo.state, &self.id.to_string()));
        let foreign = other.is_some_and(|holder| holder.pid != std::process::id());
        let held = if was_held && foreign { HELD_TRIES } else { before + u32::from(was_held) };
        let rested = Rested { ended, seq: seq.unwrap_or(u64::MAX), again_ms, held };
        state.rested.insert(self.id, rested);
    }
}

impl Drop for Driven<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.driving.remove(&self.id);
        if state.in_place == Some(self.id) {
            state.in_place = None;
        }
        // One whose thread ended in a panic is not tried again.
        state.rested.entry(self.id).or_insert_with(|| {
            let error = CliError::new(ErrorCode::Bug, "the thread that drove it ended in a panic");
            let (end, again_ms, held) = (RunEnd::default(), None, 0);
            Rested { ended: Ended { done: Err(error), end, run: None }, seq: u64::MAX, again_ms, held }
        });
        drop(state);
        self.queue.changed.notify_all();
    }
}
