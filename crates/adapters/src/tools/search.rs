//! Finding files by pattern and lines by text, in a bounded walk over the working folder that follows no link.

use super::Refusal;
use super::place::{self, Folder, is_git};
use std::fs;
use std::path::Path;

const FILES_MAX: usize = 50_000;
const DEPTH_MAX: usize = 64;
const FOUND_MAX: usize = 500;
const HITS_MAX: usize = 200;
const LINE_CHARS_MAX: usize = 300;
const PATTERN_CHARS_MAX: usize = 1_000;

/// The files that match, in order of their paths.
pub(super) fn glob(folder: &Folder, pattern: &str) -> Result<String, Refusal> {
    let walk = matching(folder, pattern)?;
    let total = walk.files.len();
    let mut lines: Vec<String> = walk.files.into_iter().take(FOUND_MAX).collect();
    if total > FOUND_MAX {
        lines.push(format!("(and {} more; narrow the pattern)", total - FOUND_MAX));
    }
    lines.extend(walk.cut);
    Ok(if lines.is_empty() { format!("no file matches `{pattern}`") } else { lines.join("\n") })
}

/// `path:line: text` for each line that contains the text. Files that cannot be read as text are passed over.
pub(super) fn grep(folder: &Folder, text: &str, pattern: &str, any_case: bool) -> Result<String, Refusal> {
    if text.is_empty() || text.contains('\n') {
        return Err(Refusal::Failed("the text to find must be one line and not empty".to_owned()));
    }
    let folded = |line: &str| if any_case { line.to_lowercase() } else { line.to_owned() };
    let wanted = folded(text);
    let walk = matching(folder, pattern)?;
    let mut lines = Vec::new();
    for path in &walk.files {
        let Ok(content) = place::text(&folder.root().join(path), path) else { continue };
        for (at, line) in content.lines().enumerate().filter(|(_, line)| folded(line).contains(&wanted)) {
            if lines.len() == HITS_MAX {
                lines.push(format!("(more than {HITS_MAX} lines; narrow the search)"));
                return Ok(lines.join("\n"));
            }
            let shown: String = line.trim_end().chars().take(LINE_CHARS_MAX).collect();
            lines.push(format!("{path}:{}: {shown}", at + 1));
        }
    }
    lines.extend(walk.cut);
    Ok(if lines.is_empty() { format!("no line contains `{text}`") } else { lines.join("\n") })
}

struct Walk {
    files: Vec<String>,
    /// Said when the folder was too large to be walked to its end.
    cut: Option<String>,
}

fn matching(folder: &Folder, pattern: &str) -> Result<Walk, Refusal> {
    if pattern.chars().count() > PATTERN_CHARS_MAX {
        return Err(Refusal::Failed(format!("the pattern has more than {PATTERN_CHARS_MAX} characters")));
    }
    let pattern = folder.relative(pattern)?;
    let wanted: Vec<&str> = pattern.split('/').collect();
    let mut walk = Walk { files: Vec::new(), cut: None };
    let mut seen = 0;
    gather(folder.root(), "", 0, &mut seen, &mut |path| {
        if matches(&wanted, &path.split('/').collect::<Vec<_>>()) {
            walk.files.push(path.to_owned());
        }
    });
    if seen > FILES_MAX {
        walk.cut = Some(format!("(only the first {FILES_MAX} entries of the folder were looked at)"));
    }
    Ok(walk)
}

/// Calls `each` for every ordinary file, in order. What cannot be listed is passed over.
fn gather(folder: &Path, prefix: &str, depth: usize, seen: &mut usize, each: &mut dyn FnMut(&str)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<_> = entries.filter_map(Result::ok).take(FILES_MAX).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        *seen += 1;
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !is_git(name)) else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        let path = format!("{prefix}{name}");
        if *seen > FILES_MAX {
            return;
        }
        if kind.is_dir() && depth < DEPTH_MAX {
            gather(&entry.path(), &format!("{path}/"), depth + 1, seen, each);
        } else if kind.is_file() {
            each(&path);
        }
    }
}

/// Whether the names of a path fit the names of a pattern, `**` standing for any number of them.
///
/// `fits[i]` says whether the pattern read so far can stand for the first `i` names, so the work is the product of
/// both lengths whatever the pattern.
fn matches(pattern: &[&str], path: &[&str]) -> bool {
    let mut fits = vec![false; path.len() + 1];
    fits[0] = true;
    for wanted in pattern {
        let mut next = vec![false; path.len() + 1];
        if *wanted == "**" {
            let first = fits.iter().position(|fit| *fit).unwrap_or(path.len() + 1);
            next.iter_mut().skip(first).for_each(|fit| *fit = true);
        } else {
            for (at, name) in path.iter().enumerate() {
                next[at + 1] = fits[at] && name_matches(wanted, name);
            }
        }
        fits = next;
    }
    fits[path.len()]
}

/// The same within one name, for `*` and `?`.
fn name_matches(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let mut fits = vec![false; name.len() + 1];
    fits[0] = true;
    for wanted in pattern.chars() {
        let mut next = vec![false; name.len() + 1];
        if wanted == '*' {
            let first = fits.iter().position(|fit| *fit).unwrap_or(name.len() + 1);
            next.iter_mut().skip(first).for_each(|fit| *fit = true);
        } else {
            for (at, found) in name.iter().enumerate() {
                next[at + 1] = fits[at] && (wanted == '?' || wanted == *found);
            }
        }
        fits = next;
    }
    fits[name.len()]
}
