//! Sockets that pass between the process that starts a command and the helper that becomes it.
//!
//! A socket belongs to the network in which it was made, whoever holds it. So the helper, in a network of its own, makes
//! sockets that listen there and hands them out; whoever accepts on them is outside, where other hosts can be reached.
//! The pair of sockets that they pass through is the helper's standard input at first; then it is given a pipe instead,
//! as every command has.

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut, PipeWriter};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;

/// As many as one message can carry.
const SOCKETS_MAX: usize = 253;

/// The end of the process that starts the command.
#[derive(Debug)]
pub(crate) struct Handover(UnixStream);

impl Handover {
    /// The other end is to be the standard input of the helper.
    pub(crate) fn new() -> io::Result<(Handover, Stdio)> {
        let (ours, theirs) = UnixStream::pair()?;
        Ok((Handover(ours), OwnedFd::from(theirs).into()))
    }

    pub(crate) fn order(&self) -> &UnixStream {
        &self.0
    }

    /// Takes the sockets that the helper has made and gives it a pipe to read. None where it has failed before, and will
    /// say so.
    pub(crate) fn take(self) -> io::Result<Option<(Vec<TcpListener>, PipeWriter)>> {
        let Some(sockets) = receive(self.0.as_fd())? else { return Ok(None) };
        let (reader, writer) = io::pipe()?;
        send(self.0.as_fd(), &[reader.as_fd()])?;
        Ok(Some((sockets.into_iter().map(TcpListener::from).collect(), writer)))
    }
}

/// The helper's side: hands out the sockets and returns what to read instead.
#[cfg(target_os = "linux")]
pub(crate) fn give(pair: BorrowedFd<'_>, listeners: &[TcpListener]) -> io::Result<OwnedFd> {
    let sockets: Vec<BorrowedFd<'_>> = listeners.iter().map(AsFd::as_fd).collect();
    send(pair, &sockets)?;
    let input = receive(pair)?.and_then(|mut sockets| sockets.pop());
    input.ok_or_else(|| io::Error::other("whoever started this process is gone"))
}

fn send(pair: BorrowedFd<'_>, sockets: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(SOCKETS_MAX))];
    let mut extra = SendAncillaryBuffer::new(&mut space);
    if !extra.push(SendAncillaryMessage::ScmRights(sockets)) {
        return Err(io::Error::other("more sockets than one message carries"));
    }
    // Without a byte there is no message.
    sendmsg(pair, &[IoSlice::new(b"+")], &mut extra, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// None where the other side has closed its end.
fn receive(pair: BorrowedFd<'_>) -> io::Result<Option<Vec<OwnedFd>>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(SOCKETS_MAX))];
    let mut extra = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = match recvmsg(pair, &mut [IoSliceMut::new(&mut byte)], &mut extra, RecvFlags::CMSG_CLOEXEC)
    {
        Ok(received) => received,
        Err(Errno::CONNRESET) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let sockets = extra.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(sockets) => Some(sockets),
        _ => None,
    });
    let sockets: Vec<OwnedFd> = sockets.flatten().collect();
    Ok((received.bytes > 0).then_some(sockets))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    #[test]
    fn sockets_go_one_way_and_a_pipe_the_other() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let helper = std::thread::spawn(move || give(theirs.as_fd(), &[listener]).unwrap());
        let (listeners, mut input) = Handover(ours).take().unwrap().unwrap();
        input.write_all(b"read me").unwrap();
        drop(input);
        let mut read = String::new();
        std::fs::File::from(helper.join().unwrap()).read_to_string(&mut read).unwrap();
        assert_eq!(read, "read me");
        let mut caller = TcpStream::connect(address).unwrap();
        caller.write_all(b"!").unwrap();
        let mut byte = [0];
        listeners[0].accept().unwrap().0.read_exact(&mut byte).unwrap();
        assert_eq!(byte, *b"!");
    }

    #[test]
    fn a_helper_that_has_ended_hands_out_nothing() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        assert!(Handover(ours).take().unwrap().is_none());
    }
}
