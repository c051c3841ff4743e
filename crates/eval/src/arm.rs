//! An arm: one way of asking for a review. Arms are compared on the same cases.
//!
//! Written as `TEXT+STRATEGY+ROUND`, for example `ours`, `plain`, `ours+lazy+2` or `my-reviewer.md+inline`.

use core::fmt;
use core::str::FromStr;
use redraft_facts::choice::Strategy;
use redraft_facts::prelude::*;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arm {
    pub text: ArmText,
    pub strategy: Strategy,
    pub round: ReviewRound,
}

/// What the reviewer is told about its work.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArmText {
    /// The role's own text.
    Ours,
    /// Two sentences.
    Plain,
    /// A role text in a file.
    File(String),
}

/// Which review is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReviewRound {
    First,
    /// Of a revision that fixed some defects, left one and has a new one.
    Second,
}

impl ReviewRound {
    /// The round of an arm by its name, as files have it, with or without a role.
    pub fn from_arm_name(arm: &str) -> ReviewRound {
        let arm = arm.split('.').next().unwrap_or(arm);
        if arm.ends_with("-2") { ReviewRound::Second } else { ReviewRound::First }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadArm {
    #[error("`{0}` names no text; write `ours`, `plain`, or the path of a role text")]
    NoText(String),
    #[error(
        "`{0}` is neither a strategy (inline, lazy, digest or resume) nor a round (1 or 2); write for example ours+lazy+2"
    )]
    Unknown(String),
    #[error("`{arm}`: {strategy} sends what changed, so it needs a second round; write {arm}+2")]
    NothingChanged { arm: String, strategy: &'static str },
    #[error("`{0}`: the plain text knows one strategy only, inline")]
    PlainStrategy(String),
}

impl FromStr for Arm {
    type Err = BadArm;

    fn from_str(written: &str) -> Result<Arm, BadArm> {
        let mut parts = written.split('+');
        let text = match parts.next().unwrap_or_default().trim() {
            "" => return Err(BadArm::NoText(written.to_owned())),
            "ours" => ArmText::Ours,
            "plain" => ArmText::Plain,
            path => ArmText::File(path.to_owned()),
        };
        let mut arm = Arm { text, strategy: Strategy::Inline, round: ReviewRound::First };
        for part in parts {
            match part {
                "1" => arm.round = ReviewRound::First,
                "2" => arm.round = ReviewRound::Second,
                word => {
                    let known = Strategy::ALL.into_iter().find(|strategy| strategy.name() == word);
                    arm.strategy = known.ok_or_else(|| BadArm::Unknown(word.to_owned()))?;
                }
            }
        }
        if arm.text == ArmText::Plain && arm.strategy != Strategy::Inline {
            return Err(BadArm::PlainStrategy(written.to_owned()));
        }
        let of_changes = matches!(arm.strategy, Strategy::Digest | Strategy::Resume);
        if of_changes && arm.round == ReviewRound::First {
            return Err(BadArm::NothingChanged { arm: written.to_owned(), strategy: arm.strategy.name() });
        }
        Ok(arm)
    }
}

impl fmt::Display for Arm {
    /// As it is written in the names of files: without dots and slashes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match &self.text {
            ArmText::Ours => "ours".to_owned(),
            ArmText::Plain => "plain".to_owned(),
            ArmText::File(path) => {
                let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
                let name = name.strip_suffix(".md").unwrap_or(name);
                name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect()
            }
        };
        let round = match self.round {
            ReviewRound::First => 1,
            ReviewRound::Second => 2,
        };
        write!(f, "{text}-{}-{round}", self.strategy.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arm_is_a_text_a_strategy_and_a_round() {
        let name = |written: &str| written.parse::<Arm>().map(|arm| arm.to_string());
        assert_eq!(name("ours"), Ok("ours-inline-1".to_owned()));
        assert_eq!(name("ours+lazy+2"), Ok("ours-lazy-2".to_owned()));
        assert_eq!(name("texts/my reviewer.md+2"), Ok("my-reviewer-inline-2".to_owned()));
        for wrong in ["", "+2", "ours+fast", "ours+3", "ours+resume", "plain+lazy"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }
}
