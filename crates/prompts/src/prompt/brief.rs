//! The input of one prompt, as the engine hands it over.

use super::code_brief::{CodeBrief, ProjectCheck};
use super::sizes::LAZY_ARTIFACT_BYTES_MAX;
use redraft_documents::conventions::Conventions;
use redraft_facts::choice::Strategy;
use redraft_facts::findings::{Finding, SettledFinding, Threshold};
use redraft_facts::ids::{Revision, Role};
use redraft_facts::prelude::*;
use redraft_facts::ticket::Purpose;
use redraft_roles::profile::{Profile, ProfileKind, RoleText};

/// Where a feature's files are. Paths are relative to the agent's working folder. Stable fragments are made of
/// this and of a profile only, so it must never hold anything that changes within a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeaturePaths<'a> {
    /// `docs/features/031-x`
    pub folder: &'a str,
    pub prd: Prd<'a>,
    /// The files of the profile that are not there, other than the PRD.
    pub absent: &'a [Absent<'a>],
    /// `docs/features/031-x/spec.md`: what is written and reviewed.
    pub artifact: &'a str,
    /// What the feature is about, for authors.
    pub idea: &'a str,
    /// What the user asked for, for reviewers that compare with it. Empty where nobody asked: a document or a change that
    /// is reviewed by itself, a feature that was taken over.
    pub asked: &'a str,
}

/// A file that a role is given where it exists, and that does not exist here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absent<'a> {
    /// `design.md`
    pub name: &'a str,
    /// Why, in a few words; where there is nothing to say, the file is not mentioned either.
    pub why: &'a str,
}

/// What an author asked, and the answer; an empty answer leaves it to the author's own assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweredQuestion<'a> {
    pub question: &'a str,
    pub assumed: &'a str,
    pub answer: &'a str,
}

/// What reviewers warned of in a document that they approved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Warned<'a> {
    /// `spec.md`
    pub document: &'a str,
    pub findings: &'a [&'a Finding],
}

/// A finding that the author declined, with what was said about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disputed<'a> {
    pub finding: &'a Finding,
    /// The author's last reason.
    pub reply: &'a str,
    /// What the reviewer said to it; none if it has not been asked.
    pub answer: Option<&'a str>,
    /// Who upheld the finding, and why.
    pub upheld: Option<(&'a str, &'a str)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prd<'a> {
    File(&'a str),
    /// Its path, where the prompt has what is needed of it: the problem and the goals.
    InPart(&'a str),
    None,
}

/// A file the phase builds on, as it stands in the revision seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upstream<'a> {
    /// What it is called among the artifacts, wherever it is: `prd.md`.
    pub name: &'a str,
    pub path: &'a str,
    pub bytes: &'a [u8],
    /// Whether every role of the phase is given it, so that all of them can share it in a cache.
    pub shared: bool,
}

/// One dispatch.
#[derive(Debug, Clone, Copy)]
pub struct Brief<'a> {
    pub profile: &'a Profile,
    /// The repository's own text for the role.
    pub text: Option<&'a RoleText>,
    /// Tools of the role that its agent cannot offer. The same in every round: another agent starts a new conversation.
    pub missing: &'a [String],
    pub place: FeaturePaths<'a>,
    /// The project the feature belongs to: its goals, what comes before, what it is worth. The same all through a phase.
    pub project: Option<&'a str>,
    /// What the repository says about how work is done in it. The same all through a loop.
    pub conventions: &'a Conventions,
    /// The project's checks, for those who plan what has to pass them. The same all through a loop.
    pub checks: &'a [ProjectCheck<'a>],
    /// Which open findings stand in the way of an approval. The same all through a loop.
    pub rule: Threshold,
    pub purpose: Purpose,
    pub strategy: Strategy,
    /// The bytes of the artifact at the revision seen.
    pub artifact: Option<&'a [u8]>,
    /// The contents of the files the profile names and the phase does not write, for strategies that send them.
    pub upstream: &'a [Upstream<'a>],
    /// The unified diff since the role last saw the artifact; for the author, what others changed.
    pub delta: Option<&'a str>,
    /// The author's summaries since the role last saw the artifact, oldest first.
    pub fix_summaries: &'a [String],
    /// The open findings the role has to answer.
    pub findings: &'a [&'a Finding],
    /// For whoever writes next: the warnings about the document before.
    pub warned: Warned<'a>,
    /// What people have said about this phase and is not among these, oldest first.
    pub comments: &'a [&'a Finding],
    /// Findings among them that the author declined; for a reviewer, only those whose reply it has not been shown.
    pub disputed: &'a [Disputed<'a>],
    /// For a reviewer: whether it has judged this very revision and is asked once more only because of the replies.
    pub hearing: bool,
    /// For a reviewer: what people have settled in the feature, oldest first.
    pub settled: &'a [SettledFinding],
    /// For a phase reviewer: how the domain review ended.
    pub outcome: Option<DomainOutcome<'a>>,
    /// For the author: the evidence of a failed gate.
    pub gate: Option<&'a str>,
    /// Mechanical faults that hold nothing up, one line each.
    pub lint: &'a [String],
    /// For the author: whether it may ask before it drafts.
    pub may_ask: bool,
    /// The answers to what the author asked.
    pub answers: &'a [AnsweredQuestion<'a>],
    /// For the author: whether a mini-spec is wanted, which nobody will review.
    pub mini: bool,
    /// For the author: its last turn left the file as it was and answered nothing.
    pub unchanged: bool,
    /// For the author: what that turn said.
    pub said: &'a str,
    pub round: u16,
    pub rounds_max: u16,
    /// For a validation: the round of the role's last review.
    pub last_round: u16,
    /// A conversation that should have been continued is gone.
    pub unavailable: bool,
    /// Why the last answer could not be used.
    pub repair: Option<&'a str>,
    /// The same, for a new conversation that is asked for the answer instead.
    pub void: Option<&'a str>,
    /// What earlier features taught, one line each, as far as it bears on this dispatch.
    pub lessons: &'a [String],
    /// The facts for a dispatch about code; none where it is about a document.
    pub code: Option<CodeBrief<'a>>,
}

impl<'a> Brief<'a> {
    /// A first review by paths, with nothing found before.
    pub fn first_review(profile: &'a Profile, place: FeaturePaths<'a>) -> Brief<'a> {
        Brief {
            profile,
            text: None,
            missing: &[],
            place,
            project: None,
            conventions: const { &Conventions { files: Vec::new() } },
            checks: &[],
            rule: Threshold::Blockers,
            purpose: Purpose::Review,
            strategy: Strategy::Lazy,
            artifact: None,
            upstream: &[],
            delta: None,
            fix_summaries: &[],
            findings: &[],
            warned: Warned { document: "", findings: &[] },
            comments: &[],
            disputed: &[],
            hearing: false,
            settled: &[],
            outcome: None,
            gate: None,
            lint: &[],
            may_ask: false,
            answers: &[],
            mini: false,
            unchanged: false,
            said: "",
            round: 1,
            rounds_max: 5,
            last_round: 0,
            unavailable: false,
            repair: None,
            void: None,
            lessons: &[],
            code: None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct DomainOutcome<'a> {
    pub reviewer: &'a Role,
    pub result: DomainResult<'a>,
    /// What was still open; suggestions are not shown, because they never hold anything up.
    pub unresolved: &'a [&'a Finding],
}

#[derive(Debug, Clone, Copy)]
pub enum DomainResult<'a> {
    Approved {
        round: u16,
        max: u16,
        revision: &'a Revision,
    },
    /// A person accepted what was open, at the cap or before it.
    Failed {
        round: u16,
        max: u16,
        revision: &'a Revision,
    },
}

impl Brief<'_> {
    /// Whether the document under review stands in a fresh prompt; otherwise its reader opens it by its path. A phase
    /// reviewer does, and whoever reads files anyway and is given a long one, or what changed in it.
    pub fn holds_artifact(&self, strategy: Strategy) -> bool {
        let short = || self.artifact.is_none_or(|bytes| bytes.len() <= LAZY_ARTIFACT_BYTES_MAX);
        match strategy {
            Strategy::Inline => true,
            Strategy::Lazy | Strategy::Digest | Strategy::Resume => {
                self.profile.kind == ProfileKind::Domain && !self.goes_on() && short()
            }
        }
    }

    /// Whether a reviewer goes on with the review of its role: it is told what changed since, and what was answered.
    pub fn goes_on(&self) -> bool {
        let reviews = self.profile.kind != ProfileKind::Author;
        let purpose = match self.purpose {
            // Where nothing changed and nothing is open there is nothing to go on with.
            Purpose::Review => self.delta != Some("") || !self.findings.is_empty(),
            purpose => purpose == Purpose::Validate,
        };
        reviews && purpose && self.delta.is_some()
    }

    /// Whether a reviewer rules once more on what its role found in this very text: because of replies, or because its
    /// author changed nothing.
    pub(super) fn is_same_again(&self) -> bool {
        self.hearing || self.purpose == Purpose::Review && self.goes_on() && self.delta == Some("")
    }
}

/// The strategy asked for, or the nearest one in which the dispatch makes sense.
pub(super) fn possible(brief: &Brief<'_>) -> Strategy {
    match (brief.purpose, brief.strategy) {
        // A certificate is worth something only from a conversation that saw no earlier revision, and only if it
        // sees the whole document.
        (Purpose::Certify, Strategy::Resume | Strategy::Digest) => Strategy::Lazy,
        // A repair speaks of the last answer, which a new conversation has never seen.
        (Purpose::Repair, _) => Strategy::Resume,
        // An author works on the whole document, and a reviewer that never saw it is not asked about a part of it.
        (_, Strategy::Digest) if brief.profile.kind == ProfileKind::Author || brief.delta.is_none() => {
            Strategy::Lazy
        }
        (_, strategy) => strategy,
    }
}
