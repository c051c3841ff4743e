//! Works out what came of the entries that prompts told: whether a finding of the loop was about them or contradicted
//! them.
//!
//! Computed from the events of features, never stored. Start at [`uses`].

use super::entry::BankEntry;
use super::overlap::{Terms, is_enough, named_files, ordinary, shared};
use super::terms;
use redraft_facts::event::{self, Decision, Event};
use redraft_facts::findings::{self, Finding, Status};
use redraft_facts::ids::FeatureId;
use redraft_facts::prelude::*;

/// How often an entry was told, in dispatches, and what came of it. Dispatches of loops that are still open, and in
/// which nothing has come of it yet, are in none of the three counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Used {
    pub told: usize,
    /// A finding of the loop was about what the entry says.
    pub matched: usize,
    /// The loop ended and no finding was.
    pub ignored: usize,
    /// The feature challenged the entry later, or a finding about it was withdrawn or ruled away.
    pub contradicted: usize,
}

/// One loop of a feature in which entries were told.
#[derive(Default)]
struct Told {
    feature: Option<FeatureId>,
    times: BTreeMap<usize, usize>,
    findings: Vec<Finding>,
    over: bool,
}

/// For each entry what came of it in these features.
pub fn uses(entries: &[BankEntry], features: &[(FeatureId, Vec<event::Entry>)]) -> Vec<Used> {
    let places: BTreeMap<String, usize> =
        entries.iter().enumerate().map(|(at, entry)| (entry.full_name(), at)).collect();
    let mut used = vec![Used::default(); entries.len()];
    let mut about: Option<About> = None;
    for (feature, events) in features {
        for told in loops(*feature, events, &places).iter().filter(|told| !told.times.is_empty()) {
            // Most banks are never asked about, so this is built on demand.
            let about = about.get_or_insert_with(|| About::from_entries(entries));
            for (at, times) in &told.times {
                let sum = &mut used[*at];
                sum.told += times;
                match about.came(&entries[*at], *at, told) {
                    Came::Contradicted => sum.contradicted += times,
                    Came::Matched => sum.matched += times,
                    Came::Nothing if told.over => sum.ignored += times,
                    Came::Nothing => {}
                }
            }
        }
    }
    used
}

fn loops(feature: FeatureId, events: &[event::Entry], places: &BTreeMap<String, usize>) -> Vec<Told> {
    let mut loops: Vec<Told> = Vec::new();
    for entry in events {
        if matches!(entry.event, Event::LoopOpened(_)) {
            loops.iter_mut().for_each(|told| told.over = true);
            loops.push(Told { feature: Some(feature), ..Told::default() });
            continue;
        }
        let Some(now) = loops.last_mut() else { continue };
        match &entry.event {
            Event::Started(started) => {
                for at in started.told.iter().filter_map(|name| places.get(name)) {
                    *now.times.entry(*at).or_default() += 1;
                }
            }
            Event::Judged(judged) => findings::apply(&mut now.findings, &judged.changes),
            Event::Decided(decided) => {
                let ruled = now.findings.iter_mut().filter(|finding| decided.ruled.contains(&finding.id));
                let status = match decided.choice {
                    Decision::Overrule => Status::Overruled,
                    _ => Status::Ruled,
                };
                ruled.for_each(|finding| finding.status = status);
            }
            Event::PhaseClosed(_) | Event::PhaseSkipped(_) | Event::WentBack(_) | Event::Cancelled(_) => {
                now.over = true;
            }
            _ => {}
        }
    }
    loops
}

enum Came {
    Matched,
    Contradicted,
    Nothing,
}

/// What all entries are about.
struct About {
    terms: Vec<Terms>,
    ordinary: BTreeSet<String>,
}

impl About {
    fn from_entries(entries: &[BankEntry]) -> About {
        let terms: Vec<Terms> = entries.iter().map(Terms::new).collect();
        let ordinary = ordinary(&terms);
        About { terms, ordinary }
    }

    fn came(&self, entry: &BankEntry, at: usize, told: &Told) -> Came {
        let of_feature = |line: &String| {
            let seen = super::Observed::read(line.split(['—', '–']).next().unwrap_or(line));
            told.feature.is_some_and(|feature| seen.is_of(feature))
        };
        if entry.fields.challenged.iter().any(of_feature) {
            return Came::Contradicted;
        }
        let near: Vec<&Finding> =
            told.findings.iter().filter(|finding| self.is_about(entry, at, finding)).collect();
        let stands = |finding: &&&Finding| {
            !matches!(finding.status, Status::Withdrawn | Status::Ruled | Status::Overruled)
        };
        match (near.is_empty(), near.iter().any(|finding| stands(&finding))) {
            (true, _) => Came::Nothing,
            (false, true) => Came::Matched,
            (false, false) => Came::Contradicted,
        }
    }

    fn is_about(&self, entry: &BankEntry, at: usize, finding: &Finding) -> bool {
        let words = format!("{} {} {}", finding.description, finding.suggestion, finding.category);
        let (all, name) = shared(&self.terms[at], &terms::terms(&words), &self.ordinary);
        // A file alone is not a lesson: every finding about the file would be one.
        let file = named_files(entry).iter().any(|named| terms::means(named, &finding.file));
        is_enough(all.len(), name) || file && !all.is_empty()
    }
}
