//! A proxy that stands between everybody and the hub, and lets connections go wrong: cut in the middle of a frame,
//! stalled, delayed, dribbled in small pieces.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpSocket, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::{JoinHandle, JoinSet},
};

use crate::seed::SeededRng;

/// Bytes that are carried at once.
const PIECE_BYTES: usize = 4_096;
/// Small, so that the hub feels a reader that does not read.
const RECEIVE_BUFFER_BYTES: u32 = 4_096;

/// How rough a proxy is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultProfile {
    /// One in so many connections is left alone.
    pub(crate) spared_one_in: u64,
    /// A connection is cut after fewer bytes from the hub than this.
    pub(crate) bytes_end: u64,
    /// One in so many connections stalls once before it is cut.
    pub(crate) stalled_one_in: u64,
    /// For less than this.
    pub(crate) stall_ms_end: u64,
}

/// A running proxy. It ends with all its connections when it is dropped.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy to whichever hub there is; without one it closes connections at once.
    pub(crate) async fn start(
        hub: watch::Receiver<Option<SocketAddr>>,
        profile: FaultProfile,
        mut numbers: SeededRng,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (faults, hub) = (ConnectionFaults::draw(profile, &mut numbers), *hub.borrow());
                if let Some(hub) = hub {
                    connections.spawn(serve(client, hub, faults));
                }
                while connections.try_join_next().is_some() {}
            }
        });
        Self { address, task }
    }

    /// Its address for clients.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What becomes of one connection.
#[derive(Clone, Debug, Default)]
struct ConnectionFaults {
    /// What is done to the bytes of each direction.
    up: DirectionFaults,
    down: DirectionFaults,
    /// Whether the client sees a reset instead of an end.
    is_reset: bool,
}

/// What becomes of one direction.
#[derive(Clone, Copy, Debug)]
struct DirectionFaults {
    /// After so many bytes nothing more comes.
    bytes_left: u64,
    /// After so many bytes there is a pause.
    stall: Option<(u64, Duration)>,
    /// So many bytes are carried at once.
    piece: usize,
}

impl Default for DirectionFaults {
    fn default() -> Self {
        Self { bytes_left: u64::MAX, stall: None, piece: PIECE_BYTES }
    }
}

impl ConnectionFaults {
    fn draw(profile: FaultProfile, numbers: &mut SeededRng) -> Self {
        let mut faults = Self { is_reset: numbers.one_in(2), ..Self::default() };
        if numbers.one_in(profile.spared_one_in) {
            return faults;
        }
        let bytes = numbers.below(profile.bytes_end);
        // Requests are small, so most of those that are cut there never reach the hub whole.
        match numbers.one_in(8) {
            true => faults.up.bytes_left = bytes % 600,
            false => faults.down.bytes_left = bytes,
        }
        if numbers.one_in(profile.stalled_one_in) {
            let pause = Duration::from_millis(numbers.below(profile.stall_ms_end));
            faults.down.stall = Some((numbers.below(bytes + 1), pause));
        }
        if numbers.one_in(6) {
            faults.down.piece = 1 + usize::try_from(numbers.below(60)).expect("small");
        }
        faults
    }
}

async fn serve(client: TcpStream, hub: SocketAddr, faults: ConnectionFaults) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES).expect("an option");
    let Ok(hub) = socket.connect(hub).await else { return };
    if faults.is_reset {
        client.set_zero_linger().expect("an option");
    }
    let (from_client, to_client) = client.into_split();
    let (from_hub, to_hub) = hub.into_split();
    // Whichever direction ends first takes the other with it: both halves are dropped.
    tokio::select! {
        () = carry(from_client, to_hub, faults.up) => {}
        () = carry(from_hub, to_client, faults.down) => {}
    }
}

/// Carries bytes until an end comes, by itself or by fate.
async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut way: DirectionFaults) {
    let mut buffer = vec![0; way.piece];
    let mut carried = 0;
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let kept = usize::try_from(way.bytes_left).unwrap_or(usize::MAX).min(count);
        if to.write_all(&buffer[..kept]).await.is_err() || kept < count {
            return;
        }
        way.bytes_left -= kept as u64;
        carried += kept as u64;
        if let Some((after, pause)) = way.stall
            && carried > after
        {
            way.stall = None;
            tokio::time::sleep(pause).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was said has been heard by then.
    const HEARD_PATIENCE: Duration = Duration::from_secs(60);

    /// A hub that says this to everybody and hangs up.
    async fn start_hub(text: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                // The client may be cut off.
                let _ = client.write_all(text.as_bytes()).await;
            }
        });
        address
    }

    async fn heard_through(proxy: &Proxy) -> String {
        let mut stream = TcpStream::connect(proxy.address).await.expect("the proxy is there");
        let mut bytes = Vec::new();
        // A reset is one of the faults.
        let _ = tokio::time::timeout(HEARD_PATIENCE, stream.read_to_end(&mut bytes)).await.expect("an end");
        String::from_utf8(bytes).expect("text")
    }

    #[tokio::test]
    async fn protected_connections_are_forwarded_and_others_are_cut() {
        let (_hub, hub) = watch::channel(Some(start_hub("one two three").await));
        let kind = FaultProfile { spared_one_in: 1, bytes_end: 1, stalled_one_in: 1, stall_ms_end: 1 };
        let proxy = Proxy::start(hub.clone(), kind, SeededRng::new(1)).await;
        assert_eq!(heard_through(&proxy).await, "one two three");
        let rough = FaultProfile { spared_one_in: u64::MAX, bytes_end: 7, ..kind };
        let proxy = Proxy::start(hub, rough, SeededRng::new(1)).await;
        for _ in 0..20 {
            let received = heard_through(&proxy).await;
            assert!("one two three".starts_with(&received), "{received}");
        }
    }

    #[tokio::test]
    async fn without_a_hub_connections_end_at_once() {
        let (_hub, hub) = watch::channel(None);
        let profile = FaultProfile { spared_one_in: 1, bytes_end: 1, stalled_one_in: 1, stall_ms_end: 1 };
        let proxy = Proxy::start(hub, profile, SeededRng::new(1)).await;
        assert_eq!(heard_through(&proxy).await, "");
    }
}
