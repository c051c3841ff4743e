//! The expected cost of the rest of a feature, stored with the question before code is written.
//!
//! Only values: `reports::estimate` computes them. Start at [`Forecast`].

use crate::ids::{AgentName, Role};
use crate::prelude::*;
use crate::text::count;
use crate::usage::Usd;
use serde::{Deserialize, Serialize};

/// What is expected, role by role. Stored with the question before code is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forecast {
    /// Only the roles whose agents cost money.
    pub roles: Vec<RoleForecast>,
    /// How many tasks are carried out; none where no code is written.
    pub tasks: Option<u32>,
    /// Whether that number is an assumption, because there is no list of tasks yet.
    pub tasks_assumed: bool,
    /// What the budget had left when this was made.
    #[serde(rename = "left_micro_usd")]
    pub left: Usd,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleForecast {
    pub role: Role,
    pub agent: AgentName,
    pub dispatches: u32,
    #[serde(rename = "expected_micro_usd")]
    pub cost: Usd,
    /// From the bills of how many earlier features of the repository; 0 where it is computed from sizes.
    pub features: u32,
}

impl Forecast {
    pub fn cost(&self) -> Usd {
        self.roles.iter().fold(Usd(0), |sum, role| sum + role.cost)
    }

    pub fn dispatches(&self) -> u32 {
        self.roles.iter().map(|role| role.dispatches).sum()
    }

    /// `about $1.2345 for 19 dispatches, 8 tasks among them`.
    pub fn in_a_line(&self) -> String {
        let mut line = format!("about {} for {}", self.cost(), count(self.dispatches() as usize, "dispatch"));
        if let Some(tasks) = self.tasks {
            let assumed = if self.tasks_assumed { " (assumed: there is no list yet)" } else { "" };
            line.push_str(&format!(", with {}{assumed}", count(tasks as usize, "task")));
        }
        line
    }

    /// What a person should know of the budget before they say yes.
    pub fn shortage(&self) -> Option<String> {
        (self.cost() > self.left).then(|| {
            format!("the budget has {} left, which is less: the run will stop before the end", self.left)
        })
    }
}
