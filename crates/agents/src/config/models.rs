//! Decides which model an agent is called with: the one that is written, as its vendor spells it, or the default of its
//! kind.

use super::ModelKind;
use super::builtin_cards::builtin_cards;
use super::error::ConfigError;
use super::file::AgentFile;
use super::source::Source;
use redraft_cost::price::{Card, MILLION_MARK};
use toml::Spanned;

impl Source<'_> {
    /// The name that is sent and priced. Where the file gives the service's address, only that service knows the names
    /// of its models: the name is taken as it is written, and there is no default.
    pub(super) fn model_name(
        &self,
        name: &Spanned<String>,
        file: &AgentFile,
        kind: ModelKind,
    ) -> Result<String, ConfigError> {
        let written = file.model.as_ref().map(|model| model.get_ref().trim()).filter(|text| !text.is_empty());
        let elsewhere = file.base_url.as_ref().is_some_and(|url| !url.get_ref().trim().is_empty());
        let has_price = file.price.as_ref().is_some_and(|price| !price.get_ref().trim().is_empty());
        match (written, elsewhere) {
            (Some(written), true) => Ok(written.to_owned()),
            (Some(written), false) if is_free(written) && !has_price => {
                let message = format!(
                    "the agent `{}` names the model `{written}`, which costs nothing, and no server of your own",
                    name.get_ref()
                );
                Err(self.wrong(&name.span(), message).hint(way_out(kind)))
            }
            (Some(written), false) => Ok(sent(written, kind)),
            (None, false) => {
                Ok(builtin_cards().default_model(kind.name()).expect("a test asks for that of every kind"))
            }
            (None, true) => {
                let message = format!("the agent `{}` has a base_url and names no model", name.get_ref());
                let hint = "add a line `model = \"NAME\"`, with the name of the model on that server";
                Err(self.wrong(&name.span(), message).hint(hint))
            }
        }
    }
}

/// Whether a model costs nothing by its mere name, as a model on the user's own server does.
pub(super) fn is_free(model: &str) -> bool {
    builtin_cards().find(model).is_ok_and(Card::is_free)
}

/// A vendor bills whatever name it is sent, so only a server can make a model free.
fn way_out(kind: ModelKind) -> &'static str {
    match kind {
        ModelKind::Claude | ModelKind::Codex => {
            "name the model you pay for; if the program itself is set up to use a server of yours, add `price \
                = \"local\"`"
        }
        ModelKind::Anthropic | ModelKind::OpenAi => {
            "add a line `base_url = \"http://…\"` with the address of that server, or name a model of the vendor"
        }
    }
}

/// A model that has a card goes by its vendor's name, so that what is billed is what was priced. The mark for a context
/// of a million tokens is Claude Code's own; no service knows it.
fn sent(written: &str, kind: ModelKind) -> String {
    let Some(name) = builtin_cards().vendors_name(written) else { return written.to_owned() };
    match kind {
        ModelKind::Claude => name,
        ModelKind::Codex | ModelKind::Anthropic | ModelKind::OpenAi => {
            name.strip_suffix(MILLION_MARK).unwrap_or(&name).to_owned()
        }
    }
}
