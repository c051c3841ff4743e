//! The real program on real repositories, one module per capability.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

mod adopt;
mod adopted;
mod agents;
mod bad_input;
mod billed;
mod caps;
mod choosing;
mod commands;
mod cost;
mod cost_monitor;
mod crash;
mod demo;
mod dependencies;
mod doctor;
mod documents;
mod forgetful;
mod git_outcomes;
mod in_place;
mod interruption;
mod lazy_reads;
mod leftovers;
mod limits;
mod lint;
mod loops;
mod models;
mod money;
mod outputs;
mod parked;
mod phases;
mod plays;
mod policies;
mod programs;
mod projections;
mod projects;
mod replay;
mod review_file;
mod run_tool;
mod setup;
mod show_documents;
mod side_by_side;
mod terminal;
mod typed;
mod worker;
mod world;
