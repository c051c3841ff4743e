//! What a person looks at: one module for each command that shows something and changes nothing.
//!
//! Start at [`board`], where every view gets the features and where each stands. What is shown is decided in
//! `reports`; here it is gathered, and printed by the console.

pub mod blocker;
pub mod board;
pub mod checkout_files;
pub mod cost;
pub mod dependencies;
pub mod following;
pub mod lint;
pub mod log;
pub mod models;
pub mod replay;
pub mod report;
pub mod show;
pub mod table;
pub mod ui;
pub mod watch;

#[cfg(test)]
mod tests {
    pub(crate) mod histories;
}
