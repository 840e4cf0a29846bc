//! Frames of a WebSocket that no library would send.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    thread,
};

use crate::hostile_hub::HostileHub;

/// The mask that clients must put over what they send.
const MASK: [u8; 4] = [1, 2, 3, 4];

/// A frame with this first byte, masked as it must be.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).ok().filter(|length| *length < 126).expect("a short frame");
    let masked = payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask);
    [first, 0x80 | length].into_iter().chain(MASK).chain(masked).collect()
}

/// What is sent after the handshake, and what it is.
fn frames() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a frame without a mask", b"\x81\x02{}".to_vec()),
        ("a bit that nobody has agreed on", frame(0xc1, b"{}")),
        ("a sort of frame that does not exist", frame(0x83, b"{}")),
        ("a sort of control frame that does not exist", frame(0x8b, b"")),
        ("a ping in pieces", frame(0x09, b"a")),
        ("a piece that goes on with nothing", frame(0x80, b"a")),
        ("a text that is none", frame(0x81, b"\xff\xfe")),
        ("bytes", frame(0x82, b"\0\x01")),
        ("a close with half a code", frame(0x88, b"\x03")),
        ("a close with a code that may not be sent", frame(0x88, b"\x03\xed")),
        ("a length of all memory", b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04".to_vec()),
        ("a length below nothing", b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04".to_vec()),
        ("a token that is none", frame(0x81, br#"{"type":"sign_in","token":"zzz"}"#)),
        ("a frame before signing in", frame(0x81, br#"{"type":"ping"}"#)),
        ("no JSON", frame(0x81, b"hello")),
        ("a list", frame(0x81, b"[]")),
        ("noise", b"GET / HTTP/1.1\r\n\r\n".to_vec()),
    ]
}

/// Sends a frame after the handshake, and answers what the hub says until it closes; none when it does not close.
fn exchange(hostile_hub: &HostileHub, what: &str, frame: &[u8]) -> Option<String> {
    let mut stream = hostile_hub.connect();
    let head = "GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("sent");
    let mut first = [0; 12];
    stream.read_exact(&mut first).expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 101", "{what}");
    let _ = stream.write_all(frame);
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => None,
        // It may hang up in the middle of what it was sent.
        _ => Some(String::from_utf8_lossy(&rest).into_owned()),
    }
}

#[test]
fn invalid_frames_close_the_socket_and_do_not_harm_the_hub() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    // Side by side: some are given their time to sign in.
    let outcomes: Vec<_> = thread::scope(|scope| {
        let hostile_hub = &hostile_hub;
        let running: Vec<_> = frames()
            .into_iter()
            .map(|(what, frame)| (what, scope.spawn(move || exchange(hostile_hub, what, &frame))))
            .collect();
        running.into_iter().map(|(what, one)| (what, one.join().expect("no panic"))).collect()
    });
    for (what, rest) in outcomes {
        let outcome = match rest {
            Some(text) if text.contains("\"hello\"") => "signed in",
            Some(_) => "closed",
            None => "open",
        };
        hostile_hub.note(what, "closed", outcome);
    }
    hostile_hub.check(&before);
}
