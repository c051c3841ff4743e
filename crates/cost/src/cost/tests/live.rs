//! What a live dispatch is predicted from: agents that mark in their own way, bills, and real prompts.

mod learned;

use super::world::{FULL, ROUND, SIZES, Situation, card, situations, terms};
use crate::cost::{
    Ahead, CERTAIN, DecisionFacts, ExpectedRounds, Marking, Measures, Pace, PlanFacts, Prompts, Reader,
    Terms, Way, decide, options, prompt_chars, weigh,
};
use crate::policy::{self, Priced};
use learned::known;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use redraft_facts::choice::{
    self, Cached, CachedConversation, CachedPrefix, Choice, Lifetime, Marks, Policy, Prediction, Strategy,
};
use redraft_facts::event::{AgentIdentity, Answered, Event, Started, TreeMark};
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::{AgentName, BlobId};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_facts::usage::{Usage, Usd};

const MINUTES: Lifetime = Lifetime::FiveMinutes;

fn expected(terms: &Terms, cached: Cached, seen: u32) -> choice::Choice {
    choice(terms, cached, seen, Policy::Cost)
}

fn choice(terms: &Terms, cached: Cached, seen: u32, policy: Policy) -> Choice {
    let ahead = Ahead::Expected(ExpectedRounds::after_review(seen, &ROUND, Some(4), &Pace::default()));
    let facts = DecisionFacts {
        terms,
        sizes: &SIZES,
        cached,
        round: ROUND,
        allowed: &FULL,
        later: &FULL,
        ahead: &ahead,
    };
    let priced = Priced { card: "a-card", since_s: Some(7), overhead: 1, facts };
    let resumed =
        Some(policy::ResumedFacts { prompt_chars: 1, first_chars: 10, context_chars: 10, fresh_chars: 10 });
    let facts = policy::PolicyFacts { policy, purpose: Purpose::Review, resumed, priced: Some(&priced) };
    policy::choose(&facts, &FULL).unwrap()
}

#[test]
fn a_fixed_rule_is_predicted_with_the_lifetimes_it_asks_for_and_the_others_beside_it() {
    let terms = terms("claude-opus-5.5", Lifetime::Hour);
    let lazy = choice(&terms, Cached::default(), 1, Policy::Fresh);
    let prediction = lazy.prediction.unwrap();
    assert_eq!(lazy.strategy, Strategy::Lazy);
    assert_eq!(
        prediction.marks,
        Marks { system: Some(Lifetime::Hour), stable: None, tail: Some(Lifetime::FiveMinutes) }
    );
    assert_eq!((prediction.card.as_str(), prediction.since_s, prediction.overhead), ("a-card", Some(7), 1));
    let others: Vec<Strategy> = prediction.alternatives.iter().map(|one| one.strategy).collect();
    assert_eq!(others, [Strategy::Inline], "there is no conversation to resume");
    assert!(prediction.alternatives[0].total() < prediction.total(), "{prediction:?}");

    let cost = expected(&terms, Cached::default(), 1);
    let prediction = cost.prediction.unwrap();
    assert_eq!(cost.strategy, Strategy::Inline);
    assert!(prediction.alternatives.iter().all(|one| one.total() >= prediction.total()));
    assert!(cost.why.contains("costs $") && cost.why.ends_with("began 7 s before"), "{}", cost.why);
}

#[test]
fn an_agent_that_keeps_conversations_alone_is_resumed_and_expects_nothing_of_new_ones() {
    let alone = terms("local", MINUTES).marked_by(Marking::Conversation, &[Lifetime::HalfDay]);
    let first = expected(&alone, Cached::default(), 1).prediction.unwrap();
    assert_eq!(first.marks, Marks { tail: Some(Lifetime::HalfDay), ..Marks::default() });
    let later = expected(&alone, first.leaves.after(36_000), 2);
    assert_eq!(later.strategy, Strategy::Resume);
    let inline =
        later.prediction.unwrap().alternatives.into_iter().find(|one| one.strategy == Strategy::Inline);
    assert_eq!(inline.unwrap().usage.read, 0);
}

#[test]
fn an_agent_that_keeps_nothing_is_asked_to_keep_nothing() {
    let nothing = terms("claude-opus-5.5", Lifetime::Hour).marked_by(Marking::Nothing, &[Lifetime::Hour]);
    let prediction = expected(&nothing, Cached::default(), 1).prediction.unwrap();
    assert_eq!(prediction.marks, Marks::default());
    assert_eq!((prediction.usage.written, prediction.usage.read), (0, 0));
    assert_eq!(nothing.usual(Strategy::Lazy, &Cached::default()), Marks::default());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn an_agent_with_one_lifetime_for_all_is_asked_for_one_it_offers(
        situation in situations(1..=3), offered in proptest::sample::subsequence(Lifetime::ALL.to_vec(), 1..=3)
    ) {
        let Situation { model, longest, sizes, rounds } = situation;
        let terms = terms(model, longest).marked_by(Marking::Whole, &offered);
        let mut cached = Cached::default();
        for (at, coming) in rounds.iter().enumerate() {
            let allowed = if at == 0 { &FULL[..2] } else { &FULL };
            let ahead = Ahead::Expected(ExpectedRounds::after_review(at as u32 + 1, &coming.round, None, &Pace::default()));
            let cached_now = cached.after(coming.gap_s);
            let facts = DecisionFacts {
                terms: &terms, sizes: &sizes, cached: cached_now, round: coming.round, allowed, later: &FULL, ahead: &ahead,
            };
            let decision = decide(&facts).unwrap();
            let Marks { system, stable, tail } = decision.way.marks;
            prop_assert!(tail.is_some_and(|tail| offered.contains(&tail)));
            prop_assert!(system == tail && stable.is_none_or(|stable| Some(stable) == tail));
            let again = weigh(&facts, decision.way).unwrap();
            prop_assert_eq!(&again, &decision.alternatives[0]);
            cached = decision.sent.cached;
        }
    }

    #[test]
    fn whatever_is_kept_is_marked_again_because_it_is_read_nowhere_else(situation in situations(2..=2)) {
        let Situation { model, longest, sizes, rounds } = situation;
        let terms = terms(model, longest);
        let setting = PlanFacts { terms: &terms, sizes: &sizes, later: &FULL };
        for (_, first) in options(&setting, &Cached::default(), &rounds[0].round, &FULL) {
            let cached = first.cached.after(rounds[1].gap_s);
            for (Way { strategy, marks }, _) in options(&setting, &cached, &rounds[1].round, &FULL) {
                let lifetime = |entry: Option<CachedPrefix>| entry.map(|entry| entry.lifetime);
                prop_assert!(cached.system.is_none() || marks.system == lifetime(cached.system));
                let inline = strategy == Strategy::Inline;
                prop_assert!(cached.stable.is_none() || !inline || marks.stable == lifetime(cached.stable));
                let talk = cached.conversation.filter(|_| strategy == Strategy::Resume);
                prop_assert!(talk.is_none_or(|talk| talk.tail.is_none() || marks.tail.is_some()));
            }
        }
    }

    #[test]
    fn no_lifetime_is_asked_for_that_is_not_offered(
        situation in situations(1..=2), offered in proptest::sample::subsequence(Lifetime::ALL.to_vec(), 0..=3)
    ) {
        let Situation { model, longest, sizes, rounds } = situation;
        let terms = terms(model, longest).marked_by(Marking::Places(4), &offered);
        let setting = PlanFacts { terms: &terms, sizes: &sizes, later: &FULL };
        for (Way { strategy, marks }, _) in options(&setting, &Cached::default(), &rounds[0].round, &FULL) {
            for marks in [marks, terms.usual(strategy, &Cached::default())] {
                let asked = [marks.system, marks.stable, marks.tail];
                prop_assert!(asked.iter().flatten().all(|lifetime| offered.contains(lifetime)), "{marks:?}");
            }
        }
    }
}

#[test]
fn what_was_billed_beyond_the_prediction_is_part_of_the_transcript() {
    let entry = |tokens| Some(CachedPrefix { tokens, lifetime: MINUTES, left_s: 300 });
    let talk = |tokens, tail| CachedConversation {
        began: Strategy::Inline,
        tokens,
        tail: entry(tail),
        earlier: None,
    };
    let cached =
        |tokens, tail| Cached { system: entry(3_500), stable: None, conversation: Some(talk(tokens, tail)) };
    let predicted = Usage { uncached: 100, written: 5_000, read: 3_500, output: 1_500, cost: Usd(1) };
    let before = cached(10_100, 8_600);
    assert_eq!(before.billed(&predicted, &predicted), before);
    // Calls brought in 3,000 tokens and read everything twice more; the answer was shorter.
    let explored = Usage { uncached: 100, written: 8_000, read: 23_500, output: 1_000, cost: Usd(2) };
    assert_eq!(before.billed(&predicted, &explored), cached(12_600, 11_600));
    // A quarter more or less may be the estimate's error, which a prompt sent again would have as well.
    let denser = Usage { written: 7_150, ..predicted };
    assert_eq!(before.billed(&predicted, &denser), before);
    // Fewer calls than expected read less again, and the transcript is no shorter for it.
    let at_once = Usage { uncached: 0, written: 5_100, read: 0, output: 300, cost: Usd(1) };
    assert_eq!(before.billed(&predicted, &at_once), cached(8_900, 8_600));
    // The cache did not answer: the same tokens, written again.
    let missed = Usage { uncached: 100, written: 8_500, read: 0, output: 1_500, cost: Usd(3) };
    assert_eq!(before.billed(&predicted, &missed), before);
    assert_eq!(before.billed(&predicted, &Usage::default()), before, "a bill of nothing is none");
}

fn ticket(round: u16) -> Ticket {
    format!("031/specify.1/review/spec-reviewer/{round}.1").parse().unwrap()
}

fn started(round: u16, strategy: Strategy, prediction: Prediction) -> Event {
    let choice = Choice { strategy, why: String::new(), prediction: Some(prediction) };
    let started = Started {
        slot: None,
        ticket: ticket(round),
        agent: AgentName::new("a"),
        sees: None,
        since: None,
        choice,
        prompt: BlobId::new(""),
        prompt_chars: 0,
        context_chars: 0,
        session: None,
        tree: TreeMark::default(),
        reserved: Usd(0),
        expires_ms: 0,
        markers: Vec::new(),
        missing: Vec::new(),
        told: Vec::new(),
        pull: false,
        player: AgentIdentity::default(),
        recall: None,
        sandbox: None,
    };
    started.into()
}

fn answered(round: u16, usage: Usage, opened: Option<Vec<String>>) -> Event {
    counted(round, usage, opened, None)
}

fn counted(round: u16, usage: Usage, opened: Option<Vec<String>>, requests: Option<u32>) -> Event {
    let (ticket, answer) = (ticket(round), BlobId::new(""));
    let (undone, denials, notes) = (Vec::new(), Vec::new(), Vec::new());
    let (session, wall_ms, formless, asked_ms) = (None, 0, false, None);
    let told = Answered {
        ticket,
        answer,
        usage,
        session,
        opened,
        undone,
        wall_ms,
        denials,
        notes,
        formless,
        asked_ms,
        requests,
        hand: None,
        payment: Default::default(),
        unknown: Default::default(),
        ran: None,
    };
    told.into()
}

fn prediction(read: u64, hit_rate: u32, markdown: u64) -> Prediction {
    Prediction {
        card: "c".to_owned(),
        hit_rate,
        since_s: None,
        marks: Marks::default(),
        overhead: 0,
        chars: [markdown, 0, 0, 0, 0],
        usage: Usage { read, ..Usage::default() },
        later: Usd(0),
        leaves: Cached::default(),
        alternatives: Vec::new(),
    }
}

/// Any dispatch about this many characters, as it begins and as it is answered.
pub(super) fn started_at(ticket: &str, context_chars: u64) -> Event {
    match started(1, Strategy::Lazy, prediction(0, CERTAIN, 0)) {
        Event::Started(fact) => Started { ticket: ticket.parse().unwrap(), context_chars, ..fact }.into(),
        other => other,
    }
}

pub(super) fn answered_at(ticket: &str, asked_ms: Option<i64>) -> Event {
    match answered(1, Usage::default(), None) {
        Event::Answered(fact) => Answered { ticket: ticket.parse().unwrap(), asked_ms, ..fact }.into(),
        other => other,
    }
}

#[test]
fn sizes_are_those_of_the_prompts_that_were_composed() {
    // Each has as many characters as it says; their marks show what they consist of.
    let fragment = |name: &str, chars: usize| match name {
        "delta" => Fragment::new(name, format!("```diff\n{}\n```", "+".repeat(chars - 12))),
        _ => Fragment::new(name, format!("#{}", "x".repeat(chars - 1))),
    };
    let fresh = Prompt {
        constant: vec![fragment("house-rules", 3_600)],
        feature: vec![fragment("given-prd", 36_000)],
        role: vec![fragment("rubric", 7_200)],
        turn: vec![fragment("artifact", 18_000), fragment("open-findings", 720)],
    };
    let turn = vec![fragment("resume-note", 1_080), fragment("delta", 3_100), fragment("open-findings", 720)];
    let resumed = Prompt { turn, ..Prompt::default() };
    let turn = vec![
        fragment("digest-note", 900),
        fragment("delta", 3_100),
        fragment("touched-sections", 7_200),
        fragment("open-findings", 720),
    ];
    let digest = Prompt { turn, ..Prompt::default() };
    let prompts = Prompts {
        fresh: Some(&fresh),
        digest: Some(&digest),
        resumed: Some(&resumed),
        upstream: 36_000,
        files: 1,
        artifact: 18_000,
        reader: Reader::Domain,
    };
    let known = known(&Measures::default());
    let (sizes, round) = prompts.sizes(&known);
    let within = |tokens: u64, wanted: u64| tokens.abs_diff(wanted) <= 3;
    assert!(within(sizes.system, 1_000 + 1_000) && within(sizes.upstream, 10_000), "{sizes:?}");
    assert!(within(sizes.rubric, 2_000) && within(sizes.findings, 200), "{sizes:?}");
    assert!(within(sizes.guidance, 300) && sizes.exploring.calls == 0, "{sizes:?}");
    assert!(within(round.artifact, 5_000) && within(round.delta, 1_000), "{round:?}");
    assert!(within(round.touched, 2_000), "{round:?}");
    assert_eq!(prompt_chars(&resumed), [1_800 + 11, 0, 0, 3_100 - 11, 0], "the fences are Markdown");

    // An author opens its document itself, in every new conversation.
    let author = Prompts { reader: Reader::Author, digest: None, ..prompts };
    let (sizes, round) = author.sizes(&known);
    assert!(within(round.artifact, 5_750) && sizes.exploring.calls == 2, "{round:?} {sizes:?}");
    // A repair is a turn of its conversation and nothing else.
    let repair = Prompts { fresh: None, digest: None, ..prompts };
    let (sizes, _) = repair.sizes(&known);
    assert!(within(sizes.findings, 500) && sizes.guidance == 0 && sizes.rubric == 0, "{sizes:?}");
}

#[test]
fn terms_of_an_agent_price_a_lifetime_the_card_does_not_list_as_the_next_longer_one() {
    let listed = Terms::from_card(&card("claude-opus-5.5"), Lifetime::HalfDay);
    let odd = listed.clone().marked_by(Marking::Places(4), &[Lifetime::HalfHour, MINUTES, MINUTES]);
    assert_eq!(odd.lifetimes(), [MINUTES, Lifetime::HalfHour]);
    let cost = |terms: &Terms, lifetime| {
        let marks = Marks { system: Some(lifetime), stable: Some(lifetime), tail: None };
        let way = Way { strategy: Strategy::Inline, marks };
        crate::cost::send(terms, &SIZES, &Cached::default(), &ROUND, way).unwrap().bill.amount()
    };
    assert_eq!(cost(&odd, Lifetime::HalfHour), cost(&listed, Lifetime::Hour));
}
