//! What the server asks for: pages, and what a form says. It knows nothing of features; whoever answers knows nothing of
//! browsers.

use redraft_facts::ticket::Scope;
use std::collections::BTreeMap;

/// Answers what was let in. Several questions may come at once.
pub(super) trait Site: Sync {
    fn page(&self, wanted: &Wanted) -> Answer;

    fn write(&self, posted: &Posted) -> Answer;

    /// Calls `moved` whenever a page may have changed, until the server ends. `is_watched` says whether a page is open
    /// that waits for that.
    fn follow(&self, moved: &mut dyn FnMut(), is_watched: &dyn Fn() -> bool);
}

/// A page that a person wants to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) place: Place,
    pub(super) query: BTreeMap<String, String>,
    pub(super) made: Made,
}

/// What every page carries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Made {
    /// The hidden word of its forms.
    pub(super) form: String,
    /// Counts changes; a page that is behind is fetched again.
    pub(super) version: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Board,
    Feature { scope: Scope, part: Part, which: Option<String> },
}

/// The pages of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Overview,
    Documents,
    Changes,
    Findings,
    Tasks,
    Trace,
    Prompts,
    Costs,
    Time,
}

impl Part {
    pub(super) const ALL: [Part; 9] = [
        Part::Overview,
        Part::Documents,
        Part::Changes,
        Part::Findings,
        Part::Tasks,
        Part::Trace,
        Part::Prompts,
        Part::Costs,
        Part::Time,
    ];

    /// Its name in an address.
    pub(super) fn path(self) -> &'static str {
        match self {
            Part::Overview => "",
            Part::Documents => "documents",
            Part::Changes => "changes",
            Part::Findings => "findings",
            Part::Tasks => "tasks",
            Part::Trace => "trace",
            Part::Prompts => "prompts",
            Part::Costs => "costs",
            Part::Time => "time",
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Part::Overview => "Overview",
            Part::Documents => "Documents",
            Part::Changes => "Changes",
            Part::Findings => "Findings",
            Part::Tasks => "Tasks and checks",
            Part::Trace => "Trace",
            Part::Prompts => "Prompts",
            Part::Costs => "Costs",
            Part::Time => "Time line",
        }
    }
}

/// The address of a page of a feature.
pub(super) fn address(scope: &Scope, part: Part) -> String {
    match part {
        Part::Overview => format!("/feature/{scope}"),
        part => format!("/feature/{scope}/{}", part.path()),
    }
}

/// A form that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Posted {
    pub(super) scope: Scope,
    pub(super) verb: Verb,
    /// In the order of the form; names may repeat.
    pub(super) fields: Vec<(String, String)>,
    pub(super) made: Made,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Decide,
    Comment,
}

impl Posted {
    /// The text of a field, without the space around it; browsers end lines in a way of their own.
    pub(super) fn text(&self, name: &str) -> String {
        let found = self.fields.iter().find(|(called, _)| called == name);
        found.map(|(_, text)| text.replace("\r\n", "\n").trim().to_owned()).unwrap_or_default()
    }

    /// All fields of this name.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let found = self.fields.iter().filter(|(called, _)| called == name);
        found.map(|(_, text)| text.replace("\r\n", "\n").trim().to_owned()).collect()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    Page {
        status: u16,
        html: String,
    },
    /// To be looked at there.
    SeeOther(String),
}
