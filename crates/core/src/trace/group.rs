//! What the heading of a group of tasks refers to, for those of its tasks that name nothing themselves.
//!
//! Start at [`inherited`].

use super::range::is_lettered;
use super::read::read;
use super::words::About;
use super::{Kind, Reference};
use crate::prelude::*;
use crate::tasks::id::{self, Shape};

/// What a heading above tasks refers to: a step or item of the plan that it repeats, or the ids in its title.
pub fn inherited(title: &str) -> Vec<Reference> {
    let text = title.trim_start_matches(['*', '_', ' ']);
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let lower = first.to_lowercase();
    let found = match id::leading(text, false) {
        // `### 1.1 Title` repeats the plan's own numbers.
        Some(id) if id.shape == Shape::Dotted => {
            vec![Reference {
                raw: id.text.to_owned(),
                kind: Kind::Plan,
                id: id.text.to_owned(),
                named: false,
                inherited: true,
            }]
        }
        _ if lower == "plan" => read(leading_part(text), About::Anything),
        _ if ["step", "item"].contains(&lower.as_str()) && begins_with_digit(rest) => {
            read(leading_part(text), About::Document(Kind::Plan))
        }
        _ => {
            let mut found = read(title, About::Ids);
            found.extend(in_brackets(title).flat_map(of_bracket));
            found
        }
    };
    found.into_iter().map(|one| Reference { inherited: true, ..one }).collect()
}

fn in_brackets(title: &str) -> impl Iterator<Item = &str> {
    let opened = title.split('(').skip(1);
    opened.filter_map(|rest| rest.split_once(')').map(|(inside, _)| inside))
}

/// What a group is about by a remark in its title: a step of the plan, or components: `(Step 5, alone)`, `(C1 + C2)`.
fn of_bracket(inside: &str) -> Vec<Reference> {
    let (first, rest) = inside.split_once(' ').unwrap_or((inside, ""));
    if ["step", "item"].contains(&first.to_lowercase().as_str()) && begins_with_digit(rest) {
        let one = inside.split([',', ';', '—', '–']).next().unwrap_or_default();
        return read(one, About::Document(Kind::Plan));
    }
    if !id::leading(inside, false).is_some_and(|id| is_lettered(id.text)) {
        return Vec::new();
    }
    let mut found = read(inside, About::Anything);
    // `C1`, `TD-2`; `C.1` is what many things are called.
    let of_design = |id: &str| {
        let rest = id.trim_start_matches(|c: char| c.is_ascii_uppercase());
        rest.len() < id.len() && rest.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit())
    };
    found.retain(|one| one.kind == Kind::Design && of_design(&one.id));
    found
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// A title up to the sign behind its number.
fn leading_part(title: &str) -> &str {
    title.split([':', '—', '–', '(']).next().unwrap_or(title)
}
