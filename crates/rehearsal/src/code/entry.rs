//! Writes the entry point of a program in shell: one function that has each existing part do its work.
//!
//! Pure text. Start at [`start`]; it is rewritten when a part is added.

use super::source;

/// The parts a program may have, by what their functions are called and what they take.
const VERBS: [(&str, &str); 7] = [
    ("check", "REQUEST PERSON"),
    ("hold", "THING PERSON"),
    ("within", "LIMIT STATE NEW WORK…"),
    ("send", "PERSON MESSAGE"),
    ("record", "PERSON RESULT"),
    ("in_time", "ASKED NOW"),
    ("answer", "ADDRESS ACCOUNTS SEND…"),
];

/// Which parts there are.
pub(super) struct Parts<'a> {
    thing: &'a str,
    there: Vec<&'static str>,
}

impl<'a> Parts<'a> {
    /// The parts whose functions are in one of the texts and take what is handed to them.
    pub(super) fn new(thing: &'a str, texts: &[&str]) -> Self {
        let known = |(verb, takes): &(&str, &str)| {
            let name = format!("{verb}_{thing}");
            let usage = format!("# {name} {takes}:");
            let says = |text: &&str| text.lines().any(|line| line.starts_with(&usage));
            texts.iter().any(|text| source::has(text, &name) && says(text))
        };
        Parts { thing, there: VERBS.into_iter().filter(known).map(|(verb, _)| verb).collect() }
    }

    fn has(&self, verb: &str) -> bool {
        self.there.contains(&verb)
    }
}

/// What the function is called.
pub(super) fn name(thing: &str) -> String {
    format!("start_{thing}")
}

/// The function, with the comment above it.
pub(super) fn start(parts: &Parts<'_>) -> String {
    let thing = parts.thing;
    let mut body: Vec<String> = Vec::new();
    let mut say = |line: String| body.push(format!("  {line}\n"));
    match parts.has("check") {
        true => {
            say(format!("check_{thing} \"$1\" \"$2\" || exit 1"));
            say("thing=$STORE/$(sed -n 's/^thing: //p' \"$1\")".to_owned());
        }
        false => say(format!("thing=$STORE/{thing}")),
    }
    if parts.has("hold") {
        say(format!("hold_{thing} \"$thing\" \"$2\" || exit 1"));
        say(format!("trap 'release_{thing} \"$thing\"' EXIT"));
    }
    if parts.has("in_time") {
        say("began=$(date +%s)".to_owned());
    }
    say("result=done".to_owned());
    say(match parts.has("within") {
        true => format!(
            "within_{thing} \"$limit_seconds\" \"$thing\" \"$thing.new\" \"$WORK\" \"$1\" || result=refused"
        ),
        false => "{ \"$WORK\" \"$1\" >\"$thing.new\" && mv \"$thing.new\" \"$thing\"; } || result=refused"
            .to_owned(),
    });
    match (parts.has("send"), parts.has("answer")) {
        (true, true) => {
            say("deliver() {".to_owned());
            say(format!("  send_{thing} \"$1\" \"$(cat \"$thing\")\""));
            say("}".to_owned());
            say(format!("[ \"$result\" = refused ] || answer_{thing} \"$2\" \"$ACCOUNTS\" deliver"));
        }
        (true, false) => {
            say(format!(
                "[ \"$result\" = refused ] || send_{thing} \"$2\" \"$(cat \"$thing\")\" || result=unsent"
            ));
        }
        (false, _) => say("[ \"$result\" = refused ] || cat \"$thing\"".to_owned()),
    }
    if parts.has("in_time") {
        say(format!("in_time_{thing} \"$began\" \"$(date +%s)\" || result=late"));
    }
    if parts.has("record") {
        say(format!("record_{thing} \"$2\" \"$result\" || exit 1"));
    }
    say("[ \"$result\" = done ]".to_owned());
    format!("{}{}() (\n{})\n", COMMENT.replace("{{name}}", &name(thing)), name(thing), body.concat())
}

const COMMENT: &str = "\
# {{name}} REQUEST PERSON: has each part do its work. STORE is the folder of all things, WORK the program that does what
# is asked for.
";

/// A request that passes all parts.
pub(super) fn course(parts: &Parts<'_>) -> String {
    let thing = parts.thing;
    let mut shown = format!("[ \"$(cat \"$place/{thing}\")\" = after ]");
    let more = [
        ("send", "[ \"$(cat \"$place/sent\")\" = after ]".to_owned()),
        ("record", "[ \"$(cut -f 2,3 \"$RECORD\")\" = \"ann\tdone\" ]".to_owned()),
        ("hold", format!("[ ! -e \"$place/{thing}.turn\" ]")),
    ];
    for (_, line) in more.iter().filter(|(verb, _)| parts.has(verb)) {
        shown.push_str(&format!(" &&\n    {line}"));
    }
    format!(
        "course_of_a_request() {{\n  STORE=$place\n  RECORD=$place/record\n  ACCOUNTS=$place/accounts\n  MAILER=keep\n  \
         WORK=work\n  work() {{\n    echo after\n  }}\n  keep() {{\n    cat >\"$place/sent\"\n  }}\n  \
         echo ann >\"$ACCOUNTS\"\n  echo \"thing: {thing}\" >\"$place/request\"\n  \
         {} \"$place/request\" ann >/dev/null || return 1\n  {shown}\n}}\ncheck course_of_a_request\n",
        name(thing)
    )
}
