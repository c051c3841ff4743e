//! An agent that keeps no conversations, played through the engine: none of the built-in kinds is one.

use crate::documents::CLEAN;
use crate::world::{PROGRAM, entries};
use redraft_adapters::clock::SystemClock;
use redraft_adapters::git::{GitWorkspace, Repository};
use redraft_adapters::inbox::FileInbox;
use redraft_adapters::sqlite::{Ledger, Mode};
use redraft_core::event::{Certify, Entry, Event, Limits, Player};
use redraft_core::findings::Threshold;
use redraft_core::ids::{AgentName, FeatureId, Role};
use redraft_core::pipeline::Pipeline;
use redraft_core::policy::{Knowledge, Policy};
use redraft_core::price::{Cards, Lifetime};
use redraft_core::redact::Redactor;
use redraft_core::text;
use redraft_core::ticket::Ticket;
use redraft_core::usage::Usd;
use redraft_engine::boundary::Boundaries;

use redraft_engine::ports::{
    Abilities, Agent, AgentError, Agents, Billing, Cache, Deadlines, Naming, NoChecks, NoMerging, Outcome,
    Request, Resume, UsageReport, Watch,
};
use redraft_engine::{Finish, Parts, Progress, Rules, Run, Stop};
use redraft_testkit::Scratch;
use std::sync::{Arc, Mutex};

const APPROVAL: &str =
    r#"{"approved":true,"summary":"","answers":[],"issues":[],"checks":[],"verified":[],"files_read":[]}"#;

/// Says something unusable first, and names a conversation although it keeps none.
#[derive(Default)]
struct Forgetful {
    asked: Mutex<Vec<(String, bool)>>,
}

impl Agent for Forgetful {
    fn name(&self) -> AgentName {
        AgentName::new("forgetful")
    }

    fn describe(&self) -> String {
        "forgetful 1".to_owned()
    }

    fn player(&self) -> Player {
        Player::default()
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            resume: Resume::No,
            session_id: Naming::Ours,
            cache: Cache::None,
            lifetimes: vec![Lifetime::FiveMinutes],
            opened_files: false,
            structured: false,
            usage: UsageReport::Never,
            pull: false,
        }
    }

    fn missing(&self, _tools: &[String]) -> Vec<String> {
        Vec::new()
    }

    fn billing(&self) -> Billing {
        let card = Cards::builtin().find("local").unwrap().clone();
        Billing { model: "local".to_owned(), card, overhead: 0 }
    }

    fn is_free(&self) -> bool {
        true
    }

    fn reserve(&self, _request: &Request) -> Usd {
        Usd(0)
    }

    fn left_behind(&self, _ticket: &Ticket) -> Option<Outcome> {
        None
    }

    fn run(&self, request: &Request, _watch: &dyn Watch) -> Result<Outcome, AgentError> {
        let mut asked = self.asked.lock().unwrap();
        asked.push((request.ticket.to_string(), request.resume));
        let text = if asked.len() == 1 { "it seems fine to me" } else { APPROVAL };
        Ok(Outcome { text: text.to_owned(), session: Some(request.session.clone()), ..Outcome::default() })
    }
}

struct Alone(Arc<Forgetful>);

impl Agents for Alone {
    fn agent_for(&self, _role: &Role) -> Result<Arc<dyn Agent>, String> {
        Ok(Arc::clone(&self.0) as Arc<dyn Agent>)
    }

    fn named(&self, _name: &AgentName) -> Result<Arc<dyn Agent>, String> {
        Ok(Arc::clone(&self.0) as Arc<dyn Agent>)
    }
}

struct Silent;

impl Progress for Silent {
    fn stored(&self, _entry: &Entry, _state: &Pipeline) {}
}

#[test]
fn an_agent_without_conversations_is_asked_anew_instead_of_being_asked_to_repair() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "Export the monthly report as CSV"]).expect(0);
    let folder = scratch.worktree("001").join("docs/features/001-export-the-monthly-report-as-csv");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("spec.md"), CLEAN).unwrap();
    let repository = Repository::discover(&scratch.root()).unwrap();
    let created = entries(&scratch).into_iter().find_map(|entry| match entry.event {
        Event::FeatureCreated(created) => Some(created),
        _ => None,
    });
    let workspace =
        GitWorkspace::open(&repository, &scratch.worktree("001"), &created.unwrap().branch).unwrap();
    let ledger = Ledger::open(&scratch.state(), Mode::Write).unwrap();
    let agent = Arc::new(Forgetful::default());
    let parts = Parts {
        merging: &NoMerging,
        store: &ledger,
        workspace: &workspace,
        inbox: &FileInbox::new(&scratch.state()),
        clock: &SystemClock::new(Arc::default()),
        boundaries: &Boundaries::new(0),
        progress: &Silent,
        checks: &NoChecks,
        check_folder: &NoChecks,
        agents: &Alone(Arc::clone(&agent)),
        redactor: &Redactor::default(),
    };
    let ms = 60_000;
    let rules = Rules {
        limits: Limits::default(),
        threshold: Threshold::Strict,
        certify: Certify::Resume,
        policy: Policy::Resume,
        knowledge: Knowledge::Full,
        config: text::hash(b""),
        deadlines: Deadlines { connect_ms: ms, first_byte_ms: ms, idle_ms: ms, total_ms: ms },
        budget: Usd(5_000_000),
        person: "tester".to_owned(),
        revises: true,
        until: None,
        profiles: Default::default(),
        project: None,
        lint: Default::default(),
        checks: Vec::new(),
        extras: Vec::new(),
        asks_first: false,
        finish: Finish::default(),
    };
    let stop = Run::load(parts, rules, FeatureId(1)).unwrap().drive().unwrap();
    assert_eq!(stop, Stop::Done);
    let asked = agent.asked.lock().unwrap().clone();
    let asked: Vec<(&str, bool)> = asked.iter().map(|(ticket, resume)| (ticket.as_str(), *resume)).collect();
    assert_eq!(
        asked,
        [
            ("001/specify.1/review/spec-reviewer/1.1", false),
            ("001/specify.1/review/spec-reviewer/1.2", false),
            ("001/specify.1/review/phase-reviewer/1.1", false),
        ]
    );
}
