//! Comments as files: `inbox/FEATURE/ID.json` in the state folder, put there by whoever comments on a feature that another
//! process drives, and taken away by that process.
//!
//! A comment is written whole under another name and then renamed, so a file that is there is complete. Names begin with
//! the time, so that the oldest comes first.

use crate::barrier::sync_folder;
use crate::plain_file;
use crate::signing::{Signer, has_mark, mark};
use redraft_engine::ports::{Comment, CommentBox};
use redraft_facts::ids::{CommentId, FindingId};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_facts::verdict::Severity;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const VERSION: u16 = 1;

/// More than a person types; a larger file is not one of ours.
const BYTES_MAX: u64 = 1024 * 1024;

/// What cannot be stored is kept here.
const ASIDE: &str = "refused";

/// Keeps signatures of comments apart from those of anything else.
const COMMENT: &str = "redraft comment 1";

pub struct FileCommentBox {
    inbox: PathBuf,
    /// Without it nothing is signed, and whatever is there is taken.
    signer: Option<Arc<Signer>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    v: u16,
    id: CommentId,
    phase: Phase,
    reopens: Option<FindingId>,
    severity: Severity,
    file: String,
    line: u32,
    text: String,
    by: String,
    /// In hex, of all before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// A new id, which begins with the time so that ids sort as they were made.
pub fn new_comment_id(now_ms: i64) -> CommentId {
    let random = crate::sqlite::new_feature_uuid().to_string();
    let random: String = random.chars().filter(char::is_ascii_hexdigit).take(16).collect();
    CommentId::new(format!("{now_ms:013}-{random}"))
}

impl FileCommentBox {
    pub fn new(state: &Path) -> Self {
        Self { inbox: state.join("inbox"), signer: None }
    }

    /// Signs every comment, and takes none that is not signed with this key.
    #[must_use]
    pub fn signed_by(self, signer: Option<Arc<Signer>>) -> Self {
        Self { signer, ..self }
    }

    /// Leaves a comment for the process that drives the feature.
    pub fn put(&self, scope: &Scope, comment: &Comment) -> io::Result<()> {
        let Comment { id, phase, reopens, severity, file, line, text, by } = comment.clone();
        let path = self.path(scope, &id)?;
        let part = path.with_file_name(format!(".part-{id}"));
        let signature = None;
        let mut kept = Kept { v: VERSION, id, phase, reopens, severity, file, line, text, by, signature };
        let signed = mark(self.signer.as_deref(), COMMENT, &[&scope.to_string()], &kept);
        kept.signature = signed.map_err(io::Error::other)?;
        let folder = path.parent().unwrap_or(&self.inbox);
        fs::create_dir_all(folder)?;
        let mut writing = fs::File::create_new(&part)?;
        writing.write_all(&serde_json::to_vec(&kept)?)?;
        writing.sync_all()?;
        fs::rename(&part, &path)?;
        sync_folder(folder)
    }

    /// How many comments wait for a feature. What is not one, and what a newer program left, is not counted: nobody here
    /// stores it.
    pub fn count(&self, scope: &Scope) -> usize {
        self.waiting(scope).map(|waiting| waiting.len()).unwrap_or(0)
    }

    /// What was said to a feature that was over by the time it could be stored, so that it never was.
    pub fn refused(&self, scope: &Scope) -> Vec<Comment> {
        let names = names_in(&self.folder(scope).join(ASIDE)).unwrap_or_default();
        names.iter().filter_map(|path| self.read(scope, path)).collect()
    }

    fn folder(&self, scope: &Scope) -> PathBuf {
        self.inbox.join(scope.to_string())
    }

    /// None where the file is of another version, of somebody else, or gone.
    fn read(&self, scope: &Scope, path: &Path) -> Option<Comment> {
        plain_file::check(path).ok()?;
        if fs::symlink_metadata(path).ok()?.len() > BYTES_MAX {
            return None;
        }
        let mut kept: Kept = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let signature = kept.signature.take();
        let signer = self.signer.as_deref();
        let is_ours = has_mark(signer, COMMENT, &[&scope.to_string()], &kept, signature.as_ref());
        let Kept { v, id, phase, reopens, severity, file, line, text, by, .. } = kept;
        let own_name = path.file_stem().is_some_and(|stem| stem.to_string_lossy() == id.as_str());
        let is_one = v == VERSION && own_name && is_ours;
        is_one.then_some(Comment { id, phase, reopens, severity, file, line, text, by })
    }

    /// Where a comment is kept. Its id must be a name and nothing else.
    fn path(&self, scope: &Scope, id: &CommentId) -> io::Result<PathBuf> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if id.as_str().is_empty() || !id.as_str().bytes().all(plain) {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                format!("{id:?} cannot be the name of a comment"),
            ));
        }
        Ok(self.folder(scope).join(format!("{id}.json")))
    }
}

/// The files in a folder that may be comments, the oldest first.
fn names_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
        if !hidden && path.extension().is_some_and(|ending| ending == "json") {
            names.push(path);
        }
    }
    names.sort();
    Ok(names)
}

impl CommentBox for FileCommentBox {
    fn waiting(&self, scope: &Scope) -> Result<Vec<Comment>, String> {
        let folder = self.folder(scope);
        let names = names_in(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(names.iter().filter_map(|path| self.read(scope, path)).collect())
    }

    fn remove(&self, scope: &Scope, id: &CommentId) -> Result<(), String> {
        let path = self.path(scope, id).map_err(|error| error.to_string())?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(format!("{}: {error}", path.display())),
            _ => Ok(()),
        }
    }

    fn put_aside(&self, scope: &Scope, id: &CommentId) -> Result<(), String> {
        let path = self.path(scope, id).map_err(|error| error.to_string())?;
        let folder = self.folder(scope).join(ASIDE);
        let moved =
            fs::create_dir_all(&folder).and_then(|()| fs::rename(&path, folder.join(format!("{id}.json"))));
        match moved {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(format!("{}: {error}", path.display())),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::ids::FeatureId;

    fn said(id: &CommentId, text: &str) -> Comment {
        let (file, by) = ("spec.md".to_owned(), "ann".to_owned());
        let (id, text, phase) = (id.clone(), text.to_owned(), Phase::Specify);
        Comment { id, phase, reopens: None, severity: Severity::Blocker, file, line: 3, text, by }
    }

    #[test]
    fn comments_come_back_in_the_order_they_were_made_until_they_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let inbox = FileCommentBox::new(folder.path());
        let (scope, other) = (Scope::Feature(FeatureId(1)), Scope::Feature(FeatureId(2)));
        let ids = [new_comment_id(999_999_999_999), new_comment_id(1_000_000_000_000)];
        inbox.put(&scope, &said(&ids[1], "second")).unwrap();
        inbox.put(&scope, &said(&ids[0], "first \u{1b}[31m")).unwrap();
        let texts = |inbox: &FileCommentBox, scope: &Scope| -> Vec<String> {
            inbox.waiting(scope).unwrap().into_iter().map(|one| one.text).collect()
        };
        assert_eq!(texts(&inbox, &scope), ["first \u{1b}[31m", "second"]);
        assert!(texts(&inbox, &other).is_empty());
        inbox.remove(&scope, &ids[0]).unwrap();
        inbox.remove(&scope, &ids[0]).unwrap();
        inbox.put_aside(&scope, &ids[1]).unwrap();
        assert_eq!((texts(&inbox, &scope).len(), inbox.count(&scope)), (0, 0));
        assert!(folder.path().join(format!("inbox/001/refused/{}.json", ids[1])).is_file());
        let refused: Vec<String> = inbox.refused(&scope).into_iter().map(|one| one.text).collect();
        assert_eq!((refused, inbox.refused(&other).len()), (vec!["second".to_owned()], 0));
    }

    #[test]
    fn a_comment_that_somebody_planted_is_not_taken() {
        let [folder, home] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let home = home.path().as_os_str().to_owned();
        let trust =
            crate::trust::Trust::from_environment(|name| (name == "XDG_STATE_HOME").then(|| home.clone()));
        let place = crate::trust::RepositoryPlace { git: folder.path(), checkout: folder.path() };
        let signer = Arc::new(trust.signer(place, folder.path()).unwrap());
        let own = FileCommentBox::new(folder.path()).signed_by(Some(signer));
        let (scope, other) = (Scope::Feature(FeatureId(1)), Scope::Feature(FeatureId(2)));
        let ids = [1, 2].map(new_comment_id);
        own.put(&scope, &said(&ids[0], "mine")).unwrap();
        FileCommentBox::new(folder.path()).put(&scope, &said(&ids[1], "planted")).unwrap();
        assert_eq!(own.waiting(&scope), Ok(vec![said(&ids[0], "mine")]));
        // Nor is one that was said of another feature.
        fs::create_dir_all(own.folder(&other)).unwrap();
        fs::copy(own.path(&scope, &ids[0]).unwrap(), own.path(&other, &ids[0]).unwrap()).unwrap();
        assert_eq!(own.waiting(&other), Ok(Vec::new()));
        assert_eq!(FileCommentBox::new(folder.path()).count(&other), 1, "it is there, in the right form");
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let inbox = FileCommentBox::new(folder.path());
        let scope = Scope::Feature(FeatureId(1));
        let place = folder.path().join("inbox/001");
        fs::create_dir_all(place.join("folder.json")).unwrap();
        let good = br#"{"v":1,"id":"a","phase":"specify","reopens":null,"severity":"blocker","file":"","line":0,"text":"t","by":"b"}"#;
        for (name, bytes) in [
            ("newer.json", br#"{"v":2,"id":"newer","text":"t"}"#.as_slice()),
            ("half.json", br#"{"v":1,"#),
            ("named-otherwise.json", good),
            (".part-1", good),
        ] {
            fs::write(place.join(name), bytes).unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", place.join("link.json")).unwrap();
        assert!(inbox.waiting(&scope).unwrap().is_empty());
        assert_eq!(inbox.count(&scope), 0, "nobody would ever store it");
        fs::write(place.join("a.json"), good).unwrap();
        assert_eq!((inbox.waiting(&scope).unwrap().len(), inbox.count(&scope)), (1, 1));
        for hostile in ["../../x", "", "a/b", "a.b"] {
            assert!(inbox.put(&scope, &said(&CommentId::new(hostile), "t")).is_err(), "{hostile}");
        }
    }
}
