//! The model against its formulas, the decision against its promises.

mod all;
mod dearer;
mod drawn;
mod formulas;
mod live;
mod promises;
mod replays;
mod world;
mod worlds;
