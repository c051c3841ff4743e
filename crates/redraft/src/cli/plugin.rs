//! `redraft plugin export`: writes the files that bring Redraft into the tools in which people work.
//!
//! `integrations::plugin` decides what the files hold and what is done with each; `folder` looks and writes, `report`
//! says what was done. Needs no repository, unless the role texts of one are asked for.

mod folder;
mod report;

use folder::Folder;
use redraft_facts::ids::Role;
use redraft_frame::args::{ExportArgs, PluginCommand};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::profiles;
use redraft_integrations::plugin::{
    self, BadInventory, ExportRefused, ExportRefusedWhy, ExportStepKind, INVENTORY, Inventory, Plan,
    PluginTarget,
};
use redraft_roles::profile::RoleText;
use report::Report;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn plugin(
    command: PluginCommand,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    match command {
        PluginCommand::Export(args) => export(&args, process, console),
    }
}

fn export(args: &ExportArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let target = PluginTarget::from(args.target);
    let own = if args.own_roles { own_roles(process)? } else { BTreeMap::new() };
    if !args.own_roles {
        tell_of_own_roles(process, console);
    }
    let made = plugin::files(target, &own);
    let root = process.folder.join(&args.folder);
    let named = process.named_folder.as_ref().map_or(args.folder.clone(), |dir| dir.join(&args.folder));
    let folder = Folder { root: &root, shown: named.display().to_string() };
    let inventory = recorded(&folder)?;
    let paths: BTreeSet<&str> =
        made.iter().map(|file| file.path.as_str()).chain(inventory.paths()).chain([INVENTORY]).collect();
    let found = folder.look(paths)?;
    let plan = plugin::plan(target, &made, &inventory, &found, args.replace)
        .map_err(|refused| in_the_way(&refused, &folder))?;
    refuse_bad_toml(&plan, &folder)?;
    let aside = if args.dry_run { BTreeMap::new() } else { folder.carry_out(&plan, &found)? };
    let report = Report::new(target, &plan, &aside, &named, args.dry_run);
    console.show(&report.text(), &report);
    Ok(if report.is_edited() { ErrorCode::NotApproved } else { ErrorCode::Done })
}

/// The role texts of the current repository.
fn own_roles(process: &ProcessContext) -> Result<BTreeMap<Role, RoleText>, CliError> {
    let repo = process
        .repository()
        .map_err(|error| error.hint("--own-roles uses the role texts of the repository you are in"))?;
    let texts = profiles::read(&repo)?;
    if texts.is_empty() {
        let folder = profiles::FOLDER;
        return Err(CliError::usage(format!("this repository has no role texts of its own in {folder}"))
            .hint("leave out --own-roles to export the built-in ones"));
    }
    let parsed = texts.into_iter().filter_map(|(role, text)| {
        // They were checked when they were read.
        let own = RoleText::parse(&text, &role).ok()?;
        Some((role, own))
    });
    Ok(parsed.collect())
}

/// A user with role texts of their own may expect them to be exported.
fn tell_of_own_roles(process: &ProcessContext, console: &Console) {
    let Ok(repo) = process.repository() else { return };
    let folder = repo.repository.main_checkout().join(profiles::FOLDER);
    let Ok(listed) = std::fs::read_dir(folder) else { return };
    let is_text = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|end| end == "md");
    if listed.flatten().any(is_text) {
        console.say(&format!(
            "note: this repository has role texts of its own ({}); --own-roles exports their tools and models",
            profiles::FOLDER
        ));
    }
}

/// What earlier exports wrote there.
fn recorded(folder: &Folder<'_>) -> Result<Inventory, CliError> {
    let found = folder.look([INVENTORY])?;
    let Some(bytes) = found.get(INVENTORY) else { return Ok(Inventory::default()) };
    let text = String::from_utf8_lossy(bytes);
    Inventory::parse(&text).map_err(|error| {
        let hint = match &error {
            BadInventory::Newer(_) => "install the newer redraft, or export to another folder",
            BadInventory::Damaged(_) => {
                "nothing was changed; restore it or remove it; without it, files that match the export count as \
                    exported and all others as yours"
            }
        };
        CliError::new(ErrorCode::Config, format!("{INVENTORY} in {}: {error}", folder.shown)).hint(hint)
    })
}

fn in_the_way(refused: &[ExportRefused], folder: &Folder<'_>) -> CliError {
    const NAMED_MAX: usize = 10;
    let foreign: Vec<&str> = refused
        .iter()
        .filter(|refused| refused.why == ExportRefusedWhy::Foreign)
        .map(|refused| refused.path.as_str())
        .collect();
    let shown = &folder.shown;
    for refused in refused {
        let path = &refused.path;
        match &refused.why {
            ExportRefusedWhy::Foreign => {}
            ExportRefusedWhy::Block(bad) => {
                return CliError::usage(format!("{path} in {shown}, {bad}")).hint(
                    "nothing was changed; correct the lines `redraft:begin` and `redraft:end`, or remove them and \
                        everything between them",
                );
            }
            ExportRefusedWhy::NoText => {
                return CliError::usage(format!("{path} in {shown} is not UTF-8 text"))
                    .hint("nothing was changed; move it, or export to another folder");
            }
        }
    }
    let names = foreign.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
    let more = match foreign.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (is, was) = if foreign.len() == 1 { ("is", "was") } else { ("are", "were") };
    let mut error =
        CliError::usage(format!("{names}{more} {is} already in {shown} and {was} not exported by redraft"));
    if foreign.contains(&plugin::OPENCODE_CONFIG) {
        let server = plugin::OPENCODE_SERVER;
        let file = plugin::OPENCODE_CONFIG;
        error = error.hint(format!("add {server} to `mcp` of {file} yourself, and export again"));
    }
    error.hint(
        "nothing was changed; export to another folder, or use --replace, which keeps your files as NAME.mine",
    )
}

/// Refuses a section that would break the configuration it is added to.
fn refuse_bad_toml(plan: &Plan, folder: &Folder<'_>) -> Result<(), CliError> {
    for step in &plan.steps {
        let (ExportStepKind::Write(text) | ExportStepKind::SetAside(text)) = &step.what else { continue };
        if !step.path.ends_with(".toml") {
            continue;
        }
        if let Err(error) = text.parse::<toml::Table>() {
            let (path, shown) = (&step.path, &folder.shown);
            let why = error.message();
            let error = CliError::usage(format!("{path} in {shown} would no longer be valid TOML: {why}"));
            return Err(error.hint("nothing was changed; add the server to it yourself, as the table [mcp_servers.redraft] with command = \"redraft\" and args = [\"mcp\"], and export again"));
        }
    }
    Ok(())
}
