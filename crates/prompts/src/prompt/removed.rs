//! The lines that a change removed, for a reviewer that is given no diff: a guard or an assertion that is gone is in no
//! file it could open.
//!
//! Each run of lines stands with its place in the file as it is now. Where they are too long for a prompt, the longest
//! files are named and left out, as in a diff.

use super::change::{self, shortest_that_fit};
use super::sizes::{DIFF_CHARS_MAX, FILES_MAX, NAME_CHARS_MAX};
use core::fmt::Write as _;
use redraft_documents::delta::{Delta, FileDelta, Hunk, LineKind};
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::{self, count, one_line};

/// The fragment; none where nothing was removed.
pub(super) fn fragment(change: &str) -> Option<Fragment> {
    let delta = Delta::parse(change);
    let parts: Vec<Part> = delta.files.iter().filter_map(|file| part(file, &delta)).collect();
    if parts.is_empty() {
        return None;
    }
    let mut text = "## Removed Lines\n\nWhat the change took out or replaced, which no file shows any more; `@@` gives the \
                    line at which it stood in the file as it is now.\n"
        .to_owned();
    let (shown, left_out) = fitting(parts);
    if !left_out.is_empty() {
        text.push_str("\nToo long to be shown is what was removed from these files:\n\n");
        for part in left_out.iter().take(FILES_MAX) {
            let _ = writeln!(text, "- {}: {}", part.path, count(part.lines, "line"));
        }
    }
    if !shown.is_empty() {
        let all: String = shown.into_iter().map(|part| part.text).collect();
        let _ = write!(text, "\n{}", text::fenced("diff", &all));
    }
    Some(Fragment::new("removed-lines", text))
}

/// A diff as a prompt shows it. If it is too long: with the lines that were removed from the files whose part is left out,
/// as many as there is room for.
pub(super) fn with_diff(diff: &str) -> String {
    let mut text = change::body(diff);
    let left_out: String = change::left_out(diff).into_iter().map(|part| part.text).collect();
    let delta = Delta::parse(&left_out);
    let mut parts: Vec<Part> = delta.files.iter().filter_map(|file| part(file, &delta)).collect();
    // The shortest first, so that as few as possible are cut.
    parts.sort_by_key(|part| part.text.len());
    let (mut room, mut shown, mut cut) = (DIFF_CHARS_MAX, String::new(), Vec::new());
    for part in parts {
        let mut whole = true;
        for line in part.text.split_inclusive('\n') {
            let chars = line.chars().count();
            whole &= chars <= room;
            if !whole {
                break;
            }
            room -= chars;
            shown.push_str(line);
        }
        if !whole {
            cut.push(part.path);
        }
    }
    if shown.is_empty() {
        return text;
    }
    let _ = write!(
        text,
        "\nWhat the change took out of the files whose diff is not shown; `@@` gives the line at which it stood in the \
         file as it is now:\n\n{}",
        text::fenced("diff", &shown)
    );
    if !cut.is_empty() {
        let named = cut.iter().take(FILES_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "\nNot all of what was taken out is shown for: {named}");
    }
    text
}

/// What was removed from one file.
struct Part {
    path: String,
    lines: usize,
    text: String,
}

fn part(file: &FileDelta, all: &Delta) -> Option<Part> {
    let lines = file.removed().count();
    if lines == 0 {
        return None;
    }
    let path = one_line(&file.path, NAME_CHARS_MAX * 4);
    let mut text = format!("--- {path}\n");
    match moved_to(file, all) {
        Some(to) => {
            let _ =
                writeln!(text, "@@ all of it stands unchanged in {} @@", one_line(to, NAME_CHARS_MAX * 4));
        }
        None => file.hunks.iter().for_each(|hunk| runs(hunk, &mut text)),
    }
    Some(Part { path, lines, text })
}

/// The new file that has every line of a deleted one, in the same order.
fn moved_to<'a>(file: &FileDelta, all: &'a Delta) -> Option<&'a str> {
    let is_new = |other: &&FileDelta| file.deleted && other.created && other.added().eq(file.removed());
    all.files.iter().find(is_new).map(|other| other.path.as_str())
}

/// Each run of removed lines in a hunk, under the number of the line that stands in its place now.
fn runs(hunk: &Hunk, text: &mut String) {
    // With no lines after the change, `new_start` is the line before the hunk.
    let mut next = if hunk.new_lines == 0 { hunk.new_start.saturating_add(1) } else { hunk.new_start };
    let mut inside = false;
    for line in &hunk.lines {
        if line.kind != LineKind::Removed {
            (next, inside) = (next.saturating_add(1), false);
            continue;
        }
        if !inside {
            let _ = writeln!(text, "@@ line {next} @@");
            inside = true;
        }
        let _ = writeln!(text, "-{}", line.text);
    }
}

/// As much as fits, the shortest parts first, in the order of the change; and what is left out.
fn fitting(parts: Vec<Part>) -> (Vec<Part>, Vec<Part>) {
    let kept = shortest_that_fit(parts.iter().map(|part| part.text.chars().count()));
    let (shown, left_out): (Vec<_>, Vec<_>) =
        parts.into_iter().enumerate().partition(|(at, _)| kept.contains(at));
    let only = |parts: Vec<(usize, Part)>| parts.into_iter().map(|(_, part)| part).collect();
    (only(shown), only(left_out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(change: &str) -> String {
        fragment(change).map(|fragment| fragment.text).unwrap_or_default()
    }

    #[test]
    fn every_removed_line_is_shown_at_its_place_in_the_file_as_it_is_now() {
        let change = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n\
            @@ -10,5 +10,4 @@ fn delete()\n a\n-    self.owner_only(key)?;\n b\n-    old\n+    new\n c\n";
        let text = shown(change);
        let wanted = "```diff\n--- src/a.rs\n@@ line 11 @@\n-    self.owner_only(key)?;\n\
            @@ line 12 @@\n-    old\n```\n";
        assert!(text.ends_with(wanted), "{text}");
        let added = "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1,2 @@\n a\n+b\n";
        assert_eq!(fragment(added), None);
    }

    #[test]
    fn a_diff_that_is_too_long_shows_what_was_taken_out_of_the_files_that_are_left_out() {
        let of = |name: &str, added: usize, removed: usize| {
            let new = "+a line that anybody can read in the file\n".repeat(added);
            let old: String = (0..removed).map(|at| format!("-the guard {at} of {name}\n")).collect();
            format!(
                "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1,{removed} +1,{added} @@\n{old}{new}"
            )
        };
        let change = [of("a.rs", 5_000, 2), of("b.rs", 5_500, 10_000), of("c.rs", 5_600, 1)].concat();
        let text = with_diff(&change);
        assert!(text.contains("\n--- c.rs\n@@ line 1 @@\n-the guard 0 of c.rs\n"), "c.rs is left out");
        assert!(text.contains("-the guard 99 of b.rs\n") && !text.contains("-the guard 9999 of b.rs\n"));
        assert!(text.ends_with("\nNot all of what was taken out is shown for: b.rs\n"));
        assert!(text.chars().count() < 2 * DIFF_CHARS_MAX + 2_000);
        let small = of("a.rs", 5, 2);
        assert_eq!(with_diff(&small), change::body(&small), "where all of it is shown, nothing is added");
    }

    #[test]
    fn a_file_that_is_gone_is_shown_and_one_that_only_moved_is_named() {
        let gone =
            "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
        let new =
            "diff --git a/y b/y\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        assert!(shown(gone).contains("--- x\n@@ line 1 @@\n-a\n-b\n"), "{}", shown(gone));
        let moved = shown(&format!("{gone}{new}"));
        assert!(
            moved.contains("@@ all of it stands unchanged in y @@") && !moved.contains("\n-a"),
            "{moved}"
        );
        let other = shown(&format!("{gone}{}", new.replace("+b", "+c")));
        assert!(other.contains("-b\n"), "{other}");
    }

    #[test]
    fn what_is_too_long_is_named_and_the_rest_is_shown() {
        let of = |name: &str, lines: usize| {
            let removed = "-0123456789\n".repeat(lines);
            format!(
                "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1,{lines} +0,0 @@\n{removed}"
            )
        };
        let text = shown(&format!("{}{}{}", of("small", 3), of("large", 20_000), of("other", 2)));
        assert!(text.contains("\n- large: 20000 lines\n"), "{}", &text[..400]);
        assert!(text.contains("--- small\n") && text.contains("--- other\n") && !text.contains("--- large"));
        assert!(text.chars().count() < DIFF_CHARS_MAX + 1_000);
    }
}
