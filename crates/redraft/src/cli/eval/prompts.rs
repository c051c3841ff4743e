//! The prompts of all cases and arms: the same whether they are written for somebody else or sent to an agent.

use super::case_folder;
use redraft_engine::questions::without_secrets;
use redraft_eval::arm::{Arm, ArmText, ReviewRound};
use redraft_eval::ask::{ArmPrompt, FirstTurn, ask, name, reviewers};
use redraft_eval::case::{Case, CaseTexts};
use redraft_facts::ids::Role;
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_frame::whole_file;
use redraft_roles::profile::{self, Profile, RoleText};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One prompt.
pub(super) struct CasePrompt<'a> {
    /// `CASE.ARM`: how its files begin.
    pub(super) name: String,
    pub(super) texts: &'a CaseTexts,
    pub(super) case: &'a Case,
    pub(super) arm: &'a Arm,
    pub(super) profile: &'static Profile,
    pub(super) own: Option<RoleText>,
    /// Without secrets.
    pub(super) asked: ArmPrompt,
    /// Where the prompt says that the files of the case are.
    pub(super) place: PathBuf,
}

/// The prompts of every arm for every case. `folder` is what the prompts call the folder of cases.
pub(super) fn all<'a>(
    cases: &'a [(Case, CaseTexts)],
    arms: &'a [Arm],
    folder: &Path,
    process: &ProcessContext,
) -> Result<Vec<CasePrompt<'a>>, CliError> {
    let mut prompts = Vec::new();
    for arm in arms {
        let made = prompts.len();
        for (case, texts) in cases {
            for profile in reviewers(case, arm) {
                let Some(own) = own_text(arm, profile, process)? else { continue };
                let place = folder.join(match arm.round {
                    ReviewRound::First => case_folder::files(case),
                    ReviewRound::Second => case_folder::second_files(case),
                });
                let asked = ask(case, texts, arm, profile, own.as_ref(), &place.display().to_string());
                let Some(asked) = asked.map(|asked| clean(asked, process)) else { continue };
                let name = name(case, arm, profile);
                prompts.push(CasePrompt { name, texts, case, arm, profile, own, asked, place });
            }
        }
        if prompts.len() == made && matches!(arm.text, ArmText::File(_)) {
            return Err(CliError::usage(format!("`{arm}` is for a role that reviews none of these cases"))
                .hint("name the text of another role, or other cases"));
        }
    }
    Ok(prompts)
}

fn clean(asked: ArmPrompt, process: &ProcessContext) -> ArmPrompt {
    let ArmPrompt { before, prompt } = asked;
    let before = before.map(|FirstTurn { prompt, answer }| FirstTurn {
        prompt: without_secrets(prompt, &process.redactor),
        answer: process.redactor.redact(&answer).0.into_owned(),
    });
    ArmPrompt { before, prompt: without_secrets(prompt, &process.redactor) }
}

impl CasePrompt<'_> {
    /// Writes what is asked, with the earlier turns of a conversation that is continued.
    pub(super) fn write(&self, out: &Path) -> Result<(), CliError> {
        let file = |what: &str| out.join(format!("{}.{what}", self.name));
        if let Some(FirstTurn { prompt, answer }) = &self.asked.before {
            whole_file::keep(&file("before.1.md"), &prompt.text())?;
            whole_file::keep(&file("before.2.md"), answer)?;
        }
        whole_file::keep(&file("prompt.md"), &self.asked.prompt.text())
    }
}

pub(super) fn arms(written: &[String]) -> Result<Vec<Arm>, CliError> {
    let arms =
        written.iter().map(|arm| arm.parse::<Arm>().map_err(|error| CliError::usage(error.to_string())));
    let arms = arms.collect::<Result<Vec<_>, _>>()?;
    let names: BTreeSet<String> = arms.iter().map(Arm::to_string).collect();
    if names.len() < arms.len() {
        return Err(CliError::usage("two arms have the same name").hint(
            "an arm is called after its text's file, its strategy and its round; rename one of the files",
        ));
    }
    Ok(arms)
}

/// The text of an arm that has its own; none where it is for another role. A folder has one for each role, as
/// `.redraft/agents` does; a role that has none there keeps the built-in one.
fn own_text(
    arm: &Arm,
    profile: &Profile,
    process: &ProcessContext,
) -> Result<Option<Option<RoleText>>, CliError> {
    let ArmText::File(path) = &arm.text else { return Ok(Some(None)) };
    let mut file = process.folder.join(path);
    if file.is_dir() {
        file = file.join(format!("{}.md", profile.role));
        if !file.exists() {
            return Ok(Some(None));
        }
    }
    let text = case_folder::text(&file)?;
    if named_role(&text).is_some_and(|role| role != profile.role && profile::kind(&Role::new(role)).is_some())
    {
        return Ok(None);
    }
    let parsed = RoleText::parse(&text, &Role::new(profile.role))
        .map_err(|error| CliError::usage(format!("{}: {error}", file.display())).hint(error.hint.clone()))?;
    Ok(Some(Some(parsed)))
}

/// The role that the front matter of a text names.
fn named_role(text: &str) -> Option<&str> {
    let front = text.trim_start_matches('\u{feff}').strip_prefix("---")?;
    let front = front.split("\n---").next()?;
    let name = front.lines().find_map(|line| line.trim().strip_prefix("name:"))?;
    Some(name.trim().trim_matches(['"', '\'']))
}
