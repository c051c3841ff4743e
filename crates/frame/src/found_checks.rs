//! Finds which checks a project has by the files in its root or, where these show none, by its packages below. Nothing is
//! run.

mod below;

use below::below;
use redraft_adapters::plain_file;
use redraft_engine::ports::Check;
use serde_json::Value;
use std::path::Path;

/// A thousand times the usual size of a file that is searched.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The usual checks of a project: those of its root, else those of its packages, each with its folder.
pub fn detect(root: &Path) -> Vec<Check> {
    let found = in_folder(root);
    if found.is_empty() { below(root, in_folder) } else { found }
}

/// The usual checks of cargo, npm, Python, Go, make and shell projects, as far as the files in this folder show them.
fn in_folder(folder: &Path) -> Vec<Check> {
    let text = |name: &str| {
        let bytes = plain_file::read(&folder.join(name), BYTES_MAX).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let there = |name: &str| folder.join(name).exists();
    let mut found = Vec::new();
    if let Some(manifest) = text("Cargo.toml") {
        let all = manifest.lines().any(|line| line.trim() == "[workspace]");
        found.push(check("cargo-test", if all { "cargo test --workspace" } else { "cargo test" }));
    }
    found.extend(text("package.json").iter().flat_map(|manifest| node(manifest, &there)));
    found.extend(python(&text, &there));
    if there("go.mod") {
        found.push(check("go-test", "go test ./..."));
    }
    // A Makefile mostly calls what was found already.
    let make = ["Makefile", "makefile", "GNUmakefile"].into_iter().find_map(text);
    if let Some(make) = make.filter(|_| found.is_empty()) {
        let has = |target: &str| make.lines().any(|line| target_of(line) == Some(target));
        let target = ["test", "check"].into_iter().find(|target| has(target));
        found.extend(target.map(|target| check(&format!("make-{target}"), &format!("make {target}"))));
    }
    if found.is_empty() && folder.join("tests/run.sh").is_file() {
        found.push(check("tests", "sh tests/run.sh"));
    }
    found
}

fn check(name: &str, command: &str) -> Check {
    Check { name: name.to_owned(), command: command.to_owned() }
}

/// The scripts of a `package.json`, run with the program that its lock file names.
fn node(manifest: &str, there: &dyn Fn(&str) -> bool) -> Vec<Check> {
    let Ok(manifest) = serde_json::from_str::<Value>(manifest) else { return Vec::new() };
    let program = match () {
        () if there("pnpm-lock.yaml") => "pnpm",
        () if there("yarn.lock") => "yarn",
        () => "npm",
    };
    let script = |name: &str| manifest["scripts"][name].as_str().filter(|text| !text.trim().is_empty());
    // What `npm init` writes fails on purpose.
    let test = script("test").filter(|text| !text.contains("no test specified"));
    let lint = script("lint").map(|_| check(&format!("{program}-lint"), &format!("{program} run lint")));
    lint.into_iter()
        .chain(test.map(|_| check(&format!("{program}-test"), &format!("{program} test"))))
        .collect()
}

fn python(text: &dyn Fn(&str) -> Option<String>, there: &dyn Fn(&str) -> bool) -> Option<Check> {
    let marks = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "pytest.ini", "tox.ini"];
    if !marks.into_iter().any(there) {
        return None;
    }
    let names = ["pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt"];
    let pytest = there("pytest.ini")
        || there("conftest.py")
        || names.into_iter().filter_map(text).any(|text| text.contains("pytest"));
    if pytest {
        return Some(check("pytest", "python3 -m pytest"));
    }
    (there("tests") || there("test")).then(|| check("unittest", "python3 -m unittest discover"))
}

/// The target that a line of a Makefile begins.
fn target_of(line: &str) -> Option<&str> {
    let (target, rest) = line.split_once(':')?;
    let plain =
        !line.starts_with(['\t', ' ', '#', '.']) && !rest.starts_with('=') && !target.contains(['$', '=']);
    plain.then(|| target.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        detect(folder.path()).into_iter().map(|check| format!("{}: {}", check.name, check.command)).collect()
    }

    #[test]
    fn projects_are_known_by_their_files() {
        assert_eq!(found(&[("Cargo.toml", "[package]\nname = \"x\"\n")]), ["cargo-test: cargo test"]);
        assert_eq!(found(&[("Cargo.toml", "[workspace]\n")]), ["cargo-test: cargo test --workspace"]);
        let scripts = r#"{"scripts":{"test":"node --test","lint":"eslint ."}}"#;
        assert_eq!(found(&[("package.json", scripts)]), ["npm-lint: npm run lint", "npm-test: npm test"]);
        assert_eq!(
            found(&[("package.json", scripts), ("pnpm-lock.yaml", "")]),
            ["pnpm-lint: pnpm run lint", "pnpm-test: pnpm test"]
        );
        assert_eq!(
            found(&[("pyproject.toml", "[tool.pytest.ini_options]\n")]),
            ["pytest: python3 -m pytest"]
        );
        assert_eq!(
            found(&[("setup.py", ""), ("tests/test_a.py", "")]),
            ["unittest: python3 -m unittest discover"]
        );
        assert_eq!(found(&[("go.mod", "module x\n")]), ["go-test: go test ./..."]);
        assert_eq!(found(&[("Makefile", "all: x\n\ntest: all\n\t./t\n")]), ["make-test: make test"]);
        assert_eq!(found(&[("Makefile", "check:\n\t./c\n")]), ["make-check: make check"]);
        assert_eq!(found(&[("tests/run.sh", "")]), ["tests: sh tests/run.sh"]);
    }

    #[test]
    fn packages_below_a_root_without_any_are_checked_in_their_folders() {
        let scripts = r#"{"scripts":{"test":"node --test"}}"#;
        let files = [
            ("packages/web/package.json", scripts),
            ("packages/web/inner/package.json", scripts),
            ("packages/my api/go.mod", "module x\n"),
            ("tool/Cargo.toml", "[package]\nname = \"x\"\n"),
            ("a/b/c/go.mod", "module x\n"),
            ("node_modules/x/package.json", scripts),
            (".hidden/go.mod", "module x\n"),
            ("README.md", "# All\n"),
        ];
        let expected = [
            "tool-cargo-test: cd tool && cargo test",
            "packages-my-api-go-test: cd 'packages/my api' && go test ./...",
            "packages-web-npm-test: cd packages/web && npm test",
        ];
        assert_eq!(found(&files), expected);
        let alike = [("my api/go.mod", "module x\n"), ("my-api/go.mod", "module x\n")];
        let told =
            ["my-api-go-test: cd 'my api' && go test ./...", "my-api-go-test-2: cd my-api && go test ./..."];
        assert_eq!(found(&alike), told);
        let root = [&files[..], &[("Makefile", "test:\n\tmake -C tool test\n")]].concat();
        assert_eq!(found(&root), ["make-test: make test"], "the root says how all of it is checked");
        let root = [&files[..], &[("package.json", "{}")]].concat();
        assert_eq!(found(&root), expected, "a root that only names its packages");
    }

    #[test]
    fn what_would_fail_on_purpose_or_is_no_check_is_not_taken() {
        let unset = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
        assert_eq!(found(&[("package.json", unset)]), Vec::<String>::new());
        assert_eq!(found(&[("package.json", "{ not json")]), Vec::<String>::new());
        assert_eq!(found(&[("Makefile", "TEST := x\n# test: y\n\ttest: z\n")]), Vec::<String>::new());
        assert_eq!(found(&[("requirements.txt", "requests\n")]), Vec::<String>::new());
        assert_eq!(found(&[]), Vec::<String>::new());
        let both = [("go.mod", "module x\n"), ("Makefile", "test:\n\tgo test ./...\n")];
        assert_eq!(found(&both), ["go-test: go test ./..."], "once is enough");
        let both = [("tests/run.sh", ""), ("Makefile", "test:\n\tsh tests/run.sh\n")];
        assert_eq!(found(&both), ["make-test: make test"], "once is enough");
    }
}
