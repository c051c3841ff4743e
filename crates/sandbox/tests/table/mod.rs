//! The attempts. `$ROOT` holds a home, in it a checkout with a ledger, in it the folder the command runs in.

use redraft_sandbox::Gap;

pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    pub(crate) by: By,
    pub(crate) expected: Expected,
    /// Whether it is also made outside, where it must succeed: then it fails inside for no other reason.
    pub(crate) control: bool,
}

pub(crate) enum By {
    Shell(&'static str),
    /// Ends with 0 if it worked.
    Python(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Refused,
    /// What builds and tests need.
    Allowed,
    /// Succeeds in a network of its own, where it reaches nobody else.
    Alone,
    /// Succeeds where the level names this gap.
    Gap(Gap),
    /// Succeeds in the network of the machine where the kernel knows no rules about ports.
    AnyPort,
}

const fn shell(name: &'static str, text: &'static str) -> Attempt {
    Attempt { name, by: By::Shell(text), expected: Expected::Refused, control: true }
}

const fn python(name: &'static str, text: &'static str) -> Attempt {
    Attempt { name, by: By::Python(text), expected: Expected::Refused, control: true }
}

/// One that would do harm outside, or needs rights or programs that not every machine has.
const fn inside(attempt: Attempt) -> Attempt {
    Attempt { control: false, ..attempt }
}

const fn allowed(name: &'static str, by: By) -> Attempt {
    Attempt { name, by, expected: Expected::Allowed, control: true }
}

const fn alone(attempt: Attempt) -> Attempt {
    Attempt { expected: Expected::Alone, ..attempt }
}

const fn any_port(attempt: Attempt) -> Attempt {
    Attempt { expected: Expected::AnyPort, ..attempt }
}

const fn gap(gap: Gap, name: &'static str, by: By) -> Attempt {
    Attempt { name, by, expected: Expected::Gap(gap), control: true }
}

pub(crate) const TABLE: &[Attempt] = &[
    // What commands need.
    allowed("write in the folder", By::Shell("echo x > new && mkdir -p a/b && mv new a/b/new && rm -r a")),
    allowed(
        "write in its home and temporary folder",
        By::Shell("echo x > $HOME/x && echo x > $TMPDIR/x && mktemp"),
    ),
    allowed(
        "move between its own folders",
        By::Shell("echo x > m && mv m $TMPDIR/m && mv $TMPDIR/m m && rm m"),
    ),
    allowed(
        "run what it has built",
        By::Shell("printf '#!/bin/sh\\nexit 0\\n' > run && chmod +x run && ./run"),
    ),
    allowed(
        "read the system",
        By::Shell("cat /etc/passwd /proc/cpuinfo /proc/self/status > /dev/null && ls /usr/bin > /dev/null"),
    ),
    allowed(
        "make pipes, links, processes",
        By::Shell("mkfifo p && ln -s own.txt l && cat l | cat && rm p l"),
    ),
    allowed("signal what it has started", By::Shell("sleep 60 & kill $!")),
    allowed(
        "speak with a server of its own",
        By::Python(
            "s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); c.send(b'x')",
        ),
    ),
    allowed("look up the local host", By::Python("socket.getaddrinfo('localhost', 80)")),
    Attempt {
        name: "share memory and locks between its processes",
        by: By::Python(
            "import multiprocessing as m; q = m.Queue(); p = m.Process(target=q.put, args=(1,)); p.start(); \
             assert q.get(timeout=20) == 1; p.join()",
        ),
        expected: Expected::Allowed,
        control: true,
    },
    allowed("read the settings of a folder above", By::Shell("cat ../../Cargo.toml")),
    // Reading.
    shell("read a key that is called a file of settings", "cat ../../package.json"),
    shell("read a key of the home", "cat $ROOT/home/.ssh/key"),
    shell("read the token of a package registry", "cat $ROOT/home/.cargo/credentials.toml"),
    shell("list the home", "ls $ROOT/home"),
    shell("read the ledger", "cat $ROOT/home/app/.git/redraft/ledger.db"),
    shell("read git's configuration", "cat $ROOT/home/app/.git/config"),
    shell("read redraft.toml", "cat $ROOT/home/app/redraft.toml"),
    shell("read it by a relative path", "cat ../../redraft.toml"),
    shell("list other worktrees", "ls $ROOT/home/app/.redraft"),
    shell("read through a link", "ln -sf $ROOT/home/.ssh/key l1; cat l1"),
    shell("read through a link to a folder", "ln -sfn $ROOT/home l2; cat l2/.ssh/key"),
    shell("read through a link with a slash at the end", "ln -sfn $ROOT/home/.ssh l3; ls l3/"),
    shell("read with slashes at the end and in between", "ls $ROOT//home/.ssh//"),
    inside(shell("read through dots", "cat ../../../.ssh/key")),
    shell("read through /proc/self/root", "cat /proc/self/root$ROOT/home/.ssh/key"),
    shell("read through /proc/self/cwd", "cat /proc/self/cwd/../../redraft.toml"),
    inside(shell("read through /proc/1/root", "cat /proc/1/root$ROOT/home/.ssh/key")),
    inside(shell("read through the root of another process", "cat /proc/$VICTIM/root$ROOT/home/.ssh/key")),
    shell("read through a hard link", "ln $ROOT/home/.ssh/key h1 && cat h1"),
    shell("move a file in", "mv $ROOT/home/.ssh/key moved"),
    shell("move a folder in", "mv $ROOT/home/.ssh moved"),
    shell("change into the home and list it", "cd $ROOT/home && ls"),
    inside(shell("read the passwords of the system", "cat /etc/shadow")),
    inside(shell("read the memory of the machine", "head -c 1 /proc/kcore")),
    inside(shell("read a disk", "cat /dev/sda /dev/vda /dev/nvme0n1 | head -c 1 | grep -q .")),
    inside(shell("make a device and read it", "mknod disk b 259 0")),
    shell("copy with a program that follows links", "tar -chf - $ROOT/home/.ssh/key > t.tar"),
    // Other processes.
    inside(shell("read the variables of another process", "grep -q KEY /proc/$VICTIM/environ")),
    inside(shell("read its memory", "head -c 1 /proc/$VICTIM/mem")),
    inside(shell("read its open files", "ls /proc/$VICTIM/fd && cat /proc/$VICTIM/fd/0")),
    gap(Gap::Signals, "stop another process", By::Shell("kill -STOP $VICTIM && kill -CONT $VICTIM")),
    gap(Gap::Signals, "ask whether it takes signals", By::Shell("kill -0 $VICTIM")),
    inside(gap(
        Gap::Signals,
        "ask whether the parent takes signals",
        By::Shell("test $PPID -gt 1 && kill -0 $PPID"),
    )),
    inside(python("trace another process", "call(101, 16, victim, 0, 0)")),
    inside(python("read its memory by a system call", "call(310, victim, None, 0, None, 0, 0)")),
    inside(python("take a descriptor of it", "fd = os.pidfd_open(victim); call(438, fd, 0, 0)")),
    gap(
        Gap::Signals,
        "signal it by a descriptor",
        By::Python("import signal; signal.pidfd_send_signal(os.pidfd_open(victim), signal.SIGCONT)"),
    ),
    python("change its limits", "import resource; resource.prlimit(victim, resource.RLIMIT_CPU, (1, 1))"),
    // Writing.
    shell("write into the home", "echo x > $ROOT/home/new"),
    shell("write the user's shell profile", "echo x >> $ROOT/home/.bashrc"),
    shell("write redraft.toml", "echo '[checks]' >> $ROOT/home/app/redraft.toml"),
    shell("write it by a relative path", "echo x >> ../../redraft.toml"),
    shell("append to the ledger", "echo x >> $ROOT/home/app/.git/redraft/ledger.db"),
    shell("empty the ledger", ": > $ROOT/home/app/.git/redraft/ledger.db"),
    gap(
        Gap::Truncation,
        "empty a file by its name",
        By::Python("os.truncate(root + '/home/app/.git/redraft/spare', 0)"),
    ),
    shell("remove the ledger", "rm $ROOT/home/app/.git/redraft/ledger.db"),
    shell("plant a hook", "echo x > $ROOT/home/app/.git/hooks/pre-commit"),
    shell("plant configuration for git", "echo x >> $ROOT/home/app/.git/config"),
    shell(
        "plant configuration of an agent",
        "mkdir -p $ROOT/home/.claude && echo x > $ROOT/home/.claude/settings.json",
    ),
    shell("plant configuration of an agent in the checkout", "mkdir $ROOT/home/app/.codex"),
    shell("make a closed path that does not exist yet", "mkdir -p $ROOT/home/.config/redraft"),
    shell("write beside the folder", "echo x > ../beside"),
    shell("write into another worktree", "echo x > ../other/x"),
    shell("put a link over redraft.toml", "ln -sf own.txt $ROOT/home/app/redraft.toml"),
    shell("move the folder away", "mv ../check ../gone"),
    inside(shell("move something into its place", "mkdir -p $TMPDIR/check && mv -T $TMPDIR/check ../check")),
    shell("write through a link to a folder", "ln -sfn $ROOT/home w1; echo x > w1/new"),
    shell("write through a hard link", "ln $ROOT/home/app/redraft.toml h2 && echo x >> h2"),
    shell("write through /proc/self/root", "echo x > /proc/self/root$ROOT/home/new"),
    inside(shell("write into the system", "echo x > /usr/local/bin/redraft-escape")),
    inside(shell("write into /tmp", "echo x > /tmp/redraft-escape-$$")),
    inside(shell("write into /etc", "echo x >> /etc/hosts")),
    inside(shell("change the kernel's settings", "echo x > /proc/sys/kernel/core_pattern")),
    shell("write a timer of the user", "mkdir -p $ROOT/home/.config/systemd/user"),
    inside(shell("copy git's folder by GIT_DIR", "GIT_DIR=$ROOT/home/app/.git git log")),
    shell("copy git's folder by a link", "ln -sfn $ROOT/home/app/.git .git; cat .git/config"),
    // Network.
    any_port(python(
        "connect to a forbidden port",
        "socket.create_connection(('127.0.0.1', int(os.environ['LOW'])), 2)",
    )),
    any_port(inside(python(
        "connect to it over IPv6",
        "socket.create_connection(('::ffff:127.0.0.1', int(os.environ['LOW'])), 2)",
    ))),
    inside(python(
        "connect while sending",
        "s = socket.socket(); s.sendto(b'x', 0x20000000, ('127.0.0.1', int(os.environ['LOW'])))",
    )),
    inside(python(
        "connect by another protocol",
        "s = socket.socket(2, 1, 262); s.connect(('127.0.0.1', int(os.environ['LOW'])))",
    )),
    alone(python("send a datagram", "socket.socket(2, 2).sendto(b'x', ('127.0.0.1', 53))")),
    inside(alone(python("send a datagram over IPv6", "socket.socket(10, 2).sendto(b'x', ('::1', 53))"))),
    inside(python("send a datagram to another host", "socket.socket(2, 2).sendto(b'x', ('192.0.2.1', 53))")),
    inside(python("send a ping", "socket.socket(2, 2, 1)")),
    inside(python("send raw packets", "socket.socket(2, 3, 1)")),
    inside(python("read packets", "socket.socket(17, 3, 0)")),
    inside(python("listen to the kernel's audit", "socket.socket(16, 3, 9)")),
    inside(python("speak with a virtual machine's host", "socket.socket(40, 1)")),
    python(
        "connect to a socket of the file system",
        "s = socket.socket(1); s.connect(root + '/home/docker.sock')",
    ),
    python("connect to an abstract socket", "s = socket.socket(1); s.connect(f'\\0redraft-escape-{victim}')"),
    inside(python(
        "connect to the container service",
        "s = socket.socket(1); s.connect('/var/run/docker.sock')",
    )),
    alone(python(
        "look up a name at a server",
        "import socket; socket.socket(2, 2).connect(('127.0.0.53', 53))",
    )),
    // Rights.
    inside(shell("gain rights by a setuid program", "grep -q 'NoNewPrivs:.*0' /proc/self/status")),
    inside(shell("mount something", "mount -t tmpfs none $TMPDIR")),
    inside(shell("enter a new user namespace", "unshare -Ur true")),
    inside(shell("enter another process's namespaces", "nsenter -t $VICTIM -m true")),
    inside(shell("change the root folder", "chroot / true")),
    inside(python("make a namespace by clone", "call(56, 0x10000000 | 17, 0, 0, 0, 0)")),
    inside(python(
        "make a namespace by clone3",
        "a = (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17); call(435, a, 64)",
    )),
    inside(python("open a file by its handle", "call(304, -100, None, 0)")),
    inside(python("use the keyring", "call(250, 0, -3, 0)")),
    inside(python("load a program into the kernel", "call(321, 0, 0, 0)")),
    inside(python("measure the machine", "call(298, 0, 0, 0, 0, 0)")),
    inside(python("use rings", "p = (ctypes.c_uint8 * 120)(); call(425, 1, p)")),
    inside(python("use the second number of a call", "call(0x40000000 | 39)")),
    inside(python("type into a terminal", "import fcntl; m, s = os.openpty(); fcntl.ioctl(s, 0x5412, b'x')")),
    inside(shell("use rules of a program that is not contained", "sudo -n true")),
    // Descriptors and size.
    inside(shell(
        "write a file of 100 GB",
        "truncate -s 100G large; test $(stat -c %s large) -ge 100000000000",
    )),
    // Known gaps.
    gap(
        Gap::Network,
        "connect to a free port of any host",
        By::Python("socket.create_connection(('127.0.0.1', int(os.environ['FREE'])), 2)"),
    ),
    gap(Gap::Attributes, "change the mode of a key", By::Shell("chmod 644 $ROOT/home/.ssh/key")),
    gap(
        Gap::Attributes,
        "change the time of a file",
        By::Python("os.utime(root + '/home/.ssh/key', (1, 1))"),
    ),
    gap(Gap::Names, "see whether a file exists", By::Shell("test -f $ROOT/home/.ssh/key")),
    gap(
        Gap::Names,
        "see the command line of another process",
        By::Shell("grep -q sleep /proc/$VICTIM/cmdline"),
    ),
    gap(Gap::SharedMemory, "read shared memory", By::Shell("cat /dev/shm/redraft-escape-$VICTIM")),
];
