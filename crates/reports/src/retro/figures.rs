//! The figures of a feature from the ledger, and the names by which a text can ask for them.
//!
//! Bills are those of [`crate::projections::costs`], so a retrospective and `redraft cost` cannot disagree. Start at
//! [`Figures::from_entries`]; [`Figures::named`] lists what can be named in braces, [`Figures::fill`] puts it in.

use super::FeatureChange;
use crate::projections::costs::{Sum, costs};
use redraft_core::attribution::in_words;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::{Loop, TaskEnd};
use redraft_facts::event::{Decision, Entry, Event};
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::FeatureId;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::span;
use redraft_facts::usage::grouped;
use redraft_facts::verdict::Severity;

/// Everything numeric that a retrospective may say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    pub feature: Option<FeatureId>,
    pub slug: String,
    /// In the order of the phases; one that was never opened is not there.
    pub phases: Vec<PhaseFigures>,
    pub total: Counts,
    pub change: FeatureChange,
    /// Who judged, in words, and the note where only the rehearsal agent did.
    pub judged_by: String,
    pub rehearsed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseFigures {
    pub phase: Phase,
    pub counts: Counts,
}

/// What is counted of a phase, and of all of them together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub passes: u64,
    /// Review rounds of all stages and passes.
    pub rounds: u64,
    /// Dispatches, failed and lost ones among them, and what was billed for them.
    pub sum: Sum,
    /// As they stand in the last pass, which goes on with those of the earlier ones.
    pub findings: FindingCounts,
    /// Decisions of a person to accept what was open.
    pub rulings: u64,
    pub failed_checks: u64,
    pub tasks_done: u64,
    pub tasks_blocked: u64,
    /// From the opening of a loop to the last thing that happened in it, pauses included.
    pub wall_ms: u64,
    /// How long agents took to answer.
    pub agents_ms: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FindingCounts {
    pub blockers: u64,
    pub warnings: u64,
    pub suggestions: u64,
    pub open: u64,
    pub fixed: u64,
    pub withdrawn: u64,
    pub deferred: u64,
    pub ruled: u64,
    pub overruled: u64,
}

/// One figure, with the name by which a text asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// `dispatches`, or of one phase `specify.dispatches`.
    pub name: String,
    /// What a number in a text is compared with; none for money and times.
    pub value: Option<u64>,
    /// As people read it.
    pub text: String,
}

/// What stands for a figure that nobody can know.
pub(super) const UNKNOWN: &str = "unknown";

/// A text that has a name in braces which is not a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfilled(pub String);

impl Figures {
    /// `entries` are all events of the feature, `pipeline` what they fold to.
    pub fn from_entries(pipeline: &Pipeline, entries: &[Entry]) -> Figures {
        let created = pipeline.created.as_ref();
        let mut phases: BTreeMap<Phase, Counts> = BTreeMap::new();
        for one in costs(entries).phases {
            let counts = phases.entry(one.phase).or_default();
            counts.passes += 1;
            counts.sum.add(&one.sum);
        }
        for one in pipeline.past.iter().chain(&pipeline.open) {
            let rounds: u64 = one.stages.iter().map(|stage| u64::from(stage.rounds)).sum();
            phases.entry(one.opened.phase).or_default().rounds += rounds;
        }
        let mut figures = Figures {
            feature: created.map(|created| created.id),
            slug: created.map(|created| created.slug.clone()).unwrap_or_default(),
            judged_by: in_words(&pipeline.judged_by()),
            rehearsed: pipeline.rehearsal_notice(false),
            ..Figures::default()
        };
        for one in pipeline.standing() {
            let counts = phases.entry(one.opened.phase).or_default();
            counts.findings = FindingCounts::count(&one.findings);
            (counts.tasks_done, counts.tasks_blocked) = tasks(one);
        }
        count_events(&mut phases, entries);
        for (phase, counts) in phases {
            figures.total.add(&counts);
            figures.phases.push(PhaseFigures { phase, counts });
        }
        figures
    }

    /// The same with what git says about the files.
    pub fn with(mut self, change: &FeatureChange) -> Figures {
        self.change = change.clone();
        self
    }

    /// Every figure that can be named: those of the whole, then those of each phase.
    pub fn named(&self) -> Vec<Figure> {
        let count = |name: &str, value: u64| Figure {
            name: name.to_owned(),
            value: Some(value),
            text: grouped(value),
        };
        let mut all = vec![count("phases", self.phases.len() as u64)];
        all.extend(self.total.named(""));
        all.extend([
            count("files", self.change.files.len() as u64),
            count("lines_added", self.change.added()),
            count("lines_removed", self.change.removed()),
        ]);
        for one in &self.phases {
            all.extend(one.counts.named(&format!("{}.", one.phase)));
        }
        all
    }

    /// The text with every name in braces replaced by its figure.
    pub fn fill(&self, text: &str) -> Result<String, Unfilled> {
        self.fill_from(&self.named(), text)
    }

    pub(super) fn fill_from(&self, named: &[Figure], text: &str) -> Result<String, Unfilled> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, inside)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, after)) = inside.split_once('}') else {
                return Err(Unfilled(inside.chars().take(40).collect()));
            };
            let figure = named.iter().find(|figure| figure.name == name.trim());
            let Some(figure) = figure else { return Err(Unfilled(name.chars().take(40).collect())) };
            out.push_str(&figure.text);
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }
}

impl FindingCounts {
    fn count(findings: &[Finding]) -> FindingCounts {
        let mut counts = FindingCounts::default();
        for finding in findings {
            *match finding.severity {
                Severity::Blocker => &mut counts.blockers,
                Severity::Warning => &mut counts.warnings,
                Severity::Suggestion => &mut counts.suggestions,
            } += 1;
            *match finding.status {
                Status::Open => &mut counts.open,
                Status::Fixed => &mut counts.fixed,
                Status::Withdrawn => &mut counts.withdrawn,
                Status::Deferred => &mut counts.deferred,
                Status::Ruled => &mut counts.ruled,
                Status::Overruled => &mut counts.overruled,
            } += 1;
        }
        counts
    }

    pub fn all(&self) -> u64 {
        self.blockers + self.warnings + self.suggestions
    }

    fn add(&mut self, other: &FindingCounts) {
        self.blockers += other.blockers;
        self.warnings += other.warnings;
        self.suggestions += other.suggestions;
        self.open += other.open;
        self.fixed += other.fixed;
        self.withdrawn += other.withdrawn;
        self.deferred += other.deferred;
        self.ruled += other.ruled;
        self.overruled += other.overruled;
    }
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.passes += other.passes;
        self.rounds += other.rounds;
        self.sum.add(&other.sum);
        self.findings.add(&other.findings);
        self.rulings += other.rulings;
        self.failed_checks += other.failed_checks;
        self.tasks_done += other.tasks_done;
        self.tasks_blocked += other.tasks_blocked;
        self.wall_ms = self.wall_ms.saturating_add(other.wall_ms);
        self.agents_ms = self.agents_ms.saturating_add(other.agents_ms);
    }

    pub(super) fn named(&self, before: &str) -> Vec<Figure> {
        let Counts { sum, findings, .. } = self;
        let numbers = [
            ("passes", self.passes),
            ("rounds", self.rounds),
            ("dispatches", u64::from(sum.dispatches)),
            ("failed", u64::from(sum.failed)),
            ("lost", u64::from(sum.lost)),
            ("findings", findings.all()),
            ("blockers", findings.blockers),
            ("warnings", findings.warnings),
            ("suggestions", findings.suggestions),
            ("open", findings.open),
            ("fixed", findings.fixed),
            ("withdrawn", findings.withdrawn),
            ("deferred", findings.deferred),
            ("ruled", findings.ruled),
            ("overruled", findings.overruled),
            ("rulings", self.rulings),
            ("failed_checks", self.failed_checks),
            ("tasks_done", self.tasks_done),
            ("tasks_blocked", self.tasks_blocked),
            ("unknown_bills", u64::from(sum.unknown)),
        ];
        let told = !self.is_untold();
        let known = |text: String| if told { text } else { UNKNOWN.to_owned() };
        let tokens = [("tokens_in", sum.billed.input()), ("tokens_out", sum.billed.output)];
        let texts = [
            ("cost", known(sum.money().in_a_line())),
            ("wall_time", span(self.wall_ms)),
            ("agent_time", span(self.agents_ms)),
        ];
        let figure =
            |name: &str, value, text: String| Figure { name: format!("{before}{name}"), value, text };
        let numbers = numbers.into_iter().map(|(name, value)| figure(name, Some(value), grouped(value)));
        let tokens = tokens
            .into_iter()
            .map(|(name, value)| figure(name, told.then_some(value), known(grouped(value))));
        let texts = texts.into_iter().map(|(name, text)| figure(name, None, text));
        numbers.chain(tokens).chain(texts).collect()
    }

    /// Whether nobody told what was used, as hosts do not: that is unknown, and not nothing.
    fn is_untold(&self) -> bool {
        self.sum.dispatches > 0 && self.sum.hosts == self.sum.dispatches
    }
}

fn tasks(one: &Loop) -> (u64, u64) {
    let tasks = one.implementing.iter().flat_map(|implementing| &implementing.tasks);
    let ends = tasks.filter_map(|task| task.end.as_ref());
    ends.fold((0, 0), |(done, blocked), end| match end {
        TaskEnd::Done | TaskEnd::Before => (done + 1, blocked),
        TaskEnd::Blocked { .. } => (done, blocked + 1),
    })
}

/// Counts what no state remembers, from the events.
fn count_events(phases: &mut BTreeMap<Phase, Counts>, entries: &[Entry]) {
    let mut now: Option<(Phase, i64)> = None;
    for entry in entries {
        if let Event::LoopOpened(opened) = &entry.event {
            now = Some((opened.phase, entry.at_ms));
        }
        let Some((phase, since_ms)) = now else { continue };
        let counts = phases.entry(phase).or_default();
        counts.wall_ms = counts
            .wall_ms
            .saturating_add(u64::try_from(entry.at_ms.saturating_sub(since_ms)).unwrap_or_default());
        now = Some((phase, entry.at_ms));
        match &entry.event {
            Event::Decided(decided) if decided.choice == Decision::Accept => counts.rulings += 1,
            Event::Checked(checked) if !checked.passed => counts.failed_checks += 1,
            Event::Answered(answered) => {
                counts.agents_ms = counts.agents_ms.saturating_add(answered.wall_ms);
            }
            // What happens between two phases belongs to none.
            Event::PhaseClosed(_) => now = None,
            _ => {}
        }
    }
}
