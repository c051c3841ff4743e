//! What each rule looks for, in a sentence, for `redraft lint --rules`, SARIF and docs/lint.md.
//!
//! How a rule is checked is not known here.

use super::rule::Rule;

impl Rule {
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
                "A file is named, in a folder of the repository that exists, or linked from the document's own \
                 folder; it is not there, and nothing says that it is to be made or removed."
            }
            Rule::PlaceholderInCode => "Code in a document holds TODO, TBD or FIXME, or a body left out.",
            Rule::RestatedDifferently => {
                "Two documents state the same requirement with other numbers, the same function with other \
                 parameters, or the same constant with another value."
            }
            Rule::UnreferencedId => {
                "A requirement or criterion is named in no later document, although most of its siblings are."
            }
            Rule::NoDoneCriterion => {
                "A task does not say when it is done, although most tasks of its list do."
            }
            Rule::VagueWord => {
                "A requirement or criterion depends on a word that nobody can measure, and gives no number. \
                 The built-in list is English."
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
            Rule::UnbuiltTask => "With `--trace`: a task that was skipped.",
            Rule::UnrunTest => {
                "With `--trace`: a test of the change that no check has run since it was last changed."
            }
            Rule::LostReference => "With `--trace`: a task refers to a part of a document that is not there.",
            Rule::UnknownCheck => {
                "An entry of the knowledge bank is said to be checked by a lint rule or a check that does not exist."
            }
            Rule::PluginManifest => {
                "With `--plugin`: `.claude-plugin/plugin.json` is missing, is not a JSON object, or has no name in \
                 kebab-case."
            }
            Rule::PluginFrontMatter => {
                "With `--plugin`: the front matter of an agent or skill is missing; that of any component is not \
                 closed, cut short by three dashes, not YAML, or lacks a field that is required."
            }
            Rule::PluginReviewerWrites => {
                "With `--plugin`: an agent called reviewer may write or edit files: it must not change what it \
                 reviews."
            }
            Rule::PluginReviewerTools => {
                "With `--plugin`: an agent called reviewer has every tool there is, or none to read with."
            }
            Rule::PluginHooks => {
                "With `--plugin`: hooks that are not JSON, or not lists of groups with a list `hooks`: none of them \
                 would run."
            }
            Rule::PluginCompact => {
                "With `--plugin`: a SessionStart hook that also runs after compaction (`compact` among the words of \
                 its matcher, `*`, or no matcher): what it adds is in the summary already."
            }
            Rule::PluginPromptOrder => {
                "With `--plugin`: the prompt of a fresh review is not in the order task, required artifacts, form \
                 of the answer, artifact under review, iteration: what changes stands before what stays, so that \
                 no prefix is cached."
            }
            Rule::PluginInlineArtifact => {
                "With `--plugin`: a prompt has a placeholder for a whole artifact in place of its path. The \
                 artifact under review is allowed."
            }
            Rule::PluginArtifactMap => {
                "With `--plugin`: the required artifacts of a role are not those it needs, or nothing says that \
                 they must be read and confirmed."
            }
            Rule::PluginLineBudget => "With `--plugin`: a `SKILL.md` of more than 500 lines.",
        }
    }
}
