//! `[agents.NAME.mcp]`: the servers that give an agent's program more tools.

use super::error::ConfigError;
use super::file::McpFile;
use super::source::Source;
use crate::mcp::{McpServer, McpServers};
use std::collections::BTreeMap;
use toml::Spanned;

impl Source<'_> {
    pub(super) fn mcp(
        &self,
        file: Option<&BTreeMap<Spanned<String>, McpFile>>,
    ) -> Result<McpServers, ConfigError> {
        let mut servers = McpServers::new();
        for (name, server) in file.into_iter().flatten() {
            servers.insert(self.server_name(name)?, self.server(name, server)?);
        }
        Ok(servers)
    }

    /// Two underscores in a row separate the server from the tool in the name of a tool.
    fn server_name(&self, name: &Spanned<String>) -> Result<String, ConfigError> {
        let word = name.get_ref();
        let plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        if word.is_empty() || !word.bytes().all(plain) || word.contains("__") {
            let message = format!("`{word}` cannot be the name of a server");
            let hint = "use lower-case letters, digits, `-` and single `_`";
            return Err(self.wrong(&name.span(), message).hint(hint));
        }
        Ok(word.clone())
    }

    fn server(&self, name: &Spanned<String>, file: &McpFile) -> Result<McpServer, ConfigError> {
        let command = file.command.as_ref().filter(|command| !command.get_ref().trim().is_empty());
        let Some(command) = command else {
            let message = format!("the server `{}` has no command", name.get_ref());
            let span = file.command.as_ref().map_or(name.span(), Spanned::span);
            return Err(self.wrong(&span, message).hint("add a line such as `command = \"npx\"`"));
        };
        let words: Vec<&Spanned<String>> = [command].into_iter().chain(file.args.iter().flatten()).collect();
        if let Some(word) = words.iter().find(|word| word.get_ref().contains('\0')) {
            return Err(self.wrong(&word.span(), "a command cannot hold a NUL character".to_owned()));
        }
        let mut env = Vec::new();
        for variable in file.env.iter().flatten() {
            let word = variable.get_ref();
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            if word.is_empty() || !word.bytes().all(plain) {
                let message = format!("`{word}` is not the name of a variable");
                let hint = "only names belong here; values come from your environment";
                return Err(self.wrong(&variable.span(), message).hint(hint));
            }
            env.push(word.clone());
        }
        let args = file.args.iter().flatten().map(|word| word.get_ref().clone()).collect();
        Ok(McpServer { command: command.get_ref().clone(), args, env })
    }
}
