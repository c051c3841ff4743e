//! Remembers what git was asked a moment ago. A dispatch asks for the same few things several times over, and each
//! answer costs a process; a revision is a content address, so what was once read of it stays true.
//!
//! Holds a handful of answers, so its size is that of a few artifacts, whatever the length of the history.

use redraft_facts::ids::{BlobId, Revision};
use sha2::{Digest as _, Sha256};
use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// How many answers of each kind are kept.
const KEPT: usize = 4;

/// The named paths as they were found, each with its mode and content.
pub(super) type Found = Vec<(String, String, BlobId)>;

/// What stands at a path of the worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Absent,
    File { executable: bool, sha256: [u8; 32] },
    Link { target: PathBuf },
}

/// The files that differed from an index, and the tree of all files then.
#[derive(Debug)]
struct Worked {
    index: String,
    contents: Vec<(Vec<u8>, Content)>,
    tree: String,
}

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
    /// Indexes by name and their trees.
    indexes: VecDeque<(BlobId, String)>,
    works: VecDeque<Worked>,
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

    /// The tree of an index.
    pub(super) fn index(&self, name: &BlobId) -> Option<String> {
        self.indexes.iter().find(|(known, _)| known == name).map(|(_, tree)| tree.clone())
    }

    pub(super) fn indexed(&mut self, name: BlobId, tree: String) {
        self.indexes.retain(|(known, _)| *known != name);
        keep(&mut self.indexes, (name, tree));
    }

    /// The tree of files that differ from an index in exactly these contents.
    pub(super) fn work(&self, index: &str, contents: &[(Vec<u8>, Content)]) -> Option<String> {
        let worked = self.works.iter().find(|worked| worked.index == index && worked.contents == contents);
        worked.map(|worked| worked.tree.clone())
    }

    /// How the files of a tree differed from an index.
    pub(super) fn contents_of(&self, index: &str, tree: &str) -> Option<Vec<(Vec<u8>, Content)>> {
        let worked = self.works.iter().find(|worked| worked.index == index && worked.tree == tree);
        worked.map(|worked| worked.contents.clone())
    }

    pub(super) fn worked(&mut self, index: String, contents: Vec<(Vec<u8>, Content)>, tree: String) {
        keep(&mut self.works, Worked { index, contents, tree });
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

/// What stands at a path, read and not guessed from its times; none for what is neither a file nor a link, or cannot be
/// read.
pub(super) fn content_at(path: &Path) -> Option<Content> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => {
            let sha256 = file_hash(path).ok()?;
            Some(Content::File { executable: super::files::is_executable(&found), sha256 })
        }
        Ok(found) if found.is_symlink() => Some(Content::Link { target: fs::read_link(path).ok()? }),
        Ok(_) => None,
        Err(error) => super::files::is_absent(&error).then_some(Content::Absent),
    }
}

/// Reads a piece at a time: what an agent leaves behind may be larger than memory.
fn file_hash(path: &Path) -> io::Result<[u8; 32]> {
    let mut file = fs::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(hasher.finalize().into()),
            count => hasher.update(&piece[..count]),
        }
    }
}

fn keep<T>(list: &mut VecDeque<T>, item: T) {
    if list.len() == KEPT {
        list.pop_front();
    }
    list.push_back(item);
}
