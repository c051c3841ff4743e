use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use redraft_documents::schedule::ScheduledTask;
use redraft_facts::choice::{Cached, Choice, Marks, Prediction, Strategy as Way};
use redraft_facts::event::{
    AfterFailure, AgentIdentity, Answered, CostCorrected, Event, Failed, PlayerKind, Started, TreeMark,
};
use redraft_facts::ids::{AgentName, BlobId, SessionId};
use redraft_facts::ticket::{Scope, Ticket};
use redraft_facts::usage::{Usage, Usd};

fn task(id: &str, needs: &str, files: &str) -> ScheduledTask {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    ScheduledTask { id: id.to_owned(), needs: words(needs), files: words(files), ..ScheduledTask::default() }
}

const OPEN: TaskProgress = TaskProgress::Open;
const ENDED: TaskProgress = TaskProgress::Ended;

#[test]
fn a_plan_tells_when_each_task_begins_and_what_is_the_longest_chain() {
    let list = [
        task("1", "", "a"),
        task("2", "", "b"),
        task("3", "1", "c"),
        task("4", "", "a b"),
        task("5", "", ""),
        task("6", "", "f"),
    ];
    let schedule = Schedule::new(&list);
    let lasts = [3, 1, 2, 4, 1, 1];
    let outlook = Outlook::new(&schedule, &[OPEN; 6], &lasts);
    let begins = |jobs| -> Vec<u64> { outlook.plan(jobs).iter().flatten().map(|slot| slot.begins).collect() };
    assert_eq!(begins(1), [0, 3, 4, 6, 10, 11]);
    assert_eq!(begins(2), [0, 0, 3, 3, 7, 8]);
    assert_eq!(begins(3), begins(2));
    assert_eq!((length(&outlook.plan(1)), length(&outlook.plan(2))), (12, 9));
    assert_eq!(outlook.critical_path(), (vec![0, 3, 4, 5], 9));
    let waits = |at: usize| -> Vec<usize> { outlook.waits(at).iter().map(|wait| wait.task).collect() };
    assert_eq!([waits(2), waits(3), waits(4), waits(5)], [vec![0], vec![0, 1], vec![2, 3], vec![4]]);
    // What has ended is no longer waited for.
    let outlook = Outlook::new(&schedule, &[ENDED, ENDED, ENDED, ENDED, TaskProgress::Running, OPEN], &lasts);
    assert_eq!(outlook.critical_path(), (vec![4, 5], 2));
    assert!(outlook.waits(4).is_empty() && outlook.plan(2)[3].is_none());
    assert_eq!(length(&Outlook::new(&schedule, &[ENDED; 6], &lasts).plan(4)), 0);
}

#[test]
fn what_a_task_needs_is_told_even_where_it_follows_from_the_rest() {
    let list = [task("1", "", "a"), task("2", "1", "b"), task("3", "1 2", "b")];
    let schedule = Schedule::new(&list);
    let outlook = Outlook::new(&schedule, &[OPEN; 3], &[1; 3]);
    let told: Vec<(usize, bool)> =
        outlook.waits(2).iter().map(|wait| (wait.task, wait.why == Reason::Needs)).collect();
    assert_eq!(told, [(0, true), (1, true)]);
}

const FILES: [&str; 6] = ["src", "src/a", "src/b", "docs", "docs/*", "x"];

fn lists() -> impl Strategy<Value = Vec<(ScheduledTask, u64)>> {
    let one = (vec(0..14usize, 0..3), vec(0..FILES.len(), 0..3), 0..6u64);
    vec(one, 0..12).prop_map(|all| {
        let make = |(at, (needs, files, lasts)): (usize, (Vec<usize>, Vec<usize>, u64))| {
            let words = |all: Vec<String>| all.join(" ");
            let needs = words(needs.iter().map(usize::to_string).collect());
            let files = words(files.iter().map(|file| FILES[*file].to_owned()).collect());
            (task(&at.to_string(), &needs, &files), lasts)
        };
        all.into_iter().enumerate().map(make).collect()
    })
}

proptest! {
    #[test]
    fn every_plan_ends_and_keeps_to_the_schedule(list in lists(), jobs in 1..6usize) {
        let (list, lasts): (Vec<ScheduledTask>, Vec<u64>) = list.into_iter().unzip();
        let schedule = Schedule::new(&list);
        let outlook = Outlook::new(&schedule, &vec![OPEN; list.len()], &lasts);
        let plan: Vec<PlannedSlot> = outlook.plan(jobs).into_iter().flatten().collect();
        prop_assert_eq!(plan.len(), list.len());
        for (task, slot) in plan.iter().enumerate() {
            prop_assert_eq!(slot.ends - slot.begins, lasts[task]);
            prop_assert!((1..=jobs).contains(&slot.job));
            for before in schedule.before(task) {
                prop_assert!(plan[before].ends <= slot.begins, "{} before {}", before, task);
            }
            for (other, its) in plan.iter().enumerate().filter(|(other, its)| *other != task && its.job == slot.job) {
                prop_assert!(its.ends <= slot.begins || slot.ends <= its.begins, "{} and {}", task, other);
            }
        }
        let (path, longest) = outlook.critical_path();
        prop_assert_eq!(path.iter().map(|task| lasts[*task]).sum::<u64>(), longest);
        prop_assert!(length(&outlook.plan(jobs)) >= longest);
        prop_assert_eq!(length(&outlook.plan(list.len())), longest);
        prop_assert_eq!(length(&outlook.plan(1)), lasts.iter().sum::<u64>());
        // What is told of the waits is enough: all else follows from it.
        let mut behind: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
        for task in schedule.order().iter().copied() {
            for wait in outlook.waits(task) {
                let mut more = behind[wait.task].clone();
                more.push(wait.task);
                behind[task].extend(more);
            }
            for before in schedule.before(task) {
                prop_assert!(behind[task].contains(&before), "{} before {}", before, task);
            }
        }
    }
}

struct History(PastTasks);

impl History {
    fn start(&mut self, ticket: &str, kind: PlayerKind) {
        self.choose(ticket, kind, Choice::new(Way::Lazy, "w"));
    }

    fn choose(&mut self, ticket: &str, kind: PlayerKind, choice: Choice) {
        self.0.take(&Event::from(Started {
            slot: None,
            ticket: ticket.parse().unwrap(),
            agent: AgentName::new("model"),
            sees: None,
            since: None,
            choice,
            prompt: BlobId::new("p"),
            prompt_chars: 1,
            context_chars: 1,
            session: Some(SessionId::new("s")),
            tree: TreeMark::default(),
            reserved: Usd(900),
            expires_ms: 0,
            markers: Vec::new(),
            missing: Vec::new(),
            told: Vec::new(),
            pull: false,
            player: AgentIdentity::new(kind, "p", "1", "m"),
            recall: None,
            sandbox: None,
        }));
    }

    /// A dispatch that is answered after some time.
    fn answered(&mut self, ticket: &str, wall_ms: u64, cost: u64) {
        self.start(ticket, PlayerKind::Claude);
        let usage = Usage { uncached: 10, cost: Usd(cost), ..Usage::default() };
        self.answer(ticket, wall_ms, usage);
    }

    fn answer(&mut self, ticket: &str, wall_ms: u64, usage: Usage) {
        self.0.take(&Event::from(Answered {
            ticket: ticket.parse().unwrap(),
            answer: BlobId::new("a"),
            usage,
            session: None,
            opened: None,
            undone: Vec::new(),
            wall_ms,
            denials: Vec::new(),
            notes: Vec::new(),
            formless: false,
            asked_ms: None,
            requests: None,
            hand: None,
            payment: Default::default(),
            unknown: Default::default(),
            ran: None,
        }));
    }
}

#[test]
fn a_task_is_expected_to_take_what_earlier_ones_took_in_the_middle() {
    let mut history = History(PastTasks::default());
    let of = |feature: u32, task: &str, nth: u32| {
        format!("{feature:03}/implement.1/task-{task}/implement/implementer/{nth}.1")
    };
    let told = |history: &History, feature: &str| {
        let scope: Scope = feature.parse().unwrap();
        history
            .0
            .usual(Some(&scope))
            .map(|usual| (usual.wall_ms, usual.timed, usual.cost.map(|cost| cost.0), usual.billed, usual.own))
    };
    assert_eq!(told(&history, "001"), None);
    history.answered("001/implement.1/review/implementation-reviewer/1.1", 1, 1);
    history.start(&of(1, "9", 1), PlayerKind::Rehearsal);
    history.answer(&of(1, "9", 1), 5, Usage::default());
    assert_eq!(told(&history, "001"), None, "neither reviews nor rehearsals count");
    // Two attempts at one task are one task.
    history.answered(&of(1, "1", 1), 100, 10);
    history.answered(&of(1, "1", 2), 50, 5);
    history.answered(&of(1, "2", 1), 300, 40);
    assert_eq!(told(&history, "001"), Some((300, 2, Some(40), 2, false)));
    // What failed without a bill is time that nobody knows, and no cost.
    history.start(&of(1, "3", 1), PlayerKind::Claude);
    let ticket: Ticket = of(1, "3", 1).parse().unwrap();
    let (now, detail) = (AfterFailure::GiveUp, String::new());
    history.0.take(&Failed { ticket, now, detail, usage: None, undone: Vec::new(), forgot: None }.into());
    history.answered(&of(1, "3", 2), 200, 70);
    assert_eq!(told(&history, "001"), Some((200, 3, Some(40), 2, true)));
    let ticket: Ticket = of(1, "2", 1).parse().unwrap();
    history.0.take(
        &CostCorrected { ticket, was: Usd(40), cost: Usd(2), why: String::new(), by: String::new() }.into(),
    );
    assert_eq!(told(&history, "001"), Some((200, 3, Some(15), 2, true)));
    // Another feature has its own from three tasks on.
    history.answered(&of(2, "1", 1), 900, 90);
    assert_eq!(told(&history, "002"), Some((300, 4, Some(15), 3, false)));
}

#[test]
fn what_a_cache_saves_is_known_where_the_prices_are_and_counts_for_each_task_beside_another() {
    let mut history = History(PastTasks::default());
    let usual = |history: &History| history.0.usual(None).and_then(|usual| usual.cached);
    for (nth, (card, read)) in
        [("claude-sonnet-4.5", 100_000), ("claude-sonnet-4.5", 100_000), ("nobody knows it", 7)]
            .into_iter()
            .enumerate()
    {
        let ticket = format!("001/implement.1/task-{nth}/implement/implementer/1.1");
        let prediction = Prediction {
            card: card.to_owned(),
            hit_rate: 10_000,
            since_s: None,
            marks: Marks::default(),
            overhead: 0,
            chars: Default::default(),
            usage: Usage { read, ..Usage::default() },
            later: Usd(0),
            leaves: Cached::default(),
            alternatives: Vec::new(),
        };
        let choice = Choice { prediction: Some(prediction), ..Choice::new(Way::Lazy, "w") };
        history.choose(&ticket, PlayerKind::Claude, choice);
        history.answer(&ticket, 1, Usage::default());
        // Written for $3.75 a million and read for $0.30.
        assert_eq!(usual(&history), Some(Usd(345_000)));
    }
    let list = [task("1", "", "a"), task("2", "", "b"), task("3", "", "c"), task("4", "1", "d")];
    let schedule = Schedule::new(&list);
    let outlook = Outlook::new(&schedule, &[OPEN; 4], &[1; 4]);
    assert_eq!([1, 2, 3, 9].map(|jobs| beside(&outlook.plan(jobs))), [0, 2, 2, 2]);
}
