//! Keeps what is undone under a ref of ours, so that nothing is lost.

use super::error::GitError;
use super::ref_name::ref_name;
use super::workspace::GitWorkspace;

/// The ref that keeps what was undone under this name.
pub(super) fn lost_ref(name: &str) -> String {
    format!("refs/redraft/lost/{}", ref_name(name))
}

/// A commit under Redraft's own name: it needs no identity of the user's and is not signed.
pub(super) fn lost_commit(
    workspace: &GitWorkspace,
    name: &str,
    tree: &str,
    parents: &[&str],
    what: &str,
) -> Result<String, GitError> {
    let message = format!("{what} before {name} was undone");
    let mut call = workspace.call(["commit-tree", tree, "-m"]).arg(message);
    for who in ["AUTHOR", "COMMITTER"] {
        call = call.env(&format!("GIT_{who}_NAME"), "Redraft");
        call = call.env(&format!("GIT_{who}_EMAIL"), "redraft@localhost");
    }
    let mut seen: Vec<&str> = Vec::new();
    for parent in parents {
        if !parent.is_empty() && !seen.contains(parent) {
            seen.push(parent);
            call = call.arg("-p").arg(*parent);
        }
    }
    call.text()
}

/// The commit a ref names, if there is one.
pub(super) fn commit_of(workspace: &GitWorkspace, reference: &str) -> Result<Option<String>, GitError> {
    let done =
        workspace.call(["rev-parse", "--verify", "--quiet"]).arg(format!("{reference}^{{commit}}")).end()?;
    let text = String::from_utf8_lossy(&done.stdout).trim().to_owned();
    Ok(Some(text).filter(|text| done.code == Some(0) && !text.is_empty()))
}
