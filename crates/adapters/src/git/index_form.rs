//! What an index file says, read without git: whether an entry is marked, the files it has, and the tree of all of them.
//!
//! Every answer may be none. Then the file has a form that is not read here, and git must be asked.

use std::collections::BTreeMap;

/// Files by their paths, each with its mode and id.
pub(super) type Tracked = BTreeMap<Vec<u8>, ([u8; 4], [u8; ID_BYTES])>;

/// Where in an entry the mode and the id are, after times and numbers.
const MODE: usize = 24;
const ID: usize = 40;
/// Bytes of an entry before its flags, with an id of SHA-1.
const BEFORE_FLAGS: usize = 60;
const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
/// Which side of a conflict it is.
const STAGE: u16 = 0x3000;
const NAME_LENGTH: u16 = 0x0fff;
/// In the second pair of flags.
const SKIP_WORKTREE: u16 = 0x4000;

const ID_BYTES: usize = 20;

/// Whether an entry has a mark that hides changes of its file.
pub(super) fn bears_marks(bytes: &[u8]) -> Option<bool> {
    let Entries { marked, end } = entries(bytes, |_| Some(()))?;
    // A shared index holds entries of its own.
    let split = bytes.get(end..).is_some_and(|rest| rest.starts_with(b"link"));
    if split && !marked {
        return None;
    }
    Some(marked)
}

/// All files, where each is an ordinary one or a link, none has a conflict, and none is marked.
pub(super) fn tracked(bytes: &[u8]) -> Option<Tracked> {
    let mut found = Tracked::new();
    let read = entries(bytes, |Entry { flags, mode, id, name }| {
        let is_file = matches!(u32::from_be_bytes(mode), 0o100_644 | 0o100_755 | 0o120_000);
        found.insert(name.to_vec(), (mode, id));
        (is_file && flags & STAGE == 0).then_some(())
    })?;
    let split = bytes.get(read.end..).is_some_and(|rest| rest.starts_with(b"link"));
    (!read.marked && !split).then_some(found)
}

/// The tree of all entries, where git has noted it. Git removes the note with the first entry that is staged or has a
/// conflict, and relies on it when it writes trees.
pub(super) fn tree(bytes: &[u8]) -> Option<String> {
    let Entries { marked: false, end } = entries(bytes, |_| Some(()))? else { return None };
    let mut rest = bytes.get(end..bytes.len().checked_sub(ID_BYTES)?)?;
    let mut tree = None;
    while !rest.is_empty() {
        let (name, after) = rest.split_at_checked(4)?;
        let (length, after) = after.split_at_checked(4)?;
        let length = usize::try_from(u32::from_be_bytes(length.try_into().ok()?)).ok()?;
        let (content, after) = after.split_at_checked(length)?;
        match name {
            b"link" => return None,
            b"TREE" => tree = root(content),
            _ => {}
        }
        rest = after;
    }
    tree
}

/// The id of the outermost folder: after its empty name, its number of entries (negative without a tree) and of folders.
fn root(content: &[u8]) -> Option<String> {
    let content = content.strip_prefix(b"\0")?;
    let line = content.iter().position(|byte| *byte == b'\n')?;
    if !content.first()?.is_ascii_digit() {
        return None;
    }
    let id = content.get(line + 1..line + 1 + ID_BYTES)?;
    Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Where the entries end, or that one of them is marked; none after it is read.
struct Entries {
    marked: bool,
    end: usize,
}

struct Entry<'a> {
    flags: u16,
    mode: [u8; 4],
    id: [u8; ID_BYTES],
    name: &'a [u8],
}

/// Takes entries until there are no more, one is marked, or one is not wanted.
fn entries<'a>(bytes: &'a [u8], mut take: impl FnMut(Entry<'a>) -> Option<()>) -> Option<Entries> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let pair = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let version = number(4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=3).contains(&version) {
        return None;
    }
    let mut at = 12;
    for _ in 0..number(8)? {
        let flags = pair(at + BEFORE_FLAGS)?;
        let mut name = at + BEFORE_FLAGS + 2;
        let mut more = 0;
        if flags & EXTENDED != 0 {
            more = pair(name)?;
            name += 2;
        }
        if flags & ASSUME_UNCHANGED != 0 || more & SKIP_WORKTREE != 0 {
            return Some(Entries { marked: true, end: at });
        }
        let length = bytes.get(name..)?.iter().position(|byte| *byte == 0)?;
        let short = usize::from(flags & NAME_LENGTH);
        // With ids of another length nothing is where it is looked for.
        if short < usize::from(NAME_LENGTH) && short != length {
            return None;
        }
        let mode = bytes.get(at + MODE..at + MODE + 4)?.try_into().ok()?;
        let id = bytes.get(at + ID..at + ID + ID_BYTES)?.try_into().ok()?;
        take(Entry { flags, mode, id, name: bytes.get(name..name + length)? })?;
        // Entries end with one to eight zeros, at a multiple of eight from their beginning.
        at += (name + length - at + 8) / 8 * 8;
    }
    Some(Entries { marked: false, end: at })
}

#[cfg(test)]
mod tests {
    use super::super::tests::repositories::{TestRepository, put};
    use super::*;
    use std::fs;

    #[test]
    fn an_index_without_marks_is_read_without_git_and_a_torn_one_is_not_believed() {
        let bed = TestRepository::new();
        let place = bed.feature();
        let bytes = fs::read(place.git_dir.join("index")).unwrap();
        assert_eq!(bears_marks(&bytes), Some(false));
        for end in 0..60 {
            assert_eq!(bears_marks(&bytes[..end]), None, "{end}");
        }
        assert_eq!(bears_marks(&[&b"DIRC\0\0\0\x02\0\0\0\x01"[..], &[0xff; 200]].concat()), Some(true));
    }

    #[test]
    fn the_tree_is_what_git_would_write_or_none() {
        let bed = TestRepository::new();
        let place = bed.feature();
        let git = |args: &[&str]| bed.raw(place.root(), args).trim().to_owned();
        let read = || tree(&fs::read(place.git_dir.join("index")).unwrap());
        put(place.root(), "deep/er/file.txt", "x");
        git(&["add", "."]);
        assert_eq!(read(), None, "staged");
        git(&["commit", "-qm", "more"]);
        let committed = git(&["rev-parse", "HEAD^{tree}"]);
        assert_eq!(read(), Some(committed.clone()));
        put(place.root(), "deep/er/file.txt", "y");
        git(&["add", "."]);
        assert_eq!(read(), None, "staged again");
        let staged = git(&["write-tree"]);
        assert_eq!(read(), Some(staged.clone()));
        assert_ne!(staged, committed);
        let bytes = fs::read(place.git_dir.join("index")).unwrap();
        for end in 0..bytes.len() {
            assert!(tree(&bytes[..end]).is_none_or(|tree| tree == staged), "{end}");
        }
        git(&["update-index", "--split-index"]);
        assert_eq!(read(), None, "a shared index");
        git(&["update-index", "--no-split-index", "--index-version", "4"]);
        assert_eq!(read(), None, "version 4");
    }
}
