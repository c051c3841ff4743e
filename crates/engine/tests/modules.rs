//! The modules of the engine form layers: none uses a module that uses it, directly or indirectly.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// The modules that a text names by `crate::`, outside its tests and comments.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code: String = lines.collect::<Vec<_>>().join("\n");
    let word = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    code.split("crate::").skip(1).map(word).collect()
}

/// The modules right below the crate, each with those that it uses.
fn modules() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files(&root) {
        let inside = file.strip_prefix(&root).unwrap();
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let module = first.trim_end_matches(".rs").to_owned();
        if module != "lib" && !inside.ends_with("tests.rs") {
            modules.entry(module).or_default().extend(used(&fs::read_to_string(&file).unwrap()));
        }
    }
    let names: BTreeSet<String> = modules.keys().cloned().collect();
    for (module, uses) in &mut modules {
        uses.retain(|used| used != module && names.contains(used));
    }
    modules
}

#[test]
fn no_module_is_used_by_one_that_it_uses() {
    let mut left = modules();
    assert!(left.len() > 30, "they are found");
    // Modules that use no remaining module are removed, until none is left or the rest is one cycle.
    loop {
        let names: BTreeSet<String> = left.keys().cloned().collect();
        let before = left.len();
        left.retain(|_, uses| uses.iter().any(|used| names.contains(used)));
        if left.len() == before {
            break;
        }
    }
    let shown: Vec<String> = left
        .iter()
        .map(|(module, uses)| {
            let uses: Vec<&str> =
                uses.iter().filter(|used| left.contains_key(*used)).map(String::as_str).collect();
            format!("{module} uses {}", uses.join(", "))
        })
        .collect();
    assert!(left.is_empty(), "in circles, or above one: {shown:#?}");
}
