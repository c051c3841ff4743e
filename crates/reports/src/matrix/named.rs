//! Finds the requirements that a piece of text names.
//!
//! An id counts wherever it stands, also in running text. Only an id that the design or the plan uses for something of
//! its own, such as a risk `R1`, has to be written as the specification's. Start at [`Names::new`].

use super::wanted::{Wanted, above, is_aside};
use redraft_documents::lint::reading::{defined, is_mentioned, key, mentioned};
use redraft_documents::sections::Outline;
use redraft_documents::trace::{self, Reference, TargetDocument};
use redraft_facts::prelude::*;

/// What ids mean in the documents of a feature.
pub(super) struct Names<'w> {
    wanted: &'w [Wanted],
    /// Ids that stand for something else in a later document.
    taken: BTreeSet<String>,
}

impl<'w> Names<'w> {
    pub(super) fn new(wanted: &'w [Wanted], later: &[Option<&str>]) -> Names<'w> {
        let mut taken = BTreeSet::new();
        for text in later.iter().flatten() {
            let outline = Outline::parse(text);
            let own = |line: usize| above(&outline, line).any(|section| is_aside(section.title));
            taken.extend(defined(text).into_iter().filter(|one| own(one.line)).map(|one| one.key));
        }
        Names { wanted, taken }
    }

    /// The requirements that some lines name, by their places.
    pub(super) fn named(&self, lines: &[&str]) -> BTreeSet<usize> {
        let mut named = mentioned(lines.iter().copied());
        named.retain(|key| !self.taken.contains(key));
        if !self.taken.is_empty() {
            // Read as a field for references, `Spec R1` is not `Design R1`.
            let told = lines.iter().flat_map(|line| trace::references("Implements", line));
            let of_spec =
                |one: &Reference| one.named && matches!(one.kind, TargetDocument::Spec | TargetDocument::Prd);
            let told: Vec<String> = told.filter(of_spec).map(|one| key(&one.id)).collect();
            named.extend(told.into_iter().filter(|key| self.taken.contains(key)));
        }
        let places = self.wanted.iter().enumerate();
        places.filter(|(_, one)| is_mentioned(&one.key, &named)).map(|(at, _)| at).collect()
    }

    /// The requirement whose text a line belongs to, counted from 0: the innermost one.
    pub(super) fn at_line(&self, line: usize) -> Option<usize> {
        let holds = |(_, one): &(usize, &Wanted)| (one.line..one.end).contains(&line);
        self.wanted.iter().enumerate().rfind(holds).map(|(at, _)| at)
    }
}
