//! `redraft man`: writes manual pages, made from the same texts as `--help`.

use clap::CommandFactory as _;
use clap_mangen::Man;
use redraft_facts::text::count;
use redraft_frame::args::{Cli, ManArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::whole_file::{self, OwnFiles};
use serde::Serialize;

#[derive(Serialize)]
struct ManJson {
    v: u16,
    pages: Vec<Page>,
    /// Where they were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
}

#[derive(Serialize)]
struct Page {
    /// What the page is about, as it is typed: `redraft show prompt`.
    command: String,
    file: String,
    /// Left out where it was written to a file.
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
}

/// How our own pages are recognized: clap's writer of pages begins each like this.
const OWN: OwnFiles = OwnFiles {
    called: "page",
    such_as: "redraft.1",
    temporary: ".redraft-man-",
    begins: ".ie \\n(.g",
    made_by: ".TH redraft",
};

pub(crate) fn man(args: ManArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let mut pages = pages()?;
    let Some(folder) = args.folder.map(|folder| process.folder.join(folder)) else {
        let text = pages.first().map(|page| page.text.clone()).unwrap_or_default();
        let json = ManJson { v: 1, pages, folder: None };
        if console.json {
            console.object(&json)
        } else {
            console.made_here(text.trim_end())
        }
        return Ok(ErrorCode::Done);
    };
    std::fs::create_dir_all(&folder).map_err(|error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be created: {error}", folder.display()))
            .hint("name a folder that can be written")
    })?;
    for page in &mut pages {
        let text = std::mem::take(&mut page.text);
        whole_file::write(&folder.join(&page.file), &text, false, &OWN)?;
    }
    let (number, folder) = (count(pages.len(), "page"), folder.display().to_string());
    console.show(&format!("{number} in {folder}"), &ManJson { v: 1, pages, folder: Some(folder.clone()) });
    Ok(ErrorCode::Done)
}

/// A page for each command that is shown to people, the program's own first.
fn pages() -> Result<Vec<Page>, CliError> {
    let mut cli = without_help(Cli::command());
    // Without it, subcommands do not know their full names and the shared options.
    cli.build();
    let mut pages = Vec::new();
    let mut left = vec![cli];
    while let Some(command) = left.pop() {
        let below: Vec<clap::Command> =
            command.get_subcommands().filter(|one| !one.is_hide_set()).cloned().collect();
        left.extend(below.into_iter().rev());
        pages.push(page(command)?);
    }
    Ok(pages)
}

/// The same without the command `help`, which the pages themselves replace.
fn without_help(command: clap::Command) -> clap::Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}

fn page(command: clap::Command) -> Result<Page, CliError> {
    let typed = command.get_bin_name().unwrap_or("redraft").to_owned();
    let file = format!("{}.1", typed.replace(' ', "-"));
    let mut bytes = Vec::new();
    let source = format!("redraft {}", env!("CARGO_PKG_VERSION"));
    let rendered = Man::new(command).source(source).render(&mut bytes);
    rendered.map_err(|error| CliError::new(ErrorCode::Bug, format!("the page of `{typed}`: {error}")))?;
    Ok(Page { command: typed, file, text: laid_out(&String::from_utf8_lossy(&bytes)) })
}

/// The end of the help under its own name, with its tables unchanged: a page would reflow their lines.
fn laid_out(page: &str) -> String {
    const END: &str = ".SH EXTRA";
    let (mut text, mut in_the_end, mut in_table) = (String::new(), false, false);
    for line in page.lines() {
        in_the_end = if line.starts_with(".SH ") { line == END } else { in_the_end };
        let table = in_the_end && line.starts_with("  ");
        match (in_table, table) {
            (false, true) => text.push_str(".nf\n"),
            (true, false) => text.push_str(".fi\n"),
            (true, true) | (false, false) => {}
        }
        in_table = table;
        text.push_str(if line == END { ".SH EXAMPLES AND EXIT CODES" } else { line });
        text.push('\n');
    }
    text
}
