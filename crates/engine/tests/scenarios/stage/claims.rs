//! Checks what a scenario claims.

use super::Stage;
use crate::left::trail;
use crate::script::{self, Claim};
use crate::world::BRANCH;
use redraft_core::pipeline::Pipeline;
use redraft_facts::choice::Strategy;
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::TaskId;
use redraft_facts::ticket::{Ticket, Unit};

impl Stage<'_> {
    #[track_caller]
    pub(super) fn holds(&self, claim: &Claim) {
        let (outside, entries) = (self.world.outside(), self.entries());
        let of_kind =
            |kind: &str| entries.iter().filter(|entry| entry.event.kind() == kind).collect::<Vec<_>>();
        let asked = |role: &str| {
            let (role, task) = role.split_once(':').map_or((role, None), |(role, task)| (role, Some(task)));
            let unit = task.map(|task| Unit::Task(TaskId::new(task)));
            let is = |ticket: &Ticket| {
                ticket.role.as_str() == role && unit.as_ref().is_none_or(|unit| ticket.unit == *unit)
            };
            let ours = self.agents.asked().into_iter().filter(|request| is(&request.ticket));
            ours.collect::<Vec<_>>()
        };
        let started = |role: &str| {
            entries.iter().rev().find_map(|entry| match &entry.event {
                Event::Started(started) if started.ticket.role.as_str() == role => Some(started),
                _ => None,
            })
        };
        let shown = || trail(&entries).join("\n");
        match claim {
            Claim::Says { file, text, so } => {
                let found = outside.look(file).unwrap_or_default();
                assert_eq!(found.contains(text), *so, "{file}: {text:?} in {found}");
            }
            Claim::Gone(file) => assert_eq!(outside.look(file), None, "{file}"),
            Claim::BaseSays { file, text } => {
                let found = outside.look_base(file).unwrap_or_default();
                assert!(found.contains(text), "{file} of main: {text:?} in {found:?}");
            }
            Claim::Has(kind, number) => assert_eq!(of_kind(kind).len(), *number, "{kind} in\n{}", shown()),
            Claim::Tells { kind, text, so } => {
                let told: Vec<String> = of_kind(kind).iter().map(|entry| entry.event.encode()).collect();
                assert_eq!(told.iter().any(|body| body.contains(text)), *so, "{text:?} in {told:#?}");
            }
            Claim::Asked(role, number) => assert_eq!(asked(role).len(), *number, "{role} in\n{}", shown()),
            Claim::ToldOfCheck(text) => {
                let told = self.agents.told();
                assert!(told.iter().any(|told| told.contains(text)), "{text:?} in {told:?}");
            }
            Claim::Told { role, text, so } => {
                let prompt =
                    asked(role).last().map(|request| serde_json::to_string(&request.prompt).unwrap());
                // A host fetches its prompt, which is stored with the dispatch.
                let handed_out = || {
                    let started = started(role)?;
                    let bytes = self.world.ledger().store().blob(&started.prompt).unwrap();
                    Some(String::from_utf8(bytes).unwrap())
                };
                let prompt = prompt.or_else(handed_out).unwrap_or_default();
                assert_eq!(prompt.contains(text), *so, "{text:?} in {prompt}");
            }
            Claim::Resumed(role, so) => {
                let handed_out = || started(role).map(|started| started.choice.strategy == Strategy::Resume);
                let resumed = asked(role).last().map(|request| request.resume).or_else(handed_out);
                assert_eq!(resumed, Some(*so), "{role}");
            }
            Claim::Commits(subjects) => {
                let mut log = outside.log(BRANCH);
                assert_eq!(log.pop().as_deref(), Some("first"));
                assert_eq!(log, *subjects);
            }
            Claim::Kept { text, ticket } => {
                let kept = outside.files_of(&format!("refs/redraft/lost/{ticket}")).unwrap_or_default();
                assert!(kept.values().any(|file| file.contains(text)), "{text:?} in {kept:?}");
            }
            Claim::Spent(total) => {
                let state = Pipeline::replay(&entries).unwrap();
                assert_eq!(state.money.counted(), script::money(total).unwrap());
            }
            Claim::NoSlots => assert_eq!(outside.slots(), Vec::<u16>::new()),
            Claim::AtOnce(number) => {
                let change = |entry: &Entry| match &entry.event {
                    Event::Started(_) => 1,
                    Event::Answered(_) | Event::Failed(_) | Event::Lost(_) => -1,
                    _ => 0_isize,
                };
                let sums = entries.iter().scan(0, |sum, entry| {
                    *sum += change(entry);
                    Some(*sum)
                });
                assert_eq!(sums.max(), isize::try_from(*number).ok(), "{}", shown());
            }
            Claim::Ran(command, number) => {
                let ran = self.checks.ran().iter().filter(|one| *one == command).count();
                assert_eq!(ran, *number, "{:?}", self.checks.ran());
            }
        }
    }
}
