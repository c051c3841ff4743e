//! The rules: their names, what they are about, and how bad it is when one is broken.
//!
//! This table is what `redraft lint --rules`, SARIF and docs/lint.md show; `explain` has the sentences. How a rule is
//! checked is not known here.

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
    NoDoneCriterion,
    VagueWord,
    // About the trace, see `redraft_reports::matrix`.
    UntracedRequirement,
    UntracedStep,
    UntracedTask,
    UntracedFile,
    UnbuiltTask,
    UnrunTest,
    LostReference,
    UnknownCheck,
    // About plugins, see `redraft_integrations::plugin_lint`.
    PluginManifest,
    PluginFrontMatter,
    PluginReviewerWrites,
    PluginReviewerTools,
    PluginHooks,
    PluginCompact,
    PluginPromptOrder,
    PluginInlineArtifact,
    PluginArtifactMap,
    PluginLineBudget,
}

/// What a broken rule means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintLevel {
    /// Wrong in any style. No reviewer is asked before it is mended.
    Error,
    /// Probably wrong. Shown to the author and to the reviewers.
    Warning,
    /// Not looked for.
    Off,
}

impl Rule {
    pub const ALL: [Rule; 37] = [
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
        Rule::NoDoneCriterion,
        Rule::VagueWord,
        Rule::UntracedRequirement,
        Rule::UntracedStep,
        Rule::UntracedTask,
        Rule::UntracedFile,
        Rule::UnbuiltTask,
        Rule::UnrunTest,
        Rule::LostReference,
        Rule::UnknownCheck,
        Rule::PluginManifest,
        Rule::PluginFrontMatter,
        Rule::PluginReviewerWrites,
        Rule::PluginReviewerTools,
        Rule::PluginHooks,
        Rule::PluginCompact,
        Rule::PluginPromptOrder,
        Rule::PluginInlineArtifact,
        Rule::PluginArtifactMap,
        Rule::PluginLineBudget,
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
            Rule::NoDoneCriterion => "no-done-criterion",
            Rule::VagueWord => "vague-word",
            Rule::UntracedRequirement => "untraced-requirement",
            Rule::UntracedStep => "untraced-step",
            Rule::UntracedTask => "untraced-task",
            Rule::UntracedFile => "untraced-file",
            Rule::UnbuiltTask => "unbuilt-task",
            Rule::UnrunTest => "unrun-test",
            Rule::LostReference => "lost-reference",
            Rule::UnknownCheck => "unknown-check",
            Rule::PluginManifest => "plugin-manifest",
            Rule::PluginFrontMatter => "plugin-front-matter",
            Rule::PluginReviewerWrites => "plugin-reviewer-writes",
            Rule::PluginReviewerTools => "plugin-reviewer-tools",
            Rule::PluginHooks => "plugin-hooks",
            Rule::PluginCompact => "plugin-compact",
            Rule::PluginPromptOrder => "plugin-prompt-order",
            Rule::PluginInlineArtifact => "plugin-inline-artifact",
            Rule::PluginArtifactMap => "plugin-artifact-map",
            Rule::PluginLineBudget => "plugin-line-budget",
        }
    }

    /// The level it has unless a project says otherwise.
    pub fn level(self) -> LintLevel {
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
            | Rule::UnrunTest
            | Rule::PluginManifest
            | Rule::PluginFrontMatter
            | Rule::PluginReviewerWrites
            | Rule::PluginHooks
            | Rule::PluginCompact
            | Rule::PluginPromptOrder
            | Rule::PluginInlineArtifact => LintLevel::Error,
            Rule::NoHeading
            | Rule::MissingSection
            | Rule::MissingFile
            | Rule::PlaceholderInCode
            | Rule::RestatedDifferently
            | Rule::UnreferencedId
            | Rule::NoDoneCriterion
            | Rule::VagueWord
            | Rule::LostReference
            | Rule::UnknownCheck
            | Rule::PluginReviewerTools
            | Rule::PluginArtifactMap
            | Rule::PluginLineBudget => LintLevel::Warning,
        }
    }

    /// Whether it is looked for in plugins, and nowhere else.
    pub fn is_of_plugins(self) -> bool {
        self >= Rule::PluginManifest
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

impl LintLevel {
    pub const ALL: [LintLevel; 3] = [LintLevel::Error, LintLevel::Warning, LintLevel::Off];

    pub fn name(self) -> &'static str {
        match self {
            LintLevel::Error => "error",
            LintLevel::Warning => "warning",
            LintLevel::Off => "off",
        }
    }
}

impl fmt::Display for LintLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
