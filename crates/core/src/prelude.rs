//! The part of `alloc` that every file here needs and that `no_std` takes out of scope.

pub(crate) use alloc::borrow::ToOwned;
pub(crate) use alloc::collections::{BTreeMap, BTreeSet};
pub(crate) use alloc::format;
pub(crate) use alloc::string::{String, ToString};
pub(crate) use alloc::vec;
pub(crate) use alloc::vec::Vec;
