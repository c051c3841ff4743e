mod searching;

use super::{Commands, TOOLS, ToolResult, Toolbox, missing, offered};
use redraft_adapters::child::Environment;
use redraft_adapters::clock::SystemClock;
use redraft_engine::ports::Moment;
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::Ticket;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

struct World {
    folder: tempfile::TempDir,
}

fn ticket() -> Ticket {
    "031/specify.1/review/spec-reviewer/1.1".parse().unwrap()
}

impl World {
    fn new() -> World {
        let world = World { folder: tempfile::tempdir().unwrap() };
        for (path, text) in [
            ("work/docs/spec.md", "# Spec\nFirst line.\nSecond line.\n"),
            ("work/docs/deep/er/note.md", "a note about Limits\n"),
            ("work/src/main.rs", "fn main() {}\n// limits\n"),
            ("work/.git/config", "secret\n"),
            ("outside.md", "outside secret\n"),
        ] {
            let path = world.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        world
    }

    fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    fn call(&self, name: &str, input: Value) -> ToolResult {
        let all: Vec<String> = TOOLS.iter().map(|tool| tool.name.to_owned()).collect();
        let may_write =
            ["docs/spec.md".to_owned(), "docs/new/plan.md".to_owned(), "linked/spec.md".to_owned()];
        Toolbox::new(&self.work(), &may_write, &all).unwrap().call(
            name,
            &input,
            &ticket(),
            &SystemClock::new(Arc::default()),
        )
    }

    fn text(&self, name: &str, input: Value) -> String {
        let result = self.call(name, input);
        assert!(!result.is_error, "{}", result.text);
        result.text
    }

    /// The refusal must name the path and change or show nothing.
    fn refused(&self, name: &str, input: Value) -> String {
        let path = input["path"].as_str().unwrap_or_default().to_owned();
        let result = self.call(name, input);
        assert!(result.is_error && result.opened.is_none(), "{name} {path}: {}", result.text);
        assert!(result.text.contains(&path) && !result.text.contains("secret\n"), "{path}: {}", result.text);
        result.text
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }
}

#[test]
fn a_file_is_read_with_line_numbers_and_counts_as_opened() {
    let world = World::new();
    let result = world.call("Read", json!({"path": "./docs//spec.md"}));
    assert_eq!(result.text, "    1\t# Spec\n    2\tFirst line.\n    3\tSecond line.\n");
    assert_eq!(result.opened.as_deref(), Some("docs/spec.md"));
    assert_eq!(
        world.text("Read", json!({"path": "docs/spec.md", "offset": 2, "limit": 1})),
        "    2\tFirst line.\n"
    );
    let past = world.refused("Read", json!({"path": "docs/spec.md", "offset": 9}));
    assert!(past.contains("has 3 lines"), "{past}");
}

#[test]
fn a_large_file_is_shown_in_parts_and_a_huge_or_binary_one_is_refused() {
    let world = World::new();
    let lines: String = (1..=20_000).map(|n| format!("line {n} of many\n")).collect();
    fs::write(world.work().join("large.txt"), &lines).unwrap();
    let text = world.text("Read", json!({"path": "large.txt"}));
    assert!(text.len() < 260 * 1024, "{}", text.len());
    let offset: u64 = text.split("offset ").nth(1).unwrap().trim_end_matches(")\n").parse().unwrap();
    let rest = world.text("Read", json!({"path": "large.txt", "offset": offset}));
    assert!(rest.starts_with(&format!("{offset:>5}\tline {offset} of many\n")));
    fs::write(world.work().join("huge.txt"), vec![b'x'; 5 * 1024 * 1024]).unwrap();
    fs::write(world.work().join("binary"), b"ab\0cd").unwrap();
    fs::write(world.work().join("latin"), b"caf\xe9").unwrap();
    for path in ["huge.txt", "binary", "latin", "docs", "missing.md", ""] {
        world.refused("Read", json!({"path": path}));
    }
    assert!(world.call("Read", json!({})).text.contains("`path`"));
}

#[test]
fn no_path_leaves_the_folder_or_enters_git() {
    let world = World::new();
    let absolute = world.folder.path().join("outside.md").display().to_string();
    for path in [
        "../outside.md",
        "docs/../../outside.md",
        &absolute,
        "/etc/passwd",
        ".git/config",
        "docs/../.git/config",
        ".GIT/config",
        ".git /config",
        ".g\u{200c}it/config",
        "docs/git~1/hooks/x",
        "..\\outside.md",
        "docs/\u{0}",
    ] {
        for name in ["Read", "List", "Write", "Edit"] {
            let input = json!({"path": path, "content": "x", "old_text": "secret", "new_text": "x"});
            assert!(world.call(name, input.clone()).denied, "{name} {path}");
            world.refused(name, input);
        }
        assert!(world.call("Glob", json!({"pattern": path})).is_error, "{path}");
    }
    assert_eq!(world.read("outside.md"), "outside secret\n");
    assert!(!world.text("List", json!({})).contains(".git"));
    assert!(!world.text("Grep", json!({"text": "secret"})).contains(".git/"));
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_folder_or_into_git() {
    use std::os::unix::fs::symlink;
    let world = World::new();
    let link = |to: &Path, at: &str| symlink(to, world.work().join(at)).unwrap();
    link(&world.folder.path().join("outside.md"), "out.md");
    link(world.folder.path(), "up");
    link(Path::new(".git"), "hidden");
    link(Path::new("docs"), "linked");
    link(Path::new("nowhere"), "dangling");
    for path in ["out.md", "up/outside.md", "hidden/config", "dangling"] {
        world.refused("Read", json!({"path": path}));
    }
    world.refused("List", json!({"path": "up"}));
    // Inside the folder a link may be read through, but nothing is ever written through one.
    assert!(world.text("Read", json!({"path": "linked/spec.md"})).contains("First line."));
    world.refused("Write", json!({"path": "linked/spec.md", "content": "x"}));
    fs::remove_file(world.work().join("docs/spec.md")).unwrap();
    link(&world.folder.path().join("outside.md"), "docs/spec.md");
    world.refused("Write", json!({"path": "docs/spec.md", "content": "x"}));
    world.refused("Edit", json!({"path": "docs/spec.md", "old_text": "outside", "new_text": "x"}));
    assert_eq!(world.read("outside.md"), "outside secret\n");
    assert!(!world.text("Grep", json!({"text": "outside"})).contains("secret"));
}

#[test]
fn only_the_files_of_the_task_are_written() {
    let world = World::new();
    assert_eq!(
        world.text("Write", json!({"path": "docs/new/plan.md", "content": "a\nb\n"})),
        "wrote `docs/new/plan.md`, 2 lines"
    );
    assert_eq!(world.read("work/docs/new/plan.md"), "a\nb\n");
    let refusal = world.refused("Write", json!({"path": "src/main.rs", "content": "x"}));
    assert!(refusal.contains("docs/spec.md"), "{refusal}");
    world.refused("Write", json!({"path": "docs/spec.md", "content": "x".repeat(5 * 1024 * 1024)}));
    let reader = Toolbox::new(&world.work(), &[], &["Read".to_owned(), "Write".to_owned()]).unwrap();
    assert!(
        reader
            .call(
                "Write",
                &json!({"path": "docs/spec.md", "content": "x"}),
                &ticket(),
                &SystemClock::new(Arc::default())
            )
            .denied
    );
    assert!(reader.call("Bash", &json!({}), &ticket(), &SystemClock::new(Arc::default())).denied);
    assert_eq!(world.read("work/docs/spec.md"), "# Spec\nFirst line.\nSecond line.\n");
}

#[test]
fn an_edit_replaces_exactly_one_passage_or_nothing() {
    let world = World::new();
    let edit = |old: &str, new: &str| {
        world.call("Edit", json!({"path": "docs/spec.md", "old_text": old, "new_text": new}))
    };
    for (old, why) in [("line", "2 times"), ("absent", "does not occur"), ("", "empty")] {
        let result = edit(old, "x");
        assert!(result.is_error && result.text.contains(why), "{}", result.text);
    }
    assert!(!edit("First line.", "Only $1 line.").is_error);
    assert_eq!(world.read("work/docs/spec.md"), "# Spec\nOnly $1 line.\nSecond line.\n");
    world.refused("Edit", json!({"path": "docs/new/plan.md", "old_text": "a", "new_text": "b"}));
    world.text("Write", json!({"path": "docs/new/plan.md", "content": "aaa"}));
    world.refused("Edit", json!({"path": "docs/new/plan.md", "old_text": "aa", "new_text": "b"}));
}

#[test]
fn every_definition_is_a_schema_and_the_order_is_constant() {
    for tool in &TOOLS {
        let schema: Value = serde_json::from_str(&tool.schema).unwrap();
        assert_eq!(
            (&schema["type"], &schema["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{}",
            tool.name
        );
        for required in schema["required"].as_array().unwrap() {
            assert!(schema["properties"][required.as_str().unwrap()].is_object(), "{}", tool.name);
        }
    }
    let names = ["Grep".to_owned(), "Bash".to_owned(), "Read".to_owned()];
    assert_eq!(offered(&names, None).iter().map(|tool| tool.name).collect::<Vec<_>>(), ["Read", "Grep"]);
    // A role that may look for files may list folders.
    let names = ["Grep", "Glob", "WebSearch"].map(str::to_owned);
    let found: Vec<&str> = offered(&names, None).iter().map(|tool| tool.name).collect();
    assert_eq!(found, ["List", "Glob", "Grep"]);
}

#[test]
fn without_accepted_commands_nothing_is_run() {
    let names = ["Read", "Run", "WebSearch"].map(str::to_owned);
    assert_eq!(super::missing(&names, None), ["Run", "WebSearch"]);
    let result = World::new().call("Run", json!({"command": "env"}));
    assert!(result.is_error && result.denied, "{}", result.text);
}

#[test]
fn who_builds_writes_anywhere_but_where_it_is_held_to_something() {
    let world = World::new();
    let all: Vec<String> = TOOLS.iter().map(|tool| tool.name.to_owned()).collect();
    let may_write = [".", "!docs/features/001-x", "!redraft.toml", "!.redraft"].map(str::to_owned);
    let tools = Toolbox::new(&world.work(), &may_write, &all).unwrap();
    let write = |path: &str| {
        let input = json!({"path": path, "content": "new\n"});
        tools.call("Write", &input, &ticket(), &SystemClock::new(Arc::default()))
    };
    for path in ["src/main.rs", "new/deep/file.rs", "docs/spec.md", "redraft.toml.md", ".gitignore"] {
        assert!(!write(path).is_error, "{path}");
        assert_eq!(fs::read_to_string(world.work().join(path)).unwrap(), "new\n");
    }
    for path in ["docs/features/001-x/spec.md", "./redraft.toml", ".redraft/agents/implementer.md"] {
        let refused = write(path);
        assert!(refused.denied && !world.work().join(path).exists(), "{path}: {}", refused.text);
        let may = "you may change every file but docs/features/001-x, redraft.toml, .redraft";
        assert!(refused.text.ends_with(may), "{}", refused.text);
    }
    for path in [".git/config", "sub/.git/hooks/x", "../outside.md", "/etc/x"] {
        assert!(write(path).denied, "{path}");
    }
    assert_eq!(fs::read_to_string(world.work().join(".git/config")).unwrap(), "secret\n");
}

#[test]
fn the_tool_that_runs_commands_names_them() {
    let commands = Commands {
        accepted: vec!["cargo test".to_owned(), "npm ci && npm \"test\"".to_owned()],
        worker: "redraft".into(),
        runs: "runs".into(),
        environment: Environment::default(),
        redactor: Redactor::default(),
        limit_ms: 1,
        sandbox: None,
        reached: Default::default(),
    };
    let names = ["Read", "Run"].map(str::to_owned);
    let tools = offered(&names, Some(&commands));
    let schema: Value = serde_json::from_str(&tools[1].schema).unwrap();
    assert_eq!(schema["properties"]["command"]["enum"], json!(["cargo test", "npm ci && npm \"test\""]));
    assert_eq!(missing(&names, Some(&commands)), [""; 0]);
    assert_eq!(missing(&names, Some(&Commands { accepted: Vec::new(), ..commands })), ["Run"]);
    assert_eq!(missing(&names, None), ["Run"]);
}
