//! What every command stands on: what can be typed, the console, errors with their way out, where one is and what was
//! accepted there.
//!
//! Start at [`site`] (the repository and its surroundings), [`console`] (the only place that prints) and [`errors`]; [`args`]
//! is what can be typed. No command is in here.

pub mod agent_choice;
pub mod annotate;
pub mod args;
pub mod cast;
pub mod colour;
pub mod config;
pub mod consent;
pub mod console;
pub mod errors;
pub mod gather;
pub mod meant;
pub mod monitor;
pub mod once;
pub mod own_state;
pub mod prepare;
pub mod profiles;
pub mod rows;
pub mod site;
pub mod story;
pub mod trust;
pub mod usage;
pub mod whole_file;
pub mod worker;
