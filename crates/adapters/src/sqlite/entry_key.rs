//! Signs entries: the checksum of each, which covers all before it, with its number, its scope and the ledger it is of.
//!
//! What is signed is a stored format, as is the signature: the public key, then what it has signed.

use super::chain::Tip;
use crate::signing::{PublicKey, Signer, whose};
use std::sync::Arc;
use uuid::Uuid;

/// Keeps signatures of entries apart from those of anything else.
const WHAT: &str = "redraft ledger entry 1";

/// The user's key as it signs one ledger.
#[derive(Debug)]
pub(super) struct EntryKey {
    pub(super) signer: Arc<Signer>,
    pub(super) ledger: Uuid,
}

impl EntryKey {
    pub(super) fn sign(&self, tip: Tip, scope: &str) -> Vec<u8> {
        self.signer.sign(WHAT, &parts(&self.ledger, &tip.seq.to_le_bytes(), &tip.chain, scope))
    }

    pub(super) fn has_signed(&self, tip: Tip, scope: &str, signature: &[u8]) -> bool {
        let seq = tip.seq.to_le_bytes();
        self.signer.has_signed(WHAT, &parts(&self.ledger, &seq, &tip.chain, scope), signature)
    }
}

/// Whose signature of an entry this is; none where it is nobody's.
pub(super) fn signed_by(ledger: &Uuid, tip: Tip, scope: &str, signature: &[u8]) -> Option<PublicKey> {
    whose(WHAT, &parts(ledger, &tip.seq.to_le_bytes(), &tip.chain, scope), signature)
}

fn parts<'a>(ledger: &'a Uuid, seq: &'a [u8; 8], chain: &'a [u8; 32], scope: &'a str) -> [&'a [u8]; 4] {
    [ledger.as_bytes(), seq, chain, scope.as_bytes()]
}
