//! What Codex may reach in a dispatch.

use super::{CodexAgent, flags};
use crate::mcp;
use crate::programs::{Demand, Room, desk_of};
use redraft_engine::ports::{AgentError, Request};
use redraft_facts::event::AfterFailure;
use std::path::Path;
use std::{fs, io};

/// The user's settings of Codex.
const SETTINGS: &str = "config.toml";
/// Where its requests go, with a key or with a login, and where a login is renewed.
const SERVICE: [&str; 3] = ["api.openai.com", "chatgpt.com", "auth.openai.com"];

impl CodexAgent {
    /// What the program may reach in a dispatch: its folder, its login and settings, the form of the answer,
    /// and the desk at which it asks for checks.
    pub(super) fn room(&self, request: &Request, out: &Path) -> Result<Room, AgentError> {
        let mut read = vec![out.to_owned()];
        read.extend(mcp::paths(&self.settings.mcp, &request.tools));
        let (mut write, mut addresses) = (vec![desk_of(out)], self.settings.extra_args.clone());
        let ready = self.home.as_ref().map_or(Ok(()), |home| {
            read.extend(home.read());
            write.extend(home.write());
            home.make_ready()?;
            home.copy(SETTINGS)?;
            // Its providers are named there.
            addresses.extend(fs::read_to_string(home.from.join(SETTINGS)));
            Ok(())
        });
        let demand = Demand {
            program: self.program.path(),
            folder: &request.folder,
            writes: !request.may_write.is_empty(),
            environment: flags::environment(&self.settings, request),
            read,
            write,
            addresses: &addresses,
            // What a server of tools connects to is its own business.
            service: mcp::needed(&self.settings.mcp, &request.tools).is_empty().then_some(&SERVICE),
        };
        let room = ready.and_then(|()| self.settings.containment.room(demand));
        room.map_err(|error: io::Error| {
            self.error(AfterFailure::AskPerson, &format!("its sandbox: {error}"), AgentError::UNBILLED)
        })
    }
}
