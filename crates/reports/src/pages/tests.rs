//! Pages stay small, load nothing and show text from outside as text, however large or hostile a feature is.

use super::{BYTES_MAX, Listed, PageDocument, Source, feature, index};
use crate::matrix::{Sources, build};
use crate::standing::Surroundings;
use crate::view::{
    BilledRound, CheckView, CostsOfPhase, CostsOfRole, CostsView, DecisionSort, DecisionView, DispatchView,
    FindingView, Happening, Overview, Spending, TaskView,
};
use redraft_facts::event::{Entry, Event, FeatureCreated};
use redraft_facts::findings::Status;
use redraft_facts::ids::{AgentName, FeatureId, FeatureUuid, Role};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Scope, Ticket, Unit};
use redraft_facts::usage::{Usage, Usd};
use redraft_facts::verdict::Severity;

const HOSTILE: &str =
    "</details><script>alert(1)</script><img src=https://e.example/x onerror=y> \" ' & \u{202e}x";

fn begun(idea: &str) -> Overview {
    let created = FeatureCreated {
        id: FeatureId(31),
        uuid: FeatureUuid::new("6a658c6d-be4d-4cd1-a5cc-dd57b152e7c6"),
        slug: "x".into(),
        idea: idea.into(),
        lane: Lane::Standard,
        base_branch: "main".into(),
        base_commit: "c".into(),
        branch: "feature/031-x".into(),
        prd: None,
        in_place: false,
        until: Phase::Finish,
        lane_reason: String::new(),
        project: None,
        depends_on: vec![],
        document: None,
        brainstorm_source: None,
        ask_after: Vec::new(),
        change: None,
    };
    let entries = [Entry { seq: 1, at_ms: 1_790_000_000_000, event: Event::from(created) }];
    Overview::new(&entries, &Surroundings::default()).unwrap()
}

/// A feature with this many of everything, each with this text.
fn grown(number: usize, text: &str) -> Overview {
    let text = || text.to_owned();
    let check = CheckView {
        phase: Some(Phase::Implement),
        gate: text(),
        command: text(),
        passed: false,
        said: text(),
        wall_ms: 1,
        sandbox: text(),
        at_ms: 1,
    };
    let finding = |at: usize| FindingView {
        is_comment: false,
        phase: Phase::Specify,
        id: format!("S{at}"),
        role: "spec-reviewer".into(),
        by: text(),
        round: 1,
        severity: Severity::Blocker,
        category: text(),
        status: Status::Open,
        description: text(),
        suggestion: text(),
        file: text(),
        line: 1,
        place: text(),
        quote: text(),
        late: true,
        unverified: Some(text()),
        outcome: text(),
        said: vec![("author".into(), text()), ("spec-reviewer".into(), text())],
    };
    let decision = DecisionView {
        at_ms: 1,
        sort: DecisionSort::Answer,
        phase: Some(Phase::Specify),
        by: "ann".into(),
        asked: text(),
        choice: "accept".into(),
        text: text(),
        task: Some("1".into()),
        findings: vec![text()],
    };
    let task = TaskView {
        id: "1".into(),
        title: text(),
        state: "skipped",
        why: text(),
        commits: vec![text()],
        files: vec![text(); 30],
        checks: vec![check.clone(); 3],
    };
    let happened =
        Happening { seq: 1, at_ms: 1, kind: "judged", phase: None, text: text(), is_detail: false };
    Overview {
        findings: (1..=number).map(finding).collect(),
        decisions: vec![decision; number],
        tasks_in_detail: vec![task; number],
        checks: vec![check; number],
        timeline: vec![happened; number],
        lessons: vec![text(); number],
        ..begun(&text())
    }
}

fn page(overview: &Overview, document: &str) -> String {
    let documents = [PageDocument { path: "docs/spec.md".into(), text: document.to_owned() }];
    let trace = build(&Sources { spec: Some(document), ..Sources::default() });
    let render = |text: &str| format!("<p>{}</p>", crate::html::escaped(text));
    feature(&Source { overview, documents: &documents, trace: Some(&trace), render: &render })
}

#[test]
fn a_page_of_any_size_fits_and_says_what_was_left_out() {
    let spec =
        |number: usize| (1..=number).map(|at| format!("- **FR-{at}:** {HOSTILE}\n")).collect::<String>();
    for (number, length) in [(1, 10), (10, 100), (100, 2_000), (1_500, 100), (20, 50_000)] {
        let text = HOSTILE.repeat(length / HOSTILE.len() + 1);
        let page = page(&grown(number, &text), &spec(number.min(100)));
        assert!(page.len() <= BYTES_MAX, "{number} of {length}: {}", page.len());
        assert!(page.contains("<h2>Findings"), "it is all there: {number} of {length}");
        let is_cut = page.contains("This feature is large.");
        assert_eq!(is_cut, number > 10, "{number} of {length}");
    }
    let many: Vec<Listed> =
        (0..1_000).map(|_| Listed { overview: begun(&HOSTILE.repeat(3)), file: None }).collect();
    let page = index("shop", &many);
    assert!(page.len() <= BYTES_MAX && page.contains("older features are left out"), "{}", page.len());
}

#[test]
fn what_comes_from_outside_is_text_and_nothing_is_loaded_or_run() {
    let overview = grown(3, HOSTILE);
    let listed = Listed { overview: overview.clone(), file: Some("031-x.html".into()) };
    for page in [page(&overview, HOSTILE), index(HOSTILE, &[listed])] {
        assert!(page.starts_with("<!doctype html>\n<!-- made by redraft report -->\n"), "{page}");
        for forbidden in ["<script", "<img", "<link", "<iframe", "<form", "@import", "url(", "\u{202e}"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert!(page.contains("&lt;script&gt;alert(1)"), "it is shown");
        assert!(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'"), "and forbidden");
    }
}

#[test]
fn the_page_of_a_review_names_the_review_and_not_the_feature_with_its_number() {
    let mut overview = grown(1_500, HOSTILE);
    overview.row.question = Some("what now?".into());
    "redraft review docs/spec.md".clone_into(&mut overview.row.next);
    assert!(page(&overview, "").contains("redraft report 031 --json"));
    overview.row.document = Some("docs/spec.md".into());
    let page = page(&overview, "");
    assert!(page.contains("redraft report review-031 --json"), "{}", page.len());
    assert!(page.contains("Next: <code>redraft review docs/spec.md</code>"));
}

#[test]
fn what_nobody_works_on_any_more_is_not_called_under_way() {
    let mut overview = begun("cut");
    let ticket = Ticket {
        scope: Scope::Feature(FeatureId(31)),
        phase: Phase::Specify,
        pass: 1,
        unit: Unit::Whole,
        purpose: Purpose::Review,
        role: Role::new("spec-reviewer"),
        round: 1,
        attempt: 1,
    };
    for (is_cut_off, heading) in [(false, "<h2>Under way</h2>"), (true, "<h2>Cut off</h2>")] {
        overview.under_way = vec![DispatchView {
            role: ticket.role.clone(),
            purpose: ticket.purpose,
            ticket: ticket.clone(),
            task: None,
            agent: AgentName::new("claude"),
            model: String::new(),
            by: "claude".into(),
            since_ms: 1,
            is_with_host: false,
            expires_ms: 0,
            is_answered: false,
            is_cut_off,
            doing: if is_cut_off { String::new() } else { "Read spec.md".into() },
        }];
        assert!(page(&overview, "").contains(heading), "{heading}");
        assert_eq!(page(&overview, "").contains("Read spec.md"), !is_cut_off);
    }
}

#[test]
fn what_waits_for_a_person_is_first_in_the_list() {
    use crate::standing::{Standing, Subject};
    let mut waiting = begun("wait");
    let (about, phase) = (Subject::Cap, Phase::Specify);
    waiting.row.standing = Standing::Asked { about, phase, pass: 1, number: 1 };
    waiting.row.slug = "asks".into();
    waiting.row.waits_for_you = true;
    let all = [waiting, begun("other"), begun("more")].map(|overview| Listed { overview, file: None });
    let page = index("shop", &all);
    assert!(page.find("031-asks").unwrap() < page.find("031-x").unwrap());
    assert!(page.contains("3 features; 1 waits for you."), "{page}");
}

#[test]
fn what_is_unknown_is_told_apart_from_what_was_billed_and_nothing_is_predicted_for_nothing() {
    let billed = |cost| Usage { uncached: 900, output: 100, cost: Usd(cost), ..Usage::default() };
    let known = BilledRound {
        purpose: Purpose::Review,
        round: 1,
        attempt: 1,
        task: None,
        agent: AgentName::new("claude"),
        model: String::new(),
        strategy: "fresh",
        at_ms: 1,
        end: "approved",
        billed: Some(billed(250_400)),
        at_most_micro_usd: Usd(0),
        predicted: Some(billed(0)),
    };
    let cut = BilledRound {
        attempt: 2,
        end: "interrupted",
        billed: None,
        at_most_micro_usd: Usd(87_600),
        predicted: Some(billed(30_000)),
        ..known.clone()
    };
    let sum = Spending {
        dispatches: 2,
        spent_micro_usd: Usd(250_400),
        unknown_micro_usd: Usd(87_600),
        unknown_bills: 1,
        tokens: billed(250_400),
        ..Spending::default()
    };
    let all = |sum: Spending, rounds: Vec<BilledRound>| {
        let roles = vec![CostsOfRole { role: Role::new("task-reviewer"), sum, rounds }];
        let phases = vec![CostsOfPhase { phase: Phase::Implement, pass: 1, sum, roles }];
        Overview { costs: CostsView { sum, reserved_micro_usd: Usd(0), phases }, ..begun("x") }
    };
    let page_of = |sum, rounds| page(&all(sum, rounds), "");
    let shown = page_of(sum, vec![known.clone(), cut.clone()]);
    for name in ["task-reviewer", "implement"] {
        let told = format!("aria-label=\"{name}: $0.2504 + at most $0.0876 unknown\"");
        assert!(shown.contains(&told), "{told}: {shown}");
    }
    let cell = "$0.2504<br><span class=\"quiet small\">+ at most $0.0876 unknown</span>";
    assert_eq!(shown.matches(cell).count(), 2, "{shown}");
    assert!(!shown.contains("$0.3380"), "no sum of what is known and what is not: {shown}");
    assert!(!shown.contains("~$0.0000") && shown.contains("~$0.0300"), "{shown}");
    // Billed, and perhaps more than that.
    let more = BilledRound { at_most_micro_usd: Usd(87_600), ..known.clone() };
    let shown = page_of(sum, vec![more]);
    assert!(shown.contains("<td class=\"num\">$0.2504 + at most $0.0876 unknown</td>"), "{shown}");
    // Without money, tokens are not all there is either.
    let unpaid = Spending { unknown_bills: 1, tokens: billed(0), dispatches: 2, ..Spending::default() };
    let shown = page_of(unpaid, vec![]);
    assert!(
        shown.contains("aria-label=\"task-reviewer: 1,000 tokens + 1 dispatch without a bill\""),
        "{shown}"
    );
}
