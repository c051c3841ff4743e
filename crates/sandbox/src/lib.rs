//! What a command may reach, and the kernel's means of holding it to that.
//!
//! [`Policy`] is a value: which paths, which network, how much. [`profile`] makes the one for the project's own
//! commands. [`enter`] has the kernel hold the calling thread, and whatever it starts, to a policy; it then tries what
//! must not work and returns the [`Level`] that was really reached. [`hint`] explains what a command that was held
//! back has printed. Nothing here knows checks, worktrees or the ledger. Start at [`enter`].

mod hint;
mod level;
mod policy;
pub mod profile;

#[cfg(target_os = "linux")]
mod linux;

pub use hint::hint;
pub use level::{Gap, Level};
pub use policy::{Access, Forbidden, Grant, Limits, Network, Policy, Tcp};

/// The name of the means that this machine would use.
#[cfg(target_os = "linux")]
pub const ENGINE: &str = "Landlock and seccomp";
#[cfg(not(target_os = "linux"))]
pub const ENGINE: &str = "no engine";

/// Holds the calling thread and everything it starts from now on to a policy, for good. Other threads stay as they are.
#[cfg(target_os = "linux")]
pub fn enter(policy: &Policy) -> Level {
    linux::enter(policy)
}

#[cfg(not(target_os = "linux"))]
pub fn enter(_policy: &Policy) -> Level {
    Level::None("there is no sandbox for this operating system yet".to_owned())
}

/// What [`enter`] would reach here, found out in a thread that then ends.
pub fn reached(policy: &Policy) -> Level {
    std::thread::scope(|scope| {
        let tried = scope.spawn(|| enter(policy)).join();
        tried.unwrap_or_else(|_| Level::None("trying it ended in a panic".to_owned()))
    })
}

/// Holds the calling process and what it starts to those limits that the kernel keeps: the size of a file, and no file
/// with the memory of a program that crashed.
#[cfg(target_os = "linux")]
pub fn limit(limits: &Limits) -> std::io::Result<()> {
    linux::limit(limits)
}

#[cfg(not(target_os = "linux"))]
pub fn limit(_limits: &Limits) -> std::io::Result<()> {
    Ok(())
}

/// The largest amount of memory that a command may use here, where the policy does not say.
#[cfg(target_os = "linux")]
pub fn usual_memory() -> u64 {
    linux::usual_memory()
}

#[cfg(not(target_os = "linux"))]
pub fn usual_memory() -> u64 {
    u64::MAX
}
