//! The code-simplifier: shortens one form that is longer than what it says.
//!
//! Pure. Start at [`simplify`]. A condition whose two branches only say whether it held is the condition itself;
//! callers of the function cannot notice the difference.

use super::{Files, source};

/// More edits than these would be another task.
const EDITS_MAX: usize = 5;

/// The files that are simpler now, and what was done to each.
pub(crate) fn simplify(files: &Files) -> (Files, Vec<String>) {
    let mut changed = Files::new();
    let mut done = Vec::new();
    let tests: String =
        files.iter().filter(|(path, _)| source::is_test(path)).map(|(_, text)| text.as_str()).collect();
    for (path, text) in files.iter().filter(|(path, _)| !source::is_test(path) && path_is_shell(path)) {
        let mut text = text.clone();
        while done.len() < EDITS_MAX {
            let Some((line, name, new)) = shorter(&text, &tests) else { break };
            done.push(format!(
                "{path}:{}: `{name}` is its condition, without two branches that repeat it",
                line + 1
            ));
            text = new;
            changed.insert(path.clone(), text.clone());
        }
    }
    (changed, done)
}

fn path_is_shell(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".sh") || !name.contains('.')
}

/// The text with one such condition less: where it stood, and in which function that a test calls.
fn shorter(text: &str, tests: &str) -> Option<(usize, String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let covered = source::functions(text).into_iter().filter(|function| tests.contains(&function.name));
    for function in covered {
        for at in function.lines.clone() {
            let Some([first, yes, otherwise, no, end]) =
                lines.get(at..at + 5).and_then(|five| <[&str; 5]>::try_from(five).ok())
            else {
                continue;
            };
            let condition = first.trim().strip_prefix("if ").and_then(|rest| rest.strip_suffix("; then"));
            let rest = [yes.trim(), otherwise.trim(), no.trim(), end.trim()];
            // Only at the end of a function does the function return what the condition returned.
            let last = at + 6 == function.lines.end;
            if let Some(condition) =
                condition.filter(|_| rest == ["return 0", "else", "return 1", "fi"] && last)
            {
                let indent: String = first.chars().take_while(|c| c.is_whitespace()).collect();
                let new = source::exchanged(text, at..at + 5, &format!("{indent}{condition}\n"));
                return Some((at, function.name, new));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(body: &str) -> Files {
        let program = format!("f() {{\n{body}}}\n");
        Files::from([
            ("src/a.sh".to_owned(), program),
            ("tests/a.sh".to_owned(), "t() {\n  f\n}\n".to_owned()),
        ])
    }

    #[test]
    fn a_condition_with_branches_that_repeat_it_becomes_the_condition() {
        let (changed, done) =
            simplify(&files("  if [ \"$1\" = a ]; then\n    return 0\n  else\n    return 1\n  fi\n"));
        assert_eq!(changed["src/a.sh"], "f() {\n  [ \"$1\" = a ]\n}\n");
        assert!(done[0].starts_with("src/a.sh:2: `f`"), "{done:?}");
    }

    #[test]
    fn what_is_followed_by_more_or_tested_by_nothing_stays() {
        let long = "  if x; then\n    return 0\n  else\n    return 1\n  fi\n";
        assert!(simplify(&files(&format!("{long}  y\n"))).0.is_empty());
        assert!(simplify(&files(&long.replace("return 1", "return 2"))).0.is_empty());
        let untested = Files::from([("src/a.sh".to_owned(), format!("f() {{\n{long}}}\n"))]);
        assert!(simplify(&untested).0.is_empty());
    }
}
