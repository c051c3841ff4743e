//! Checks that every prompt is as somebody last reviewed it.
//!
//! A fragment that many prompts have is kept once, in the snapshot of its name, under the first case that has it
//! (`snapshots/fragments`, in the form described in `once`). Which case has which fragments, in which order and with
//! which stability, is one table (`snapshots/cases`). Whole prompts are in `docs/whole-prompts.md`.

use super::cases::{self, Sent};
use super::once::{Page, read};
use insta::Settings;
use redraft_facts::fragment::{Fragment, Prompt, Stability};
use redraft_facts::prelude::*;

/// Fragments that are made of the same sentences share a snapshot, so that a changed sentence changes one.
const GROUPS: [(&str, &[&str]); 3] = [
    ("instructions", &["task", "resume-note", "digest-note", "open-findings", "return", "return-short"]),
    ("artifacts", &["required-artifacts", "artifacts-at-hand", "given-artifacts"]),
    ("change", &["given-change", "implementation-files", "around-findings"]),
];

/// The snapshot that holds a fragment, and what the fragment is called in it.
fn place(name: &str, label: &str) -> (String, String) {
    match GROUPS.into_iter().find(|(_, names)| names.contains(&name)) {
        Some((group, _)) => (group.to_owned(), format!("{name}, {label}")),
        None => (name.to_owned(), label.to_owned()),
    }
}

/// What is kept of prompts.
struct Record {
    /// Which case has which fragments.
    table: String,
    /// The texts of the fragments, by snapshot.
    fragments: BTreeMap<String, String>,
}

/// Two lists of prompts that differ in anything have records that differ.
fn record(sent: &[Sent]) -> Record {
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    let mut homes: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let mut stable_parts: BTreeMap<Vec<(Stability, &str, &str)>, String> = BTreeMap::new();
    let mut table = String::new();
    for case in sent {
        let label = case.label();
        table.push_str(&format!("==== {label}\n"));
        let (mut stable, mut turn, mut texts) = (String::new(), String::new(), Vec::new());
        for (stability, Fragment { name, text }) in case.prompt.fragments() {
            let home = homes.entry((name, text)).or_insert_with(|| {
                let (page, of) = place(name, &label);
                pages.entry(page).or_default().add(&of, text);
                label.clone()
            });
            let place = if *home == label { "here" } else { home };
            let row = format!("{:<8} {name:<21} {place}\n", stability.name());
            if stability == Stability::Turn {
                turn.push_str(&row);
            } else {
                stable.push_str(&row);
                texts.push((stability, name.as_str(), text.as_str()));
            }
        }
        match stable_parts.get(&texts) {
            Some(first) => table.push_str(&format!("stable part of {first}\n")),
            None => table.push_str(&stable),
        }
        if !texts.is_empty() {
            stable_parts.entry(texts).or_insert(label);
        }
        table.push_str(&turn);
    }
    let fragments = pages.into_iter().map(|(name, page)| (name, page.written())).collect();
    Record { table, fragments }
}

fn settings(folder: &str) -> Settings {
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path(folder);
    settings
}

#[test]
fn every_prompt_is_as_last_reviewed() {
    let Record { table, fragments } = record(&cases::sent());
    settings("../snapshots").bind(|| insta::assert_snapshot!("cases", table));
    for (name, text) in &fragments {
        settings("../snapshots/fragments").bind(|| insta::assert_snapshot!(name.as_str(), text));
    }
    // A fragment that is gone takes its snapshot along.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/prompt/snapshots/fragments");
    let kept: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|file| Some(file.strip_suffix(".snap")?.to_owned()))
        .collect();
    assert_eq!(kept, fragments.into_keys().collect(), "the snapshots there are, and those that are needed");
}

#[test]
fn every_fragment_can_be_read_back_from_its_record() {
    let sent = cases::sent();
    let record = record(&sent);
    let kept: BTreeMap<&str, BTreeMap<String, String>> =
        record.fragments.iter().map(|(name, page)| (name.as_str(), read(page))).collect();
    let mut rows = record.table.lines();
    let mut compared = 0;
    for case in &sent {
        let label = case.label();
        assert_eq!(rows.next(), Some(format!("==== {label}").as_str()));
        let mut fragments = case.prompt.fragments().peekable();
        while let Some((stability, fragment)) = fragments.next() {
            let row = rows.next().unwrap();
            if let Some(first) = row.strip_prefix("stable part of ") {
                let first = sent.iter().find(|case| case.label() == first).unwrap();
                assert_eq!(super::stable(&first.prompt), super::stable(&case.prompt), "{label}");
                while fragments.next_if(|(stability, _)| *stability != Stability::Turn).is_some() {}
                continue;
            }
            let (name, home) = row[9..].split_once(' ').unwrap();
            let home = if home.trim() == "here" { &label } else { home.trim() };
            assert_eq!((row[..8].trim(), name), (stability.name(), fragment.name.as_str()), "{label}");
            let (page, of) = place(name, home);
            assert_eq!(kept[page.as_str()][&of], fragment.text, "{label}: {name}");
            compared += 1;
        }
    }
    assert!(rows.next().is_none() && compared > 500, "{compared}");
}

/// Every mistake that a change to the prompts could make shows in the record: for each fragment of some prompts.
#[test]
fn a_fragment_that_is_missing_or_twice_or_elsewhere_or_different_shows_in_the_record() {
    type Mistake = fn(&mut Vec<(Stability, Fragment)>, usize);
    const MISTAKES: [(&str, Mistake); 6] = [
        ("missing", |all, at| drop(all.remove(at))),
        ("twice", |all, at| all.insert(at, all[at].clone())),
        ("in the place of another", |all, at| {
            let other = (at + 1) % all.len();
            let moved = all[at].1.clone();
            all[at].1 = core::mem::replace(&mut all[other].1, moved);
        }),
        ("less stable", |all, at| {
            all[at].0 = if all[at].0 == Stability::Turn { Stability::Role } else { Stability::Turn };
        }),
        ("under another name", |all, at| all[at].1.name.push_str("-x")),
        ("different in a word", |all, at| all[at].1.text.insert_str(0, "Never ")),
    ];
    let wanted = ["spec-reviewer: review", "spec-reviewer: review, resumed", "implementer: task, inline"];
    let mut sent = cases::sent();
    sent.retain(|case| wanted.contains(&case.label().as_str()));
    assert_eq!(sent.len(), wanted.len());
    let right = record(&sent);
    for at in 0..sent.len() {
        let fragments: Vec<(Stability, Fragment)> =
            sent[at].prompt.fragments().map(|(stability, fragment)| (stability, fragment.clone())).collect();
        for (what, mistake) in MISTAKES {
            for of in 0..fragments.len() {
                let mut wrong = fragments.clone();
                mistake(&mut wrong, of);
                let only = |wanted: Stability| {
                    wrong.iter().filter(|(one, _)| *one == wanted).map(|(_, one)| one.clone()).collect()
                };
                let prompt = Prompt {
                    constant: only(Stability::Constant),
                    feature: only(Stability::Feature),
                    role: only(Stability::Role),
                    turn: only(Stability::Turn),
                };
                let mut sent = sent.clone();
                sent[at].prompt = prompt;
                let wrong = record(&sent);
                let shown = (&wrong.table, &wrong.fragments) != (&right.table, &right.fragments);
                assert!(shown, "{}: {} {what}", sent[at].label(), fragments[of].1.name);
            }
        }
    }
}
