//! Review loops as they were recorded, and those of their sizes that matter.
//!
//! Texts are compared once, here; what they cost for which model is [`super::replay`]'s business. Start at
//! [`RecordedLoop::measured`]; [`reviewed`] finds the loops of a feature in its events.

use super::pace::Pace;
use redraft_documents::delta::Comparison;
use redraft_documents::sections::Outline;
use redraft_facts::choice::{Marks, Strategy};
use redraft_facts::event::{Entry, Event, FeatureCreated, Started};
use redraft_facts::ids::{Revision, Role};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_roles::profile::{self, ProfileKind};

/// A loop as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedLoop {
    pub name: String,
    /// The kind of document under review, e.g. `spec`.
    pub artifact: String,
    pub upstream: Vec<String>,
    pub versions: Vec<String>,
    /// When each version was reviewed, in seconds.
    pub times: Vec<u64>,
    /// The versions, counted from 0, about which a reviewer was asked that had approved an older one. Guards on the
    /// size of a delta do not hold for them.
    pub validations: Vec<usize>,
}

/// A role's reviews in one pass of a phase, as the ledger knows them; git has the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPass {
    /// Feature, phase, pass and role.
    pub name: String,
    pub role: Role,
    /// The path of the artifact under review, and of what it builds on. For code the change itself is the artifact.
    pub artifact: String,
    pub upstream: Vec<String>,
    /// In the order they were sent.
    pub reviews: Vec<Review>,
}

/// One review that was answered: what was shown when, and how it was really sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    pub ticket: Ticket,
    /// In seconds.
    pub at_s: u64,
    pub sees: Revision,
    /// What it is compared with, where it is code.
    pub base: Option<Revision>,
    pub strategy: Strategy,
    /// What the agent was asked to keep; none where that was not recorded.
    pub marks: Option<Marks>,
}

/// Whose reviews they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reviewer {
    /// Is given the artifact under review whole.
    Domain,
    /// Reads it by path when it is sent paths.
    Phase,
}

impl RecordedPass {
    /// The dispatch it began with.
    pub fn first(&self) -> Option<&Ticket> {
        self.reviews.first().map(|review| &review.ticket)
    }

    /// How the role gets the artifact.
    pub fn reviewer(&self) -> Reviewer {
        match profile::kind(&self.role) {
            Some(ProfileKind::Phase) => Reviewer::Phase,
            Some(ProfileKind::Domain | ProfileKind::Author) | None => Reviewer::Domain,
        }
    }
}

/// The review loops in a feature's events, one for each reviewer and pass that was answered at least once.
pub fn reviewed(entries: &[Entry]) -> Vec<RecordedPass> {
    let mut paths: BTreeMap<(Phase, u16), &[String]> = BTreeMap::new();
    let mut started: BTreeMap<&Ticket, Review> = BTreeMap::new();
    let mut created = None;
    let mut compared = None;
    let mut loops: Vec<RecordedPass> = Vec::new();
    for entry in entries {
        match &entry.event {
            Event::FeatureCreated(fact) => created = Some(fact),
            Event::LoopOpened(opened) => {
                paths.insert((opened.phase, opened.pass), &opened.paths);
                compared = opened.base.clone().filter(|_| opened.phase == Phase::Implement);
            }
            Event::Edited(fact) => {
                compared = fact.compared.as_ref().map(|now| now.base.clone()).or(compared);
            }
            Event::Started(fact) if is_review(fact.ticket.purpose) => {
                if let Some(review) = review(fact, entry.at_ms) {
                    started.insert(&fact.ticket, Review { base: compared.clone(), ..review });
                }
            }
            Event::Answered(fact) => {
                let Some(review) = started.remove(&fact.ticket) else { continue };
                let Ticket { scope, phase, pass, role, .. } = &fact.ticket;
                let Some([artifact, upstream @ ..]) = paths.get(&(*phase, *pass)).copied() else { continue };
                let name = format!("{scope}/{phase}.{pass}/{role}");
                let documents = created.filter(|_| *phase == Phase::Implement);
                let documents = documents.map(|created| documents_of(created, role));
                match loops.iter_mut().find(|one| one.name == name) {
                    Some(one) => one.reviews.push(review),
                    None => loops.push(RecordedPass {
                        name,
                        role: role.clone(),
                        artifact: artifact.clone(),
                        upstream: documents.unwrap_or_else(|| upstream.to_vec()),
                        reviews: vec![review],
                    }),
                }
            }
            _ => {}
        }
    }
    loops
}

/// The documents that a reviewer of code is given, as far as they are there.
fn documents_of(created: &FeatureCreated, role: &Role) -> Vec<String> {
    let profile = profile::find(Phase::Implement, role);
    let names = profile.map(|profile| profile.artifacts).unwrap_or_default();
    names.iter().map(|name| created.path_of(name)).collect()
}

fn review(fact: &Started, at_ms: i64) -> Option<Review> {
    Some(Review {
        ticket: fact.ticket.clone(),
        at_s: u64::try_from(at_ms / 1000).unwrap_or(0),
        sees: fact.sees.clone()?,
        base: None,
        strategy: fact.choice.strategy,
        marks: fact.choice.prediction.as_ref().map(|prediction| prediction.marks),
    })
}

/// A certificate is left out: it comes from a conversation of its own.
fn is_review(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Review | Purpose::Validate)
}

/// The sizes of a loop in characters, which are the same for every model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    pub name: String,
    pub artifact: String,
    pub(super) upstream: Vec<u64>,
    pub(super) rounds: Vec<MeasuredRound>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MeasuredRound {
    pub(super) gap_s: u64,
    pub(super) validation: bool,
    pub(super) artifact: u64,
    pub(super) delta: u64,
    pub(super) touched: u64,
}

impl Measured {
    /// Characters of all upstream artifacts, and of the artifact in the first round.
    pub fn first(&self) -> (u64, u64) {
        (self.upstream.iter().sum(), self.rounds.first().map_or(0, |round| round.artifact))
    }

    /// Teaches a pace how the rounds of this loop followed each other, for later loops.
    pub fn teach_pace(&self, pace: &mut Pace) {
        let (upstream, artifact) = self.first();
        let gaps_s: Vec<u64> = self.rounds.iter().skip(1).map(|round| round.gap_s).collect();
        pace.learn(upstream + artifact, &gaps_s);
    }
}

impl RecordedLoop {
    /// Counts characters and compares versions, once for all models and policies.
    pub fn measured(&self) -> Measured {
        let mut rounds = Vec::with_capacity(self.versions.len());
        for (at, text) in self.versions.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| self.versions.get(before));
            let (delta, touched) = before.map_or((0, 0), |old| change(old, text));
            let time = |at: usize| self.times.get(at).copied().unwrap_or(0);
            let gap_s = if at == 0 { 0 } else { time(at).saturating_sub(time(at - 1)) };
            let validation = self.validations.contains(&at);
            rounds.push(MeasuredRound { gap_s, validation, artifact: chars(text), delta, touched });
        }
        let upstream = self.upstream.iter().map(|text| chars(text)).collect();
        Measured { name: self.name.clone(), artifact: self.artifact.clone(), upstream, rounds }
    }
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The characters of the unified diff, and of the sections it touches.
fn change(old: &str, new: &str) -> (u64, u64) {
    let comparison = Comparison::new(old, new);
    let outline = Outline::parse(new);
    let touched = outline.touched(&comparison.changed());
    let lines = touched.into_iter().flat_map(|lines| &outline.lines()[lines]);
    (chars(&comparison.unified("artifact.md")), lines.map(|line| chars(line)).sum())
}
