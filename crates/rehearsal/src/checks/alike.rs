//! Whether two numbers are about one thing, so that they contradict each other.
//!
//! They are taken to be about different things as soon as something around them differs that could be the reason:
//! per user and per address, a connect timeout and a read timeout, at least and at most, a default and a limit, a
//! guest and everybody, test data one step beyond a limit. Start at [`conflict`].

use super::numbers::AllStated;
use crate::ids::Id;
use crate::measures::Measure;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// A measure where it is stated.
pub(super) struct Stated {
    pub(super) line: usize,
    /// Where number and unit stand in the line.
    pub(super) at: Range<usize>,
    /// Which passage of the document it stands in.
    pub(super) passage: usize,
    pub(super) section: Option<usize>,
    pub(super) criterion: bool,
    /// The requirements the passage belongs to or names.
    pub(super) ids: Rc<BTreeSet<Id>>,
    pub(super) measure: Measure,
    /// The words of the title the passage begins with, as in `**Upload:** …`.
    pub(super) title: Rc<BTreeSet<String>>,
    /// What the whole passage is about.
    pub(super) line_words: Rc<BTreeSet<String>>,
    pub(super) unit: String,
}

impl Stated {
    /// Whether both belong to one requirement and to no other.
    fn is_tied_to(&self, other: &Stated) -> bool {
        self.ids.iter().any(|id| other.ids.iter().any(|theirs| id.covers(theirs)))
            && self.ids.len().max(other.ids.len()) == 1
    }
}

impl Stated {
    /// Whether it is a criterion of other requirements than the one it is compared with.
    fn tests_another(&self, rule: &Stated) -> bool {
        let named = !self.ids.is_empty() && !rule.ids.is_empty();
        let own = self.ids.iter().any(|id| rule.ids.iter().any(|theirs| id.covers(theirs)));
        self.criterion && !rule.criterion && named && !own
    }

    /// Whether what stands under the other's title could be this: it has no title, or one that says the same.
    fn is_under_title_of(&self, other: &Stated) -> bool {
        other.title.is_empty()
            || !other.title.is_disjoint(&self.title)
            || !other.title.is_disjoint(&self.line_words)
    }
}

pub(super) fn conflict(all: &AllStated, first: usize, second: usize) -> bool {
    let (a, b) = (&all.all[first], &all.all[second]);
    comparable(a, b)
        && !beside(all, a, b)
        && !beside(all, b, a)
        && !one_step(all, a, b)
        && !two_acts(&a.measure, &b.measure)
        && !unclear_time(a, b)
        && (same_words(all, a, b) || same_subject(all, a, b))
}

/// Whether nothing about the numbers themselves sets them apart.
fn comparable(a: &Stated, b: &Stated) -> bool {
    let (m, n) = (&a.measure, &b.measure);
    let (s, t) = (&m.subject, &n.subject);
    a.passage != b.passage
        && !a.tests_another(b)
        && !b.tests_another(a)
        && m.kind == n.kind
        && m.kind != "percent"
        && (m.value - n.value).abs() > f64::EPSILON * m.value.abs()
        && m.least == n.least
        && m.every == n.every
        && s.role == t.role
        && s.total == t.total
        && s.ahead == t.ahead
        && s.special == t.special
        && !qualified(m, n)
        && !qualified(n, m)
        && a.is_under_title_of(b)
        && b.is_under_title_of(a)
        && bounds_agree(a, b)
        && (m.scope == n.scope || m.scope.is_empty() != n.scope.is_empty() || s.rate_ms.is_some())
}

/// Whether one is about a special case of a thing that the other speaks of: a free plan and a plan.
fn qualified(m: &Measure, n: &Measure) -> bool {
    let others = words(n);
    m.subject.qualified.iter().any(|case| {
        let (_, thing) = case;
        !n.subject.qualified.contains(case) && (others.contains(thing) || *thing == n.kind)
    })
}

/// A count is a rule only where it is bounded, and words between number and noun may tell two counts apart.
fn bounds_agree(a: &Stated, b: &Stated) -> bool {
    let (m, n) = (&a.measure, &b.measure);
    if matches!(m.kind.as_str(), "time" | "size") {
        return true;
    }
    let ruled = |s: &Stated| s.measure.bound || s.measure.subject.rate_ms.is_some() || !s.criterion;
    let bound = m.bound || n.bound || m.subject.rate_ms.is_some();
    bound && ruled(a) && ruled(b) && m.between == n.between
}

/// Whether the words close to both numbers, or around them, are mostly the same.
fn same_words(all: &AllStated, a: &Stated, b: &Stated) -> bool {
    let (m, n) = (&a.measure, &b.measure);
    if a.section == b.section || m.subject.rate_ms != n.subject.rate_ms || modified(m, n) {
        return false;
    }
    let (first, second) = (words(m), words(n));
    let (one, two) = (&m.subject.first, &n.subject.first);
    if !one.is_empty() && !two.is_empty() && !second.contains(one) && !first.contains(two) && !a.is_tied_to(b)
    {
        return false;
    }
    let shared = first.intersection(&second).count();
    let either = first.union(&second).count().max(1);
    // What is counted is the same by definition; for a count something else has to agree, too.
    let more = m.near.intersection(&n.near).filter(|word| **word != m.kind).count();
    let bare = first.len().min(second.len()) <= 1;
    let close = more > 0 || (m.near.contains(&m.kind) && (bare || shared > 1));
    let subset = shared == first.len().min(second.len()) && shared > 0;
    let apart = !a.is_tied_to(b) && !a.ids.is_empty() && !b.ids.is_empty();
    if a.is_tied_to(b) {
        let same_line = a.line_words.intersection(&b.line_words).count() > 2;
        let bounds = m.bound && n.bound && a.unit == b.unit && same_line;
        return shared > 0 && close || (shared > 2 || bounds) && lone(all, a) && lone(all, b);
    }
    let alike = if apart { shared * 2 >= either } else { shared * 5 >= either * 2 };
    let one_sided = m.scope != n.scope;
    close
        && !narrowed(m, n)
        && ((alike && shared > 0 && (!one_sided || shared * 2 >= either))
            || (subset && !apart && !one_sided && only_two(all, a, b)))
}

/// Whether both sentences name the same thing, in whatever words they say what happens to it.
fn same_subject(all: &AllStated, a: &Stated, b: &Stated) -> bool {
    let (m, n) = (&a.measure, &b.measure);
    let (s, t) = (&m.subject, &n.subject);
    let acts = s.acts.intersection(&t.acts).count();
    // Each criterion chooses its own numbers; only a rule can be contradicted.
    let tests = a.criterion && b.criterion;
    if s.rate_ms != t.rate_ms || tests || !scopes_agree(a, b) || modified(m, n) {
        return false;
    }
    let things = |measure: &Measure| -> BTreeSet<String> {
        measure.subject.things.iter().filter(|word| **word != measure.kind).cloned().collect()
    };
    let (first, second) = (things(m), things(n));
    let shared = first.intersection(&second).count();
    let contained = shared == first.len() || shared == second.len();
    let tied = a.is_tied_to(b);
    let mut weight =
        shared + usize::from(acts > 0) + usize::from(s.rate_ms.is_some()) + usize::from(m.counts);
    weight += usize::from(tied) + usize::from(m.kind == "size");
    weight -= usize::from(narrowed(m, n) && weight > 0);
    // In one section the reader sees both at once, and they are more likely two rules.
    let needed = 2 + usize::from(!contained) + usize::from(a.section == b.section && !tied);
    if shared == 0 {
        let bare = first.is_empty() || second.is_empty() || same_actor(m, n);
        return bare
            && m.counts
            && a.section != b.section
            && weight + 1 >= needed
            && only_two_of_kind(all, m);
    }
    if a.section == b.section && !contained && !tied {
        return false;
    }
    let named = first.contains(&t.first) || second.contains(&s.first);
    weight >= needed && (contained || named)
}

/// Whether different things happen: a session ends, and somebody is warned.
fn two_acts(m: &Measure, n: &Measure) -> bool {
    let (s, t) = (&m.subject.acts, &n.subject.acts);
    !s.is_empty() && !t.is_empty() && s.is_disjoint(t)
}

/// A time says when something happens. Where both sentences do not agree on what that is, hardly anything else
/// about them may differ; and times that are far apart are hardly meant to be the same.
fn unclear_time(a: &Stated, b: &Stated) -> bool {
    const FAR: f64 = 15.0;
    let (s, t) = (&a.measure.subject, &b.measure.subject);
    let shared = s.things.intersection(&t.things).count();
    let extra = s.things.len().max(t.things.len()) - shared;
    let ratio = a.measure.value / b.measure.value;
    let far = !(1.0 / FAR..=FAR).contains(&ratio);
    // Where one names all that the other does, what is left only says who does it.
    let contained = shared > 2 && shared == s.things.len().min(t.things.len());
    let unlike = s.acts.is_disjoint(&t.acts) && extra > 1 && !contained;
    a.measure.kind == "time" && ((unlike || far) && !a.is_tied_to(b) || far && a.unit != b.unit)
}

/// A number per key and one for a key are the same; one per key and one per user, or for all, are not.
fn scopes_agree(a: &Stated, b: &Stated) -> bool {
    let (s, t) = (&a.measure.subject, &b.measure.subject);
    let named = |scope: &BTreeSet<String>, other: &Stated| {
        scope.iter().any(|word| {
            let there = &other.measure.subject;
            there.scope.contains(word) || there.things.contains(word) || other.line_words.contains(word)
        })
    };
    match (s.scope.is_empty(), t.scope.is_empty()) {
        (true, true) => true,
        _ if same_actor(&a.measure, &b.measure) && (s.scope.is_empty() || t.scope.is_empty()) => true,
        (false, true) => named(&s.scope, b) || s.scope.iter().all(|word| word == "user"),
        (true, false) => named(&t.scope, a) || t.scope.iter().all(|word| word == "user"),
        (false, false) => !s.scope.is_disjoint(&t.scope),
    }
}

/// Whether both are rates for somebody who uses the system: the client of one place is the key of the other.
fn same_actor(m: &Measure, n: &Measure) -> bool {
    let fits = |one: &Measure| one.subject.has_actor() && one.subject.is_for_actor();
    m.subject.rate_ms.is_some() && fits(m) && fits(n)
}

/// Whether a number stands beside the other one's value, which its passage then knows about.
fn beside(all: &AllStated, here: &Stated, other: &Stated) -> bool {
    let there = &other.measure;
    let near = all.in_passage(here.passage);
    let close = |s: &&Stated| s.line == here.line || s.measure.sentence.0 == here.measure.sentence.0;
    near.filter(close).any(|s| s.measure.kind == there.kind && s.measure.value == there.value)
}

/// Test data of a criterion lies one step beside the limit it tests. A criterion that promises one number in the
/// same words as the rule is no such test.
fn one_step(all: &AllStated, a: &Stated, b: &Stated) -> bool {
    let promised = a.measure.promise && b.measure.promise && lone(all, a) && lone(all, b);
    (a.criterion || b.criterion) && (a.measure.number - b.measure.number).abs() <= 1.0 && !promised
}

/// Whether a word that both have is set apart by another word right before it: a read and a connect timeout.
fn modified(m: &Measure, n: &Measure) -> bool {
    let (first, second) = (words(m), words(n));
    m.all.iter().any(|(word, before)| {
        let Some(before) = before.as_ref().filter(|before| !second.contains(*before)) else { return false };
        let twins = n.all.iter().filter(|(twin, _)| twin == word);
        let other =
            |(_, b): &(String, Option<String>)| b.as_ref().is_some_and(|b| b != before && !first.contains(b));
        twins.into_iter().any(other)
    })
}

/// Whether only one of the two sets a thing apart: an export request and a request, a part of a file and a file.
fn narrowed(m: &Measure, n: &Measure) -> bool {
    let narrows = |one: &Measure, other: &Measure| {
        let known = words(other);
        one.all.iter().any(|(word, before)| {
            let named = one.subject.things.contains(word) && other.subject.things.contains(word);
            // "Unanswered" says how a thing is, not which one.
            let own = |before: &&String| {
                let state = before.starts_with("un") || (one.kind == "size" && before.as_str() == "upload");
                one.subject.things.contains(*before) && !known.contains(*before) && !state
            };
            named && before.as_ref().filter(own).is_some()
        }) || one
            .subject
            .owned
            .iter()
            .any(|word| other.subject.things.contains(word) && !other.subject.owned.contains(word))
    };
    narrows(m, n) || narrows(n, m)
}

fn words(measure: &Measure) -> BTreeSet<String> {
    measure.all.iter().map(|(word, _)| word.clone()).chain(measure.near.iter().cloned()).collect()
}

/// Whether the line has no other number of that kind.
fn lone(all: &AllStated, here: &Stated) -> bool {
    let near = all.in_passage(here.passage);
    near.filter(|s| s.line == here.line && s.measure.kind == here.measure.kind).count() == 1
}

/// Whether the document gives no third number for things named by the same words.
fn only_two(all: &AllStated, a: &Stated, b: &Stated) -> bool {
    let (m, n) = (&a.measure, &b.measure);
    let all_but = |value: f64, passage: usize| {
        m.near.intersection(&n.near).all(|word| {
            let given = all.values.get(&(m.kind.clone(), word.clone())).into_iter().flatten();
            given.into_iter().all(|(other, passages)| {
                *other == value.to_bits() || passages.iter().all(|there| *there == passage)
            })
        })
    };
    all_but(m.value, b.passage) || all_but(n.value, a.passage)
}

/// Whether the document counts the thing with two values and no third.
fn only_two_of_kind(all: &AllStated, m: &Measure) -> bool {
    all.values.get(&(m.kind.clone(), String::new())).is_some_and(|values| values.len() == 2)
}
