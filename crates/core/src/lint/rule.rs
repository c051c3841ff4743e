//! The rules: their names, what they are about, and how bad it is when one is broken.
//!
//! This table is what `redraft lint --rules`, SARIF and docs/lint.md show. How a rule is checked is not known here.

use core::fmt;
use core::str::FromStr;

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    Missing,
    Unreadable,
    Empty,
    CutOff,
    UnclosedFence,
    ConflictMarker,
    Placeholder,
    NoTasks,
    DuplicateId,
    DependencyCycle,
    UnknownReference,
    NoHeading,
    MissingSection,
    MissingFile,
    PlaceholderInCode,
    RestatedDifferently,
    UnreferencedId,
    VagueWord,
    // Of the trace, see `crate::matrix`.
    UntracedRequirement,
    UntracedStep,
    UntracedTask,
    UntracedFile,
    UnbuiltTask,
    UnrunTest,
    LostReference,
    UnknownCheck,
}

/// What a broken rule means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Wrong in any style. No reviewer is asked before it is mended.
    Error,
    /// Probably wrong. Shown to the author and to the reviewers.
    Warning,
    /// Not looked for.
    Off,
}

impl Rule {
    pub const ALL: [Rule; 26] = [
        Rule::Missing,
        Rule::Unreadable,
        Rule::Empty,
        Rule::CutOff,
        Rule::UnclosedFence,
        Rule::ConflictMarker,
        Rule::Placeholder,
        Rule::NoTasks,
        Rule::DuplicateId,
        Rule::DependencyCycle,
        Rule::UnknownReference,
        Rule::NoHeading,
        Rule::MissingSection,
        Rule::MissingFile,
        Rule::PlaceholderInCode,
        Rule::RestatedDifferently,
        Rule::UnreferencedId,
        Rule::VagueWord,
        Rule::UntracedRequirement,
        Rule::UntracedStep,
        Rule::UntracedTask,
        Rule::UntracedFile,
        Rule::UnbuiltTask,
        Rule::UnrunTest,
        Rule::LostReference,
        Rule::UnknownCheck,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Rule::Missing => "missing",
            Rule::Unreadable => "unreadable",
            Rule::Empty => "empty",
            Rule::CutOff => "cut-off",
            Rule::UnclosedFence => "unclosed-fence",
            Rule::ConflictMarker => "conflict-marker",
            Rule::Placeholder => "placeholder",
            Rule::NoTasks => "no-tasks",
            Rule::DuplicateId => "duplicate-id",
            Rule::DependencyCycle => "dependency-cycle",
            Rule::UnknownReference => "unknown-reference",
            Rule::NoHeading => "no-heading",
            Rule::MissingSection => "missing-section",
            Rule::MissingFile => "missing-file",
            Rule::PlaceholderInCode => "placeholder-in-code",
            Rule::RestatedDifferently => "restated-differently",
            Rule::UnreferencedId => "unreferenced-id",
            Rule::VagueWord => "vague-word",
            Rule::UntracedRequirement => "untraced-requirement",
            Rule::UntracedStep => "untraced-step",
            Rule::UntracedTask => "untraced-task",
            Rule::UntracedFile => "untraced-file",
            Rule::UnbuiltTask => "unbuilt-task",
            Rule::UnrunTest => "unrun-test",
            Rule::LostReference => "lost-reference",
            Rule::UnknownCheck => "unknown-check",
        }
    }

    /// The level it has unless a project says otherwise.
    pub fn level(self) -> Level {
        match self {
            Rule::Missing
            | Rule::Unreadable
            | Rule::Empty
            | Rule::CutOff
            | Rule::UnclosedFence
            | Rule::ConflictMarker
            | Rule::Placeholder
            | Rule::NoTasks
            | Rule::DuplicateId
            | Rule::DependencyCycle
            | Rule::UnknownReference
            | Rule::UntracedRequirement
            | Rule::UntracedStep
            | Rule::UntracedTask
            | Rule::UntracedFile
            | Rule::UnbuiltTask
            | Rule::UnrunTest => Level::Error,
            Rule::NoHeading
            | Rule::MissingSection
            | Rule::MissingFile
            | Rule::PlaceholderInCode
            | Rule::RestatedDifferently
            | Rule::UnreferencedId
            | Rule::VagueWord
            | Rule::LostReference
            | Rule::UnknownCheck => Level::Warning,
        }
    }

    /// What it looks for, in a sentence.
    pub fn explanation(self) -> &'static str {
        match self {
            Rule::Missing => "A document that should be there is not.",
            Rule::Unreadable => {
                "A document is not UTF-8 text, not an ordinary file, larger than 4 MB, or cannot be opened."
            }
            Rule::Empty => "A document holds nothing but white space.",
            Rule::CutOff => {
                "A document ends where more must follow: at a heading with nothing below it, in the middle of a \
                 table row or a comment, after a colon, a comma or an opening bracket, at an empty list item, or \
                 with an ellipsis."
            }
            Rule::UnclosedFence => {
                "A code fence is opened and never closed. A block that holds a labelled block is understood."
            }
            Rule::ConflictMarker => "A marker of a merge conflict was left in the text.",
            Rule::Placeholder => {
                "Something was to be filled in later: TODO, TBD, FIXME, ???, {{field}}, [fill in …], <description> \
                 in place of a value, [NEEDS CLARIFICATION, lorem ipsum. What is quoted, written as code or spoken \
                 about is left alone."
            }
            Rule::NoTasks => "No task can be found in a `tasks.md`: nothing in it begins with an id.",
            Rule::DuplicateId => {
                "One id is defined twice: by two headings of one chapter, two items of one list, two rows of one \
                 table whose first column is for ids, or two different tasks."
            }
            Rule::DependencyCycle => "Tasks depend on each other in a circle, so none of them can begin.",
            Rule::UnknownReference => {
                "A task depends on a task that does not exist, a link leads to a heading that does not exist, or a \
                 numbered section of another document of the feature is named that it does not have."
            }
            Rule::NoHeading => "A document has no heading at all.",
            Rule::MissingSection => {
                "None of the usual headings for an expected part of the document is there."
            }
            Rule::MissingFile => {
                "A file is named, in a folder of the repository that exists, that is not there, and nothing says \
                 that it is to be made or removed."
            }
            Rule::PlaceholderInCode => "Code in a document holds TODO, TBD or FIXME, or a body left out.",
            Rule::RestatedDifferently => {
                "Two documents state the same requirement with other numbers, or the same function with other \
                 parameters."
            }
            Rule::UnreferencedId => {
                "A requirement or criterion is named in no later document, although most of its siblings are."
            }
            Rule::VagueWord => {
                "A requirement or criterion depends on a word that nobody can measure, and gives no number. \
                 English, German, Spanish, French, Russian and Chinese have a list."
            }
            Rule::UntracedRequirement => {
                "With `--trace`: a requirement or criterion that no task reaches, by its name or through a plan step or \
                 design section the task refers to."
            }
            Rule::UntracedStep => "With `--trace`: a step of the plan that no task refers to.",
            Rule::UntracedTask => {
                "With `--trace`: a task that names no part of the specification, the design or the plan."
            }
            Rule::UntracedFile => {
                "With `--trace`: a file of the change that belongs to no task, and was written neither after the tasks nor \
                 to answer a finding."
            }
            Rule::UnbuiltTask => "With `--trace`: a task that was gone on without.",
            Rule::UnrunTest => {
                "With `--trace`: a test of the change that no check has run since it was last changed."
            }
            Rule::LostReference => "With `--trace`: a task refers to a part of a document that is not there.",
            Rule::UnknownCheck => {
                "An entry of the knowledge bank is said to be checked by a lint rule or a check that does not exist."
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rule {
    type Err = ();

    fn from_str(word: &str) -> Result<Rule, ()> {
        Rule::ALL.into_iter().find(|rule| rule.name() == word).ok_or(())
    }
}

impl Level {
    pub const ALL: [Level; 3] = [Level::Error, Level::Warning, Level::Off];

    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Off => "off",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
