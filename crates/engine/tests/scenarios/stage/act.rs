//! What people do, and what goes wrong, between two processes.

use super::Stage;
use crate::script::Act;
use crate::world::{FEATURE, Ports, nowhere, with};
use redraft_engine::ports::Outcome;
use redraft_engine::{EngineError, Stop, Submission};
use redraft_facts::event::{Event, FeatureCreated, PhaseSkipped, WentBack};
use redraft_facts::ticket::Scope;
use redraft_prompts::prompt;

impl<'w> Stage<'w> {
    pub(super) fn act(&mut self, act: &Act) {
        let outside = self.world.outside();
        match act {
            Act::PutBeside(slot, path, text) => {
                let there =
                    |ports: &Ports<'_>| ports.slots.as_it_is(*slot, &self.world.base()).unwrap().folder();
                outside.put_in(&with(self.world, there), path, text);
            }
            Act::Jobs(jobs) => self.rules.jobs = *jobs,
            Act::Put(path, text) => outside.put(path, text),
            Act::Change { file, from, to } => {
                let text = outside.look(file).unwrap_or_else(|| panic!("there is no {file}"));
                assert!(text.contains(from), "{file} does not say {from}");
                outside.put(file, &text.replace(from, to));
            }
            Act::Take(path) => outside.take(path),
            Act::Commit(message) => outside.commit(message),
            Act::CommitRepository(folder) => outside.commit_repository(folder, nowhere().as_str()),
            Act::MergeMain(with_its_files) => outside.merge_main(*with_its_files),
            Act::ResetToMain => outside.reset_to_main(),
            Act::Detach => outside.detach(),
            Act::CommitBase(path, text) => outside.commit_base(path, text),
            Act::ForgeMerge(path, text) => {
                let closed = self.entries().into_iter().rev().find_map(|entry| match entry.event {
                    Event::PhaseClosed(_) => Some(entry.seq),
                    _ => None,
                });
                let seq = closed.expect("the feature has come to its end");
                let words = format!("Merge it\n\nRedraft-Ticket: 001/merge\nRedraft-Seq: {seq}");
                outside.commit_base_as(path, text, &words);
            }
            Act::PutBase(path, text) => outside.put_base(path, text),
            Act::SwitchBase(branch) => outside.switch_base_to_new(branch),
            Act::Decide(choice, answers) => {
                let found = self.runs(&mut |run| run.decide(*choice, "because", answers.clone()));
                // A person whose decision was stored before the crash finds nothing asked.
                let known = matches!(found, Err(EngineError::NothingAsked)) && !self.died.is_empty();
                assert!(found.is_ok() || known, "{found:?}");
            }
            Act::SetLane(lane, until) => {
                let found = self.runs(&mut |run| {
                    // Asked again after a crash, the command finds that it is so.
                    let is_so = |created: &FeatureCreated| (created.lane, created.until) == (*lane, *until);
                    match run.state().created.as_ref().is_some_and(is_so) {
                        true => Ok(()),
                        false => run.set_lane(*lane, *until, "because"),
                    }
                });
                found.unwrap();
            }
            Act::Skip(phase) => {
                let (phase, by, why) = (*phase, self.rules.person.clone(), "because".to_owned());
                self.store(PhaseSkipped { phase, by, why }.into());
            }
            Act::GoBack(phase) => {
                let (phase, by, why) = (*phase, self.rules.person.clone(), "because".to_owned());
                self.store(WentBack { phase, by, why }.into());
            }
            Act::Comment(comment) => {
                self.agents.comments().put(&Scope::Feature(FEATURE), comment.clone()).unwrap();
            }
            Act::KeepBudget(limit) => {
                self.rules.budget = *limit;
                self.runs(&mut |run| run.keep_budget()).unwrap();
            }
            Act::DropCheck(name) => self.rules.checks.retain(|check| check.name != *name),
            Act::Checks(command, rule) => self.checks.set(command, rule.clone()),
            Act::Pass(ms) => self.clock.pass_ms(*ms),
            Act::ForgetIdentity => outside.forget_identity(),
            Act::Collect => outside.collect(),
            Act::LoseRevision => {
                let last = self.entries().into_iter().rev().find_map(|entry| match entry.event {
                    Event::Drafted(fact) => fact.revision,
                    Event::Edited(fact) => Some(fact.revision),
                    _ => None,
                });
                outside.lose(&last.expect("there is a revision"));
            }
            Act::LedgerFails(after, fault) => self.fake().store.fail_after(*after, *fault),
            Act::LedgerFailsOnce(after, fault) => self.fake().store.fail_once_after(*after, *fault),
            Act::GitFails { operation, calls, trouble } => {
                self.fake().repository.fail_after(operation, *calls, *trouble);
            }
            Act::InboxFails(why) => self.fake().inbox.refuse(Some(why)),
            Act::Mend => {
                self.fake().store.mend();
                self.fake().repository.mend();
                self.fake().inbox.refuse(None);
            }
            Act::LeaveBehind(text) => {
                let outcome = text.clone().map(|text| Outcome { text, ..Outcome::default() });
                self.agents.first().leave_behind(self.out(), outcome);
            }
            Act::GoOn => self.rules.until = None,
            Act::HandOut(kept) => {
                let found = self.runs(&mut |run| {
                    run.serve();
                    run.hear_kept(kept.as_deref(), &[])?;
                    let Stop::Host(owed) = run.drive()? else { panic!("no host is waited for") };
                    for order in &owed.hosts {
                        run.hand_out(order)?.unwrap();
                    }
                    Ok(())
                });
                found.unwrap();
            }
            Act::Submit { text, by, refused, tells } => {
                let ticket = self.out();
                let told = tells.then(|| prompt::tell(text, &self.code_of(&ticket)));
                let text = told.as_ref().unwrap_or(text);
                let found =
                    self.runs(&mut |run| run.submit(&Submission { ticket: &ticket, text, conversation: by }));
                let found = found.unwrap().err().map(|(refusal, _)| refusal.name());
                let known = found == Some("repeated") && !self.died.is_empty();
                assert!(found == refused.as_deref() || known, "{found:?}");
            }
        }
    }
}
