//! Switches off the skills of a repository for reviewers of it.
//!
//! That Codex lists no skills is a setting. But if a document names one, as in `$name`, its text would still be put
//! before the model, so each is switched off by its path. Start at [`off`].

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Where Codex looks for skills of a project.
const PLACES: [&str; 2] = [".agents/skills", ".codex/skills"];
const NAME: &str = "SKILL.md";
/// Codex looks no deeper.
const DEPTH_MAX: usize = 8;
/// More than any project has, and a bound for links that lead in a circle.
const FILES_MAX: usize = 2_000;

/// The words of the command line that switch off every skill of a folder; none where it has none.
pub(super) fn off(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    PLACES.iter().for_each(|place| find(&folder.join(place), DEPTH_MAX, &mut files));
    let real: Vec<PathBuf> = files.iter().filter_map(|file| fs::canonicalize(file).ok()).collect();
    files.extend(real);
    files.sort_unstable();
    files.dedup();
    if files.is_empty() {
        return Vec::new();
    }
    let entry =
        |file: &PathBuf| format!("{{path={},enabled=false}}", Value::from(file.display().to_string()));
    let entries: Vec<String> = files.iter().map(entry).collect();
    vec!["-c".to_owned(), format!("skills.config=[{}]", entries.join(","))]
}

fn find(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        // Links are followed, as Codex does.
        if path.is_dir() && depth > 0 && files.len() < FILES_MAX {
            find(&path, depth - 1, files);
        } else if path.file_name().is_some_and(|name| name == NAME) {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_skill_of_a_folder_is_switched_off_by_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        assert_eq!(off(&root), [""; 0]);
        for place in [".agents/skills/a", ".codex/skills/b/c", "elsewhere/d"] {
            fs::create_dir_all(root.join(place)).unwrap();
            fs::write(root.join(place).join(NAME), "---\nname: x\n---\n").unwrap();
        }
        std::os::unix::fs::symlink(root.join("elsewhere/d"), root.join(".agents/skills/linked")).unwrap();
        std::os::unix::fs::symlink(root.join(".agents/skills"), root.join(".agents/skills/circle")).unwrap();
        let words = off(&root);
        let table: toml::Table = words[1].parse().unwrap();
        let listed = table["skills"]["config"].as_array().unwrap();
        let off = |path: &str| {
            let path = root.join(path).join(NAME).display().to_string();
            listed
                .iter()
                .any(|one| one["path"].as_str() == Some(&path) && one["enabled"].as_bool() == Some(false))
        };
        for path in [".agents/skills/a", ".codex/skills/b/c", ".agents/skills/linked", "elsewhere/d"] {
            assert!(off(path), "{path}: {words:?}");
        }
        assert!(listed.len() < 100, "a circle ends: {}", listed.len());
    }
}
