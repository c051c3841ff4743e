use super::*;

/// What a kind makes of a file that the change creates: the lines of each edit, a removed line as `-`.
fn planted(kind: PlantKind, path: &str, text: &str) -> Vec<String> {
    let change = one(path, text);
    let texts = [text];
    let Some(source) = Source::read(path, "", change.files[0].after.as_deref().unwrap_or_default()) else {
        return Vec::new();
    };
    let shown = |edit: Edit| match edit.new.as_slice() {
        [] => format!("-{}", edit.lines.len()),
        new => new.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" / "),
    };
    edits(kind, &source, &texts).into_iter().map(shown).collect()
}

fn one(path: &str, text: &str) -> ChangeSet {
    let file = ChangedFile { path: path.to_owned(), before: None, after: Some(text.to_owned()) };
    ChangeSet { files: vec![file], intent: "Adds it.".to_owned() }
}

#[track_caller]
fn check(kind: PlantKind, cases: &[(&str, &str, &[&str])]) {
    for (path, text, wanted) in cases {
        assert_eq!(planted(kind, path, text), *wanted, "{path}:\n{text}");
    }
}

#[test]
fn a_boundary_moves_only_where_a_limit_is_compared() {
    check(
        PlantKind::Boundary,
        &[
            (
                "a.rs",
                "fn f(n: usize) -> bool {\n    if n > MAX_LINKS {\n        return false;\n    }\n    true\n}\n",
                &["if n >= MAX_LINKS {"],
            ),
            ("a.rs", "    for at in 1..=count {\n", &["for at in 1..count {"]),
            (
                "a.rs",
                "    if first < second {\n    if n < 3 && n > 1 {\n    let v: Vec<u8> = f();\n    // if n > 3\n",
                &[],
            ),
            ("a.py", "while len(queue) >= 10:\n    pop()\n", &["while len(queue) > 10:"]),
            (
                "a.ts",
                "for (let at = 0; at < names.length; at++) {\n",
                &["for (let at = 0; at <= names.length; at++) {"],
            ),
            ("a.go", "if len(name) > 64 {\n", &["if len(name) >= 64 {"]),
            ("a.sh", "if [ \"$count\" -gt 5 ]; then\n", &["if [ \"$count\" -ge 5 ]; then"]),
            ("a.txt", "if n > 3\n", &[]),
            ("tests/a.rs", "if n > MAX {\n", &[]),
        ],
    );
}

#[test]
fn a_guard_goes_whole_or_not_at_all() {
    check(
        PlantKind::CheckRemoved,
        &[
            ("a.rs", "if left == 0 {\n    return Err(Error::Empty);\n}\nuse_it();\n", &["-3"]),
            ("a.rs", "if left == 0 {\n    return Err(Error::Empty);\n} else {\n    use_it();\n}\n", &[]),
            ("a.rs", "if left == 0 {\n    return Ok(());\n}\n", &[]),
            ("a.py", "if not user.owns(link):\n    raise Forbidden(link)\nlink.drop()\n", &["-2"]),
            ("a.py", "if not user:\n    raise Forbidden()\nelse:\n    go()\n", &[]),
            ("a.ts", "  if (!session.user) {\n    throw new Error('sign in');\n  }\n", &["-3"]),
            ("a.go", "\tif used >= limit {\n\t\treturn nil, errors.New(\"limit\")\n\t}\n", &["-3"]),
            ("a.go", "\tif err != nil {\n\t\treturn fmt.Errorf(\"read: %w\", err)\n\t}\n", &[]),
            ("a.sh", "[ -d \"$out\" ] || exit 1\n", &["-1"]),
            // It looks at what came from outside: another kind.
            ("a.py", "if not is_valid(name):\n    raise ValueError(name)\n", &[]),
        ],
    );
}

#[test]
fn an_error_is_swallowed_where_it_was_handed_on() {
    check(
        PlantKind::ErrorSwallowed,
        &[
            (
                "a.rs",
                "    store.save(&link)?;\n    let n = store.count()?;\n    x = store.one()?;\n",
                &["let _ = store.save(&link);"],
            ),
            (
                "a.py",
                "try:\n    save()\nexcept OSError as error:\n    raise StoreError(error)\n",
                &["except OSError as error: / pass"],
            ),
            ("a.ts", "} catch (error) {\n  throw error;\n}\n", &["} catch (error) {"]),
            (
                "a.go",
                "\tif err := store.Save(link); err != nil {\n\t\treturn err\n\t}\n",
                &["_ = store.Save(link)"],
            ),
            ("a.sh", "set -eu\ncp \"$from\" \"$to\"\ncp a b && x\n", &["cp \"$from\" \"$to\" || true"]),
            ("a.sh", "cp \"$from\" \"$to\"\n", &[]),
        ],
    );
}

#[test]
fn an_assertion_holds_whatever_happens() {
    check(
        PlantKind::AssertionWeakened,
        &[
            (
                "src/a.rs",
                "fn f() {}\n#[cfg(test)]\nmod tests {\n    assert_eq!(f(1, 2), Some(\"a, b\"));\n}\n",
                &["assert!(matches!(f(1, 2), _));"],
            ),
            ("src/a.rs", "    assert_eq!(f(), 2);\n", &[]),
            (
                "tests/test_a.py",
                "    assert count(links) == 3\n    self.assertEqual(count(), 3)\n",
                &["assert count(links) is not None", "self.assertIsNotNone(count())"],
            ),
            (
                "a.test.ts",
                "  expect(count(links)).toBe(3);\n  expect(x).not.toBe(3);\n",
                &["expect(count(links)).toBeDefined();"],
            ),
            ("a_test.go", "\tassert.Equal(t, 3, Count(links))\n", &["assert.NotNil(t, Count(links))"]),
        ],
    );
}

#[test]
fn a_constant_is_wrong_only_where_something_else_says_so() {
    check(
        PlantKind::ConstantWrong,
        &[
            (
                "a.rs",
                "/// Names have at most 64 letters.\nconst NAME_LETTERS_MAX: usize = 64;\n",
                &["const NAME_LETTERS_MAX: usize = 32;"],
            ),
            ("a.rs", "const NAME_LETTERS_MAX: usize = 64;\n", &[]),
            ("a.py", "DAY_SECONDS = 24 * 60 * 60\n", &["DAY_SECONDS = 24 * 60"]),
            ("a.ts", "export const CACHE_HOUR_MS = 60 * 60 * 1000;\n", &[]),
            ("a.go", "const maxBytesMB = 1024 * 1024\n", &[]),
        ],
    );
}

#[test]
fn what_was_opened_stays_open() {
    check(
        PlantKind::ResourceOpen,
        &[
            ("a.go", "\tfile, err := os.Open(name)\n\tdefer file.Close()\n\treturn read(file)\n", &["-1"]),
            (
                "a.py",
                "def load(name):\n    with open(name) as file:\n        text = file.read()\n        return text\n",
                &["file = open(name) / text = file.read() / return text"],
            ),
            (
                "a.ts",
                "  const timer = setTimeout(stop, 10);\n  await work();\n  clearTimeout(timer);\n  return done;\n",
                &["-1"],
            ),
            ("a.rs", "    run()?;\n    fs::remove_file(&lock)?;\n    Ok(())\n", &["-1"]),
            ("a.sh", "tmp=$(mktemp)\ntrap 'rm -f \"$tmp\"' EXIT\nwork\n", &["-1"]),
            // The block would be empty.
            ("a.ts", "finally {\n  socket.close();\n}\n", &[]),
        ],
    );
}

#[test]
fn input_is_used_as_it_is() {
    check(
        PlantKind::InputUnchecked,
        &[
            ("a.py", "if not is_valid(name):\n    raise ValueError(name)\n", &["-2"]),
            ("a.py", "    run(\"ls \" + shlex.quote(name))\n", &["run(\"ls \" + name)"]),
            (
                "a.ts",
                "  const url = `/x/${y}` + encodeURIComponent(name);\n",
                &["const url = `/x/${y}` + name;"],
            ),
            ("a.rs", "    validate(&name)?;\n    store(name)?;\n", &["-1"]),
            ("a.sh", "rm -rf \"$folder\"\n", &["rm -rf $folder"]),
        ],
    );
}

#[test]
fn a_branch_never_runs() {
    check(
        PlantKind::BranchDead,
        &[
            (
                "a.rs",
                "    if n == 0 {\n        a();\n    } else if n == 1 {\n        b();\n    }\n",
                &["} else if n == 0 {"],
            ),
            (
                "a.rs",
                "    if let Some(n) = x {\n        a();\n    } else if n == 1 {\n        b();\n    }\n",
                &[],
            ),
            ("a.py", "if kind == 'a':\n    a()\nelif kind == 'b':\n    b()\n", &["elif kind == 'a':"]),
            (
                "a.ts",
                "if (kind === 'a') {\n  a();\n} else if (kind === 'b') {\n  b();\n}\n",
                &["} else if (kind === 'a') {"],
            ),
            (
                "a.sh",
                "if [ \"$1\" = a ]; then\n  a\nelif [ \"$1\" = b ]; then\n  b\nfi\n",
                &["elif [ \"$1\" = a ]; then"],
            ),
        ],
    );
}

const BEFORE: &str = "fn load(name: &str) -> Result<Text, Error> {\n    read(name)\n}\n";
const AFTER: &str = "\
/// Names have at most 64 letters.
const NAME_LETTERS_MAX: usize = 64;

fn load(name: &str) -> Result<Text, Error> {
    if name.is_empty() {
        return Err(Error::Empty);
    }
    if name.len() > NAME_LETTERS_MAX {
        return too_long(name);
    }
    read(name)
}

fn store(text: &Text) -> Result<(), Error> {
    prepare(text)?;
    write(text)?;
    fs::remove_file(lock())?;
    Ok(())
}

fn kind(text: &Text) -> Kind {
    if text.is_empty() {
        Kind::Empty
    } else if text.is_short() {
        Kind::Short
    } else {
        Kind::Long
    }
}
";

fn change() -> ChangeSet {
    let file = |path: &str, before: Option<&str>, after: Option<&str>| ChangedFile {
        path: path.to_owned(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    };
    let test = "#[test]\nfn a_name_has_64_letters() {\n    assert_eq!(load(\"x\").is_ok(), true);\n}\n";
    let files = vec![
        file("src/links.rs", Some(BEFORE), Some(AFTER)),
        file("src/old.rs", Some("fn gone() {}\n"), None),
        file("tests/links.rs", None, Some(test)),
    ];
    ChangeSet { files, intent: "Limits names.".to_owned() }
}

#[test]
fn plants_of_a_change_are_seeded_apart_named_by_line_and_in_the_diff() {
    let mut kinds = BTreeSet::new();
    for seed in 0..30 {
        let planted = plant(&change(), 4, &mut Draw::new(seed, "x"));
        assert_eq!(planted, plant(&change(), 4, &mut Draw::new(seed, "x")));
        assert_eq!(planted.plants.len(), 4, "{planted:#?}");
        for (plant, edit) in planted.plants.iter().zip(&planted.edits) {
            kinds.insert(plant.kind);
            let text =
                &planted.files.iter().find(|(path, _)| *path == plant.file).map(|(_, text)| text.clone());
            let lines: Vec<&str> = text.as_deref().unwrap_or_default().lines().collect();
            if let Some(new) = edit.edit.new.first() {
                assert_eq!(lines[plant.line as usize - 1], new, "{plant:?}");
                assert!(planted.diff.contains(&format!("\n+{new}\n")), "{}", planted.diff);
            }
            assert!(plant.words.iter().all(|group| !group.is_empty()), "{plant:?}");
        }
        for (at, edit) in planted.edits.iter().enumerate() {
            assert!(planted.edits[at + 1..].iter().all(|other| edit.is_apart(other)));
        }
        let (second, new) = revised(&change(), &planted, &[1], &mut Draw::new(seed, "y"));
        assert_eq!(second.plants.len(), 1 + usize::from(new.is_some()));
        assert!(new.is_none_or(|new| planted.plants.iter().all(|old| old.kind != new.kind)));
    }
    assert!(kinds.len() >= 6, "{kinds:?}");
}

#[test]
fn the_diff_is_gits_and_only_what_the_change_adds_is_edited() {
    let planted = clean(&change());
    assert_eq!(
        planted.files.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
        ["src/links.rs", "tests/links.rs"]
    );
    for part in [
        "diff --git a/src/links.rs b/src/links.rs\n--- a/src/links.rs\n+++ b/src/links.rs\n@@ ",
        "diff --git a/src/old.rs b/src/old.rs\ndeleted file mode 100644\n--- a/src/old.rs\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-fn gone() {}\n",
        "diff --git a/tests/links.rs b/tests/links.rs\nnew file mode 100644\n--- /dev/null\n+++ b/tests/links.rs\n@@ -0,0 +1,4 @@\n",
    ] {
        assert!(planted.diff.contains(part), "{}", planted.diff);
    }
    let old = "if n > 64 {\n    a();\n}\n";
    let file = ChangedFile {
        path: "a.rs".to_owned(),
        before: Some(old.to_owned()),
        after: Some(format!("{old}b();\n")),
    };
    let only = ChangeSet { files: vec![file], intent: String::new() };
    assert!(plant(&only, 5, &mut Draw::new(1, "x")).plants.is_empty());
}
