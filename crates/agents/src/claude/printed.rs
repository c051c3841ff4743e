//! Reads the pieces that several kinds of printed lines have in common: counts of tokens, and lists.

use crate::billing;
use redraft_facts::choice::Lifetime;
use redraft_facts::usage::{Usage, Usd};
use serde_json::Value;

/// The counts of one request or result, without a price.
pub(super) fn tokens(usage: &Value) -> Usage {
    let count = |name: &str| billing::count(&usage[name]).unwrap_or_default();
    Usage {
        uncached: count("input_tokens"),
        written: count("cache_creation_input_tokens"),
        read: count("cache_read_input_tokens"),
        output: count("output_tokens"),
        cost: Usd(0),
    }
}

/// The tokens written to the cache, by lifetime.
pub(super) fn written(by_lifetime: &Value) -> Vec<(Lifetime, u64)> {
    let names =
        [(Lifetime::FiveMinutes, "ephemeral_5m_input_tokens"), (Lifetime::Hour, "ephemeral_1h_input_tokens")];
    let told = names
        .into_iter()
        .filter_map(|(lifetime, name)| Some((lifetime, billing::count(&by_lifetime[name])?)));
    told.filter(|(_, tokens)| *tokens > 0).collect()
}

pub(super) fn plus(mut sum: Usage, more: Usage) -> Usage {
    sum += more;
    sum
}

/// The entries of a list; none where it is no list.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
