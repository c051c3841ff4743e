//! The knowledge bank: what earlier features taught, as three Markdown files that people edit as well.
//!
//! Values and functions: which entries a file holds ([`Bank::read`]), the same file after some changes ([`apply`]),
//! which entries were not seen for long ([`stale`]), which ones are relevant to a feature ([`relevant`]) and which ones
//! a prompt should tell ([`select`]). It reads no file, asks no git and knows no agent: the caller says what the files
//! hold, in which order features were created and which files changed. Start at [`BankEntry`].

mod editor;
mod entry;
mod field;
mod gate;
mod life;
mod lines;
mod mark;
mod overlap;
mod reader;
mod seen;
mod select;
mod stored;
mod terms;
#[cfg(test)]
mod tests;
mod used;

pub use editor::{Applied, BankChange, EditRefused, EditRefusedWhy, NewEntry, apply, is_specific};
pub use entry::{Bank, BankEntry, BankFile, CheckedBy, Fields};
pub use gate::{raised, unknown_checks};
pub use life::{AnchorFiles, EntryLife, FeatureCreation, FeatureOrder, STALE_AFTER, backfill, stale};
pub use overlap::{FeatureRecord, Relevant, relevant};
pub use seen::{NamedFeature, Observed};
pub use select::{Index, Query, SelectedEntries, TOKENS_MAX, select};
pub use stored::{decode, encode};
pub use used::{Used, uses};

/// Where the files stand in a repository.
pub const FOLDER: &str = "docs/knowledge-bank";

/// Where retired entries are noted when no feature is under way. It holds no entries.
pub const RETIRED_FILE: &str = "docs/knowledge-bank/retired.md";
