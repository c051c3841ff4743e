//! The key with which this user's Redraft signs what it stores, and how far it has signed each ledger.
//!
//! The key is made at first use and stands beside `trust.toml`, outside of every repository, for the user's eyes alone.
//! Beside it is a note for each ledger of the last entry that was signed, because a chain cannot show that its end was
//! cut off. What is signed, and what follows where a signature is missing, is not known here. Start at
//! [`Trust::signer`].

use crate::barrier::sync_folder;
use crate::plain_file;
use crate::trust::{RepositoryPlace, Trust, TrustError, private_file, private_folder};
use redraft_facts::text::hash;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::Serialize;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The key's file, beside `trust.toml`.
const FILE: &str = "signing-key";

/// The folder beside it with a note for each ledger.
const HEADS: &str = "heads";

const SEED_BYTES: usize = 32;
const PUBLIC_BYTES: usize = 32;

/// A key has two lines of text; a note one.
const FILE_BYTES_MAX: u64 = 4096;

/// Stands before the key, for a person who finds it.
const HEAD: &str =
    "# Redraft signs with this what it stores for you. Whoever reads it can sign in your name.\n";

/// The public half of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; PUBLIC_BYTES]);

impl PublicKey {
    /// In lower-case hex.
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The short form by which people compare keys.
impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digest = hash(&self.0).to_string();
        let part = |at: usize| digest.get(at..at + 4).unwrap_or_default();
        write!(f, "{}-{}-{}-{}", part(0), part(4), part(8), part(12))
    }
}

/// The last entry of a ledger that was signed here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedHead {
    pub seq: u64,
    /// Its checksum, in hex.
    pub chain: String,
    /// Which ledger it is.
    pub ledger: String,
}

/// Signs for one repository.
pub struct Signer {
    pair: Ed25519KeyPair,
    head: PathBuf,
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("public", &self.public()).finish_non_exhaustive()
    }
}

impl Signer {
    pub fn public(&self) -> PublicKey {
        let mut public = [0; PUBLIC_BYTES];
        public.copy_from_slice(self.pair.public_key().as_ref());
        PublicKey(public)
    }

    /// The public key and after it the signature of these parts. `what` keeps things of different kinds apart.
    pub fn sign(&self, what: &str, parts: &[&[u8]]) -> Vec<u8> {
        let mut signed = self.public().0.to_vec();
        signed.extend_from_slice(self.pair.sign(&message(what, parts)).as_ref());
        signed
    }

    /// Whether this key has signed these parts.
    pub fn has_signed(&self, what: &str, parts: &[&[u8]], signature: &[u8]) -> bool {
        signature.starts_with(&self.public().0) && whose(what, parts, signature).is_some()
    }

    /// How far the ledger was signed; none where that was never noted, or the note was lost in a power cut.
    pub fn head(&self) -> Option<SignedHead> {
        let text = plain_file::read_text(&self.head, FILE_BYTES_MAX).ok()?;
        let mut words = text.strip_suffix('\n')?.split(' ');
        let (seq, chain, ledger) = (words.next()?.parse().ok()?, words.next()?, words.next()?);
        Some(SignedHead { seq, chain: chain.to_owned(), ledger: ledger.to_owned() })
    }

    /// Notes it. An older note than the ledger deserves says less and nothing wrong, so it is not synced, and one that
    /// cannot be written stays as it was.
    pub fn keep_head(&self, head: &SignedHead) {
        let SignedHead { seq, chain, ledger } = head;
        // All have the same length, so that no part of a longer one is left.
        let line = format!("{seq:020} {chain} {ledger}\n");
        let folder = self.head.parent().unwrap_or(Path::new("/"));
        let file = || File::options().write(true).create(true).truncate(false).mode(0o600).open(&self.head);
        let written = file().or_else(|_| private_folder(folder).and_then(|()| file()));
        let _ = written.and_then(|file| file.write_all_at(line.as_bytes(), 0));
    }
}

/// What stands beside something that is kept in a file until it is stored: a signature, in hex, of it and of what it
/// belongs to. Nothing without a key.
pub(crate) fn mark(
    signer: Option<&Signer>,
    what: &str,
    of: &[&str],
    kept: &impl Serialize,
) -> Result<Option<String>, String> {
    let Some(signer) = signer else { return Ok(None) };
    let bytes = serde_json::to_vec(kept).map_err(|error| error.to_string())?;
    let parts: Vec<&[u8]> = of.iter().map(|part| part.as_bytes()).chain([bytes.as_slice()]).collect();
    Ok(Some(signer.sign(what, &parts).iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// Whether it is as it was kept: the same is always signed in the same way. Without a key nobody asks.
pub(crate) fn has_mark(
    signer: Option<&Signer>,
    what: &str,
    of: &[&str],
    kept: &impl Serialize,
    found: Option<&String>,
) -> bool {
    signer.is_none() || mark(signer, what, of, kept).is_ok_and(|expected| expected.as_ref() == found)
}

/// The key that has signed these parts; none where the signature is not one of them.
pub fn whose(what: &str, parts: &[&[u8]], signature: &[u8]) -> Option<PublicKey> {
    let (public, signature) = signature.split_at_checked(PUBLIC_BYTES)?;
    UnparsedPublicKey::new(&ED25519, public).verify(&message(what, parts), signature).ok()?;
    Some(PublicKey(public.try_into().ok()?))
}

/// No two different lists of parts give the same bytes.
fn message(what: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in [&[what.as_bytes()], parts].concat() {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    bytes
}

impl Trust {
    /// The user's key, to sign for a repository. The first time it is made.
    pub fn signer(&self, place: RepositoryPlace<'_>, state: &Path) -> Result<Signer, TrustError> {
        let file = self.key_file().ok_or(TrustError::NoFolder)?;
        let pair = match read(&file)? {
            Some(pair) => pair,
            None => {
                let _held = self.hold()?;
                // Somebody may have made it between the two looks.
                match read(&file)? {
                    Some(pair) => pair,
                    None => make(&file)?,
                }
            }
        };
        Ok(Signer { pair, head: file.with_file_name(HEADS).join(self.name_of_state(place, state)) })
    }

    /// The public half of the user's key, if there is one; looking makes none.
    pub fn own_key(&self) -> Result<Option<PublicKey>, TrustError> {
        let Some(file) = self.key_file() else { return Ok(None) };
        let pair = read(&file)?;
        Ok(pair.map(|pair| Signer { pair, head: PathBuf::new() }.public()))
    }

    fn key_file(&self) -> Option<PathBuf> {
        Some(self.file()?.with_file_name(FILE))
    }
}

/// Reads a key that nobody else can have read or replaced.
fn read(file: &Path) -> Result<Option<Ed25519KeyPair>, TrustError> {
    let wrong = |detail: String| TrustError::Key { file: file.to_owned(), detail };
    let text = match plain_file::read_text(file, FILE_BYTES_MAX) {
        Err(error) if error.is_absent(file) => return Ok(None),
        text => text.map_err(|error| wrong(error.to_string()))?,
    };
    let folder = file.parent().unwrap_or(Path::new("/"));
    for (path, others) in [(file, 0o077), (folder, 0o022)] {
        let found = fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
        if found.mode() & others != 0 || found.uid() != rustix::process::geteuid().as_raw() {
            return Err(TrustError::KeyOpen(path.to_owned()));
        }
    }
    let line = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    let seed =
        line.strip_prefix("ed25519 ").and_then(unhex).ok_or_else(|| wrong("it has no key".to_owned()))?;
    let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| wrong("it has no key".to_owned()))?;
    Ok(Some(pair))
}

/// Draws a key and brings it to disk before anything is signed with it. The caller holds the folder.
fn make(file: &Path) -> Result<Ed25519KeyPair, TrustError> {
    let failed = |error: io::Error| TrustError::Unwritable { file: file.to_owned(), error };
    let drawn = ring::rand::generate::<[u8; SEED_BYTES]>(&SystemRandom::new());
    let no_chance = |_| failed(io::Error::other("the system gives no random numbers"));
    let seed = drawn.map_err(no_chance)?.expose();
    let digits: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = file.with_extension("part");
    let _ = fs::remove_file(&part);
    let mut written = private_file(&part).map_err(failed)?;
    written.write_all(format!("{HEAD}ed25519 {digits}\n").as_bytes()).map_err(failed)?;
    written.sync_all().map_err(failed)?;
    fs::rename(&part, file).map_err(failed)?;
    sync_folder(file.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
    read(file)?.ok_or_else(|| failed(io::Error::other("it is gone again")))
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let seed: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    (seed.len() == SEED_BYTES).then_some(seed)
}

#[cfg(test)]
mod tests;
