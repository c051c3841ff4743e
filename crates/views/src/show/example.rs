//! `redraft show prompt --example`: what a role would be sent, and its built-in text.

use super::{PromptJson, shown};
use redraft_facts::choice::Strategy;
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::text::hash;
use redraft_facts::ticket::Purpose;
use redraft_frame::args::PromptArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::profiles;
use redraft_prompts::prompt;
use redraft_roles::profile::{self, RoleText};
use serde::Serialize;

/// What a role would be sent, in the feature that the documentation uses. A repository is needed only for its own role
/// texts.
pub(super) fn example(
    args: &PromptArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let unknown = |error: redraft_facts::ids::BadId| CliError::usage(error.to_string());
    let named = args.example.as_ref().and_then(Option::as_ref).or(args.role.as_ref());
    let roles = || profile::roles().iter().map(Role::to_string).collect::<Vec<_>>().join(", ");
    let Some(role) = named.map(Role::new) else {
        return Err(CliError::usage("an example needs a role").hint(format!("roles are {}", roles())));
    };
    let asked: Option<Phase> = args.phase.as_deref().map(str::parse).transpose().map_err(unknown)?;
    let word = args.strategy.as_deref().unwrap_or("lazy");
    let strategy = Strategy::ALL.into_iter().find(|strategy| strategy.name() == word).ok_or_else(|| {
        CliError::usage(format!("`{word}` is not a strategy (inline, lazy, digest or resume)"))
    })?;
    let takes_part = |phase: &Phase| profile::find(*phase, &role).is_some();
    let phases = Phase::ALL
        .into_iter()
        .chain([Phase::Finish, Phase::Document])
        .filter(|phase| asked.is_none_or(|asked| asked == *phase));
    let Some(phase) = phases.into_iter().find(takes_part) else {
        let place = asked.map(|phase| format!(" in {phase}")).unwrap_or_default();
        return Err(
            CliError::usage(format!("there is no role {role}{place}")).hint(format!("roles are {}", roles()))
        );
    };
    if args.text {
        return role_text(phase, &role, console);
    }
    let purpose = args.purpose.as_deref().map(purpose).transpose()?;
    let own = match process.repository() {
        Ok(repo) => profiles::read(&repo)?.remove(&role),
        Err(_) => None,
    };
    let own = own.and_then(|text| RoleText::parse(&text, &role).ok());
    let of = |purpose: Option<Purpose>| match args.by_itself {
        true => prompt::sample_by_itself(&role, purpose, strategy, own.as_ref()),
        false => prompt::sample(phase, &role, purpose, strategy, own.as_ref()),
    };
    if args.by_itself && of(None).is_none() {
        let reviewers = profile::panels(Phase::Implement);
        let names: Vec<&str> =
            reviewers.iter().flat_map(|panel| &panel.roles).map(|one| one.role.as_str()).collect();
        return Err(CliError::usage(format!("{role} does not review changes"))
            .hint(format!("roles that do are {}", names.join(", "))));
    }
    let Some(sample) = of(purpose) else {
        let word = purpose.map(Purpose::name).unwrap_or_default();
        let fit = Purpose::ALL.into_iter().filter(|one| of(Some(*one)).is_some());
        let fit: Vec<&str> = fit.map(Purpose::name).collect();
        return Err(CliError::usage(format!("{role} is never asked to {word} in {phase}"))
            .hint(format!("its purposes are {}", fit.join(", "))));
    };
    let text = sample.prompt.text();
    let why = if own.is_some() { "an example, with the role text in .redraft/agents" } else { "an example" };
    let about = PromptJson {
        v: 1,
        ticket: format!("{phase}/{}/{role}", sample.purpose.name()),
        strategy: sample.strategy.name(),
        why: why.to_owned(),
        sha256: hash(text.as_bytes()).to_string(),
        ..PromptJson::default()
    };
    shown(&sample.prompt, about, console)
}

#[derive(Serialize)]
struct RoleTextJson {
    v: u16,
    role: String,
    /// Where a text of one's own has to be.
    file: String,
    text: String,
}

/// The built-in text of a role in the form that a text of one's own has. A role that does two things has two texts, and a
/// text of one's own takes the place of both.
fn role_text(phase: Phase, role: &Role, console: &Console) -> Result<ErrorCode, CliError> {
    let Some(profile) = profile::find(phase, role) else {
        return Err(CliError::usage(format!("there is no role {role} in {phase}")));
    };
    let mut rubrics: Vec<&str> = Vec::new();
    for one in Purpose::ALL.into_iter().filter_map(|purpose| profile::of_dispatch(phase, role, purpose, &[]))
    {
        let rubric = one.rubric.trim();
        if !rubrics.contains(&rubric) {
            rubrics.push(rubric);
        }
    }
    let text =
        format!("---\nname: {role}\ndescription: {}\n---\n\n{}\n", profile.title, rubrics.join("\n\n"));
    if console.json {
        let (role, file) = (role.to_string(), format!(".redraft/agents/{role}.md"));
        console.object(&RoleTextJson { v: 1, role, file, text });
    } else {
        console.page(&text);
    }
    Ok(ErrorCode::Done)
}

fn purpose(word: &str) -> Result<Purpose, CliError> {
    Purpose::ALL.into_iter().find(|purpose| purpose.name() == word).ok_or_else(|| {
        let words: Vec<&str> = Purpose::ALL.into_iter().map(Purpose::name).collect();
        CliError::usage(format!("`{word}` is not a purpose"))
            .hint(format!("purposes are {}", words.join(", ")))
    })
}
