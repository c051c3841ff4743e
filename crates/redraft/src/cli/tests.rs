//! Tests that the documented tables are the real ones, and that every command explains itself.

use clap::CommandFactory as _;
use redraft_facts::redact::Typed;
use redraft_frame::args::Cli;
use redraft_frame::errors::ErrorCode;
use std::any::TypeId;

/// Every command that people are shown, with all words it is typed with.
fn commands() -> Vec<(String, clap::Command)> {
    let mut cli = Cli::command();
    cli.build();
    let (mut found, mut left) = (Vec::new(), vec![cli]);
    while let Some(command) = left.pop() {
        let shown = |one: &&clap::Command| !one.is_hide_set() && one.get_name() != "help";
        left.extend(command.get_subcommands().filter(shown).cloned());
        found.push((command.get_bin_name().unwrap_or("redraft").to_owned(), command));
    }
    found
}

#[test]
fn every_command_has_examples_that_are_commands_and_its_exit_codes() {
    let all = commands();
    assert!(all.len() > 40, "the whole tree is walked");
    for (typed, command) in all.iter().filter(|(typed, _)| typed != "redraft") {
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(after.starts_with("Examples:\n  ") && after.contains("Exit codes: 0"), "{typed}: {after}");
        let examples = after.lines().skip(1).take_while(|line| line.starts_with("  "));
        let examples: Vec<&str> = examples.collect();
        assert!(examples.iter().any(|line| line.contains(typed)), "{typed}: {examples:?}");
        // An option that is shown is one that is there.
        for line in examples.iter().filter(|line| line.contains(typed)) {
            let words = line.split(['|', '>']).find(|part| part.contains(typed.as_str())).unwrap_or_default();
            let (words, _) = words.split_once("   ").unwrap_or((words.trim(), ""));
            for word in words.split_whitespace().filter(|word| word.starts_with("--")) {
                let name = word.trim_start_matches('-').split(['=', ';']).next().unwrap_or_default();
                let known = |one: &clap::Arg| one.get_long() == Some(name);
                let below = || command.get_subcommands().flat_map(clap::Command::get_arguments);
                assert!(command.get_arguments().chain(below()).any(known), "{typed}: {word} in {line}");
            }
        }
    }
}

#[test]
fn the_page_of_exit_codes_is_the_table_of_the_program() {
    let mut page = String::from("# Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (code, meaning) in ErrorCode::ALL {
        page.push_str(&format!("| {} | {meaning} |\n", code as i32));
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/exit-codes.md");
    assert_eq!(std::fs::read_to_string(file).unwrap(), page, "docs/exit-codes.md must say:\n{page}");
}

/// Arguments that are free text. `tests/it/ways_in.rs` types a key into each.
const TEXTS: [&str; 15] = [
    "bank retire why",
    "bank update text",
    "comment words",
    "cost correct why",
    "decide answer",
    "decide why",
    "demo idea",
    "ledger redact why",
    "new idea",
    "phase back why",
    "phase skip why",
    "project new name",
    "review intent",
    "review name",
    "run unblock",
];

/// Arguments that name something, or are one of a few words or a number: none is stored as it was typed.
const WORDS: [&str; 35] = [
    "agent",
    "arms",
    "ask",
    "base",
    "budget",
    "certify",
    "choice",
    "depends_on",
    "example",
    "feature",
    "file",
    "head",
    "id",
    "key",
    "knowledge",
    "lane",
    "ledger",
    "phase",
    "policy",
    "prices",
    "project",
    "purpose",
    "remote",
    "reopen",
    "revision",
    "role",
    "strategy",
    "task",
    "ticket",
    "ttl",
    "until",
    "usd",
    "value",
    "what",
    "words",
];

/// The same for names that mean a text elsewhere.
const NAMES: [&str; 5] =
    ["bank keep name", "bank retire name", "bank show name", "bank update name", "cost why"];

#[test]
fn every_word_that_can_be_typed_is_a_text_without_secrets_or_one_that_names_something() {
    let all = commands();
    let of = |kind: TypeId| {
        let own =
            all.iter().flat_map(|(typed, command)| command.get_arguments().map(move |arg| (typed, arg)));
        let own = own.filter(|(_, arg)| arg.get_action().takes_values());
        let own = own.filter(move |(_, arg)| arg.get_value_parser().type_id() == kind);
        own.map(|(typed, arg)| (typed.trim_start_matches("redraft ").to_owned(), arg.get_id().to_string()))
    };
    let mut texts: Vec<String> =
        of(TypeId::of::<Typed>()).map(|(typed, id)| format!("{typed} {id}")).collect();
    texts.sort();
    assert_eq!(texts, TEXTS);
    let known =
        |typed: &str, id: &str| WORDS.contains(&id) || NAMES.contains(&format!("{typed} {id}").as_str());
    let unknown: Vec<_> = of(TypeId::of::<String>()).filter(|(typed, id)| !known(typed, id)).collect();
    assert!(unknown.is_empty(), "a text is `Typed`; what names something is told above: {unknown:?}");
    let gone = |word: &&str| !of(TypeId::of::<String>()).any(|(_, id)| id == **word);
    let gone: Vec<&str> = WORDS.into_iter().filter(gone).collect();
    assert!(gone.is_empty(), "nothing is called that: {gone:?}");
}
