//! What a world is played with: the rules of its loop, and how those in it behave.

use redraft_facts::choice::{Knowledge, Policy};
use redraft_facts::event::*;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;

/// How often each kind of answer is drawn, out of 100.
#[derive(Debug, Clone)]
pub(crate) struct Habits {
    pub reject: u8,
    pub unusable: u8,
    /// How many of the unusable answers reject for what is settled.
    pub insists: u8,
    pub fail: u8,
    pub lose: u8,
    pub unchanged: u8,
    /// How many of the findings in the way the author declines, and how many of them a reviewer that rejects keeps.
    pub declines: u8,
    pub keeps: u8,
    /// How many implementers say of their own work that it is not done.
    pub stops: u8,
    pub gate_fails: u8,
    /// How many of the failed gates were refused something by their sandbox.
    pub refused: u8,
    pub edit: u8,
    /// How many of its first drafts are questions instead.
    pub asks: u8,
    /// How often a person takes another lane, leaves a phase out or goes back.
    pub turns: u8,
    /// How often a person comments, whatever is under way.
    pub comments: u8,
    /// How many dispatches are handed out to a host.
    pub pull: u8,
    /// How many dispatches end at a usage limit.
    pub parks: u8,
    /// How often the budget is too small for what comes next; a person then allows more.
    pub short: u8,
    /// How often finished tasks cannot be put together.
    pub conflicts: u8,
    /// How often the number of tasks that are carried out at once changes.
    pub jobs: u8,
    /// How often the feature goes on in another clone.
    pub moves: u8,
    /// Answers questions instead of ending there.
    pub person: bool,
}

pub(crate) const CALM: Habits = Habits {
    reject: 0,
    unusable: 0,
    insists: 0,
    fail: 0,
    lose: 0,
    unchanged: 0,
    declines: 0,
    keeps: 0,
    stops: 0,
    gate_fails: 0,
    refused: 0,
    edit: 0,
    asks: 0,
    turns: 0,
    comments: 0,
    pull: 0,
    parks: 0,
    short: 0,
    conflicts: 0,
    jobs: 0,
    moves: 0,
    person: false,
};

#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub panels: Vec<usize>,
    pub limits: Limits,
    pub certify: Certify,
    pub policy: Policy,
    pub knowledge: Knowledge,
    /// How many tasks the phase implement has.
    pub tasks: usize,
    /// How many of them, from the first on, were done before the feature was adopted.
    pub ticked: usize,
    /// How many of them may be carried out at once to begin with.
    pub jobs: u16,
    /// What they declare, from the first on; the others declare nothing.
    pub declared: Vec<Declaration>,
    /// Two tasks, by their numbers, whose first attempts fail together; one fails by itself.
    pub clash: Option<(usize, usize)>,
    pub extras: bool,
    pub gates: usize,
    /// The lane it begins in, and where it ends, unless a person says otherwise.
    pub lane: Lane,
    pub until: Phase,
    /// Whether it is no feature, but a document that is reviewed by itself, which rests when it is approved.
    pub alone: bool,
    /// Whether a person approves every phase.
    pub asks_after: bool,
}

/// What a task says it needs, and the files it says it writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Declaration {
    pub needs: Vec<String>,
    pub files: Vec<String>,
}

pub(crate) fn rules(panels: &[usize]) -> Rules {
    let panels = panels.to_vec();
    Rules {
        panels,
        limits: Limits::default(),
        certify: Certify::Resume,
        policy: Policy::Guarded,
        knowledge: Knowledge::Full,
        tasks: 0,
        ticked: 0,
        jobs: 1,
        declared: vec![],
        clash: None,
        extras: false,
        gates: 1,
        lane: Lane::Standard,
        until: Phase::Specify,
        alone: false,
        asks_after: false,
    }
}
