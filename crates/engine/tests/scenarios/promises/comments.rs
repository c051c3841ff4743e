//! The guarantees of the box that people leave comments in while a process drives the feature.

use super::kept_by_both;
use crate::world::{FEATURE, World};
use redraft_engine::ports::Comment;
use redraft_facts::ids::{CommentId, FeatureId, FindingId};
use redraft_facts::phase::Phase;
use redraft_facts::ticket::Scope;
use redraft_facts::verdict::Severity;

kept_by_both! {
    what_was_said_is_found_word_for_word_and_in_the_order_of_the_ids,
    a_comment_left_twice_waits_once_as_it_was_left_last,
    only_the_named_comment_is_removed_however_often_it_is_asked_for,
    what_is_put_aside_neither_waits_nor_is_lost,
    features_do_not_see_each_others_comments,
    what_cannot_be_read_stays_where_it_is_and_hides_nothing,
    an_id_that_is_no_name_is_refused,
    a_box_that_cannot_be_read_is_an_error_and_not_empty,
}

const SCOPE: Scope = Scope::Feature(FEATURE);

fn id(name: &str) -> CommentId {
    CommentId::new(name)
}

fn said(name: &str, text: &str) -> Comment {
    let (file, by) = (String::new(), "ann".to_owned());
    let (id, text, phase) = (id(name), text.to_owned(), Phase::Specify);
    Comment { id, phase, reopens: None, severity: Severity::Blocker, file, line: 0, text, by }
}

fn leave(world: &dyn World, names: &[&str]) {
    for name in names {
        world.comments().put(&SCOPE, &said(name, "use Postgres")).unwrap();
    }
}

/// The ids of what waits.
fn waiting(world: &dyn World, scope: &Scope) -> Vec<String> {
    let found = world.comments().inbox().waiting(scope).unwrap();
    found.into_iter().map(|comment| comment.id.to_string()).collect()
}

fn what_was_said_is_found_word_for_word_and_in_the_order_of_the_ids(world: &dyn World) {
    let comment = Comment {
        reopens: Some(FindingId::new("S3")),
        severity: Severity::Suggestion,
        file: "docs/spec.md".to_owned(),
        line: 7,
        text: "two\nlines, \"quoted\", \u{1b}[31mred\u{1b}[0m, grün".to_owned(),
        ..said("1790000000004-d", "")
    };
    assert_eq!(world.comments().inbox().waiting(&SCOPE), Ok(Vec::new()), "nobody has said anything yet");
    world.comments().put(&SCOPE, &comment).unwrap();
    assert_eq!(world.comments().inbox().waiting(&SCOPE), Ok(vec![comment.clone()]));
    assert_eq!(world.comments().inbox().waiting(&SCOPE), Ok(vec![comment]), "reading takes nothing away");
    leave(world, &["1790000000002-b", "1790000000003-a", "1790000000001-c"]);
    let in_order = ["1790000000001-c", "1790000000002-b", "1790000000003-a", "1790000000004-d"];
    assert_eq!(waiting(world, &SCOPE), in_order, "whatever order they were left in");
}

fn a_comment_left_twice_waits_once_as_it_was_left_last(world: &dyn World) {
    leave(world, &["a", "b"]);
    let again = said("a", "use files");
    world.comments().put(&SCOPE, &again).unwrap();
    assert_eq!(world.comments().inbox().waiting(&SCOPE), Ok(vec![again, said("b", "use Postgres")]));
    world.comments().inbox().remove(&SCOPE, &id("a")).unwrap();
    assert_eq!(waiting(world, &SCOPE), ["b"], "nothing is left of the first");
}

fn only_the_named_comment_is_removed_however_often_it_is_asked_for(world: &dyn World) {
    leave(world, &["a", "b", "c"]);
    for _ in 0..2 {
        world.comments().inbox().remove(&SCOPE, &id("b")).unwrap();
        assert_eq!(waiting(world, &SCOPE), ["a", "c"]);
    }
    world.comments().inbox().remove(&SCOPE, &id("never-left")).unwrap();
    world.comments().inbox().remove(&Scope::Feature(FeatureId(7)), &id("a")).unwrap();
    assert_eq!(waiting(world, &SCOPE), ["a", "c"]);
    assert_eq!(world.comments().aside(&SCOPE), [], "what was stored is not kept");
}

fn what_is_put_aside_neither_waits_nor_is_lost(world: &dyn World) {
    leave(world, &["a", "b"]);
    for _ in 0..2 {
        world.comments().inbox().put_aside(&SCOPE, &id("a")).unwrap();
        assert_eq!(waiting(world, &SCOPE), ["b"]);
        assert_eq!(world.comments().aside(&SCOPE), [said("a", "use Postgres")]);
    }
    world.comments().inbox().put_aside(&SCOPE, &id("never-left")).unwrap();
    world.comments().inbox().remove(&SCOPE, &id("a")).unwrap();
    assert_eq!(world.comments().aside(&SCOPE).len(), 1, "only what waits is removed");
}

fn features_do_not_see_each_others_comments(world: &dyn World) {
    let other = Scope::Feature(FeatureId(2));
    leave(world, &["a", "b"]);
    world.comments().put(&other, &said("a", "mine")).unwrap();
    assert_eq!(world.comments().inbox().waiting(&other), Ok(vec![said("a", "mine")]));
    world.comments().inbox().remove(&other, &id("a")).unwrap();
    world.comments().inbox().put_aside(&other, &id("b")).unwrap();
    assert_eq!((waiting(world, &SCOPE), waiting(world, &other)), (vec!["a".into(), "b".into()], Vec::new()));
    assert_eq!((world.comments().aside(&SCOPE), world.comments().aside(&other)), (Vec::new(), Vec::new()));
}

fn what_cannot_be_read_stays_where_it_is_and_hides_nothing(world: &dyn World) {
    leave(world, &["a", "c"]);
    world.comments().put_newer(&SCOPE, &id("b"));
    assert_eq!(waiting(world, &SCOPE), ["a", "c"]);
    for name in ["a", "c"] {
        world.comments().inbox().remove(&SCOPE, &id(name)).unwrap();
    }
    assert_eq!(waiting(world, &SCOPE), Vec::<String>::new());
    assert!(world.comments().holds(&SCOPE, &id("b")), "a newer program will store it");
    assert!(!world.comments().holds(&SCOPE, &id("a")));
}

fn an_id_that_is_no_name_is_refused(world: &dyn World) {
    leave(world, &["a"]);
    for hostile in ["", ".", "../a", "a/b", "/a", "a.b", "a b", "ä"] {
        let found = world.comments().put(&SCOPE, &said(hostile, "x"));
        assert!(found.is_err(), "{hostile:?} was left");
        let comments = world.comments();
        assert!(comments.inbox().remove(&SCOPE, &id(hostile)).is_err(), "{hostile:?} was removed");
        assert!(comments.inbox().put_aside(&SCOPE, &id(hostile)).is_err(), "{hostile:?} was put aside");
    }
    assert_eq!(waiting(world, &SCOPE), ["a"]);
}

fn a_box_that_cannot_be_read_is_an_error_and_not_empty(world: &dyn World) {
    leave(world, &["a"]);
    world.comments().spoil(&SCOPE);
    let comments = world.comments();
    assert!(comments.inbox().waiting(&SCOPE).is_err());
    assert!(comments.inbox().remove(&SCOPE, &id("a")).is_err());
    assert!(comments.inbox().put_aside(&SCOPE, &id("a")).is_err());
    assert!(comments.put(&SCOPE, &said("b", "x")).is_err());
}
