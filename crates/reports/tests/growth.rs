//! Reading a document twice as long takes about twice the time, whatever it is made of.
//!
//! A document that repeats one token exposes every search that starts over at each of them. The time is this thread's
//! processor time, so that other work on the machine does not count. Anything quadratic takes four times as long and
//! fails.

use redraft_documents::adopt::{self, Folder, FolderFile, Layout};
use redraft_documents::bank::{self, Bank};
use redraft_documents::context::{self, Artifacts};
use redraft_documents::lint::{self, Documents, LintSettings};
use redraft_documents::sections::Outline;
use redraft_documents::trace::{self, Targets};
use redraft_documents::{answer, report};
use redraft_documents::{project_context, tasks};
use redraft_facts::harmless;
use redraft_facts::ids::Role;
use redraft_facts::redact::Redactor;
use redraft_reports::retro;
use redraft_roles::profile::RoleText;
use std::time::{Duration, Instant};

/// The nanoseconds this thread has had a processor.
fn spent() -> u128 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let first = told.and_then(|told| told.split(' ').next().and_then(|number| number.parse().ok()));
    // On other systems the clock has to do.
    first.unwrap_or_else(|| BEGUN.with(|begun| begun.elapsed().as_nanos()))
}

thread_local! {
    static BEGUN: Instant = Instant::now();
}

/// The time of one reading, averaged over as many as the kernel's count needs to be exact.
fn cost(read: fn(&str), text: &str) -> u128 {
    const EXACT_NS: u128 = 60_000_000;
    let (before, mut times) = (spent(), 0);
    loop {
        read(text);
        times += 1;
        let taken = spent() - before;
        if taken >= EXACT_NS || times >= 1_000 {
            return taken / times;
        }
    }
}

/// What is read, and what reads it.
type Reader = (&'static str, fn(&str));

const READERS: [Reader; 17] = [
    ("lint of a specification", |text| lint_of("spec.md", text)),
    ("lint of a plan", |text| lint_of("plan.md", text)),
    ("lint of a list of tasks", |text| lint_of("tasks.md", text)),
    ("the files a document names", |text| {
        lint::named_files(&Documents::of_one("spec.md", text.to_owned()));
    }),
    ("tasks", |text| {
        let _ = tasks::read(text);
    }),
    ("sections", |text| {
        let outline = Outline::parse(text);
        outline.touched(&[1..=1]);
    }),
    ("where ids are defined", |text| {
        Targets::find(text).resolve("FR-1");
    }),
    ("references", |text| {
        trace::references("Implements", text);
        trace::mentions(text);
        trace::in_title(text);
    }),
    ("the context of a task", |text| {
        let list = format!("## Task 1: a\n\nImplements: FR-1, spec §2\n\n{text}\n\n## Task 2: b\n");
        let Ok(list) = tasks::read(&list) else { return };
        let artifacts = Artifacts { prd: Some(text), spec: Some(text), design: Some(text), plan: Some(text) };
        for task in &list.tasks {
            context::select(task, &artifacts);
        }
    }),
    ("the knowledge bank", |text| {
        Bank::read(&bank::BankFile::ALL.map(|kind| (kind, text.to_owned())));
    }),
    ("a folder of others", |text| {
        let file = |name: &str| FolderFile { name: name.to_owned(), content: Ok(text.to_owned()) };
        let files = ["spec.md", "tasks.md", "notes.md"].map(file).into();
        adopt::understand(&Folder { path: "specs/001-x".to_owned(), layout: Layout::Feature, files });
    }),
    ("a role's text", |text| {
        let _ = RoleText::parse(text, &Role::new("spec-reviewer"));
    }),
    ("an answer", |text| {
        answer::parse(text.as_bytes());
        report::read(text.as_bytes(), false);
    }),
    ("a retrospective", |text| {
        let _ = retro::RetroAnswer::read(text);
    }),
    ("a roadmap", |text| {
        project_context::milestones(text);
        project_context::goals(text);
    }),
    ("redaction", |text| {
        Redactor::new(vec!["some-known-value".to_owned()]).redact(text);
    }),
    ("showing", |text| {
        harmless::text(text);
        harmless::name(text);
    }),
];

fn lint_of(name: &str, text: &str) {
    lint::check(&Documents::of_one(name, text.to_owned()), &LintSettings::default());
}

const TOKENS: [&str; 46] = [
    "[",
    "](",
    "[a](",
    "![",
    "[^",
    "[a](#",
    "[a](b.md#c",
    "<",
    "<!--",
    "<a ",
    "`",
    "``` ",
    "`a",
    "*",
    "**",
    "**a",
    "_",
    "__",
    "|",
    "| a ",
    "#",
    "# ",
    "## a ",
    "- [ ] ",
    "- [ ]",
    "1.",
    "1. ",
    "1.1 ",
    "> ",
    ">",
    "\t",
    "  ",
    "&",
    "&lt;",
    "\\",
    "§",
    "§1",
    "Section 1 of ",
    "TODO ",
    "???",
    "{{",
    "FR-1",
    "FR-1 ",
    "depends on ",
    "(",
    "\"",
];

const BYTES: usize = 8 << 10;
/// Shorter times are ignored: at this length, quadratic time would take longer.
const NOTICED: Duration = Duration::from_millis(20);

#[test]
fn twice_the_length_takes_about_twice_the_time() {
    let mut slow = Vec::new();
    for (what, read) in READERS {
        for token in TOKENS {
            for (form, end) in [("in one line", ""), ("a line each", "\n")] {
                let piece = format!("{token}{end}");
                let text = |bytes: usize| {
                    format!("# Title\n\nFR-1: depends on 99\n\n{}", piece.repeat(bytes / piece.len()))
                };
                let (short, long) = (text(BYTES), text(2 * BYTES));
                let began = Instant::now();
                read(&long);
                if began.elapsed() < NOTICED {
                    continue;
                }
                // The kernel counts in ticks, so a ratio that is too high is measured again before it counts.
                let measured = (0..3).map(|_| (cost(read, &short), cost(read, &long)));
                let mut measured = measured.map(|(less, more)| (more > less * 3, less, more));
                let (too_much, less, more) = measured
                    .find(|(too_much, ..)| !too_much)
                    .unwrap_or_else(|| (true, cost(read, &short), cost(read, &long)));
                if too_much {
                    slow.push(format!("{what}: {token:?} {form}: {} and {} µs", less / 1_000, more / 1_000));
                }
            }
        }
    }
    assert!(slow.is_empty(), "more than three times as long:\n{}", slow.join("\n"));
}
