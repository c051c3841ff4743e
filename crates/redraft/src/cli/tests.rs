//! The documented tables are the real ones, and every command explains itself.

use super::args::Cli;
use super::errors::Code;
use clap::CommandFactory as _;

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
    for (code, meaning) in Code::ALL {
        page.push_str(&format!("| {} | {meaning} |\n", code as i32));
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/exit-codes.md");
    assert_eq!(std::fs::read_to_string(file).unwrap(), page, "docs/exit-codes.md must say:\n{page}");
}
