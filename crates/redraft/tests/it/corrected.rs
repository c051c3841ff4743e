//! `redraft cost correct`: a person corrects a cost that a service reported wrongly, or that was unknown.

use crate::models::{ANTHROPIC, model, run, with_model};
use crate::world::{bodies, events};
use redraft_testkit::Scratch;
use redraft_testkit::provider::{Charge, Provider, RecordedRequest, all_text};
use serde_json::{Value, json};

const REVIEW: &str = "specify.1/review/spec-reviewer/1.1";
/// More tokens than any model has ever written, and not so many that it would not be believed.
const ABSURD: u64 = (1 << 40) - 1;

/// The first review is billed more tokens than there are.
fn absurd() -> (Scratch, Provider) {
    let mut reviews = 0;
    let script = move |request: &RecordedRequest, index: usize| {
        let reply = model(request, index);
        let is_review = all_text(request).contains("# Review the Specification");
        reviews += u32::from(is_review);
        match (is_review, reviews) {
            (true, 1) => reply.billed(Charge { uncached: ABSURD, ..Charge::default() }, ABSURD),
            _ => reply,
        }
    };
    with_model(ANTHROPIC, script)
}

fn counted(scratch: &Scratch) -> u64 {
    scratch.json(["cost", "001"])["sum"]["counted_micro_usd"].as_u64().unwrap()
}

fn correct(scratch: &Scratch, ticket: &str, usd: &str, why: &str) -> redraft_testkit::Ran {
    scratch.run(["cost", "correct", "001", ticket, "--usd", usd, "--why", why])
}

#[test]
fn a_feature_that_is_over_budget_by_an_absurd_bill_goes_on_once_a_person_has_put_it_right() {
    let (scratch, provider) = absurd();
    run(&scratch, &["run", "001", "--yes"]).expect(5);
    assert!(counted(&scratch) > 1_000_000_000_000, "far beyond every budget");
    let sent = provider.requests().len();
    assert_eq!(run(&scratch, &["run", "001", "--yes", "--budget", "1000000"]).code, Some(5), "for ever");
    assert_eq!(provider.requests().len(), sent);

    let said = correct(&scratch, REVIEW, "0.12", "the vendor's bill says so").expect(0);
    let ticket = format!("001/{REVIEW}");
    assert!(said.stdout.starts_with(&format!("{ticket}: corrected from $")), "{}", said.stdout);
    assert!(said.stdout.contains(" to $0.1200; the budget now counts $0."), "{}", said.stdout);
    assert!(said.stdout.ends_with("next: redraft cost 001\n"), "{}", said.stdout);

    let cost = scratch.json(["cost", "001"]);
    let dispatches = cost["phases"][0]["roles"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|role| role["dispatches"].as_array().unwrap().clone());
    let one = dispatches.clone().find(|one| one["ticket"] == ticket.as_str()).unwrap();
    assert_eq!((&one["bill"], &one["billed_micro_usd"]), (&json!("corrected"), &json!(120_000)), "{one:#}");
    let sum: u64 = dispatches.map(|one| one["billed_micro_usd"].as_u64().unwrap()).sum();
    assert_eq!(sum, counted(&scratch), "every sum goes by it");
    assert_eq!(scratch.json(["status"])["features"][0]["counted_micro_usd"], json!(sum));

    run(&scratch, &["run", "001", "--yes", "--budget", "5"]).expect(0);
    let note = format!("corrected the cost of {ticket} from $");
    for text in
        [&scratch.run(["cost", "001"]).expect(0).stdout, &scratch.run(["log", "001"]).expect(0).stdout]
    {
        assert!(text.contains(&note) && text.contains("to $0.1200: the vendor's bill says so"), "{text}");
    }
    let all = scratch.run(["cost", "001", "--all"]).expect(0).stdout;
    assert!(all.contains("$0.1200 corrected"), "{all}");
    // Expectations of later dispatches are not learnt from nonsense.
    for body in bodies(&events(&scratch), "started") {
        let predicted = body["choice"]["prediction"]["usage"]["output"].as_u64().unwrap_or_default();
        assert!(predicted < 100_000, "{}", body["ticket"]);
    }
    scratch.run(["status", "--verify"]).expect(0);
    scratch.run(["status", "--rebuild"]).expect(0);
}

#[test]
fn a_correction_is_stored_with_name_reason_and_both_sums_and_can_go_either_way() {
    let (scratch, _provider) = with_model(ANTHROPIC, model);
    run(&scratch, &["run", "001", "--yes"]).expect(0);
    let before = counted(&scratch);
    let mut command = scratch.redraft(["cost", "correct", "001"]);
    command.args([&format!("001/{REVIEW}"), "--usd", "2.5", "--why", "  as invoiced ", "--json"]);
    let said = redraft_testkit::Ran::new(command.output().unwrap()).expect(0);
    assert!(
        said.stdout.trim_start().starts_with("{\"v\":1") || said.stdout.contains("\"v\": 1"),
        "{}",
        said.stdout
    );
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    let was = said["was_micro_usd"].as_u64().unwrap();
    assert_eq!(
        (&said["v"], &said["corrected_micro_usd"], &said["why"]),
        (&json!(1), &json!(2_500_000), &json!("as invoiced"))
    );
    assert_eq!(said["counted_micro_usd"], before - was + 2_500_000);
    let all = events(&scratch);
    let [stored] = bodies(&all, "cost-corrected").collect::<Vec<_>>()[..] else { panic!("{all:?}") };
    assert_eq!(
        (&stored["was"], &stored["cost"], &stored["why"]),
        (&json!(was), &json!(2_500_000), &json!("as invoiced"))
    );
    assert!(!stored["by"].as_str().unwrap().is_empty());
    // Down to nothing, by the receipt's own name for it.
    correct(&scratch, REVIEW, "0", "nothing was billed").expect(0);
    assert_eq!(counted(&scratch), before - was);
}

#[test]
fn what_is_not_there_not_over_or_no_sum_is_refused_and_nothing_is_stored() {
    let (scratch, _provider) = absurd();
    run(&scratch, &["run", "001", "--yes"]).expect(5);
    for (ticket, usd, why, words) in [
        ("specify.1/review/spec-reviewer/9.9", "1", "w", "was not sent"),
        ("002/specify.1/review/spec-reviewer/1.1", "1", "w", "is not about 001"),
        ("nonsense", "1", "w", "nonsense"),
        (REVIEW, "-1", "w", "is not a cost"),
        (REVIEW, "much", "w", "is not a cost"),
        (REVIEW, "1e300", "w", "is not a cost"),
        (REVIEW, "1", "  ", "needs a reason"),
    ] {
        let said = scratch.run(["cost", "correct", "001", ticket, &format!("--usd={usd}"), "--why", why]);
        let said = said.expect(2);
        assert!(said.stderr.contains(words), "{ticket} {usd}: {}", said.stderr);
    }
    correct(&scratch, REVIEW, "0.1", "once").expect(0);
    let said = correct(&scratch, REVIEW, "0.1", "twice").expect(2);
    assert!(said.stderr.contains("is already recorded at $0.1000"), "{}", said.stderr);
    // What an agent at work says about its own cost does not count.
    let mut command = scratch.redraft(["cost", "correct", "001", REVIEW, "--usd", "0", "--why", "w"]);
    let said = redraft_testkit::Ran::new(command.env("REDRAFT_TICKET", "001/x").output().unwrap()).expect(2);
    assert!(said.stderr.contains("cannot say what something cost"), "{}", said.stderr);
    assert_eq!(bodies(&events(&scratch), "cost-corrected").count(), 1);
}

/// A dispatch that was killed and that no run has settled yet has no cost.
#[test]
fn a_dispatch_that_is_not_over_cannot_be_corrected() {
    let held = |request: &RecordedRequest, index: usize| model(request, index).held();
    let (scratch, provider) = with_model(ANTHROPIC, held);
    let mut command = scratch.redraft(["run", "001", "--yes"]);
    command.env("TEST_MODEL_KEY", crate::models::KEY);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    provider.wait_for_requests(1);
    let draft = "specify.1/draft/spec-author/1.1";
    let said = correct(&scratch, draft, "0", "w").expect(7);
    assert!(said.stderr.contains("redraft run"), "{}", said.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
    let said = correct(&scratch, draft, "0", "w").expect(2);
    assert!(said.stderr.contains("is not over, so it has no cost yet"), "{}", said.stderr);
}
