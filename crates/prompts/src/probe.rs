//! Decides whether an agent's conversations can be continued: what a probe is, what it found, and what follows from it.
//!
//! A probe is three turns of one conversation (their texts are [`crate::prompt::probe`]): read a file and report its
//! faults; answer once more; and, after a commit has changed the file, tell its first line and the number of faults
//! from memory. What is stored about a probe is [`redraft_facts::probed`]; [`ProbeFiles`] is the file it reads,
//! [`assess`] turns answers into checks, and [`Records`] folds a whole ledger into what is known about each agent.
//! Nothing here sends anything.

mod assess;
mod files;
mod records;
#[cfg(test)]
mod tests;

pub use assess::{Assessed, AssessedTurn, Heard, ProbeCase, assess};
pub use files::ProbeFiles;
pub use records::{Records, Resumable};

/// The role of a probe's tickets.
pub const ROLE: &str = "prober";
/// Tools of a probe: what every reviewer has.
pub const TOOLS: [&str; 3] = ["Read", "Glob", "Grep"];
