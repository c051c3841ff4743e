//! Time for limits, which is not the time of day.

use std::time::Duration;

/// A point on a clock that never jumps and stands still while the machine sleeps. Only the span between two of them means
/// anything, and there is no way from here to the time of day: a limit measured by that would end an agent at work when
/// the clock is set, and never end one that hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Duration);

impl Moment {
    /// The moment this long after the clock's zero.
    pub const fn after(time: Duration) -> Moment {
        Moment(time)
    }

    /// So many milliseconds later.
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Moment {
        Moment(self.0.saturating_add(Duration::from_millis(ms)))
    }

    /// The milliseconds since an earlier moment.
    pub fn ms_since(self, earlier: Moment) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0).as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_counted_from_the_earlier_moment_and_is_never_negative() {
        let at = |ms| Moment::after(Duration::from_millis(ms));
        assert_eq!((at(70).ms_since(at(20)), at(20).ms_since(at(70)), at(7).ms_since(at(7))), (50, 0, 0));
        assert_eq!(at(20).plus_ms(50), at(70));
        assert!(at(20).plus_ms(u64::MAX) > at(70));
    }
}
