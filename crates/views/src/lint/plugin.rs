//! Reads the files of a plugin's folder, for `integrations::plugin_lint`.
//!
//! Any folder may be named, so everything is bounded: how many files, how deep, how much text. Links are followed where
//! they stay in the folder; hidden folders and installed packages are not looked into. What is in the files is not
//! known here. Start at [`read`].

use redraft_adapters::plain_file::{self, UnreadableFile};
use redraft_frame::errors::CliError;
use redraft_frame::process_context::ProcessContext;
use redraft_integrations::plugin_lint::{Plugin, PluginFile, is_read};
use std::path::{Path, PathBuf};

/// Some hundred times what a plugin has; a folder with more is a checkout, a home or a disk.
const FILES_MAX: usize = 20_000;
const DEPTH_MAX: usize = 24;
/// A larger file is not text that a model is meant to read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// Folders that are part of no plugin, or whose files are generated.
const SKIPPED: [&str; 2] = ["node_modules", "__pycache__"];
/// The one hidden folder that matters.
const OWN: &str = ".claude-plugin";
const LEADS_OUT: &str = "this link leads outside the plugin and was not followed";

struct Walk<'a> {
    /// With every link followed.
    root: &'a Path,
    plugin: Plugin,
    bytes: usize,
}

pub(super) fn read(folder: &Path, process: &ProcessContext) -> Result<Plugin, CliError> {
    let unreadable = |error: std::io::Error| {
        CliError::usage(format!("{} is not a readable folder: {error}", folder.display()))
            .hint("name the folder that holds .claude-plugin/plugin.json")
    };
    let root = folder.canonicalize().map_err(unreadable)?;
    std::fs::read_dir(&root).map_err(unreadable)?;
    let mut walk = Walk { root: &root, plugin: Plugin::default(), bytes: 0 };
    let mut waiting: Vec<(PathBuf, String, usize)> = vec![(root.clone(), String::new(), 0)];
    while let Some((place, name, depth)) = waiting.pop() {
        if process.stopped() {
            return Err(CliError::new(
                redraft_frame::errors::ErrorCode::Interrupted,
                "stopped before everything was read",
            ));
        }
        // A folder that cannot be read or is too deep is left out, like an installed package.
        let Ok(entries) = std::fs::read_dir(&place) else { continue };
        for entry in entries.flatten() {
            let own = entry.file_name().to_string_lossy().into_owned();
            let path = if name.is_empty() { own.clone() } else { format!("{name}/{own}") };
            if let Some(folder) = walk.entry(&entry.path(), &own, &path)?.filter(|_| depth < DEPTH_MAX) {
                waiting.push((folder, path, depth + 1));
            }
        }
    }
    Ok(walk.plugin)
}

impl Walk<'_> {
    /// Takes in one entry; returns a folder to look into.
    fn entry(&mut self, place: &Path, own: &str, path: &str) -> Result<Option<PathBuf>, CliError> {
        if self.plugin.files.len() >= FILES_MAX {
            return Err(too_much(self.root, format!("more than {FILES_MAX} files")));
        }
        // A link that leads nowhere counts as no file.
        let Ok(target) = place.canonicalize() else { return Ok(None) };
        let Ok(about) = target.metadata() else { return Ok(None) };
        let inside = target.starts_with(self.root);
        // A link to a folder that contains it would be followed forever.
        let parent = place.parent().and_then(|parent| parent.canonicalize().ok());
        let is_loop = parent.is_none_or(|parent| parent.starts_with(&target));
        let content = match (inside, about.is_dir()) {
            (true, true) => {
                let hidden = own.starts_with('.') && own != OWN;
                let is_read = !is_loop && !hidden && !SKIPPED.contains(&own);
                return Ok(is_read.then(|| place.to_owned()));
            }
            (false, is_folder) if is_folder || is_read(path) => PluginFile::Unreadable(LEADS_OUT.to_owned()),
            (true, false) if is_read(path) => self.text(&target)?,
            (_, _) => PluginFile::NotRead,
        };
        self.plugin.files.insert(path.to_owned(), content);
        Ok(None)
    }

    fn text(&mut self, file: &Path) -> Result<PluginFile, CliError> {
        let content = match plain_file::read(file, FILE_BYTES_MAX) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => PluginFile::Text(text),
                Err(_) => PluginFile::Unreadable("it is not UTF-8 text".to_owned()),
            },
            Err(
                error @ (UnreadableFile::Io(_)
                | UnreadableFile::NotAFile(_)
                | UnreadableFile::TooLarge { .. }
                | UnreadableFile::LeadsOut(_)
                | UnreadableFile::IntoGit(_)),
            ) => PluginFile::Unreadable(error.to_string()),
        };
        if let PluginFile::Text(text) = &content {
            self.bytes += text.len();
        }
        if self.bytes > BYTES_MAX {
            return Err(too_much(self.root, format!("more than {} MB of text", BYTES_MAX / 1024 / 1024)));
        }
        Ok(content)
    }
}

fn too_much(folder: &Path, what: String) -> CliError {
    CliError::usage(format!("{} has {what}, which no plugin has", folder.display()))
        .hint("name the folder that holds .claude-plugin/plugin.json")
}
