//! The pages of `redraft report`: one feature ([`feature`]), and all of them with their trends ([`index`]).
//!
//! They draw a [`crate::view::Overview`] and compute nothing of their own. A page is one file of at most [`BYTES_MAX`]
//! bytes; where a feature is larger, the longest parts are cut, and the page says so in plain words.

mod costs;
mod feature;
mod index;
mod limits;
mod sections;
mod source;
#[cfg(test)]
mod tests;

pub use feature::feature;
pub use index::{Listed, index};
pub use limits::PageLimits;
pub use source::{PageDocument, Source};

/// The parts of a feature's page, for a view that has a page for each. A part that is empty is none.
pub mod parts {
    pub use super::costs::costs;
    pub use super::feature::{chip, is_a_heading, tiles, title};
    pub use super::limits::left_out;
    pub use super::sections::{checks, decisions, finding, findings, phases, tasks, trace, under_way};
}

/// What may stand in a pull request or a mail without being a burden.
pub const BYTES_MAX: usize = 400_000;

/// Stands near the beginning of each page, by which the program recognizes its own.
pub const MADE_BY: &str = "made by redraft report";
