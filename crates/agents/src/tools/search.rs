//! Finds files by pattern and lines by text, among the files that `files` lists.

use super::Refusal;
use super::files::{self, Listed};
use super::place::{self, FILE_BYTES_MAX, Folder};
use super::until::Until;
use redraft_facts::usage::grouped;
use std::fs;

const FOUND_MAX: usize = 500;
const HITS_MAX: usize = 200;
const LINE_CHARS_MAX: usize = 300;
const PATTERN_CHARS_MAX: usize = 1_000;

/// The files that match, in order of their paths.
pub(super) fn glob(folder: &Folder, pattern: &str, until: Until<'_>) -> Result<String, Refusal> {
    let found = matching(folder, pattern, until)?;
    let total = found.files.len();
    let mut lines: Vec<String> = found.files.into_iter().take(FOUND_MAX).collect();
    if total > FOUND_MAX {
        lines.push(format!("(and {} more; narrow the pattern)", total - FOUND_MAX));
    }
    if lines.is_empty() {
        lines.push(format!("no file matches `{pattern}`{}", found.without));
    }
    lines.extend(found.cut);
    Ok(lines.join("\n"))
}

/// `path:line: text` for each line that contains the text. Files that are no text are skipped.
pub(super) fn grep(
    folder: &Folder,
    text: &str,
    pattern: &str,
    any_case: bool,
    until: Until<'_>,
) -> Result<String, Refusal> {
    if text.is_empty() || text.contains('\n') {
        return Err(Refusal::Failed("the text to find must be one line and not empty".to_owned()));
    }
    let lowered = text.to_lowercase();
    let holds =
        |line: &str| if any_case { line.to_lowercase().contains(&lowered) } else { line.contains(text) };
    let found = matching(folder, pattern, until)?;
    let (mut lines, mut left_out, mut large) = (Vec::new(), Vec::new(), 0);
    'files: for (looked, path) in found.files.iter().enumerate() {
        if until.is_over() {
            left_out.push(until.told(looked, found.files.len()));
            break;
        }
        let place = folder.root().join(path);
        if fs::metadata(&place).is_ok_and(|file| file.len() > FILE_BYTES_MAX) {
            large += 1;
            continue;
        }
        let Ok(content) = place::text(&place, path) else { continue };
        for (at, line) in content.lines().enumerate().filter(|(_, line)| holds(line)) {
            if lines.len() == HITS_MAX {
                left_out.push(format!("(more than {HITS_MAX} lines; narrow the search)"));
                break 'files;
            }
            let shown: String = line.trim_end().chars().take(LINE_CHARS_MAX).collect();
            lines.push(format!("{path}:{}: {shown}", at + 1));
        }
    }
    if lines.is_empty() {
        lines.push(format!("no line contains `{text}`{}", found.without));
    }
    if large > 0 {
        let files = if large == 1 { "1 file was".to_owned() } else { format!("{large} files were") };
        left_out.push(format!("({files} not searched: larger than {} bytes)", grouped(FILE_BYTES_MAX)));
    }
    lines.extend(left_out);
    lines.extend(found.cut);
    Ok(lines.join("\n"))
}

/// The files whose paths fit a pattern.
fn matching(folder: &Folder, pattern: &str, until: Until<'_>) -> Result<Listed, Refusal> {
    if pattern.chars().count() > PATTERN_CHARS_MAX {
        return Err(Refusal::Failed(format!("the pattern has more than {PATTERN_CHARS_MAX} characters")));
    }
    let pattern = folder.relative(pattern)?;
    let wanted: Vec<&str> = pattern.split('/').collect();
    let fits = |path: &str| matches(&wanted, &path.split('/').collect::<Vec<_>>());
    Ok(files::list(folder, &fits, until))
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
