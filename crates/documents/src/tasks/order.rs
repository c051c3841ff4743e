//! Decides in which order tasks are carried out.

use super::{Task, TaskList};
use redraft_facts::prelude::*;

/// Tasks that wait for each other, so that none of them can begin. The first is named again at the end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("these tasks wait for each other: {}", .0.join(" -> "))]
pub struct Cycle(pub Vec<String>);

/// The order of the document, except that a task comes after those it waits for, wherever they are.
pub fn order(list: &TaskList) -> Result<Vec<&Task>, Cycle> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, task) in list.tasks.iter().enumerate() {
        // Of two tasks with one id the first is meant.
        places.entry(task.id.as_str()).or_insert(place);
    }
    let mut taken = vec![false; list.tasks.len()];
    let mut ordered = Vec::with_capacity(list.tasks.len());
    for place in 0..list.tasks.len() {
        take(place, list, &places, &mut taken, &mut ordered)?;
    }
    Ok(ordered)
}

/// Takes a task and, before it, what it waits for. Uses a stack of its own: a list may be as deep as it is long.
fn take<'a>(
    first: usize,
    list: &'a TaskList,
    places: &BTreeMap<&str, usize>,
    taken: &mut [bool],
    ordered: &mut Vec<&'a Task>,
) -> Result<(), Cycle> {
    // Each with how many of its dependencies were looked at.
    let mut path: Vec<(usize, usize)> = if taken[first] { Vec::new() } else { vec![(first, 0)] };
    let mut waiting: BTreeSet<usize> = path.iter().map(|(place, _)| *place).collect();
    while let Some((place, seen)) = path.last_mut() {
        let task = &list.tasks[*place];
        let Some(name) = task.depends_on.get(*seen) else {
            taken[*place] = true;
            waiting.remove(place);
            ordered.push(task);
            path.pop();
            continue;
        };
        *seen += 1;
        // What is not in the list cannot be waited for; lint has reported it.
        let Some(needed) = places.get(name.as_str()).copied().filter(|needed| !taken[*needed]) else {
            continue;
        };
        if !waiting.insert(needed) {
            let from = path.iter().position(|(place, _)| *place == needed).unwrap_or(0);
            let ids = path[from..].iter().map(|(place, _)| list.tasks[*place].id.clone());
            return Err(Cycle(ids.chain([list.tasks[needed].id.clone()]).collect()));
        }
        path.push((needed, 0));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> TaskList {
        super::super::read(text).unwrap()
    }

    fn ids(text: &str) -> Vec<String> {
        order(&list(text)).unwrap().into_iter().map(|task| task.id.clone()).collect()
    }

    #[test]
    fn a_task_waits_only_for_one_that_stands_later() {
        let text = "### Task 1.1: A\n**Depends on:** 1.3\n\n### Task 1.2: B\n**Depends on:** 1.1\n\n### Task 1.3: C\n\n\
                    ### Task 1.4: D\n**Depends on:** Task 1.2\n";
        assert_eq!(ids(text), ["1.3", "1.1", "1.2", "1.4"]);
        assert_eq!(ids("### Task 1.1: A\n\n### Task 1.2: B\n**Depends on:** 1.1\n"), ["1.1", "1.2"]);
    }

    #[test]
    fn tasks_that_wait_for_each_other_are_named_in_a_circle() {
        let text = "### Task 1: A\n**Depends on:** Task 3\n\n### Task 2: B\n**Depends on:** Task 1\n\n\
                    ### Task 3: C\n**Depends on:** Task 2\n";
        let Cycle(ids) = order(&list(text)).unwrap_err();
        assert_eq!(ids, ["1", "3", "2", "1"]);
    }

    #[test]
    fn a_list_as_deep_as_it_is_long_is_ordered() {
        let count = 20_000;
        let id = |at: usize| format!("{}.{}", at / 900 + 1, at % 900 + 1);
        let lines =
            (1..=count).map(|at| format!("### Task {}: T\n**Depends on:** Task {}\n\n", id(at), id(at + 1)));
        let text: String = lines.collect();
        let ids = ids(&text);
        assert_eq!((ids.len(), ids[0].clone()), (count, id(count)));
    }
}
