//! How a feature ends: the result of the merge is checked, then what was learnt is written down, then older lessons are
//! compared with it.
//!
//! ```text
//!   gates of the merge result ──► retro ──► retro-written ──► judge ──► bank-judged ──► close
//!          │ failed: a person                 ▲ without words, where nobody can write them
//! ```
//!
//! Before all that a person rules on blockers that were put off in earlier phases.
//!
//! The revision of this loop is the tree a merge would give, without what the loop itself writes. No agent is waited
//! for: a retrospective that cannot be written in words is written in figures, and a judgement that cannot be had
//! leaves the bank as it is. Here is what is remembered of it; `plan::finish` says what comes next, `step::finish` how
//! facts change it.

use super::seat::Seat;
use redraft_facts::event::{BankJudged, LoopOpened, RetroWritten};
use redraft_facts::findings::Finding;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finishing {
    /// The facilitator once more, in a conversation of its own.
    pub judge: Seat,
    /// Blockers of earlier phases that were put off, with their phases, and whether a person has ruled on them.
    pub put_off: Vec<(Phase, Finding)>,
    pub ruled: bool,
    pub retro: Option<RetroWritten>,
    pub judged: Option<BankJudged>,
    /// Whether the proposal is to be carried out, once a person has decided.
    pub wanted: Option<bool>,
    pub applied: bool,
}

impl Finishing {
    /// None where the loop is about something else.
    pub(super) fn new(opened: &LoopOpened, earlier: Option<&Finishing>) -> Option<Finishing> {
        let judge = Seat::new(opened.author.clone(), 'A', 0);
        let (retro, judged) =
            earlier.map(|known| (known.retro.clone(), known.judged.clone())).unwrap_or_default();
        let (wanted, applied) = earlier.map(|known| (known.wanted, known.applied)).unwrap_or_default();
        let (put_off, ruled) = (Vec::new(), false);
        let finishing = Finishing { judge, put_off, ruled, retro, judged, wanted, applied };
        (opened.phase == Phase::Finish).then_some(finishing)
    }
}
