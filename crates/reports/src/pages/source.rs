//! What a feature's page is made from.

use crate::matrix::Matrix;
use crate::view::Overview;
use redraft_facts::prelude::*;

/// What a page is made from.
pub struct Source<'a> {
    pub overview: &'a Overview,
    /// Its documents in the order of the phases.
    pub documents: &'a [PageDocument],
    pub trace: Option<&'a Matrix>,
    /// Makes HTML of Markdown in which nothing from outside is markup.
    pub render: &'a dyn Fn(&str) -> String,
}

pub struct PageDocument {
    /// Its path in the repository.
    pub path: String,
    pub text: String,
}
