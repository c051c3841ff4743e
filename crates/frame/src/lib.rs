//! The base of every command: arguments, the console, errors with their way out, the repository it works in, and what
//! was accepted there.
//!
//! Start at [`process_context`] and [`repository_context`] (what a command works in), [`console`] (the only place that
//! prints), [`errors`] and [`args`]. No command is in here.

pub mod agent_choice;
pub mod agent_registry;
pub mod ancestry;
pub mod annotate;
pub mod args;
pub mod attention;
pub mod colour;
pub mod config;
pub mod consent;
pub mod consent_of_several;
pub mod console;
pub mod conventions;
pub mod doing;
pub mod errors;
pub mod found_agents;
pub mod found_checks;
mod known_secrets;
mod ledger_trust;
mod live;
pub mod monitor;
pub mod notify;
pub mod own_state;
pub mod prepare;
pub mod process_context;
pub mod profiles;
mod region;
pub mod repository_context;
pub mod resolve;
pub mod rows;
pub mod sandbox;
pub mod served_page;
pub mod sharing;
pub mod slot_worktrees;
pub mod story;
pub mod trace_inputs;
pub mod trust;
pub mod typing_errors;
pub mod wait_mark;
pub mod whole_file;
pub mod worker;
pub mod wrap;
