//! Packs and leases as commits: each names the one before as its parent, so that a log can only grow.
//!
//! A pack's commit also holds what its events rest on: the revisions that deltas are made from, and as a second parent
//! the commit that the feature's branch is at. So whoever has a log has all of that.

use redraft_adapters::git::{GitError, Repository, durable};
use std::collections::BTreeMap;

/// The names of a commit's files.
const TEXT: &str = "text";
const SIGNATURE: &str = "signature";
const ANCHORS: &str = "anchors";

/// Who makes these commits, and when: the packs say that themselves.
const IDENTITY: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "Redraft"),
    ("GIT_AUTHOR_EMAIL", "redraft@localhost"),
    ("GIT_AUTHOR_DATE", "@0 +0000"),
    ("GIT_COMMITTER_NAME", "Redraft"),
    ("GIT_COMMITTER_EMAIL", "redraft@localhost"),
    ("GIT_COMMITTER_DATE", "@0 +0000"),
];

/// Trees under the names that keep them.
pub type Anchors = BTreeMap<String, String>;

/// A signed text as a commit holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signed {
    pub(crate) commit: String,
    pub(crate) text: String,
    /// In hex.
    pub(crate) signature: String,
}

fn store(repository: &Repository, bytes: Vec<u8>) -> Result<String, GitError> {
    durable(repository.call(["hash-object", "-w", "--stdin", "--no-filters"])).input(bytes).text()
}

fn tree(repository: &Repository, lines: &[(String, &str, String)]) -> Result<String, GitError> {
    let mut text = String::new();
    for (id, kind, name) in lines {
        let mode = if *kind == "tree" { "040000" } else { "100644" };
        text.push_str(&format!("{mode} {kind} {id}\t{name}\0"));
    }
    durable(repository.call(["mktree", "-z"])).input(text.into_bytes()).text()
}

fn commit(repository: &Repository, tree: &str, parents: &[&str], what: &str) -> Result<String, GitError> {
    let call = durable(repository.call(["commit-tree", "--no-gpg-sign"])).arg(tree).arg("-m").arg(what);
    let call = IDENTITY.iter().fold(call, |call, (name, value)| call.env(name, value));
    parents.iter().fold(call, |call, parent| call.arg("-p").arg(*parent)).text()
}

/// The commit that all logs begin with. Its bytes are the same everywhere.
fn root(repository: &Repository) -> Result<String, GitError> {
    let empty = tree(repository, &[])?;
    commit(repository, &empty, &[], "redraft")
}

/// Makes the commit of a signed text that follows `before`.
pub(crate) fn write(
    repository: &Repository,
    before: Option<&str>,
    (text, signature): (&str, &str),
    anchors: &Anchors,
    tip: Option<&str>,
    what: &str,
) -> Result<String, GitError> {
    let mut files = vec![
        (store(repository, signature.as_bytes().to_vec())?, "blob", SIGNATURE.to_owned()),
        (store(repository, text.as_bytes().to_vec())?, "blob", TEXT.to_owned()),
    ];
    if !anchors.is_empty() {
        let anchors: Vec<_> =
            anchors.iter().map(|(name, id)| (id.clone(), "tree", name.replace('/', "+"))).collect();
        files.push((tree(repository, &anchors)?, "tree", ANCHORS.to_owned()));
    }
    let tree = tree(repository, &files)?;
    let first = match before {
        Some(before) => before.to_owned(),
        None => root(repository)?,
    };
    let parents: Vec<&str> = [first.as_str()].into_iter().chain(tip).collect();
    commit(repository, &tree, &parents, what)
}

/// The signed texts of a log, oldest first.
pub(crate) fn read(repository: &Repository, tip: &str) -> Result<Vec<Signed>, GitError> {
    let listed = repository.call(["rev-list", "--first-parent", "--reverse"]).arg(tip).text()?;
    // The first commit is the root of all logs.
    let commits: Vec<&str> = listed.lines().skip(1).collect();
    let names: String = commits
        .iter()
        .flat_map(|commit| [format!("{commit}:{TEXT}\n"), format!("{commit}:{SIGNATURE}\n")])
        .collect();
    let said = repository.call(["cat-file", "--batch"]).input(names.into_bytes()).bytes()?;
    let mut files = batch(&said).into_iter();
    let mut texts = Vec::new();
    for commit in commits {
        let mut next = || files.next().flatten().unwrap_or_default();
        let (text, signature) = (next(), next());
        texts.push(Signed { commit: commit.to_owned(), text, signature });
    }
    Ok(texts)
}

/// The answers of `cat-file --batch`; none for what is not there or is no text.
fn batch(mut said: &[u8]) -> Vec<Option<String>> {
    let mut files = Vec::new();
    while let Some(end) = said.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&said[..end]).into_owned();
        said = &said[end + 1..];
        let size = head.rsplit_once(" blob ").and_then(|(_, size)| size.parse::<usize>().ok());
        let Some(size) = size else {
            files.push(None);
            continue;
        };
        let bytes = said.get(..size).unwrap_or_default();
        files.push(String::from_utf8(bytes.to_vec()).ok());
        said = said.get(size + 1..).unwrap_or_default();
    }
    files
}

/// The revisions that a commit holds.
pub(crate) fn anchors(repository: &Repository, commit: &str) -> Result<Anchors, GitError> {
    let has_some = repository.call(["ls-tree", "-z"]).arg(commit).arg(ANCHORS).list()?;
    if has_some.is_empty() {
        return Ok(Anchors::new());
    }
    let listed = repository.call(["ls-tree", "-z"]).arg(format!("{commit}:{ANCHORS}")).list()?;
    let entries = listed.iter().filter_map(|line| entry(line)).filter(|(kind, ..)| kind == "tree");
    Ok(entries.map(|(_, id, name)| (name.replace('+', "/"), id)).collect())
}

/// Kind, id and name of a line of `ls-tree`.
fn entry(line: &[u8]) -> Option<(String, String, String)> {
    let line = String::from_utf8(line.to_vec()).ok()?;
    let (head, name) = line.split_once('\t')?;
    let mut words = head.split(' ').skip(1);
    Some((words.next()?.to_owned(), words.next()?.to_owned(), name.to_owned()))
}
