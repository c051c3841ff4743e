//! Changes that are put on top of something else, in no checkout.
//!
//! Everything made here is a commit that no branch leads to, and is kept by a ref of ours before anybody hears of it.

use super::change::with_fixed_identity;
use super::error::GitError;
use super::objects::set_own_ref;
use super::ref_name::ref_name;
use super::workspace::GitWorkspace;
use redraft_engine::ports::{Commit, PutOn, WorkspaceError};
use redraft_facts::ids::Revision;

pub(super) fn loose_commit(
    workspace: &GitWorkspace,
    name: &str,
    tree: &str,
    parent: &str,
    message: &str,
) -> Result<Commit, WorkspaceError> {
    let call = workspace.call(["commit-tree", "-p", parent, "-m", message, tree]);
    let commit = with_fixed_identity(call).text()?;
    keep(workspace, name, &commit)?;
    Ok(Commit(commit))
}

pub(super) fn put_on(
    workspace: &GitWorkspace,
    name: &str,
    onto: &str,
    commit: &str,
) -> Result<PutOn, WorkspaceError> {
    let [one, other] = with_common_parent(workspace, onto, commit)?;
    let call = workspace.call(["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"]);
    let done = call.arg(&one).arg(&other).end()?;
    let mut parts = done.stdout.split(|byte| *byte == 0).filter(|part| !part.is_empty());
    let mut part = || parts.next().map(|part| String::from_utf8_lossy(part).trim().to_owned());
    let tree = part().unwrap_or_default();
    match done.code {
        Some(0) if !tree.is_empty() => {
            let message = workspace.call(["log", "-1", "--format=%B"]).arg(commit).text()?;
            loose_commit(workspace, name, &tree, onto, &message).map(PutOn::Clean)
        }
        Some(1) if !tree.is_empty() => {
            let mut files: Vec<String> = std::iter::from_fn(part).collect();
            files.dedup();
            keep(workspace, name, &tree)?;
            Ok(PutOn::Conflicts { files, marked: Revision::new(tree) })
        }
        _ => Err(done.failure().unwrap_or_else(|| done.unexpected()).into()),
    }
}

/// The same files as commits of which git finds by itself that both begin from the parent of `commit`. Where `onto` does
/// not come after it, because somebody took the branch back, these are two commits made for that.
fn with_common_parent(workspace: &GitWorkspace, onto: &str, commit: &str) -> Result<[String; 2], GitError> {
    let parent = format!("{commit}^");
    let comes_after = workspace.call(["merge-base", "--is-ancestor"]).arg(&parent).arg(onto).end()?;
    if comes_after.code == Some(0) {
        return Ok([onto.to_owned(), commit.to_owned()]);
    }
    let of_tree = |of: &str, words: &[&str]| {
        let call =
            words.iter().fold(workspace.call(["commit-tree", "-m", "-"]), |call, word| call.arg(*word));
        with_fixed_identity(call.arg(format!("{of}^{{tree}}"))).text()
    };
    let base = of_tree(&parent, &[])?;
    Ok([of_tree(onto, &["-p", &base])?, of_tree(commit, &["-p", &base])?])
}

fn keep(workspace: &GitWorkspace, name: &str, id: &str) -> Result<(), GitError> {
    set_own_ref(workspace, &format!("refs/redraft/anchors/{}", ref_name(name)), id)
}
