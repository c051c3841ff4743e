//! Finds the files that a shell command plainly writes to.
//!
//! Not a shell: it knows quotes, redirections and the operands of a few programs that write. Reading ends at the first
//! thing it does not know (a substitution, a subshell, the text of a here-document, an open quote), and a command that
//! holds such a thing names nothing. So a miss is likely and a false alarm is not. Start at [`written`].

use core::iter::Peekable;
use core::str::Chars;
use redraft_facts::prelude::*;

/// Longer commands are programs in themselves; they are not read.
const CHARS_MAX: usize = 64 * 1024;

/// The paths a command writes to, in the order they are named. Relative ones start at the folder it is started in; a
/// `cd` before them is already part of them. A path that ends with `/` stands for everything in that folder.
pub fn written(command: &str) -> Vec<String> {
    if command.len() > CHARS_MAX {
        return Vec::new();
    }
    // Where relative paths begin; none after a `cd` to an unknown place.
    let mut place = Some(String::new());
    let mut found = Vec::new();
    for simple in commands(command) {
        let within = |path: String| match &place {
            Some(folder) if !folder.is_empty() && !path.starts_with('/') => Some(format!("{folder}/{path}")),
            None if !path.starts_with('/') => None,
            Some(_) | None => Some(path),
        };
        let words = without_prefixes(&simple.words);
        let program = words.first().and_then(Word::plain).unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(program);
        let args = words.get(1..).unwrap_or_default();
        let paths = simple.writes.iter().filter_map(Word::path).chain(by_program(program, args));
        found.extend(paths.filter_map(within));
        if matches!(program, "cd" | "pushd" | "popd") {
            let to = operands(args).first().and_then(|word| word.plain()).filter(|to| *to != "-");
            place = to.and_then(|to| within(to.to_owned()));
        }
    }
    found
}

fn by_program(program: &str, args: &[Word]) -> Vec<String> {
    let names = operands(args);
    let all = |names: &[&Word]| names.iter().filter_map(|word| word.path()).collect::<Vec<String>>();
    let has = |option: &str| args.iter().any(|word| word.text.starts_with(option));
    match (program, names.split_last()) {
        ("rm" | "rmdir" | "tee" | "truncate", _) => all(&names),
        // With the target named first, the last operand is a source.
        ("mv" | "cp" | "install" | "ln", _) if has("-t") || has("--target") => Vec::new(),
        ("mv", Some((last, sources))) => [all(sources), copied(sources, last)].concat(),
        ("cp" | "install" | "ln", Some((last, sources))) => copied(sources, last),
        ("sed", _) if args.iter().any(|word| edits_in_place(&word.text)) => {
            // Without an option for it, the first operand is the script.
            let scripted = ["-e", "-f", "--expression", "--file"].iter().any(|option| has(option));
            all(&names[usize::from(!scripted).min(names.len())..])
        }
        ("dd", _) => {
            let named = args.iter().filter_map(|word| word.plain()?.strip_prefix("of="));
            named.map(str::to_owned).collect()
        }
        ("git", _) if args.iter().take(1).any(|word| word.is("checkout") || word.is("restore")) => {
            let only_index = has("--staged") || has("-S");
            if only_index { Vec::new() } else { all(&names[1..]) }
        }
        (_, _) => Vec::new(),
    }
}

/// The target of a copy; where that is a folder, the files that the copy makes in it.
fn copied(sources: &[&Word], target: &Word) -> Vec<String> {
    let Some(target) = target.path().filter(|_| !sources.is_empty()) else { return Vec::new() };
    let base = |word: &&Word| word.plain()?.rsplit('/').find(|part| !part.is_empty()).map(str::to_owned);
    let inside =
        sources.iter().filter_map(base).map(|name| format!("{}/{name}", target.trim_end_matches('/')));
    let inside: Vec<String> = inside.collect();
    [target].into_iter().chain(inside).collect()
}

/// `--in-place`, or a cluster of options of `sed` with an `i` in it.
fn edits_in_place(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    word.starts_with("--in-place")
        || letters.trim_start_matches(['n', 'E', 'r', 's', 'u', 'z']).starts_with('i')
}

/// The words that are not options. A value of an option is taken for one as well, but it names no file of ours.
fn operands(args: &[Word]) -> Vec<&Word> {
    let end = args.iter().position(|word| word.is("--")).unwrap_or(args.len());
    let is_operand = |(at, word): &(usize, &Word)| *at > end || !word.text.starts_with('-') || word.is("-");
    args.iter().enumerate().filter(is_operand).map(|(_, word)| word).collect()
}

/// Leaves out what stands before the command proper: assignments, and words that run another command.
fn without_prefixes(words: &[Word]) -> &[Word] {
    const BEFORE: [&str; 14] = [
        "sudo", "command", "exec", "nohup", "time", "env", "if", "then", "else", "do", "while", "until", "!",
        "{",
    ];
    let assigns = |word: &Word| {
        let name = word.text.split_once('=').map(|(name, _)| name).unwrap_or_default();
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let count = words.iter().take_while(|word| assigns(word) || BEFORE.contains(&word.text.as_str())).count();
    &words[count..]
}

/// A command with the files it is redirected to.
#[derive(Default)]
struct Simple {
    words: Vec<Word>,
    writes: Vec<Word>,
}

/// A word without its quotes.
#[derive(Default)]
struct Word {
    text: String,
    /// The position from which a variable or a pattern decides what it becomes.
    unknown_at: Option<usize>,
}

impl Word {
    fn plain(&self) -> Option<&str> {
        self.unknown_at.is_none().then_some(self.text.as_str())
    }

    fn is(&self, text: &str) -> bool {
        self.text == text
    }

    fn is_number(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The path it names; where only its beginning is known, the part of the folder that is certain.
    fn path(&self) -> Option<String> {
        let (known, rest) = self.text.split_at(self.unknown_at.unwrap_or(self.text.len()));
        let end = if self.unknown_at.is_none() { known.len() } else { known.rfind('/')? + 1 };
        // The unknown rest could lead out again.
        (end > 0 && !rest.contains("..")).then(|| known[..end].to_owned())
    }

    fn push_unknown(&mut self, letter: char) {
        self.unknown_at.get_or_insert(self.text.len());
        self.text.push(letter);
    }
}

/// What the next word is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Argument,
    Write,
    Read,
    /// The end of a here-document, whose text begins with the next line.
    Body,
}

/// The commands up to the first thing that is not understood.
fn commands(text: &str) -> Vec<Simple> {
    let mut done = Vec::new();
    let (mut now, mut wanted, mut body_follows) = (Simple::default(), For::Argument, false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.peek().copied() {
        match letter {
            ' ' | '\t' | '\r' => drop(letters.next()),
            '#' => while letters.next_if(|letter| *letter != '\n').is_some() {},
            '\n' | ';' | '|' | '&' => {
                letters.next();
                if letter == '&' && letters.peek() == Some(&'>') {
                    continue;
                }
                done.push(core::mem::take(&mut now));
                wanted = For::Argument;
                if letter == '\n' && body_follows {
                    return done;
                }
            }
            '(' | ')' => return done,
            '<' | '>' => wanted = redirection(&mut letters),
            _ => {
                let Some(word) = word(&mut letters) else { return done };
                // `2>` has the number of a file and not its name, and so has `>&1`.
                if word.is_number() && matches!(letters.peek(), Some('<' | '>')) {
                    continue;
                }
                match wanted {
                    For::Argument => now.words.push(word),
                    For::Write if word.is_number() || word.is("-") => {}
                    For::Write => now.writes.push(word),
                    For::Read => {}
                    For::Body => body_follows = true,
                }
                wanted = For::Argument;
            }
        }
    }
    done.push(now);
    done
}

fn redirection(letters: &mut Peekable<Chars<'_>>) -> For {
    let reads = letters.next() == Some('<');
    let second = letters.next_if(|letter| "<>|&".contains(*letter));
    match (reads, second) {
        (true, Some('<')) if letters.next_if_eq(&'<').is_some() => For::Read,
        (true, Some('<')) => {
            letters.next_if_eq(&'-');
            For::Body
        }
        (true, Some('>')) | (false, _) => For::Write,
        (true, _) => For::Read,
    }
}

/// None where it holds a substitution, or a quote that is never closed.
fn word(letters: &mut Peekable<Chars<'_>>) -> Option<Word> {
    let mut word = Word::default();
    let mut quoted = false;
    while let Some(letter) = letters.next_if(|letter| quoted || !" \t\r\n;&|()<>".contains(*letter)) {
        match letter {
            '"' => quoted = !quoted,
            '\'' if !quoted => loop {
                match letters.next()? {
                    '\'' => break,
                    letter => word.text.push(letter),
                }
            },
            '\\' => match letters.next()? {
                '\n' => {}
                escaped if quoted && !"$`\"\\".contains(escaped) => word.text.extend(['\\', escaped]),
                escaped => word.text.push(escaped),
            },
            '`' => return None,
            '$' if matches!(letters.peek(), Some('(' | '\'')) => return None,
            '$' => word.push_unknown(letter),
            '*' | '?' | '[' | '{' | '~' if !quoted => word.push_unknown(letter),
            letter => word.text.push(letter),
        }
    }
    (!quoted).then_some(word)
}

#[cfg(test)]
mod tests;
