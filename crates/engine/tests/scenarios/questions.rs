//! Questions outside of any feature keep to their budget, and what they may cost is kept before it is spent.

use redraft_cost::price::{Budget, Cards};
use redraft_engine::ports::{
    Abilities, Agent, AgentError, Billing, Cache, Deadlines, Naming, Outcome, Request, Resume, RunHandle,
    UsageReport,
};
use redraft_engine::questions::{AgentQuestion, QuestionBook, QuestionEnd, Questions};
use redraft_facts::choice::Strategy;
use redraft_facts::event::{AfterFailure, AgentIdentity, PlayerKind};
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::ids::{AgentName, SessionId};
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::Ticket;
use redraft_facts::usage::{Usage, Usd};
use redraft_testkit::fakes::StillClock;
use std::path::PathBuf;
use std::sync::Arc;

/// Needs 10 at first, then asks for 30 in all; fails without a bill if that is refused.
struct Greedy;

impl Agent for Greedy {
    fn name(&self) -> AgentName {
        AgentName::new("greedy")
    }

    fn describe(&self) -> String {
        "greedy".to_owned()
    }

    fn player(&self) -> AgentIdentity {
        AgentIdentity::new(PlayerKind::Rehearsal, "greedy", "1", "")
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            resume: Resume::No,
            session_id: Naming::Ours,
            cache: Cache::None,
            lifetimes: Vec::new(),
            opened_files: false,
            structured: false,
            usage: UsageReport::AtEnd,
            pull: false,
        }
    }

    fn missing(&self, tools: &[String]) -> Vec<String> {
        tools.iter().filter(|tool| *tool == "Bash").cloned().collect()
    }

    fn billing(&self) -> Billing {
        Billing {
            model: "local".to_owned(),
            card: Cards::builtin().find("local").unwrap().clone(),
            overhead: 0,
        }
    }

    fn is_free(&self) -> bool {
        false
    }

    fn highest_cost(&self, _request: &Request) -> Usd {
        Usd(10)
    }

    fn left_behind(&self, _ticket: &Ticket) -> Option<Outcome> {
        None
    }

    fn run(&self, request: &Request, watch: &dyn RunHandle) -> Result<Outcome, AgentError> {
        assert_eq!(request.tools, ["Read"]);
        if !watch.afford(Usd(30)) {
            let now = AfterFailure::OverBudget(Usd(30));
            return Err(AgentError { now, detail: secret(), usage: None, interrupted: false });
        }
        let usage = Usage { cost: Usd(25), ..Usage::default() };
        let text = format!("{} {}", request.prompt.text(), secret());
        Ok(Outcome { text, usage, session: Some(request.session.clone()), ..Outcome::default() })
    }
}

fn secret() -> String {
    ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat()
}

#[derive(Default)]
struct Kept(Vec<String>);

impl QuestionBook for Kept {
    fn start(&mut self, place: usize, reserved: Usd) -> Result<(), String> {
        self.0.push(format!("{place} starts with {}", reserved.0));
        Ok(())
    }

    fn raise(&mut self, place: usize, reserved: Usd) -> Result<(), String> {
        self.0.push(format!("{place} raised to {}", reserved.0));
        Ok(())
    }

    fn end(&mut self, place: usize, end: &QuestionEnd) -> Result<(), String> {
        self.0.push(format!("{place} ends at {}", end.counted.0));
        Ok(())
    }
}

fn question() -> AgentQuestion {
    AgentQuestion {
        ticket: "agent-x/specify.1/review/spec-reviewer/1.1".parse().unwrap(),
        prompt: Prompt {
            turn: vec![Fragment::new("x", format!("the key is {}", secret()))],
            ..Prompt::default()
        },
        strategy: Strategy::Inline,
        tools: vec!["Read".to_owned(), "Bash".to_owned()],
        schema: "{}",
        session: SessionId::new("s"),
        resume: false,
        folder: PathBuf::from("/"),
    }
}

fn asked(limit: u64, count: usize) -> (Vec<String>, Vec<QuestionEnd>, bool, Budget) {
    let clock = StillClock::default();
    let redactor = Redactor::new(Vec::new());
    let deadlines = Deadlines { connect_ms: 1, first_byte_ms: 1, idle_ms: 1, total_ms: 1 };
    let questions = Questions { agent: Arc::new(Greedy), clock: &clock, redactor: &redactor, deadlines };
    let mut budget = Budget { limit: Usd(limit), spent: Usd(0), in_flight: Usd(0) };
    let mut kept = Kept::default();
    let sent = questions.send(vec![question(); count], &mut budget, &mut kept).unwrap();
    (kept.0, sent.ends, sent.over.is_some(), budget)
}

#[test]
fn a_question_is_kept_before_it_is_sent_and_granted_more_only_within_the_budget() {
    let (kept, ends, over, budget) = asked(40, 1);
    assert_eq!(kept, ["0 starts with 10", "0 raised to 30", "0 ends at 25"]);
    assert_eq!((over, budget.spent, budget.in_flight), (false, Usd(25), Usd(0)));
    let outcome = ends[0].result.as_ref().unwrap();
    assert!(
        outcome.text.contains("the key is [redacted:") && !outcome.text.contains(&secret()),
        "{outcome:?}"
    );
    assert_eq!(outcome.session, None, "what cannot be continued is not remembered");
    // Nothing is granted beyond the limit, and what has no bill counts as the most it can have cost.
    let (kept, ends, _, budget) = asked(29, 1);
    assert_eq!(kept, ["0 starts with 10", "0 ends at 10"]);
    assert_eq!((budget.spent, budget.in_flight), (Usd(10), Usd(0)));
    let error = ends[0].result.as_ref().unwrap_err();
    assert!(!error.detail.contains(&secret()), "{error:?}");
}

#[test]
fn what_does_not_fit_the_budget_is_not_sent() {
    let (_, ends, over, budget) = asked(9, 1);
    assert_eq!((ends.len(), over, budget.spent), (0, true, Usd(0)));
    // Two fit, and neither may take what is set aside for the other.
    let (kept, ends, over, budget) = asked(25, 3);
    assert_eq!((ends.len(), over), (2, true), "{kept:?}");
    assert!(kept.iter().all(|line| !line.contains("raised")), "{kept:?}");
    assert!(budget.spent <= Usd(25));
}
