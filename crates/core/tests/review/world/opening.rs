//! The loops that are opened in a [`World`], as its rules say.

use super::World;
use redraft_core::pipeline::put_off;
use redraft_facts::event::*;
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{BlobId, Revision, Role, TaskId};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;

impl World {
    pub(super) fn open(&mut self, phase: Phase, pass: u16) {
        let lane = self.state.created.as_ref().map_or(Lane::Standard, |created| created.lane);
        let mut letter = b'B';
        let mut panels = Vec::new();
        let (builds, ends) = (phase == Phase::Implement, phase == Phase::Finish);
        // The shortest lane has no reviewer for documents and one for code.
        let sizes = match lane {
            _ if ends => Vec::new(),
            Lane::Express if builds => vec![1],
            Lane::Express => Vec::new(),
            Lane::Standard | Lane::Deep => self.rules.panels.clone(),
        };
        for size in sizes {
            let mut roles = Vec::new();
            for _ in 0..size {
                letter += 1;
                let role = Role::new(format!("reviewer-{}", letter as char));
                roles.push(PanelRole { role, letter: letter as char });
            }
            panels.push(Panel { roles });
        }
        let done_before = self.rules.ticked;
        let all = self.rules.declared.clone();
        let declared = move |number: usize| all.get(number - 1).cloned().unwrap_or_default();
        let tasks = (1..).map(move |number| PlannedTask {
            id: TaskId::new(format!("1.{number}")),
            title: "t".into(),
            text: BlobId::new("t"),
            ticked: number <= done_before,
            needs: declared(number).needs,
            files: declared(number).files,
        });
        let extras = [(Extra::Simplify, Role::new("simplifier")), (Extra::Deepen, Role::new("deepener"))];
        // A document has at least its linter; a project may have no checks for code.
        let gates = if builds { self.rules.gates } else { self.rules.gates.max(1) };
        let same_hand = self.habits.pull > 0 && self.draw(50);
        let asks_first = builds && self.habits.person && self.draw(30);
        let put_off = put_off::for_loop(&self.state, phase);
        self.happen(LoopOpened {
            phase,
            pass,
            author: Role::new("author"),
            panels,
            paths: vec!["spec.md".into()],
            gates: (0..gates).map(|number| format!("gate-{number}")).collect(),
            limits: self.rules.limits,
            rule: Threshold::Strict,
            certify: match lane {
                _ if ends => Certify::Off,
                Lane::Express => Certify::Off,
                Lane::Standard => self.rules.certify,
                Lane::Deep => Certify::Fresh,
            },
            policy: self.rules.policy,
            knowledge: self.rules.knowledge,
            config: BlobId::new(""),
            base: (builds || ends).then(|| Revision::new("r0")),
            profiles: BTreeMap::new(),
            project: None,
            tasks: tasks.take(if builds { self.rules.tasks } else { 0 }).collect(),
            extras: extras.into_iter().filter(|_| builds && self.rules.extras).collect(),
            checks: BTreeMap::new(),
            asks_first,
            bundle: None,
            bank: None,
            same_hand,
            put_off,
            conventions: None,
            asks_after: self.rules.asks_after,
        });
    }
}
