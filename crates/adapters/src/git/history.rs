//! What the history of the checkout we are in says about files: when folders of features entered it, who wrote the
//! lines of a file, and which files changed after which commit.
//!
//! Order is the order of commits; clocks only decide between branches that know nothing of each other. Nothing here
//! knows what the files mean.

use super::error::GitError;
use super::repository::Repository;
use std::collections::HashMap;

/// A folder that came into the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entered {
    pub name: String,
    pub at_ms: i64,
}

/// The commit that a line of a file comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineOrigin {
    pub commit: String,
    pub at_ms: i64,
}

/// A commit of the main line and the files that it changed there, of those that were asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainLineCommit {
    pub commit: String,
    pub files: Vec<String>,
}

/// More commits than are ever looked back on; older ones count as before all of them.
const STEPS_MAX: usize = 20_000;

/// Begins what a commit says, in listings whose other items are paths.
const COMMIT: char = '\u{1}';

impl Repository {
    /// The folders right below `folder` in the order they entered HEAD or any local branch. A renamed one keeps its
    /// place under the new name.
    pub fn entered(&self, folder: &str) -> Result<Vec<Entered>, GitError> {
        if self.commit_named("HEAD")?.is_none() {
            return Ok(Vec::new());
        }
        let call =
            self.call(["log", "--date-order", "--reverse", "--diff-filter=AR", "--name-status", "-M", "-z"]);
        let call = call.arg("--format=%x01%at").arg("--branches").arg("HEAD").arg("--").arg(folder);
        let mut found: Vec<Entered> = Vec::new();
        // Where each stands in the list.
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut at_ms = i64::MIN;
        let items = words(&call.list()?);
        let mut items = items.iter().map(String::as_str);
        while let Some(item) = items.next() {
            if let Some(seconds) = item.strip_prefix(COMMIT) {
                // A clock that was set back does not change the order.
                at_ms = at_ms.max(seconds.trim().parse::<i64>().unwrap_or_default().saturating_mul(1000));
                continue;
            }
            let before = if item.starts_with('R') { items.next() } else { None };
            let name = items.next().and_then(|path| child(path, folder));
            let (before, Some(name)) = (before.and_then(|path| child(path, folder)), name) else { continue };
            if places.contains_key(name) {
                continue;
            }
            match before.and_then(|before| places.remove(before)) {
                Some(place) => {
                    found[place].name = name.to_owned();
                    places.insert(name.to_owned(), place);
                }
                None => {
                    places.insert(name.to_owned(), found.len());
                    found.push(Entered { name: name.to_owned(), at_ms });
                }
            }
        }
        Ok(found)
    }

    /// For each line of a file of the checkout, the commit of the main line it came with; none for lines not committed
    /// yet, and no lines at all for a file that git does not know.
    pub fn lines_of(&self, path: &str) -> Result<Vec<Option<LineOrigin>>, GitError> {
        let call = self.call(["blame", "--porcelain", "--first-parent", "-w", "--", path]);
        let done = call.setting("blame.ignoreRevsFile=").end()?;
        if done.code != Some(0) {
            return Ok(Vec::new());
        }
        let mut times: HashMap<String, i64> = HashMap::new();
        let mut lines: Vec<String> = Vec::new();
        let mut commit = String::new();
        for line in done.lines() {
            let text = String::from_utf8_lossy(line);
            if text.starts_with('\t') {
                lines.push(commit.clone());
            } else if let Some(seconds) = text.strip_prefix("author-time ") {
                times.insert(commit.clone(), seconds.parse::<i64>().unwrap_or_default().saturating_mul(1000));
            } else if let Some(id) = text.split(' ').next().filter(|id| is_commit(id)) {
                id.clone_into(&mut commit);
            }
        }
        let written = |commit: String| {
            let at_ms = times.get(&commit).copied().unwrap_or_default();
            Some(LineOrigin { commit, at_ms })
                .filter(|written| written.commit.bytes().any(|byte| byte != b'0'))
        };
        Ok(lines.into_iter().map(written).collect())
    }

    /// The commits of the main line that changed any of these files, the latest first. A merge is one commit.
    pub fn steps(&self, paths: &[&str]) -> Result<Vec<MainLineCommit>, GitError> {
        if paths.is_empty() || self.commit_named("HEAD")?.is_none() {
            return Ok(Vec::new());
        }
        let call = self.call(["log", "--first-parent", "-m", "--name-only", "--no-renames", "-z"]);
        let call = call.arg(format!("--max-count={STEPS_MAX}")).arg("--format=%x01%H").arg("HEAD").arg("--");
        let call = paths.iter().fold(call, |call, path| call.arg(path));
        let mut steps: Vec<MainLineCommit> = Vec::new();
        for item in words(&call.list()?) {
            match (item.strip_prefix(COMMIT), steps.last_mut()) {
                (Some(commit), _) => {
                    steps.push(MainLineCommit { commit: commit.trim().to_owned(), files: Vec::new() })
                }
                (None, Some(step)) => step.files.push(item),
                (None, None) => {}
            }
        }
        Ok(steps)
    }

    /// The folders right below `folder` in which a commit changed something, compared with the commit before
    /// it on the main line.
    pub fn touched_below(&self, commit: &str, folder: &str) -> Result<Vec<String>, GitError> {
        let call =
            self.call(["log", "--first-parent", "-m", "--name-only", "--no-renames", "-z", "--max-count=1"]);
        let call = call.arg("--format=%x01%H").arg("--end-of-options").arg(commit).arg("--");
        let mut names: Vec<String> = Vec::new();
        for item in words(&call.list()?) {
            if let Some(name) = child(&item, folder).filter(|name| !names.iter().any(|known| known == name)) {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Every file that git knows in the checkout we are in.
    pub fn tracked(&self) -> Result<Vec<String>, GitError> {
        Ok(words(&self.call(["ls-files", "-z"]).list()?))
    }
}

/// The items of a listing; git puts a line break between what a commit says and its paths.
fn words(items: &[Vec<u8>]) -> Vec<String> {
    let words = items.iter().map(|item| String::from_utf8_lossy(item).trim_start_matches('\n').to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

/// The name of the folder right below `folder` that a path leads through.
fn child<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(folder)?.strip_prefix('/')?;
    rest.split_once('/').map(|(name, _)| name)
}

fn is_commit(word: &str) -> bool {
    matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::super::tests::repositories::TestRepository;
    use super::*;

    fn commit(bed: &TestRepository, files: &[(&str, &str)]) {
        for (path, text) in files {
            bed.write(path, text);
        }
        bed.raw(&bed.root, &["add", "."]);
        bed.raw(&bed.root, &["commit", "-q", "-m", "step"]);
    }

    fn names(entered: &[Entered]) -> Vec<&str> {
        entered.iter().map(|entered| entered.name.as_str()).collect()
    }

    #[test]
    fn folders_enter_in_the_order_of_commits_and_keep_their_place_when_renamed() {
        let bed = TestRepository::without_commits();
        assert!(
            Repository::discover_with(bed.git.clone(), &bed.root)
                .unwrap()
                .entered("docs/f")
                .unwrap()
                .is_empty()
        );
        commit(&bed, &[("docs/f/009-late/a.md", "a\n"), ("docs/f/README.md", "no folder\n")]);
        commit(&bed, &[("docs/f/002-b/a.md", "b is this\n")]);
        commit(&bed, &[("docs/f/002-c/a.md", "c\n"), ("docs/f/009-late/b.md", "x\n")]);
        bed.raw(&bed.root, &["mv", "docs/f/002-b", "docs/f/003-b"]);
        commit(&bed, &[]);
        let repository = Repository::discover_with(bed.git.clone(), &bed.root).unwrap();
        assert_eq!(names(&repository.entered("docs/f").unwrap()), ["009-late", "003-b", "002-c"]);
    }

    #[test]
    fn lines_lead_to_their_commits_and_steps_to_what_changed_after_them() {
        let bed = TestRepository::without_commits();
        commit(&bed, &[("bank.md", "one\n"), ("docs/f/001-a/x.md", "x\n"), ("a.rs", "1\n")]);
        commit(&bed, &[("bank.md", "one\ntwo\n")]);
        commit(&bed, &[("a.rs", "2\n"), ("b.rs", "1\n")]);
        bed.write("bank.md", "one\ntwo\nthree\n");
        let repository = Repository::discover_with(bed.git.clone(), &bed.root).unwrap();
        let lines = repository.lines_of("bank.md").unwrap();
        let steps = repository.steps(&["bank.md", "a.rs"]).unwrap();
        let at = |line: usize| {
            let written = lines[line].as_ref()?;
            steps.iter().position(|step| step.commit == written.commit)
        };
        assert_eq!((lines.len(), at(0), at(1), at(2)), (3, Some(2), Some(1), None));
        assert_eq!(steps[0].files, ["a.rs"]);
        let first = lines[0].clone().unwrap().commit;
        assert_eq!(repository.touched_below(&first, "docs/f").unwrap(), ["001-a"]);
        assert!(repository.lines_of("unknown.md").unwrap().is_empty());
        assert_eq!(repository.tracked().unwrap(), ["a.rs", "b.rs", "bank.md", "docs/f/001-a/x.md"]);
    }

    #[test]
    fn what_a_merge_brings_is_one_step_of_the_main_line() {
        let bed = TestRepository::without_commits();
        commit(&bed, &[("bank.md", "one\n"), ("a.rs", "1\n")]);
        bed.raw(&bed.root, &["switch", "-q", "-c", "side"]);
        commit(&bed, &[("a.rs", "2\n")]);
        bed.raw(&bed.root, &["switch", "-q", "main"]);
        commit(&bed, &[("bank.md", "one\ntwo\n")]);
        bed.raw(&bed.root, &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
        let repository = Repository::discover_with(bed.git.clone(), &bed.root).unwrap();
        let steps = repository.steps(&["bank.md", "a.rs"]).unwrap();
        let files: Vec<&[String]> = steps.iter().map(|step| step.files.as_slice()).collect();
        // The change was written before the second line and came after it.
        assert_eq!(
            files,
            [&["a.rs".to_owned()][..], &["bank.md".to_owned()], &["a.rs".to_owned(), "bank.md".to_owned()]]
        );
    }
}
