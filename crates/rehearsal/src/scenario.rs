//! A scenario: prices, and rules that make the rehearsal agent misbehave in chosen places.
//!
//! Read from TOML. A rule matches a ticket's text; the first that matches and is not used up wins. What a rule
//! does is carried out in the parent module. Start at [`Scenario::parse`].

use serde::Deserialize;
use std::path::Path;

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    usd_per_million_input: f64,
    #[serde(default)]
    usd_per_million_output: f64,
    #[serde(default)]
    usd_per_dispatch: f64,
    #[serde(default)]
    rule: Vec<toml::Table>,
}

/// How the agent is priced and where it misbehaves. The default costs nothing and behaves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scenario {
    pub usd_per_million_input: f64,
    pub usd_per_million_output: f64,
    /// A flat price for every dispatch, reserved and billed in addition to the others.
    pub usd_per_dispatch: f64,
    pub rules: Vec<ScenarioRule>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioRule {
    /// `*` stands for any text: `*/review/spec-reviewer/2.*`.
    pub ticket: String,
    #[serde(rename = "do")]
    pub act: Act,
    /// How often the rule applies; always if it is not given.
    pub times: Option<u32>,
    pub wait_ms: Option<u64>,
    /// What is answered or written.
    pub text: Option<String>,
    /// The file that is written, relative to the working folder.
    pub path: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Gives no answer; another attempt may work.
    Fail,
    /// Asks to be tried again after `wait_ms`.
    Overloaded,
    /// Says nothing until it is stopped or the deadline has passed.
    Hang,
    /// Does its work and answers something that is not a verdict.
    Garbage,
    /// The conversation is gone.
    LoseSession,
    /// Works as usual and does not know the code that its conversation was given.
    Forget,
    /// Does its work, answers, and changes a file it may not change.
    Edit,
    /// Does its work, answers, and commits in the working folder.
    Commit,
    /// Begins at once, and works as usual `wait_ms` later.
    Late,
    /// Does its work and answers exactly `text`.
    Say,
    /// Remembers the turn, but its answer is lost.
    CrashSession,
    /// Answers as usual without writing any file.
    Unchanged,
    /// Declines every finding, for the reason `text`, without writing any file.
    Decline,
    /// Works as usual and says that its task is not done, for the reason `text`.
    Stop,
    /// Asks before the first draft, where it may: the lines of `text`, or questions of its own.
    Ask,
    /// Carries out a task and reports less than it is asked for.
    Partial,
    /// Says that a task was complete before, and changes nothing.
    Already,
    /// Writes the test of a task and forgets the code.
    Break,
    /// Writes a test from the documents that shows what other tests cannot show without waiting.
    Diverge,
    /// Looks back on a feature with numbers of its own.
    Count,
}

/// A scenario that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    #[error("the scenario is not readable: {0}")]
    Toml(String),
    #[error("rule {number} of the scenario: {detail}")]
    Rule { number: usize, detail: String },
    #[error("the scenario's {key} is {value}, but a price is a number from 0 up")]
    Price { key: &'static str, value: String },
}

impl Scenario {
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        let file: File = toml::from_str(text).map_err(|e| ScenarioError::Toml(one_line(&e.to_string())))?;
        let prices = [
            ("usd_per_million_input", file.usd_per_million_input),
            ("usd_per_million_output", file.usd_per_million_output),
            ("usd_per_dispatch", file.usd_per_dispatch),
        ];
        for (key, value) in prices {
            if !(value.is_finite() && value >= 0.0) {
                return Err(ScenarioError::Price { key, value: value.to_string() });
            }
        }
        let rules = file.rule.into_iter().enumerate().map(|(at, table)| rule(at + 1, table));
        Ok(Scenario {
            usd_per_million_input: file.usd_per_million_input,
            usd_per_million_output: file.usd_per_million_output,
            usd_per_dispatch: file.usd_per_dispatch,
            rules: rules.collect::<Result<_, _>>()?,
        })
    }

    /// The rule for a ticket, if one applies. The uses of a limited rule are files in `uses`, one for each use, so that
    /// a restart, or another process, goes on counting.
    pub(super) fn claim(&self, ticket: &str, uses: &Path) -> std::io::Result<Option<&ScenarioRule>> {
        for (at, rule) in self.rules.iter().enumerate() {
            if matches(&rule.ticket, ticket) && claim_use(rule, at + 1, uses)? {
                return Ok(Some(rule));
            }
        }
        Ok(None)
    }
}

fn rule(number: usize, table: toml::Table) -> Result<ScenarioRule, ScenarioError> {
    let named = |detail: String| ScenarioError::Rule { number, detail };
    let rule: ScenarioRule =
        table.try_into().map_err(|e: toml::de::Error| named(one_line(&e.to_string())))?;
    let needs = match rule.act {
        Act::Say if rule.text.is_none() => Some("`say` needs `text`"),
        Act::Edit if rule.path.is_none() => Some("`edit` needs `path`"),
        _ => None,
    };
    match needs {
        Some(detail) => Err(named(detail.to_owned())),
        None => Ok(rule),
    }
}

/// Creating a file that must not exist yet is the one step in which two processes cannot both succeed.
fn claim_use(rule: &ScenarioRule, number: usize, uses: &Path) -> std::io::Result<bool> {
    let Some(times) = rule.times else { return Ok(true) };
    std::fs::create_dir_all(uses)?;
    for use_number in 1..=times {
        let path = uses.join(format!("rule-{number}-use-{use_number}"));
        match std::fs::File::create_new(&path) {
            Ok(_) => return Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn one_line(text: &str) -> String {
    redraft_facts::text::one_line(text, 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_read_with_prices_and_rules() {
        let scenario = Scenario::parse(
            "usd_per_million_input = 3.0\nusd_per_million_output = 15\n[[rule]]\nticket = \"*\"\ndo = \"lose-session\"\ntimes = 2\n",
        )
        .unwrap();
        assert_eq!(scenario.usd_per_million_output, 15.0);
        assert_eq!(scenario.rules[0].act, Act::LoseSession);
        assert_eq!(scenario.rules[0].times, Some(2));
        assert_eq!(Scenario::parse("").unwrap(), Scenario::default());
    }

    #[test]
    fn what_is_wrong_with_a_rule_is_said_with_its_number() {
        let check = |rule: &str, expected: &str| {
            let text = format!("[[rule]]\nticket = \"*\"\ndo = \"fail\"\n[[rule]]\n{rule}");
            let error = Scenario::parse(&text).unwrap_err().to_string();
            assert!(error.starts_with("rule 2 of the scenario:") && error.contains(expected), "{error}");
        };
        check("ticket = \"*\"\ndo = \"fail\"\nwho = 1\n", "who");
        check("ticket = \"*\"\n", "do");
        check("do = \"fail\"\n", "ticket");
        check("ticket = \"*\"\ndo = \"dance\"\n", "dance");
        check("ticket = \"*\"\ndo = \"say\"\n", "needs `text`");
        check("ticket = \"*\"\ndo = \"edit\"\n", "needs `path`");
        assert!(Scenario::parse("speed = 3\n").unwrap_err().to_string().contains("speed"));
        assert!(Scenario::parse("usd_per_million_input = -1.0\n").is_err());
    }

    #[test]
    fn a_star_stands_for_any_text() {
        let ticket = "031/specify.1/review/spec-reviewer/2.1";
        for pattern in ["*", ticket, "*/review/*", "*/spec-reviewer/2.*", "031/*/2.1", "031*.1"] {
            assert!(matches(pattern, ticket), "{pattern}");
        }
        for pattern in ["", "*/revise/*", "*/spec-reviewer/3.*", "031/*/2.2", "31/*"] {
            assert!(!matches(pattern, ticket), "{pattern}");
        }
        assert!(!matches("ab*ab", "ab"));
    }

    #[test]
    fn a_limited_rule_is_used_up_and_the_next_one_applies() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            "[[rule]]\nticket = \"*\"\ndo = \"fail\"\ntimes = 2\n[[rule]]\nticket = \"x*\"\ndo = \"late\"\n";
        let act = |ticket: &str| {
            // A scenario read again stands for a restarted program.
            let scenario = Scenario::parse(text).unwrap();
            scenario.claim(ticket, folder.path()).unwrap().map(|rule| rule.act)
        };
        assert_eq!(act("x1"), Some(Act::Fail));
        assert_eq!(act("y1"), Some(Act::Fail));
        assert_eq!(act("x1"), Some(Act::Late));
        assert_eq!(act("y1"), None);
    }

    #[test]
    fn the_documentation_names_every_act_and_no_other() {
        let page = include_str!("../../../docs/rehearsal.md");
        let (_, table) = page.split_once("| `do` | what happens |").unwrap();
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        let mut documented: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
        // What the reader of scenarios says it would have understood.
        let error = Scenario::parse("[[rule]]\nticket = \"*\"\ndo = \"\"\n").unwrap_err().to_string();
        let (_, expected) = error.split_once("expected one of ").unwrap();
        // It ends with the key it speaks of.
        let mut known: Vec<&str> =
            expected.split('`').skip(1).step_by(2).filter(|name| *name != "do").collect();
        known.sort_unstable();
        documented.sort_unstable();
        assert_eq!(documented, known);
    }
}
