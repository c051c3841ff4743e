//! The model against its formulas, the decision against its promises.

mod formulas;
mod live;
mod promises;
mod replays;
mod world;
