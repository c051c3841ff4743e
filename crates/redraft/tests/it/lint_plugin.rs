//! `redraft lint --plugin`: folders of plugins as they are on a disk, what is found in them, and with which exit code.

use super::world::*;
use redraft_documents::lint::{LintLevel, Rule};
use redraft_testkit::{Ran, Scratch};
use serde_json::{Value, json};

const AGENT: &str = "---\nname: writer\ndescription: Writes a specification from an idea.\ntools: Read, Write\nmodel: opus\n---\n\nYou write.\n";
const HOOKS: &str = r#"{"hooks": {"SessionStart": [{"matcher": "startup|resume|clear", "hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/scripts/start.sh"}]}]}}"#;

/// A plugin without a fault, in the folder `tidy`, in no repository.
fn scratch() -> Scratch {
    let scratch = Scratch::empty(PROGRAM);
    let manifest = r#"{"name": "tidy", "version": "1.0.0", "description": "Keeps documents tidy"}"#;
    scratch.write("tidy/.claude-plugin/plugin.json", manifest);
    scratch.write("tidy/agents/writer.md", AGENT);
    scratch
        .write("tidy/commands/check.md", "---\ndescription: Check the documents\n---\n\nSee /tidy:naming.\n");
    scratch.write(
        "tidy/skills/naming/SKILL.md",
        "---\nname: naming\ndescription: How things are named here, and when.\n---\n\nSee [more](more.md).\n",
    );
    scratch.write("tidy/skills/naming/more.md", "# More\n");
    scratch.write("tidy/hooks/hooks.json", HOOKS);
    scratch.write("tidy/.mcp.json", r#"{"mcpServers": {"docs": {"command": "docs-server"}}}"#);
    scratch.write("tidy/scripts/start.sh", "#!/bin/sh\n");
    scratch
}

/// The faults of the plugin as `path:line rule level`.
fn faults(scratch: &Scratch) -> Vec<String> {
    let object = scratch.json(["lint", "--plugin", "tidy"]);
    let text = |fault: &Value, key: &str| fault[key].as_str().unwrap().to_owned();
    let line = |fault: &Value| {
        format!("{}:{} {} {}", text(fault, "path"), fault["line"], text(fault, "rule"), text(fault, "level"))
    };
    object["faults"].as_array().unwrap().iter().map(line).collect()
}

/// A file that breaks a rule and no other.
fn broken(rule: Rule) -> (&'static str, String) {
    let reviewer = |tools: &str| {
        format!("---\nname: a-reviewer\ndescription: Does what its name says, when asked.\n{tools}---\nx\n")
    };
    let dispatch = |prompt: &str| {
        format!(
            "---\ndescription: x\n---\n```\nTask tool call:\n  subagent_type: spec-reviewer\n  prompt: |\n{prompt}```\n"
        )
    };
    match rule {
        Rule::PluginManifest => (".claude-plugin/plugin.json", "{".to_owned()),
        Rule::PluginFrontMatter => ("agents/a.md", "You are an agent.\n".to_owned()),
        Rule::PluginReviewerWrites => ("agents/a-reviewer.md", reviewer("tools: Read, Edit\n")),
        Rule::PluginReviewerTools => ("agents/a-reviewer.md", reviewer("")),
        Rule::PluginHooks => ("hooks/hooks.json", r#"{"hooks": []}"#.to_owned()),
        Rule::PluginCompact => ("hooks/hooks.json", HOOKS.replace("startup|resume|clear", "*")),
        Rule::PluginPromptOrder => (
            "commands/a.md",
            dispatch("    ## Spec\n    {content of spec.md}\n\n    Return your assessment as JSON.\n"),
        ),
        Rule::PluginInlineArtifact => {
            ("commands/a.md", dispatch("    Review it.\n    {content of prd.md}\n"))
        }
        Rule::PluginArtifactMap => (
            "commands/a.md",
            dispatch(
                "    Review.\n    ## Required Artifacts\n    You MUST read. Files read: x\n    - Plan: x/plan.md\n    - PRD: x/prd.md\n",
            ),
        ),
        Rule::PluginLineBudget => (
            "skills/long/SKILL.md",
            format!("---\nname: long\ndescription: Long.\n---\n{}", "x\n".repeat(600)),
        ),
        other => panic!("{other} is not of plugins"),
    }
}

#[test]
fn every_rule_of_plugins_is_found_by_its_name_at_its_level_and_only_errors_fail() {
    for rule in Rule::ALL.into_iter().filter(|rule| rule.is_of_plugins()) {
        let scratch = scratch();
        let reviewer =
            "---\nname: spec-reviewer\ndescription: Finds what is missing in a text.\ntools: Read\n---\nx\n";
        scratch.write("tidy/agents/spec-reviewer.md", reviewer);
        let (file, text) = broken(rule);
        scratch.write(&format!("tidy/{file}"), &text);
        let found = faults(&scratch);
        let expected = format!(" {} {}", rule.name(), rule.level().name());
        assert_eq!(found.len(), 1, "{rule}: {found:?}");
        assert!(found[0].starts_with("tidy/") && found[0].ends_with(&expected), "{rule}: {found:?}");
        let code = if rule.level() == LintLevel::Error { 1 } else { 0 };
        let ran = scratch.run(["lint", "--plugin", "tidy"]).expect(code);
        assert!(
            ran.stdout.contains(&format!("[{rule}]")) && ran.stdout.contains("\n  hint: "),
            "{rule}: {ran:?}"
        );
    }
}

#[test]
fn a_good_plugin_passes_from_wherever_the_command_is_typed() {
    let scratch = scratch();
    let object = scratch.json(["lint", "--plugin", "tidy"]);
    assert_eq!(
        object,
        json!({"v": 1, "features": 0, "documents": 8, "errors": 0, "warnings": 0, "faults": []})
    );
    let ran = scratch.run(["-C", "tidy/agents", "lint", "--plugin", ".."]).expect(0);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("8 files checked: 0 errors, 0 warnings"), "{ran:?}");
}

/// Built in or with a repository's own texts: what we write passes the rules we have for others.
#[test]
fn an_exported_plugin_has_no_fault_that_lint_knows() {
    let scratch = Scratch::repository(PROGRAM);
    let own = "---\nname: spec-reviewer\ntools: [Read, Grep]\nmodel: opus\n---\n# Review the Specification\n\nBe brief.\n";
    scratch.write(".redraft/agents/spec-reviewer.md", own);
    for words in [&["plugin", "export", "out"] as &[&str], &["plugin", "export", "other", "--own-roles"]] {
        let report = scratch.json(words);
        let files = report["written"].as_array().unwrap().len() + 1;
        let found = scratch.json(["lint", "--plugin", words[2]]);
        let counts = (&found["errors"], &found["warnings"], &found["faults"]);
        assert_eq!(counts, (&json!(0), &json!(0), &json!([])), "{found:#}");
        let looked_at = found["documents"].as_u64().unwrap() as usize;
        assert_eq!(looked_at, files, "{found}");
        scratch.run(["lint", "--plugin", words[2]]).expect(0);
        // It did look: it reports what Claude Code would do after a compaction.
        let hooks = format!("{}/hooks/hooks.json", words[2]);
        let text = std::fs::read_to_string(scratch.root().join(&hooks)).unwrap();
        scratch.write(&hooks, &text.replace("startup|resume|clear", "startup|compact"));
        let faults = scratch.json(["lint", "--plugin", words[2]])["faults"].clone();
        assert_eq!(
            (&faults[0]["rule"], faults.as_array().unwrap().len()),
            (&json!("plugin-compact"), 1),
            "{faults}"
        );
    }
}

#[test]
fn all_forms_of_output_name_the_file_from_the_top_of_the_repository() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("plugins/tidy/agents/a.md", "x\n");
    let ran =
        Ran::new(scratch.redraft(["-C", "plugins", "lint", "--plugin", "tidy", "--sarif"]).output().unwrap());
    let object: Value = serde_json::from_str(&ran.expect(1).stdout).unwrap();
    let results = object["runs"][0]["results"].as_array().unwrap();
    let place = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        (result["ruleId"].clone(), place["artifactLocation"]["uri"].clone())
    };
    assert_eq!(
        results.iter().map(place).collect::<Vec<_>>(),
        [
            ("plugin-manifest".into(), "plugins/tidy/.claude-plugin/plugin.json".into()),
            ("plugin-front-matter".into(), "plugins/tidy/agents/a.md".into()),
        ]
    );
    let ran = scratch.run(["lint", "--plugin", "plugins/tidy", "--github"]).expect(1);
    assert!(
        ran.stdout.starts_with(
            "::error file=plugins/tidy/.claude-plugin/plugin.json,line=1,title=plugin-manifest::"
        ),
        "{ran:?}"
    );
}

#[test]
fn levels_of_rules_come_from_the_configuration() {
    let scratch = scratch();
    scratch.write("tidy/agents/writer.md", &AGENT.replace("name: writer\n", ""));
    scratch.run(["lint", "--plugin", "tidy"]).expect(1);
    scratch.write("redraft.toml", "[lint.rules]\nplugin-front-matter = \"warning\"\n");
    scratch.run(["lint", "--plugin", "tidy"]).expect(0);
    assert_eq!(faults(&scratch), ["tidy/agents/writer.md:1 plugin-front-matter warning"]);
}

#[test]
fn what_is_no_folder_or_asked_for_with_something_else_is_a_usage_error() {
    let scratch = scratch();
    for words in [
        vec!["lint", "--plugin", "none"],
        vec!["lint", "--plugin", "tidy/agents/writer.md"],
        vec!["lint", "--plugin"],
        vec!["lint", "--plugin", "tidy", "031"],
        vec!["lint", "--plugin", "tidy", "--trace"],
        vec!["lint", "--plugin", "tidy", "--rules"],
    ] {
        scratch.run(&words).expect(2);
    }
    let ran = scratch.run(["lint", "--plugin", "none"]).expect(2);
    assert!(
        ran.stderr.contains("none is not a readable folder")
            && ran.stderr.contains(".claude-plugin/plugin.json"),
        "{ran:?}"
    );
}

#[test]
fn only_text_that_claude_code_reads_has_to_be_text() {
    let scratch = scratch();
    let write =
        |path: &str| std::fs::write(scratch.root().join("tidy").join(path), [0xff, 0xfe, 0x00]).unwrap();
    write("notes.md");
    write("logo.png");
    write("data.json");
    scratch.write("tidy/huge.json", &" ".repeat(2 * 1024 * 1024));
    assert_eq!(faults(&scratch), Vec::<String>::new());
    write("agents/writer.md");
    assert_eq!(faults(&scratch), ["tidy/agents/writer.md:1 unreadable error"]);
}

#[test]
fn hidden_folders_and_installed_packages_are_not_looked_into() {
    let scratch = scratch();
    for folder in [".git", ".cache", "node_modules", "skills/naming/node_modules/x"] {
        scratch.write(&format!("tidy/{folder}/agents/a.md"), "no front matter\n");
        scratch.write(&format!("tidy/{folder}/SKILL.md"), "no front matter\n");
    }
    assert_eq!(faults(&scratch), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_plugin_and_nowhere_else() {
    use std::os::unix::fs::symlink;
    let scratch = scratch();
    scratch.write("elsewhere/agents/a.md", "no front matter\n");
    let link = |target: &str, at: &str| symlink(target, scratch.root().join("tidy").join(at)).unwrap();
    // A loop, a link to another part of the plugin, one to nowhere, and a socket where a file should be.
    link("..", "skills/loop");
    link("../skills/naming/more.md", "commands/linked.md");
    link("nowhere", "agents/gone.md");
    let _socket =
        std::os::unix::net::UnixListener::bind(scratch.root().join("tidy/agents/socket.md")).unwrap();
    assert_eq!(faults(&scratch), ["tidy/agents/socket.md:1 unreadable error"]);
    link("../../elsewhere/agents", "agents/more");
    link("../../elsewhere/agents/a.md", "agents/out.md");
    link("../elsewhere", "docs");
    assert_eq!(
        faults(&scratch),
        ["more", "out.md", "socket.md"].map(|file| format!("tidy/agents/{file}:1 unreadable error"))
    );
}
