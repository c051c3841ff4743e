//! The guarantees of an inbox.

use super::kept_by_both;
use crate::world::{World, with};
use redraft_engine::ports::Outcome;
use redraft_facts::ticket::Ticket;

kept_by_both! {
    an_answer_is_found_by_another_process_under_its_ticket_and_conversation_alone,
    a_later_answer_takes_the_place_of_an_earlier_one,
}

fn ticket(word: &str) -> Ticket {
    word.parse().unwrap()
}

fn saying(text: &str) -> Outcome {
    Outcome { text: text.to_owned(), notes: vec!["a note".to_owned()], ..Outcome::default() }
}

fn an_answer_is_found_by_another_process_under_its_ticket_and_conversation_alone(world: &dyn World) {
    let (ours, other) =
        (ticket("001/specify.1/draft/spec-author/1.1"), ticket("001/specify.1/draft/spec-author/1.2"));
    with(world, |ports| ports.inbox.put(&ours, "talk", &saying("a")).unwrap());
    with(world, |ports| {
        assert_eq!(ports.inbox.get(&ours, "talk"), Ok(Some(saying("a"))));
        assert_eq!(ports.inbox.get(&ours, "another ledger's"), Ok(None));
        assert_eq!(ports.inbox.get(&other, "talk"), Ok(None));
    });
}

fn a_later_answer_takes_the_place_of_an_earlier_one(world: &dyn World) {
    let ours = ticket("001/implement.1/task-1.2/implement/implementer/1.1");
    with(world, |ports| {
        ports.inbox.put(&ours, "first", &saying("a")).unwrap();
        ports.inbox.put(&ours, "second", &saying("b")).unwrap();
        assert_eq!(ports.inbox.get(&ours, "first"), Ok(None));
        assert_eq!(ports.inbox.get(&ours, "second"), Ok(Some(saying("b"))));
    });
}
