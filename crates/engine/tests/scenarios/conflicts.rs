//! Twenty conflicts between tasks that did not say they write the same file: each goes back to its own implementer, and what
//! becomes part of the feature has both sides.

use crate::lists::{Listed, begun, ended, page, turn};
use crate::real::RealWorld;
use crate::stage::{Disturbance, Played, play};
use crate::tables::played;
use redraft_facts::event::Event;
use redraft_facts::ids::TaskId;
use redraft_facts::ticket::Unit;
use redraft_testkit::fakes::Deed;

const FILE: &str = "src/shared.sh";
const BEFORE: &str = "a\nb\nc\nd\ne\nf\n";

/// What two tasks make of the same file, each by itself; none where it removes it.
struct Planted {
    one: Option<&'static str>,
    other: Option<&'static str>,
    /// What has both.
    both: &'static str,
}

const PLANTED: [Planted; 10] = [
    // The same line, lines side by side, the end, the beginning, the same gap.
    Planted {
        one: Some("a\nb\nONE\nd\ne\nf\n"),
        other: Some("a\nb\nOTHER\nd\ne\nf\n"),
        both: "a\nb\nONE\nOTHER\nd\ne\nf\n",
    },
    Planted {
        one: Some("a\nb\nONE\nd\ne\nf\n"),
        other: Some("a\nb\nc\nOTHER\ne\nf\n"),
        both: "a\nb\nONE\nOTHER\ne\nf\n",
    },
    Planted {
        one: Some("a\nb\nc\nd\ne\nf\nONE\n"),
        other: Some("a\nb\nc\nd\ne\nf\nOTHER\n"),
        both: "a\nb\nc\nd\ne\nf\nONE\nOTHER\n",
    },
    Planted {
        one: Some("ONE\na\nb\nc\nd\ne\nf\n"),
        other: Some("OTHER\na\nb\nc\nd\ne\nf\n"),
        both: "ONE\nOTHER\na\nb\nc\nd\ne\nf\n",
    },
    Planted {
        one: Some("a\nb\nONE\nc\nd\ne\nf\n"),
        other: Some("a\nb\nOTHER\nc\nd\ne\nf\n"),
        both: "a\nb\nONE\nOTHER\nc\nd\ne\nf\n",
    },
    // One removes what the other changes: a line, some lines, the file.
    Planted {
        one: Some("a\nb\nd\ne\nf\nONE\n"),
        other: Some("a\nb\nOTHER\nd\ne\nf\n"),
        both: "a\nb\nOTHER\nd\ne\nf\nONE\n",
    },
    Planted { one: Some("ONE\nf\n"), other: Some("a\nb\nc\nd\nOTHER\nf\n"), both: "ONE\nOTHER\nf\n" },
    Planted {
        one: None,
        other: Some("a\nb\nc\nd\ne\nOTHER\n"),
        both: "a\nb\nc\nd\ne\nOTHER\n# removed by ONE\n",
    },
    // All of it is new, and some changes of several go together.
    Planted { one: Some("ONE\n"), other: Some("OTHER\n"), both: "ONE\nOTHER\n" },
    Planted {
        one: Some("ONE\nb\nc\nd\ne\nONE\n"),
        other: Some("a\nOTHER\nc\nd\ne\nOTHER\n"),
        both: "ONE\nOTHER\nc\nd\ne\nONE\nOTHER\n",
    },
];

/// The tasks of the pair: they come right behind each other, or with another one between them.
const PAIRS: [(usize, usize); 2] = [(2, 3), (2, 4)];

fn own(task: usize) -> String {
    format!("own/{task}.txt")
}

fn steps(planted: &Planted, (one, other): (usize, usize)) -> Vec<crate::script::Step> {
    let task = |at: usize| Listed { needs: if at == 0 { vec![] } else { vec![0] }, files: vec![own(at + 1)] };
    let list: Vec<Listed> = (0..4).map(task).collect();
    let makes = |text: Option<&str>| match text {
        Some(text) => Deed::Put(FILE.to_owned(), text.to_owned()),
        None => Deed::Take(FILE.to_owned()),
    };
    let mut steps = begun(3, &page(&list));
    for task in 1..=4 {
        let mut does = vec![Deed::Put(own(task), format!("by {task}\n"))];
        does.extend(match task {
            1 => Some(makes(Some(BEFORE))),
            _ if task == one => Some(makes(planted.one)),
            _ if task == other => Some(makes(planted.other)),
            _ => None,
        });
        steps.push(turn(task, does));
    }
    // It finds both sides, and its own work.
    let finds = if planted.one.is_some() { "<<<<<<< " } else { "OTHER" };
    let found = [(FILE.to_owned(), finds.to_owned()), (own(other), format!("by {other}\n"))];
    let does = found.into_iter().map(|(path, text)| Deed::Find(path, text));
    steps.push(turn(other, does.chain([makes(Some(planted.both))]).collect()));
    steps.extend(ended());
    steps
}

/// How often a task was begun.
fn attempts(played: &Played, task: usize) -> usize {
    let unit = Unit::Task(TaskId::new(task.to_string()));
    let begun = |event: &Event| matches!(event, Event::Started(fact) if fact.ticket.unit == unit);
    played.entries.iter().filter(|entry| begun(&entry.event)).count()
}

#[test]
fn twenty_planted_conflicts_go_back_to_their_owner_and_land_with_both_sides() {
    for (number, planted) in PLANTED.iter().enumerate() {
        for pair in PAIRS {
            let played = played(&steps(planted, pair));
            let what = format!("{number}, {pair:?}\n{}", played.trail.join("\n"));
            let conflicts: Vec<_> = (played.entries.iter())
                .filter_map(|entry| match &entry.event {
                    Event::Combined(fact) => fact.conflict.clone(),
                    _ => None,
                })
                .collect();
            assert_eq!(conflicts.len(), 1, "{what}");
            assert_eq!(
                (conflicts[0].task.as_str(), &conflicts[0].files[..]),
                (&*pair.1.to_string(), &[FILE.to_owned()][..]),
                "{what}"
            );
            let expected: Vec<usize> = (1..=4).map(|task| if task == pair.1 { 2 } else { 1 }).collect();
            assert_eq!((1..=4).map(|task| attempts(&played, task)).collect::<Vec<_>>(), expected, "{what}");
            let files = played.left.files();
            assert_eq!(files[FILE], planted.both, "{what}");
            for task in 1..=4 {
                assert_eq!(files[&own(task)], format!("by {task}\n"), "{what}");
            }
        }
    }
}

#[test]
fn what_the_fake_calls_a_conflict_git_calls_one() {
    // Lines, lines side by side, and a file that is gone.
    for number in [0, 1, 7] {
        let steps = steps(&PLANTED[number], PAIRS[1]);
        let expected = played(&steps);
        let found = play(&steps, &RealWorld::new(), None, &Disturbance::default());
        assert_eq!(found.trail, expected.trail, "{number}");
        assert_eq!(found.left.on_any_world(), expected.left.on_any_world(), "{number}");
    }
}
