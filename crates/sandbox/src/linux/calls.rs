//! System calls that no build and no test needs and that reach past the rules about files: refused by seccomp.

use crate::policy::Network;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};
use std::collections::BTreeMap;

/// Refused with EPERM, whatever the arguments.
const REFUSED: &[i64] = &[
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
];

/// Answered as by a kernel that does not have them, for which programs have another way.
const UNKNOWN: &[i64] =
    &[libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register, libc::SYS_clone3];

/// New namespaces.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

const TYPE: u64 = 0xf;
/// Packets without the family for packets.
const OBSOLETE: i32 = 10;
const UNIX: u64 = libc::AF_UNIX as u64;
const NETLINK: u64 = libc::AF_NETLINK as u64;
const INTERNET: [u64; 2] = [libc::AF_INET as u64, libc::AF_INET6 as u64];

/// Refuses the calls from here on. False where the processor is one that no filter can be made for.
/// In a network of its own nothing but itself can be sent datagrams.
pub(super) fn refuse(network: &Network, private: bool) -> Result<bool, String> {
    let Ok(processor) = TargetArch::try_from(std::env::consts::ARCH) else { return Ok(false) };
    let wrong = |error: &dyn std::fmt::Display| format!("the kernel took no filter of system calls: {error}");
    let program = |rules: Rules, code: i32| -> Result<BpfProgram, String> {
        let action = SeccompAction::Errno(code.unsigned_abs());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, processor);
        filter.and_then(BpfProgram::try_from).map_err(|error| wrong(&error))
    };
    let network = Network { udp: network.udp || private, ..network.clone() };
    let refused = rules(&network).map_err(|error| wrong(&error))?;
    let unknown = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    for filter in [program(refused, libc::EPERM)?, program(unknown, libc::ENOSYS)?, other_numbers()] {
        seccompiler::apply_filter(&filter).map_err(|error| wrong(&error))?;
    }
    Ok(true)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules(network: &Network) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let namespaces = NAMESPACES.map(|flag| when([has(0, flag.unsigned_abs().into())]));
    rules.insert(libc::SYS_clone, namespaces.into_iter().collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_socket, sockets(network)?);
    // Keys typed into somebody else's terminal.
    let typed = [libc::TIOCSTI, libc::TIOCLINUX].map(|command| when([is(1, command)]));
    rules.insert(libc::SYS_ioctl, typed.into_iter().collect::<Result<_, _>>()?);
    // A connection that is opened by sending is not asked about by Landlock.
    let opening =
        |flags: u8| when([has(flags, libc::MSG_FASTOPEN.unsigned_abs().into())]).map(|rule| vec![rule]);
    rules.insert(libc::SYS_sendto, opening(3)?);
    rules.insert(libc::SYS_sendmsg, opening(2)?);
    rules.insert(libc::SYS_sendmmsg, opening(3)?);
    // The limits of other processes.
    rules.insert(libc::SYS_prlimit64, vec![when([is_not(0, 0)])?]);
    Ok(rules)
}

/// Streams of the internet, the list of interfaces, and what the configuration adds.
fn sockets(network: &Network) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let mut known = vec![INTERNET[0], INTERNET[1], NETLINK];
    if network.unix {
        known.push(UNIX);
    }
    let mut refused =
        vec![when(known.into_iter().map(|family| is_not(0, family)))?, when([is(0, NETLINK), is_not(2, 0)])?];
    for family in INTERNET {
        let kinds = [libc::SOCK_RAW, libc::SOCK_SEQPACKET, libc::SOCK_DCCP, OBSOLETE];
        let kinds = kinds.into_iter().chain((!network.udp).then_some(libc::SOCK_DGRAM));
        for kind in kinds {
            refused.push(when([is(0, family), kind_is(kind)])?);
        }
        // Other protocols than TCP and UDP are not what Landlock asks about: MPTCP, SCTP, and pings.
        for (kind, protocol) in
            [(libc::SOCK_STREAM, libc::IPPROTO_TCP), (libc::SOCK_DGRAM, libc::IPPROTO_UDP)]
        {
            let protocol = u64::from(protocol.unsigned_abs());
            refused.push(when([is(0, family), kind_is(kind), is_not(2, 0), is_not(2, protocol)])?);
        }
    }
    Ok(refused)
}

type Condition = Result<SeccompCondition, seccompiler::BackendError>;

fn when(all: impl IntoIterator<Item = Condition>) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(all.into_iter().collect::<Result<_, _>>()?)
}

/// The kernel looks at no more than 32 bits of these arguments.
fn compared(argument: u8, operator: SeccompCmpOp, value: u64) -> Condition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

fn is(argument: u8, value: u64) -> Condition {
    compared(argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Condition {
    compared(argument, SeccompCmpOp::Ne, value)
}

fn has(argument: u8, flag: u64) -> Condition {
    compared(argument, SeccompCmpOp::MaskedEq(flag), flag)
}

fn kind_is(kind: i32) -> Condition {
    compared(1, SeccompCmpOp::MaskedEq(TYPE), u64::from(kind.unsigned_abs()))
}

/// On x86-64 each call has a second number, which the filters above would not recognise.
fn other_numbers() -> BpfProgram {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    const SECOND: u32 = 0x4000_0000;
    let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    vec![
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: AT_LEAST, jt: 0, jf: 1, k: SECOND },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: unknown },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW },
    ]
}
