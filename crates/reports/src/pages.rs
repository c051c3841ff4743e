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
pub use source::{Document, Source};

/// What may stand in a pull request or a mail without being a burden.
pub const BYTES_MAX: usize = 400_000;

/// Stands near the beginning of each page, by which the program recognizes its own.
pub const MADE_BY: &str = "made by redraft report";
