//! The modules of every crate form layers: none uses a module that uses it, directly or indirectly. Looked at are the
//! modules right below a crate, each with all that is inside it, and the commands.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each module with those that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// Every file of Rust below a folder, without tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("tests") => {}
            true => found.extend(files(&path)),
            false if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") => {
                found.push(path);
            }
            false => {}
        }
    }
    found
}

/// What follows a path in a text, outside tests and comments: the next word, or all words of a list in braces.
fn used(text: &str, path: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code: String = lines.collect::<Vec<_>>().join("\n");
    let word = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(path) {
        // `super::super::` is not `super::`.
        if code[..at].ends_with("::") {
            continue;
        }
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(list) => found
                .extend(list.split('}').next().unwrap_or_default().split(',').map(|one| word(one.trim()))),
            None => drop(found.insert(word(rest))),
        }
    }
    found
}

/// The modules right below a folder. `path` leads there from anywhere in the crate; the commands also use `super`.
fn modules(root: &Path, path: &str) -> Uses {
    let mut modules = Uses::new();
    for file in files(root) {
        let inside = file.strip_prefix(root).unwrap();
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let module = first.trim_end_matches(".rs").to_owned();
        if ["lib", "main", "mod"].contains(&module.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let up = "super::".repeat(inside.components().count());
        modules.entry(module).or_default().extend(used(&text, path).into_iter().chain(used(&text, &up)));
    }
    let names: BTreeSet<String> = modules.keys().cloned().collect();
    for (module, uses) in &mut modules {
        uses.retain(|used| used != module && names.contains(used));
    }
    modules
}

/// What is left when modules that use no remaining module are removed again and again: cycles, and what is above them.
fn in_circles(mut left: Uses) -> Uses {
    loop {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        let before = left.len();
        left.retain(|_, uses| uses.iter().any(|used| names.contains(used)));
        for uses in left.values_mut() {
            uses.retain(|used| names.contains(used));
        }
        if left.len() == before {
            return left;
        }
    }
}

#[test]
fn no_module_is_used_by_one_that_it_uses() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut looked = 0;
    let roots = fs::read_dir(&crates).unwrap().map(|entry| (entry.unwrap().path().join("src"), "crate::"));
    for (root, path) in roots.chain([(crates.join("redraft/src/cli"), "crate::cli::")]) {
        let modules = modules(&root, path);
        looked += modules.len();
        let circles = in_circles(modules);
        assert!(circles.is_empty(), "in cycles, or above one, in {}: {circles:#?}", root.display());
    }
    assert!(looked > 200, "only {looked} modules were found");
}

#[test]
fn a_cycle_is_found_however_it_is_written() {
    let text = "use crate::a::x;\nuse super::{b, c::d};\n// crate::not\nlet y = super::super::e::f();";
    assert_eq!(used(text, "crate::"), BTreeSet::from(["a".to_owned()]));
    assert_eq!(used(text, "super::"), BTreeSet::from(["b".to_owned(), "c".to_owned(), "super".to_owned()]));
    assert_eq!(used(text, "super::super::"), BTreeSet::from(["e".to_owned()]));
    let uses = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let all = [("a", uses(&["b"])), ("b", uses(&["a"])), ("c", uses(&["d"])), ("d", uses(&[]))];
    let left = in_circles(all.into_iter().map(|(name, uses)| (name.to_owned(), uses)).collect());
    assert_eq!(left.into_keys().collect::<Vec<_>>(), ["a", "b"]);
}
