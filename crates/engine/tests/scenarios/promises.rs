//! What every implementation of a port guarantees, played on the fakes and on the real things.

mod checking;
mod checks;
mod clock;
mod comments;
mod committing;
mod inbox;
mod merging;
mod putting_on;
mod restoring;
mod slots;
mod store;
mod workspace;

/// Plays each promise on both worlds.
macro_rules! kept_by_both {
    ($($name:ident),+ $(,)?) => {
        mod fake {
            $(#[test]
            fn $name() {
                super::$name(&crate::world::FakeWorld::new());
            })+
        }

        mod real {
            $(#[test]
            fn $name() {
                super::$name(&crate::real::RealWorld::new());
            })+
        }
    };
}

use kept_by_both;
