//! Tells tests from other files, by their paths.

/// Folders of tests.
const FOLDERS: [&str; 3] = ["test", "tests", "__tests__"];

/// Folders that also hold other code.
const DOUBTFUL: [&str; 4] = ["spec", "specs", "testing", "e2e"];

/// Names that tools keep for tests. `ab_test.py` and `test_mode.py` may be part of the product.
const KEPT: [&str; 7] =
    ["_test.go", ".test.js", ".test.jsx", ".test.mjs", ".test.cjs", ".test.ts", ".test.tsx"];

/// Whether a path is that of a test, by the usual names.
pub fn is_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let stem = name.split('.').next().unwrap_or(name);
    let by_stem = stem.starts_with("test_")
        || stem.starts_with("test-")
        || ["_test", "-test", "_spec", "-spec", "_tests"].iter().any(|end| stem.ends_with(end))
        || stem == "tests";
    let camel = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
    let by_camel = camel.ends_with("Test") || camel.ends_with("Tests") || camel.ends_with("Spec");
    let by_ending = name.contains(".test.") || name.contains(".spec.");
    let in_folder = is_below(&lower, &FOLDERS) || is_below(&lower, &DOUBTFUL);
    !is_page(&lower) && (in_folder || by_stem || by_camel || by_ending)
}

/// Whether it is one beyond doubt, so that whoever judges no tests need not read it.
pub fn is_surely_test(path: &str) -> bool {
    let lower = path.to_lowercase();
    let is_kept = KEPT.iter().any(|ending| lower.ends_with(ending));
    !is_page(&lower) && (is_below(&lower, &FOLDERS) || is_kept)
}

fn is_below(path: &str, folders: &[&str]) -> bool {
    path.rsplit('/').skip(1).any(|folder| folders.contains(&folder))
}

/// A page about tests is not a test.
fn is_page(path: &str) -> bool {
    [".md", ".txt", ".rst"].iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_other_code_has_too_leaves_a_doubt() {
        for path in ["tests/limits.rs", "src/limits.test.ts", "limits_test.go", "app/tests/test_mode.py"] {
            assert!(is_test(path) && is_surely_test(path), "{path}");
        }
        for path in [
            "src/spec/parser.rs",
            "crates/testing/src/lib.rs",
            "e2e/login.ts",
            "src/ab_test.py",
            "src/test_mode.py",
            "src/openapi.spec.ts",
            "src/job_spec.rs",
            "src/JobSpec.java",
            "src/limits.test.yml",
        ] {
            assert!(is_test(path) && !is_surely_test(path), "{path}");
        }
        assert!(!is_surely_test("src/latest.rs") && !is_surely_test("tests/README.md"));
    }
}
