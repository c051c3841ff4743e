//! Tests files with bytes that are not UTF-8: the author keeps them, or leaves the file alone.

use super::stage::{SPEC, Stage};

const TEXT: &[u8] =
    b"# Spec\n\n## Requirements\n\n- R1: The system shall greet Ren\xe9.\n- R2: The system shall wave.\n\n\
    ## Acceptance Criteria\n\n- AC1 (R1): Ren\xe9 is greeted.\n";

#[test]
fn an_author_mends_a_file_and_keeps_its_unreadable_bytes() {
    let mut stage = Stage::new("greet", None, "");
    let path = stage.folder.path().join(SPEC);
    std::fs::write(&path, TEXT).unwrap();
    let request = stage.fresh_of("spec-reviewer", &String::from_utf8_lossy(TEXT));
    let verdict = stage.judge("spec-reviewer", &request);
    assert!(verdict.issues.len() == 1 && verdict.issues[0].description.contains("`R2`"), "{verdict:#?}");
    let request = stage.revising(None);
    assert_eq!(stage.author(&request).answers[0].status.name(), "fixed");
    let new = std::fs::read(&path).unwrap();
    assert!(new.starts_with(TEXT) && new.len() > TEXT.len(), "{}", String::from_utf8_lossy(&new));
}

#[test]
fn an_author_that_would_have_to_change_unreadable_bytes_leaves_the_file_alone() {
    let mut stage = Stage::new("greet", None, "");
    let path = stage.folder.path().join(SPEC);
    let text = [TEXT, b"- AC2 (R2): it waves\n\n## Notes\n\n- The system must greet Ren\xe9 properly when he comes to us.\n"].concat();
    std::fs::write(&path, &text).unwrap();
    let request = stage.fresh_of("phase-reviewer", &String::from_utf8_lossy(&text));
    let verdict = stage.judge("phase-reviewer", &request);
    assert_eq!(verdict.issues.len(), 1, "{verdict:#?}");
    let request = stage.revising(None);
    let answer = stage.author(&request);
    assert_eq!(answer.answers[0].status.name(), "not_fixed");
    assert!(answer.summary.contains("not UTF-8"), "{}", answer.summary);
    assert_eq!(std::fs::read(&path).unwrap(), text);
}
