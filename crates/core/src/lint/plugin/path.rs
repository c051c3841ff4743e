//! Paths inside a plugin: always with `/`, never with a `.` or `..` in them.
//!
//! Nothing here looks at a file system. Start at [`resolve`].

use crate::prelude::*;

/// A path as the plugin's files are named, or none where it leads out of the plugin.
pub(super) fn resolve(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    let folder = if path.starts_with('/') { "" } else { folder };
    for part in folder.split('/').chain(path.split(['/', '\\'])) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
}

/// All but the last part.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part without its ending.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_or_are_none() {
        assert_eq!(resolve("skills/a", "./b/../c.md").as_deref(), Some("skills/a/c.md"));
        assert_eq!(resolve("skills/a", "../../x").as_deref(), Some("x"));
        assert_eq!(resolve("skills/a", "../../../x"), None);
        assert_eq!(resolve("", "./").as_deref(), Some(""));
        assert_eq!((folder("a/b/c.md"), stem("a/b/c.md"), stem("c")), ("a/b", "c", "c"));
    }
}
