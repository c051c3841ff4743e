//! The chain of checksums: each event's covers its own fields and the checksum before it.
//!
//! The bytes that are hashed are a stored format. Numbers are little-endian and texts follow their length, so that no
//! two different events give the same bytes. A body is covered by a salted hash of it: once body and salt are gone, the
//! body cannot be guessed by trial, and the chain still holds.

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Random bytes that make the hash of a short body as hard to guess as that of a long one.
pub(super) type Salt = [u8; 16];

pub(super) fn new_salt() -> Salt {
    Uuid::new_v4().into_bytes()
}

/// What the chain records of a body.
pub(super) fn body_hash(salt: &[u8], body: &str) -> [u8; 32] {
    let mut sha = Sha256::new();
    sha.update(salt);
    text(&mut sha, body);
    sha.finalize().into()
}

/// A hash as events and exported lines name it.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The end of the ledger: everything before it follows from these two values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tip {
    /// The number of the last event; 0 in an empty ledger.
    pub seq: u64,
    /// Its checksum; zeros in an empty ledger.
    pub chain: [u8; 32],
}

/// The fields of an event as they are stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link<'a> {
    pub(super) writer: &'a str,
    pub(super) at_ms: i64,
    pub(super) scope: &'a str,
    pub(super) kind: &'a str,
    pub(super) version: u16,
    pub(super) body_hash: &'a [u8; 32],
}

/// Walks along the chain, either to extend it or to check it.
#[derive(Debug)]
pub(super) struct Chain {
    tip: Tip,
}

impl Chain {
    pub(super) fn after(tip: Tip) -> Chain {
        Chain { tip }
    }

    pub(super) fn tip(&self) -> Tip {
        self.tip
    }

    /// Goes on by one event and returns its number and checksum.
    pub(super) fn extend(&mut self, link: &Link<'_>) -> Tip {
        let seq = self.tip.seq + 1;
        let mut sha = Sha256::new();
        sha.update(self.tip.chain);
        sha.update(seq.to_le_bytes());
        text(&mut sha, link.writer);
        sha.update(link.at_ms.to_le_bytes());
        text(&mut sha, link.scope);
        text(&mut sha, link.kind);
        sha.update(link.version.to_le_bytes());
        sha.update(link.body_hash);
        self.tip = Tip { seq, chain: sha.finalize().into() };
        self.tip
    }
}

fn text(sha: &mut Sha256, text: &str) {
    sha.update((text.len() as u64).to_le_bytes());
    sha.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#"{"by":"ada","why":"no"}"#;
    const HASH: [u8; 32] = [7; 32];
    const LINK: Link<'_> =
        Link { writer: "w", at_ms: 5, scope: "031", kind: "cancelled", version: 1, body_hash: &HASH };

    fn hex(tip: Tip) -> String {
        tip.chain.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_hashed_bytes_never_change() {
        let hash = body_hash(&[7; 16], BODY);
        let mut chain = Chain::after(Tip::default());
        let link = Link { body_hash: &hash, ..LINK };
        assert_eq!(
            hex(chain.extend(&link)),
            "57f7d93f866db695390526a74bd80ba5f7218809f81642a0fd28df535e151346"
        );
        assert_eq!(
            hex(chain.extend(&link)),
            "b86c109bbae0d90bc54384871730d0b38d45e636a780a342496d03e772815451"
        );
        assert_eq!(chain.tip().seq, 2);
    }

    #[test]
    fn the_hash_of_a_body_depends_on_its_salt() {
        assert_ne!(body_hash(&[1; 16], BODY), body_hash(&[2; 16], BODY));
        assert_ne!(body_hash(&[1; 16], BODY), body_hash(&[1; 16], "{}"));
        assert_ne!(new_salt(), new_salt());
    }

    #[test]
    fn every_field_counts_and_none_runs_into_the_next() {
        let of = |link: Link<'_>| Chain::after(Tip::default()).extend(&link).chain;
        let others = [
            Link { writer: "v", ..LINK },
            Link { at_ms: 6, ..LINK },
            Link { scope: "03", kind: "1cancelled", ..LINK },
            Link { scope: "repo", ..LINK },
            Link { kind: "cancelle", ..LINK },
            Link { version: 2, ..LINK },
            Link { body_hash: &[1; 32], ..LINK },
            Link { body_hash: &[2; 32], ..LINK },
        ];
        let mut seen: Vec<[u8; 32]> = others.into_iter().map(of).collect();
        seen.push(of(LINK));
        seen.push(Chain::after(Tip { seq: 1, ..Tip::default() }).extend(&LINK).chain);
        seen.push(Chain::after(Tip { chain: [1; 32], ..Tip::default() }).extend(&LINK).chain);
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }
}
