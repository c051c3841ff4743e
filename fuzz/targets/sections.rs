//! Outlines: nothing panics, and the sections cover every line once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft_documents::sections::Outline;

fuzz_target!(|text: &str| {
    let outline = Outline::parse(text);
    let lines = outline.lines().len();
    let mut next = 0;
    for section in outline.sections() {
        assert_eq!(section.own.start, next);
        assert!(section.own.end <= section.lines.end && section.lines.end <= lines);
        next = section.own.end;
    }
    assert_eq!(next, lines);
    for line in 0..lines {
        assert!(outline.at(line).is_some_and(|section| section.own.contains(&line)));
        let _ = outline.is_fenced(line);
    }
    assert_eq!(outline.text(0..lines), text);
});
