//! How long a cache entry lasts after it was written or last read.

use crate::ids::BadId;
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

/// The lifetimes vendors sell, shortest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Lifetime {
    #[serde(rename = "5m")]
    FiveMinutes,
    #[serde(rename = "30m")]
    HalfHour,
    #[serde(rename = "1h")]
    Hour,
    #[serde(rename = "12h")]
    HalfDay,
}

impl Lifetime {
    pub const ALL: [Lifetime; 4] =
        [Lifetime::FiveMinutes, Lifetime::HalfHour, Lifetime::Hour, Lifetime::HalfDay];

    pub fn name(self) -> &'static str {
        match self {
            Lifetime::FiveMinutes => "5m",
            Lifetime::HalfHour => "30m",
            Lifetime::Hour => "1h",
            Lifetime::HalfDay => "12h",
        }
    }

    pub fn seconds(self) -> u64 {
        match self {
            Lifetime::FiveMinutes => 5 * 60,
            Lifetime::HalfHour => 30 * 60,
            Lifetime::Hour => 60 * 60,
            Lifetime::HalfDay => 12 * 60 * 60,
        }
    }
}

impl fmt::Display for Lifetime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Lifetime {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        Lifetime::ALL
            .into_iter()
            .find(|lifetime| lifetime.name() == word)
            .ok_or_else(|| BadId::new(word, "a cache lifetime (5m, 30m, 1h, 12h)"))
    }
}
