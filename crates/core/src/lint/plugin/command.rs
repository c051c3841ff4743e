//! Commands of hooks and servers: which files of the plugin they name, and which that are not in it.
//!
//! Reads a command as a shell would as far as words and quotes go, and runs nothing. What is put together while it runs
//! (variables, patterns) is left alone, and so are files that the command itself looks for first. Start at [`check`].

use super::path;
use super::tree::Node;
use super::{Found, Plugin};
use crate::lint::Rule;
use crate::prelude::*;

const ROOTS: [&str; 2] = ["${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT"];

/// Where every system has its programs and devices.
const SYSTEM: [&str; 6] = ["/bin/", "/usr/", "/dev/", "/tmp/", "/proc/", "/sys/"];

/// A word of a command without its quotes.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    text: String,
    /// Whether it is what is started.
    started: bool,
    /// Whether it is the script of an interpreter that is started.
    script: bool,
}

/// Programs whose first argument is a file to run.
const INTERPRETERS: [&str; 11] =
    ["bash", "sh", "zsh", "node", "bun", "deno", "python", "python3", "ruby", "perl", "pwsh"];

/// A command line, or a program with its arguments where those are told one by one.
pub(super) fn check<'a>(
    place: &'a str,
    line: usize,
    command: &str,
    args: Option<&[Node]>,
    plugin: &Plugin,
    found: &mut Found<'a>,
) {
    let words = match args {
        None => words(command),
        Some(args) => {
            let mut words = vec![Word { text: command.to_owned(), started: true, script: false }];
            for text in args.iter().filter_map(Node::text) {
                let script = is_script(words.last());
                words.push(Word { text: text.to_owned(), started: false, script });
            }
            words
        }
    };
    let looks = words.iter().any(|word| matches!(word.text.as_str(), "[" | "[[" | "test" | "if"));
    for word in &words {
        for named in below_root(&word.text) {
            match path::resolve("", named) {
                None => outside(place, line, named, found),
                Some(path) if !looks => check_file(place, line, &path, word.started, plugin, found),
                Some(_) => {}
            }
        }
        if leads_out(word, plugin) {
            outside(place, line, &word.text, found);
        }
    }
}

fn outside<'a>(place: &'a str, line: usize, named: &str, found: &mut Found<'a>) {
    let message = format!("`{named}` is not found from the plugin, wherever that is installed");
    let hint = "put the file into the plugin and name it ${CLAUDE_PLUGIN_ROOT}/…; of the project, ${CLAUDE_PROJECT_DIR}/…";
    found.add(place, Rule::PluginOutside, line, message, hint);
}

fn check_file<'a>(
    place: &'a str,
    line: usize,
    path: &str,
    started: bool,
    plugin: &Plugin,
    found: &mut Found<'a>,
) {
    if plugin.has(path) == Some(false) {
        let message = format!("`{path}` is named here and is not in the plugin");
        found.add(place, Rule::PluginMissingFile, line, message, "write the file, or correct its name");
    } else if started && plugin.files.get(path).is_some_and(|file| file.executable == Some(false)) {
        let message = format!("`{path}` is started here and cannot be executed");
        let hint = format!("chmod +x {path}, or start it with its interpreter");
        found.add(place, Rule::PluginMissingFile, line, message, &hint);
    }
}

/// The paths that a word, or a command inside a word, has below the plugin's own folder.
fn below_root(word: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for root in ROOTS {
        let mut rest = word;
        while let Some(at) = rest.find(root) {
            rest = &rest[at + root.len()..];
            let tail = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
            let Some(tail) = tail.strip_prefix('/') else { continue };
            let end =
                tail.find(|c: char| c.is_whitespace() || "\"';|&()<>`,".contains(c)).unwrap_or(tail.len());
            let path = tail[..end].trim_end_matches('/');
            if !path.is_empty() && !path.contains(['$', '*', '?', '[', '{', '%', ':']) {
                found.push(path);
            }
        }
    }
    found
}

/// Whether a word is a path that means something else wherever the plugin is installed or a session is begun.
fn leads_out(word: &Word, plugin: &Plugin) -> bool {
    let text = word.text.as_str();
    let is_path = |c: char| c.is_alphanumeric() || "_./~@+-".contains(c);
    if !text.contains('/') || !text.chars().all(is_path) || text.contains("//") {
        return false;
    }
    if text.starts_with('/') {
        let deep = text.matches('/').count() > 1;
        return deep && !SYSTEM.iter().any(|system| text.starts_with(system));
    }
    let own = path::resolve("", text).is_some_and(|path| plugin.files.contains_key(&path));
    let runs = word.started || word.script;
    text.starts_with("~/") || (runs && (own || text.starts_with("../") || text.starts_with("./")))
}

/// The words of a command line.
fn words(command: &str) -> Vec<Word> {
    const OPERATORS: &str = ";&|()\n";
    const BEFORE: [&str; 10] = ["then", "do", "else", "{", "!", "exec", "env", "sudo", "time", "nohup"];
    let mut found: Vec<Word> = Vec::new();
    let mut current: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut begins = true;
    let mut chars = command.chars();
    let mut end = |current: &mut Option<String>, begins: &mut bool| {
        let Some(text) = current.take() else { return };
        let is_set = text.split_once('=').is_some_and(|(name, _)| is_name(name));
        let started = *begins && !is_set;
        *begins = *begins && (is_set || BEFORE.contains(&text.as_str()));
        let script = is_script(found.last());
        found.push(Word { text, started, script: script && !started });
    };
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (Some('"') | None, '\\') => current.get_or_insert_default().extend(chars.next()),
            (Some(_), c) => current.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                current.get_or_insert_default();
            }
            (None, c) if OPERATORS.contains(c) => {
                end(&mut current, &mut begins);
                begins = true;
            }
            (None, '<' | '>') => end(&mut current, &mut begins),
            (None, c) if c.is_whitespace() => end(&mut current, &mut begins),
            (None, c) => current.get_or_insert_default().push(c),
        }
    }
    end(&mut current, &mut begins);
    found
}

fn is_script(before: Option<&Word>) -> bool {
    before.is_some_and(|before| before.started && INTERPRETERS.contains(&before.text.as_str()))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_in_words_and_what_is_started_is_known() {
        let read = |command: &str| -> Vec<String> {
            let show = |word: Word| if word.started { format!("!{}", word.text) } else { word.text };
            words(command).into_iter().map(show).collect()
        };
        assert_eq!(read("A=1 \"${X}\"/run.sh 'a b' c\\ d"), ["A=1", "!${X}/run.sh", "a b", "c d"]);
        assert_eq!(read("cd x && ./y | z > out"), ["!cd", "x", "!./y", "!z", "out"]);
        assert_eq!(read("exec node a.js"), ["!exec", "!node", "a.js"]);
        assert_eq!(read("  "), Vec::<String>::new());
    }

    #[test]
    fn paths_below_the_plugin_are_found_inside_words_too() {
        assert_eq!(below_root("${CLAUDE_PLUGIN_ROOT}/a/b.sh"), ["a/b.sh"]);
        assert_eq!(below_root("bash $CLAUDE_PLUGIN_ROOT/x.sh; ${CLAUDE_PLUGIN_ROOT}/y"), ["y", "x.sh"]);
        assert_eq!(below_root("\"${CLAUDE_PLUGIN_ROOT}\"/a.mjs"), ["a.mjs"]);
        assert!(below_root("${CLAUDE_PLUGIN_ROOT}/$NAME.sh ${CLAUDE_PLUGIN_ROOT}").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_command_is_read(command in "[a-c$/{}\"'\\\\;&| =.~]{0,60}") {
            for word in words(&command) {
                let _ = below_root(&word.text);
            }
        }
    }
}
