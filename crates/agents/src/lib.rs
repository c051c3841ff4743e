//! The agents that are asked: coding agents as programs, models behind HTTP, hosts; and the configuration that names
//! them.
//!
//! An agent here knows its program or service and the port it fulfils, and nothing of the process. It builds on
//! `redraft_adapters`, which starts programs and keeps files. Start at [`claude`], [`codex`] or [`api`]; [`config`]
//! reads `redraft.toml`.

pub mod api;
mod billing;
pub mod claude;
pub mod codex;
pub mod config;
mod http;
pub mod mcp;
pub mod programs;
pub mod pull;
mod tools;
