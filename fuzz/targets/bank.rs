//! Files of the knowledge bank: nothing panics, every entry stands within the text, an untouched file keeps its bytes,
//! and what was done is not done again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft_documents::bank::{Bank, BankChange, BankFile, FeatureRecord, NewEntry, Query, apply, relevant, select};
use redraft_facts::ids::FeatureId;

fuzz_target!(|text: &str| {
    let bank = Bank::read(&[(BankFile::AntiPattern, text.to_owned())]);
    let lines = u32::try_from(text.lines().count()).unwrap();
    let mut before = 0;
    for entry in &bank.entries {
        assert!(entry.line > before && entry.line <= entry.end_line && entry.end_line <= lines);
        before = entry.end_line;
    }
    assert_eq!(apply(BankFile::AntiPattern, text, &[]).text, text);
    let (name, feature) = (bank.entries.first().map_or("One", |entry| entry.name.as_str()), FeatureId(31));
    let (name, words) = (name.to_owned(), text.to_owned());
    let new = NewEntry {
        kind: BankFile::AntiPattern,
        name: words.clone(),
        text: words.clone(),
        provenance: words.clone(),
        confidence: words.clone(),
    };
    for change in [
        BankChange::Keep { name: name.clone(), feature },
        BankChange::Confirm { name: name.clone(), feature },
        BankChange::Challenge { name: name.clone(), feature, text: words.clone() },
        BankChange::Update { name: name.clone(), feature, text: words.clone() },
        BankChange::Backfill { name, observed: "Feature #008".to_owned() },
        BankChange::Add(new),
    ] {
        let once = apply(BankFile::AntiPattern, text, std::slice::from_ref(&change));
        let twice = apply(BankFile::AntiPattern, &once.text, &[change]);
        assert_eq!(twice.text, once.text);
    }
    select(&bank, &Query { paths: vec![text.to_owned()], text: text.to_owned() });
    let said = vec![text.to_owned()];
    relevant(
        &bank.entries,
        &FeatureRecord { paths: said.clone(), decisions: said.clone(), findings: said.clone(), rules: said },
    );
});
