//! The review loop of one phase: a pure machine.
//!
//! ```text
//!            draft ──► gates ──► stage 1 round ──► … ──► stage n round ──► validate ──► certify ──► closed
//!              ▲         │             │                      │               │            │
//!              └─ revise ┴─ findings ──┴──────────────────────┴───────────────┴────────────┘
//! ```
//!
//! [`step()`] folds one stored fact into the state; [`pending`] says what to do next, from the state alone. Nothing
//! here knows how an agent is called, what a prompt looks like or what time it is. A fact that does not answer
//! something pending is [`Rejected`] and changes nothing, so duplicates and stale answers are harmless.
//!
//! Read `plan::need` first: it is the whole order of events in one function.

mod ask;
mod bound;
mod finishing;
mod implementing;
mod plan;
mod state;
mod step;

pub use ask::{decision, question, rulings};
pub use bound::dispatches_max;
pub use finishing::Finishing;
pub use implementing::{Implementing, TaskEnd, TaskWork, WrittenFiles, diverges};
pub use plan::{CaseFacts, DispatchOrder, Effect, case_for, closing, pending, shown_round};
pub use state::{
    CacheAfterDispatch, Conversation, Flight, Loop, LoopEnd, OpenDispatch, Seat, SeatStatus, Stage,
};
pub use step::{Rejected, fold, step};
