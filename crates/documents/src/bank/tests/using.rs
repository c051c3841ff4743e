use super::*;
use redraft_facts::event::{self, Cancelled, Event, Judged, Judgement, Started};
use redraft_facts::findings::{Finding, FindingChange, Status};
use redraft_facts::ids::{FeatureId, FindingId, Role};
use redraft_facts::verdict::{Claim, Severity, Verdict};

const BANK: &str = "\
### Lock the ledger before writing
Two processes append at once where nobody takes the lock. See `src/ledger.rs`.

### Quote variables
Unquoted shell variables split on blanks.
";

fn finding(id: &str, description: &str) -> Finding {
    Finding {
        by: None,
        id: FindingId::new(id),
        role: Role::new("spec-reviewer"),
        round: 1,
        severity: Severity::Blocker,
        category: "scope".to_owned(),
        claim: Claim::Present,
        file: "src/ledger.rs".to_owned(),
        line: 1,
        section: String::new(),
        quote: String::new(),
        description: description.to_owned(),
        suggestion: String::new(),
        status: Status::Open,
        late: false,
        unverified: None,
        note: String::new(),
    }
}

fn opened() -> Event {
    let body = r#"{"phase":"specify","pass":1,"author":"spec-author","panels":[],"paths":[],"gates":[],
        "limits":{"rounds":5,"attempts":3,"repairs":1,"gates":3,"late_rounds":1,"reopenings":1},"rule":"strict",
        "certify":"resume","policy":"cost","knowledge":"full","config":"00","base":null,"profiles":{},"project":null,"tasks":[],"extras":{},"checks":{},
        "asks_first":false,"bundle":null,"bank":null,"same_hand":false}"#;
    Event::decode("loop-opened", 1, body).expect("a stored form")
}

fn started(told: &[&str]) -> Event {
    let body = r#"{"ticket":"031/specify.1/review/spec-reviewer/1.1","agent":"a","sees":null,"since":null,
        "choice":{"strategy":"lazy","why":"w"},"prompt":"00","prompt_chars":1,"context_chars":1,"session":null,
        "tree":{"head":"","branch":"","index":"","work":""},"reserved":0,"expires_ms":0,"markers":[],
        "missing":[],"told":[],"pull":false,"player":{"kind":"rehearsal","program":"redraft","version":"1.0","model":""}}"#;
    let Ok(Event::Started(started)) = Event::decode("started", 1, body) else { panic!("a stored form") };
    Event::from(Started { told: told.iter().map(|name| (*name).to_owned()).collect(), ..started })
}

fn judged(changes: Vec<FindingChange>) -> Event {
    Event::from(Judged {
        ticket: "031/specify.1/review/spec-reviewer/1.1".parse().expect("a ticket"),
        judgement: Judgement::Rejected,
        verdict: Verdict::default(),
        changes,
        late: false,
        notes: Vec::new(),
        settled: false,
    })
}

fn over() -> Event {
    Event::from(Cancelled { by: "ann".to_owned(), why: String::new() })
}

/// Told, matched, ignored and contradicted of the first entry.
fn counts(bank: &str, events: Vec<Event>) -> (usize, usize, usize, usize) {
    let entry = |(at, event): (usize, Event)| event::Entry { seq: at as u64, at_ms: 0, event };
    let events: Vec<event::Entry> = events.into_iter().enumerate().map(entry).collect();
    let used = uses(&entries(BankFile::Heuristic, bank), &[(FeatureId(31), events)])[0];
    (used.told, used.matched, used.ignored, used.contradicted)
}

#[test]
fn what_came_of_an_entry_is_told_by_the_findings_of_its_loop() {
    let name = "heuristic: Lock the ledger before writing";
    let about = || FindingChange::Raised(finding("S1", "the ledger is written before the lock is taken"));
    let other = || {
        FindingChange::Raised(Finding { file: "a.md".to_owned(), ..finding("S2", "no number for the limit") })
    };
    let gone = || FindingChange::Withdrawn { id: FindingId::new("S1"), note: String::new() };
    let tell = || started(&[name]);
    for (events, expected) in [
        (vec![opened(), started(&[]), judged(vec![about()]), over()], (0, 0, 0, 0)),
        (vec![opened(), tell(), tell(), judged(vec![about()]), over()], (2, 2, 0, 0)),
        (vec![opened(), tell(), judged(vec![other()]), over()], (1, 0, 1, 0)),
        (vec![opened(), tell(), judged(vec![other()])], (1, 0, 0, 0)),
        (vec![opened(), tell(), judged(vec![about()]), judged(vec![gone()]), over()], (1, 0, 0, 1)),
        // A loop knows nothing of the findings of another one.
        (vec![opened(), tell(), opened(), tell(), judged(vec![about()]), over()], (2, 1, 1, 0)),
        (vec![opened(), started(&["pattern: Lock the ledger before writing"]), over()], (0, 0, 0, 0)),
    ] {
        assert_eq!(counts(BANK, events.clone()), expected, "{events:?}");
    }
    let challenged =
        BANK.replace("ledger.rs`.\n", "ledger.rs`.\n- Challenged: Feature #031 — `a.rs` needs none\n");
    assert_eq!(counts(&challenged, vec![opened(), tell(), judged(vec![about()]), over()]), (1, 0, 0, 1));
    let elsewhere = challenged.replace("#031", "#030");
    assert_eq!(counts(&elsewhere, vec![opened(), tell(), judged(vec![about()]), over()]), (1, 1, 0, 0));
}

#[test]
fn a_bank_is_kept_and_read_again_and_an_empty_one_is_not_kept() {
    let files = [(BankFile::Heuristic, BANK.to_owned()), (BankFile::Pattern, "nothing\n".to_owned())];
    let kept = encode(&files).expect("it has entries");
    assert_eq!(decode(&kept), Bank::read(&files));
    assert_eq!(encode(&[(BankFile::Pattern, "nothing\n".to_owned())]), None);
    assert_eq!(decode(b"rubbish"), Bank::default());
}
