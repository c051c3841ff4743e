//! References and where they lead: nothing panics, and every target stands within the document.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft_documents::trace::{self, FoundTarget, Targets};

fuzz_target!(|texts: (&str, &str, &str)| {
    let (label, field, document) = texts;
    let lines = u32::try_from(document.lines().count()).unwrap();
    let targets = Targets::find(document);
    let mut asked: Vec<String> = vec![field.to_owned()];
    for label in [label, "Why", "Plan ref", "AC coverage"] {
        asked.extend(trace::references(label, field).into_iter().map(|one| one.id));
    }
    asked.extend(trace::inherited(field).into_iter().map(|one| one.id));
    for id in asked {
        let found = match targets.resolve(&id) {
            FoundTarget::One(target) => vec![target],
            FoundTarget::Several(targets) => targets,
            FoundTarget::None => Vec::new(),
        };
        assert!(found.iter().all(|target| target.line <= target.end_line && target.end_line <= lines));
    }
});
