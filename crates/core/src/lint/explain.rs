//! What each rule looks for, in a sentence: what `redraft lint --rules`, SARIF and docs/lint.md say.
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
            Rule::PluginManifest => {
                "With `--plugin`: `.claude-plugin/plugin.json` is missing, is no JSON object, has no name in \
                 kebab-case, or a value of a kind that Claude Code refuses."
            }
            Rule::PluginMetadata => {
                "With `--plugin`: the manifest has no version or description, a version that is none, or a field \
                 nobody knows."
            }
            Rule::PluginFrontMatter => {
                "With `--plugin`: the front matter of an agent, command or skill is missing, not closed, cut \
                 short by three dashes, no YAML, or lacks a field that is required; or a value is of the wrong \
                 kind."
            }
            Rule::PluginField => {
                "With `--plugin`: a field of front matter that Claude Code does not know, or ignores there."
            }
            Rule::PluginName => {
                "With `--plugin`: the name of an agent or skill is not that of its file or folder, or is not in \
                 kebab-case; or a file is taken for a component or for none by its name alone."
            }
            Rule::PluginDuplicate => {
                "With `--plugin`: two agents, two commands or two skills have one name, so that one of them cannot \
                 be called."
            }
            Rule::PluginDescription => {
                "With `--plugin`: a description is missing, or too short to tell when to use the thing, or so \
                 long that it is cut."
            }
            Rule::PluginTool => {
                "With `--plugin`: a tool that Claude Code does not have and that is no `mcp__…`, or one that is \
                 named twice."
            }
            Rule::PluginReviewerWrites => {
                "With `--plugin`: an agent called reviewer may write or edit files: it must not change what it \
                 reviews."
            }
            Rule::PluginReviewerTools => {
                "With `--plugin`: an agent called reviewer has every tool there is, or none to read with."
            }
            Rule::PluginModel => {
                "With `--plugin`: a model that is neither an alias nor the id of a Claude model."
            }
            Rule::PluginHooks => {
                "With `--plugin`: hooks that are no JSON, not in the form Claude Code reads, or for an event that \
                 does not exist: none of them would run."
            }
            Rule::PluginMatcher => {
                "With `--plugin`: a matcher that matches nothing, stands where none is looked at, cannot be read, \
                 or is missing where the hook would then run for every tool."
            }
            Rule::PluginCompact => {
                "With `--plugin`: a SessionStart hook that also runs after compaction (`compact` in its matcher, \
                 a pattern that matches it, `*`, or none): what it adds is in the summary already."
            }
            Rule::PluginServer => {
                "With `--plugin`: an MCP server without command or address, or of an unknown type; or the file \
                 that lists them is no JSON."
            }
            Rule::PluginMissingFile => {
                "With `--plugin`: the manifest, a hook or a server names a file of the plugin that is not there, \
                 or starts one that cannot be executed."
            }
            Rule::PluginOutside => {
                "With `--plugin`: a hook, a server, a path of the manifest or a link of the file system leads out \
                 of the plugin, or depends on the folder a session happens to be in."
            }
            Rule::PluginReference => {
                "With `--plugin`: an agent, command or skill is called by the plugin's own name and does not \
                 exist."
            }
            Rule::PluginLink => {
                "With `--plugin`: a file of the plugin, or an agent or skill without a plugin's name, is referred \
                 to and is not there."
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
