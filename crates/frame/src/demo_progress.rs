//! Shows the progress of a demo as a story: who wrote what, who rejected it and why, who approved it.
//!
//! It shows what a newcomer needs and leaves out tickets and revisions; errors are shown as in any run. It knows events
//! and not how they came about. Start at [`DemoProgress`].

use crate::console::Console;
use redraft_core::attribution::COMPUTED;
use redraft_core::pipeline::Pipeline;
use redraft_engine::{Progress, Undone};
use redraft_facts::choice::Strategy;
use redraft_facts::event::{
    About, Built, Checked, Drafted, Entry, Event, Judged, Judgement, LoopOpened, PhaseClosed,
};
use redraft_facts::phase::Phase;
use redraft_facts::text::{count, one_line};
use redraft_facts::ticket::{Purpose, Ticket, Unit};
use redraft_reports::projections;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// As much of a finding as fits on a line.
const FINDING_CHARS_MAX: usize = 150;

pub struct DemoProgress<'a> {
    console: &'a Console,
    /// How each dispatch was sent.
    sent: Mutex<BTreeMap<String, Strategy>>,
    /// What was built last, shown together with the result of its checks.
    built: Mutex<Option<String>>,
    /// Whether the last phase has begun.
    ends: AtomicBool,
}

impl<'a> DemoProgress<'a> {
    pub fn new(console: &'a Console) -> Self {
        DemoProgress {
            console,
            sent: Mutex::new(BTreeMap::new()),
            built: Mutex::new(None),
            ends: AtomicBool::new(false),
        }
    }

    fn tell(&self, event: &Event) {
        if let Some(built) = self.built.lock().ok().and_then(|mut built| built.take()) {
            match event {
                Event::Checked(fact) if fact.passed && !fact.command.is_empty() => {
                    return self.console.say(&format!("{built}; `{}` passed", one_line(&fact.command, 60)));
                }
                _ => self.console.say(&built),
            }
        }
        match event {
            Event::Started(fact) => {
                if let Ok(mut sent) = self.sent.lock() {
                    sent.insert(fact.ticket.to_string(), fact.choice.strategy);
                }
            }
            Event::Answered(_) | Event::StageClosed(_) => {}
            Event::Checked(fact) if fact.passed && self.ends() => self.console.say(&on_the_merge(fact)),
            Event::Checked(fact) if fact.passed => {}
            Event::Asked(asked) if asked.question.about == About::Lessons => {}
            Event::LoopOpened(fact) => {
                self.ends.store(fact.phase == Phase::Finish, Ordering::Relaxed);
                self.console.say(&opened(fact));
            }
            Event::Drafted(fact) if fact.ticket.phase == Phase::Implement => self.hold(drafted(fact)),
            Event::Drafted(fact) if fact.revision.is_some() => self.console.say(&drafted(fact)),
            Event::Built(fact) => self.hold(built(fact)),
            Event::Judged(fact) => self.judged(fact),
            Event::PhaseClosed(fact) => self.console.say(&closed(fact)),
            other => self.console.say(&format!("  {}", projections::line(other))),
        }
    }

    fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    /// Keeps a line until it is known whether a check has a result for it.
    fn hold(&self, line: String) {
        if let Ok(mut built) = self.built.lock() {
            *built = Some(line);
        }
    }

    fn judged(&self, fact: &Judged) {
        let role = &fact.ticket.role;
        let again = self.again(&fact.ticket);
        match &fact.judgement {
            Judgement::Approved if fact.ticket.purpose == Purpose::Validate => {
                self.console.say(&format!("  {role} approved what has changed since{again}"));
            }
            Judgement::Approved => {
                let mark = if fact.is_computed() { COMPUTED } else { "" };
                self.console.say(&format!("  {role} approved{mark}{again}"));
            }
            Judgement::Rejected => {
                let found: Vec<_> =
                    fact.verdict.issues.iter().filter(|issue| issue.same_as.is_empty()).collect();
                let left = fact.verdict.issues.len() - found.len();
                let still = if left > 0 { format!(", {left} still open") } else { String::new() };
                let number = count(found.len(), "finding");
                self.console.say(&format!("  {role} rejected: {number}{still}{again}"));
                for issue in found {
                    // How it is known does not matter here.
                    let what = issue.description.trim_end().trim_end_matches(" [read]");
                    let what = one_line(what.trim_end_matches(" [traced]"), FINDING_CHARS_MAX);
                    self.console.say(&format!("    - {}: {what}", issue.severity));
                }
            }
            Judgement::Repair { .. } | Judgement::NoVerdict { .. } => {
                self.console.say(&format!("  {}", projections::line(&Event::Judged(fact.clone()))));
            }
        }
    }

    /// Whether the role was asked in the conversation it had before.
    fn again(&self, ticket: &Ticket) -> &'static str {
        let sent = self.sent.lock().ok().and_then(|sent| sent.get(&ticket.to_string()).copied());
        if sent == Some(Strategy::Resume) { ", resumed: it was sent only what changed" } else { "" }
    }
}

impl Progress for DemoProgress<'_> {
    fn stored(&self, entry: &Entry, _state: &Pipeline) {
        self.tell(&entry.event);
    }

    fn doing(&self, ticket: &Ticket, doing: &str) {
        self.console.doing(ticket, doing);
    }

    fn undone(&self, undone: &Undone) {
        self.console.undone(undone);
    }
}

fn opened(fact: &LoopOpened) -> String {
    let phase = fact.phase;
    if phase == Phase::Finish {
        return format!("\n{phase}: the merge result is checked, then the feature is looked back on");
    }
    match fact.tasks.len() {
        0 => format!("\n{phase}: {} writes {}", fact.author, phase.artifact()),
        tasks => format!("\n{phase}: {} carries out {}", fact.author, count(tasks, "task")),
    }
}

/// What an agent did to the code.
fn built(fact: &Built) -> String {
    let role = &fact.ticket.role;
    let files = count(fact.files.len(), "file");
    match (&fact.ticket.unit, fact.ticket.purpose) {
        (Unit::Task(id), _) if fact.already => format!("  task {id} was already complete"),
        (Unit::Task(id), _) => format!("  task {id} was carried out in {files}"),
        (Unit::Whole, Purpose::Outline) => format!("  {role} outlined tests, from the documents alone"),
        (Unit::Whole, _) if fact.files.is_empty() => format!("  {role} changed nothing"),
        (Unit::Whole, Purpose::Simplify) => format!("  {role} made {files} simpler"),
        (Unit::Whole, _) => format!("  {role} wrote tests in {files}"),
    }
}

fn drafted(fact: &Drafted) -> String {
    let role = &fact.ticket.role;
    // What was done for each finding follows on lines of its own.
    let what = one_line(fact.summary.lines().next().unwrap_or_default(), FINDING_CHARS_MAX);
    if fact.commit.is_empty() {
        format!("  {role} changed nothing: {what}")
    } else {
        format!("  {role} {what}")
    }
}

/// What a gate says about what would be merged.
fn on_the_merge(fact: &Checked) -> String {
    match (fact.command.is_empty(), fact.evidence.is_empty()) {
        (false, _) => format!("  `{}` passed on what would be merged", one_line(&fact.command, 60)),
        (true, true) => format!("  {}: nothing to say", fact.gate),
        (true, false) => format!("  {}: {}", fact.gate, one_line(&fact.evidence, FINDING_CHARS_MAX)),
    }
}

fn closed(fact: &PhaseClosed) -> String {
    if fact.phase == Phase::Finish {
        return "  the feature is finished; its branch is ready to be merged".to_owned();
    }
    let roles: Vec<&str> = fact.approvals.iter().map(|approval| approval.role.as_str()).collect();
    let what = if fact.phase == Phase::Implement { "the code" } else { fact.phase.artifact() };
    format!("  {what} is approved by {}", listed(&roles))
}

fn listed(roles: &[&str]) -> String {
    match roles {
        [first @ .., one, last] => [first.to_vec(), vec![&format!("{one} and {last}")]].concat().join(", "),
        few => few.concat(),
    }
}
