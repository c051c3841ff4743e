//! Servers that give an agent's program more tools, by the Model Context Protocol.
//!
//! A profile names such a tool as `mcp__SERVER__TOOL`; the configuration says which program is that server. Programs
//! start servers themselves, each in its own way; nothing here starts anything or knows a program.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// A server as configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpServer {
    pub command: String,
    pub args: Vec<String>,
    /// Variables of the user's environment that it is given, by name.
    pub env: Vec<String>,
}

/// Servers by name.
pub type McpServers = BTreeMap<String, McpServer>;

/// A server and the tools of it that a role may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needed<'a> {
    pub(crate) name: &'a str,
    pub(crate) server: &'a McpServer,
    pub(crate) tools: Vec<&'a str>,
}

impl McpServer {
    /// What a person accepts: the command with its arguments, and the variables it sees.
    pub fn shown(&self) -> String {
        let words: Vec<String> =
            [&self.command].into_iter().chain(&self.args).map(|word| quoted(word)).collect();
        match self.env.as_slice() {
            [] => words.join(" "),
            env => format!("{} (is given {})", words.join(" "), env.join(", ")),
        }
    }
}

/// The server and the tool behind a name such as `mcp__context7__query-docs`; none for any other tool.
pub(crate) fn parts(tool: &str) -> Option<(&str, &str)> {
    tool.strip_prefix("mcp__")?.split_once("__")
}

/// Whether a tool belongs to a server that is not configured.
pub(crate) fn is_missing(servers: &McpServers, tool: &str) -> bool {
    parts(tool).is_some_and(|(server, _)| !servers.contains_key(server))
}

/// The servers that these tools need, by name. A server that no role needs is never started.
pub(crate) fn needed<'a>(servers: &'a McpServers, tools: &'a [String]) -> Vec<Needed<'a>> {
    let of_server = |(name, server): (&'a String, &'a McpServer)| {
        let own = tools.iter().filter_map(|tool| parts(tool)).filter(|(of, _)| of == name);
        let tools: Vec<&str> = own.map(|(_, tool)| tool).collect();
        (!tools.is_empty()).then_some(Needed { name, server, tools })
    };
    servers.iter().filter_map(of_server).collect()
}

/// The files and folders that the command lines of these servers name.
pub(crate) fn paths(servers: &McpServers, tools: &[String]) -> Vec<PathBuf> {
    let words = |needed: Needed<'_>| {
        let McpServer { command, args, .. } = needed.server.clone();
        [vec![command], args].concat()
    };
    let named = needed(servers, tools).into_iter().flat_map(words).map(PathBuf::from);
    named.filter(|path| path.is_absolute()).collect()
}

/// The names of the variables that all servers see.
pub(crate) fn variables(servers: &McpServers) -> impl Iterator<Item = &String> {
    servers.values().flat_map(|server| &server.env)
}

/// A word as a shell would need it, so that `a b` and `a`, `b` do not look alike.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers() -> McpServers {
        let context7 = McpServer {
            command: "npx".to_owned(),
            args: ["-y", "@upstash/context7-mcp"].map(str::to_owned).to_vec(),
            env: vec!["CONTEXT7_API_KEY".to_owned()],
        };
        let idle = McpServer { command: "idle".to_owned(), ..McpServer::default() };
        BTreeMap::from([("context7".to_owned(), context7), ("idle".to_owned(), idle)])
    }

    #[test]
    fn a_server_is_needed_where_a_tool_names_it() {
        let tools = ["Read", "mcp__context7__query-docs", "mcp__other__x"].map(str::to_owned);
        let servers = servers();
        let needed = needed(&servers, &tools);
        assert_eq!(needed.len(), 1);
        assert_eq!((needed[0].name, needed[0].tools.as_slice()), ("context7", &["query-docs"][..]));
        let missing: Vec<&String> = tools.iter().filter(|tool| is_missing(&servers, tool)).collect();
        assert_eq!(missing, ["mcp__other__x"]);
    }

    #[test]
    fn what_is_shown_tells_words_apart_and_names_the_variables() {
        let shown = servers()["context7"].shown();
        assert_eq!(shown, "npx -y @upstash/context7-mcp (is given CONTEXT7_API_KEY)");
        let odd = McpServer {
            command: "my server".to_owned(),
            args: ["", "it's", "a;b"].map(str::to_owned).to_vec(),
            ..McpServer::default()
        };
        assert_eq!(odd.shown(), r"'my server' '' 'it'\''s' 'a;b'");
    }
}
