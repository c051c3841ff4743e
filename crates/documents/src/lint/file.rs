//! Finds files that documents name. Whether they exist is looked up by the caller.
//!
//! A plan names files that are to be made, so a path counts only where nothing in the feature says so.

use super::page::{Page, beginning, code_spans};
use super::{Faults, Rule};
use redraft_facts::prelude::*;

/// Paths of one page with their lines, without those that the text says are about to be made or removed.
pub(super) fn named<'a>(page: &Page<'a>) -> Vec<(&'a str, usize)> {
    let mut found = Vec::new();
    for (at, line) in page.lines.iter().enumerate().filter(|(_, line)| line.is_text()) {
        // What is written as code shows how a link is written.
        let live: BTreeSet<&str> = targets(&line.prose).collect();
        let linked = |target| path(target).or_else(|| beside(target).filter(|_| live.contains(target)));
        let links = targets(line.text).filter_map(linked);
        let spans = code_spans(line.text).filter_map(path);
        found.extend(links.chain(spans).map(|path| (path, at)));
    }
    found
}

/// Where the links of a line lead, without headings.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("](").map(|(at, mark)| {
        let target = beginning(&text[at + mark.len()..]);
        target.split([')', ' ', '#']).next().unwrap_or_default()
    })
}

/// Paths that some line of these pages says are new, moved or removed.
pub(super) fn changing<'a>(pages: &[&Page<'a>]) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for page in pages {
        let mut headings = page.headings.iter().peekable();
        let mut chapter = false;
        let (mut table, mut in_table) = (false, false);
        let mut named = named(page).into_iter().peekable();
        for (at, line) in page.lines.iter().enumerate() {
            if let Some(heading) = headings.next_if(|heading| heading.line == at) {
                chapter = says_change(heading.title);
            }
            let is_row = line.text.trim_start().starts_with('|');
            // The head of a table holds for its rows.
            table = is_row && if in_table { table } else { says_change(line.text) };
            in_table = is_row;
            let said = chapter
                || table
                || named.peek().is_some_and(|(_, line)| *line == at) && says_change(line.text);
            while let Some((path, _)) = named.next_if(|(_, line)| *line == at) {
                if said {
                    found.insert(path);
                }
            }
        }
    }
    found
}

pub(super) fn check(
    page: &Page<'_>,
    absent: &BTreeSet<String>,
    changing: &BTreeSet<&str>,
    faults: &mut Faults<'_>,
) {
    let mut told = BTreeSet::new();
    for (path, line) in named(page) {
        if absent.contains(path) && !changing.contains(path) && told.insert(path) {
            let message = format!("there is no file `{path}`");
            faults.add(
                Rule::MissingFile,
                line,
                message,
                "correct the path, or say that the file is to be made",
            );
        }
    }
}

/// As long as a path may be.
const CHARS_MAX: usize = 200;

/// A relative path with a folder and an ending, without the line numbers people put after it.
fn path(text: &str) -> Option<&str> {
    let text = text.trim().trim_start_matches("./");
    let end = text.find(':').filter(|at| text[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    let text = end.map_or(text, |end| &text[..end]);
    let text = text.split('#').next().unwrap_or(text);
    let plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@'));
    let (folders, name) = text.rsplit_once('/')?;
    let (stem, ending) = name.rsplit_once('.')?;
    let fits = text.len() <= CHARS_MAX && plain && !stem.is_empty() && is_ending(ending);
    let inside = !folders.is_empty() && !text.contains("..") && !text.contains("//");
    // An address without its beginning has a dot in its first part.
    let address = folders.split('/').next().is_some_and(|first| first.chars().skip(1).any(|c| c == '.'));
    (fits && inside && !address).then_some(text)
}

/// The target of a link that can only mean a file, seen from the document's own folder: `threats.md`,
/// `../notes/threats.md`. Documents of a feature are linked before they are written.
fn beside(text: &str) -> Option<&str> {
    let text = text.trim().trim_start_matches("./");
    let plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@'));
    let inside = plain && text.len() <= CHARS_MAX && !text.starts_with('/') && !text.contains("//");
    let (folders, name) = text.rsplit_once('/').unwrap_or(("", text));
    let climbs = folders.is_empty() || folders.split('/').next() == Some("..");
    let later = folders.is_empty() && LATER.contains(&name);
    let (stem, ending) = name.rsplit_once('.')?;
    (inside && climbs && !later && !stem.is_empty() && ENDINGS.contains(&ending)).then_some(text)
}

/// The usual endings of files that documents link, so that `example.com` is not taken for one. Some are also those of
/// countries (`md`, `rs`, `py`), but few addresses are written without their beginning. Not `html`: pages made from
/// Markdown link each other so, and the files are made later.
const ENDINGS: [&str; 23] = [
    "md", "markdown", "txt", "rst", "adoc", "pdf", "png", "jpg", "jpeg", "gif", "svg", "json", "yaml", "yml",
    "toml", "csv", "sql", "py", "rs", "js", "ts", "tsx", "go",
];

/// What a feature's folder has at some time, and not all of the time.
const LATER: [&str; 9] = [
    "prd.md",
    "spec.md",
    "design.md",
    "plan.md",
    "tasks.md",
    "retro.md",
    "implementation-log.md",
    ".review-history.md",
    ".meta.json",
];

fn is_ending(ending: &str) -> bool {
    const CHARS_MAX: usize = 6;
    let letters = ending.starts_with(|c: char| c.is_ascii_alphabetic());
    letters && ending.len() <= CHARS_MAX && ending.chars().all(|c| c.is_ascii_alphanumeric())
}

/// A line without its links: `[addresses](addresses.md)` does not say that anything is added.
fn without_links(line: &str) -> String {
    let mut left = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        let end = beginning(after).find(')');
        let start = before.rfind('[').filter(|_| end.is_some());
        left.push_str(start.map_or(before, |start| &before[..start]));
        left.push(' ');
        rest = end.map_or(after, |end| &after[end + 1..]);
    }
    left.push_str(rest);
    left
}

/// Whether a line says, around its links, that something is made, moved or taken away.
fn says_change(line: &str) -> bool {
    const BEGINNINGS: [&str; 35] = [
        "creat",
        "new",
        "add",
        "writ",
        "generat",
        "produc",
        "output",
        "emit",
        "introduc",
        "extract",
        "mov",
        "renam",
        "split",
        "delet",
        "remov",
        "scaffold",
        "will",
        "would",
        "deprecat",
        "retir",
        "replac",
        "kept",
        "stor",
        "neu",
        "anleg",
        "erstell",
        "lösch",
        "nuev",
        "crea",
        "nouve",
        "cré",
        "supprim",
        "нов",
        "созда",
        "удал",
    ];
    const SIGNS: [&str; 6] = ["新", "创建", "建立", "删除", "追加", "作成"];
    let line = without_links(line);
    let words = line.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 2);
    let said =
        words.map(str::to_lowercase).any(|word| BEGINNINGS.iter().any(|begin| word.starts_with(begin)));
    said || SIGNS.iter().any(|sign| line.contains(sign))
}
