use super::*;
use redraft_core::bills::Bill;
use redraft_facts::choice::{Cached, Knowledge, Marks, Predicted};
use redraft_facts::event::{AfterFailure, AgentIdentity, Answered, Failed, Lost, TreeMark};
use redraft_facts::ids::{BlobId, SessionId};

fn ticket(end: &str) -> Ticket {
    format!("001/specify.1/{end}").parse().unwrap()
}

fn usage(uncached: u64, written: u64, read: u64, output: u64, cost: u64) -> Usage {
    Usage { uncached, written, read, output, cost: Usd(cost) }
}

fn predicted(usage: Usage) -> Prediction {
    Prediction {
        card: "a-card".to_owned(),
        hit_rate: 10_000,
        since_s: None,
        marks: Marks::default(),
        overhead: 0,
        chars: [0; 5],
        usage,
        later: Usd(0),
        leaves: Cached::default(),
        alternatives: vec![Predicted { strategy: Strategy::Inline, usage, later: Usd(0) }],
    }
}

struct Story(Vec<Entry>);

impl Story {
    fn new() -> Story {
        let opened = redraft_facts::event::LoopOpened {
            phase: Phase::Specify,
            pass: 1,
            author: Role::new("spec-author"),
            panels: Vec::new(),
            paths: Vec::new(),
            gates: Vec::new(),
            limits: redraft_facts::event::Limits::default(),
            rule: redraft_facts::findings::Threshold::Strict,
            certify: redraft_facts::event::Certify::Resume,
            policy: Policy::Guarded,
            knowledge: Knowledge::Full,
            config: BlobId::new("c"),
            base: None,
            profiles: BTreeMap::new(),
            project: None,
            tasks: Vec::new(),
            extras: BTreeMap::new(),
            checks: BTreeMap::new(),
            asks_first: false,
            bundle: None,
            bank: None,
            same_hand: false,
            put_off: Vec::new(),
            conventions: None,
            asks_after: false,
        };
        let mut story = Story(Vec::new());
        story.put(opened);
        story
    }

    fn put(&mut self, event: impl Into<Event>) {
        let seq = self.0.len() as u64 + 1;
        self.0.push(Entry { seq, at_ms: seq as i64 * 1_000, event: event.into() });
    }

    fn start(&mut self, end: &str, strategy: Strategy, chars: u64, prediction: Option<Prediction>) {
        self.put(Started {
            slot: None,
            ticket: ticket(end),
            agent: AgentName::new("model"),
            sees: None,
            since: None,
            choice: Choice { prediction, ..Choice::new(strategy, "w") },
            prompt: BlobId::new("p"),
            prompt_chars: chars,
            context_chars: chars,
            session: Some(SessionId::new("s")),
            tree: TreeMark::default(),
            reserved: Usd(900),
            expires_ms: 0,
            markers: Vec::new(),
            missing: Vec::new(),
            told: Vec::new(),
            pull: false,
            player: AgentIdentity::default(),
            recall: None,
            sandbox: None,
        });
    }

    fn answer(&mut self, end: &str, usage: Usage) {
        self.put(Answered {
            ticket: ticket(end),
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
            unknown: Default::default(),
            ran: None,
        });
    }

    fn fail(&mut self, end: &str, usage: Option<Usage>) {
        let (now, detail, undone) = (AfterFailure::GiveUp, String::new(), Vec::new());
        self.put(Failed { ticket: ticket(end), now, detail, usage, undone, forgot: None });
    }
}

#[test]
fn an_interrupted_dispatch_whose_cost_is_known_is_billed() {
    let mut story = Story::new();
    story.start("review/spec-reviewer/1.1", Strategy::Lazy, 90, None);
    story.put(Lost { ticket: ticket("review/spec-reviewer/1.1"), cost: Usd(40), undone: Vec::new() });
    let sum = costs(&story.0).sum;
    assert_eq!((sum.lost, sum.unknown, sum.billed.cost, sum.reserved), (1, 0, Usd(40), Usd(0)));
}

#[test]
fn a_dispatch_that_nobody_works_on_any_more_may_have_cost_what_was_reserved() {
    let mut story = Story::new();
    story.start("draft/spec-author/1.1", Strategy::Lazy, 100, None);
    story.answer("draft/spec-author/1.1", usage(10, 20, 70, 5, 400));
    story.start("review/spec-reviewer/1.1", Strategy::Lazy, 90, None);
    let mut costs = costs(&story.0);
    assert_eq!((costs.sum.unknown, costs.sum.reserved), (0, Usd(0)), "it is under way");
    for _ in 0..2 {
        costs.interrupted();
        let sum = costs.sum;
        assert_eq!((sum.dispatches, sum.unknown, sum.billed.cost), (2, 1, Usd(400)));
        assert_eq!(sum.reserved, costs.dispatch(&ticket("review/spec-reviewer/1.1")).unwrap().reserved);
        assert!(sum.reserved > Usd(0));
    }
}

#[test]
fn sums_hold_what_was_billed_and_keep_what_is_unknown_apart() {
    let mut story = Story::new();
    story.start("draft/spec-author/1.1", Strategy::Lazy, 100, None);
    story.answer("draft/spec-author/1.1", usage(10, 20, 70, 5, 400));
    story.start("review/spec-reviewer/1.1", Strategy::Lazy, 90, Some(predicted(usage(1, 2, 3, 4, 250))));
    story.fail("review/spec-reviewer/1.1", None);
    story.start("review/spec-reviewer/1.2", Strategy::Lazy, 90, Some(predicted(usage(1, 2, 3, 4, 250))));
    story.fail("review/spec-reviewer/1.2", Some(usage(7, 0, 0, 0, 30)));
    story.start("review/spec-reviewer/1.3", Strategy::Lazy, 90, None);
    story.put(Lost { ticket: ticket("review/spec-reviewer/1.3"), cost: Usd(900), undone: Vec::new() });
    story.start("review/spec-reviewer/1.4", Strategy::Lazy, 90, None);
    story.answer("review/spec-reviewer/1.4", Usage::default());
    story.start("review/spec-reviewer/1.5", Strategy::Lazy, 90, None);
    let costs = costs(&story.0);
    let sum = costs.sum;
    assert_eq!((sum.dispatches, sum.failed, sum.lost, sum.unknown), (6, 2, 1, 3));
    assert_eq!(sum.billed, usage(17, 20, 70, 5, 430));
    assert_eq!(sum.reserved, Usd(1_800), "an answer that tells nothing had nothing counted for it");
    assert_eq!((sum.predicted, sum.prediction.cost), (2, Usd(500)));
    let [phase] = costs.phases.as_slice() else { panic!("{:?}", costs.phases) };
    let roles: Vec<(&str, u32, Usd)> = phase
        .roles
        .iter()
        .map(|role| (role.role.as_str(), role.sum.dispatches, role.sum.billed.cost))
        .collect();
    assert_eq!(roles, [("spec-author", 1, Usd(400)), ("spec-reviewer", 5, Usd(30))]);
    assert_eq!(hit_percent(&sum.billed), Some(65));
    assert_eq!(hit_percent(&Usage::default()), None);
    let names: Vec<String> = phase.roles[1].dispatches.iter().map(Dispatch::round).collect();
    assert_eq!(names[0..2], ["review 1.1", "review 1.2"]);
    assert_eq!(phase.roles[1].dispatches[4].bill, Bill::UnderWay);
}

/// The same answer, paid by somebody else or with a part that is on no bill.
fn paid(story: &mut Story, end: &str, payment: Payment, unknown: u64) {
    story.answer(end, usage(10, 0, 0, 5, 300));
    let Some(Entry { event: Event::Answered(fact), .. }) = story.0.last_mut() else { panic!() };
    (fact.payment, fact.unknown) = (payment, Usd(unknown));
}

#[test]
fn what_a_subscription_covers_and_what_nobody_knows_is_never_called_spent() {
    let mut story = Story::new();
    let ends = ["review/spec-reviewer/1.1", "review/spec-reviewer/2.1", "review/spec-reviewer/3.1"];
    let payments = [(Payment::Key, 0), (Payment::Subscription, 0), (Payment::Key, 100)];
    for (end, (payment, unknown)) in ends.iter().zip(payments) {
        story.start(end, Strategy::Lazy, 90, None);
        paid(&mut story, end, payment, unknown);
    }
    story.start("review/phase-reviewer/1.1", Strategy::Lazy, 90, None);
    paid(&mut story, "review/phase-reviewer/1.1", Payment::Login, 0);
    // It fails without saying who pays, so it is paid like the last answer of that agent.
    story.start("review/phase-reviewer/2.1", Strategy::Lazy, 90, None);
    story.fail("review/phase-reviewer/2.1", Some(usage(1, 0, 0, 0, 7)));
    story.start("review/phase-reviewer/2.2", Strategy::Lazy, 90, None);
    story.put(Lost { ticket: ticket("review/phase-reviewer/2.2"), cost: Usd(900), undone: Vec::new() });
    let money =
        Money { spent: Usd(500), covered: Usd(300), login: Usd(307), unknown: Usd(1_000), unknown_bills: 2 };
    let sum = costs(&story.0).sum;
    assert_eq!(sum.money(), money);
    assert_eq!((sum.billed.cost, sum.unknown, sum.reserved), (Usd(1_107), 2, Usd(1_000)));
    let receipt = crate::projections::receipt(&story.0);
    assert_eq!((receipt.spent.cost, receipt.counted_micro_usd), (money.spent, money.counted()));
    assert_eq!((receipt.covered_micro_usd, receipt.login_micro_usd), (money.covered, money.login));
    let text = receipt.text();
    for words in [
        "cost: $0.0005 billed, at most $0.0010 unknown (2 dispatches interrupted, failed or without a bill), ",
        ", $0.0003 covered by your subscription, at list prices, ",
        ", $0.0003 through your login, at list prices, covered if that is a subscription; the budget counts $0.0021\n",
        "$0.0003 covered  answered",
        "$0.0002 + unknown  answered",
        "unknown  lost",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    assert!(!text.contains("$0.0021 billed"), "{text}");
}

#[test]
fn accuracy_compares_answered_predictions_with_their_bills() {
    let mut story = Story::new();
    story.start("review/spec-reviewer/1.1", Strategy::Lazy, 1, Some(predicted(usage(0, 0, 0, 0, 90))));
    story.answer("review/spec-reviewer/1.1", usage(1, 0, 0, 0, 100));
    story.start("review/spec-reviewer/2.1", Strategy::Lazy, 1, Some(predicted(usage(0, 0, 0, 0, 50))));
    story.fail("review/spec-reviewer/2.1", Some(usage(1, 0, 0, 0, 5_000)));
    story.start("review/spec-reviewer/2.2", Strategy::Lazy, 1, None);
    story.answer("review/spec-reviewer/2.2", usage(1, 0, 0, 0, 5_000));
    let mut accuracies = Accuracies::default();
    story.0.iter().for_each(|entry| accuracies.take(&entry.event));
    let found = accuracies.for_agent(&AgentName::new("model")).unwrap();
    assert_eq!(found, Accuracy { dispatches: 1, money: true, predicted: 90, billed: 100 });
    assert_eq!(found.percent(), Some(90));
    assert_eq!(accuracies.for_agent(&AgentName::new("other")), None);
}

#[test]
fn accuracy_counts_tokens_where_what_is_billed_in_money_was_predicted_by_a_card_without_any() {
    let mut story = Story::new();
    story.start("review/spec-reviewer/1.1", Strategy::Lazy, 1, Some(predicted(usage(80, 10, 0, 9, 0))));
    story.answer("review/spec-reviewer/1.1", usage(60, 0, 0, 7, 5_000));
    let mut accuracies = Accuracies::default();
    story.0.iter().for_each(|entry| accuracies.take(&entry.event));
    let found = accuracies.for_agent(&AgentName::new("model")).unwrap();
    assert_eq!((found.money, found.percent()), (false, Some(150)));
}

#[test]
fn accuracy_counts_tokens_where_nothing_costs_money_and_forgets_long_ago() {
    let mut story = Story::new();
    for round in 1..=600 {
        let end = format!("review/spec-reviewer/{round}.1");
        let guess = if round <= 100 { 900 } else { 30 };
        story.start(&end, Strategy::Lazy, 1, Some(predicted(usage(guess, 10, 500, 9, 0))));
        story.answer(&end, usage(15, 5, 600, 7, 0));
    }
    let mut accuracies = Accuracies::default();
    story.0.iter().for_each(|entry| accuracies.take(&entry.event));
    let found = accuracies.for_agent(&AgentName::new("model")).unwrap();
    assert_eq!((found.dispatches, found.money, found.percent()), (500, false, Some(200)));
}

#[test]
fn the_rules_of_the_original_design_are_told_in_characters_and_tokens() {
    let mut story = Story::new();
    let rounds = [
        ("1.1", Strategy::Lazy, 1_000, usage(300, 0, 0, 50, 1)),
        ("2.1", Strategy::Resume, 400, usage(20, 90, 290, 50, 1)),
        ("3.1", Strategy::Resume, 200, usage(10, 50, 540, 50, 1)),
    ];
    for (end, strategy, chars, usage) in rounds {
        let end = format!("review/spec-reviewer/{end}");
        story.start(&end, strategy, chars, None);
        story.answer(&end, usage);
    }
    story.start("repair/spec-reviewer/1.1", Strategy::Resume, 5_000, None);
    story.answer("repair/spec-reviewer/1.1", usage(1, 1, 1, 1, 1));
    story.start("draft/spec-author/1.1", Strategy::Lazy, 10, None);
    story.answer("draft/spec-author/1.1", usage(1, 1, 1, 1, 1));
    let told = rules(costs(&story.0).dispatches());
    let [reviewer, author] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((author.role.as_str(), author.rules.len()), ("spec-author", 0), "nothing was resumed");
    let [chars, tokens, not_cached] = reviewer.rules.as_slice() else { panic!("{reviewer:?}") };
    assert_eq!((chars.resumed, chars.worst), (2, (400, 1_000)));
    assert_eq!((chars.five_resumed, chars.five_fresh), (1_000 + 4 * 300, 5_000));
    assert!(chars.is_shorter() && chars.is_under_half());
    assert_eq!((tokens.longer, tokens.worst), (2, (600, 300)), "the whole conversation is sent again");
    assert!(!tokens.is_shorter() && !tokens.is_under_half());
    assert_eq!((not_cached.worst, not_cached.five_resumed), ((110, 300), 300 + 4 * 85));
    assert!(not_cached.is_shorter() && not_cached.is_under_half());
}

#[test]
fn exactly_half_is_not_under_half_and_equally_long_is_not_shorter() {
    let mut story = Story::new();
    for (end, strategy, chars) in [("1.1", Strategy::Lazy, 800), ("2.1", Strategy::Resume, 300)] {
        let end = format!("review/spec-reviewer/{end}");
        story.start(&end, strategy, chars, None);
        story.answer(&end, usage(100, 0, 0, 0, 0));
    }
    let told = rules(costs(&story.0).dispatches());
    let [chars, tokens, _] = told[0].rules.as_slice() else { panic!("{told:?}") };
    assert_eq!((chars.five_resumed, chars.five_fresh), (2_000, 4_000));
    assert!(!chars.is_under_half());
    assert!(!tokens.is_shorter());
}

#[test]
fn every_policy_can_be_played_again_under_its_own_name() {
    for policy in Policy::ALL {
        let found = played(policy).unwrap();
        let shown = Replayed { played: found, usage: Usage::default() };
        assert_eq!(shown.name(), policy.name());
    }
}
