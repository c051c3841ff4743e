//! Every way in which an agent can fail or misbehave, and what becomes of it.

use super::{Scenario, in_every_way};

in_every_way!(TABLE);

pub(crate) const TABLE: [Scenario; 33] = [
    (
        "an answer that broke off is asked for again, and what was reserved for it counts",
        "
        spec-author is cut off
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 failed
        then it has cost $0.05
        ",
    ),
    (
        "an agent that gives up is billed and asked again",
        "
        spec-author gives up
        spec-author writes spec.md
        spec-reviewer gives up
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then it has cost $0.05
        ",
    ),
    (
        "a failed attempt leaves nothing behind, not even what its role may write, and what it wrote is kept",
        "
        spec-author writes `half a spec` to spec.md
        and is cut off
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then failed tells `removed docs/features/001-feature/spec.md`
        then `half a spec` is kept under 001/specify.1/draft/spec-author/1.1
        then spec-author was not told `half a spec`
        ",
    ),
    (
        "an agent that is refused is a question at once, whatever attempts are left",
        "
        spec-author is refused
        the run asks `spec-author gave no usable answer in 1 attempt: the key is not accepted`
        a person decides retry
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then it has cost $0.03
        ",
    ),
    (
        "a busy service is waited for, and the attempt is made again",
        "
        spec-author is busy for 5 seconds
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 failed
        ",
    ),
    (
        "a service that is busy for longer than anybody waits parks the run",
        "
        spec-author is busy for 2 hours
        the run is parked
        the run is parked
        2 hours pass
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "a usage limit parks the run until it ends, and nobody is asked before",
        "
        spec-author writes spec.md
        spec-reviewer is over its limit for 30 minutes
        the run is parked
        10 minutes pass
        the run is parked
        then spec-reviewer was asked once
        30 minutes pass
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then it has cost $0.03
        ",
    ),
    (
        "only the agent that is over its limit is held back",
        "
        spec-reviewer is played by another
        another costs $0.01 of $0.02
        spec-author writes spec.md
        spec-reviewer is over its limit for 30 minutes
        the run is parked
        a person changes `within 10 seconds` to `within 5 seconds` in spec.md
        the run is parked
        then the ledger has 1 edited
        ",
    ),
    (
        "a conversation that is lost is begun anew with everything in it",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer loses its conversation
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer began anew
        then spec-reviewer was told `within 5 seconds`
        ",
    ),
    (
        "a conversation that was compacted is not gone on with",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within 10 seconds`
        and its conversation is compacted
        spec-author changes `within 10 seconds` to `within 5 seconds` in spec.md
        spec-reviewer approves with S1 fixed
        phase-reviewer approves
        the run is done
        then spec-reviewer began anew
        then answered tells `was summed up`
        ",
    ),
    (
        "an answer that is no verdict is repaired in the same conversation",
        "
        spec-author writes spec.md
        spec-reviewer says `it seems fine to me`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then started tells `/repair/spec-reviewer/`
        then spec-reviewer went on with its conversation
        ",
    ),
    (
        "where repairs do not help, the review is asked for anew, and in the end a person is asked",
        "
        at most 2 attempts
        spec-author writes spec.md
        spec-reviewer says `fine`
        spec-reviewer says `fine`
        spec-reviewer says `fine`
        spec-reviewer says `fine`
        the run asks `spec-reviewer gave no usable answer in 2 attempts`
        a person decides retry
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        ",
    ),
    (
        "an agent without conversations is asked anew instead of being asked to repair",
        "
        scripted keeps no conversations
        spec-author writes spec.md
        spec-reviewer says `it seems fine to me`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 4 started
        then started does not tell `/repair/`
        then spec-reviewer began anew
        ",
    ),
    (
        "what was to have a form and has none is no verdict, whatever it says",
        "
        spec-author writes spec.md
        spec-reviewer says `{\"approved\": true, \"summary\": \"\", \"answers\": [], \"issues\": []}` in no form
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 4 started
        ",
    ),
    (
        "a finding that quotes what nobody wrote does not count",
        "
        spec-author writes spec.md
        spec-reviewer objects to `within a fortnight`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 drafted
        ",
    ),
    (
        "what a reviewer writes is undone, kept and told, and its verdict counts",
        "
        spec-author writes spec.md
        spec-reviewer approves
        and writes `changed` to README.md
        and writes `a note` to notes/new.md
        phase-reviewer approves
        the run is done
        then README.md does not say `changed`
        then notes/new.md is gone
        then answered tells `restored README.md`
        then answered tells `removed notes/new.md`
        then `a note` is kept under 001/specify.1/review/spec-reviewer/1.1
        ",
    ),
    (
        "an author that writes elsewhere keeps its document and nothing else",
        "
        spec-author writes spec.md
        and writes `mine` to src/mine.rs
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then src/mine.rs is gone
        then spec.md says `within 10 seconds`
        ",
    ),
    (
        "commits of an agent are undone and kept, and what it may write stays",
        "
        spec-author writes spec.md
        and commits `all mine`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `undid 1 commit of the agent`
        then `within 10 seconds` is kept under 001/specify.1/draft/spec-author/1.1
        then the commits are `redraft: specify approved | redraft: specify draft`
        ",
    ),
    (
        "an agent that switches to a branch of its own is brought back, and its branch is deleted",
        "
        spec-author switches to branch `mine`
        and writes spec.md
        and commits `all mine`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `moved HEAD back to feature/001-feature`
        ",
    ),
    (
        "branches and tags that appear meanwhile are named and left",
        "
        spec-author writes spec.md
        and makes branch `somebodys`
        and makes tag `v1`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `branch somebodys was made meanwhile`
        then answered tells `tag v1 was made meanwhile`
        ",
    ),
    (
        "an agent that leaves the branch, stages files and begins a cherry-pick is put back in order",
        "
        spec-author writes spec.md
        and stages spec.md
        and leaves the branch
        and begins a cherry-pick
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `ended an unfinished cherry-pick`
        then answered tells `put the index back`
        ",
    ),
    (
        "a hook of an agent's is removed, and its document stays",
        "
        spec-author writes spec.md
        and makes a hook `pre-push`
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `removed .git/hooks/pre-push, which was made meanwhile`
        ",
    ),
    (
        "an agent that hides files from git has done nothing, and is asked again",
        "
        spec-author writes spec.md
        and hides `secret.md` from git
        and writes `hidden` to secret.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `undid all of the attempt`
        then secret.md is gone
        ",
    ),
    (
        "a link that leads out is no document",
        "
        spec-author links `/etc/hostname` from spec.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `which was a link that leads out of the worktree`
        then spec-author was asked twice
        ",
    ),
    (
        "a link in a circle is no document",
        "
        spec-author links `spec.md` from spec.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `which was a link that leads out of the worktree`
        then spec-author was asked twice
        ",
    ),
    (
        "a pipe is no document",
        "
        spec-author puts a pipe in the place of spec.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `took out docs/features/001-feature/spec.md, which was no ordinary file`
        then spec-author was asked twice
        ",
    ),
    (
        "a folder is no document",
        "
        spec-author writes `x` to docs/features/001-feature/spec.md/x.md
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `took out docs/features/001-feature/spec.md, which was a folder`
        then spec-author was asked twice
        ",
    ),
    (
        "a worktree that an agent removed is made anew, and the attempt counts for nothing",
        "
        spec-author writes spec.md
        and removes the worktree
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then answered tells `made the worktree`
        then README.md says `# a project`
        ",
    ),
    (
        "the user stops the run: what is under way is lost and billed, and the same command goes on",
        "
        spec-author writes `half` to spec.md
        and the user stops the run
        and is stopped
        the run is interrupted
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 lost
        then it has cost $0.04
        ",
    ),
    (
        "the user lets the run end: what is under way is finished, and nothing new is begun",
        "
        spec-author writes spec.md
        and the user lets the run end
        the run is interrupted
        then spec-reviewer was asked never
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has no lost
        ",
    ),
    (
        "a bug in an agent's thread ends the run with an error, and the next run loses the attempt",
        "
        spec-author writes `half` to spec.md
        and crashes
        the run fails with `an agent's thread ended in a panic`
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has 1 lost
        then lost tells `removed docs/features/001-feature/spec.md`
        ",
    ),
    (
        "an answer that outlived the process that asked for it is adopted",
        "
        spec-author crashes
        the run fails with `an agent's thread ended in a panic`
        the answer `{\"approved\": true, \"summary\": \"late\", \"answers\": [], \"issues\": []}` outlives the process
        spec-author writes spec.md
        spec-reviewer approves
        phase-reviewer approves
        the run is done
        then the ledger has no lost
        then drafted tells `is missing or empty`
        ",
    ),
    (
        "a role that nobody plays is named before anything is sent",
        "
        spec-reviewer is played by nobody
        the run fails with `nobody plays spec-reviewer`
        then the ledger has no started
        ",
    ),
];
