//! The box of comments as files.

use crate::world::CommentsAt;
use redraft_adapters::comment_box::FileCommentBox;
use redraft_engine::ports::{Comment, CommentBox};
use redraft_facts::ids::CommentId;
use redraft_facts::ticket::Scope;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) struct RealComments {
    adapter: FileCommentBox,
    inbox: PathBuf,
}

impl RealComments {
    pub(super) fn new(state: &Path) -> RealComments {
        RealComments { adapter: FileCommentBox::new(state), inbox: state.join("inbox") }
    }

    fn file(&self, scope: &Scope, id: &CommentId) -> PathBuf {
        self.inbox.join(scope.to_string()).join(format!("{id}.json"))
    }
}

impl CommentsAt for RealComments {
    fn inbox(&self) -> &dyn CommentBox {
        &self.adapter
    }

    fn put(&self, scope: &Scope, comment: &Comment) -> Result<(), String> {
        self.adapter.put(scope, comment).map_err(|error| error.to_string())
    }

    fn put_newer(&self, scope: &Scope, id: &CommentId) {
        let file = self.file(scope, id);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, format!(r#"{{"v":999,"id":"{id}","more":true}}"#)).unwrap();
    }

    fn holds(&self, scope: &Scope, id: &CommentId) -> bool {
        self.file(scope, id).symlink_metadata().is_ok()
    }

    fn aside(&self, scope: &Scope) -> Vec<Comment> {
        self.adapter.refused(scope)
    }

    fn spoil(&self, scope: &Scope) {
        let folder = self.inbox.join(scope.to_string());
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir_all(&self.inbox).unwrap();
        fs::write(folder, "a file where a folder is expected").unwrap();
    }
}
