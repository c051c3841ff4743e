//! The modules of every folder of every crate form layers: none uses a module beside it that uses it, directly or
//! indirectly. A module counts with all that is inside it. A parent and its children may know each other. No two
//! public types have the same name, and no crate is too large.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module's path below its crate; empty for the crate itself.
type Module = Vec<String>;

/// Each module with those that it uses.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// A path as it is written, without `crate` or `super`, and the name it has afterwards.
#[derive(Debug, PartialEq, Eq)]
struct Written<'a> {
    path: Vec<&'a str>,
    name: &'a str,
}

/// Every file of Rust below a folder, without tests and without programs of their own.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("tests") || path.ends_with("src/bin") => {}
            true => found.extend(files(&path)),
            false if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") => {
                found.push(path);
            }
            false => {}
        }
    }
    found
}

/// The folders in which crates begin, with their names: libraries, and programs of several files in `src/bin`.
fn roots() -> Vec<(String, PathBuf)> {
    let mut roots = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
        let entry = entry.unwrap();
        let (name, source) = (entry.file_name().into_string().unwrap(), entry.path().join("src"));
        for program in fs::read_dir(source.join("bin")).into_iter().flatten() {
            let program = program.unwrap();
            if program.path().is_dir() {
                let name = format!("{name}/bin/{}", program.file_name().into_string().unwrap());
                roots.push((name, program.path()));
            }
        }
        roots.push((name, source));
    }
    roots
}

/// The text without comments and without a module of tests, which comes last.
fn without_tests(text: &str) -> String {
    const MARK: &str = "#[cfg(test)]\nmod ";
    let inline = |at: &usize| text[at + MARK.len()..].lines().next().is_some_and(|line| line.ends_with('{'));
    let end = text.match_indices(MARK).map(|(at, _)| at).find(inline).unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Words, `::` and single signs.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            _ if is_word(rest) => {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
            }
            ':' if rest.starts_with("::") => 2,
            sign => sign.len_utf8(),
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    tokens
}

/// Reads the paths that begin at a token: one, or several where it goes on in braces. Returns the token after them.
fn read<'a>(tokens: &[&'a str], mut at: usize, before: &[&'a str], found: &mut Vec<Written<'a>>) -> usize {
    let mut path = before.to_vec();
    while let Some(word) = tokens.get(at).filter(|token| is_word(token)) {
        at += 1;
        path.extend(Some(*word).filter(|word| *word != "self"));
        if tokens.get(at) != Some(&"::") {
            let alias = tokens.get(at + 1).filter(|_| tokens.get(at) == Some(&"as"));
            let name = alias.or(path.last()).copied().unwrap_or_default();
            found.push(Written { path, name });
            return if alias.is_some() { at + 2 } else { at };
        }
        at += 1;
    }
    if tokens.get(at) != Some(&"{") {
        // A star, or types for a function.
        found.push(Written { name: path.last().copied().unwrap_or_default(), path });
        return at + 1;
    }
    at += 1;
    while tokens.get(at).is_some_and(|token| *token != "}") {
        at = if tokens[at] == "," { at + 1 } else { read(tokens, at, &path, found) };
    }
    at + 1
}

/// The paths of a module that lead to other modules, from the crate on.
fn used(tokens: &[&str], module: &[String]) -> Vec<Module> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let begins = tokens.get(at + 1) == Some(&"::") && (at == 0 || tokens[at - 1] != "::");
        let ups = tokens[at..].chunks(2).take_while(|pair| *pair == ["super", "::"]).count();
        let (base, start) = match tokens[at] {
            "crate" if begins => (&module[..0], at + 2),
            "super" if begins && ups <= module.len() => (&module[..module.len() - ups], at + 2 * ups),
            _ => continue,
        };
        let mut written = Vec::new();
        read(tokens, start, &[], &mut written);
        for one in written {
            let below = one.path.iter().map(|name| (*name).to_owned());
            found.push(base.iter().cloned().chain(below).collect());
        }
    }
    found
}

/// The names that a module has from its children, and where they come from.
fn passed_on(tokens: &[&str], module: &[String], known: &BTreeSet<Module>) -> BTreeMap<Module, Module> {
    let mut names = BTreeMap::new();
    let below = |path: &[&str]| -> Module {
        module.iter().cloned().chain(path.iter().map(|&name| name.to_owned())).collect()
    };
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| **token == "use") {
        let mut written = Vec::new();
        read(tokens, at + 1, &[], &mut written);
        for one in written.iter().filter(|one| one.path.len() > 1 && known.contains(&below(&one.path[..1]))) {
            names.insert(below(&[one.name]), below(&one.path));
        }
    }
    names
}

/// The module that a path leads into. A name that a module has from a child belongs to the child.
fn owner(mut path: Module, known: &BTreeSet<Module>, passed_on: &BTreeMap<Module, Module>) -> Module {
    const HOPS_MAX: usize = 8;
    for _ in 0..HOPS_MAX {
        let depth = (0..=path.len()).rev().find(|depth| known.contains(&path[..*depth])).unwrap_or(0);
        match path.get(..=depth).and_then(|name| passed_on.get(name)) {
            Some(real) => path = real.iter().chain(&path[depth + 1..]).cloned().collect(),
            None => path.truncate(depth),
        }
        if known.contains(&path) {
            break;
        }
    }
    path
}

/// The modules of each folder of a crate, and which of those beside it each of them uses.
fn folders(texts: &BTreeMap<Module, String>) -> BTreeMap<Module, Uses> {
    let known: BTreeSet<Module> = texts.keys().cloned().collect();
    let read: BTreeMap<&Module, Vec<&str>> =
        texts.iter().map(|(module, text)| (module, tokens(text))).collect();
    let from_children: BTreeMap<Module, Module> =
        read.iter().flat_map(|(module, tokens)| passed_on(tokens, module, &known)).collect();
    let mut folders: BTreeMap<Module, Uses> = BTreeMap::new();
    for (module, tokens) in &read {
        for depth in 0..module.len() {
            folders.entry(module[..depth].to_vec()).or_default().entry(module[depth].clone()).or_default();
        }
        for path in used(tokens, module) {
            let other = owner(path, &known, &from_children);
            let shared = module.iter().zip(&other).take_while(|(one, other)| one == other).count();
            if let (Some(user), Some(used)) = (module.get(shared), other.get(shared)) {
                let beside = folders.entry(module[..shared].to_vec()).or_default();
                beside.entry(user.clone()).or_default().insert(used.clone());
            }
        }
    }
    folders
}

/// The modules of a crate with their texts.
fn modules(root: &Path) -> BTreeMap<Module, String> {
    let mut texts: BTreeMap<Module, String> = BTreeMap::new();
    for file in files(root) {
        let inside = file.strip_prefix(root).unwrap().with_extension("");
        let names = inside.iter().map(|name| name.to_str().unwrap().to_owned());
        let module = names.filter(|name| !["lib", "main", "mod"].contains(&name.as_str())).collect();
        let text = without_tests(&fs::read_to_string(&file).unwrap());
        texts.entry(module).or_default().push_str(&text);
    }
    texts
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
    let mut looked = 0;
    for (name, root) in roots() {
        for (folder, uses) in folders(&modules(&root)) {
            let folder = [vec![name.clone()], folder].concat().join("/");
            looked += uses.len();
            let circles = in_circles(uses);
            assert!(circles.is_empty(), "in cycles, or above one, in {folder}: {circles:#?}");
        }
    }
    assert!(looked > 600, "only {looked} modules were found");
}

/// The folders of a crate that consists of these modules.
fn crate_of(files: &[(&str, &str)]) -> BTreeMap<Module, Uses> {
    let module = |path: &str| path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    folders(&files.iter().map(|(path, text)| (module(path), without_tests(text))).collect())
}

#[test]
fn a_path_is_found_however_it_is_written() {
    let module = ["a".to_owned(), "b".to_owned()];
    let paths = |code: &str| {
        used(&tokens(&without_tests(code)), &module).iter().map(|path| path.join("::")).collect::<Vec<_>>()
    };
    assert_eq!(paths("use crate::x::{self, y::{Z, w as v}};"), ["x", "x::y::Z", "x::y::w"]);
    assert_eq!(
        paths("use super::{c, d::E};\nlet f = super::super::g::h::<u8>();"),
        ["a::c", "a::d::E", "g::h"]
    );
    assert_eq!(paths("use crate::x::*;\n// use crate::not;\nuse other::crate_::y;"), ["x"]);
    assert!(paths("#[cfg(test)]\nmod tests {\n    use crate::x;\n}").is_empty());
    assert_eq!(paths("#[cfg(test)]\nmod tests;\nuse crate::x;"), ["x"]);
}

#[test]
fn a_name_that_a_parent_passes_on_belongs_to_its_child() {
    let parent = ("a", "mod b;\nmod c;\npub use b::{d::Deep, Name as Other};\nstruct Own;");
    let uses = |code: &'static str| {
        let found =
            crate_of(&[parent, ("a/b", ""), ("a/b/d", ""), ("a/c", code), ("e", "use crate::a::Deep;")]);
        found[&vec!["a".to_owned()]]["c"].iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!(uses("use super::Other;"), ["b"]);
    assert_eq!(uses("use crate::a::Deep;"), ["b"]);
    assert!(uses("use super::{Own, c};").is_empty());
    assert!(uses("use crate::e;").is_empty(), "that is beside the parent");
}

#[test]
fn a_cycle_is_found_at_every_depth() {
    let found = crate_of(&[
        ("", "mod a;\nmod b;"),
        ("a", "use crate::b::y;"),
        ("a/c", "use super::d::e::f;"),
        ("a/d", ""),
        ("a/d/e", "use super::super::c;"),
        ("b", ""),
    ]);
    let circles = |folder: &[&str]| {
        let folder: Module = folder.iter().map(|name| (*name).to_owned()).collect();
        in_circles(found[&folder].clone()).into_keys().collect::<Vec<_>>()
    };
    assert!(circles(&[]).is_empty() && circles(&["a", "d"]).is_empty());
    assert_eq!(circles(&["a"]), ["c", "d"]);
}

/// Types that each platform has its own of, and the files of which one is compiled.
const ONE_PER_PLATFORM: [(&str, [&str; 2]); 1] =
    [("ControlGroup", ["sandbox/src/linux/group.rs", "sandbox/src/other.rs"])];

/// The names that are public where they are defined, whether or not their module is.
fn public_types<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    let is_type = |word: &str| ["struct", "enum", "union", "trait", "type"].contains(&word);
    let defined =
        tokens.windows(3).filter(|words| words[0] == "pub" && is_type(words[1]) && is_word(words[2]));
    defined.map(|words| words[2]).collect()
}

#[test]
fn public_types_are_found_and_others_are_not() {
    let found = |code: &str| public_types(&tokens(&without_tests(code))).join(" ");
    assert_eq!(found("pub struct A<T>(T);\npub enum B {}\npub trait C: D {}\npub type E = F;"), "A B C E");
    assert_eq!(found("pub(crate) struct A;\nstruct B;\npub use c::D;\npub struct $name;\n// pub enum E"), "");
    assert_eq!(found("#[cfg(test)]\nmod tests {\n    pub struct A;\n}"), "");
}

/// Whoever reads a name, or looks for it, should not have to ask which of two things is meant.
#[test]
fn no_two_public_types_have_the_same_name() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in roots().iter().flat_map(|(_, root)| files(root)) {
        let place = file.strip_prefix(&crates).unwrap().to_str().unwrap().replace('\\', "/");
        let text = without_tests(&fs::read_to_string(&file).unwrap());
        for name in public_types(&tokens(&text)) {
            let is_new = places.entry(name.to_owned()).or_default().insert(place.clone());
            assert!(is_new, "{place} defines `{name}` twice");
        }
    }
    assert!(places.len() > 900, "only {} public types were found", places.len());
    for (name, files) in ONE_PER_PLATFORM {
        let own = places.remove(name).unwrap_or_default();
        assert_eq!(own, files.map(str::to_owned).into(), "where `{name}` is defined");
    }
    places.retain(|_, files| files.len() > 1);
    assert!(places.is_empty(), "each of these names stands for several types: {places:#?}");
}

/// All but tests, which are in files and folders of that name or in a module at the end.
fn product_lines(source: &Path) -> usize {
    let texts = files(source).into_iter().map(|path| fs::read_to_string(path).unwrap());
    texts.map(|text| without_tests(&text).lines().count()).sum()
}

/// What no longer fits into one crate is two subjects. The limits are those of decision 16.
#[test]
fn no_crate_is_too_large() {
    for (name, source) in roots().into_iter().filter(|(name, _)| !name.contains('/')) {
        let most = if name == "core" { 6_000 } else { 18_000 };
        let lines = product_lines(&source);
        assert!(lines > 0 && lines <= most, "crates/{name} has {lines} product lines, more than {most}");
    }
}
