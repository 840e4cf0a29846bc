//! Many readers of one server on one thread.

use std::{
    cell::RefCell,
    sync::{Arc, MutexGuard},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use tokio::{net::TcpStream, task::JoinSet};

use super::{
    frames::{Frame, Scanner, write_pong},
    socket::{Opening, connect},
    tally::{Counts, Memory, SENDERS_MAX, Tally},
};

/// Concurrent connection attempts, unless all readers connect at once.
const OPENINGS_AT_ONCE: usize = 64;
/// Size of the read buffer.
const READ_BYTES: usize = 256 * 1024;

thread_local! {
    /// Shared by all readers, because they run on one thread.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// Connected readers; dropping the value disconnects them.
pub(crate) struct Readers {
    readers: JoinSet<Result<()>>,
    tally: Arc<Tally>,
    size: u64,
}

/// One reader.
struct Reader {
    stream: TcpStream,
    scanner: Scanner,
    memory: Memory,
    tally: Arc<Tally>,
    /// The number of readers.
    size: u64,
    pongs: Vec<u8>,
}

impl Readers {
    /// Connects all readers, a few at a time, and waits until each is live.
    pub(crate) async fn connect_all(openings: Vec<Opening>, epoch: Instant) -> Result<Self> {
        let readers = Self::start(openings, epoch, [0; SENDERS_MAX], OPENINGS_AT_ONCE);
        readers.until(LIVE_TIME_MAX, |counts, size| counts.live + counts.closed.len() as u64 >= size).await;
        let (live, closed) = {
            let counts = readers.counts();
            (counts.live, counts.closed.len())
        };
        anyhow::ensure!(
            live == readers.size,
            "of {} readers {live} became live and {closed} were cut off",
            readers.size
        );
        Ok(readers)
    }

    /// Connects all readers, `at_once` at a time; `next` is the first expected message number of each sender.
    pub(crate) fn start(openings: Vec<Opening>, epoch: Instant, next: [u32; SENDERS_MAX], at_once: usize) -> Self {
        let (tally, size) = (Arc::new(Tally::new()), openings.len() as u64);
        let gate = Arc::new(tokio::sync::Semaphore::new(at_once));
        let mut readers = JoinSet::new();
        for opening in openings {
            let (tally, gate, memory) = (Arc::clone(&tally), Arc::clone(&gate), Memory::new(epoch, next));
            readers.spawn(async move {
                let outcome = read_all(&opening, &gate, memory, &tally, size).await;
                let code = outcome.as_ref().ok().copied().flatten();
                tally.note(size, |counts| counts.closed.push(code));
                outcome.map(|_| ())
            });
        }
        Self { readers, tally, size }
    }

    /// The number of readers.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The counts over all readers.
    pub(crate) fn counts(&self) -> MutexGuard<'_, Counts> {
        self.tally.counts()
    }

    /// The shared counts, for another task.
    pub(super) fn tally(&self) -> Arc<Tally> {
        Arc::clone(&self.tally)
    }

    /// Waits until the condition on counts and number of readers is true; returns false
    /// after the time limit.
    pub(crate) async fn until(&self, time_max: Duration, is_so: impl Fn(&Counts, u64) -> bool) -> bool {
        let seen = self.tally.until(|counts| is_so(counts, self.size));
        tokio::time::timeout(time_max, seen).await.is_ok()
    }

    /// The error of a failed reader, if there is one.
    pub(crate) fn failure(&mut self) -> Option<anyhow::Error> {
        while let Some(ended) = self.readers.try_join_next() {
            if let Ok(Err(error)) = ended {
                return Some(error);
            }
        }
        None
    }
}

/// Time limit until all readers are live.
const LIVE_TIME_MAX: Duration = Duration::from_secs(120);

/// Reads until the server closes the connection; returns the close code.
async fn read_all(
    opening: &Opening,
    gate: &tokio::sync::Semaphore,
    memory: Memory,
    tally: &Arc<Tally>,
    size: u64,
) -> Result<Option<u16>> {
    let permit = gate.acquire().await.context("wait for a turn")?;
    let (stream, first) = connect(opening).await?;
    drop(permit);
    let tally = Arc::clone(tally);
    let mut reader = Reader { stream, scanner: Scanner::default(), memory, tally, size, pongs: Vec::new() };
    if let Some(code) = reader.take(&first)? {
        return Ok(code);
    }
    loop {
        reader.stream.readable().await.context("wait for frames")?;
        match BUFFER.with_borrow_mut(|buffer| reader.read(buffer)) {
            Ok(None) => {}
            Ok(Some(code)) => return Ok(code),
            Err(error) => return Err(error),
        }
    }
}

impl Reader {
    /// Reads the available bytes. Returns `Some` when the server has closed the connection.
    fn read(&mut self, buffer: &mut [u8]) -> Result<Option<Option<u16>>> {
        match self.stream.try_read(buffer) {
            Ok(0) => Ok(Some(None)),
            Ok(count) => self.take(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(None),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Ok(Some(None)),
            Err(error) => Err(error).context("read frames"),
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<Option<Option<u16>>> {
        let now = Instant::now();
        let mut ended = None;
        let mut scanned = Ok(());
        let Self { scanner, memory, pongs, tally, size, .. } = self;
        tally.note(*size, |counts| {
            scanned = scanner.feed(bytes, |frame| match frame {
                Frame::Text(text) => counts.see(text, memory, now),
                Frame::Ping(payload) => write_pong(pongs, payload),
                Frame::Close(code) => ended = Some(code),
                Frame::Other => {}
            });
        });
        scanned?;
        if !self.pongs.is_empty() {
            // A pong that does not fit into the send buffer is dropped; the next ping is answered again.
            let _ = self.stream.try_write(&self.pongs);
            self.pongs = Vec::new();
        }
        Ok(ended)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::{SocketAddr, TcpListener},
    };

    use super::*;

    /// A server that accepts every connection, sends these bytes to each, and waits until its clients close.
    fn server(frames: Vec<u8>) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
        let address = listener.local_addr().expect("address");
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let frames = frames.clone();
                std::thread::spawn(move || {
                    let _ = stream.read(&mut [0; 1_024]);
                    let _ = stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\n\r\n");
                    let _ = stream.write_all(&frames);
                    let _ = stream.read(&mut [0; 1_024]);
                });
            }
        });
        address
    }

    fn text(text: &str) -> Vec<u8> {
        let mut out = vec![0x81, u8::try_from(text.len()).expect("short")];
        out.extend_from_slice(text.as_bytes());
        out
    }

    fn openings(address: SocketAddr, count: usize) -> Vec<Opening> {
        let opening = Opening { address, path: "/live".into(), token: None, is_socket: true, receive_bytes: None };
        vec![opening; count]
    }

    #[tokio::test]
    async fn readers_are_connected_when_all_are_live() {
        let frames = [text(r#"{"type":"hello"}"#), text(r#"{"type":"live"}"#)].concat();
        let readers = Readers::connect_all(openings(server(frames), 100), Instant::now()).await.expect("a readers");
        assert_eq!(readers.size(), 100);
        assert_eq!(readers.counts().live, 100);
    }

    #[tokio::test]
    async fn the_close_code_of_a_disconnected_reader_is_recorded() {
        let frames = [text(r#"{"type":"live"}"#), vec![0x88, 2, 0x0F, 0xA0]].concat();
        let readers = Readers::start(openings(server(frames), 3), Instant::now(), [0; SENDERS_MAX], 3);
        assert!(readers.until(LIVE_TIME_MAX, |counts, size| counts.closed.len() as u64 == size).await);
        assert_eq!(readers.counts().closed, [Some(4_000); 3]);
    }

    #[tokio::test]
    async fn a_server_that_accepts_no_connection_is_an_error() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
        let address = listener.local_addr().expect("address");
        drop(listener);
        assert!(Readers::connect_all(openings(address, 2), Instant::now()).await.is_err());
    }
}
