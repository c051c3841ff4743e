//! Keeps many features going on many machines. The fleet schedules and drives nothing by itself: an activity starts the
//! program `redraft` in a clone and reads how it ended. Start at `feature`, the workflow of one feature.

pub mod activities;
pub mod book;
pub mod clones;
pub mod feature;
pub mod office;
pub mod order;
pub mod outcome;
pub mod past;
pub mod program;
