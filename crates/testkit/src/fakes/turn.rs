//! A scripted turn: what an agent does and says when it is asked.

use redraft_engine::ports::{Comment, Outcome};
use redraft_facts::event::AfterFailure;
use redraft_facts::ids::{Role, TaskId};
use redraft_facts::ticket::{Purpose, Ticket, Unit};
use redraft_facts::usage::{Usage, Usd};

/// One answer, given once, to the first question it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedTurn {
    pub when: Answers,
    pub does: Vec<Deed>,
    pub says: TurnEnd,
}

/// Which question a turn answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answers {
    /// Whatever comes next.
    Next,
    Ticket(Ticket),
    Role(Role),
    Purpose(Purpose),
    /// The role that carries out a task.
    Task(Role, TaskId),
}

impl Answers {
    pub(super) fn is(&self, ticket: &Ticket) -> bool {
        match self {
            Answers::Next => true,
            Answers::Ticket(of) => of == ticket,
            Answers::Role(of) => *of == ticket.role,
            Answers::Purpose(of) => *of == ticket.purpose,
            Answers::Task(of, task) => *of == ticket.role && ticket.unit == Unit::Task(task.clone()),
        }
    }
}

/// What an agent does before it answers, allowed or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Writes a file below the folder it was given.
    Put(String, String),
    /// Adds to the end of one, which need not be there yet.
    Add(String, String),
    /// Finds this text in a file below that folder; anything else is a bug.
    Find(String, String),
    Take(String),
    Stage(String),
    Commit(String),
    SwitchToNew(String),
    Detach,
    Branch(String),
    MoveBranch(String),
    DeleteBranch(String),
    Tag(String),
    Link(String, String),
    Pipe(String),
    Nest(String),
    PutGit(String, String),
    BeginCherryPick,
    RemoveWorktree,
    /// Says what it is doing.
    Tell(String),
    /// Asks for this much money in all; if refused, it ends there as over budget.
    Afford(Usd),
    /// Has spent this much, granted or not.
    Owe(Usd),
    /// Has a check of the project run once more.
    Check(String),
    /// Waits until this many agents are at work at the same time.
    Meet(usize),
    /// Waits until this many of those whom it has met are gone.
    LetGo(usize),
    /// This much time passes.
    Wait(u64),
    /// The user asks the run to stop, at once or when what is under way is done.
    StopRun,
    LeaveRun,
    /// The user comments while it works.
    Comment(Comment),
}

/// How a dispatch ends.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEnd {
    Text(String),
    /// An answer with everything around it.
    Outcome(Box<Outcome>),
    /// Without an answer. Unknown usage is none.
    Fails {
        now: AfterFailure,
        detail: String,
        usage: Option<Usage>,
    },
    /// The run was asked to stop, and the agent did.
    Interrupted(Option<Usage>),
    /// A bug of ours: its thread ends in a panic.
    Panics,
}
