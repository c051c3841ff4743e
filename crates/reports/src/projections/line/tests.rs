//! What a checked fact and an edited one are told as.

use super::*;
use redraft_facts::event::{Checked, Edited};
use redraft_facts::ids::Revision;

#[test]
fn what_a_command_printed_is_told_from_how_it_ended() {
    let (gate, command) = ("test".to_owned(), "make test".to_owned());
    let evidence = "`make test` ended with code 1\n200 entries took 3 seconds\n".to_owned();
    let revision = Revision::new("1234567890");
    let (passed, output) = (false, String::new());
    let fact = Checked {
        pass: 1,
        revision,
        gate,
        passed,
        evidence,
        command,
        code: Some(1),
        wall_ms: 2000,
        output,
        checkout: None,
    };
    let told = line(&Event::from(fact.clone()));
    assert!(told.ends_with(": `make test` ended with code 1: 200 entries took 3 seconds"), "{told}");
    let lint = Checked { command: String::new(), evidence: "line 1 a\nline 2 b".to_owned(), ..fact };
    assert!(line(&Event::from(lint)).ends_with("failed: line 1 a line 2 b"));
}

#[test]
fn an_edit_of_code_is_not_called_one_of_a_document() {
    let revision = Revision::new("1234567890");
    let (commit, by) = (String::new(), "ann".to_owned());
    let event = Event::from(Edited { revision, commit, by, first: false, compared: None });
    assert!(line_in(&event, Some(Phase::Implement), None).starts_with("ann edited the code: "));
    assert!(line_in(&event, Some(Phase::Design), None).starts_with("ann edited the document: "));
    let Event::Edited(edited) = event.clone() else { unreachable!() };
    let along = Event::from(Edited { first: true, ..edited });
    assert!(line_in(&along, Some(Phase::Implement), None).starts_with("what the branch holds besides "));
    assert!(line(&event).starts_with("ann edited the document: "));
}
