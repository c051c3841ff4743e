//! One of several features that are driven at once, as it talks: every line begins with its number, it never asks, and
//! what it would show as its result is kept for whoever drives them all.

use super::Console;
use crate::attention::{Attention, RunEnd};
use redraft_facts::ids::FeatureId;
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// What tells one feature from the others.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) id: FeatureId,
    shown: Mutex<Option<Shown>>,
}

/// The result of one feature.
#[derive(Debug, Clone)]
pub struct Shown {
    /// For people.
    pub text: String,
    /// The same for programs.
    pub value: Value,
}

impl Console {
    /// The console of one of several features that are driven at once.
    #[must_use]
    pub fn of_feature(&self, id: FeatureId) -> Console {
        Console {
            json: self.json,
            quiet: self.quiet,
            verbose: self.verbose,
            events: self.events,
            live: self.live.clone(),
            manners: self.manners,
            // A person is told once, when all have come to rest.
            attention: Attention::default(),
            lost: Arc::clone(&self.lost),
            kept: None,
            lane: Some(Lane { id, shown: Mutex::default() }),
        }
    }

    /// Whether this is the console of one of several features.
    pub fn is_one_of_several(&self) -> bool {
        self.lane.is_some()
    }

    /// What the feature has shown as its result, and how it ended in its own words.
    pub fn result(&self) -> (Option<Shown>, RunEnd) {
        let shown = self.lane.as_ref();
        let shown = shown.and_then(|lane| lane.shown.lock().unwrap_or_else(PoisonError::into_inner).clone());
        (shown, self.attention.ended())
    }
}

impl Lane {
    pub(super) fn show(&self, text: &str, value: &impl Serialize) {
        let shown = Shown {
            text: text.trim_end().to_owned(),
            value: serde_json::to_value(value).unwrap_or_default(),
        };
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown);
    }

    /// How many columns the number takes.
    pub(super) fn width(&self) -> usize {
        self.id.to_string().len() + 1
    }

    /// The text with the number before each of its lines; nothing for an empty one.
    pub(super) fn told(&self, text: &str) -> String {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<String> = lines.map(|line| format!("{} {line}", self.id)).collect();
        lines.join("\n")
    }
}
