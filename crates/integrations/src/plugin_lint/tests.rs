//! Tests what each rule for plugins finds and, just as important, what it leaves alone.

mod parts;
mod prompts;

use super::*;
use redraft_documents::lint::LintLevel;

const GOOD: [(&str, &str); 9] = [
    (
        ".claude-plugin/plugin.json",
        "{\n  \"name\": \"tidy\",\n  \"version\": \"1.2.0\",\n  \"description\": \"Keeps documents tidy\",\n  \"author\": {\"name\": \"Jo\"}\n}\n",
    ),
    (
        "agents/spec-reviewer.md",
        "---\nname: spec-reviewer\ndescription: Finds what is missing in a specification. Use after it was written.\ntools: Read, Glob, Grep, mcp__context7__query-docs\nmodel: opus\n---\n\nYou review.\n",
    ),
    (
        "agents/writer.md",
        "---\nname: writer\ndescription: Writes a specification from an idea that somebody had.\ntools: [Read, Write, \"Bash(git diff:*)\"]\nskills: naming\n---\n\nYou write.\n",
    ),
    (
        "commands/check.md",
        "---\ndescription: Check the documents\nargument-hint: [file]\nallowed-tools: Read, Bash(git log:*)\n---\n\nThen run /tidy:naming, or `${CLAUDE_PLUGIN_ROOT}/scripts/run.sh`.\n",
    ),
    (
        "skills/naming/SKILL.md",
        "---\nname: naming\ndescription: How things are named here. Use when something gets a name.\n---\n\nSee [more](references/more.md) and `references/more.md`.\n",
    ),
    ("skills/naming/references/more.md", "# More\n"),
    (
        "hooks/hooks.json",
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup|resume|clear\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"\\\"${CLAUDE_PLUGIN_ROOT}\\\"/scripts/run.sh\", \"timeout\": 5}]\n      }\n    ],\n    \"Stop\": [{\"hooks\": [{\"type\": \"prompt\", \"prompt\": \"Is it done?\"}]}]\n  }\n}\n",
    ),
    (
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"docs\": {\"command\": \"node\", \"args\": [\"${CLAUDE_PLUGIN_ROOT}/scripts/run.sh\"]},\n    \"far\": {\"type\": \"http\", \"url\": \"https://example.org/mcp\"}\n  }\n}\n",
    ),
    ("scripts/run.sh", ""),
];

/// The good plugin with some files replaced or added; one whose text is `-` is taken out.
fn plugin(changes: &[(&str, &str)]) -> Plugin {
    let mut plugin = Plugin::default();
    for (path, text) in GOOD.iter().chain(changes) {
        let content = if is_read(path) { PluginFile::Text((*text).to_owned()) } else { PluginFile::NotRead };
        plugin.files.insert((*path).to_owned(), content);
        if *text == "-" {
            plugin.files.remove(*path);
        }
    }
    plugin
}

fn found_in(plugin: &Plugin) -> Vec<String> {
    let faults = super::check(plugin, &LintSettings::default());
    faults.iter().map(|fault| format!("{} {} {}", fault.path, fault.line, fault.rule)).collect()
}

/// The faults as `file line rule`, in order.
#[track_caller]
fn check(changes: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(found_in(&plugin(changes)), expected, "{changes:?}");
}

#[test]
fn a_good_plugin_has_no_fault() {
    check(&[], &[]);
}

#[test]
fn a_level_can_be_changed_and_a_rule_switched_off() {
    let broken = plugin(&[("agents/writer.md", "You write.\n")]);
    let level = |level: LintLevel| {
        let settings =
            LintSettings { levels: [(Rule::PluginFrontMatter, level)].into(), ..LintSettings::default() };
        super::check(&broken, &settings).iter().map(|fault| fault.level).collect::<Vec<_>>()
    };
    assert_eq!(level(LintLevel::Warning), [LintLevel::Warning]);
    assert_eq!(level(LintLevel::Off), []);
}

#[test]
fn every_rule_of_plugins_says_so_and_no_other_does() {
    for rule in Rule::ALL {
        assert_eq!(rule.is_of_plugins(), rule.name().starts_with("plugin-"), "{rule}");
        assert_eq!(rule.is_of_plugins(), rule.explanation().starts_with("With `--plugin`"), "{rule}");
    }
}

#[test]
fn what_was_not_read_is_told_only_where_it_is_needed() {
    let mut plugin = plugin(&[("docs/notes.md", "")]);
    for path in ["docs/notes.md", "assets", "agents/writer.md", "agents/more", "hooks/hooks.json"] {
        plugin.files.insert(path.to_owned(), PluginFile::Unreadable("it is not UTF-8 text".to_owned()));
    }
    assert_eq!(
        found_in(&plugin),
        ["agents/more 1 unreadable", "agents/writer.md 1 unreadable", "hooks/hooks.json 1 unreadable"]
    );
}

#[test]
fn a_thousand_faults_of_a_rule_are_a_hundred() {
    let fields: String = (0..1_001).map(|_| "zz: 1\n").collect();
    let text =
        format!("---\nname: writer\ndescription: Writes what somebody wants to read.\n{fields}---\nx\n");
    let faults = super::check(&plugin(&[("agents/writer.md", &text)]), &LintSettings::default());
    assert_eq!(faults.len(), 100);
    assert!(faults[99].message.ends_with("(and 900 more like it)"), "{:?}", faults[99]);
}

proptest::proptest! {
    /// Whatever the files contain, there is an answer.
    #[test]
    fn no_text_is_too_odd(
        front in "[a-c:\\[\\]{}&*!|>'\"%@`#,?\t \n-]{0,80}",
        noise in "\\PC{0,60}",
        json in "[\\[\\]{}\":,a-c0-9\\\\ \n]{0,60}",
        path in "(agents|commands|skills/x|hooks)/(a|SKILL|hooks)\\.(md|json)",
    ) {
        let text = format!("---\n{front}\n---\n```\nsubagent_type: {noise}\nprompt: {noise}\n{front}\n```\n[a]({noise}) `{noise}`\n");
        let _ = found_in(&plugin(&[("agents/a.md", &text), (&path, &noise), ("hooks/hooks.json", &json), (".mcp.json", &json), (MANIFEST, &json)]));
        let _ = found_in(&plugin(&[("commands/b.md", &noise), (&path, &text)]));
    }

    /// Lines are remembered for exactly what the library reads.
    #[test]
    fn json_is_read_as_the_library_reads_it(
        keys in proptest::collection::vec("[a-z\"\\\\é😀]{1,5}", 0..5),
        text in "\\PC{0,10}",
        tabs in proptest::bool::ANY,
    ) {
        let map: BTreeMap<&String, &String> = keys.iter().map(|key| (key, &text)).collect();
        let whole = serde_json::json!({"m": map, "l": [1, -2.5, null, true, [], {}], "t": text});
        let pretty = serde_json::to_string_pretty(&whole).unwrap();
        let pretty = if tabs { pretty.replace("\n  ", "\n\t\t") } else { pretty };
        for written in [pretty, whole.to_string()] {
            assert!(same(&tree::json(&written).unwrap(), &whole), "{written}");
        }
    }
}

#[test]
fn json_has_lines_also_with_tabs_and_is_read_without_them_where_yaml_cannot_follow() {
    let line = |text: &str| tree::json(text).unwrap().get("b").unwrap().line;
    assert_eq!(line("{\n\t\"a\": [\n\t\t1\n\t],\n\t\"b\": {}\n}\n"), 4);
    assert_eq!(line("\u{feff}{\"a\":1,\r\n\"b\":\"x\\/y\"}"), 1);
    let escaped = tree::json("{\n\"b\": \"\\ud83d\\ude00\"}").unwrap();
    assert_eq!(escaped.get("b").unwrap().node.text(), Some("😀"));
    assert!(same(&tree::json(&format!("{}1{}", "[".repeat(100), "]".repeat(100))).unwrap(), &nested(100)));
}

fn nested(depth: usize) -> serde_json::Value {
    (0..depth).fold(1.into(), |inner: serde_json::Value, _| vec![inner].into())
}

fn same(node: &tree::Node, value: &serde_json::Value) -> bool {
    use serde_json::Value as Json;
    use tree::Value;
    match (&node.value, value) {
        (Value::Null, Json::Null) | (Value::Other, Json::Bool(_) | Json::Number(_)) => true,
        (Value::Text(text), Json::String(other)) => text == other,
        (Value::List(items), Json::Array(others)) => {
            items.len() == others.len() && items.iter().zip(others).all(|(one, other)| same(one, other))
        }
        (Value::Map(entries), Json::Object(others)) => {
            entries.len() == others.len()
                && entries
                    .iter()
                    .all(|entry| others.get(&entry.key).is_some_and(|other| same(&entry.node, other)))
        }
        (_, _) => false,
    }
}
