//! Tests policy `cost` in whole loops: what is sent, what is to be cached, and what that costs, with the engine in this
//! process, so that hours can pass between two rounds, and a provider that keeps the vendor's cache rules.

use crate::documents::CLEAN;
use crate::world::{PROGRAM, own_ledger};
use redraft_adapters::git::{Git, GitWorkspace, Repository};
use redraft_adapters::inbox::FileInbox;
use redraft_agents::api::{AnthropicSettings, ApiAgent, Bounds, Key};
use redraft_core::pipeline::Pipeline;
use redraft_cost::price::Cards;
use redraft_engine::boundary::Boundaries;
use redraft_engine::ports::{Agent, Agents, Clock, Deadlines, NoChecks, NoMerging, Store};
use redraft_engine::{Finish, Progress, Rules, Run, RunPorts, Stop};
use redraft_facts::choice::{Knowledge, Lifetime, Policy, Prediction, Strategy};
use redraft_facts::event::{Answered, Certify, Entry, Event, Limits, Started};
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{AgentName, BlobId, FeatureId, Role};
use redraft_facts::redact::Redactor;
use redraft_facts::usage::Usd;
use redraft_testkit::provider::{Provider, RecordedRequest, Reply, all_text, last_user_text};
use redraft_testkit::{Scratch, remembering};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const MODEL: &str = "claude-sonnet-4.5";
const SPEC: &str = "docs/features/001-a-feature/spec.md";
/// The name of the spec before each review.
const NAMES: [&str; 3] = ["alpha", "beta", "gamma"];

/// A clock that stands still unless it is moved.
struct TestClock(AtomicI64);

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    fn moment(&self) -> redraft_engine::ports::Moment {
        redraft_engine::ports::Moment::after(std::time::Duration::ZERO)
    }

    fn wait_ms(&self, _ms: u64) -> bool {
        true
    }

    fn stopped(&self) -> bool {
        false
    }
}

/// Lets time pass after each draft, here and at the provider.
struct Pauses<'a> {
    clock: &'a TestClock,
    provider: &'a Provider,
    left: Mutex<Vec<u64>>,
}

impl Progress for Pauses<'_> {
    fn stored(&self, entry: &Entry, _state: &Pipeline) {
        if !matches!(entry.event, Event::Drafted(_)) {
            return;
        }
        let mut left = self.left.lock().unwrap();
        let seconds = if left.is_empty() { 0 } else { left.remove(0) };
        self.clock.0.fetch_add(i64::try_from(seconds).unwrap() * 1000, Ordering::SeqCst);
        self.provider.advance(Duration::from_secs(seconds));
    }
}

struct One(Arc<ApiAgent>);

impl Agents for One {
    fn agent_for(&self, _role: &Role) -> Result<Arc<dyn Agent>, String> {
        Ok(Arc::clone(&self.0) as Arc<dyn Agent>)
    }

    fn named(&self, _name: &AgentName) -> Result<Arc<dyn Agent>, String> {
        Ok(Arc::clone(&self.0) as Arc<dyn Agent>)
    }
}

/// The domain reviewer objects to the first two names of the spec, the author gives it the next one each time, and the
/// phase reviewer has nothing to say.
fn model() -> impl FnMut(&RecordedRequest, usize) -> Reply + Send {
    let (reviews, revisions) = (AtomicUsize::new(0), AtomicUsize::new(0));
    move |request: &RecordedRequest, _index: usize| {
        let (all, last) = (all_text(request), last_user_text(request));
        let open: Vec<&str> =
            ["S1", "S2"].into_iter().filter(|id| last.contains(&format!("[{id}]"))).collect();
        let answers: Vec<Value> = open
            .iter()
            .map(|id| json!({"id": id, "status": "fixed", "note": "the name is another"}))
            .collect();
        let (mut issues, mut summary) = (Vec::new(), "another name".to_owned());
        if all.contains("# Write the Specification") {
            let newest = request.json["messages"].as_array().unwrap().last().unwrap();
            if newest["content"][0]["type"] != "tool_result" {
                let at = revisions.fetch_add(1, Ordering::SeqCst);
                let name = |at: usize| format!("Its name is {}.", NAMES[at]);
                let edit = json!({"path": SPEC, "old_text": name(at), "new_text": name(at + 1)});
                return Reply::tool("Edit", edit);
            }
        } else if all.contains("# Review the Specification") {
            let at = reviews.fetch_add(1, Ordering::SeqCst);
            // As long as answers of reviewers are.
            summary = "The whole document was read. ".repeat(130);
            if at < 2 {
                issues.push(json!({"severity": "blocker", "category": "clarity", "claim": "present", "file": SPEC,
                    "line": 0, "section": "", "quote": format!("Its name is {}.", NAMES[at]),
                    "description": format!("{} is no name for a report", NAMES[at]), "suggestion": "", "same_as": ""}));
            }
        }
        Reply::Json(
            json!({"approved": issues.is_empty(), "summary": summary, "answers": answers, "issues": issues,
            "checks": [], "verified": [], "files_read": []}),
        )
    }
}

/// What a loop left behind: its reviews by the domain reviewer, and every request.
struct Played {
    reviews: Vec<(Started, Answered)>,
    requests: Vec<RecordedRequest>,
    state: Pipeline,
    entries: Vec<Entry>,
}

impl Played {
    fn strategies(&self) -> Vec<Strategy> {
        self.reviews.iter().map(|(started, _)| started.choice.strategy).collect()
    }

    fn prediction(&self, review: usize) -> &Prediction {
        self.reviews[review].0.choice.prediction.as_ref().unwrap()
    }

    fn why(&self, review: usize) -> &str {
        &self.reviews[review].0.choice.why
    }

    /// The requests of the domain reviewer.
    fn asked(&self) -> Vec<&RecordedRequest> {
        let ours = |request: &&RecordedRequest| all_text(request).contains("# Review the Specification");
        self.requests.iter().filter(ours).collect()
    }
}

/// A loop of three reviews by one role, with pauses before the second and the third.
fn played(policy: Policy, knowledge: Knowledge, pauses: [u64; 2]) -> Played {
    // Long compared with what is changed in it, so that a conversation becomes worth keeping once that is known.
    played_on(1_500, policy, knowledge, pauses)
}

/// The same on a document with so many lines that never change.
fn played_on(lines: usize, policy: Policy, knowledge: Knowledge, pauses: [u64; 2]) -> Played {
    let scratch = Scratch::repository(PROGRAM);
    let line =
        "- Accountants of every branch ask for the figures of the month, and none of them may be left out.\n";
    let prd = format!("# Report export\n\n## Goals\n\n{}", line.repeat(500));
    std::fs::write(scratch.outside().join("prd.md"), prd).unwrap();
    scratch.run(["new", "--until", "specify", "a feature", "--prd", "../prd.md"]).expect(0);
    let background = "The report has been made by hand for years, and everybody knows why.\n".repeat(lines);
    let requirements = format!("Its name is alpha.\n\n{background}\n## Requirements\n");
    let spec = CLEAN.replace("## Requirements\n", &requirements);
    std::fs::write(scratch.artifacts("001").join("spec.md"), spec).unwrap();

    let provider = Provider::start(remembering(model()));
    let clock = TestClock(AtomicI64::new(1_790_000_000_000));
    let git = Git::default()
        .with_env("GIT_CONFIG_NOSYSTEM", Some("1".into()))
        .with_env("GIT_CONFIG_GLOBAL", Some(scratch.outside().join("home/.gitconfig").into()));
    let repository = Repository::discover_with(git, &scratch.root()).unwrap();
    let workspace =
        GitWorkspace::open(&repository, &scratch.worktree("001"), "feature/001-a-feature").unwrap();
    let ledger = own_ledger(&scratch);
    let (inbox, boundaries, redactor) =
        (FileInbox::new(&scratch.state()), Boundaries::new(0), Redactor::default());
    let agent = ApiAgent::anthropic(AnthropicSettings {
        name: AgentName::new("model"),
        model: MODEL.to_owned(),
        base_url: provider.base_url(),
        key: Key::new("sk-ant-test-0000000000000000"),
        bounds: Bounds::default(),
        state: scratch.state().join("agents/model"),
        card: Cards::builtin().find(MODEL).unwrap().clone(),
        redactor: Redactor::default(),
        proxy: None,
        commands: None,
    });
    let pauses = Pauses { clock: &clock, provider: &provider, left: Mutex::new(pauses.to_vec()) };
    let parts = RunPorts {
        slots: &redraft_engine::ports::NoSlots,
        comments: &redraft_engine::ports::NoComments,
        merging: &NoMerging,
        store: &ledger,
        workspace: &workspace,
        inbox: &inbox,
        clock: &clock,
        boundaries: &boundaries,
        progress: &pauses,
        checks: &NoChecks,
        check_folder: &NoChecks,
        agents: &One(Arc::new(agent.unwrap())),
        redactor: &redactor,
    };
    let deadlines =
        Deadlines { connect_ms: 30_000, first_byte_ms: 30_000, idle_ms: 30_000, total_ms: 60_000 };
    let rules = Rules {
        jobs: 1,
        limits: Limits::default(),
        threshold: Threshold::Strict,
        certify: Certify::Resume,
        policy,
        knowledge,
        config: BlobId::new(""),
        deadlines,
        budget: Usd(50_000_000),
        person: "tester".to_owned(),
        revises: true,
        until: None,
        profiles: Default::default(),
        project: None,
        conventions: Vec::new(),
        lint: Default::default(),
        checks: Vec::new(),
        tells_checks: true,
        extras: Vec::new(),
        asks_first: false,
        asks_after: Vec::new(),
        finish: Finish::default(),
    };
    let mut run = Run::load(parts, rules, FeatureId(1)).unwrap();
    let stop = run.drive().unwrap();
    let state = run.state().clone();
    assert_eq!(stop, Stop::Done, "{:#?}", state.latest().map(|open| &open.findings));
    let entries = ledger.read(redraft_facts::ticket::Scope::Feature(FeatureId(1))).unwrap();
    Played { reviews: reviews(&entries), requests: provider.requests(), state, entries }
}

fn reviews(entries: &[Entry]) -> Vec<(Started, Answered)> {
    let mut reviews = Vec::new();
    for entry in entries {
        let Event::Started(started) = &entry.event else { continue };
        let answer = entries.iter().find_map(|entry| match &entry.event {
            Event::Answered(answered) if answered.ticket == started.ticket => Some(answered.clone()),
            _ => None,
        });
        if started.ticket.to_string().contains("/review/spec-reviewer/") {
            reviews.push((started.clone(), answer.unwrap()));
        }
    }
    reviews
}

/// The lifetimes a request asks for, in order, as the vendor is told them.
fn asked_for(request: &RecordedRequest) -> Vec<Lifetime> {
    let system = request.json["system"].as_array().unwrap().iter();
    let messages = request.json["messages"].as_array().unwrap().iter();
    let blocks = system.chain(messages.flat_map(|message| message["content"].as_array().unwrap()));
    let controls = blocks.map(|block| &block["cache_control"]).filter(|control| !control.is_null());
    controls
        .map(|control| if control["ttl"] == "1h" { Lifetime::Hour } else { Lifetime::FiveMinutes })
        .collect()
}

/// The lifetimes that a prediction's marks become at the vendor: the shared part of an `inline` prompt has two
/// boundaries.
fn marked(started: &Started) -> Vec<Lifetime> {
    let marks = started.choice.prediction.as_ref().unwrap().marks;
    let began_inline = marks.stable.is_some();
    let stable = marks.stable.or(marks.tail);
    let shared = [stable, stable.filter(|_| began_inline)];
    [marks.system.or(stable)].into_iter().chain(shared).chain([marks.tail]).flatten().collect()
}

#[track_caller]
fn within(percent: u64, predicted: u64, billed: u64, what: &str) {
    let off = predicted.abs_diff(billed);
    assert!(off * 100 <= billed * percent, "{what}: {predicted} predicted, {billed} billed");
}

#[test]
fn a_reviewer_that_is_asked_again_soon_goes_on_in_its_conversation_and_what_it_needs_is_kept() {
    let played = played(Policy::Cost, Knowledge::Full, [120, 120]);
    assert_eq!(played.strategies(), [Strategy::Inline, Strategy::Resume, Strategy::Resume]);
    let asked = played.asked();
    assert_eq!(asked.len(), 3, "no reviewer opened a file");
    for ((started, answered), request) in played.reviews.iter().zip(&asked) {
        assert_eq!(asked_for(request), marked(started), "{}", started.ticket);
        let prediction = started.choice.prediction.as_ref().unwrap();
        within(30, prediction.usage.input(), answered.usage.input(), &started.ticket.to_string());
        // A short dispatch is mostly its answer, whose length is unknown beforehand.
        let percent = if started.choice.strategy == Strategy::Resume { 50 } else { 30 };
        within(percent, prediction.usage.cost.0, answered.usage.cost.0, &started.ticket.to_string());
    }
    assert_eq!((played.prediction(0).since_s, played.prediction(1).since_s), (None, Some(120)));
    for (_, answered) in &played.reviews[1..] {
        assert!(answered.usage.read * 100 >= answered.usage.input() * 90, "{:?}", answered.usage);
    }
    let why = &played.reviews[1].0.choice.why;
    assert!(why.starts_with("resume costs $") && why.contains("; inline costs $"), "{why}");
    assert!(why.ends_with("; the last request began 120 s before"), "{why}");
}

#[test]
fn after_a_long_pause_the_conversation_is_begun_anew_because_nothing_of_it_is_kept() {
    let played = played(Policy::Cost, Knowledge::Full, [120, 7_200]);
    assert_eq!(
        played.strategies(),
        [Strategy::Inline, Strategy::Resume, Strategy::Inline],
        "{}",
        played.why(2)
    );
    let (prediction, billed) = (played.prediction(2), &played.reviews[2].1.usage);
    assert_eq!((prediction.since_s, prediction.usage.read, billed.read), (Some(7_200), 0, 0));
    let others: Vec<Strategy> = prediction.alternatives.iter().map(|one| one.strategy).collect();
    assert!(others.contains(&Strategy::Resume), "it was possible and dearer: {others:?}");
    for ((started, _), request) in played.reviews.iter().zip(played.asked()) {
        assert_eq!(asked_for(request), marked(started), "{}", started.ticket);
    }
}

#[test]
fn a_reviewer_that_begins_anew_reads_what_its_earlier_prompts_left_in_the_cache() {
    let played = played_on(0, Policy::Cost, Knowledge::Full, [120, 120]);
    assert_eq!(played.strategies(), [Strategy::Inline; 3], "{}", played.why(1));
    for (started, answered) in &played.reviews[1..] {
        let prediction = started.choice.prediction.as_ref().unwrap();
        assert!(prediction.usage.read * 2 > prediction.usage.input(), "{:?}", prediction.usage);
        within(30, prediction.usage.read, answered.usage.read, &started.ticket.to_string());
    }
    for ((started, _), request) in played.reviews.iter().zip(played.asked()) {
        assert_eq!(asked_for(request), marked(started), "{}", started.ticket);
        assert!(!asked_for(request).is_empty());
    }
}

#[test]
fn where_changes_are_enough_a_long_pause_is_answered_with_a_digest() {
    let played = played(Policy::Cost, Knowledge::Scoped, [7_200, 7_200]);
    assert_eq!(played.strategies()[..2], [Strategy::Inline, Strategy::Digest], "{}", played.why(1));
    assert_ne!(played.strategies()[2], Strategy::Inline, "{}", played.why(2));
    let approvals = &played.state.closed(redraft_facts::phase::Phase::Specify).unwrap().approvals;
    assert_eq!(approvals.len(), 2, "{approvals:?}");
}

#[test]
fn what_was_predicted_is_stored_under_every_policy_and_folded_as_it_was() {
    for policy in [Policy::Guarded, Policy::Fresh, Policy::Inline] {
        let played = played(policy, Knowledge::Full, [120, 120]);
        for (started, answered) in &played.reviews {
            let prediction = started.choice.prediction.as_ref().unwrap();
            assert!(!prediction.alternatives.is_empty(), "{policy:?}: {}", started.ticket);
            assert_eq!(prediction.card, "claude-sonnet-4-6", "the first of the card's names");
            // A reviewer that is told to read the PRD and does not is billed less than was expected.
            if started.choice.strategy == Strategy::Inline {
                within(30, prediction.usage.cost.0, answered.usage.cost.0, policy.name());
            }
        }
        let replayed = Pipeline::replay(&played.entries).unwrap();
        assert_eq!(replayed, played.state, "{policy:?}");
        let open = replayed.latest().unwrap();
        assert!(open.reviewers.iter().all(|seat| seat.left.is_some()), "{policy:?}");
    }
}
