//! Finds the files that git does not see, by the few kinds of patterns that scenarios use.

use super::tree::{Node, Tree};

/// The patterns of a repository: `*.log` (names that end so), `build/` (folders of that name) and `notes.txt` (whatever has
/// that name), each wherever it stands.
#[derive(Debug, Default)]
pub(super) struct Ignore {
    patterns: Vec<String>,
}

impl Ignore {
    /// Those of the `.gitignore` at the root, and those of the repository itself.
    pub(super) fn new(files: &Tree, exclude: Option<&String>) -> Ignore {
        let own = match files.get(".gitignore") {
            Some(Node::File { bytes, .. }) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        };
        let lines = own.lines().chain(exclude.into_iter().flat_map(|text| text.lines()));
        let patterns = lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let patterns: Vec<String> = patterns.map(str::to_owned).collect();
        for pattern in &patterns {
            let plain = pattern.trim_start_matches('*').trim_end_matches('/');
            let known = !plain.contains(['*', '?', '[', '!', '/', '\\']);
            assert!(known, "the fake does not know patterns such as {pattern}");
        }
        Ignore { patterns }
    }

    /// The path by which a file is ignored: its own, or that of a folder above it, with a slash behind it.
    pub(super) fn of_path(&self, path: &str) -> Option<String> {
        let parts: Vec<&str> = path.split('/').collect();
        (1..=parts.len()).find_map(|length| {
            let (is_folder, name) = (length < parts.len(), parts[length - 1]);
            let matches = self.patterns.iter().any(|pattern| matches(pattern, name, is_folder));
            let slash = if is_folder { "/" } else { "" };
            matches.then(|| format!("{}{slash}", parts[..length].join("/")))
        })
    }
}

fn matches(pattern: &str, name: &str, is_folder: bool) -> bool {
    match (pattern.strip_suffix('/'), pattern.strip_prefix('*')) {
        (Some(folder), _) => is_folder && folder == name,
        (None, Some(end)) => name.ends_with(end),
        (None, None) => pattern == name,
    }
}
