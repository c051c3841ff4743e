//! The pages, as values in and HTML out. Nothing here reads anything; every text is escaped where it is put in.

pub(super) mod board;
pub(super) mod documents;
pub(super) mod feature;
pub(super) mod forms;
pub(super) mod layout;
pub(super) mod prompts;
pub(super) mod revisions;
pub(super) mod time;
