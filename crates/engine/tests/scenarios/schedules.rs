//! Whatever may run beside what, and whoever is finished first: the files of a feature are the same in the end.

use crate::lists::{Listed, begun, ended, page, turn};
use crate::script::Step;
use crate::stage::Played;
use crate::tables::played;
use redraft_facts::event::Event;
use redraft_facts::ticket::Unit;
use redraft_testkit::fakes::Deed;

const SCHEDULES: u64 = 100;

/// Numbers that look as if they were random, the same in every run.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Most tasks need nothing; some share a file with others, and a few declare none.
fn list(drawn: &mut Drawn) -> Vec<Listed> {
    let tasks = 3 + drawn.below(6);
    let one = |at: usize| {
        let needs = if at > 0 && drawn.below(3) == 0 { vec![drawn.below(at)] } else { vec![] };
        let mut files = vec![format!("own/{at}.txt")];
        if drawn.below(3) == 0 {
            files.push(format!("shared/{}.txt", drawn.below(2)));
        }
        let files = if drawn.below(9) == 0 { vec![] } else { files };
        Listed { needs, files }
    };
    (0..tasks).map(one).collect()
}

/// What a task writes depends on what is there already, so that another order makes other files.
fn work(list: &[Listed], at: usize) -> Vec<Deed> {
    let needs = list[at].needs.iter();
    let mut does: Vec<Deed> =
        needs.map(|need| Deed::Find(format!("own/{need}.txt"), format!("by {need}\n"))).collect();
    does.push(Deed::Put(format!("own/{at}.txt"), format!("by {at}\n")));
    let declared = list[at].files.iter().filter(|file| file.starts_with("shared/"));
    // Whoever declares nothing may write anywhere.
    let everywhere = ["shared/0.txt".to_owned(), "shared/1.txt".to_owned()];
    let shared: Vec<&String> =
        if list[at].files.is_empty() { everywhere.iter().collect() } else { declared.collect() };
    does.extend(shared.into_iter().map(|file| Deed::Add(file.clone(), format!("{at}\n"))));
    does
}

fn play(list: &[Listed], jobs: usize, before_it_ends: impl Fn(usize) -> Vec<Deed>) -> Played {
    let mut steps: Vec<Step> = begun(jobs, &page(list));
    steps.extend((0..list.len()).map(|at| turn(at + 1, [work(list, at), before_it_ends(at)].concat())));
    steps.extend(ended());
    played(&steps)
}

/// The tasks that were at work at the same time, group by group.
fn rounds(played: &Played) -> Vec<Vec<usize>> {
    let mut rounds: Vec<Vec<usize>> = vec![vec![]];
    for entry in &played.entries {
        match &entry.event {
            Event::Started(fact) => {
                let Unit::Task(id) = &fact.ticket.unit else { continue };
                rounds.last_mut().unwrap().push(id.as_str().parse::<usize>().unwrap() - 1);
            }
            Event::Built(_) if !rounds.last().unwrap().is_empty() => rounds.push(vec![]),
            _ => {}
        }
    }
    rounds.retain(|round| !round.is_empty());
    rounds
}

#[test]
fn the_files_are_the_same_in_a_hundred_schedules() {
    let (mut at_once, mut turned) = (0, 0);
    for seed in 0..SCHEDULES {
        let mut drawn = Drawn(seed);
        let list = list(&mut drawn);
        let jobs = 1 + seed as usize % 4;
        let alone = play(&list, 1, |_| vec![]);
        let rounds = if jobs == 1 { vec![] } else { rounds(&play(&list, jobs, |_| vec![])) };
        // Who of those that are at work together ends as the how manieth.
        let mut places: Vec<(usize, usize)> = vec![(1, 0); list.len()];
        for round in &rounds {
            let mut left: Vec<usize> = (0..round.len()).collect();
            for (at, task) in round.iter().enumerate() {
                let place = left.remove(drawn.below(left.len()));
                places[*task] = (round.len(), place);
                turned += usize::from(place != at);
            }
            at_once = at_once.max(round.len());
        }
        let ends = |at: usize| vec![Deed::Meet(places[at].0), Deed::LetGo(places[at].1)];
        let beside = play(&list, jobs, ends);
        let what = format!("seed {seed}, {jobs} at once: {list:?}, {places:?}");
        assert_eq!(beside.left.files(), alone.left.files(), "{what}");
        let commits = |played: &Played| {
            let mut commits = played.left.commits().to_vec();
            commits.sort();
            commits
        };
        assert_eq!(commits(&beside), commits(&alone), "{what}");
    }
    assert!(at_once == 4 && turned > 50, "{at_once} at once, {turned} out of order");
}
