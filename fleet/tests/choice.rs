//! Which worker is chosen, and what follows from how a drive ended.

use redraft_fleet::book::{Book, Offer, Request, Wait};
use redraft_fleet::order::{Needs, Question, Report};
use redraft_fleet::outcome::{Ending, FAILURES_MAX, Next, next, pause_ms};

fn book() -> Book {
    let mut book = Book::default();
    for (name, repositories, agents, sandbox, places) in [
        ("big", vec!["shop", "bank"], vec!["claude"], Some("strict"), 4),
        ("small", vec!["shop"], vec!["claude", "codex"], None, 1),
    ] {
        let offer = Offer {
            repositories: repositories.into_iter().map(str::to_owned).collect(),
            agents: agents.into_iter().map(str::to_owned).collect(),
            sandbox: sandbox.map(str::to_owned),
            places,
            silent: false,
        };
        book.announce(name.to_owned(), offer);
    }
    book
}

fn request(id: &str, repository: &str) -> Request {
    let (id, run) = (id.to_owned(), id.to_owned());
    Request { id, run, repository: repository.to_owned(), ..Request::default() }
}

/// The worker that a request gets, or why it waits.
fn chosen(book: &mut Book, request: Request) -> Result<String, Wait> {
    book.ask(request);
    match book.give().pop() {
        Some(grant) => Ok(grant.worker),
        None => Err(book.waits()[0].1),
    }
}

#[test]
fn a_feature_goes_where_it_can_run_and_most_places_are_free() {
    assert_eq!(chosen(&mut book(), request("1", "shop")), Ok("big".to_owned()));
    assert_eq!(chosen(&mut book(), request("1", "bank")), Ok("big".to_owned()));
    assert_eq!(chosen(&mut book(), request("1", "zoo")), Err(Wait::NoWorker));
    let codex = Needs { agents: ["codex".to_owned()].into(), sandbox: None };
    assert_eq!(chosen(&mut book(), Request { needs: codex, ..request("1", "shop") }), Ok("small".to_owned()));
    let both = Needs { agents: ["codex".to_owned()].into(), sandbox: Some("strict".to_owned()) };
    assert_eq!(chosen(&mut book(), Request { needs: both, ..request("1", "shop") }), Err(Wait::NoWorker));
}

#[test]
fn a_feature_goes_back_to_its_worktree_unless_that_worker_is_silent() {
    let home = || Request { prefers: Some("small".to_owned()), ..request("2", "shop") };
    assert_eq!(chosen(&mut book(), home()), Ok("small".to_owned()));
    // It waits for its worker's place rather than leaving its worktree.
    let mut full = book();
    full.ask(Request { prefers: Some("small".to_owned()), ..request("1", "shop") });
    full.give();
    assert_eq!(chosen(&mut full, home()), Err(Wait::Place));
    // An errand needs no place.
    let errand = Request { errand: true, id: "3".to_owned(), ..home() };
    assert_eq!(chosen(&mut full, errand), Ok("small".to_owned()));
    let mut silent = book();
    silent.workers.get_mut("small").expect("it was announced").silent = true;
    assert_eq!(chosen(&mut silent, home()), Ok("big".to_owned()));
}

#[test]
fn a_request_that_comes_twice_is_granted_once() {
    let mut book = book();
    for _ in 0..3 {
        book.ask(request("1", "shop"));
    }
    assert_eq!(book.give().len(), 1);
    book.ask(request("1", "shop"));
    assert!(book.give().is_empty());
}

#[test]
fn nobody_overtakes_who_waits_for_money() {
    let mut book = Book { budget_micro_usd: Some(10), ..book() };
    book.ask(Request { amount_micro_usd: 8, ..request("1", "shop") });
    assert_eq!(book.give().len(), 1);
    book.ask(Request { amount_micro_usd: 8, ..request("2", "shop") });
    book.ask(Request { amount_micro_usd: 1, ..request("3", "shop") });
    assert!(book.give().is_empty());
    assert_eq!(book.waits().len(), 2);
}

#[test]
fn what_follows_from_each_exit_code() {
    let report = |exit: i32| Report { exit: Some(exit), outcome: "x".to_owned(), ..Report::default() };
    let question = Question { text: "which?".to_owned(), choices: vec!["retry".to_owned()], asked_at: None };
    let asks = |exit: i32| Report { question: Some(question.clone()), ..report(exit) };
    assert_eq!(next(&report(0), 0), Next::End(Ending::Done));
    let abandoned = Report { outcome: "abandoned".to_owned(), ..report(1) };
    assert_eq!(next(&abandoned, 0), Next::End(Ending::Abandoned));
    for code in [1, 2, 70, 99] {
        assert!(matches!(next(&report(code), 0), Next::Rest(rest) if rest.question.is_none()), "{code}");
    }
    for code in [4, 5, 6] {
        assert!(matches!(next(&asks(code), 0), Next::Rest(rest) if rest.question.is_some()), "{code}");
    }
    for code in [3, 7] {
        assert!(matches!(next(&report(code), 0), Next::Later(_)), "{code}");
        assert!(matches!(next(&report(code), FAILURES_MAX - 1), Next::Rest(_)), "{code}");
    }
    let parked = Report { parked_until_ms: Some(7), ..report(5) };
    assert_eq!(next(&parked, 0), Next::Park { until_ms: 7 });
    let poor = Report { needed_micro_usd: Some(9), ..report(5) };
    assert_eq!(next(&poor, 0), Next::More { needed_micro_usd: 9 });
    assert_eq!(next(&Report { leaving: true, ..report(130) }, 0), Next::Again);
    assert!(matches!(next(&report(130), 0), Next::Rest(_)));
    assert_eq!(next(&Report { stopped: true, ..report(130) }, 0), Next::End(Ending::Stopped));
    assert!(matches!(next(&Report { exit: None, ..report(0) }, 0), Next::Later(_)));
}

#[test]
fn pauses_double_up_to_a_bound() {
    assert_eq!([0, 1, 2, 6, 7, 99].map(|failures| pause_ms(10, failures)), [10, 20, 40, 640, 640, 640]);
}
