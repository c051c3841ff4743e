//! Files as a map, and names made from their content.

use redraft_facts::text::hash;
use std::collections::BTreeMap;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    File {
        bytes: Vec<u8>,
        executable: bool,
    },
    /// A link, and where it leads as it is written.
    Link(String),
    /// A repository of its own, and the commit it stands at.
    Repository(String),
    /// A pipe: something that is not a file and that git cannot store. Only in worktrees.
    Pipe,
}

/// Files by their path.
pub type Tree = BTreeMap<String, Node>;

impl Node {
    pub fn text(text: &str) -> Node {
        Node::File { bytes: text.as_bytes().to_vec(), executable: false }
    }

    pub(super) fn is_repository(&self) -> bool {
        matches!(self, Node::Repository(_))
    }

    /// The mode git gives it.
    pub(super) fn mode(&self) -> &'static str {
        match self {
            Node::File { executable: false, .. } => "100644",
            Node::File { executable: true, .. } => "100755",
            Node::Link(_) => "120000",
            Node::Repository(_) => "160000",
            Node::Pipe => "010644",
        }
    }

    /// What git stores of it.
    pub(super) fn stored(&self) -> &[u8] {
        match self {
            Node::File { bytes, .. } => bytes,
            Node::Link(text) | Node::Repository(text) => text.as_bytes(),
            Node::Pipe => &[],
        }
    }
}

/// The name of a tree: the same files are the same tree.
pub(super) fn id_of(tree: &Tree) -> String {
    let mut all = Vec::from("tree\0");
    for (path, node) in tree {
        all.extend_from_slice(format!("{} {path}\0{}\0", node.mode(), node.stored().len()).as_bytes());
        all.extend_from_slice(node.stored());
    }
    short(&all)
}

/// A name as long as git's.
pub(super) fn short(bytes: &[u8]) -> String {
    hash(bytes).to_string().chars().take(40).collect()
}

/// The paths at which two trees differ, in order.
pub(super) fn differing(one: &Tree, other: &Tree) -> Vec<String> {
    let mut paths: Vec<&String> = one.keys().chain(other.keys()).collect();
    paths.sort();
    paths.dedup();
    paths.into_iter().filter(|path| one.get(*path) != other.get(*path)).cloned().collect()
}

/// What differs between two trees: equal bytes mean the same change.
pub(super) fn change(from: &Tree, to: &Tree) -> Vec<u8> {
    let mut all = Vec::new();
    for path in differing(from, to) {
        for tree in [from, to] {
            let only: Tree = tree.get(&path).map(|node| (path.clone(), node.clone())).into_iter().collect();
            all.extend_from_slice(id_of(&only).as_bytes());
        }
        all.extend_from_slice(format!(" {path}\0").as_bytes());
    }
    all
}

/// The files of one tree, with these paths as they are in another.
pub(super) fn over(under: &Tree, from: &Tree, paths: &[String]) -> Tree {
    let mut tree = under.clone();
    tree.retain(|path, _| !paths.contains(path));
    for (path, node) in from.iter().filter(|(path, _)| paths.contains(path)) {
        // A file takes the place of a folder, and a folder that of a file.
        let (below, above) = (format!("{path}/"), |found: &str| path.starts_with(&format!("{found}/")));
        tree.retain(|found, _| !found.starts_with(&below) && !above(found));
        tree.insert(path.clone(), node.clone());
    }
    tree
}

/// Whether there is a folder of this name: some file is below it.
pub(super) fn has_folder(tree: &Tree, path: &str) -> bool {
    let below = format!("{path}/");
    tree.range(below.clone()..).next().is_some_and(|(found, _)| found.starts_with(&below))
}
