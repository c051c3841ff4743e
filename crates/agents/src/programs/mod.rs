//! What agents that are programs have in common: what each of their dispatches and conversations leaves on disk, what
//! they may still spend, what holds them, and what their ends mean.
//!
//! `redraft_adapters::child` starts and ends them. Nothing here knows a vendor. Start at [`Sessions`] (may a
//! conversation go on?) or [`Meter`] (may the program?).

mod check_desk;
mod containment;
mod conversation_record;
mod home;
mod kept_file;
mod meter;
mod no_answer;
mod program;
mod session;

pub use check_desk::{CHECK_SERVER, DeskAnswer, ask, check_server, desk_of, wants_checks, with_checks};
pub use containment::{Containment, Demand, Room};
pub use conversation_record::ConversationRecord;
pub use home::Home;
pub use kept_file::{read_kept, write_kept};
pub use meter::Meter;
pub use no_answer::NoAnswer;
pub use program::Program;
pub use session::{DispatchRecord, Fingerprint, Sessions};

#[cfg(test)]
mod tests;
