//! Reads objects and stores new ones in their place.

use super::{Survey, differing};
use crate::git::error::GitError;
use crate::git::lasting_git::LastingGit;
use crate::git::repository::Repository;
use redraft_facts::removal::Removal;
use std::collections::{BTreeMap, BTreeSet};

/// Hands over every object git has here, whether or not anything leads to it.
pub(super) fn each(repository: &Repository, f: &mut dyn FnMut(&str, &str, &[u8])) -> Result<(), GitError> {
    let call = repository.call(["cat-file", "--batch-all-objects", "--unordered", "--batch"]);
    let mut companion = LastingGit::start(call, &scratch(repository))?;
    while let Ok(line) = companion.line() {
        let text = String::from_utf8_lossy(&line).into_owned();
        let words: Vec<&str> = text.split(' ').collect();
        // An object that a partial clone does not have is `missing`.
        let [id, kind, size] = words.as_slice() else { continue };
        let Ok(size) = size.parse() else { continue };
        let bytes = companion.bytes(size).and_then(|bytes| companion.bytes(1).map(|_| bytes));
        match bytes {
            Ok(bytes) => f(id, kind, &bytes),
            Err(error) => {
                let command = "git cat-file --batch-all-objects".to_owned();
                return Err(GitError::Broken { command, detail: error.to_string() });
            }
        }
    }
    Ok(())
}

/// Everything that these refs lead to.
pub(super) fn reachable(repository: &Repository, names: &[String]) -> Result<BTreeSet<String>, GitError> {
    if names.is_empty() {
        return Ok(BTreeSet::new());
    }
    let call = repository.call(["rev-list", "--objects", "--missing=allow-any", "--stdin"]);
    let done = call.input(names.join("\n").into_bytes()).succeed()?;
    Ok(first_words(&done.stdout))
}

pub(super) fn first_words(stdout: &[u8]) -> BTreeSet<String> {
    let lines = stdout.split(|byte| *byte == b'\n');
    let ids = lines.filter_map(|line| line.split(|byte| *byte == b' ').next());
    ids.map(|id| String::from_utf8_lossy(id).into_owned()).filter(|id| !id.is_empty()).collect()
}

/// The kinds of those ids that git has.
pub(super) fn kinds(
    repository: &Repository,
    ids: &BTreeSet<String>,
) -> Result<BTreeMap<String, String>, GitError> {
    let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
    let call = repository.call(["cat-file", "--batch-check", "--buffer"]);
    let text = call.input(lines.into_bytes()).text()?;
    let kinds = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            [id, kind, _] => Some(((*id).to_owned(), (*kind).to_owned())),
            _ => None,
        }
    });
    Ok(kinds.collect())
}

/// The commits that lead from these to those of others, without the others' own, the oldest first.
pub(super) fn own_commits(
    repository: &Repository,
    commits: &[String],
    others: &[String],
) -> Result<Vec<String>, GitError> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let mut lines: Vec<String> = commits.to_vec();
    lines.extend(others.iter().map(|name| format!("^{name}")));
    let call = repository.call(["rev-list", "--topo-order", "--reverse", "--stdin"]);
    let text = call.input(lines.join("\n").into_bytes()).text()?;
    Ok(text.lines().map(str::to_owned).collect())
}

pub(super) fn scratch(repository: &Repository) -> std::path::PathBuf {
    repository.state_dir().join("tmp").join("redacting")
}

/// Objects as they are, and what each becomes.
pub(super) struct Database<'a> {
    repository: &'a Repository,
    removal: &'a Removal,
    survey: &'a Survey,
    reader: LastingGit,
    becomes: BTreeMap<String, String>,
    pub(super) unsigned: bool,
}

impl<'a> Database<'a> {
    pub(super) fn open(
        repository: &'a Repository,
        removal: &'a Removal,
        survey: &'a Survey,
    ) -> Result<Database<'a>, GitError> {
        let call = repository.call(["cat-file", "--batch"]);
        let reader = LastingGit::start(call, &scratch(repository))?;
        Ok(Database { repository, removal, survey, reader, becomes: BTreeMap::new(), unsigned: false })
    }

    pub(super) fn changed(self) -> BTreeMap<String, String> {
        differing(self.becomes)
    }

    pub(super) fn blob(&mut self, id: &str) -> Result<String, GitError> {
        if let Some(new) = self.becomes.get(id) {
            return Ok(new.clone());
        }
        let ours = self.survey.holders.contains(id) && !self.survey.foreign.contains(id);
        let cleaned = match ours {
            true => self.read(id)?.and_then(|bytes| self.removal.apply(&bytes)),
            false => None,
        };
        let new = match cleaned {
            Some((bytes, _)) => self.store("blob", bytes)?,
            None => id.to_owned(),
        };
        self.becomes.insert(id.to_owned(), new.clone());
        Ok(new)
    }

    pub(super) fn tree(&mut self, id: &str) -> Result<String, GitError> {
        if let Some(new) = self.becomes.get(id) {
            return Ok(new.clone());
        }
        let Some(bytes) = self.read(id)? else { return Ok(id.to_owned()) };
        let mut out = Vec::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        // Mode, blank, name, NUL, and the entry's id in raw bytes.
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let Some((head, raw, after)) = split(rest, end, id.len() / 2) else { break };
            let entry = hex(raw);
            let new = match head {
                head if head.starts_with(b"40000 ") => self.tree(&entry)?,
                // The commit of another repository.
                head if head.starts_with(b"160000 ") => entry,
                _ => self.blob(&entry)?,
            };
            out.extend_from_slice(head);
            out.push(0);
            out.extend(unhex(&new));
            rest = after;
        }
        let new = if out == bytes { id.to_owned() } else { self.store("tree", out)? };
        self.becomes.insert(id.to_owned(), new.clone());
        Ok(new)
    }

    /// What a commit becomes; its parents were asked for before.
    pub(super) fn commit(&mut self, id: &str) -> Result<(), GitError> {
        let Some(bytes) = self.read(id)? else { return Ok(()) };
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").map_or(bytes.len(), |at| at + 1);
        let (header, message) = bytes.split_at(end);
        let mut out = Vec::with_capacity(bytes.len());
        let (mut in_signature, mut signed) = (false, false);
        let mut unsigned = Vec::with_capacity(bytes.len());
        for line in header.split_inclusive(|byte| *byte == b'\n') {
            let text = String::from_utf8_lossy(line).trim_end().to_owned();
            let line = match text.split_once(' ') {
                Some(("tree", tree)) => format!("tree {}\n", self.tree(tree)?).into_bytes(),
                Some(("parent", parent)) => {
                    let new = self.becomes.get(parent).map_or(parent, String::as_str);
                    format!("parent {new}\n").into_bytes()
                }
                _ => line.to_vec(),
            };
            in_signature = line.starts_with(b"gpgsig") || (in_signature && line.starts_with(b" "));
            signed |= in_signature;
            if !in_signature {
                unsigned.extend_from_slice(&line);
            }
            out.extend(line);
        }
        let message = self.removal.apply(message).map_or_else(|| message.to_vec(), |(text, _)| text);
        out.extend_from_slice(&message);
        unsigned.extend_from_slice(&message);
        let new = if out == bytes {
            id.to_owned()
        } else {
            // A signature of the old commit says nothing about the new one.
            self.unsigned |= signed;
            self.store("commit", unsigned)?
        };
        self.becomes.insert(id.to_owned(), new);
        Ok(())
    }

    /// The bytes of an object; none if git does not have it.
    fn read(&mut self, id: &str) -> Result<Option<Vec<u8>>, GitError> {
        let mut ask = || -> std::io::Result<Option<Vec<u8>>> {
            self.reader.say(format!("{id}\n").as_bytes())?;
            let line = self.reader.line()?;
            let text = String::from_utf8_lossy(&line).into_owned();
            let Some(size) = text.split(' ').nth(2).and_then(|size| size.parse().ok()) else {
                return Ok(None);
            };
            let bytes = self.reader.bytes(size)?;
            self.reader.bytes(1)?;
            Ok(Some(bytes))
        };
        ask().map_err(|error| GitError::Broken {
            command: "git cat-file --batch".to_owned(),
            detail: error.to_string(),
        })
    }

    fn store(&self, kind: &str, bytes: Vec<u8>) -> Result<String, GitError> {
        let call = self.repository.call(["hash-object", "-w", "--stdin", "-t"]).arg(kind);
        call.setting("core.fsync=loose-object").input(bytes).text()
    }
}

fn split(rest: &[u8], end: usize, id_bytes: usize) -> Option<(&[u8], &[u8], &[u8])> {
    Some((rest.get(..end)?, rest.get(end + 1..end + 1 + id_bytes)?, rest.get(end + 1 + id_bytes..)?))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let pair = |at: usize| text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    (0..text.len()).step_by(2).filter_map(pair).collect()
}

/// The ids that a stored tree leads to.
pub(super) fn entries(tree: &[u8], id_bytes: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = tree;
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let Some((_, raw, after)) = split(rest, end, id_bytes) else { break };
        found.push(hex(raw));
        rest = after;
    }
    found
}
