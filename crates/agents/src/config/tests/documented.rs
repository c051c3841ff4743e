//! docs/configuration.md has every key that is accepted, and no other.

use super::parse;
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../../../../../docs/configuration.md");
const KINDS: [&str; 6] = ["rehearsal", "claude", "codex", "anthropic", "openai", "pull"];

/// The rows of the first table under a heading, a list of cells each, without the table's own heading.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) = PAGE.split_once(&format!("{heading}\n")).unwrap_or_else(|| panic!("no {heading}"));
    let lines = section.lines().take_while(|line| !line.starts_with('#'));
    let table = lines.skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    table.skip(2).map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

/// The words in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

fn documented(heading: &str) -> BTreeSet<String> {
    rows(heading).iter().flat_map(|cells| quoted(cells[0])).collect()
}

/// The keys that are known where this text has one that is not.
fn known(text: &str) -> BTreeSet<String> {
    let hint = parse(text).unwrap_err().hint.unwrap();
    let keys = hint.strip_prefix("known here: ").unwrap_or_else(|| panic!("{hint}"));
    keys.split(", ").map(str::to_owned).collect()
}

#[test]
fn every_key_that_is_accepted_is_in_its_table_of_the_page_and_no_other() {
    for (heading, text) in [
        ("## `[review]`", "[review]"),
        ("## `[limits]`", "[limits]"),
        ("## `[workspace]`", "[workspace]"),
        ("## `[monitor]`", "[monitor]"),
        ("## `[lanes]`", "[lanes]"),
        ("## `[lint]`", "[lint]"),
        ("## `[implement]`", "[implement]"),
        ("## `[notify]`", "[notify]"),
        ("## `[sandbox]`", "[sandbox]"),
        ("## `[agents.NAME]`", "[agents.x]"),
        ("### `[agents.NAME.mcp.SERVER]`", "[agents.x.mcp.y]"),
        ("## `[prices.\"MODEL\"]`", "[prices.x]"),
    ] {
        assert_eq!(documented(heading), known(&format!("{text}\nxxxxxxxxxx = 1")), "{heading}");
    }
}

#[test]
fn the_page_says_for_each_key_which_kinds_of_agents_know_it() {
    let mut accepted: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for kind in KINDS {
        // Each of them means nothing for some kind; the error then lists those that do.
        let wrong = if kind == "rehearsal" { "model" } else { "scenario" };
        let text = format!("[agents.x]\nkind = \"{kind}\"\n{wrong} = \"x\"");
        for key in known(&text) {
            accepted.entry(key).or_default().insert(kind);
        }
    }
    let told: BTreeMap<String, BTreeSet<&str>> = rows("## `[agents.NAME]`")
        .iter()
        .map(|cells| {
            let but = cells[1].strip_prefix("all but ").map(|but| but.split(" and ").collect::<Vec<_>>());
            let kinds = match cells[1] {
                "all" => KINDS.into(),
                listed => match but {
                    Some(but) => KINDS.into_iter().filter(|kind| !but.contains(kind)).collect(),
                    None => listed.split(", ").collect(),
                },
            };
            (quoted(cells[0]).next().unwrap(), kinds)
        })
        .collect();
    assert_eq!(told, accepted);
}
