//! The acts of people, agents and other programs on the fake repository.

use super::{FakeRepository, HEADS, State, TAGS, done_without, folder_of};
use crate::fakes::outside::Outside;
use crate::fakes::tree::{Node, Tree};
use crate::fakes::worktree::{Head, Worktree, folders};
use redraft_facts::ids::Revision;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

impl Worktree {
    /// Puts anything in the place of what was there.
    fn replace(&mut self, path: &str, node: Node) {
        let above: Vec<String> = folders(path).map(str::to_owned).collect();
        self.files.retain(|found, _| !above.contains(found) && !found.starts_with(&format!("{path}/")));
        self.files.insert(path.to_owned(), node);
    }
}

impl FakeRepository {
    fn replace(&self, path: &str, node: Node) {
        self.state().feature.replace(path, node);
    }
}

impl Outside for FakeRepository {
    fn put(&self, path: &str, text: &str) {
        let executable =
            matches!(self.state().feature.files.get(path), Some(Node::File { executable: true, .. }));
        self.replace(path, Node::File { bytes: text.as_bytes().to_vec(), executable });
    }

    fn take(&self, path: &str) {
        self.state().feature.files.remove(path);
    }

    fn look(&self, path: &str) -> Option<String> {
        text_at(&self.state().feature.files, path)
    }

    fn link(&self, path: &str, target: &str) {
        self.replace(path, Node::Link(target.to_owned()));
    }

    fn pipe(&self, path: &str) {
        self.replace(path, Node::Pipe);
    }

    fn make_executable(&self, path: &str) {
        if let Some(Node::File { executable, .. }) = self.state().feature.files.get_mut(path) {
            *executable = true;
        }
    }

    fn nest(&self, folder: &str) {
        self.replace(&format!("{folder}/inner.txt"), Node::text("inner\n"));
        self.state().feature.nested.insert(format!("{folder}/"));
    }

    fn stage(&self, path: &str) {
        let mut state = self.state();
        match state.feature.files.get(path).cloned() {
            Some(node) => drop(state.feature.index.insert(path.to_owned(), node)),
            None => drop(state.feature.index.remove(path)),
        }
    }

    fn commit(&self, message: &str) {
        let mut state = self.state();
        let tree = state.visible();
        state.commit_feature(&tree, &[], &format!("{message}\n"));
    }

    fn commit_repository(&self, folder: &str, commit: &str) {
        self.replace(folder, Node::Repository(commit.to_owned()));
        self.stage(folder);
        let mut state = self.state();
        let tree = state.feature.index.clone();
        state.commit_feature(&tree, &[], "a repository inside\n");
    }

    fn merge_main(&self, with_its_files: bool) {
        let mut state = self.state();
        let main = state.refs.get(&format!("{HEADS}main")).cloned().unwrap_or_default();
        let own = state.files_at(&state.head()).cloned().unwrap_or_default();
        let tree = match with_its_files {
            true => state.merge_of(&main, &state.head()).expect("there is no conflict"),
            false => own,
        };
        state.lay_out_feature(&tree);
        state.commit_feature(&tree, &[main], "with main\n");
    }

    fn reset_to_main(&self) {
        let mut state = self.state();
        let main = state.refs.get(&format!("{HEADS}main")).cloned().unwrap_or_default();
        let tree = state.files_at(&main).cloned().unwrap_or_default();
        state.lay_out_feature(&tree);
        state.feature.index = tree;
        if let Head::Branch(name) = state.feature.head.clone() {
            state.refs.insert(name, main);
        }
    }

    fn switch_to_new(&self, branch: &str) {
        let mut state = self.state();
        let head = state.head();
        let full = format!("{HEADS}{branch}");
        state.refs.insert(full.clone(), head.clone());
        state.feature.head = Head::Branch(full);
        state.feature.log.push((head, Some(branch.to_owned())));
    }

    fn detach(&self) {
        let mut state = self.state();
        let head = state.head();
        state.feature.head = Head::Detached(head.clone());
        state.feature.log.push((head.clone(), Some(head)));
    }

    fn branch(&self, name: &str) {
        let mut state = self.state();
        let head = state.head();
        state.refs.insert(format!("{HEADS}{name}"), head);
    }

    fn move_branch(&self, name: &str) {
        self.branch(name);
    }

    fn delete_branch(&self, name: &str) {
        self.state().refs.remove(&format!("{HEADS}{name}"));
    }

    fn tag(&self, name: &str) {
        let mut state = self.state();
        let head = state.head();
        state.refs.insert(format!("{TAGS}{name}"), head);
    }

    fn begin_cherry_pick(&self) {
        self.state().feature.unfinished = Some("cherry-pick");
    }

    fn remove_worktree(&self) {
        let mut state = self.state();
        state.feature.files.clear();
        state.feature.nested.clear();
        state.feature.gone = true;
    }

    fn put_git(&self, path: &str, text: &str) {
        self.state().setup.insert(path.to_owned(), text.to_owned());
    }

    fn look_git(&self, path: &str) -> Option<String> {
        self.state().setup.get(path).cloned()
    }

    fn forget_identity(&self) {
        self.state().nobody = true;
    }

    fn put_base(&self, path: &str, text: &str) {
        self.state().main.files.insert(path.to_owned(), Node::text(text));
    }

    fn look_base(&self, path: &str) -> Option<String> {
        text_at(&self.state().main.files, path)
    }

    fn commit_base_as(&self, path: &str, text: &str, message: &str) {
        let mut state = self.state();
        state.main.files.insert(path.to_owned(), Node::text(text));
        state.main.index.insert(path.to_owned(), Node::text(text));
        let (tree, head) = (state.main.index.clone(), state.commit_of(&state.main.head));
        let commit = state.store_commit(&tree, &[head], &format!("{message}\n"));
        if let Head::Branch(name) = state.main.head.clone() {
            state.refs.insert(name, commit);
        }
    }

    fn switch_base_to_new(&self, branch: &str) {
        let mut state = self.state();
        let (full, head) = (format!("{HEADS}{branch}"), state.commit_of(&state.main.head));
        state.refs.insert(full.clone(), head);
        state.main.head = Head::Branch(full);
    }

    fn collect(&self) {
        let mut state = self.state();
        let (commits, trees) = state.reachable();
        state.commits.retain(|id, _| commits.contains(id));
        state.trees.retain(|id, _| trees.contains(id));
    }

    fn lose(&self, revision: &Revision) {
        self.state().trees.remove(revision.as_str());
    }

    fn go_on_without(&self, id: &str) {
        let mut state = self.state();
        let head = state.head();
        state.refs.insert(done_without(id), head);
    }

    fn has_folder(&self, folder: &Path) -> bool {
        let state = self.state();
        let is_check = state.check.as_ref().is_some_and(|check| check.folder() == folder);
        let is_copy = state.apart.contains_key(folder);
        drop(state);
        is_check || is_copy || self.state_in(folder).is_some_and(|here| !here.feature.gone)
    }

    fn put_in(&self, folder: &Path, path: &str, text: &str) {
        let mut state = self.state();
        if let Some(check) = state.check.as_mut().filter(|check| check.folder() == folder) {
            check.files.insert(path.to_owned(), Node::text(text));
        } else if let Some(files) = state.apart.get_mut(folder) {
            files.insert(path.to_owned(), Node::text(text));
        } else {
            drop(state);
            let mut here = self.state_at_folder(folder);
            let executable =
                matches!(here.feature.files.get(path), Some(Node::File { executable: true, .. }));
            here.feature.replace(path, Node::File { bytes: text.as_bytes().to_vec(), executable });
        }
    }

    fn take_in(&self, folder: &Path, path: &str) {
        self.state_at_folder(folder).feature.files.remove(path);
    }

    fn commit_in(&self, folder: &Path, message: &str) {
        let mut here = self.state_at_folder(folder);
        let tree = here.visible();
        here.commit_feature(&tree, &[], &format!("{message}\n"));
    }

    fn look_in(&self, folder: &Path, path: &str) -> Option<String> {
        let state = self.state();
        if let Some(check) = state.check.as_ref().filter(|check| check.folder() == folder) {
            return text_at(&check.files, path);
        }
        if let Some(files) = state.apart.get(folder) {
            return text_at(files, path);
        }
        drop(state);
        text_at(&self.state_at_folder(folder).feature.files, path)
    }

    fn files_of(&self, reference: &str) -> Option<BTreeMap<String, String>> {
        let state = self.state();
        let id = state.refs.get(reference)?;
        let tree = state.files_at(id).or_else(|| state.trees.get(id))?;
        let text = |node: &Node| match node {
            // Its files are its own.
            Node::Repository(_) => String::new(),
            node => String::from_utf8_lossy(node.stored()).into_owned(),
        };
        Some(tree.iter().map(|(path, node)| (path.clone(), text(node))).collect())
    }

    fn log(&self, branch: &str) -> Vec<String> {
        self.log_of(&format!("{HEADS}{branch}"))
    }

    fn log_of(&self, reference: &str) -> Vec<String> {
        let state = self.state();
        let Some(tip) = state.refs.get(reference) else { return Vec::new() };
        let subject = |id: &String| {
            let message = state.commits.get(id).map(|commit| commit.message.as_str());
            message.and_then(|message| message.lines().next()).unwrap_or_default().to_owned()
        };
        state.history(tip).iter().map(subject).collect()
    }

    fn slots(&self) -> Vec<u16> {
        self.state().slots.iter().filter(|(_, there)| !there.gone).map(|(slot, _)| *slot).collect()
    }

    fn slot_folder(&self, slot: u16) -> PathBuf {
        folder_of(Some(slot)).into()
    }

    fn remove_slot(&self, slot: u16) {
        if let Some(there) = self.state().slots.get_mut(&slot) {
            there.files.clear();
            there.nested.clear();
            there.gone = true;
        }
    }

    fn check_out_elsewhere(&self, path: &str, text: &str) {
        let mut state = self.state();
        let tree = state.files_at(&state.head()).cloned().unwrap_or_default();
        let mut files = tree.clone();
        files.insert(path.to_owned(), Node::text(text));
        let head = state.feature.head.clone();
        state.elsewhere = Some(Worktree { head, index: tree, files, ..Worktree::default() });
    }

    fn look_elsewhere(&self, path: &str) -> Option<String> {
        text_at(&self.state().elsewhere.as_ref()?.files, path)
    }

    fn has_stored(&self, text: &str) -> bool {
        let wanted = Node::text(text);
        self.state().trees.values().any(|tree| tree.values().any(|node| *node == wanted))
    }

    fn refs(&self) -> Vec<String> {
        self.state().public_refs().into_keys().collect()
    }
}

impl State {
    /// Puts the files of a tree in the place of those that git tracks.
    fn lay_out_feature(&mut self, tree: &Tree) {
        let feature = &mut self.feature;
        feature.files.retain(|path, _| !feature.index.contains_key(path));
        feature.files.extend(tree.clone());
    }

    /// Commits a tree on the feature's HEAD, with `others` as further parents.
    fn commit_feature(&mut self, tree: &Tree, others: &[String], message: &str) {
        let parents = [&[self.head()], others].concat();
        let commit = self.store_commit(tree, &parents, message);
        self.feature.index = tree.clone();
        self.feature.log.push((commit.clone(), None));
        match self.feature.head.clone() {
            Head::Branch(name) => drop(self.refs.insert(name, commit)),
            Head::Detached(_) => self.feature.head = Head::Detached(commit),
        }
    }

    /// The commits and trees that a ref, a HEAD, its log or an index leads to. Logs of HEAD are emptied before git
    /// collects garbage, and here as well.
    fn reachable(&mut self) -> (BTreeSet<String>, BTreeSet<String>) {
        self.main.log.clear();
        self.feature.log.clear();
        self.slots.values_mut().for_each(|slot| slot.log.clear());
        let mut heads = vec![self.head(), self.commit_of(&self.main.head)];
        heads.extend(self.slots.values().map(|slot| self.commit_of(&slot.head)));
        let ids: Vec<String> = self.refs.values().cloned().chain(heads).collect();
        let commits: BTreeSet<String> = ids.iter().flat_map(|id| self.history(id)).collect();
        let mut trees: BTreeSet<String> = ids.into_iter().filter(|id| self.trees.contains_key(id)).collect();
        trees.extend(commits.iter().filter_map(|id| Some(self.commits.get(id)?.tree.clone())));
        let slots = self.slots.values().map(|slot| slot.index.clone());
        let indexes: Vec<Tree> =
            [self.main.index.clone(), self.feature.index.clone()].into_iter().chain(slots).collect();
        for index in indexes {
            trees.insert(self.store_tree(&index));
        }
        (commits, trees)
    }
}

fn text_at(files: &Tree, path: &str) -> Option<String> {
    match files.get(path)? {
        Node::File { bytes, .. } => Some(String::from_utf8_lossy(bytes).into_owned()),
        Node::Link(_) | Node::Repository(_) | Node::Pipe => None,
    }
}
