//! Changes of the fake repository that are put on top of something else, in no checkout: a merge of three texts, line by
//! line, as git does it.

use super::diff::edits;
use super::repository::State;
use super::tree::{Node, Tree, differing};
use redraft_engine::ports::{Commit, PutOn, WorkspaceError};
use redraft_facts::ids::Revision;
use std::ops::Range;

pub(super) fn loose_commit(
    state: &mut State,
    name: &str,
    tree: &Tree,
    parent: &str,
    message: &str,
) -> Result<Commit, WorkspaceError> {
    if !state.commits.contains_key(parent) {
        return Err(no_commit(parent));
    }
    let message = format!("{}\n", message.trim_end());
    let commit = state.store_commit(tree, &[parent.to_owned()], &message);
    keep(state, name, &commit);
    Ok(Commit(commit))
}

pub(super) fn put_on(
    state: &mut State,
    name: &str,
    onto: &str,
    commit: &str,
) -> Result<PutOn, WorkspaceError> {
    let object = state.commits.get(commit).cloned().ok_or_else(|| no_commit(commit))?;
    let files = |id: &str| state.files_at(id).cloned().ok_or_else(|| no_commit(id));
    let before = object.parents.first().map(|parent| files(parent)).transpose()?.unwrap_or_default();
    let (ours, theirs) = (files(onto)?, files(commit)?);
    let (mut tree, mut conflicts) = (ours.clone(), Vec::new());
    for path in differing(&before, &theirs) {
        let sides = [&before, &ours, &theirs].map(|tree| tree.get(&path));
        let (node, clean) = merged(sides, [onto, commit]);
        match node {
            Some(node) => drop(tree.insert(path.clone(), node)),
            None => drop(tree.remove(&path)),
        }
        conflicts.extend((!clean).then_some(path));
    }
    if conflicts.is_empty() {
        return loose_commit(state, name, &tree, onto, &object.message).map(PutOn::Clean);
    }
    let marked = state.store_tree(&tree);
    keep(state, name, &marked);
    Ok(PutOn::Conflicts { files: conflicts, marked: Revision::new(marked) })
}

fn keep(state: &mut State, name: &str, id: &str) {
    state.refs.insert(format!("refs/redraft/anchors/{name}"), id.to_owned());
}

fn no_commit(id: &str) -> WorkspaceError {
    let detail = format!("fatal: not a valid object name {id}");
    WorkspaceError::Git { command: "git merge-tree".to_owned(), detail }
}

/// What stands at a path when both sides have done their change, and whether they agree.
fn merged([before, ours, theirs]: [Option<&Node>; 3], names: [&str; 2]) -> (Option<Node>, bool) {
    if ours == before || ours == theirs {
        return (theirs.cloned(), true);
    }
    let text = |node: Option<&Node>| match node {
        Some(Node::File { bytes, .. }) => {
            String::from_utf8(bytes.clone()).ok().filter(|text| !text.contains('\0'))
        }
        _ => None,
    };
    match (ours, theirs, text(ours), text(theirs)) {
        (Some(Node::File { executable, .. }), Some(_), Some(one), Some(other)) => {
            let (bytes, clean) = merged_text(&text(before).unwrap_or_default(), &one, &other, names);
            (Some(Node::File { bytes: bytes.into_bytes(), executable: *executable }), clean)
        }
        // One removed what the other changed: what there is of it stays.
        _ => (ours.or(theirs).cloned(), false),
    }
}

/// Both changes of a text; where they touch the same lines or lines side by side, both sides between marks.
fn merged_text(before: &str, ours: &str, theirs: &str, [name, other_name]: [&str; 2]) -> (String, bool) {
    let [old, one, other] = [before, ours, theirs].map(lines);
    let (mut out, mut clean, mut at) = (String::new(), true, 0);
    for Group { old: range, one: in_one, other: in_other, only } in groups(&old, &one, &other) {
        out.push_str(&old[at..range.start].concat());
        let (one, other) = (one[in_one].concat(), other[in_other].concat());
        match only {
            Some(Side::One) => out.push_str(&one),
            Some(Side::Other) => out.push_str(&other),
            None if one == other => out.push_str(&one),
            None => {
                clean = false;
                let (one, other) = (closed(&one), closed(&other));
                out.push_str(&format!("<<<<<<< {name}\n{one}=======\n{other}>>>>>>> {other_name}\n"));
            }
        }
        at = range.end;
    }
    out.push_str(&old[at..].concat());
    (out, clean)
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn closed(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    One,
    Other,
}

/// Lines that changed, of the text before and of both sides; where only one side has changed them, which.
struct Group {
    old: Range<usize>,
    one: Range<usize>,
    other: Range<usize>,
    only: Option<Side>,
}

fn groups(old: &[&str], one: &[&str], other: &[&str]) -> Vec<Group> {
    let of = |side: Side, new: &[&str]| edits(old, new).into_iter().map(move |(old, new)| (side, old, new));
    let mut all: Vec<(Side, Range<usize>, Range<usize>)> =
        of(Side::One, one).chain(of(Side::Other, other)).collect();
    all.sort_by_key(|(_, old, _)| (old.start, old.end));
    // The ranges that were passed, of the text before and of both sides.
    let (mut passed, mut of_one, mut of_other) = (0, 0, 0);
    let mut found = Vec::new();
    let mut edits = all.into_iter().peekable();
    while let Some(first) = edits.next() {
        let (mut end, start) = (first.1.end, first.1.start);
        let mut together = vec![first];
        while let Some(next) = edits.next_if(|(_, old, _)| old.start <= end) {
            end = end.max(next.1.end);
            together.push(next);
        }
        let length = |side: Side| {
            let own = || together.iter().filter(move |(of, ..)| *of == side);
            let (gone, come) = (
                own().map(|(_, old, _)| old.len()).sum::<usize>(),
                own().map(|(.., new)| new.len()).sum::<usize>(),
            );
            end - start + come - gone
        };
        let (one_start, other_start) = (of_one + start - passed, of_other + start - passed);
        let (one, other) =
            (one_start..one_start + length(Side::One), other_start..other_start + length(Side::Other));
        (passed, of_one, of_other) = (end, one.end, other.end);
        let side = together[0].0;
        let only = together.iter().all(|(of, ..)| *of == side).then_some(side);
        found.push(Group { old: start..end, one, other, only });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::merged_text;

    const BEFORE: &str = "a\nb\nc\nd\ne\n";

    fn merge(one: &str, other: &str) -> (String, bool) {
        merged_text(BEFORE, one, other, ["one", "other"])
    }

    #[test]
    fn changes_apart_are_both_done_and_the_same_change_is_done_once() {
        assert_eq!(merge("A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\nF\n"), ("A\nb\nc\nd\nE\nF\n".to_owned(), true));
        assert_eq!(merge("b\nc\nd\ne\n", "a\nb\nc\nD\n"), ("b\nc\nD\n".to_owned(), true));
        assert_eq!(merge("a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\nf\n"), ("a\nB\nc\nd\ne\nf\n".to_owned(), true));
    }

    #[test]
    fn changes_of_the_same_lines_or_side_by_side_stand_between_marks() {
        let marked = "a\n<<<<<<< one\nB\n=======\nX\n>>>>>>> other\nc\nd\ne\n";
        assert_eq!(merge("a\nB\nc\nd\ne\n", "a\nX\nc\nd\ne\n"), (marked.to_owned(), false));
        assert!(!merge("a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n").1);
        assert!(!merge("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\ng\n").1);
    }
}
