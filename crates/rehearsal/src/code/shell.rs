//! Programs and tests in POSIX shell: the text for each kind of work, with its names and numbers filled in.
//!
//! The texts are files next to this one, so that they can be read and tried as programs. Start at [`code`] and
//! [`test()`].

use super::class::Class;

/// What is filled into a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Slots {
    /// The function that does the work.
    pub(super) call: String,
    /// What the feature is about, as part of a name.
    pub(super) thing: String,
    pub(super) test: String,
    pub(super) cause: String,
    pub(super) seconds: u64,
}

macro_rules! texts {
    ($name:literal) => {
        (include_str!(concat!("shell/", $name, ".sh")), include_str!(concat!("shell/", $name, ".test.sh")))
    };
}

/// The functions that do it.
pub(super) fn code(class: Class, slots: &Slots) -> String {
    filled(texts(class).0, slots)
}

/// A test that fails without them.
pub(super) fn test(class: Class, slots: &Slots) -> String {
    filled(texts(class).1, slots)
}

/// A measurement of how long writing takes.
pub(super) fn trial(slots: &Slots) -> String {
    filled(include_str!("shell/trial.test.sh"), slots)
}

/// What is tested beyond the task's own test; none where that test already shows everything.
pub(super) fn deeper(class: Class, slots: &Slots) -> Option<String> {
    let text = match class {
        Class::Turns => include_str!("shell/turns.deep.sh"),
        Class::Limit => include_str!("shell/limit.deep.sh"),
        Class::Input => include_str!("shell/input.deep.sh"),
        Class::Secrecy => include_str!("shell/secrecy.deep.sh"),
        Class::Promise => include_str!("shell/promise.deep.sh"),
        Class::Record => include_str!("shell/record.deep.sh"),
        Class::Delivery => include_str!("shell/delivery.deep.sh"),
        Class::Expired | Class::Failure | Class::View | Class::Operation => return None,
    };
    Some(filled(text, slots))
}

/// A test that a constant has the value of the documents.
pub(super) fn constant_test(name: &str, constant: &str, value: &str) -> String {
    format!("{name}() {{\n  [ \"${constant}\" -eq {value} ]\n}}\ncheck {name}\n")
}

/// The beginning of a file of tests at `path`, which loads `sources`.
pub(super) fn test_head(path: &str, sources: &[String]) -> String {
    let up = path.matches('/').map(|_| "..").collect::<Vec<_>>().join("/");
    let up = if up.is_empty() { ".".to_owned() } else { up };
    let load: String = sources.iter().map(|source| format!(". ./{source}\n")).collect();
    let load = if load.is_empty() { load } else { format!("{load}\n") };
    let tested =
        if sources.is_empty() { "what is expected of the machine".to_owned() } else { sources.join(", ") };
    let head = include_str!("shell/head.test.sh").replace("{{up}}", &up).replace("{{load}}", &load);
    head.replace("# Tests of {{tested}}.\n", &comment(&format!("Tests of {tested}.")))
}

/// The beginning of a program.
pub(super) fn head(about: &str) -> String {
    format!("#!/bin/sh\n# {about}\n")
}

/// A program that loads these others, in the first lines after its head.
pub(super) fn loading(program: &str, others: &[String]) -> String {
    let is_load = |line: &str| line.starts_with(". ./");
    let wanted = others.iter().map(|path| format!(". ./{path}\n"));
    let missing: String = wanted.filter(|line| !program.lines().any(|one| one == line.trim_end())).collect();
    if missing.is_empty() {
        return program.to_owned();
    }
    let last = program.lines().collect::<Vec<_>>().into_iter().rposition(is_load);
    let head = program.lines().take_while(|line| line.starts_with('#')).count();
    let (at, missing) = match last {
        Some(last) => (last + 1, missing),
        None => (head, format!("\n{missing}")),
    };
    super::source::exchanged(program, at..at, &missing)
}

/// A sentence as a comment, in lines that fit.
pub(super) fn comment(text: &str) -> String {
    const CHARS_MAX: usize = 110;
    let mut out = String::from("#");
    let mut width = 1;
    for word in text.split_whitespace() {
        let chars = word.chars().count() + 1;
        if width + chars > CHARS_MAX && width > 1 {
            out.push_str("\n#");
            width = 1;
        }
        out.push(' ');
        out.push_str(word);
        width += chars;
    }
    out.push('\n');
    out
}

fn texts(class: Class) -> (&'static str, &'static str) {
    match class {
        Class::Turns => texts!("turns"),
        Class::Expired => texts!("expired"),
        Class::Limit => texts!("limit"),
        Class::Failure => texts!("failure"),
        Class::Input => texts!("input"),
        Class::Secrecy => texts!("secrecy"),
        Class::Promise => texts!("promise"),
        Class::Record => texts!("record"),
        Class::Delivery => texts!("delivery"),
        Class::View => texts!("view"),
        Class::Operation => texts!("operation"),
    }
}

fn filled(text: &str, slots: &Slots) -> String {
    let Slots { call, thing, test, cause, seconds } = slots;
    let pairs = [("{{call}}", call), ("{{thing}}", thing), ("{{test}}", test), ("{{cause}}", cause)];
    let named = pairs.iter().fold(text.to_owned(), |text, (slot, value)| text.replace(slot, value));
    rewrapped(&named.replace("{{seconds}}", &seconds.to_string()))
}

/// The text with its comment lines wrapped again, now that names are filled in.
fn rewrapped(text: &str) -> String {
    let mut out = String::new();
    let mut said: Vec<&str> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(words) => said.push(words),
            None => {
                if !said.is_empty() {
                    out.push_str(&comment(&said.join(" ")));
                    said.clear();
                }
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}
