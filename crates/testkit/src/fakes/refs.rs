//! Reports and undoes what happened to branches and tags while an agent worked, as the real adapter does.

use super::repository::{HEADS, ROOT, State, TAGS, lost_ref};
use super::workspace::{FakeWorkspace, MarkedRefs, name_of};
use super::worktree::Head;
use std::collections::BTreeSet;

/// How many refs are named one by one; the rest is counted.
const NAMED_REFS: usize = 10;

pub(super) fn mark(state: &State) -> MarkedRefs {
    MarkedRefs { refs: state.public_refs(), log: state.feature.log.len(), main: main_branch(state) }
}

/// Deletes the branches that were made in this worktree since the mark.
pub(super) fn undo(place: &FakeWorkspace, name: &str) -> Vec<String> {
    let Some(marked) = place.memory().marked.clone() else { return Vec::new() };
    let mut state = place.state();
    // A log that is shorter than it was says nothing.
    let gained = state.feature.log.get(marked.log..).unwrap_or_default().to_vec();
    let used: BTreeSet<String> = gained.iter().filter_map(|(_, branch)| branch.clone()).collect();
    let commits: BTreeSet<&String> = gained.iter().map(|(commit, _)| commit).collect();
    let elsewhere = name_of(&state.main.head);
    let made = |(full, id): &(&String, &String)| {
        let short = full.strip_prefix(HEADS).is_some_and(|short| used.contains(short));
        short && **full != elsewhere && commits.contains(id) && !marked.refs.contains_key(*full)
    };
    let refs = state.public_refs();
    let made: Vec<(String, String)> =
        refs.iter().filter(made).map(|(full, id)| (full.clone(), id.clone())).collect();
    keep(&mut state, name, made.iter().map(|(_, id)| id.clone()).collect());
    let mut lines = Vec::new();
    for (full, _) in made {
        state.refs.remove(&full);
        lines.push(format!("deleted the agent's branch {}", short(&full)));
    }
    drop(state);
    if !lines.is_empty() {
        place.repository().crash.changed("an agent's branch is deleted");
    }
    lines
}

/// Names what else happened to branches and tags since the mark, each thing once.
pub(super) fn left(place: &FakeWorkspace, name: &str) -> Vec<String> {
    let Some(marked) = place.memory().marked.clone() else { return Vec::new() };
    let mut state = place.state();
    let (found, main) = (state.public_refs(), main_branch(&state));
    let checked_out = [name_of(&state.main.head), name_of(&state.feature.head)];
    let own = format!("{HEADS}{}", place.branch());
    let names: BTreeSet<&String> =
        marked.refs.keys().chain(found.keys()).filter(|name| **name != own).collect();
    let (mut lines, mut before) = (Vec::new(), Vec::new());
    for each in names {
        match (marked.refs.get(each), found.get(each)) {
            (None, _) => lines.push(told(each, "made", &removal(each))),
            (Some(old), Some(new)) if old == new || checked_out.contains(each) => {}
            (Some(old), new) => {
                before.push(old.clone());
                let what = if new.is_some() { "moved" } else { "removed" };
                lines.push(told(each, what, &setting(each, old)));
            }
        }
    }
    keep(&mut state, name, before);
    drop(state);
    if let Some(more) = lines.len().checked_sub(NAMED_REFS).filter(|more| *more > 0) {
        lines.truncate(NAMED_REFS);
        lines.push(format!("{more} more branches or tags were made, moved or removed meanwhile"));
    }
    lines.extend(switched(&marked.main, &main));
    place.memory().marked = Some(MarkedRefs { refs: found, main, ..marked });
    lines
}

/// Keeps commits under the ref for undone changes, without changing the files it shows.
fn keep(state: &mut State, name: &str, ids: Vec<String>) {
    let reference = lost_ref(name);
    let earlier = state.refs.get(&reference).cloned();
    let known: Vec<String> = earlier.iter().flat_map(|earlier| state.history(earlier)).collect();
    let new: Vec<String> = ids
        .into_iter()
        .filter(|id| state.commits.contains_key(id) && !known.contains(id))
        .take(NAMED_REFS)
        .collect();
    let Some(first) = new.first() else { return };
    let tree = state.files_at(earlier.as_ref().unwrap_or(first)).cloned().unwrap_or_default();
    let parents: Vec<String> = earlier.into_iter().chain(new).collect();
    let commit = state.store_commit(&tree, &parents, "branches as they were\n");
    state.refs.insert(reference, commit);
}

/// The branch that the main checkout is on, or the commit where it is on none.
fn main_branch(state: &State) -> String {
    match &state.main.head {
        Head::Branch(name) => short(name).to_owned(),
        Head::Detached(commit) => commit.clone(),
    }
}

fn switched(then: &str, now: &str) -> Option<String> {
    (then != now).then(|| {
        format!(
            "the main checkout was switched from {then} to {now} meanwhile, by the agent or by somebody else, and is left \
             so; to undo: git -C {ROOT} switch {then}"
        )
    })
}

fn told(name: &str, what: &str, command: &str) -> String {
    let (kind, short) = (kind(name), short(name));
    format!(
        "{kind} {short} was {what} meanwhile, by the agent or by somebody else, and is left so; to undo: {command}"
    )
}

fn removal(name: &str) -> String {
    let option = if name.starts_with(TAGS) { "tag -d" } else { "branch -D" };
    format!("git {option} -- {}", short(name))
}

fn setting(name: &str, id: &str) -> String {
    format!("git {} -f -- {} {}", kind(name), short(name), id.get(..10).unwrap_or(id))
}

fn kind(name: &str) -> &'static str {
    if name.starts_with(TAGS) { "tag" } else { "branch" }
}

fn short(name: &str) -> &str {
    name.strip_prefix(HEADS).or_else(|| name.strip_prefix(TAGS)).unwrap_or(name)
}
