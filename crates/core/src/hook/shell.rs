//! Which files a shell command plainly writes to.
//!
//! Not a shell: a reading of what commonly stands in a command line. Only what is named outright counts: the target of a
//! redirection, the operands of programs that write, as far as no variable or substitution stands in them. Whatever is not
//! understood names nothing, so a miss is likely and a false alarm is not. `words` splits a line into commands; what
//! programs write is here. Start at [`written`].

mod words;

use crate::prelude::*;
use words::{Simple, Step, Word};

/// Longer commands are programs of their own; they are not read.
const CHARS_MAX: usize = 64 * 1024;

/// The paths a command writes to, in the order they are named. Relative ones are to be taken from where it is started; a
/// `cd` before them is already part of them. One that ends with `/` stands for whatever is in that folder.
pub fn written(command: &str) -> Vec<String> {
    if command.len() > CHARS_MAX {
        return Vec::new();
    }
    let mut places = vec![Place::default()];
    let mut found = Vec::new();
    for step in words::steps(command) {
        let here = places.last().cloned().unwrap_or_default();
        match step {
            Step::Enter => places.push(here),
            // What a subshell changes ends with it.
            Step::Leave if places.len() > 1 => drop(places.pop()),
            Step::Leave => {}
            Step::Command(simple) => {
                found.extend(of_command(&simple).iter().filter_map(|path| here.path(path)));
                if let Some(place) = places.last_mut() {
                    place.follow(&simple);
                }
            }
        }
    }
    found
}

/// Where relative paths begin.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// In this folder, relative to where the command is started; empty for there.
    In(String),
    /// Nobody knows.
    Somewhere,
}

impl Default for Place {
    fn default() -> Place {
        Place::In(String::new())
    }
}

impl Place {
    fn path(&self, path: &str) -> Option<String> {
        match self {
            _ if path.starts_with('/') => Some(path.to_owned()),
            Place::In(folder) if folder.is_empty() => Some(path.to_owned()),
            Place::In(folder) => Some(format!("{folder}/{path}")),
            Place::Somewhere => None,
        }
    }

    fn follow(&mut self, simple: &Simple) {
        let words = bare(&simple.words);
        let Some(name) = words.first().and_then(Word::plain) else { return };
        let folder = operands(&words[1..], &[]).first().and_then(|word| word.plain()).filter(|to| *to != "-");
        match (name, folder) {
            ("cd" | "pushd", Some(to)) => *self = self.path(to).map_or(Place::Somewhere, Place::In),
            ("cd" | "pushd" | "popd", _) => *self = Place::Somewhere,
            (_, _) => {}
        }
    }
}

/// What a simple command writes to, by its redirections and by its program.
fn of_command(simple: &Simple) -> Vec<String> {
    let mut found: Vec<String> = simple.writes.iter().filter_map(path).collect();
    let words = bare(&simple.words);
    let Some((name, args)) = words.split_first() else { return found };
    let name = name.plain().unwrap_or_default();
    let program = name.rsplit('/').next().unwrap_or(name);
    found.extend(by_program(program, args));
    found
}

fn by_program(program: &str, args: &[Word]) -> Vec<String> {
    let all = |valued: &[&str]| operands(args, valued).into_iter().filter_map(path).collect();
    match program {
        "rm" | "rmdir" | "unlink" | "shred" | "tee" | "sponge" => all(&[]),
        "touch" => all(&["-r", "-d", "-t", "--reference", "--date"]),
        "truncate" => all(&["-s", "-r", "--size", "--reference"]),
        "mv" => {
            let moved = all(&["-t", "--target-directory", "-S", "--suffix"]);
            moved.into_iter().chain(copied(args)).collect()
        }
        "cp" | "install" | "ln" | "rsync" => copied(args),
        "sed" => edited(args, &["-e", "-f", "--expression", "--file", "-l"], |word| {
            word.starts_with("--in-place") || cluster(word, "nErsuz", 'i')
        }),
        "perl" => edited(args, &["-e", "-pe", "-ne", "-pie", "-E"], |word| cluster(word, "pnalwW0", 'i')),
        "dd" => args.iter().filter_map(|word| word.after("of=")).filter_map(|word| path(&word)).collect(),
        "sqlite3" => changed_by_sql(args),
        _ => Vec::new(),
    }
}

/// The last operand of `cp` and its like; where that is a folder, what comes to stand in it.
fn copied(args: &[Word]) -> Vec<String> {
    const VALUED: [&str; 7] = ["-t", "--target-directory", "-S", "--suffix", "-m", "-o", "-g"];
    let names = operands(args, &VALUED);
    let target = |pair: &[Word]| match pair {
        [option, value] if option.is("-t") || option.is("--target-directory") => Some(value.clone()),
        [option, ..] => option.after("--target-directory="),
        [] => None,
    };
    let named = (0..args.len()).find_map(|at| target(&args[at..args.len().min(at + 2)]));
    let (target, sources) = match (named, names.split_last()) {
        (Some(target), _) => (target, &names[..]),
        (None, Some((last, sources))) if !sources.is_empty() => ((*last).clone(), sources),
        (None, _) => return Vec::new(),
    };
    let Some(target) = path(&target) else { return Vec::new() };
    let inside = sources.iter().filter_map(|word| base(word));
    let inside: Vec<String> = inside.map(|name| format!("{}/{name}", target.trim_end_matches('/'))).collect();
    [target].into_iter().chain(inside).collect()
}

/// The last name of a path.
fn base(word: &Word) -> Option<&str> {
    word.plain()?.rsplit('/').find(|part| !part.is_empty())
}

/// The files that `sed` or `perl` change in place, if they are told to.
fn edited(args: &[Word], valued: &[&str], in_place: impl Fn(&str) -> bool) -> Vec<String> {
    if !args.iter().filter_map(Word::plain).any(in_place) {
        return Vec::new();
    }
    let scripted = args.iter().any(|word| {
        let names = |option: &str| word.is(option) || word.after(&format!("{option}=")).is_some();
        valued.iter().any(|option| names(option))
    });
    let names = operands(args, valued);
    // Without an option for it, the first operand is the script.
    names.into_iter().skip(usize::from(!scripted)).filter_map(path).collect()
}

/// Whether a word is a cluster of one-letter options that has this letter after none but those.
fn cluster(word: &str, before: &str, letter: char) -> bool {
    let Some(letters) = word.strip_prefix('-') else { return false };
    letters.trim_start_matches(|one: char| before.contains(one)).starts_with(letter)
}

/// The database, where a statement on the command line begins with a word that changes something.
fn changed_by_sql(args: &[Word]) -> Vec<String> {
    const CHANGES: [&str; 8] = ["insert", "update", "delete", "replace", "drop", "alter", "create", "vacuum"];
    let changes = |word: &&Word| {
        let first = |statement: &str| statement.split_whitespace().next().map(str::to_lowercase);
        word.text.split(';').filter_map(first).any(|first| CHANGES.contains(&first.as_str()))
    };
    match operands(args, &[]).split_first() {
        Some((database, statements)) if statements.iter().any(changes) => {
            path(database).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The words that are no options and no values of these options.
fn operands<'a>(args: &'a [Word], valued: &[&str]) -> Vec<&'a Word> {
    let mut found = Vec::new();
    let mut only_operands = false;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if !only_operands && word.is("--") {
            only_operands = true;
        } else if !only_operands && word.text.len() > 1 && word.text.starts_with('-') {
            if valued.iter().any(|option| word.is(option)) {
                words.next();
            }
        } else {
            found.push(word);
        }
    }
    found
}

/// Words that stand before the command proper: assignments, and programs that run another one.
fn bare(words: &[Word]) -> &[Word] {
    const BEFORE: [&str; 16] = [
        "sudo", "doas", "command", "builtin", "exec", "nohup", "time", "env", "if", "then", "else", "elif",
        "do", "while", "until", "!",
    ];
    let assigns = |word: &Word| {
        let name = word.text.split_once('=').map(|(name, _)| name).unwrap_or_default();
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let passed = |word: &&Word| assigns(word) || word.is("{") || BEFORE.iter().any(|name| word.is(name));
    &words[words.iter().take_while(passed).count()..]
}

/// The path a word names; where only its beginning is known, the folder that is certain.
fn path(word: &Word) -> Option<String> {
    if let Some(text) = word.plain() {
        return Some(text.to_owned()).filter(|text| !text.is_empty());
    }
    let (known, rest) = word.known();
    let folder = known.rfind('/').map(|end| &known[..=end])?;
    // Behind what is not known it could lead out again.
    (!rest.contains("..")).then(|| folder.to_owned())
}

#[cfg(test)]
mod tests;
