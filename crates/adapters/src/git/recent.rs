//! What git was asked a moment ago. A dispatch asks for the same few things several times over, and each answer
//! costs a process; a revision is a content address, so what was once read of it stays true.
//!
//! Holds a handful of answers, so its size is that of a few artifacts, whatever the length of the history.

use redraft_core::ids::{BlobId, Revision};
use redraft_core::text::hash;
use std::collections::VecDeque;

/// How many answers of each kind are kept.
const KEPT: usize = 4;

/// The named paths as they were found, each with its mode and content.
pub(super) type Found = Vec<(String, String, BlobId)>;

/// What a path holds in a revision.
#[derive(Debug)]
struct Read {
    revision: Revision,
    path: String,
    bytes: Option<Vec<u8>>,
}

#[derive(Debug)]
struct Compared {
    from: Revision,
    to: Revision,
    delta: String,
}

#[derive(Debug, Default)]
pub(super) struct Recent {
    /// The last tree that was taken, and of what.
    taken: Option<(Found, Option<Revision>)>,
    files: VecDeque<Read>,
    deltas: VecDeque<Compared>,
}

impl Recent {
    /// The revision of exactly these contents, if it was the last one taken.
    pub(super) fn taken(&self, found: &Found) -> Option<Option<Revision>> {
        self.taken.as_ref().filter(|(then, _)| then == found).map(|(_, revision)| revision.clone())
    }

    pub(super) fn take(&mut self, found: Found, revision: Option<Revision>) {
        self.taken = Some((found, revision));
    }

    pub(super) fn file(&self, revision: &Revision, path: &str) -> Option<Option<Vec<u8>>> {
        let read = self.files.iter().find(|read| read.revision == *revision && read.path == path);
        read.map(|read| read.bytes.clone())
    }

    pub(super) fn read(&mut self, revision: &Revision, path: &str, bytes: Option<Vec<u8>>) {
        keep(&mut self.files, Read { revision: revision.clone(), path: path.to_owned(), bytes });
    }

    pub(super) fn delta(&self, from: &Revision, to: &Revision) -> Option<String> {
        let compared = self.deltas.iter().find(|compared| compared.from == *from && compared.to == *to);
        compared.map(|compared| compared.delta.clone())
    }

    pub(super) fn compared(&mut self, from: &Revision, to: &Revision, delta: String) {
        keep(&mut self.deltas, Compared { from: from.clone(), to: to.clone(), delta });
    }
}

/// The mark of one file's content.
pub(super) fn content(bytes: &[u8]) -> BlobId {
    hash(bytes)
}

fn keep<T>(list: &mut VecDeque<T>, item: T) {
    if list.len() == KEPT {
        list.pop_front();
    }
    list.push_back(item);
}
