//! Defects to plant in the clean documents of the fixtures. Start at [`plants`] and [`HOSTS`].

mod first;
mod fresh;
mod fresh_more;
mod hosts;
mod later;

pub(super) use hosts::HOSTS;

/// A defect planted in a host: what is replaced by what, and the category and a mark of the one finding expected.
pub(super) struct Plant {
    pub(super) host: &'static str,
    pub(super) edits: &'static [(&'static str, &'static str)],
    pub(super) category: &'static str,
    pub(super) mark: &'static str,
}

/// Every defect with the document it is planted in.
pub(super) fn plants() -> impl Iterator<Item = &'static Plant> {
    [first::PLANTS, later::PLANTS, fresh::PLANTS, fresh_more::PLANTS].into_iter().flatten()
}

const fn plant(
    host: &'static str,
    edits: &'static [(&'static str, &'static str)],
    category: &'static str,
    mark: &'static str,
) -> Plant {
    Plant { host, edits, category, mark }
}
