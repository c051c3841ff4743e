//! What somebody who looks back on the made-up feature is sent, for each of the two questions.

use super::super::retro::{RetroBrief, retro};
use super::Sample;
use crate::ids::Role;
use crate::phase::Phase;
use crate::policy::Strategy;
use crate::prelude::*;
use crate::profile::{self, Override, Profile};
use crate::ticket::Purpose;

const FEATURE: &str = "031-key-limits";

/// As [`crate::retro::bundle()`] makes it, shortened.
const BUNDLE: &str = "\
## Phases

- specify pass 1: closed
- implement pass 1: closed

| name | figure |
|---|---|
| {dispatches} | 9 |
| {rounds} | 4 |
| {findings} | 2 |
| {specify.rounds} | 3 |
| {implement.failed_checks} | 1 |

## Review History

```markdown
# Review history: 031-key-limits

## specify stage 1, iteration 1 — 2026-11-15 09:30:05 UTC
- Reviewer: spec-reviewer (lazy, 031/specify.1/review/spec-reviewer/1.1)
- Decision: rejected
- [blocker] [testability] S1: No number says when a key is over its limit. (at: docs/features/031-key-limits/spec.md:6 (Requirements)) (open)
```

## Implementation Log

```markdown
# Implementation Log

## Task 1.1: Count the requests of a key
- **Files changed:** src/counter.rs
- **Decisions:** a minute is counted from a key's first request
- **Deviations:** none
- **Concerns:** none
```

## Git Summary

```
src/counter.rs +41 -0
src/gateway.rs +6 -1
```

## Artifact Sizes

```
spec.md: 1,204 bytes
```
";

/// As [`crate::retro::judge_bundle`] makes it, shortened.
const LESSONS: &str = "\
## Lessons of Earlier Features

### B1, anti-pattern: A limit without a number

Why it is asked about: shares the words limit, number with S1

```markdown
A requirement that sets a limit and names no number is built by guessing.
```

### B2, heuristic: Count from the full minute

Why it is asked about: shares the words count, minute with the decisions of task 1.1

```markdown
Windows of time begin at the full minute, so that all servers agree.
```

## What This Feature Did

### Files

```
src/counter.rs +41 -0
src/gateway.rs +6 -1
```

### Decisions

```
task 1.1, decided: a minute is counted from a key's first request
```

### Findings

```
S1 [blocker, fixed] docs/features/031-key-limits/spec.md:6 (Requirements): No number says when a key is over its limit.
```
";

/// Every kind of dispatch of the role.
pub(in crate::prompt) fn each(visit: &mut dyn FnMut(&str, &RetroBrief<'_>)) {
    for (purpose, bundle) in [(Purpose::Retro, BUNDLE), (Purpose::Judge, LESSONS)] {
        let Some(profile) = of(purpose) else { continue };
        let brief = brief(profile, purpose, bundle);
        visit(purpose.name(), &brief);
        let why = Some("the answer holds no JSON object");
        visit(&format!("{purpose}, once more"), &RetroBrief { repair: why, ..brief });
    }
}

/// What the role is sent; everything stands in the prompt, whichever strategy is asked for.
pub(super) fn sample(role: &Role, purpose: Option<Purpose>, own: Option<&Override>) -> Option<Sample> {
    profile::of(Phase::Finish, role)?;
    let purpose = purpose.unwrap_or(Purpose::Retro);
    let bundle = match purpose {
        Purpose::Retro => BUNDLE,
        Purpose::Judge => LESSONS,
        _ => return None,
    };
    let brief = RetroBrief { text: own, ..brief(of(purpose)?, purpose, bundle) };
    Some(Sample { prompt: retro(&brief), purpose, strategy: Strategy::Inline })
}

fn of(purpose: Purpose) -> Option<&'static Profile> {
    profile::of_dispatch(Phase::Finish, &profile::author(Phase::Finish), purpose, &[])
}

fn brief<'a>(profile: &'a Profile, purpose: Purpose, bundle: &'a str) -> RetroBrief<'a> {
    RetroBrief { profile, text: None, missing: &[], feature: FEATURE, purpose, bundle, repair: None }
}
