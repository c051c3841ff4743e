//! Explains what was typed wrongly: clap's errors in the form of every other error, and what was probably meant.

use crate::errors::CliError;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use redraft_adapters::shell_word::quoted;
use std::ffi::OsString;

/// Words that people try as commands, with the command they mean.
const MEANT: [(&str, &str); 41] = [
    ("abandon", "abandon a feature: redraft decide NNN abandon"),
    ("abort", "stop a run: redraft stop NNN; abandon a feature: redraft decide NNN abandon"),
    ("accept", "accept what is still open: redraft decide NNN accept"),
    ("answer", "answer what a run is waiting for: redraft decide NNN shows what it asks"),
    (
        "approve",
        "answer what a run is waiting for: redraft decide NNN shows what it asks; redraft decide NNN approve --revision …",
    ),
    ("begin", "begin a feature: redraft new \"your idea\""),
    ("board", "see every feature: redraft status"),
    ("cancel", "stop a run: redraft stop NNN; abandon a feature: redraft decide NNN abandon"),
    ("continue", "continue a feature: redraft run NNN"),
    ("create", "begin a feature: redraft new \"your idea\""),
    ("dashboard", "see every feature in the browser: redraft ui; on a full screen: redraft watch"),
    ("decisions", "see what was decided: redraft log NNN --decisions"),
    ("delete", "remove what finished features left behind: redraft clean; everything: redraft uninstall"),
    ("diff", "see what changed between revisions: redraft ui; on a full screen: redraft watch NNN"),
    (
        "estimate",
        "see what a feature is expected to cost: redraft run NNN says so before anything is paid for",
    ),
    ("features", "see every feature: redraft status"),
    ("feedback", "say what should be different: redraft comment NNN \"use Postgres, not files\""),
    ("findings", "see what reviewers found: redraft show findings NNN"),
    ("go", "let code be written: redraft decide NNN go"),
    ("history", "see what happened: redraft log NNN"),
    ("list", "see every feature: redraft status"),
    ("ls", "see every feature: redraft status"),
    ("merge", "merge a feature that is ready: redraft finish NNN --merge"),
    ("message", "say what should be different: redraft comment NNN \"use Postgres, not files\""),
    ("monitor", "follow every feature on a full screen: redraft watch"),
    ("pause", "stop a run: redraft stop NNN; continue it later: redraft run NNN"),
    ("pr", "get the text for a pull request: redraft show pull-request NNN"),
    ("prices", "see what models cost: redraft models"),
    ("prune", "remove what finished features left behind: redraft clean"),
    ("pull-request", "get the text for a pull request: redraft show pull-request NNN"),
    ("reject", "say what is wrong: redraft comment NNN \"use Postgres, not files\""),
    ("remove", "remove what finished features left behind: redraft clean; everything: redraft uninstall"),
    ("resume", "continue a feature: redraft run NNN"),
    ("retry", "continue a feature: redraft run NNN; where it waits for you: redraft decide NNN retry"),
    ("say", "say what should be different: redraft comment NNN \"use Postgres, not files\""),
    ("skip", "leave a phase out: redraft phase skip NNN PHASE --why \"…\""),
    ("start", "begin a feature: redraft new \"your idea\"; or continue one: redraft run NNN"),
    ("tasks", "see the tasks of a feature: redraft show tasks docs/features/NNN-…"),
    ("tui", "follow every feature on a full screen: redraft watch"),
    ("undo", "go back to a phase: redraft phase back NNN PHASE --why \"…\""),
    ("web", "see every feature in the browser: redraft ui"),
];

/// Whether this option was typed, such as `--json`, for arguments that could not be read as a whole.
pub fn wants(option: &str, words: impl IntoIterator<Item = OsString>) -> bool {
    words.into_iter().skip(1).take_while(|word| word != "--").any(|word| word == option)
}

/// What was meant by words that clap does not understand: a command under another name, an idea without quotes.
pub fn meant(error: &clap::Error, words: impl IntoIterator<Item = OsString>) -> Option<CliError> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
                return None;
            };
            let (_, way) = MEANT.iter().find(|(tried, _)| *tried == word.to_lowercase())?;
            Some(CliError::usage(format!("there is no command `{word}`")).hint(*way))
        }
        ErrorKind::UnknownArgument => unquoted(words),
        _ => None,
    }
}

/// The commands whose first parameter is a sentence.
const WITH_AN_IDEA: [&str; 2] = ["new", "demo"];

fn unquoted(words: impl IntoIterator<Item = OsString>) -> Option<CliError> {
    let words: Vec<String> =
        words.into_iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut at = 0;
    // Options of the program itself may stand before the command; one of them has a value.
    while words.get(at)?.starts_with('-') {
        at += if matches!(words[at].as_str(), "-C" | "--dir") { 2 } else { 1 };
    }
    let command = words.get(at).filter(|word| WITH_AN_IDEA.contains(&word.as_str()))?;
    let rest = &words[at + 1..];
    let idea: Vec<&str> = rest.iter().map(String::as_str).take_while(|word| !word.starts_with('-')).collect();
    if idea.len() < 2 {
        return None;
    }
    let options: String = rest[idea.len()..].iter().map(|word| format!(" {}", quoted(word))).collect();
    let idea = in_quotes(&idea.join(" "));
    Some(
        CliError::usage("the idea must be one text, but it was typed as several words")
            .hint(format!("quote the idea: redraft {command} {idea}{options}")),
    )
}

/// A sentence as people type it; single quotes where a shell would change something in double ones.
fn in_quotes(text: &str) -> String {
    match text.contains(['"', '$', '`', '\\', '!']) {
        true => quoted(text),
        false => format!("\"{text}\""),
    }
}

/// The first paragraph is the message; tips, the usage line and the way to help are hints.
pub fn explained(error: &clap::Error) -> CliError {
    let text = error.render().to_string();
    let nothing = [ErrorKind::MissingSubcommand, ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand];
    if nothing.contains(&error.kind()) {
        let usage = text.lines().find(|line| line.starts_with("Usage: ")).unwrap_or_default();
        return CliError::usage("no command was given").hint(usage).hint("`redraft help` lists the commands");
    }
    let mut paragraphs = text.split("\n\n").map(joined).filter(|paragraph| !paragraph.is_empty());
    let message = paragraphs.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
    let said = paragraphs.filter(|paragraph| !paragraph.starts_with("For more information"));
    let shown =
        said.fold(CliError::usage(message), |shown, said| shown.hint(said.trim_start_matches("tip: ")));
    shown.hint("`redraft help` lists the commands, `redraft help COMMAND` its options and examples")
}

fn joined(paragraph: &str) -> String {
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::MEANT;
    use crate::args::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn words_that_are_tried_are_no_commands_and_lead_to_some() {
        let cli = Cli::command();
        for (word, way) in MEANT {
            assert!(cli.find_subcommand(word).is_none(), "`{word}` is a command by now");
            let named = way.split("redraft ").nth(1).and_then(|rest| rest.split([' ', ';', ',']).next());
            assert!(named.is_some_and(|named| cli.find_subcommand(named).is_some()), "{word}: {way}");
        }
        assert!(MEANT.is_sorted_by_key(|(word, _)| *word));
    }

    #[test]
    fn words_of_other_programs_are_among_those_that_are_tried() {
        for word in ["answer", "diff", "estimate", "features", "pause", "retry", "tui", "web"] {
            assert!(MEANT.iter().any(|(tried, _)| *tried == word), "{word}");
        }
    }

    #[test]
    fn a_feature_is_asked_for_by_its_number_or_slug() {
        let cli = Cli::command();
        for command in ["status", "log", "run", "finish"] {
            let feature = cli.find_subcommand(command).and_then(|one| one.get_positionals().next());
            let help = feature.and_then(|one| one.get_help()).map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("number or slug"), "{command}: {help}");
        }
    }
}
