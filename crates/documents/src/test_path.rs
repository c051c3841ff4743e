//! Tells tests from other files, by their paths.

/// Folders of tests, and those whose name is also used for other code.
const FOLDERS: [&str; 4] = ["test", "tests", "__tests__", "e2e"];
const DOUBTFUL: [&str; 3] = ["spec", "specs", "testing"];

/// Whether a path is that of a test, by the usual names.
pub fn is_test(path: &str) -> bool {
    is_in(path, &[&FOLDERS[..], &DOUBTFUL[..]].concat())
}

/// Whether it is one beyond doubt, so that whoever judges no tests need not read it.
pub fn is_surely_test(path: &str) -> bool {
    is_in(path, &FOLDERS)
}

fn is_in(path: &str, known: &[&str]) -> bool {
    let lower = path.to_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let stem = name.split('.').next().unwrap_or(name);
    let in_folder = folders.split('/').any(|folder| known.contains(&folder));
    let by_stem = stem.starts_with("test_")
        || stem.starts_with("test-")
        || ["_test", "-test", "_spec", "-spec", "_tests"].iter().any(|end| stem.ends_with(end))
        || stem == "tests";
    let camel = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
    let by_camel = camel.ends_with("Test") || camel.ends_with("Tests") || camel.ends_with("Spec");
    let by_ending = name.contains(".test.") || name.contains(".spec.");
    // A page about tests is not a test.
    let page = [".md", ".txt", ".rst"].iter().any(|ending| name.ends_with(ending));
    !page && (in_folder || by_stem || by_camel || by_ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_also_holds_other_code_leaves_a_doubt() {
        assert!(is_surely_test("tests/limits.rs") && is_surely_test("src/limits.test.ts"));
        for path in ["src/spec/parser.rs", "crates/testing/src/lib.rs"] {
            assert!(is_test(path) && !is_surely_test(path), "{path}");
        }
        assert!(!is_surely_test("src/latest.rs") && !is_surely_test("tests/README.md"));
    }
}
