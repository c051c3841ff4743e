//! Reports what an export did, or would do, for people and for programs.

use redraft_adapters::shell_word::quoted_path;
use redraft_integrations::plugin::{ExportStepKind, Kept, Plan, PluginTarget, VERSION};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Serialize)]
pub(super) struct Report {
    v: u16,
    target: &'static str,
    folder: String,
    version: &'static str,
    dry_run: bool,
    written: Vec<String>,
    unchanged: Vec<String>,
    kept: Vec<KeptJson>,
    /// What was replaced, and where it is now; of a dry run, what would be.
    set_aside: Vec<AsideJson>,
    removed: Vec<String>,
    next: String,
}

#[derive(Serialize)]
struct KeptJson {
    path: String,
    edited: bool,
    why: &'static str,
}

#[derive(Serialize)]
struct AsideJson {
    path: String,
    to: Option<String>,
}

impl Report {
    pub(super) fn new(
        target: PluginTarget,
        plan: &Plan,
        aside: &BTreeMap<String, String>,
        folder: &Path,
        dry_run: bool,
    ) -> Report {
        let mut report = Report {
            v: 1,
            target: target.name(),
            folder: folder.display().to_string(),
            version: VERSION,
            dry_run,
            written: Vec::new(),
            unchanged: Vec::new(),
            kept: Vec::new(),
            set_aside: Vec::new(),
            removed: Vec::new(),
            next: next(target, folder),
        };
        for step in &plan.steps {
            let path = step.path.clone();
            match &step.what {
                ExportStepKind::Write(_) => report.written.push(path),
                ExportStepKind::SetAside(_) => {
                    let to = aside.get(&path).cloned();
                    report.set_aside.push(AsideJson { path: path.clone(), to });
                    report.written.push(path);
                }
                ExportStepKind::Unchanged => report.unchanged.push(path),
                ExportStepKind::Keep(kept) => {
                    let edited = *kept != Kept::SaysItAlready;
                    report.kept.push(KeptJson { path, edited, why: why(*kept) });
                }
                ExportStepKind::Remove => report.removed.push(path),
            }
        }
        report
    }

    /// Whether something was left alone because it had been edited.
    pub(super) fn is_edited(&self) -> bool {
        self.kept.iter().any(|kept| kept.edited)
    }

    pub(super) fn text(&self) -> String {
        let (written, unchanged) = (self.written.len(), self.unchanged.len());
        let would = if self.dry_run { "would be " } else { "" };
        let files = |number: usize| if number == 1 { "1 file".to_owned() } else { format!("{number} files") };
        let mut text =
            format!("{} {would}written to {}, {unchanged} unchanged\n", files(written), self.folder);
        for path in self.written.iter().filter(|_| self.dry_run) {
            text.push_str(&format!("  write    {path}\n"));
        }
        for aside in &self.set_aside {
            match &aside.to {
                Some(to) => text.push_str(&format!("  replaced {}; yours is {to}\n", aside.path)),
                None => text.push_str(&format!("  replace  {}; yours would be kept beside it\n", aside.path)),
            }
        }
        for path in &self.removed {
            text.push_str(&format!("  {would}removed {path}: it is no longer exported\n"));
        }
        for kept in &self.kept {
            text.push_str(&format!("  left     {}: {}\n", kept.path, kept.why));
        }
        if self.is_edited() {
            text.push_str("to take the new ones anyway, and keep yours beside them: --replace\n");
        }
        text.push_str(&format!("next: {}", self.next));
        text
    }
}

fn why(kept: Kept) -> &'static str {
    match kept {
        Kept::Edited => "it was edited after it was exported",
        Kept::EditedAndGone => "it is no longer exported, but it was edited, so it is yours now",
        Kept::SaysItAlready => "it already names the MCP server",
    }
}

fn next(target: PluginTarget, folder: &Path) -> String {
    let place = quoted_path(folder);
    match target {
        PluginTarget::Claude => format!("claude --plugin-dir {place}"),
        PluginTarget::Codex => format!("codex -C {place} (it reads .codex only in a project you trust)"),
        PluginTarget::Opencode => format!("opencode {place}"),
        PluginTarget::AgentsMd => format!("look at the section in {}", quoted_path(folder.join("AGENTS.md"))),
    }
}
