//! Lists the files of a folder as git sees them, for searches.

use super::run::Git;
use std::path::Path;

impl Git {
    /// The paths below a folder that are tracked, or new and not ignored, in no particular order; none where the folder
    /// is no part of a worktree. It asks git for nothing but names, so no filter of the repository runs.
    pub fn open_files(&self, folder: &Path) -> Option<Vec<Vec<u8>>> {
        let words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
        self.call(folder, words).list().ok()
    }
}
