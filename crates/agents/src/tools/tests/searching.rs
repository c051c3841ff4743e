//! Tools that find files and lines, and how far a search comes.

use super::*;

#[test]
fn files_are_found_by_pattern() {
    let world = World::new();
    let glob = |pattern: &str| world.text("Glob", json!({"pattern": pattern}));
    assert_eq!(glob("**/*.md"), "docs/deep/er/note.md\ndocs/spec.md");
    assert_eq!(glob("docs/*.md"), "docs/spec.md");
    assert_eq!(glob("docs/**/note.??"), "docs/deep/er/note.md");
    assert_eq!(glob("**/**/**/spec.md"), "docs/spec.md");
    assert_eq!(glob("docs"), "no file matches `docs`");
    let hostile = format!("{}x", "*a".repeat(400));
    fs::write(world.work().join("a".repeat(200)), "").unwrap();
    assert!(glob(&hostile).starts_with("no file"));
    assert_eq!(world.text("List", json!({"path": "docs"})), "deep/\nspec.md");
}

#[test]
fn lines_are_found_by_their_literal_text() {
    let world = World::new();
    assert_eq!(world.text("Grep", json!({"text": "limits"})), "src/main.rs:2: // limits");
    let any = world.text("Grep", json!({"text": "limits", "ignore_case": true}));
    assert_eq!(any, "docs/deep/er/note.md:1: a note about Limits\nsrc/main.rs:2: // limits");
    assert_eq!(
        world.text("Grep", json!({"text": "limits", "ignore_case": true, "glob": "**/*.rs"})),
        "src/main.rs:2: // limits"
    );
    assert_eq!(world.text("Grep", json!({"text": "fn.*"})), "no line contains `fn.*`");
    assert!(world.call("Grep", json!({"text": ""})).is_error);
}

/// A repository with what a project has after its dependencies are installed and it was built.
fn installed() -> World {
    let world = World::new();
    let work = world.work();
    fs::remove_dir_all(work.join(".git")).unwrap();
    redraft_adapters::git::create_repository(&work, &["docs", "src"]).unwrap();
    fs::write(work.join(".gitignore"), ".venv/\n/node_modules/\ntarget/\n*.log\n").unwrap();
    for path in
        [".venv/lib/a.py", "node_modules/left/index.js", "src/target/b.rs", "build.log", "node_modules2/c.js"]
    {
        let path = work.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "// limits\n").unwrap();
    }
    world
}

#[test]
fn what_git_ignores_is_neither_listed_nor_searched_and_that_is_said_where_nothing_is_found() {
    let world = installed();
    assert_eq!(world.text("Glob", json!({"pattern": "**/*.js"})), "node_modules2/c.js");
    let lines = world.text("Grep", json!({"text": "// limits"}));
    assert_eq!(lines, "node_modules2/c.js:1: // limits\nsrc/main.rs:2: // limits");
    let left_out = "(files that git ignores are left out; Read and List open them)";
    for (name, input, found) in [
        ("Glob", json!({"pattern": "node_modules/**"}), "no file matches `node_modules/**`"),
        ("Grep", json!({"text": "limits", "glob": "**/*.log"}), "no line contains `limits`"),
    ] {
        assert_eq!(world.text(name, input), format!("{found} {left_out}"));
    }
    assert_eq!(world.text("List", json!({"path": "node_modules"})), "left/");
    assert!(world.text("Read", json!({"path": "build.log"})).contains("limits"));
}

#[cfg(unix)]
#[test]
fn a_tracked_path_that_became_a_link_is_not_followed_by_a_search() {
    let world = installed();
    let work = world.work();
    fs::remove_file(work.join("src/main.rs")).unwrap();
    std::os::unix::fs::symlink(world.folder.path().join("outside.md"), work.join("src/main.rs")).unwrap();
    fs::create_dir_all(world.folder.path().join("elsewhere/er")).unwrap();
    fs::write(world.folder.path().join("elsewhere/er/note.md"), "outside secret\n").unwrap();
    fs::remove_dir_all(work.join("docs/deep")).unwrap();
    std::os::unix::fs::symlink(world.folder.path().join("elsewhere"), work.join("docs/deep")).unwrap();
    assert!(world.text("Grep", json!({"text": "outside secret"})).starts_with("no line contains"));
    assert_eq!(world.text("Glob", json!({"pattern": "**/*.md"})), "docs/spec.md");
}

/// More ignored files than a walk looks at stand before the project's own.
#[test]
fn the_projects_own_files_are_searched_however_many_ignored_ones_stand_before_them() {
    let world = installed();
    let crowd = world.work().join(".venv/crowd");
    for folder in 0..51 {
        let folder = crowd.join(folder.to_string());
        fs::create_dir_all(&folder).unwrap();
        for file in 0..1_000 {
            fs::File::create(folder.join(file.to_string())).unwrap();
        }
    }
    let lines = world.text("Grep", json!({"text": "// limits", "glob": "src/**"}));
    assert_eq!(lines, "src/main.rs:2: // limits");
}

/// A clock on which every look takes a second.
#[derive(Default)]
struct Hurried {
    passed_ms: std::sync::atomic::AtomicU64,
    stopped: bool,
}

impl redraft_engine::ports::RunHandle for Hurried {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn wait_ms(&self, _ms: u64) -> bool {
        !self.stopped
    }

    fn now_ms(&self) -> i64 {
        0
    }

    fn moment(&self) -> Moment {
        let ms = self.passed_ms.fetch_add(1_000, std::sync::atomic::Ordering::Relaxed);
        Moment::after(std::time::Duration::from_millis(ms))
    }

    fn tell(&self, _doing: &str) {}

    fn afford(&self, _total: redraft_facts::usage::Usd) -> bool {
        true
    }
}

#[test]
fn a_search_ends_with_its_time_with_the_dispatch_or_with_the_run_and_says_how_far_it_came() {
    for in_git in [true, false] {
        let world = if in_git { installed() } else { World::new() };
        for at in 0..100 {
            fs::write(world.work().join(format!("z{at:02}.txt")), "limits\n").unwrap();
        }
        let names = ["Grep".to_owned()];
        let start = Moment::after(std::time::Duration::ZERO);
        let toolbox = |until_ms| {
            Toolbox::new(&world.work(), &[], &names).unwrap().with_deadline(start.plus_ms(until_ms))
        };
        let grep = |toolbox: Toolbox, watch: &Hurried| {
            toolbox.call("Grep", &json!({"text": "limits", "glob": "z*"}), &ticket(), watch).text
        };
        for (until_ms, least, most) in [(u64::MAX, 1, 30), (5_000, 0, 5)] {
            let text = grep(toolbox(until_ms), &Hurried::default());
            let hits = text.lines().filter(|line| line.starts_with('z')).count();
            assert!((least..=most).contains(&hits) || !in_git, "{until_ms}: {text}");
            assert!(hits < 100, "{text}");
            assert!(text.contains("looked at"), "{until_ms}: {text}");
        }
        let stopped = grep(toolbox(u64::MAX), &Hurried { stopped: true, ..Hurried::default() });
        assert!(stopped.contains("looked at") && !stopped.contains("z00"), "{stopped}");
    }
}

#[test]
fn files_too_large_to_search_are_counted() {
    let world = installed();
    fs::write(world.work().join("data.txt"), "limits\n".repeat(600_000)).unwrap();
    let text = world.text("Grep", json!({"text": "limits", "glob": "*.txt"}));
    assert!(text.ends_with("(1 file was not searched: larger than 4,194,304 bytes)"), "{text}");
}
