//! Tests of the bank, by subject.

mod editing;
mod living;
mod matching;
mod random;
mod reading;
mod using;

use super::*;
use redraft_facts::prelude::*;

/// A file in the form used by the workflow we grew from.
pub(super) const ANTI_PATTERNS: &str = "\
# Anti-Patterns

Known issues to avoid.

---

## Observed Anti-Patterns

### Anti-Pattern: Working in Wrong Worktree
Making changes in the main checkout when a worktree exists.
- Observed in: Feature #002
- Cost: Had to stash and move
- Instead: Check `git worktree list`

### Anti-Pattern: Relative Paths in Hooks
Using relative paths in `hooks/run.sh` breaks in subfolders.
- Observed in: Plugin cache staleness bug
- Confidence: high

```bash
# ### Anti-Pattern: Not One
```

<!-- Example format:
### Anti-Pattern: Premature Optimization
Text.
- Observed in: Feature #035
-->

---

### Anti-Pattern: Skipping Review ⚠️ STALE
Reviews catch what tests do not.
- Observed in: Feature #003
- Last observed: Feature #004
- Observation count: 2
- Challenged: Feature #009 — `small.rs` was merged without one
";

pub(super) fn entries(kind: BankFile, text: &str) -> Vec<BankEntry> {
    Bank::read(&[(kind, text.to_owned())]).entries
}

pub(super) fn names(text: &str) -> Vec<String> {
    entries(BankFile::AntiPattern, text).into_iter().map(|entry| entry.name).collect()
}
