//! Generates `docs/prompts.md`, which says what each prompt is made of, and `docs/whole-prompts.md`, which shows some,
//! from the prompts themselves.

use super::cases::{self, Sent};
use redraft_facts::fragment::{Prompt, Stability};
use redraft_facts::prelude::*;
use redraft_facts::text;

const TABLES: &str = "\
# How a prompt is put together

<!-- Generated. To write it anew: REDRAFT_BLESS=1 cargo test -p redraft-prompts prompt::tests::pages -->

A prompt is a list of named fragments. Each has a stability, and they are sent in this order:

1. `constant`: the same for every role of every feature
2. `feature`: the same for every role of one feature and phase
3. `role`: the same for every dispatch of one role in one phase
4. `turn`: of this dispatch only

A cache boundary stands after each of the first three, so what is the same is sent first and paid for once. The \
functions that make the first three are given no round, date or count, so a prompt of round 5 begins with the same \
bytes as one of round 1. Four strategies differ in what they send:

- `lazy`: a fresh conversation; upstream files are named as paths (`required-artifacts`), so the `feature` part is empty; so is a document under review of more than 6,000 bytes, and whoever goes on with a review is given only what changed, and opens the rest where it needs it
- `inline`: a fresh conversation; upstream files stand in the prompt, those that all roles share in the `feature` part
- `digest`: a fresh conversation; the changes, the open findings and the sections they touch, for a reviewer in a later round
- `resume`: the same conversation; the turn only, because it has the rest

Whatever was written by somebody else (artifacts, diffs, summaries, the idea, the output of gates) stands in a fence \
that is longer than any run of backticks inside it, or, in the list of findings, on one line. It can neither end its \
fence nor look like a heading.

The rules for findings (`reviewer-rules`) stand in the role part of reviewers and not in the constant one: an author has \
no use for them, and a constant part of its own would cost it the files it shares with the reviewers of an inline phase. \
They say the rule of approval that is configured (`threshold`).

Code has rules of its own (`code-rules` and `reviewer-rules`), the same for every role of the phase `implement`. There the \
`feature` part of an inline prompt ends, for reviewers, with the change itself (`given-change`): it is the largest part, the \
same for the three reviewers of a round, and asked about by all of them at once, so the first pays for it and the others \
read it from the cache. It is another one after every fix. A diff of more than 200,000 characters is not shown; its files \
are listed, and their reader is told to open them. Whoever carries out tasks is sent what all tasks share first; the task, \
and what of design and plan concerns it, is the turn. Two roles have two texts: the implementer for a task and for a fix, \
the test-deepener for the outline, which is made without any code, and for the tests.

Some roles differ on purpose. A first review by the plan- or task-reviewer has no `iteration`; its later ones have, because \
that is where it stands that an earlier conversation is gone. An author is never told the round: it is told what is open. \
All roles that write or review answer in one form, since another one would be another prefix to a cache.

Who looks back on a finished feature (`retro-facilitator`) is sent everything in the prompt (`bundle`), in a conversation of \
its own for each of its two questions, and answers in a form of its own. What the bundle holds is told in \
[the retrospective](retrospective.md).

Which strategy a dispatch is sent with is decided elsewhere (`policy::choose`); this page shows what each gives. \
`redraft show prompt --example ROLE` prints any of them, with `--phase`, `--purpose` and `--strategy`, in any folder. \
Some whole ones are in [whole prompts](whole-prompts.md).
";

const WHOLE: &str = "\
# Whole prompts

<!-- Generated. To write it anew: REDRAFT_BLESS=1 cargo test -p redraft-prompts prompt::tests::pages -->

Some prompts of a made-up feature, as an agent is sent them; each shows another kind of dispatch. Before each fragment stand \
its stability and its name, which are not sent. A fragment that an earlier prompt of this page has too, byte for byte, is only \
named. How prompts are put together is told in [how a prompt is put together](prompts.md); \
`redraft show prompt --example ROLE` prints others.
";

/// The prompts that are shown whole: each kind of work, and each strategy.
const SHOWN: [&str; 8] = [
    "spec-author: draft",
    "spec-reviewer: review",
    "spec-reviewer: review, resumed",
    "design phase-reviewer: review, digest",
    "implementer: task",
    "security-reviewer: review, inline",
    "implementer: fix, resumed after changes by others",
    "retro-facilitator: retro",
];

#[test]
fn the_page_about_prompts_is_generated_from_the_prompts() {
    is_written("prompts.md", &tables(&cases::sent()));
}

#[test]
fn the_page_of_whole_prompts_is_generated_from_the_prompts() {
    is_written("whole-prompts.md", &whole(&cases::sent()));
}

fn is_written(name: &str, wanted: &str) {
    let page = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("REDRAFT_BLESS").is_some() {
        std::fs::write(&page, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&page).unwrap_or_default();
    assert!(found == wanted, "docs/{name} is out of date; run this test once with REDRAFT_BLESS=1");
}

fn tables(sent: &[Sent]) -> String {
    let mut page = TABLES.to_owned();
    let mut of_now = None;
    for Sent { phase, role, name, prompt } in sent {
        if of_now != Some((phase, role)) {
            of_now = Some((phase, role));
            page.push_str(&format!("\n## {phase}: {role}\n\n| dispatch | fragments |\n|---|---|\n"));
        }
        page.push_str(&format!("| {name} | {} |\n", fragments(prompt)));
    }
    page
}

/// `constant` house-rules · `turn` idea, task
fn fragments(prompt: &Prompt) -> String {
    let parts: Vec<String> = (Stability::ALL.into_iter())
        .filter_map(|stability| {
            let names: Vec<&str> =
                prompt.fragments().filter(|(of, _)| *of == stability).map(|(_, f)| f.name.as_str()).collect();
            (!names.is_empty()).then(|| format!("`{}` {}", stability.name(), names.join(", ")))
        })
        .collect();
    parts.join(" · ")
}

fn whole(sent: &[Sent]) -> String {
    let mut page = WHOLE.to_owned();
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for label in SHOWN {
        let case =
            sent.iter().find(|case| case.label() == label).unwrap_or_else(|| panic!("no case `{label}`"));
        page.push_str(&format!("\n## {label}\n"));
        for (stability, fragment) in case.prompt.fragments() {
            let of = format!("`{}` {}", stability.name(), fragment.name);
            match known.get(fragment.text.as_str()) {
                Some(first) => page.push_str(&format!("\n{of}: as in {first}\n")),
                None => page.push_str(&format!("\n{of}:\n\n{}", text::fenced("markdown", &fragment.text))),
            }
            known.entry(&fragment.text).or_insert(label);
        }
    }
    page
}
