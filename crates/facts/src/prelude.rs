//! The part of `alloc` that every file here needs and that `no_std` takes out of scope.

pub use alloc::borrow::ToOwned;
pub use alloc::collections::{BTreeMap, BTreeSet};
pub use alloc::format;
pub use alloc::string::{String, ToString};
pub use alloc::vec;
pub use alloc::vec::Vec;
