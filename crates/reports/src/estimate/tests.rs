use super::*;
use redraft_core::pipeline::Pipeline;
use redraft_cost::price::Cards;
use redraft_facts::choice::{Choice, Knowledge, Policy, Strategy};
use redraft_facts::event::{
    AgentIdentity, Answered, Certify, Event, Extra, FeatureCreated, LoopOpened, PhaseClosed, PlannedTask,
    Started, TreeMark,
};
use redraft_facts::ids::{BlobId, FeatureId, Revision, TaskId};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::ticket::{Scope, Ticket};
use redraft_facts::usage::Usage;
use redraft_roles::profile::{self, RoleText};

fn created(lane: Lane, until: Phase) -> FeatureCreated {
    FeatureCreated {
        id: FeatureId(9),
        uuid: redraft_facts::ids::FeatureUuid::new("6a658c6d-be4d-4cd1-a5cc-dd57b152e7c6"),
        slug: "s".to_owned(),
        idea: "i".to_owned(),
        lane,
        base_branch: "main".to_owned(),
        base_commit: "c".to_owned(),
        branch: "b".to_owned(),
        prd: None,
        in_place: false,
        until,
        lane_reason: String::new(),
        project: None,
        depends_on: Vec::new(),
        document: None,
        brainstorm_source: None,
        ask_after: Vec::new(),
        change: None,
    }
}

fn state(lane: Lane, until: Phase) -> Pipeline {
    Pipeline { created: Some(created(lane, until)), ..Pipeline::default() }
}

fn play(extras: &[Extra], retro: bool) -> Play<'_> {
    Play { extras, retro, certify: Certify::Resume, revises: true }
}

/// `role first+later`, in the order they come.
fn told(parts: &[PlannedRole]) -> Vec<String> {
    parts.iter().map(|part| format!("{} {}+{}", part.profile.role, part.first, part.later)).collect()
}

#[test]
fn only_the_roles_that_play_are_counted_and_the_implementer_once_for_each_task() {
    let of =
        |state: &Pipeline, extras: &[Extra], retro, tasks| told(&parts(state, play(extras, retro), tasks));
    let express = state(Lane::Express, Phase::Finish);
    assert_eq!(
        of(&express, &Extra::ALL, true, Tasks::Known(1)),
        ["spec-author 1+0", "implementer 1+2", "implementation-reviewer 1+2", "retro-facilitator 1+0"]
    );
    assert!(!of(&express, &[], false, Tasks::Known(1)).contains(&"retro-facilitator 1+0".to_owned()));
    let mut standard = state(Lane::Standard, Phase::Finish);
    standard.skipped.extend([Phase::Design, Phase::CreatePlan]);
    let all = of(&standard, &Extra::ALL, false, Tasks::Known(11));
    assert_eq!(all[..3], ["spec-author 1+2", "spec-reviewer 1+2", "phase-reviewer 1+1"]);
    assert_eq!(
        all[6..],
        [
            "implementer 11+2",
            "code-simplifier 1+0",
            "test-deepener 2+0",
            "implementation-reviewer 1+2",
            "code-quality-reviewer 1+2",
            "security-reviewer 1+2"
        ]
    );
    let without = of(&standard, &[], false, Tasks::Known(11));
    assert!(
        !without.iter().any(|one| one.starts_with("code-simplifier") || one.starts_with("test-deepener"))
    );
    let deep = of(&state(Lane::Deep, Phase::Specify), &[], false, Tasks::None);
    assert_eq!(deep, ["spec-author 1+2", "spec-reviewer 2+2", "phase-reviewer 1+1"], "fresh eyes sign");
}

#[test]
fn what_is_reviewed_by_itself_is_read_once_unless_its_author_revises_it() {
    let mut alone = state(Lane::Standard, Phase::Document);
    alone.created.as_mut().unwrap().document = Some("docs/x.md".to_owned());
    let reading = Play { revises: false, ..play(&[], false) };
    assert_eq!(told(&parts(&alone, reading, Tasks::None)), ["document-reviewer 1+0"]);
    assert_eq!(
        told(&parts(&alone, play(&[], false), Tasks::None)),
        ["document-author 1+1", "document-reviewer 1+2"]
    );
}

fn player(role: &Role) -> Option<PaidAgent> {
    let card = Cards::builtin().find("claude-sonnet-4.5").unwrap().clone();
    // One role is played by an agent that costs nothing.
    (role.as_str() != "phase-reviewer").then(|| PaidAgent {
        agent: AgentName::new("model"),
        card,
        model: "claude-sonnet-4.5".to_owned(),
        overhead: 0,
    })
}

fn forecast_of(state: &Pipeline, tasks: Tasks, chars: Option<u64>, history: &BillHistory) -> Forecast {
    let parts = parts(state, play(&[], false), tasks);
    let document = |_: &str| chars;
    let coming = state.phases().collect();
    let reading = Reading { document: &document, coming, own: BTreeMap::new() };
    forecast(&parts, tasks, &player, &reading, history, Usd(5_000_000))
}

#[test]
fn an_estimate_follows_the_size_of_the_documents_and_the_number_of_tasks() {
    let whole = state(Lane::Standard, Phase::Finish);
    let cost = |tasks, chars| forecast_of(&whole, tasks, chars, &BillHistory::default());
    let of = |forecast: &Forecast, role: &str| {
        forecast.roles.iter().find(|one| one.role.as_str() == role).cloned().unwrap()
    };
    let (few, many) = (cost(Tasks::Known(2), Some(5_000)), cost(Tasks::Known(12), Some(5_000)));
    assert_eq!((of(&few, "implementer").dispatches, of(&many, "implementer").dispatches), (4, 14));
    assert!(of(&many, "implementer").cost > of(&few, "implementer").cost + of(&few, "implementer").cost);
    assert!(
        of(&many, "security-reviewer").cost > of(&few, "security-reviewer").cost,
        "there is more to read"
    );
    assert_eq!(of(&many, "spec-author"), of(&few, "spec-author"));
    let long = cost(Tasks::Known(2), Some(50_000));
    assert!(of(&long, "spec-reviewer").cost > of(&few, "spec-reviewer").cost);
    assert!(!few.roles.iter().any(|one| one.role.as_str() == "phase-reviewer"), "it costs nothing");
    assert_eq!(few.cost(), few.roles.iter().fold(Usd(0), |sum, one| sum + one.cost));
    // Roles differ, because their texts and what they read do.
    assert_ne!(of(&few, "spec-author").cost, of(&few, "spec-reviewer").cost);
    assert_ne!(of(&few, "design-reviewer").cost, of(&few, "spec-reviewer").cost);
    let absent = cost(Tasks::Assumed(8), None);
    assert!(
        of(&absent, "design-reviewer").cost > Usd(0),
        "what is still to be written is taken to be as long as usual"
    );
}

#[test]
fn a_repositorys_own_text_for_a_role_is_counted() {
    let specify = state(Lane::Standard, Phase::Specify);
    let parts = parts(&specify, play(&[], false), Tasks::None);
    let of = |own: BTreeMap<Role, RoleText>| {
        let reading = Reading { document: &|_| None, coming: Vec::new(), own };
        let all = forecast(&parts, Tasks::None, &player, &reading, &BillHistory::default(), Usd(0));
        all.roles.into_iter().find(|one| one.role.as_str() == "spec-reviewer").unwrap().cost
    };
    let role = Role::new("spec-reviewer");
    let text = format!("---\nname: spec-reviewer\n---\n\n{}", "Look at every word of it. ".repeat(1_000));
    let own = RoleText::parse(&text, &role).unwrap();
    assert!(of([(role, own)].into()) > of(BTreeMap::new()));
}

/// A phase of an earlier feature: how often each role was asked, and what each answer used.
fn earlier(
    history: &mut BillHistory,
    feature: u32,
    phase: Phase,
    tasks: usize,
    roles: &[(&str, u16, Usage)],
) {
    let scope = Scope::Feature(FeatureId(feature));
    let counts = |agent: &AgentName| agent.as_str() == "model";
    let mut take = |event: Event| history.take(&scope, &event, &counts);
    let task = |at: usize| PlannedTask {
        files: Vec::new(),
        needs: Vec::new(),
        id: TaskId::new(at.to_string()),
        title: String::new(),
        text: BlobId::new("t"),
        ticked: false,
    };
    take(opened(phase, (1..=tasks).map(task).collect()).into());
    for (role, times, usage) in roles {
        let agent = if role.ends_with('*') { "rehearsal" } else { "model" };
        for round in 1..=*times {
            let name = role.trim_end_matches('*');
            let ticket: Ticket = format!("{feature:03}/{phase}.1/review/{name}/{round}.1").parse().unwrap();
            take(started(&ticket, agent).into());
            take(answered(&ticket, *usage).into());
        }
    }
    let revision = Revision::new("r");
    let (approvals, deferred, ruled) = (Vec::new(), Vec::new(), Vec::new());
    let overruled = Vec::new();
    take(PhaseClosed { phase, pass: 1, revision, approvals, deferred, ruled, overruled }.into());
}

fn opened(phase: Phase, tasks: Vec<PlannedTask>) -> LoopOpened {
    LoopOpened {
        phase,
        pass: 1,
        author: profile::author(phase),
        panels: Vec::new(),
        paths: Vec::new(),
        gates: Vec::new(),
        limits: redraft_facts::event::Limits::default(),
        rule: redraft_facts::findings::Threshold::Strict,
        certify: Certify::Resume,
        policy: Policy::Cost,
        knowledge: Knowledge::Full,
        config: BlobId::new("c"),
        base: None,
        profiles: BTreeMap::new(),
        project: None,
        tasks,
        extras: BTreeMap::new(),
        checks: BTreeMap::new(),
        asks_first: false,
        bundle: None,
        bank: None,
        same_hand: false,
        put_off: Vec::new(),
        conventions: None,
        asks_after: false,
    }
}

fn started(ticket: &Ticket, agent: &str) -> Started {
    Started {
        slot: None,
        ticket: ticket.clone(),
        agent: AgentName::new(agent),
        sees: None,
        since: None,
        choice: Choice::new(Strategy::Lazy, "w"),
        prompt: BlobId::new("p"),
        prompt_chars: 1,
        context_chars: 1,
        session: None,
        tree: TreeMark::default(),
        reserved: Usd(1),
        expires_ms: 0,
        markers: Vec::new(),
        missing: Vec::new(),
        told: Vec::new(),
        pull: false,
        player: AgentIdentity::default(),
        recall: None,
        sandbox: None,
    }
}

fn answered(ticket: &Ticket, usage: Usage) -> Answered {
    Answered {
        ticket: ticket.clone(),
        answer: BlobId::new("a"),
        usage,
        session: None,
        opened: None,
        undone: Vec::new(),
        wall_ms: 0,
        denials: Vec::new(),
        notes: Vec::new(),
        formless: false,
        asked_ms: None,
        requests: None,
        hand: None,
        payment: Default::default(),
        unknown: Usd(0),
        ran: None,
    }
}

#[test]
fn earlier_features_of_the_repository_say_what_a_role_needs() {
    let used = |thousands: u64| Usage { written: thousands * 1_000, output: 1_000, ..Usage::default() };
    let mut history = BillHistory::default();
    for (feature, times, thousands) in [(1, 2, 10), (2, 9, 99), (3, 4, 20)] {
        let roles = [("spec-reviewer", times, used(thousands)), ("spec-author*", 3, used(500))];
        earlier(&mut history, feature, Phase::Specify, 0, &roles);
    }
    // Another one that reported nothing about its usage, and a phase that is not closed.
    earlier(&mut history, 4, Phase::Specify, 0, &[("spec-reviewer", 90, Usage::default())]);
    let specify = state(Lane::Standard, Phase::Specify);
    let found = forecast_of(&specify, Tasks::None, None, &history);
    let reviewer = found.roles.iter().find(|one| one.role.as_str() == "spec-reviewer").unwrap();
    let card = Cards::builtin().find("claude-sonnet-4.5").unwrap().clone();
    // The medians: 4 dispatches, 20,000 tokens written and 1,000 answered in each.
    let four = Usage { written: 80_000, output: 4_000, ..Usage::default() };
    assert_eq!((reviewer.dispatches, reviewer.features), (4, 3));
    assert_eq!(reviewer.cost, card.cost(&four, 20_000));
    let author = found.roles.iter().find(|one| one.role.as_str() == "spec-author").unwrap();
    assert_eq!((author.dispatches, author.features), (3, 0), "the rehearsal agent says nothing about models");
    assert!(
        basis(&found).starts_with(
            "from 3 earlier features of this repository for spec-reviewer; for the others from the sizes"
        ),
        "{}",
        basis(&found)
    );
}

#[test]
fn what_tasks_needed_is_counted_by_the_task() {
    let used = Usage { written: 30_000, read: 300_000, output: 5_000, ..Usage::default() };
    let mut history = BillHistory::default();
    for (feature, tasks, times) in [(1, 4, 6), (2, 10, 14), (3, 8, 8)] {
        earlier(&mut history, feature, Phase::Implement, tasks, &[("implementer", times, used)]);
    }
    assert_eq!(history.usual_tasks(), Some(8));
    let mut code = state(Lane::Standard, Phase::Implement);
    code.skipped.extend([Phase::Specify, Phase::Design, Phase::CreatePlan, Phase::CreateTasks]);
    let found = forecast_of(&code, Tasks::Known(20), None, &history);
    let implementer = &found.roles[0];
    // 30, 28 and 20 dispatches for 20 tasks; the one in the middle counts.
    assert_eq!(
        (implementer.role.as_str(), implementer.dispatches, implementer.features),
        ("implementer", 28, 3)
    );
}

#[test]
fn an_estimate_says_where_it_comes_from_and_whether_the_budget_is_enough() {
    let role = |role: &str, cost, features| RoleForecast {
        role: Role::new(role),
        agent: AgentName::new("model"),
        dispatches: 5,
        cost: Usd(cost),
        features,
    };
    let roles = vec![role("implementer", 1_000_000, 2), role("security-reviewer", 500_000, 3)];
    let forecast = Forecast { roles, tasks: Some(3), tasks_assumed: false, left: Usd(1_400_000) };
    assert_eq!(
        lines(&forecast),
        [
            "expected from here: about $1.5000 for 10 dispatches, with 3 tasks",
            "  implementer: about $1.0000 for 5 dispatches (model)",
            "  security-reviewer: about $0.5000 for 5 dispatches (model)",
            "  an estimate from 2 earlier features of this repository",
            "the budget has $1.4000 left, which is less: the run will stop before the end",
        ]
    );
    let enough = Forecast { left: Usd(1_500_000), tasks: Some(8), tasks_assumed: true, ..forecast };
    assert_eq!(enough.shortage(), None);
    assert!(enough.in_a_line().ends_with("with 8 tasks (assumed: there is no list yet)"));
    let json = serde_json::to_string(&enough).unwrap();
    assert!(
        json.contains("\"expected_micro_usd\":1000000") && json.contains("\"left_micro_usd\":1500000"),
        "{json}"
    );
    assert_eq!(serde_json::from_str::<Forecast>(&json).unwrap(), enough);
}
