//! The language that scenarios are written in: a line for each thing that is so, that is done, or that must hold.
//!
//! ```text
//! spec-author writes spec.md                          an agent's turn, used up by the next question to that role
//!   and commits `mine`                                what it does besides
//! spec-reviewer objects to `within 10 seconds`        a verdict
//! phase-reviewer is cut off                           a failure
//! the run is done                                     drives the feature, and says where that comes to rest
//! a person changes `10` to `5` in spec.md             what people do, at once
//! an hour passes                                      what happens, at once
//! then spec.md says `within 5 seconds`                what must hold
//! ```
//!
//! Texts stand in backticks. `spec.md`, `design.md`, `plan.md`, `tasks.md` and `retro.md` are the feature's own documents,
//! every other name is a path from the root. A line that is not understood fails the scenario.

mod agents;
mod claims;
mod people;
mod settings;

pub(crate) use claims::Claim;
pub(crate) use people::Act;
pub(crate) use settings::Setting;

use crate::documents;
use redraft_engine::ports::Comment;
use redraft_facts::event::MergeHistory;
use redraft_facts::ids::CommentId;
use redraft_testkit::fakes::{Deed, ScriptedTurn};

/// One line, understood.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Setting(Setting),
    Turn(ScriptedTurn),
    Act(Act),
    Run(End),
    Merge(MergeHistory, End),
    Then(Claim),
}

/// Where a run comes to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    Findings,
    Asks(String),
    ShortOfMoney,
    Parked,
    Host,
    Interrupted,
    Fails(String),
    /// Well or not: the scenario looks at what is left.
    Somehow,
}

/// The feature's documents, by their short names.
pub(crate) const FOLDER: &str = "docs/features/001-feature";
const DOCUMENTS: [&str; 5] = ["spec.md", "design.md", "plan.md", "tasks.md", "retro.md"];

/// Reads a scenario.
pub(crate) fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(more) = line.strip_prefix("and ") {
            let Some(Step::Turn(turn)) = steps.last_mut() else { panic!("nobody acts before `{line}`") };
            agents::besides(turn, &Line::of(more));
            continue;
        }
        if line == "the documents are written and approved" {
            steps.extend(approved_documents("task-author writes tasks.md"));
            continue;
        }
        if line
            == "the documents are written and approved, with three tasks that have nothing to do with each other"
        {
            let tasks = documents::BESIDE.replace('\n', "\\n");
            steps.extend(approved_documents(&format!("task-author writes `{tasks}` to tasks.md")));
            continue;
        }
        if line == "the tasks are written and approved, three that have nothing to do with each other" {
            steps.extend(approved_tasks(documents::BESIDE));
            continue;
        }
        let read = Line::of(line);
        let step = run(&read)
            .or_else(|| claims::read(&read).map(Step::Then))
            .or_else(|| people::read(&read).map(Step::Act))
            .or_else(|| settings::read(&read).map(Step::Setting))
            .or_else(|| agents::read(&read).map(Step::Turn));
        steps.push(step.unwrap_or_else(|| panic!("nobody understands `{line}`")));
    }
    put_comments_in_order(&mut steps);
    steps
}

/// Where people comment, ids begin with the time; here they begin with the place in the scenario.
fn put_comments_in_order(steps: &mut [Step]) {
    for (at, step) in steps.iter_mut().enumerate() {
        let comments: Vec<&mut Comment> = match step {
            Step::Act(Act::Comment(comment)) => vec![comment],
            Step::Turn(turn) => turn.does.iter_mut().filter_map(comment_of).collect(),
            _ => continue,
        };
        for comment in comments {
            comment.id = CommentId::new(format!("{at:04}-{}", comment.id));
        }
    }
}

fn comment_of(deed: &mut Deed) -> Option<&mut Comment> {
    match deed {
        Deed::Comment(comment) => Some(comment),
        _ => None,
    }
}

/// A feature without design and plan, with this task list. Its first process ends before the list is written.
pub(crate) fn approved_tasks(list: &str) -> Vec<Step> {
    steps(&format!(
        "
        the run rests after specify
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        a person leaves out design
        a person leaves out create-plan
        the feature goes on
        task-author writes `{}` to tasks.md
        task-reviewer approves
        phase-reviewer approves
        ",
        list.replace('\n', "\\n")
    ))
}

/// The turns of everybody who has to do with documents, from the specification to the task list.
fn approved_documents(last: &str) -> Vec<Step> {
    let phases = [
        ("spec", "spec-author writes spec.md"),
        ("design", "design-author writes design.md"),
        ("plan", "plan-author writes plan.md"),
        ("task", last),
    ];
    let lines =
        |(role, draft): (&str, &str)| format!("{draft}\n{role}-reviewer approves\nphase-reviewer approves\n");
    steps(&phases.map(lines).concat())
}

fn run(line: &Line) -> Option<Step> {
    let end = |words: &str| {
        Some(match words {
            "done" => End::Done,
            "left with findings" => End::Findings,
            "short of money" => End::ShortOfMoney,
            "parked" => End::Parked,
            "waiting for a host" => End::Host,
            "interrupted" => End::Interrupted,
            "over" => End::Somehow,
            _ => return None,
        })
    };
    let text = || line.texts.first().cloned().unwrap_or_default();
    match line.shape.as_str() {
        "the run asks $" => Some(Step::Run(End::Asks(text()))),
        "the run fails with $" => Some(Step::Run(End::Fails(text()))),
        "the feature is merged" => Some(Step::Merge(MergeHistory::Keep, End::Done)),
        "the feature is squashed" => Some(Step::Merge(MergeHistory::Squash, End::Done)),
        "the merge fails with $" => Some(Step::Merge(MergeHistory::Keep, End::Fails(text()))),
        shape => shape.strip_prefix("the run is ").and_then(end).map(Step::Run),
    }
}

/// A line, and the texts that stand in it; each is `$` in its shape.
pub(crate) struct Line {
    pub(crate) shape: String,
    pub(crate) texts: Vec<String>,
}

impl Line {
    fn of(line: &str) -> Line {
        let (mut shape, mut texts) = (String::new(), Vec::new());
        for (at, part) in line.split('`').enumerate() {
            if at % 2 == 0 {
                shape.push_str(part);
            } else {
                shape.push('$');
                texts.push(part.replace("\\n", "\n"));
            }
        }
        Line { shape, texts }
    }

    pub(crate) fn text(&self, at: usize) -> String {
        self.texts.get(at).cloned().unwrap_or_default()
    }
}

/// A path by its name in a scenario.
pub(crate) fn path(name: &str) -> String {
    if DOCUMENTS.contains(&name) { format!("{FOLDER}/{name}") } else { name.to_owned() }
}

/// Money as `$0.05`.
pub(crate) fn money(word: &str) -> Option<redraft_facts::usage::Usd> {
    let dollars: f64 = word.strip_prefix('$')?.parse().ok()?;
    // Scenarios use few decimals, so nothing is lost.
    Some(redraft_facts::usage::Usd((dollars * 1_000_000.0).round() as u64))
}

/// Times as `5 seconds`, `30 minutes`, `2 hours` or `an hour`.
pub(crate) fn time_ms(words: &str) -> Option<u64> {
    let (number, unit) = words.split_once(' ')?;
    let number: u64 = if matches!(number, "a" | "an") { 1 } else { number.parse().ok()? };
    let unit_ms = match unit.trim_end_matches('s') {
        "second" => 1_000,
        "minute" => 60_000,
        "hour" => 3_600_000,
        "day" => 86_400_000,
        _ => return None,
    };
    Some(number * unit_ms)
}
