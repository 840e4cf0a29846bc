//! HTTP/2, byte by byte (RFC 9113): what its clients may do, and when they are let go.

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::serving::{SHORT, Serving, soon};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const END_STREAM_AND_HEADERS: u8 = 5;
/// The reason of a GOAWAY to whoever asks too much of the other side.
const ENHANCE_YOUR_CALM: u32 = 11;

/// A request for `/hello`, packed: three entries of the static table, the path and the host as they are.
const HELLO: &[u8] = b"\x82\x86\x04\x06/hello\x01\x09localhost";

/// One frame.
#[derive(Debug, PartialEq, Eq)]
struct Frame {
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

/// A connection that has said that it speaks HTTP/2.
async fn greet(hub: &Serving) -> TcpStream {
    let mut stream = hub.connect().await;
    let greeting = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    soon(stream.write_all(&greeting)).await.expect("sent");
    stream
}

/// The next frame, or none when the connection has ended.
async fn next(stream: &mut TcpStream) -> Option<Frame> {
    let mut head = [0; 9];
    soon(stream.read_exact(&mut head)).await.ok()?;
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    let mut payload = vec![0; length as usize];
    soon(stream.read_exact(&mut payload)).await.ok()?;
    Some(Frame { kind: head[3], flags: head[4], payload })
}

/// Reads up to a frame of this kind.
async fn next_of(stream: &mut TcpStream, kind: u8) -> Option<Frame> {
    loop {
        match next(stream).await {
            Some(frame) if frame.kind != kind => {}
            found => return found,
        }
    }
}

/// Why the other side goes away.
fn reason(goaway: &Frame) -> u32 {
    u32::from_be_bytes(goaway.payload[4..8].try_into().expect("four bytes"))
}

#[tokio::test]
async fn a_request_is_answered() {
    let hub = Serving::bounded(|_| {}).await;
    let mut stream = greet(&hub).await;
    soon(stream.write_all(&frame(HEADERS, END_STREAM_AND_HEADERS, 1, HELLO))).await.expect("sent");
    let head = next_of(&mut stream, HEADERS).await.expect("an answer");
    // The eighth entry of the static table: status 200.
    assert_eq!(head.payload.first(), Some(&0x88));
    drop(stream);
    hub.end().await;
}

#[tokio::test]
async fn a_connection_without_requests_is_told_and_let_go() {
    let hub = Serving::bounded(|limits| limits.idle_time_max = SHORT).await;
    let mut stream = greet(&hub).await;
    soon(stream.write_all(&frame(HEADERS, END_STREAM_AND_HEADERS, 1, HELLO))).await.expect("sent");
    let goaway = next_of(&mut stream, GOAWAY).await.expect("told before it ends");
    assert_eq!(reason(&goaway), 0);
    while next(&mut stream).await.is_some() {}
    hub.end().await;
}

#[tokio::test]
async fn a_connection_that_never_asks_is_let_go() {
    let hub = Serving::bounded(|limits| limits.head_time_max = SHORT).await;
    let mut stream = greet(&hub).await;
    while next(&mut stream).await.is_some() {}
    hub.end().await;
}

#[tokio::test]
async fn whoever_takes_back_request_after_request_is_cut_off() {
    let hub = Serving::bounded(|_| {}).await;
    let mut stream = greet(&hub).await;
    let attack: Vec<u8> = (0..200_u32)
        .flat_map(|number| {
            let id = number * 2 + 1;
            let cancel = 8_u32.to_be_bytes();
            [frame(HEADERS, END_STREAM_AND_HEADERS, id, HELLO), frame(RST_STREAM, 0, id, &cancel)].concat()
        })
        .collect();
    soon(stream.write_all(&attack)).await.expect("sent");
    let goaway = next_of(&mut stream, GOAWAY).await.expect("told why");
    assert_eq!(reason(&goaway), ENHANCE_YOUR_CALM);
    hub.end().await;
}

#[tokio::test]
async fn a_client_that_answers_no_ping_is_let_go() {
    let hub = Serving::bounded(|limits| {
        limits.ping_interval = SHORT;
        limits.stall_time_max = SHORT;
    })
    .await;
    let mut stream = greet(&hub).await;
    let ping = next_of(&mut stream, PING).await.expect("asked whether it is there");
    assert_eq!(ping.flags, 0);
    while next(&mut stream).await.is_some() {}
    hub.end().await;
}

#[tokio::test]
async fn a_head_beyond_the_bound_is_refused() {
    let hub = Serving::bounded(|_| {}).await;
    let mut stream = greet(&hub).await;
    let mut head = HELLO.to_vec();
    for number in 0..6 {
        // A field of 4,000 bytes, its length in three bytes: 127 + 33 + 30 * 128.
        head.extend([0x00, 0x02, b'x', b'a' + number, 0x7f, 0xa1, 0x1e]);
        head.extend(vec![b'y'; 127 + 33 + 30 * 128]);
    }
    let (first, rest) = head.split_at(16_000);
    let bytes = [frame(HEADERS, 1, 1, first), frame(9, 4, 1, rest)].concat();
    soon(stream.write_all(&bytes)).await.expect("sent");
    let answer = next_of(&mut stream, HEADERS).await;
    // Literal status 431, or no answer at all: never one of success.
    assert!(answer.is_none_or(|head| head.payload.first() != Some(&0x88)));
    drop(stream);
    hub.end().await;
}
