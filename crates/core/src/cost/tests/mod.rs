//! The model against its formulas, the decision against its promises.

mod formulas;
mod promises;
mod replays;
mod world;
