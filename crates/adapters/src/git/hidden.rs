//! Marks of an index that hide changes of a file from git: `skip-worktree` and `assume-unchanged`.
//!
//! A file with such a mark is neither compared nor committed, whatever was written into it. People use these marks in
//! their own checkouts, and a sparse checkout is made of them; an agent that sets one hides what it does. So those that
//! are new since the worktree was marked are removed, and what they hid is undone.

use super::error::GitError;
use super::index_form::bears_marks;
use super::last_mark::Hidden;
use super::workspace::GitWorkspace;

pub(super) fn look(workspace: &GitWorkspace) -> Result<Hidden, GitError> {
    let Some(index) = workspace.index()? else { return Ok(Hidden::new()) };
    // Usually there is none, and then no process is started.
    if bears_marks(index.bytes()) == Some(false) {
        return Ok(Hidden::new());
    }
    let listed = workspace.call(["ls-files", "-v", "-z"]).list()?;
    let marked = |line: &&Vec<u8>| line.first().is_some_and(|tag| *tag == b'S' || tag.is_ascii_lowercase());
    Ok(listed.iter().filter(marked).filter_map(|line| line.get(2..)).map(<[u8]>::to_vec).collect())
}

/// Removes the marks that were not there before. Returns the files that had one.
pub(super) fn clear(workspace: &GitWorkspace) -> Result<Vec<String>, GitError> {
    let then = match workspace.hidden() {
        Some(then) => then,
        // After a crash the earlier marks are unknown; a person's checkout, or a sparse one, has marks of its own.
        None if workspace.link.is_none() || workspace.git_dir.join("info/sparse-checkout").exists() => {
            return Ok(Vec::new());
        }
        None => Hidden::new(),
    };
    let now = look(workspace)?;
    let new: Vec<&[u8]> = now.difference(&then).map(Vec::as_slice).collect();
    if new.is_empty() {
        return Ok(Vec::new());
    }
    // Git takes one of these options at a time.
    for option in ["--no-skip-worktree", "--no-assume-unchanged"] {
        let call = workspace.writing(["update-index", option, "-z", "--stdin"]);
        call.input_list(new.iter().copied()).succeed()?;
    }
    Ok(new.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::repositories::{TestRepository, put};
    use super::*;
    use redraft_engine::ports::Workspace as _;

    #[test]
    fn marks_are_found_in_every_form_of_an_index() {
        let forms: [&[&str]; 4] = [
            &["update-index", "--index-version", "2"],
            &["update-index", "--index-version", "3"],
            &["update-index", "--index-version", "4"],
            &["update-index", "--split-index"],
        ];
        for form in forms {
            for option in ["--skip-worktree", "--assume-unchanged"] {
                let bed = TestRepository::new();
                let place = bed.feature();
                let long = format!("{}/x.txt", "long".repeat(60));
                put(place.root(), &long, "x");
                bed.raw(place.root(), &["add", &long]);
                bed.raw(place.root(), form);
                assert_eq!(look(&place).unwrap(), Hidden::new(), "{form:?}");
                bed.raw(place.root(), &["update-index", option, "src/x.rs"]);
                assert_eq!(look(&place).unwrap(), Hidden::from([b"src/x.rs".to_vec()]), "{form:?} {option}");
            }
        }
    }

    #[test]
    fn marks_that_were_there_before_stay_and_new_ones_go() {
        let bed = TestRepository::new();
        let place = bed.feature();
        bed.raw(place.root(), &["update-index", "--skip-worktree", "README.md"]);
        place.mark(&[]).unwrap();
        bed.raw(place.root(), &["update-index", "--assume-unchanged", "src/x.rs"]);
        assert_eq!(clear(&place).unwrap(), ["src/x.rs"]);
        assert_eq!(look(&place).unwrap(), Hidden::from([b"README.md".to_vec()]));
    }
}
