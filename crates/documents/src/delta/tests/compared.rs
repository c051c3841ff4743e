//! Diffs made of two texts, and patches that give the new text back.

use super::*;

#[test]
fn a_patch_gives_the_new_text() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n\none context line\n### Limits of a key\nFR-2 The service is fast.\nmore context\nstill more\nok\nlast\nand on\n";
    let new = "1\n2\n3\n4\n5\n6\n7\n8\n\none context line\n### Limits of a key\nFR-2 The service answers within 200 ms.\nIt is measured per key.\nmore context\nstill more\nlast\nand on\n";
    assert_eq!(patch(old, DIFF, SPEC).as_deref(), Some(new));
    assert_eq!(
        patch(old, DIFF, "prd.md").as_deref(),
        Some(old),
        "a file the diff does not name is unchanged"
    );
    assert_eq!(patch(new, DIFF, SPEC), None, "it applies once only");
    let cut: String = DIFF.split_inclusive('\n').take(8).collect();
    assert_eq!(patch(old, &cut, SPEC), None, "a diff that breaks off does not apply");
}

#[test]
fn a_missing_line_break_at_the_end_is_part_of_the_text() {
    let head = "--- a/x\n+++ b/x\n";
    let mark = "\\ No newline at end of file\n";
    for (old, body, new) in [
        ("a", format!("@@ -1 +1 @@\n-a\n{mark}+a\n"), Some("a\n")),
        ("a\n", format!("@@ -1 +1 @@\n-a\n+a\n{mark}"), Some("a")),
        ("a\n", format!("@@ -1 +1 @@\n-a\n{mark}+b\n"), None),
        ("a\nb", format!("@@ -1,2 +1,3 @@\n+0\n a\n b\n{mark}"), Some("0\na\nb")),
        ("", "@@ -0,0 +1 @@\n+a\n".to_owned(), Some("a\n")),
        ("a\n", "@@ -1 +0,0 @@\n-a\n".to_owned(), Some("")),
        ("a\r\n", "@@ -1 +1 @@\n-a\r\n+b\r\n".to_owned(), Some("b\r\n")),
        ("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n".to_owned(), Some("a\n\nc\n")),
        ("a\n", "@@ -9 +9 @@\n-a\n+b\n".to_owned(), None),
    ] {
        assert_eq!(patch(old, &format!("{head}{body}"), "x").as_deref(), new, "{old:?} {body:?}");
    }
    assert_eq!(patch("a", "diff --git a/x b/x\nBinary files a/x and b/x differ\n", "x"), None);
}

/// How many lines two texts share at the start and at the end.
fn shared(a: &[&str], b: &[&str]) -> (usize, usize) {
    let start = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(x, y)| x == y).count();
    (start, end)
}

pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// One hunk that replaces all between the common start and the common end, with three lines around it.
pub(super) fn diff(old: &str, new: &str) -> String {
    let (a, b) = (lines(old), lines(new));
    if a == b {
        return String::new();
    }
    let (start, end) = shared(&a, &b);
    let (before, after) = (start.saturating_sub(3), end.min(3));
    let (a_end, b_end) = (a.len() - end, b.len() - end);
    let range = |last: usize| {
        let count = last - before;
        format!("{},{count}", if count == 0 { before } else { before + 1 })
    };
    let mut out = format!("--- a/x\n+++ b/x\n@@ -{} +{} @@\n", range(a_end + after), range(b_end + after));
    let parts = [
        (' ', &a[before..start]),
        ('-', &a[start..a_end]),
        ('+', &b[start..b_end]),
        (' ', &a[a_end..a_end + after]),
    ];
    for (mark, lines) in parts {
        for line in lines {
            out.push(mark);
            out.push_str(line);
            out.push_str(if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" });
        }
    }
    out
}

pub(super) fn text() -> impl Strategy<Value = String> {
    let line = proptest::sample::select(vec![
        "",
        "a",
        "b",
        "+c",
        "-d",
        " e",
        "-- x",
        "@@ -1 +1 @@",
        "\\",
        "f\r",
        "é",
    ]);
    (proptest::collection::vec(line, 0..15), any::<bool>())
        .prop_map(|(lines, ended)| lines.join("\n") + if ended { "\n" } else { "" })
}

#[test]
fn a_comparison_is_printed_as_git_prints_it() {
    let old: String = (1..=20).map(|n| format!("{n}\n")).collect();
    let new = old.replace("5\n6\n", "5\nfive and a half\n6\n").replace("18\n", "");
    let comparison = Comparison::new(&old, &new);
    assert_eq!(
        comparison.unified("x"),
        "--- a/x\n+++ b/x\n@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+five and a half\n 6\n 7\n 8\n\
         @@ -15,6 +16,5 @@\n 15\n 16\n 17\n-18\n 19\n 20\n"
    );
    assert_eq!(comparison.changed(), [6..=6, 18..=19]);
    assert_eq!(Comparison::new(&old, &old).unified("x"), "");
}

#[test]
fn texts_with_hardly_anything_in_common_are_compared_in_time() {
    let line = |n: usize, step: usize| format!("{}\n", n * step % 20_011);
    let old: String = (0..20_000).map(|n| line(n, 7)).collect();
    let new: String = (0..20_000).map(|n| line(n, 11)).collect();
    let comparison = Comparison::new(&old, &new);
    assert_eq!(patch(&old, &comparison.unified("x"), "x"), Some(new.clone()));
}

proptest! {
    #[test]
    fn a_patch_of_a_comparison_is_the_new_text_and_names_the_same_lines(old in text(), new in text()) {
        let comparison = Comparison::new(&old, &new);
        let diff = comparison.unified("x");
        prop_assert_eq!(patch(&old, &diff, "x"), Some(new.clone()));
        let delta = Delta::parse(&diff);
        let changed = delta.files.first().map(FileDelta::changed).unwrap_or_default();
        prop_assert_eq!(comparison.changed(), changed);
    }

    #[test]
    fn a_comparison_of_short_texts_is_the_shortest(old in "[abc]{0,9}", new in "[abc]{0,9}") {
        let lines = |text: &str| text.chars().map(|c| format!("{c}\n")).collect::<String>();
        let diff = Comparison::new(&lines(&old), &lines(&new)).unified("x");
        let marked = diff.lines().skip(2).filter(|line| line.starts_with(['+', '-'])).count();
        prop_assert_eq!(marked, old.len() + new.len() - 2 * longest_common(old.as_bytes(), new.as_bytes()));
    }
}

fn longest_common(a: &[u8], b: &[u8]) -> usize {
    match (a, b) {
        ([], _) | (_, []) => 0,
        ([x, a @ ..], [y, b @ ..]) if x == y => 1 + longest_common(a, b),
        ([_, a_rest @ ..], [_, b_rest @ ..]) => longest_common(a_rest, b).max(longest_common(a, b_rest)),
    }
}

proptest! {
    #[test]
    fn a_patch_of_a_diff_is_the_new_text(old in text(), new in text()) {
        prop_assert_eq!(patch(&old, &diff(&old, &new), "x"), Some(new));
    }

    #[test]
    fn exactly_the_lines_near_the_change_are_touched(old in text(), new in text()) {
        prop_assume!(old != new);
        let (a, b) = (lines(&old), lines(&new));
        let (start, end) = shared(&a, &b);
        let (first, last) = if start < b.len() - end { (start + 1, b.len() - end) } else { (start.max(1), start + 1) };
        let delta = Delta::parse(&diff(&old, &new));
        for line in 1..30 {
            let near = line + 3 >= first && line <= last + 3;
            let number = u32::try_from(line).unwrap();
            prop_assert_eq!(delta.touches(&issue("x", number, "", ""), &Redactor::default()), near, "line {}", line);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "(\\PC|[-+ @\\\\\n\"0-9,]){0,80}", old in text()) {
        let diff = format!("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n{text}");
        for diff in [&text, &diff] {
            patch(&old, diff, "x");
            Delta::parse(diff).touches(&issue("x", 2, "", "a"), &Redactor::default());
        }
    }
}

proptest! {
    #[test]
    fn a_line_that_stays_is_carried_to_where_it_stands_now(old in text(), new in text()) {
        let comparison = Comparison::new(&old, &new);
        let delta = Delta::parse(&comparison.unified("a.md"));
        let Some(file) = delta.files.first() else { return Ok(()) };
        let lines = |text: &str| text.split_inclusive('\n').map(ToOwned::to_owned).collect::<Vec<_>>();
        let (before, after) = (lines(&old), lines(&new));
        let mut at = 0;
        let kept: Vec<bool> = {
            // By the hunks themselves: what no hunk removes stays.
            let mut kept = vec![true; before.len()];
            for hunk in &file.hunks {
                let first = hunk.old_start as usize - usize::from(hunk.old_lines > 0);
                let old = hunk.lines.iter().filter(|one| one.kind != LineKind::Added);
                old.enumerate().for_each(|(at, one)| kept[first + at] = one.kind == LineKind::Context);
            }
            kept
        };
        for (line, kept) in kept.into_iter().enumerate() {
            let carried = file.carried(line as u32 + 1) as usize;
            prop_assert!(carried >= 1);
            if kept {
                prop_assert_eq!(&before[line], &after[carried - 1]);
                prop_assert!(carried > at, "in order");
                at = carried;
            }
        }
    }
}

#[test]
fn a_line_that_was_replaced_is_carried_to_its_replacement() {
    let diff = "--- a/a.md\n+++ b/a.md\n@@ -1,0 +2,3 @@\n+x\n+y\n+z\n@@ -4,3 +8 @@\n-d\n-e\n-f\n+new\n@@ -9 +10,0 @@\n-i\n";
    let delta = Delta::parse(diff);
    let carried: Vec<u32> = (1..=11).map(|line| delta.files[0].carried(line)).collect();
    assert_eq!(carried, [1, 5, 6, 8, 8, 8, 9, 10, 11, 11, 12]);
}
