//! A role's text from the repository, in place of the built-in one: Markdown with the front matter of Claude Code's
//! agents.
//!
//! It replaces the rubric and may narrow the tools. What the engine relies on stays: artifacts, checks, categories, the
//! form of the answer. The text stands in the stable part of prompts, so it must not hold anything that is filled in
//! for each dispatch. Nothing here reads a file.

use super::{Profile, ProfileKind};
use redraft_facts::ids::Role;
use redraft_facts::prelude::*;

/// A role's own text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleText {
    pub description: String,
    /// None: those of the built-in profile.
    pub tools: Option<Vec<String>>,
    /// The model it asks for; which one answers is the configuration's decision.
    pub model: Option<String>,
    /// The rubric.
    pub body: String,
}

/// What is wrong with such a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadRoleText {
    pub line: usize,
    pub what: String,
    pub hint: String,
}

/// Claude Code's name for the tool that runs commands, and the name in profiles.
const BASH: &str = "Bash";
const RUN: &str = "Run";

/// More is not a rubric, and every dispatch would pay for it.
const CHARS_MAX: usize = 30_000;

impl RoleText {
    /// Reads the file of a role.
    pub fn parse(text: &str, role: &Role) -> Result<RoleText, BadRoleText> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let bad = |line: usize, what: String, hint: &str| BadRoleText { line, what, hint: hint.to_owned() };
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, line)| line.trim_end()) != Some("---") {
            let hint = "begin it with three dashes, then name, description and tools, then three dashes";
            return Err(bad(1, "there is no front matter".to_owned(), hint));
        }
        let mut read = RoleText { description: String::new(), tools: None, model: None, body: String::new() };
        let mut end = None;
        let mut listing = false;
        for (at, line) in lines.by_ref() {
            let number = at + 1;
            if line.trim_end() == "---" {
                end = Some(number);
                break;
            }
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| listing) {
                read.tools.get_or_insert_default().push(unquoted(item).to_owned());
                continue;
            }
            listing = false;
            let Some((key, value)) = line.split_once(':') else {
                return Err(bad(number, format!("`{}` has no colon", line.trim()), "write `key: value`"));
            };
            let value = unquoted(value);
            match key.trim() {
                "name" if value != role.as_str() => {
                    let what = format!("the name is `{value}`, the file is for {role}");
                    return Err(bad(number, what, "the file's name and `name` must be the role's"));
                }
                "name" | "color" => {}
                "description" => read.description = value.to_owned(),
                "model" => read.model = Some(value.to_owned()).filter(|model| !model.is_empty()),
                "tools" => {
                    listing = value.is_empty();
                    let list = value.trim_start_matches('[').trim_end_matches(']').split(',');
                    let tools: Vec<String> =
                        list.map(unquoted).filter(|tool| !tool.is_empty()).map(str::to_owned).collect();
                    read.tools = Some(tools);
                }
                other => {
                    let what = format!("`{other}` is not known here");
                    return Err(bad(number, what, "known are name, description, tools and model"));
                }
            }
        }
        let Some(end) = end else {
            return Err(bad(1, "the front matter never ends".to_owned(), "close it with three dashes"));
        };
        for tool in read.tools.iter_mut().flatten().filter(|tool| *tool == BASH && runs(role)) {
            RUN.clone_into(tool);
        }
        let body: Vec<&str> = text.lines().skip(end).collect();
        read.body = format!("{}\n", body.join("\n").trim());
        read.check_tools(text, role)?;
        check_body(&body, end)?;
        Ok(read)
    }

    fn check_tools(&self, text: &str, role: &Role) -> Result<(), BadRoleText> {
        let line = 1 + text.lines().position(|line| line.trim_start().starts_with("tools")).unwrap_or(0);
        let bad = |what: String, hint: String| Err(BadRoleText { line, what, hint });
        let Some(tools) = &self.tools else { return Ok(()) };
        let Some(profile) = super::all().find(|profile| profile.role == role.as_str()) else {
            let names: Vec<String> = super::roles().iter().map(Role::to_string).collect();
            return bad(format!("there is no role {role}"), format!("roles are {}", names.join(", ")));
        };
        if !tools.iter().any(|tool| tool == "Read") {
            return bad(format!("{role} cannot do without Read"), "add Read to `tools`".to_owned());
        }
        if profile.kind == ProfileKind::Author
            && !tools.iter().any(|tool| matches!(tool.as_str(), "Write" | "Edit"))
        {
            return bad(
                format!("{role} writes a file and has no tool to"),
                "add Write to `tools`".to_owned(),
            );
        }
        match tools.iter().find(|tool| !profile.tools.contains(&tool.as_str())) {
            Some(tool) => {
                let hint = format!("it may have {}", profile.tools.join(", "));
                bad(format!("{role} may not have {tool}"), hint)
            }
            None => Ok(()),
        }
    }

    /// The tools a role has with this text: those it asks for that the profile of the dispatch also has, because a role
    /// that is asked for two different things may have fewer for one of them.
    pub fn tools<'a>(&'a self, profile: &'a Profile) -> Vec<&'a str> {
        match &self.tools {
            Some(tools) => {
                let named = tools.iter().map(String::as_str);
                named.filter(|tool| profile.tools.contains(tool)).collect()
            }
            None => profile.tools.to_vec(),
        }
    }
}

/// Whether a role may run commands.
fn runs(role: &Role) -> bool {
    super::all().any(|profile| profile.role == role.as_str() && profile.tools.contains(&RUN))
}

/// A rubric is the same in every dispatch: it must not hold what changes between them.
fn check_body(body: &[&str], before: usize) -> Result<(), BadRoleText> {
    let chars: usize = body.iter().map(|line| line.chars().count() + 1).sum();
    if body.iter().all(|line| line.trim().is_empty()) {
        let (what, hint) = ("there is no text after the front matter", "write what the role decides and how");
        return Err(BadRoleText { line: before, what: what.to_owned(), hint: hint.to_owned() });
    }
    if chars > CHARS_MAX {
        let what = format!("the text has {chars} characters; at most {CHARS_MAX} are taken");
        let hint = "every dispatch pays for it; leave out what a capable reader does not need".to_owned();
        return Err(BadRoleText { line: before + 1, what, hint });
    }
    for (at, line) in body.iter().enumerate() {
        if let Some(found) = changing(line) {
            let what = format!("`{found}` would change from dispatch to dispatch");
            let hint =
                "the text stands in the part of the prompt that is cached; round, date and files are given \
                        further down by the engine"
                    .to_owned();
            return Err(BadRoleText { line: before + at + 1, what, hint });
        }
    }
    Ok(())
}

/// A variable that somebody else's template would fill in.
fn changing(line: &str) -> Option<&str> {
    const WORDS: [&str; 14] = [
        "iteration",
        "round",
        "date",
        "time",
        "now",
        "today",
        "timestamp",
        "n",
        "max",
        "count",
        "attempt",
        "sha",
        "commit",
        "arguments",
    ];
    let names_one = |inside: &str| {
        let inside = inside.trim().trim_start_matches(['$', '{', '%']).trim_end_matches(['}', '%']).trim();
        let mut words = inside.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.any(|word| WORDS.contains(&word.to_lowercase().as_str()))
    };
    for (open, close) in [("{{", "}}"), ("${", "}"), ("{", "}"), ("<%", "%>")] {
        let mut rest = line;
        while let Some(at) = rest.find(open) {
            let inside = &rest[at + open.len()..];
            let Some(end) = inside.find(close) else { break };
            if end <= 60 && names_one(&inside[..end]) {
                return Some(&rest[at..at + open.len() + end + close.len()]);
            }
            rest = &inside[end..];
        }
    }
    if let Some(at) = line.find("$ARGUMENTS") {
        return Some(&line[at..at + "$ARGUMENTS".len()]);
    }
    let at = line.find("!`")?;
    let inside = &line[at + 2..];
    inside.find('`').map(|end| &line[at..at + 2 + end + 1])
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let quoted = |mark: char| value.strip_prefix(mark).and_then(|inner| inner.strip_suffix(mark));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::phase::Phase;
    use redraft_facts::ticket::Purpose;

    fn read(text: &str) -> Result<RoleText, BadRoleText> {
        RoleText::parse(text, &Role::new("spec-reviewer"))
    }

    #[test]
    fn a_file_written_for_claude_code_is_read() {
        let text = "---\nname: spec-reviewer\ndescription: \"Looks: hard\"\ntools: Read, Grep\nmodel: opus\n---\n\n# Ours\n\nAsk this.\n";
        let read = read(text).unwrap();
        assert_eq!(read.description, "Looks: hard");
        assert_eq!(read.tools, Some(vec!["Read".to_owned(), "Grep".to_owned()]));
        assert_eq!((read.model.as_deref(), read.body.as_str()), (Some("opus"), "# Ours\n\nAsk this.\n"));
        for tools in ["tools: [Read, Grep]", "tools:\n  - Read\n  - \"Grep\""] {
            let text = format!("\u{feff}---\r\n{tools}\r\n---\r\ntext\r\n");
            assert_eq!(super::RoleText::parse(&text, &Role::new("spec-reviewer")).unwrap().tools, read.tools);
        }
    }

    #[test]
    fn without_tools_it_has_those_of_the_role() {
        let read = read("---\nname: spec-reviewer\n---\nx\n").unwrap();
        let profile = super::super::find(Phase::Specify, &Role::new("spec-reviewer")).unwrap();
        assert_eq!(read.tools(profile), profile.tools);
    }

    #[test]
    fn a_role_that_may_run_commands_may_ask_for_it_in_the_words_of_claude_code() {
        let text = "---\ntools: Read, Edit, Bash\n---\nx\n";
        let role = Role::new("test-deepener");
        let read = RoleText::parse(text, &role).unwrap();
        let of = |purpose| super::super::of_dispatch(Phase::Implement, &role, purpose, &[]).unwrap();
        assert_eq!(read.tools(of(Purpose::Tests)), ["Read", "Edit", "Run"]);
        assert_eq!(read.tools(of(Purpose::Outline)), ["Read"], "who thinks of tests has no more than before");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_a_way_out() {
        for (text, line, what) in [
            ("# no front matter\n", 1, "there is no front matter"),
            ("---\nname: spec-reviewer\n", 1, "never ends"),
            ("---\nname: design-reviewer\n---\nx\n", 2, "the file is for spec-reviewer"),
            ("---\nname: spec-reviewer\nwhat\n---\nx\n", 3, "no colon"),
            ("---\nname: spec-reviewer\nhooks: x\n---\nx\n", 3, "`hooks` is not known"),
            ("---\nname: spec-reviewer\ntools: Grep, Glob\n---\nx\n", 3, "cannot do without Read"),
            ("---\ntools: Read, Bash\n---\nx\n", 2, "may not have Bash"),
            ("---\nname: spec-reviewer\n---\n\n", 3, "no text"),
            (
                "---\nname: spec-reviewer\n---\nfine\nThis is iteration {n} of {max}.\n",
                5,
                "`{n}` would change",
            ),
            ("---\nname: spec-reviewer\n---\nToday is {{ date }}.\n", 4, "`{{ date }}` would change"),
            ("---\nname: spec-reviewer\n---\nReview $ARGUMENTS\n", 4, "`$ARGUMENTS`"),
            ("---\nname: spec-reviewer\n---\nState: !`git log -1`\n", 4, "!`git log -1`"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.to_string().contains(what), "{text}: {error}");
            assert!(!error.hint.is_empty());
        }
        let author = RoleText::parse("---\ntools: Read\n---\nx\n", &Role::new("spec-author")).unwrap_err();
        assert!(author.what.contains("writes a file"), "{author}");
    }

    #[test]
    fn braces_that_are_no_variable_are_text() {
        assert!(
            read("---\nname: spec-reviewer\n---\nAn id is `{letter}{number}`; a set is {a, b}.\n").is_ok()
        );
    }
}
