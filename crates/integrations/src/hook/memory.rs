//! Remembers what was said to a session before, so that nothing is repeated forever.
//!
//! One small file for each session, written whole by the caller. A hook that cannot read or write it says nothing:
//! better silent than repeated.

use redraft_facts::prelude::*;
use serde::{Deserialize, Serialize};

/// How often the same thing is refused before the agent's turn is to end. A first refusal may be misread and a second
/// may be an attempt in another way; a third is a loop.
const REFUSALS_MAX: u32 = 3;

/// How many things are remembered for a session. A session with more is ended as if it had tried one thing too often.
const THINGS_MAX: usize = 64;

const VERSION: u16 = 1;

/// How a refusal is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookRefusal {
    /// The agent is told.
    Deny,
    /// The host is asked to end the turn as well.
    DenyAndStop,
    /// The host went on nevertheless, as Claude Code does after a denial; so it is given something harmless in place of
    /// what was tried, and then it does stop.
    Replace,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    v: u16,
    /// How often each protected thing was refused.
    refused: BTreeMap<String, u32>,
    /// The last event of each feature that was reminded of.
    reminded: BTreeMap<String, u64>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { v: VERSION, refused: BTreeMap::new(), reminded: BTreeMap::new() }
    }
}

impl Memory {
    /// Reads what was stored. None for a form that is not known.
    pub fn read(bytes: &[u8]) -> Option<Memory> {
        serde_json::from_slice(bytes).ok().filter(|memory: &Memory| memory.v == VERSION)
    }

    pub fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("it holds only strings and numbers")
    }

    /// Counts a refusal, and says how it is to be answered.
    pub fn refuse(&mut self, thing: &str) -> HookRefusal {
        if self.refused.len() >= THINGS_MAX && !self.refused.contains_key(thing) {
            return HookRefusal::Replace;
        }
        let times = self.refused.entry(thing.to_owned()).or_default();
        *times = times.saturating_add(1);
        match *times {
            ..REFUSALS_MAX => HookRefusal::Deny,
            REFUSALS_MAX => HookRefusal::DenyAndStop,
            _ => HookRefusal::Replace,
        }
    }

    /// How many refusals there were.
    pub fn refusals(&self) -> u32 {
        self.refused.values().fold(0, |sum, times| sum.saturating_add(*times))
    }

    /// Whether a reminder for this state of a feature is due: there was none yet. From now on it counts as given.
    pub fn remind(&mut self, feature: &str, seq: u64) -> bool {
        if self.reminded.len() >= THINGS_MAX && !self.reminded.contains_key(feature) {
            return false;
        }
        let last = self.reminded.entry(feature.to_owned()).or_default();
        let new = *last < seq;
        *last = seq.max(*last);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_refusal_of_one_thing_ends_the_turn_and_so_does_every_later_one() {
        let mut memory = Memory::default();
        let answers = [1, 2, 3, 4, 5].map(|_| memory.refuse("state"));
        let (deny, stop, replace) = (HookRefusal::Deny, HookRefusal::DenyAndStop, HookRefusal::Replace);
        assert_eq!(answers, [deny, deny, stop, replace, replace]);
        assert_eq!(memory.refuse("another"), deny, "each thing has its own count");
        assert_eq!(memory.refusals(), 6);
    }

    #[test]
    fn however_many_things_are_tried_it_comes_to_an_end() {
        let mut memory = Memory::default();
        let mut answers = (0..).map(|number| memory.refuse(&format!("thing {number}")));
        let tries = answers.position(|answer| answer == HookRefusal::Replace).unwrap();
        assert_eq!(tries, THINGS_MAX);
        assert!(memory.write().len() < 4096);
    }

    #[test]
    fn a_state_is_reminded_of_once_and_an_older_one_never_again() {
        let mut memory = Memory::default();
        let reminded = [("001", 7), ("001", 7), ("002", 7), ("001", 8), ("001", 7), ("001", 8)];
        let said = reminded.map(|(feature, seq)| memory.remind(feature, seq));
        assert_eq!(said, [true, false, true, true, false, false]);
    }

    #[test]
    fn what_was_stored_comes_back_and_another_form_does_not() {
        let mut memory = Memory::default();
        memory.refuse("state");
        memory.remind("001", 3);
        let stored = String::from_utf8(memory.write()).unwrap();
        assert_eq!(stored, r#"{"v":1,"refused":{"state":1},"reminded":{"001":3}}"#, "a stored form");
        assert_eq!(Memory::read(stored.as_bytes()), Some(memory));
        for other in
            ["", "{}", &stored.replace("\"v\":1", "\"v\":2"), &stored.replace("{\"v\"", "{\"x\":0,\"v\"")]
        {
            assert_eq!(Memory::read(other.as_bytes()), None, "{other}");
        }
    }
}
