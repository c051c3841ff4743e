//! Reads and checks what people and agents write: one reader of Markdown ([`page`]) and everything built on it.
//!
//! Texts in, values out. It knows no loop, no agent and no price. Start reading at [`page`] and [`sections`]; [`tasks`]
//! and [`trace`] read lists of tasks and what they refer to, [`schedule`] says which of them may run side by side,
//! [`lint`] finds faults that need no judgement, [`bank`] is the knowledge bank, [`delta`] a diff as places. [`answer`]
//! reads verdicts, [`evidence`] whether a quote is really there, [`reconcile`] whether an issue repeats an older finding,
//! [`report`] what an implementer says it did.
//!
//! The crate is `no_std` on purpose: it cannot open a file, start a process, read the environment, ask the time or draw a
//! random number. What it says follows from its arguments.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod adopt;
pub mod answer;
pub mod bank;
pub mod context;
pub mod conventions;
pub mod delta;
pub mod dependency;
pub mod evidence;
pub mod file_place;
pub mod lint;
pub mod page;
pub mod prd;
pub mod project_context;
pub mod reconcile;
pub mod report;
pub mod schedule;
pub mod sections;
pub mod task_id;
pub mod tasks;
pub mod test_path;
pub mod tokens;
pub mod trace;
