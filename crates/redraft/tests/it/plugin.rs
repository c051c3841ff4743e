//! `redraft plugin export`: what it writes, and what it leaves alone.

use crate::world::PROGRAM;
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const AGENT: &str = "agents/spec-author.md";
const INVENTORY: &str = ".redraft-export.json";

/// A folder to export to, with no repository around it.
struct World {
    scratch: Scratch,
    folder: PathBuf,
}

impl World {
    fn new() -> World {
        let scratch = Scratch::empty(PROGRAM);
        let folder = scratch.root().join("out");
        World { scratch, folder }
    }

    fn export(&self, words: &[&str]) -> Ran {
        self.scratch.run([&["plugin", "export", "out"], words].concat())
    }

    fn report(&self, words: &[&str]) -> Value {
        self.scratch.json([&["plugin", "export", "out"], words].concat())
    }

    fn write(&self, path: &str, text: &str) {
        self.scratch.write(&format!("out/{path}"), text);
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.join(path)).unwrap()
    }

    /// Every file below the folder.
    fn all(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.folder, &self.folder, &mut files);
        files
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(listed) = fs::read_dir(folder) else { return };
    for entry in listed.flatten() {
        let path = entry.path();
        match entry.file_type().unwrap().is_dir() {
            true => collect(root, &path, files),
            false => {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn a_plugin_is_exported_outside_of_any_repository_and_the_second_time_nothing_changes() {
    let world = World::new();
    let ran = world.export(&[]).expect(0);
    assert!(ran.stdout.ends_with("next: claude --plugin-dir out\n"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
    let first = world.all();
    for path in [
        ".claude-plugin/plugin.json",
        ".mcp.json",
        "README.md",
        "agents/security-reviewer.md",
        "commands/create-plan.md",
        "hooks/hooks.json",
        "skills/redraft/SKILL.md",
        INVENTORY,
    ] {
        assert!(first.contains_key(path), "{path} of {:?}", first.keys());
    }
    let manifest: Value = serde_json::from_slice(&first[".claude-plugin/plugin.json"]).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let again = world.report(&[]);
    assert_eq!((&again["v"], &again["written"], &again["kept"]), (&json!(1), &json!([]), &json!([])));
    assert_eq!(names(&again["unchanged"]).len() + 1, first.len(), "all but the inventory");
    assert_eq!(world.all(), first);
}

#[test]
fn exports_by_different_people_in_different_places_have_the_same_bytes() {
    let (one, other) = (World::new(), World::new());
    one.export(&[]).expect(0);
    let mut command = other.scratch.redraft(["plugin", "export", "out"]);
    Ran::new(command.env("USER", "somebody-else").env("TZ", "Asia/Tokyo").output().unwrap()).expect(0);
    assert_eq!(one.all(), other.all());
    let place = one.scratch.outside().display().to_string();
    for (path, bytes) in one.all() {
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains(&place) && !text.contains("tester"), "{path}");
    }
}

#[test]
fn a_dry_run_says_what_it_would_do_and_does_nothing() {
    let world = World::new();
    let report = world.report(&["--dry-run"]);
    assert_eq!(report["dry_run"], true);
    assert!(names(&report["written"]).contains(&AGENT));
    assert!(!world.folder.exists());
    let ran = world.export(&["--dry-run"]).expect(0);
    assert!(ran.stdout.contains(&format!("write    {AGENT}\n")), "{}", ran.stdout);
    assert!(ran.stdout.contains("files would be written to out"), "{}", ran.stdout);
}

#[test]
fn an_edited_file_is_left_and_named_and_everything_else_is_brought_up_to_date() {
    let world = World::new();
    world.export(&[]).expect(0);
    let (ours, skill) = (world.read(AGENT), world.read("skills/redraft/SKILL.md"));
    world.write(AGENT, "mine\n");
    fs::remove_file(world.folder.join("skills/redraft/SKILL.md")).unwrap();
    let ran = world.export(&[]).expect(1);
    assert!(ran.stdout.contains(&format!("left     {AGENT}: it was edited")), "{}", ran.stdout);
    assert!(ran.stdout.contains("--replace"), "{}", ran.stdout);
    assert_eq!((world.read(AGENT), world.read("skills/redraft/SKILL.md")), ("mine\n".to_owned(), skill));
    let report = world.report(&[]);
    assert_eq!((&report["kept"][0]["path"], &report["kept"][0]["edited"]), (&json!(AGENT), &json!(true)));

    world.export(&["--replace"]).expect(0);
    assert_eq!(world.read(AGENT), ours);
    assert_eq!(world.read(&format!("{AGENT}.mine")), "mine\n");
    world.write(AGENT, "mine again\n");
    let report = world.report(&["--replace"]);
    let aside = json!([{"path": AGENT, "to": format!("{AGENT}.mine.2")}]);
    assert_eq!(report["set_aside"], aside);
    assert_eq!(world.read(&format!("{AGENT}.mine")), "mine\n", "the first one is still there");
    assert_eq!(world.read(&format!("{AGENT}.mine.2")), "mine again\n");
    world.export(&[]).expect(0);
}

#[test]
fn a_file_of_somebody_else_stops_the_export_before_anything_is_written() {
    let world = World::new();
    world.write("README.md", "# somebody's\n");
    let ran = world.export(&[]).expect(2);
    assert!(
        ran.stderr.contains("README.md is already in out and was not exported by redraft"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("--replace"), "{}", ran.stderr);
    assert_eq!(world.all().len(), 1);
    world.export(&["--replace"]).expect(0);
    assert_eq!(world.read("README.md.mine"), "# somebody's\n");
}

#[test]
fn what_is_not_exported_any_more_is_removed_unless_it_was_edited() {
    let world = World::new();
    world.export(&[]).expect(0);
    // As an older version would have left it.
    for (path, text) in [("old/gone.md", "old\n"), ("old/edited.md", "old\n")] {
        world.write(path, text);
    }
    let mut inventory: Value = serde_json::from_str(&world.read(INVENTORY)).unwrap();
    let hash = redraft_facts::text::hash(b"old\n").as_str().to_owned();
    for path in ["old/gone.md", "old/edited.md", "old/missing.md"] {
        inventory["targets"]["claude"][path] = json!(hash);
    }
    world.write(INVENTORY, &inventory.to_string());
    world.write("old/edited.md", "mine\n");
    let ran = world.export(&[]).expect(1);
    assert!(ran.stdout.contains("removed old/gone.md"), "{}", ran.stdout);
    assert!(ran.stdout.contains("left     old/edited.md: it is no longer exported"), "{}", ran.stdout);
    assert!(!world.folder.join("old/gone.md").exists());
    assert_eq!(world.read("old/edited.md"), "mine\n");
    world.export(&[]).expect(0);
    assert_eq!(world.read("old/edited.md"), "mine\n");
}

#[test]
fn a_folder_that_is_left_empty_goes_with_its_last_file() {
    let world = World::new();
    world.export(&[]).expect(0);
    world.write("old/deep/gone.md", "old\n");
    let mut inventory: Value = serde_json::from_str(&world.read(INVENTORY)).unwrap();
    inventory["targets"]["claude"]["old/deep/gone.md"] = json!(redraft_facts::text::hash(b"old\n").as_str());
    world.write(INVENTORY, &inventory.to_string());
    assert_eq!(names(&world.report(&[])["removed"]), ["old/deep/gone.md"]);
    assert!(!world.folder.join("old").exists());
}

#[test]
fn links_and_other_things_in_the_way_are_named_and_not_followed() {
    let world = World::new();
    let outside = world.scratch.outside().join("elsewhere");
    fs::create_dir_all(&outside).unwrap();
    fs::create_dir_all(&world.folder).unwrap();
    symlink(&outside, world.folder.join("agents")).unwrap();
    let ran = world.export(&["--replace"]).expect(2);
    assert!(ran.stderr.contains("agents in out is a link"), "{}", ran.stderr);
    fs::remove_file(world.folder.join("agents")).unwrap();
    symlink(outside.join("x"), world.folder.join(".mcp.json")).unwrap();
    let ran = world.export(&["--replace"]).expect(2);
    assert!(ran.stderr.contains(".mcp.json in out is a link"), "{}", ran.stderr);
    fs::remove_file(world.folder.join(".mcp.json")).unwrap();
    fs::create_dir_all(world.folder.join("README.md")).unwrap();
    let ran = world.export(&["--replace"]).expect(2);
    assert!(ran.stderr.contains("README.md in out is not a file"), "{}", ran.stderr);
    fs::remove_dir(world.folder.join("README.md")).unwrap();
    world.write("hooks", "a file\n");
    let ran = world.export(&[]).expect(2);
    assert!(ran.stderr.contains("hooks in out is not a folder"), "{}", ran.stderr);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(world.all().len(), 1);
}

#[test]
fn a_folder_that_is_none_or_cannot_be_made_is_an_error_with_a_way_out() {
    let world = World::new();
    world.scratch.write("out", "a file\n");
    let ran = world.export(&[]).expect(2);
    assert!(ran.stderr.contains("out is not a folder"), "{}", ran.stderr);
    for folder in ["out/below", "/proc/redraft-export"] {
        let ran = world.scratch.run(["plugin", "export", folder]).expect(3);
        assert!(ran.stderr.contains("nothing was changed"), "{}", ran.stderr);
    }
    // A link to a folder is a way to name it.
    fs::create_dir_all(world.scratch.root().join("real")).unwrap();
    symlink("real", world.scratch.root().join("link")).unwrap();
    world.scratch.run(["plugin", "export", "link"]).expect(0);
    assert!(world.scratch.root().join("real/.mcp.json").exists());
}

#[test]
fn nothing_is_left_behind_where_the_export_ends_half_way_through_its_preparation() {
    let world = World::new();
    // A name longer than any file system takes, so that the last folder cannot be made.
    let deep = format!("out/a/b/{}", "x".repeat(300));
    let ran = world.scratch.run(["plugin", "export", &deep]).expect(3);
    assert!(ran.stderr.contains("nothing was changed"), "{}", ran.stderr);
    assert!(!world.folder.exists());
}

#[test]
fn an_inventory_that_cannot_be_used_stops_the_export() {
    let world = World::new();
    world.export(&[]).expect(0);
    world.write(INVENTORY, "{\"v\": 9}");
    let ran = world.export(&[]).expect(3);
    assert!(ran.stderr.contains("newer redraft"), "{}", ran.stderr);
    world.write(INVENTORY, "{\"v\": 1, \"targets\": {\"claude\": {\"../../x\": \"00\"}}}");
    let ran = world.export(&["--replace"]).expect(3);
    assert!(ran.stderr.contains("`../../x` does not stay in the folder"), "{}", ran.stderr);
    fs::remove_file(world.folder.join(INVENTORY)).unwrap();
    world.export(&[]).expect(0);
}

#[test]
fn codex_and_opencode_share_a_repository_with_what_its_people_wrote() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("AGENTS.md", "# How we work\n");
    scratch.write(".codex/config.toml", "model = \"gpt-5.1\"\n\n[mcp_servers.other]\ncommand = \"x\"\n");
    for target in ["codex", "opencode", "agents-md", "codex"] {
        scratch.run(["plugin", "export", ".", "--target", target]).expect(0);
    }
    let read = |path: &str| fs::read_to_string(scratch.root().join(path)).unwrap();
    let section = read("AGENTS.md");
    assert!(section.starts_with("# How we work\n\n<!-- redraft:begin"), "{section}");
    assert_eq!(section.matches("## Redraft").count(), 1);
    let config: toml::Table = read(".codex/config.toml").parse().unwrap();
    assert_eq!(config["model"].as_str(), Some("gpt-5.1"));
    assert_eq!(config["mcp_servers"]["redraft"]["command"].as_str(), Some("redraft"));
    for entry in fs::read_dir(scratch.root().join(".codex/agents")).unwrap().flatten() {
        let agent: toml::Table = fs::read_to_string(entry.path()).unwrap().parse().unwrap();
        let name = agent["name"].as_str().unwrap();
        assert_eq!(entry.file_name().to_str(), Some(format!("{name}.toml").as_str()));
        assert!(agent["developer_instructions"].as_str().unwrap().contains("of Redraft."), "{name}");
    }
    let config: Value = serde_json::from_str(&read(".opencode/opencode.json")).unwrap();
    assert_eq!(config["mcp"]["redraft"]["command"], json!(["redraft", "mcp"]));
    assert!(read(".opencode/commands/redraft-next.md").contains("$ARGUMENTS"));
    assert!(read(".agents/skills/redraft/SKILL.md").contains("`redraft-ROLE`"));
}

#[test]
fn a_configuration_that_would_be_spoilt_is_left_and_the_way_out_works() {
    let scratch = Scratch::repository(PROGRAM);
    let codex = || scratch.run(["plugin", "export", ".", "--target", "codex"]);
    scratch.write(".codex/config.toml", "mcp_servers = { other = { command = \"x\" } }\n");
    let ran = codex().expect(2);
    assert!(ran.stderr.contains(".codex/config.toml in . would no longer be valid TOML"), "{}", ran.stderr);
    assert!(!scratch.root().join("AGENTS.md").exists(), "nothing else was written either");
    scratch.write(".codex/config.toml", "[mcp_servers.redraft]\ncommand = \"redraft\"\nargs = [\"mcp\"]\n");
    let ran = codex().expect(0);
    assert!(
        ran.stdout.contains("left     .codex/config.toml: it already names the MCP server"),
        "{}",
        ran.stdout
    );

    let opencode = || scratch.run(["plugin", "export", ".", "--target", "opencode"]);
    scratch.write(".opencode/opencode.json", "{\"mcp\": {}}\n");
    let ran = opencode().expect(2);
    assert!(ran.stderr.contains("add \"redraft\": {"), "{}", ran.stderr);
    let (_, line) = ran.stderr.split_once("add ").unwrap();
    let (line, _) = line.split_once(" to `mcp`").unwrap();
    scratch.write(".opencode/opencode.json", &format!("{{\"mcp\": {{{line}}}}}\n"));
    opencode().expect(0);
}

#[test]
fn a_section_is_edited_like_a_file_and_broken_edges_are_told() {
    let scratch = Scratch::repository(PROGRAM);
    let export =
        |words: &[&str]| scratch.run([&["plugin", "export", ".", "--target", "agents-md"], words].concat());
    export(&[]).expect(0);
    let file = scratch.root().join("AGENTS.md");
    let ours = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("# Theirs\n\n{}", ours.replace("## Redraft", "## Our Redraft"))).unwrap();
    export(&[]).expect(1);
    export(&["--replace"]).expect(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("# Theirs\n\n{ours}"));
    assert!(fs::read_to_string(scratch.root().join("AGENTS.md.mine")).unwrap().contains("## Our Redraft"));
    fs::write(&file, ours.replace("<!-- redraft:end -->", "")).unwrap();
    let ran = export(&["--replace"]).expect(2);
    assert!(
        ran.stderr.contains("AGENTS.md in ., line 1: the block of redraft that begins here"),
        "{}",
        ran.stderr
    );
}

#[test]
fn role_texts_of_a_repository_are_exported_only_if_asked_for_and_never_silently_left_out() {
    let scratch = Scratch::repository(PROGRAM);
    let ran = scratch.run(["plugin", "export", "out", "--own-roles"]).expect(2);
    assert!(ran.stderr.contains("no role texts of its own"), "{}", ran.stderr);
    scratch
        .write(".redraft/agents/spec-reviewer.md", "---\ntools: Read, Grep\n---\n# Our Questions\n\nAsk.\n");
    let ran = scratch.run(["plugin", "export", "out"]).expect(0);
    assert!(ran.stderr.contains("--own-roles exports their tools and models"), "{}", ran.stderr);
    let agent = || fs::read_to_string(scratch.root().join("out/agents/spec-reviewer.md")).unwrap();
    assert!(!agent().contains("# Our Questions"));
    let report = scratch.json(["plugin", "export", "out", "--own-roles"]);
    assert_eq!(names(&report["written"]), ["agents/spec-reviewer.md"]);
    assert!(agent().contains("\ntools: Read, Grep\n"), "{}", agent());
    scratch.write(".redraft/agents/spec-reviewer.md", "no front matter\n");
    let ran = scratch.run(["plugin", "export", "out", "--own-roles"]).expect(3);
    assert!(ran.stderr.contains("spec-reviewer.md:1:"), "{}", ran.stderr);
    let outside = World::new();
    outside.export(&["--own-roles"]).expect(2);
}

#[test]
fn an_agent_at_work_can_look_but_not_export() {
    let world = World::new();
    let run = |words: &[&str]| {
        let mut command = world.scratch.redraft([&["plugin", "export", "out"], words].concat());
        Ran::new(command.env("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1").output().unwrap())
    };
    let ran = run(&[]).expect(2);
    assert!(ran.stderr.contains("cannot export a plugin"), "{}", ran.stderr);
    assert!(!world.folder.exists());
    run(&["--dry-run"]).expect(0);
}

#[test]
fn the_folder_is_named_as_it_must_be_typed_here() {
    let world = World::new();
    let mut command = world.scratch.redraft(["-C", "repo", "plugin", "export", "a plugin"]);
    let ran = Ran::new(command.current_dir(world.scratch.outside()).output().unwrap()).expect(0);
    assert!(ran.stdout.ends_with("next: claude --plugin-dir 'repo/a plugin'\n"), "{}", ran.stdout);
    assert!(world.scratch.root().join("a plugin/.mcp.json").exists());
}
