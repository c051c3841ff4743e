//! Unified diffs as git prints them, for tests: three lines of context, hunks apart.

/// The diff from `old` to `new`, empty when they are equal.
pub(super) fn diff(path: &str, old: &str, new: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let script = script(&a, &b);
    let mut out = String::new();
    for hunk in hunks(&script) {
        if out.is_empty() {
            out = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
        }
        let (olds, news) =
            (hunk.iter().filter(|s| s.0 != '+').count(), hunk.iter().filter(|s| s.0 != '-').count());
        let start = |at: usize, count: usize| if count == 0 { at } else { at + 1 };
        out.push_str(&format!(
            "@@ -{},{olds} +{},{news} @@\n",
            start(hunk[0].1, olds),
            start(hunk[0].2, news)
        ));
        for (mark, at, to, ..) in hunk {
            let line = if *mark == '+' { b[*to] } else { a[*at] };
            out.push_str(&format!("{mark}{line}"));
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

type Step = (char, usize, usize);

/// Kept, removed and added lines by the longest common subsequence.
fn script(a: &[&str], b: &[&str]) -> Vec<Step> {
    let mut length = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            length[i][j] =
                if a[i] == b[j] { length[i + 1][j + 1] + 1 } else { length[i + 1][j].max(length[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut steps) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            steps.push((' ', i, j));
            (i, j) = (i + 1, j + 1);
        } else if j >= b.len() || (i < a.len() && length[i + 1][j] >= length[i][j + 1]) {
            steps.push(('-', i, j));
            i += 1;
        } else {
            steps.push(('+', i, j));
            j += 1;
        }
    }
    steps
}

fn hunks(steps: &[Step]) -> Vec<&[Step]> {
    const CONTEXT: usize = 3;
    let changed: Vec<usize> = (0..steps.len()).filter(|at| steps[*at].0 != ' ').collect();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in changed {
        let (from, to) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(steps.len()));
        match found.last_mut() {
            Some(last) if last.1 >= from => last.1 = to,
            _ => found.push((from, to)),
        }
    }
    found.into_iter().map(|(from, to)| &steps[from..to]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_documents::delta::patch;

    #[test]
    fn a_patch_leads_from_one_text_to_the_other() {
        let long: String = (0..40).map(|n| format!("line {n}\n")).collect();
        let changed = long.replace("line 5\n", "line five\n").replace("line 30\n", "") + "end\n";
        for (old, new) in [
            ("", "a\nb\n"),
            ("a\nb\n", ""),
            ("a\nb", "a\nb\n"),
            ("a\nb\n", "a\nb"),
            ("a", "b"),
            ("x\ny\n", "x\n-- y\n++ z\n"),
            ("-- gone\nx\n", "x\n"),
            (long.as_str(), changed.as_str()),
            (changed.as_str(), long.as_str()),
            ("a\r\nb\r\n", "a\r\nc\r\nb\r\n"),
        ] {
            let diff = diff("d/f.md", old, new);
            assert_eq!(patch(old, &diff, "d/f.md").as_deref(), Some(new), "{diff}");
            assert_eq!(patch("other\n", &diff, "d/g.md").as_deref(), Some("other\n"));
        }
    }

    #[test]
    fn a_patch_that_does_not_fit_is_refused() {
        let diff = diff("f", "a\nb\nc\n", "a\nx\nc\n");
        assert_eq!(patch("a\nB\nc\n", &diff, "f"), None);
        assert_eq!(patch("", &diff, "f"), None);
    }
}
