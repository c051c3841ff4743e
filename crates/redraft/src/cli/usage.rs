//! What was typed wrongly, as clap says it, in the form that every other error has.

use super::errors::CliError;
use clap::error::ErrorKind;
use std::ffi::OsString;

/// Whether one object is wanted on stdout, for arguments that could not be read as a whole.
pub(crate) fn wants_json(words: impl IntoIterator<Item = OsString>) -> bool {
    words.into_iter().skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}

/// The first paragraph is the message; tips, the usage line and the way to help are hints.
pub(crate) fn explained(error: &clap::Error) -> CliError {
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
