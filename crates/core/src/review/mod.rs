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
//! Read `plan::need` first: it is the whole order of events in one function. Each layer knows only those below it:
//!
//! ```text
//!   step                               what a fact changes
//!   plan                               what comes next
//!   ask                                the words of a question
//!   state                              what is remembered of a loop,
//!   implementing, finishing, dispute   of code before its review, of the end of a feature, of a declined finding,
//!   landing                            of tasks that are carried out side by side,
//!   seat                               and of one role
//! ```

mod ask;
mod dispute;
mod finishing;
mod implementing;
mod landing;
mod longest_loop;
mod plan;
mod same_defect;
mod seat;
mod state;
mod step;

pub use ask::{decision, rulings};
pub use dispute::{Dispute, Upheld};
pub use finishing::Finishing;
pub use implementing::{Implementing, TaskEnd, TaskWork, WrittenFiles};
pub use landing::{Landing, SentBack};
pub use longest_loop::dispatches_max;
pub use plan::{CaseFacts, DispatchOrder, Effect, case_for, closing, pending, question, shown_round};
pub use seat::{CacheAfterDispatch, Conversation, Flight, OpenDispatch, Seat, SeatStatus};
pub use state::{Loop, LoopEnd, Stage};
pub(crate) use step::comment;
pub use step::{Rejected, fold, step};
