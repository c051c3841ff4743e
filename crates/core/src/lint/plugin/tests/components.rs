//! Manifest, front matter, names, tools, models and references.

use super::*;

const MANIFEST_START: &str = "{\"name\": \"tidy\", \"version\": \"1.0.0\", \"description\": \"d\"";

/// The good writer with other fields after its name and description.
fn writer(fields: &str) -> String {
    format!("---\nname: writer\ndescription: Writes a specification from an idea.\n{fields}---\n\nx\n")
}

#[track_caller]
fn check_writer(fields: &str, expected: &[&str]) {
    check(&[("agents/writer.md", &writer(fields))], expected);
}

#[track_caller]
fn check_reviewer(fields: &str, expected: &[&str]) {
    let text = format!(
        "---\nname: spec-reviewer\ndescription: Finds what is missing in a text.\n{fields}---\n\nx\n"
    );
    check(&[("agents/spec-reviewer.md", &text)], expected);
}

#[track_caller]
fn check_manifest(text: &str, expected: &[&str]) {
    check(&[(MANIFEST, text)], expected);
}

#[test]
fn a_manifest_has_to_be_there_to_be_json_and_to_name_the_plugin() {
    let manifest = ".claude-plugin/plugin.json 1 plugin-manifest";
    check(&[(MANIFEST, "-")], &[manifest]);
    check_manifest("[]", &[manifest]);
    check_manifest("{\n  \"name\": \"tidy\",\n}\n", &[".claude-plugin/plugin.json 3 plugin-manifest"]);
    check_manifest("{\"version\": \"1.0.0\", \"description\": \"d\"}", &[manifest]);
    for name in ["Tidy", "ti dy", "tidy_up", ""] {
        // Commands are called by another name then, which nobody can know to be this one.
        let text = format!("{{\"name\": \"{name}\", \"version\": \"1.0.0\", \"description\": \"d\"}}");
        check_manifest(&text, &[manifest]);
    }
    let message = |changes: &[(&str, &str)]| {
        super::super::check(&plugin(changes), &Settings::default())[0].message.clone()
    };
    assert!(message(&[(MANIFEST, "-"), (MARKETPLACE, "{}")]).contains("marketplace"));
}

#[test]
fn values_of_the_manifest_are_of_the_kinds_that_are_read() {
    for field in [
        "\"author\": \"Jo\"",
        "\"keywords\": \"a\"",
        "\"repository\": {\"type\": \"git\"}",
        "\"name\": \"tidy\"",
    ] {
        check_manifest(
            &format!("{MANIFEST_START},\n {field}}}"),
            &[".claude-plugin/plugin.json 2 plugin-manifest"],
        );
    }
    check_manifest(
        &format!("{MANIFEST_START}, \"homepage\": \"https://example.org\", \"keywords\": [\"a\"]}}"),
        &[],
    );
}

#[test]
fn a_plugin_should_have_a_version_and_a_description() {
    let missing = ".claude-plugin/plugin.json 1 plugin-metadata";
    check_manifest("{\"name\": \"tidy\"}", &[missing, missing]);
    check_manifest("{\"name\": \"tidy\", \"version\": \"1\", \"description\": \"d\"}", &[missing]);
    check_manifest("{\"name\": \"tidy\", \"version\": \"1.0.0-dev\", \"description\": \"d\"}", &[]);
    check_manifest(&format!("{MANIFEST_START}, \"licence\": \"MIT\"}}"), &[missing]);
}

#[test]
fn what_the_manifest_names_has_to_be_inside_and_there() {
    for (field, rule) in [
        ("\"skills\": [\"./extra\"]", "missing-file"),
        ("\"commands\": \"commands\"", "manifest"),
        ("\"agents\": \"./agents/\"", "manifest"),
        ("\"agents\": [\"./agents/none.md\"]", "missing-file"),
        ("\"hooks\": \"./more.json\"", "missing-file"),
        ("\"mcpServers\": \"../up.json\"", "outside"),
    ] {
        let expected = format!(".claude-plugin/plugin.json 1 plugin-{rule}");
        check_manifest(&format!("{MANIFEST_START}, {field}}}"), &[&expected]);
    }
    let named = format!(
        "{MANIFEST_START}, \"agents\": [\"./more/helper.md\"], \"skills\": \"./skills/\", \"mcpServers\": {{\"a\": {{\"command\": \"x\"}}}}}}"
    );
    // What it names is looked at like everything else.
    let helper = (
        "more/helper.md",
        "---\nname: helper\ndescription: Helps whoever asks for it.\nmodel: gpt-7\n---\nx\n",
    );
    check(&[(MANIFEST, &named), helper], &["more/helper.md 4 plugin-model"]);
}

#[test]
fn front_matter_is_there_closed_and_yaml() {
    let first = &["agents/writer.md 1 plugin-front-matter"];
    for text in [
        "You write.\n",
        "---\nname: writer\ndescription: Writes a text.\n",
        "---\n---\nx\n",
        "---\n# nothing\n---\nx\n",
    ] {
        check(&[("agents/writer.md", text)], first);
    }
    check(&[("agents/writer.md", "---\njust words\n---\nx\n")], &["agents/writer.md 2 plugin-front-matter"]);
    let colon = "---\nname: writer\ndescription: Use this: when somebody asks.\n---\nx\n";
    check(&[("agents/writer.md", colon)], &["agents/writer.md 3 plugin-front-matter"]);
    check(&[("agents/writer.md", &format!("\u{feff}{}", writer("")))], first);
    check_writer("name: writer\n", &["agents/writer.md 4 plugin-front-matter"]);
    // Three dashes end it wherever they stand.
    check_writer("color: blue --- or so\n", &["agents/writer.md 4 plugin-front-matter"]);
    // A command needs none.
    check(&[("commands/check.md", "Check it.\n")], &["commands/check.md 1 plugin-description"]);
}

#[test]
fn an_agent_needs_name_and_description_and_a_skill_a_description() {
    check(
        &[("agents/writer.md", "---\ntools: Read\n---\nx\n")],
        &["agents/writer.md 1 plugin-front-matter", "agents/writer.md 1 plugin-front-matter"],
    );
    check(
        &[("agents/writer.md", "---\nname: writer\ndescription: \"  \"\n---\nx\n")],
        &["agents/writer.md 3 plugin-front-matter"],
    );
    check(
        &[("skills/naming/SKILL.md", "---\nname: naming\n---\nx\n")],
        &["skills/naming/SKILL.md 1 plugin-front-matter"],
    );
    // Who calls it by hand knows what it is.
    let by_hand = "---\nname: naming\ndisable-model-invocation: true\n---\nx\n";
    check(&[("skills/naming/SKILL.md", by_hand)], &["skills/naming/SKILL.md 1 plugin-description"]);
    check(
        &[("commands/check.md", "---\nmodel: opus\n---\nx\n")],
        &["commands/check.md 1 plugin-description"],
    );
}

#[test]
fn values_of_front_matter_are_of_the_kinds_that_are_read() {
    for field in ["tools: {a: 1}", "tools: [1, 2]", "background: maybe", "model: [opus]"] {
        check_writer(&format!("{field}\n"), &["agents/writer.md 4 plugin-front-matter"]);
    }
    for field in
        ["tools:\n  - Read\n  - Bash(ls:*)", "background: \"true\"", "tools: *all", "color: &all blue"]
    {
        let expected: &[&str] =
            if field.contains("*all") { &["agents/writer.md 4 plugin-front-matter"] } else { &[] };
        check_writer(&format!("{field}\n"), expected);
    }
    // What an alias stands for is not told.
    check_writer("color: &all Read\ntools: *all\n", &[]);
}

#[test]
fn fields_that_nobody_reads_are_told() {
    check_writer("colour: blue\n", &["agents/writer.md 4 plugin-field"]);
    check_writer("allowed-tools: Read\n", &["agents/writer.md 4 plugin-field"]);
    check_writer("hooks: {}\n", &["agents/writer.md 4 plugin-field"]);
    let command = "---\ndescription: Check the documents\nallowedTools: Read\ncontext: spoon\n---\nx\n";
    check(
        &[("commands/check.md", command)],
        &["commands/check.md 3 plugin-field", "commands/check.md 4 plugin-field"],
    );
    let hint =
        super::super::check(&plugin(&[("commands/check.md", command)]), &Settings::default())[0].hint.clone();
    assert_eq!(hint, "`allowed-tools` may be meant");
}

#[test]
fn names_are_those_of_files_and_folders() {
    for name in ["scribe", "Writer", "wri_ter"] {
        let text = format!("---\nname: {name}\ndescription: Writes a specification from an idea.\n---\nx\n");
        check(&[("agents/writer.md", &text)], &["agents/writer.md 2 plugin-name"]);
    }
    let skill = "---\nname: titles\ndescription: How things are named here, and when.\n---\nx\n";
    check(
        &[("skills/naming/SKILL.md", skill), ("agents/writer.md", &writer("skills: titles\n"))],
        &["skills/naming/SKILL.md 2 plugin-name"],
    );
    check(&[("agents/README.md", "# Agents\n")], &["agents/README.md 1 plugin-name"]);
    check(&[("skills/other/skill.md", "---\nname: other\n---\n")], &["skills/other/skill.md 1 plugin-name"]);
    // Folders of commands are part of their names.
    check(&[("commands/deep/check.md", "---\nname: deep:check\ndescription: Check more\n---\nx\n")], &[]);
}

#[test]
fn one_name_for_two_things_hides_one_of_them() {
    check(&[("agents/more/writer.md", &writer(""))], &["agents/writer.md 2 plugin-duplicate"]);
    let skill = "---\nname: check\ndescription: How documents are checked, and when.\n---\nx\n";
    check(&[("skills/check/SKILL.md", skill)], &["skills/check/SKILL.md 2 plugin-name"]);
}

#[test]
fn a_description_is_neither_a_word_nor_a_chapter() {
    let skill = |description: &str| format!("---\nname: naming\ndescription: {description}\n---\nx\n");
    check(&[("skills/naming/SKILL.md", &skill("Names."))], &["skills/naming/SKILL.md 3 plugin-description"]);
    check(&[("skills/naming/SKILL.md", &skill(&"word ".repeat(204)))], &[]);
    check(
        &[("skills/naming/SKILL.md", &skill(&"word ".repeat(206)))],
        &["skills/naming/SKILL.md 3 plugin-description"],
    );
    check(&[("commands/check.md", "---\ndescription: Check\n---\nx\n")], &[]);
}

#[test]
fn a_skill_stays_in_its_budget_of_lines() {
    let skill = |lines: usize| {
        let head = "---\nname: naming\ndescription: How things are named here, and when.\n---\n";
        format!("{head}{}", "x\n".repeat(lines - 4))
    };
    check(&[("skills/naming/SKILL.md", &skill(500))], &[]);
    check(&[("skills/naming/SKILL.md", &skill(501))], &["skills/naming/SKILL.md 501 plugin-line-budget"]);
}

#[test]
fn tools_exist_and_are_named_once() {
    check_writer("tools: Read, Raed\n", &["agents/writer.md 4 plugin-tool"]);
    check_writer("tools: Read, Write, Read\n", &["agents/writer.md 4 plugin-tool"]);
    check_writer("tools:\n  - Read\n  - Frobnicate\n", &["agents/writer.md 6 plugin-tool"]);
    for fine in [
        "Read, Task(a, b), mcp__github__*",
        "\"*\"",
        "Read Grep Bash(git add:*)",
        "LS, NotebookRead, KillShell",
    ] {
        check_writer(&format!("tools: {fine}\n"), &[]);
    }
    check_writer("disallowedTools: Wirte\n", &["agents/writer.md 4 plugin-tool"]);
}

#[test]
fn a_reviewer_reads_and_does_not_write() {
    let writes = "agents/spec-reviewer.md 4 plugin-reviewer-writes";
    check_reviewer("tools: Read, Edit, Write\n", &[writes, writes]);
    check_reviewer("tools: Read, Edit\ndisallowedTools: Edit\n", &[]);
    check_reviewer("", &["agents/spec-reviewer.md 1 plugin-reviewer-tools"]);
    check_reviewer("tools: '*'\n", &["agents/spec-reviewer.md 4 plugin-reviewer-tools"]);
    check_reviewer("tools: Glob, Grep\n", &["agents/spec-reviewer.md 4 plugin-reviewer-tools"]);
    check_reviewer("disallowedTools: Write, Edit\n", &[]);
    check_reviewer("tools: Read, Bash\n", &[]);
}

#[test]
fn models_are_those_of_claude() {
    check_writer("model: gpt-7\n", &["agents/writer.md 4 plugin-model"]);
    check_writer("model: sonet\n", &["agents/writer.md 4 plugin-model"]);
    for fine in ["inherit", "haiku", "opus[1m]", "claude-sonnet-5-5"] {
        check_writer(&format!("model: {fine}\n"), &[]);
    }
    let command = "---\ndescription: Check\n---\n```\nTask tool call:\n  subagent_type: tidy:writer\n  model: gpt-7\n  prompt: x\n```\n";
    check(&[("commands/check.md", command)], &["commands/check.md 7 plugin-model"]);
}

#[test]
fn what_is_called_by_the_plugins_own_name_exists() {
    let command = |body: &str| format!("---\ndescription: Check\n---\n{body}\n");
    let fault = &["commands/check.md 4 plugin-reference"];
    check(&[("commands/check.md", &command("Run /tidy:nameing next."))], fault);
    check(&[("commands/check.md", &command("subagent_type: \"tidy:writter\""))], fault);
    for fine in [
        "Run /tidy:naming, /tidy:check and /other:thing.",
        "Run /tidy:{command} or /tidy:* as needed, see https://example.org/tidy:x.",
        "subagent_type: tidy:{role}",
        "subagent_type=\"tidy:writer\"",
        "subagent_type: other:writer",
        "subagent_type: general-purpose",
    ] {
        check(&[("commands/check.md", &command(fine))], &[]);
    }
}

#[test]
fn what_is_referred_to_without_a_plugins_name_is_missed() {
    let command = |body: &str| format!("---\ndescription: Check\n---\n{body}\n");
    let link = &["commands/check.md 4 plugin-link"];
    check(&[("commands/check.md", &command("subagent_type: nobody"))], link);
    check(&[("commands/check.md", &command("Run `bash ${CLAUDE_PLUGIN_ROOT}/scripts/none.sh`."))], link);
    check(&[("commands/check.md", &command("Write a [page](docs/page.md)."))], &[]);
    check_writer("skills: naming, titles\n", &["agents/writer.md 4 plugin-link"]);
    check_writer("skills: naming, other:titles\n", &[]);
    let skill = |body: &str| {
        format!(
            "---\nname: naming\ndescription: How things are named here, and when.\nagent: writer\n---\n{body}\n"
        )
    };
    for missed in ["See [it](references/none.md#a).", "See `references/none.md`.", "See [it](../../../x.md)."]
    {
        check(&[("skills/naming/SKILL.md", &skill(missed))], &["skills/naming/SKILL.md 6 plugin-link"]);
    }
    for fine in ["See `src/main.rs`, `[a](b.md)` and [web](https://example.org/a.md).", "```\n[a](b.md)\n```"]
    {
        check(&[("skills/naming/SKILL.md", &skill(fine))], &[]);
    }
    let other = skill("x").replace("agent: writer", "agent: nobody");
    check(&[("skills/naming/SKILL.md", &other)], &["skills/naming/SKILL.md 4 plugin-link"]);
}

#[test]
fn folders_that_nobody_looked_into_are_not_judged() {
    let mut plugin = plugin(&[(
        "commands/check.md",
        "---\ndescription: Check\n---\nRun `${CLAUDE_PLUGIN_ROOT}/node_modules/a/b.js`.\n",
    )]);
    assert_eq!(found_in(&plugin), ["commands/check.md 4 plugin-link"]);
    plugin.unread.insert("node_modules".to_owned());
    assert_eq!(found_in(&plugin), Vec::<String>::new());
}
