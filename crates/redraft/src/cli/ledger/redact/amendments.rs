//! What a redaction writes into the ledger instead of what is there.

use super::{Job, Ready};
use redraft_adapters::git::Rewritten;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Store as _;
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::BlobId;
use redraft_facts::removal::Renamed;
use redraft_facts::text::hash;
use redraft_facts::ticket::Scope;
use redraft_frame::errors::CliError;
use std::collections::BTreeMap;

/// Blobs may name blobs, and those others; none of ours goes deeper.
const NAMING_MAX: usize = 8;

impl Job<'_> {
    /// New bodies and blobs: without the secret, and with the new ids of objects and blobs.
    pub(super) fn amendments(&self, rewritten: Rewritten) -> Result<Ready, CliError> {
        let mut renamed = rewritten.renamed.clone();
        let ids = self.ledger.blob_ids()?;
        let mut blobs: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for _ in 0..NAMING_MAX {
            let before = renamed.clone();
            for id in &ids {
                let bytes = self.ledger.blob(id)?;
                let cleaned = self.removal.apply(&bytes).map(|(bytes, _)| bytes);
                let new = renamed.apply(cleaned.as_deref().unwrap_or(&bytes)).or(cleaned);
                if let Some(new) = new {
                    renamed.0.insert(id.to_string(), hash(&new).to_string());
                    blobs.insert(id.to_string(), new);
                }
            }
            if renamed == before {
                break;
            }
        }
        let mut bodies = Vec::new();
        self.ledger.each_body(&mut |seq, _, _, _, body| {
            if let Some(new) = self.cleaned_body(&renamed, &body) {
                bodies.push((seq, new));
            }
        })?;
        let blobs = blobs.into_iter().map(|(id, bytes)| (BlobId::new(id), bytes)).collect();
        Ok(Ready { rewritten, bodies, blobs })
    }

    /// Refuses a text whose removal would break the form of an event or the meaning of a feature, such as the name of a
    /// role.
    pub(super) fn require_sense(&self, bodies: &[(u64, String)]) -> Result<(), CliError> {
        let new: BTreeMap<u64, &String> = bodies.iter().map(|(seq, body)| (*seq, body)).collect();
        let mut scopes: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        let mut wrong = None;
        self.ledger.each_body(&mut |seq, scope, kind, version, body| {
            let body = new.get(&seq).map_or(&body, |body| *body);
            match Event::decode(kind, version, body) {
                Ok(event) => scopes.entry(scope.to_owned()).or_default().push(Entry { seq, at_ms: 0, event }),
                Err(_) if new.contains_key(&seq) => wrong = wrong.or(Some(seq)),
                // An event that only a newer program can read holds nothing that is replaced.
                Err(_) => {}
            }
        })?;
        for (scope, entries) in &scopes {
            let loops = matches!(scope.parse(), Ok(Scope::Feature(_) | Scope::Review(_)));
            if loops && wrong.is_none() && Pipeline::replay(entries).is_err() {
                wrong = entries.iter().map(|entry| entry.seq).find(|seq| new.contains_key(seq));
            }
        }
        match wrong {
            None => Ok(()),
            Some(seq) => Err(CliError::usage(format!(
                "the text cannot be removed: event {seq} would make no sense without it"
            ))
            .hint("it is part of a word that redraft itself uses; nothing was changed")),
        }
    }

    /// A body without the secret and with the new ids; none if it stays as it is.
    pub(super) fn cleaned_body(&self, renamed: &Renamed, body: &str) -> Option<String> {
        let before: serde_json::Value = serde_json::from_str(body).ok()?;
        let mut value = before.clone();
        self.removal.apply_to_json(&mut value);
        // A feature is found by its name.
        let slug =
            before.get("slug").filter(|slug| self.named.iter().any(|named| named.slug.as_str() == **slug));
        if let (Some(slug), Some(place)) = (slug, value.get_mut("slug")) {
            place.clone_from(slug);
        }
        let cleaned = (value != before).then(|| value.to_string());
        let text = cleaned.as_deref().unwrap_or(body);
        match renamed.apply(text.as_bytes()) {
            Some(bytes) => String::from_utf8(bytes).ok(),
            None => cleaned,
        }
    }
}
