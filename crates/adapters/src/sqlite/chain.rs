//! The chain of checksums: each event's covers its own fields and the checksum before it.
//!
//! The bytes that are hashed are a stored format. Numbers are little-endian and texts follow their length, so
//! that no two different events give the same bytes.

use sha2::{Digest, Sha256};

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
    pub(super) body: &'a str,
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
        text(&mut sha, link.body);
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

    const LINK: Link<'_> =
        Link { at_ms: 5, scope: "031", kind: "cancelled", version: 1, body: r#"{"by":"ada","why":"no"}"# };

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
    }

    #[test]
    fn every_field_counts_and_none_runs_into_the_next() {
        let of = |link: Link<'_>| Chain::after(Tip::default()).extend(&link).chain;
        let others = [
            Link { at_ms: 6, ..LINK },
            Link { scope: "03", kind: "1cancelled", ..LINK },
            Link { scope: "repo", ..LINK },
            Link { kind: "cancelle", body: r#"d{"by":"ada","why":"no"}"#, ..LINK },
            Link { version: 2, ..LINK },
            Link { body: "{}", ..LINK },
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
