//! Draws that follow from a seed, so that the same seed always plants the same defects.

use redraft_facts::prelude::*;

/// A sequence of numbers that look random (splitmix64).
#[derive(Debug, Clone)]
pub struct Draw(u64);

impl Draw {
    /// `name` gives every document its own sequence, whatever else is planted in the same run.
    pub fn new(seed: u64, name: &str) -> Draw {
        let mixed = name.bytes().fold(seed ^ 0x9e37_79b9_7f4a_7c15, |mixed, byte| {
            (mixed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Draw(mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % (end.max(1) as u64)) as usize
    }

    /// The same in another order.
    pub fn shuffled<T>(&mut self, mut items: Vec<T>) -> Vec<T> {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_and_another_name_draws_something_else() {
        let draws = |seed, name| {
            let mut draw = Draw::new(seed, name);
            (0..8).map(|_| draw.below(1_000)).collect::<Vec<_>>()
        };
        assert_eq!(draws(7, "spec.md"), draws(7, "spec.md"));
        assert_ne!(draws(7, "spec.md"), draws(8, "spec.md"));
        assert_ne!(draws(7, "spec.md"), draws(7, "plan.md"));
    }

    #[test]
    fn a_shuffle_keeps_everything() {
        let mut shuffled = Draw::new(1, "x").shuffled((0..50).collect());
        assert_ne!(shuffled, (0..50).collect::<Vec<_>>());
        shuffled.sort_unstable();
        assert_eq!(shuffled, (0..50).collect::<Vec<_>>());
    }
}
