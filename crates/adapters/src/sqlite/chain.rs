//! The chain of checksums: each event's covers its own fields and the checksum before it.
//!
//! The bytes that are hashed are a stored format. Numbers are little-endian and texts follow their length, so
//! that no two different events give the same bytes. Layout 1 hashed the body itself. Since layout 2 the chain covers a
//! salted hash of it: once body and salt are gone, nobody can try out what the body said, and the chain still holds.

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Random bytes that make the hash of a short body as hard to guess as that of a long one.
pub(super) type Salt = [u8; 16];

pub(super) fn new_salt() -> Salt {
    Uuid::new_v4().into_bytes()
}

/// What the chain knows of a body.
pub(super) fn body_hash(salt: &[u8], body: &str) -> [u8; 32] {
    let mut sha = Sha256::new();
    sha.update(salt);
    text(&mut sha, body);
    sha.finalize().into()
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
    pub(super) at_ms: i64,
    pub(super) scope: &'a str,
    pub(super) kind: &'a str,
    pub(super) version: u16,
    pub(super) content: Content<'a>,
}

/// What stands for the body in the chain.
#[derive(Debug, Clone, Copy)]
pub(super) enum Content<'a> {
    /// In layout 1 the body itself.
    Body(&'a str),
    Hash(&'a [u8; 32]),
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
        sha.update(link.at_ms.to_le_bytes());
        text(&mut sha, link.scope);
        text(&mut sha, link.kind);
        sha.update(link.version.to_le_bytes());
        match link.content {
            Content::Body(body) => text(&mut sha, body),
            Content::Hash(hash) => sha.update(hash),
        }
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
    const LINK: Link<'_> =
        Link { at_ms: 5, scope: "031", kind: "cancelled", version: 1, content: Content::Body(BODY) };

    fn hex(tip: Tip) -> String {
        tip.chain.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_hashed_bytes_never_change() {
        let mut chain = Chain::after(Tip::default());
        assert_eq!(
            hex(chain.extend(&LINK)),
            "30eff7e2d59ef5c7b59cc2a81a9296dc6939d02a64b76dabd110411e0340ce78"
        );
        assert_eq!(
            hex(chain.extend(&LINK)),
            "c1e6c32a2f600bb80ef3c3f81bb5be7b22ef9d742ff30afab36e483bdc418a75"
        );
        assert_eq!(chain.tip().seq, 2);
        let hash = body_hash(&[7; 16], BODY);
        let mut chain = Chain::after(Tip::default());
        let link = Link { content: Content::Hash(&hash), ..LINK };
        assert_eq!(
            hex(chain.extend(&link)),
            "fc8416d7c0bbe5e07c02fa8c3c5714714a0f09137c386dd92ca99966f09244a8"
        );
        assert_eq!(
            hex(chain.extend(&link)),
            "65afd9e85a96ac90dde11eb55488cbe7a9e135fa484caa75a2dbbc4fead1d318"
        );
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
            Link { at_ms: 6, ..LINK },
            Link { scope: "03", kind: "1cancelled", ..LINK },
            Link { scope: "repo", ..LINK },
            Link { kind: "cancelle", content: Content::Body(r#"d{"by":"ada","why":"no"}"#), ..LINK },
            Link { version: 2, ..LINK },
            Link { content: Content::Body("{}"), ..LINK },
            Link { content: Content::Hash(&[1; 32]), ..LINK },
            Link { content: Content::Hash(&[2; 32]), ..LINK },
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
