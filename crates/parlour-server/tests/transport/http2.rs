//! HTTP/2 at the level of frames (RFC 9113).

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::serving::{SHORT, TestServer, soon};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const END_STREAM_AND_HEADERS: u8 = 5;
/// The GOAWAY reason for excessive load (RFC 9113, 7).
const ENHANCE_YOUR_CALM: u32 = 11;

/// HPACK of a request for `/hello`: three entries of the static table, then path and host as literals.
const HELLO: &[u8] = b"\x82\x86\x04\x06/hello\x01\x09localhost";

/// HPACK of the status 431: a literal with the name of entry 8 of the static table, Huffman-coded.
const STATUS_431: &[u8] = b"\x48\x83\x69\x90\xff";

/// One frame.
#[derive(Debug, PartialEq, Eq)]
struct Http2Frame {
    kind: u8,
    flags: u8,
    payload: Vec<u8>,
}

/// The bytes of a frame.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("small").to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Connects and sends the HTTP/2 preface.
async fn connect_http2(hub: &TestServer) -> TcpStream {
    let mut stream = hub.connect().await;
    let greeting = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    soon(stream.write_all(&greeting)).await.expect("sent");
    stream
}

/// The next frame; `None` when the connection has ended.
async fn next(stream: &mut TcpStream) -> Option<Http2Frame> {
    let mut head = [0; 9];
    soon(stream.read_exact(&mut head)).await.ok()?;
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut payload = vec![0; length as usize];
    soon(stream.read_exact(&mut payload)).await.ok()?;
    Some(Http2Frame { kind: head[3], flags: head[4], payload })
}

/// Reads up to a frame of this kind.
async fn next_of(stream: &mut TcpStream, kind: u8) -> Option<Http2Frame> {
    loop {
        match next(stream).await {
            Some(frame) if frame.kind != kind => {}
            found => return found,
        }
    }
}

/// The reason of a GOAWAY frame.
fn reason(goaway: &Http2Frame) -> u32 {
    u32::from_be_bytes(goaway.payload[4..8].try_into().expect("four bytes"))
}

#[tokio::test]
async fn an_http2_request_is_answered() {
    let hub = TestServer::with_limits(|_| {}).await;
    let mut stream = connect_http2(&hub).await;
    soon(stream.write_all(&frame(HEADERS, END_STREAM_AND_HEADERS, 1, HELLO))).await.expect("sent");
    let head = next_of(&mut stream, HEADERS).await.expect("an answer");
    // The eighth entry of the static table: status 200.
    assert_eq!(head.payload.first(), Some(&0x88));
    drop(stream);
    hub.end().await;
}

#[tokio::test]
async fn an_idle_http2_connection_gets_goaway_and_is_closed() {
    let hub = TestServer::with_limits(|limits| limits.idle_time_max = SHORT).await;
    let mut stream = connect_http2(&hub).await;
    soon(stream.write_all(&frame(HEADERS, END_STREAM_AND_HEADERS, 1, HELLO))).await.expect("sent");
    let goaway = next_of(&mut stream, GOAWAY).await.expect("a GOAWAY frame before the end");
    assert_eq!(reason(&goaway), 0);
    while next(&mut stream).await.is_some() {}
    hub.end().await;
}

#[tokio::test]
async fn an_http2_connection_without_a_request_is_closed() {
    let hub = TestServer::with_limits(|limits| limits.head_time_max = SHORT).await;
    let mut stream = connect_http2(&hub).await;
    while next(&mut stream).await.is_some() {}
    hub.end().await;
}

#[tokio::test]
async fn rapid_resets_are_answered_with_enhance_your_calm() {
    let hub = TestServer::with_limits(|_| {}).await;
    let mut stream = connect_http2(&hub).await;
    let resets: Vec<u8> = (0..200_u32)
        .flat_map(|number| {
            let id = number * 2 + 1;
            let cancel = 8_u32.to_be_bytes();
            [frame(HEADERS, END_STREAM_AND_HEADERS, id, HELLO), frame(RST_STREAM, 0, id, &cancel)].concat()
        })
        .collect();
    soon(stream.write_all(&resets)).await.expect("sent");
    let goaway = next_of(&mut stream, GOAWAY).await.expect("a GOAWAY frame");
    assert_eq!(reason(&goaway), ENHANCE_YOUR_CALM);
    hub.end().await;
}

#[tokio::test]
async fn an_http2_client_that_answers_no_ping_is_closed() {
    let hub = TestServer::with_limits(|limits| {
        limits.ping_interval = SHORT;
        limits.stall_time_max = SHORT;
    })
    .await;
    let mut stream = connect_http2(&hub).await;
    let ping = next_of(&mut stream, PING).await.expect("asked whether it is there");
    assert_eq!(ping.flags, 0);
    while next(&mut stream).await.is_some() {}
    hub.end().await;
}

#[tokio::test]
async fn a_request_head_over_the_limit_is_refused() {
    let hub = TestServer::with_limits(|_| {}).await;
    let mut stream = connect_http2(&hub).await;
    let mut head = HELLO.to_vec();
    for number in 0..6 {
        // A field of 4,000 bytes, its length in three bytes: 127 + 33 + 30 * 128.
        head.extend([0x00, 0x02, b'x', b'a' + number, 0x7f, 0xa1, 0x1e]);
        head.extend(vec![b'y'; 127 + 33 + 30 * 128]);
    }
    let (first, rest) = head.split_at(16_000);
    let bytes = [frame(HEADERS, 1, 1, first), frame(9, 4, 1, rest)].concat();
    soon(stream.write_all(&bytes)).await.expect("sent");
    let head = next_of(&mut stream, HEADERS).await.expect("a response");
    assert_eq!(head.payload, STATUS_431);
    drop(stream);
    hub.end().await;
}
