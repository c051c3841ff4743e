//! A fake model provider: an HTTP server on loopback that speaks the vendors' protocols and keeps their cache
//! rules, so that agents, adapters and the real client programs can be tested without a model or a network.
//!
//! It answers what a [`Script`] says and nothing else; it knows no adapter, no role and no prompt of Redraft. Start
//! reading at [`Provider`] and [`Reply`]; `server` owns the threads, `shared` is what they share, `exchange` plays one reply, `messages`, `chat` and
//! `responses` shape it for one protocol each, `cache` and `prefixes` count tokens, and `faulty` makes models that
//! misremember.

mod answer;
mod cache;
mod chat;
mod conversation;
mod dialect;
mod exchange;
mod faulty;
mod http;
mod messages;
mod prefixes;
mod prompt;
mod raw;
mod recorded;
mod responses;
mod script;
mod server;
mod shared;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use cache::Charge;
pub use conversation::{all_text, last_user_text, tool_names, tool_results, was_tool_used};
pub use faulty::{FieldToDamage, forgetting, miscounting};
pub use raw::continues;
pub use recorded::RecordedRequest;
pub use script::{Reply, Script, ScriptedCall};

/// A running fake provider. It owns its threads: dropping it ends every connection and joins them all.
///
/// A script that panics (say, by an assertion) fails the test that owns the provider, at the latest when the
/// provider is dropped.
pub struct Provider {
    server: server::Server,
}

/// What a test may set before the provider starts.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// The smallest prefix, in tokens, that the Anthropic cache keeps. Vendors differ by model.
    pub minimum_cacheable: u64,
    /// What `GET /v1/models` lists. Requests may name any model.
    pub models: Vec<String>,
}

impl Default for ProviderSettings {
    fn default() -> ProviderSettings {
        ProviderSettings { minimum_cacheable: 1_024, models: vec!["fake-model".to_owned()] }
    }
}

impl Provider {
    /// Listens on a free port of 127.0.0.1 and lets the script answer.
    pub fn start(script: impl Script + 'static) -> Provider {
        Provider::start_with(ProviderSettings::default(), script)
    }

    pub fn start_with(settings: ProviderSettings, script: impl Script + 'static) -> Provider {
        Provider { server: server::Server::start(settings, Box::new(script)) }
    }

    /// Gives these replies one after the other; the last one repeats.
    pub fn answering(replies: Vec<Reply>) -> Provider {
        Provider::start(script::Answering::new(replies))
    }

    /// Where it listens, without a path: `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Every request that arrived whole since the start or the last reset, in order of arrival.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.server.shared().requests()
    }

    /// What the prompt of each answered request was billed as, in order.
    pub fn bills(&self) -> Vec<Charge> {
        self.server.shared().state().bills.clone()
    }

    /// Forgets the recorded requests. The script and the caches keep what they know.
    pub fn reset_requests(&self) {
        self.server.shared().reset_requests();
    }

    /// Blocks until this many requests are recorded. Fails the test when they do not come within 30 seconds.
    #[track_caller]
    pub fn wait_for_requests(&self, count: usize) -> Vec<RecordedRequest> {
        let limit = Duration::from_secs(30);
        let Some(requests) = self.server.shared().wait_for_requests(count, limit) else {
            crate::fail(&format!("{} of {count} requests arrived within {limit:?}", self.requests().len()));
        };
        requests
    }

    /// Moves the clock by which cache entries expire. It never moves by itself.
    pub fn advance(&self, by: Duration) {
        self.server.shared().advance(by);
    }

    /// Lets one reply that is [`Reply::Held`] or [`Reply::HeldAfter`] go on: one that waits now or, if there is none,
    /// the next one.
    pub fn release(&self) {
        self.server.shared().release();
    }
}
