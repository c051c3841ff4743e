//! Builds the prompts of the agent that looks back on a feature: what the feature teaches, and whether it confirms the
//! lessons of earlier features.
//!
//! The same parts in the same order as everywhere. Everything the agent looks at is in the turn
//! (`reports::retro::bundle()`, `reports::retro::judge_bundle`), so there is one strategy, `inline`, and nothing is
//! continued: after an unusable answer the agent is asked again, with the reason. Start at [`retro`].

use super::rubric;
use super::schema::{JUDGE_FORM, RETRO_FORM};
use super::stable;
use redraft_facts::choice::Strategy;
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::prelude::*;
use redraft_facts::text::{fenced, one_line};
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{Profile, RoleText};

const RETRO_REPORT: &str = include_str!("../../texts/retro-facilitator-report.md");
const JUDGE_REPORT: &str = include_str!("../../texts/bank-judge-report.md");

/// One dispatch of a retrospective.
#[derive(Debug, Clone, Copy)]
pub struct RetroBrief<'a> {
    /// Of [`redraft_roles::profile::of_dispatch`], so that each purpose has its text.
    pub profile: &'a Profile,
    /// The repository's own text for the role; it takes the place of the text of a retrospective only.
    pub text: Option<&'a RoleText>,
    /// Tools of the role that its agent cannot offer.
    pub missing: &'a [String],
    /// `031-rate-limit`
    pub feature: &'a str,
    pub purpose: Purpose,
    /// Everything the agent looks at.
    pub bundle: &'a str,
    /// Why an earlier answer could not be used.
    pub repair: Option<&'a str>,
}

/// The prompt of one dispatch, for [`Purpose::Retro`] or [`Purpose::Judge`].
pub fn retro(brief: &RetroBrief<'_>) -> Prompt {
    let own = brief.text.filter(|_| brief.purpose != Purpose::Judge);
    let checks = format!("## Checks\n\n{}", brief.profile.checklist);
    let mut role = vec![Fragment::new("rubric", rubric::whole(brief.profile, own, Strategy::Inline))];
    role.extend(missing_tools(brief.missing));
    role.extend([Fragment::new("checklist", checks), answer_form(brief.purpose)]);
    let mut turn = vec![task(brief), Fragment::new("bundle", brief.bundle)];
    turn.extend(brief.repair.map(again));
    Prompt { constant: stable::constant_fragments(), feature: Vec::new(), role, turn }
}

/// The tools that the role's text counts on and its agent does not have. Everything it needs is in the prompt, so
/// nothing has to be said about what stays unchecked.
fn missing_tools(missing: &[String]) -> Option<Fragment> {
    const TOOL_CHARS_MAX: usize = 80;
    let names: Vec<String> =
        missing.iter().map(|tool| format!("`{}`", one_line(tool, TOOL_CHARS_MAX))).collect();
    let text = format!(
        "## Tools You Do Not Have\n\n\
         Your role counts on these tools, and here they do not exist: {}. Do not call them; work from what is below.\n",
        names.join(", ")
    );
    (!names.is_empty()).then(|| Fragment::new("missing-tools", text))
}

fn task(brief: &RetroBrief<'_>) -> Fragment {
    const NAME_CHARS_MAX: usize = 120;
    let feature = one_line(brief.feature, NAME_CHARS_MAX);
    let what = match brief.purpose {
        Purpose::Judge => "Judge every lesson below by what this feature did",
        _ => "Say what this feature teaches, from what follows",
    };
    Fragment::new("task", format!("# Feature {feature}\n\n{what}.\n"))
}

fn again(why: &str) -> Fragment {
    const WHY_CHARS_MAX: usize = 300;
    let why = one_line(why, WHY_CHARS_MAX);
    let text = format!(
        "## An Earlier Answer Could Not Be Used\n\nAn earlier answer to the same question: {why}. Answer in the form above.\n"
    );
    Fragment::new("repair", text)
}

fn answer_form(purpose: Purpose) -> Fragment {
    let (form, fields) = match purpose {
        Purpose::Judge => (JUDGE_FORM, JUDGE_REPORT),
        _ => (RETRO_FORM, RETRO_REPORT),
    };
    let text = format!(
        "## Your Answer\n\n\
         Write one JSON object of this form, and nothing after it. Every field is required; an empty text or an empty \
         list means none.\n\n{}\n{fields}",
        fenced("json", form)
    );
    Fragment::new("return", text)
}
