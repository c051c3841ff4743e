//! Entries that are checked mechanically: a rule of lint they raise to an error, or a check of the project.

use super::entry::{Bank, CheckedBy};
use crate::lint::{Fault, LintLevel, LintSettings, Rule};
use redraft_facts::prelude::*;

/// The settings with every rule that an entry is checked by raised to an error. What a project has set itself stays.
pub fn raised(settings: &LintSettings, bank: &Bank) -> LintSettings {
    let mut settings = settings.clone();
    for by in bank.entries.iter().flat_map(|entry| &entry.fields.checked_by) {
        if let Some(rule) = by.rule() {
            settings.levels.entry(rule).or_insert(LintLevel::Error);
        }
    }
    settings
}

/// Entries that say they are checked by something that does not exist. `checks` are the names of the project's own.
pub fn unknown_checks(bank: &Bank, checks: &[&str], settings: &LintSettings) -> Vec<Fault> {
    let level = settings.level(Rule::UnknownCheck);
    if level == LintLevel::Off {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for entry in &bank.entries {
        for by in &entry.fields.checked_by {
            let (message, hint) = match by {
                CheckedBy::Lint(name) if by.rule().is_none() => (
                    format!("`{}` is checked by lint rule `{name}`, which does not exist", entry.name),
                    "`redraft lint --rules` lists the rules; name one of them, or take the line out",
                ),
                CheckedBy::Check(name) if !checks.contains(&name.as_str()) => (
                    format!(
                        "`{}` is checked by check `{name}`, which redraft.toml does not have",
                        entry.name
                    ),
                    "name a check of [checks], add one of that name, or take the line out",
                ),
                CheckedBy::Lint(_) | CheckedBy::Check(_) => continue,
            };
            faults.push(Fault {
                rule: Rule::UnknownCheck,
                level,
                path: entry.kind.path().to_owned(),
                line: entry.line,
                message,
                hint: hint.to_owned(),
            });
        }
    }
    faults
}
