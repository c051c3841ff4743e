//! What Claude Code may reach in a dispatch.

use super::{ClaudeAgent, flags};
use crate::mcp;
use crate::programs::{Demand, Room, desk_of};
use redraft_adapters::child::Environment;
use redraft_engine::ports::{AgentError, Request};
use redraft_facts::event::AfterFailure;
use std::ffi::OsString;
use std::path::Path;

/// Where its requests go, and where a login is renewed.
const SERVICE: [&str; 4] = ["api.anthropic.com", "claude.ai", "platform.claude.com", "console.anthropic.com"];

impl ClaudeAgent {
    /// What the program may reach in a dispatch: its folder, its login, and the texts that it is started with.
    pub(super) fn room(&self, request: &Request, out: &Path) -> Result<Room, AgentError> {
        let mut demand = Demand {
            program: self.program.path(),
            folder: &request.folder,
            writes: !request.may_write.is_empty(),
            environment: flags::environment(&self.settings, request),
            read: vec![self.sessions.folder(&request.session), out.to_owned()],
            write: vec![desk_of(out)],
            addresses: &self.settings.extra_args,
            service: None,
        };
        // What a server of tools connects to is its own business.
        let tools = !mcp::needed(&self.settings.mcp, &request.tools).is_empty();
        if !tools && !is_elsewhere(&demand.environment) {
            demand.service = Some(&SERVICE);
        }
        demand.read.extend(mcp::paths(&self.settings.mcp, &request.tools));
        let ready = self.home.as_ref().map_or(Ok(()), |home| {
            demand.read.extend(home.read());
            demand.write.extend(home.login.write());
            home.make_ready()
        });
        let room = ready.and_then(|()| self.settings.containment.room(demand));
        room.map_err(|error| {
            self.error(AfterFailure::AskPerson, &format!("its sandbox: {error}"), AgentError::UNBILLED)
        })
    }
}

/// Whether the user's variables lead it to a cloud, whose hosts depend on account and region.
fn is_elsewhere(environment: &Environment) -> bool {
    let on = |value: &OsString| !value.is_empty() && value != "0" && value != "false";
    let named = |name: &OsString| name.to_string_lossy().starts_with("CLAUDE_CODE_USE_");
    environment.0.iter().any(|(name, value)| named(name) && on(value))
}
