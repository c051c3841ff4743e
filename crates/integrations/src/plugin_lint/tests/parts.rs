//! Manifest, front matter, skills, reviewers' tools and hooks.

use super::*;

/// The good writer with other fields after its name and description.
fn writer(fields: &str) -> String {
    format!("---\nname: writer\ndescription: Writes a specification from an idea.\n{fields}---\n\nx\n")
}

#[track_caller]
fn check_writer(text: &str, expected: &[&str]) {
    check(&[("agents/writer.md", text)], expected);
}

#[track_caller]
fn check_reviewer(fields: &str, expected: &[&str]) {
    let text = format!(
        "---\nname: spec-reviewer\ndescription: Finds what is missing in a text.\n{fields}---\n\nx\n"
    );
    check(&[("agents/spec-reviewer.md", &text)], expected);
}

#[test]
fn a_manifest_has_to_be_there_to_be_json_and_to_name_the_plugin() {
    let manifest = ".claude-plugin/plugin.json 1 plugin-manifest";
    for text in [
        "-",
        "[]",
        "{\"version\": \"1.0.0\"}",
        "{\"name\": 3}",
        "{\"name\": \"Tidy\"}",
        "{\"name\": \"ti dy\"}",
        "{\"name\": \"tidy_up\"}",
        "{\"name\": \"ti--dy\"}",
        "{\"name\": \"\"}",
    ] {
        check(&[(MANIFEST, text)], &[manifest]);
    }
    check(&[(MANIFEST, "{\n  \"name\": \"tidy\",\n}\n")], &[".claude-plugin/plugin.json 3 plugin-manifest"]);
    check(&[(MANIFEST, "{\n  \"name\": \"Tidy\"\n}\n")], &[".claude-plugin/plugin.json 2 plugin-manifest"]);
    check(&[(MANIFEST, "{\"name\": \"3d-tidy\", \"anything\": [\"else\"]}")], &[]);
    let faults =
        super::super::check(&plugin(&[(MANIFEST, "-"), (MARKETPLACE, "{}")]), &LintSettings::default());
    assert!(faults[0].message.contains("marketplace"), "{faults:?}");
}

#[test]
fn parts_that_the_manifest_puts_elsewhere_are_looked_at_like_all_others() {
    let files = [("more/helper.md", "x\n"), ("extra/a/SKILL.md", "x\n"), ("h.json", "{}")];
    check(&files, &[]);
    let manifest = "{\"name\": \"tidy\", \"agents\": [\"./more/helper.md\"], \"skills\": \"./extra/\", \"hooks\": \"./h.json\"}";
    let expected = [
        "extra/a/SKILL.md 1 plugin-front-matter",
        "h.json 1 plugin-hooks",
        "more/helper.md 1 plugin-front-matter",
    ];
    check(&[&files[..], &[(MANIFEST, manifest)]].concat(), &expected);
}

#[test]
fn front_matter_is_there_closed_and_yaml() {
    let first = &["agents/writer.md 1 plugin-front-matter"];
    for text in [
        "You write.\n",
        "---\nname: writer\ndescription: Writes a text.\n",
        "---\n---\nx\n",
        "---\n# nothing\n---\nx\n",
        &format!("\u{feff}{}", writer("")),
    ] {
        check_writer(text, first);
    }
    check_writer("---\njust words\n---\nx\n", &["agents/writer.md 2 plugin-front-matter"]);
    let colon = "---\nname: writer\ndescription: Use this: when somebody asks.\n---\nx\n";
    check_writer(colon, &["agents/writer.md 3 plugin-front-matter"]);
    check_writer(&writer("name: writer\n"), &["agents/writer.md 4 plugin-front-matter"]);
    // Three dashes end it wherever they stand.
    check_writer(&writer("color: blue --- or so\n"), &["agents/writer.md 4 plugin-front-matter"]);
    check_writer(&writer("tools: *all\n"), &["agents/writer.md 4 plugin-front-matter"]);
    check_writer(&writer("color: &all Read\ntools: *all\nanything: [1, true]\n"), &[]);
    // A command needs none, but if there is one it has to be right; a page about the folder is not a component.
    check(&[("commands/check.md", "Check it.\n"), ("agents/README.md", "# Agents\n")], &[]);
    check(&[("commands/check.md", "---\na: b: c\n---\n")], &["commands/check.md 2 plugin-front-matter"]);
}

#[test]
fn an_agent_needs_name_and_description_and_a_skill_a_description() {
    let (first, third) = ("agents/writer.md 1 plugin-front-matter", "agents/writer.md 3 plugin-front-matter");
    check_writer("---\ntools: Read\n---\nx\n", &[first, first]);
    check_writer("---\nname: writer\ndescription: \"  \"\n---\nx\n", &[third]);
    check_writer("---\nname: writer\ndescription: [a]\n---\nx\n", &[third]);
    let skill = "skills/naming/SKILL.md";
    check(&[(skill, "---\nname: naming\n---\nx\n")], &["skills/naming/SKILL.md 1 plugin-front-matter"]);
    // A person who calls it by hand knows what it is.
    check(&[(skill, "---\nname: naming\ndisable-model-invocation: true\n---\nx\n")], &[]);
    check(&[("commands/check.md", "---\nmodel: opus\n---\nx\n")], &[]);
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
fn a_reviewer_reads_and_does_not_write() {
    let writes = "agents/spec-reviewer.md 4 plugin-reviewer-writes";
    let tools = "agents/spec-reviewer.md 4 plugin-reviewer-tools";
    check_reviewer("tools: Read, Edit, Write\n", &[writes, writes]);
    check_reviewer("tools: [Read, MultiEdit]\n", &[writes]);
    check_reviewer(
        "tools:\n  - Read\n  - NotebookEdit\n",
        &["agents/spec-reviewer.md 6 plugin-reviewer-writes"],
    );
    check_reviewer("tools: Read, Edit\ndisallowedTools: Edit\n", &[]);
    check_reviewer("", &["agents/spec-reviewer.md 1 plugin-reviewer-tools"]);
    for fields in ["tools: '*'\n", "tools: Glob, Grep\n", "tools:\n", "tools: {Read: 1}\n"] {
        check_reviewer(fields, &[tools]);
    }
    check_reviewer("disallowedTools: Write, Edit\n", &[]);
    check_reviewer("tools: Read, Bash(Edit:*), NeverHeardOf, mcp__a__b\n", &[]);
    // By the name it gives itself, and only agents.
    check_writer(
        "---\nname: the-reviewer\ndescription: Reviews.\n---\nx\n",
        &["agents/writer.md 1 plugin-reviewer-tools"],
    );
    check(&[("commands/reviewer.md", "---\ndescription: Review\n---\nx\n")], &[]);
}

#[test]
fn hooks_have_the_form_that_is_read() {
    for (text, line) in [
        ("{\"hooks\": {\n,}}", 2),
        ("{\"Stop\": []}", 1),
        ("{\"hooks\": []}", 1),
        ("{\"hooks\": {\"Stop\": {}}}", 1),
        ("{\"hooks\": {\"Stop\": [\n{}]}}", 2),
        ("{\"hooks\": {\"Stop\": [\n{\"hooks\": {}}]}}", 2),
        ("{\"hooks\": {\"Stop\": [\n[]]}}", 2),
    ] {
        check(&[("hooks/hooks.json", text)], &[&format!("hooks/hooks.json {line} plugin-hooks")]);
    }
    // Which events and kinds there are is up to Claude Code.
    check(&[("hooks/hooks.json", "{\"hooks\": {\"Tomorrow\": [{\"hooks\": [{\"type\": \"new\"}]}]}}")], &[]);
    let manifest = "{\"name\": \"tidy\",\n\"hooks\": {\"Stop\": 1}}";
    check(&[(MANIFEST, manifest)], &[".claude-plugin/plugin.json 2 plugin-hooks"]);
}

#[test]
fn a_session_start_hook_does_not_run_after_compaction() {
    let hooks = |event: &str, matcher: &str| {
        format!("{{\"hooks\": {{\n\"{event}\": [\n{{{matcher} \"hooks\": []}}\n]}}}}")
    };
    for matcher in [
        "\"matcher\": \"startup|resume|clear|compact\",",
        "\"matcher\": \"compact\",",
        "\"matcher\": \"startup, compact\",",
        "\"matcher\": \"\",",
        "\"matcher\": \"*\",",
        "",
    ] {
        let text = hooks("SessionStart", matcher);
        check(&[("hooks/hooks.json", &text)], &["hooks/hooks.json 3 plugin-compact"]);
        let manifest = format!("{{\"name\": \"tidy\", {}", &text[1..]);
        check(&[(MANIFEST, &manifest)], &[".claude-plugin/plugin.json 3 plugin-compact"]);
        // Other events may run then: that is what they are for.
        check(&[("hooks/hooks.json", &hooks("PreCompact", matcher))], &[]);
    }
    // Nothing is reported about a pattern, whether or not it would match.
    for matcher in
        ["startup|resume|clear", "compacted", ".*", "^(startup|com.*)$", "[a-z]+", "^(?!compact).*$"]
    {
        let text = hooks("SessionStart", &format!("\"matcher\": \"{matcher}\","));
        check(&[("hooks/hooks.json", &text)], &[]);
    }
}
