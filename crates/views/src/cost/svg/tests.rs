use super::*;
use redraft_facts::choice::{Cached, Choice, Knowledge, Marks, Policy, Predicted};
use redraft_facts::event::AgentIdentity;
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::phase::Phase;
use redraft_facts::usage::Payment;
use redraft_reports::projections::costs::Sum;

fn usage(uncached: u64, cost: u64) -> Usage {
    Usage { uncached, cost: Usd(cost), ..Usage::default() }
}

fn dispatch(round: usize, strategy: Strategy, bill: Bill, guesses: &[(Strategy, u64)]) -> Dispatch {
    let alternatives: Vec<Predicted> = guesses
        .iter()
        .map(|(strategy, cost)| Predicted { strategy: *strategy, usage: usage(*cost, *cost), later: Usd(0) })
        .collect();
    let prediction = (!guesses.is_empty()).then(|| Prediction {
        card: "card".to_owned(),
        hit_rate: 10_000,
        since_s: None,
        marks: Marks::default(),
        overhead: 0,
        chars: [0; 5],
        usage: usage(20_000, 20_000),
        later: Usd(0),
        leaves: Cached::default(),
        alternatives,
    });
    Dispatch {
        ticket: format!("001/specify.1/review/spec-reviewer/{round}.1").parse().unwrap(),
        agent: AgentName::new("model"),
        player: AgentIdentity::default(),
        at_ms: 0,
        choice: Choice { prediction, ..Choice::new(strategy, "w") },
        prompt_chars: 1,
        reserved: Usd(90_000),
        pull: false,
        beyond: Usd(0),
        payment: Payment::Key,
        corrected: false,
        bill,
        end: "approved",
    }
}

fn of(dispatches: Vec<Dispatch>) -> Costs {
    let mut sum = Sum::default();
    dispatches.iter().for_each(|one| sum.add_dispatch(one));
    let role = Role::new("spec-reviewer");
    let phase = PhaseCosts {
        phase: Phase::Specify,
        pass: 1,
        policy: Policy::Guarded,
        knowledge: Knowledge::Full,
        sum,
        roles: vec![RoleCosts { role, sum, dispatches }],
    };
    let mut costs = Costs::default();
    (costs.slug, costs.sum, costs.phases) = ("a <slug> & \"more\"".to_owned(), sum, vec![phase]);
    costs
}

fn example() -> Costs {
    let others = [(Strategy::Inline, 30_000), (Strategy::Lazy, 50_000)];
    of(vec![
        dispatch(1, Strategy::Lazy, Bill::Known(usage(10_000, 41_200)), &[]),
        dispatch(2, Strategy::Resume, Bill::Known(usage(2_000, 18_000)), &others),
        dispatch(3, Strategy::Resume, Bill::Unknown { counted: Usd(90_000) }, &others),
    ])
}

/// The numbers of an attribute, in the order they stand.
fn numbers(svg: &str, attribute: &str) -> Vec<f64> {
    let opening = format!(" {attribute}=\"");
    svg.split(&opening).skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn bars_are_bills_marks_are_estimates_and_everything_is_told_in_words() {
    let svg = picture("001", &example());
    assert!(svg.starts_with("<svg ") && svg.contains(MADE_BY) && svg.ends_with("</svg>\n"));
    assert!(svg.contains("a &lt;slug&gt; &amp; &quot;more&quot;; dollars per dispatch"), "{svg}");
    assert!(
        svg.contains(
            "review 2.1, resume: billed $0.0180, predicted ~$0.0200, inline ~$0.0300, lazy ~$0.0500"
        ),
        "{svg}"
    );
    assert!(svg.contains("review 3.1, resume: bill unknown, $0.0900 counted"), "{svg}");
    assert_eq!(
        svg.matches("class=\"bar resume\"").count(),
        2,
        "one in the legend; an unknown bill has no bar"
    );
    assert_eq!(svg.matches("class=\"mark inline hollow\"").count(), 2);
    assert_eq!(svg.matches("class=\"mark resume\"").count(), 3, "with the legend");
    assert!(svg.contains("<title id=\"title\">") && svg.contains("<desc id=\"desc\">"));
    for opened in ["<g>", "<text", "<title", "<desc", "<style"] {
        let name = opened.trim_matches(['<', '>']);
        assert_eq!(svg.matches(opened).count(), svg.matches(&format!("</{name}>")).count(), "{name}");
    }
    assert!(!svg.contains("http://") || svg.matches("http://").count() == 1, "nothing is fetched");
}

#[test]
fn everything_stands_inside_the_picture_also_with_many_columns() {
    let known = |cost| Bill::Known(usage(1, cost));
    let many = of((1..=60).map(|at| dispatch(at, Strategy::Lazy, known(at as u64 * 999), &[])).collect());
    for costs in [example(), many, of(Vec::new())] {
        let svg = picture("001", &costs);
        let (width, height) = (numbers(&svg, "width")[0], numbers(&svg, "height")[0]);
        for attribute in ["x", "x1", "x2", "cx"] {
            assert!(numbers(&svg, attribute).iter().all(|x| (0.0..=width).contains(x)), "{attribute}");
        }
        for attribute in ["y", "y1", "y2", "cy"] {
            assert!(numbers(&svg, attribute).iter().all(|y| (0.0..=height).contains(y)), "{attribute}");
        }
    }
    let svg = picture("001", &of((1..=60).map(|at| dispatch(at, Strategy::Lazy, known(5), &[])).collect()));
    assert!(svg.contains("the latest 40 of 60") && !svg.contains(">review 20.1<"), "{svg}");
}

#[test]
fn where_nothing_costs_money_the_scale_counts_tokens() {
    let free = of(vec![dispatch(1, Strategy::Lazy, Bill::Known(usage(4_147, 0)), &[])]);
    let svg = picture("001", &free);
    assert!(svg.contains("nothing cost money: input tokens not read from the cache"), "{svg}");
    assert!(svg.contains(">4,147</text>") && !svg.contains('$'), "{svg}");
    let mut nothing = Costs::default();
    nothing.slug = "x".to_owned();
    assert!(picture("001", &nothing).contains("nothing has been sent yet"));
}
