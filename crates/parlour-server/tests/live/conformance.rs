//! Edge cases of the WebSocket protocol (RFC 6455): bytes in, frames out.

use parlour_core::limits;
use serde_json::Value;

use crate::{
    clients::{Frame, Raw, frame},
    serving::LiveHub,
};

const PING: &[u8] = b"{\"type\":\"ping\",\"ref\":\"p\"}";

/// A client after its `hello`.
async fn open(hub: &LiveHub) -> Raw {
    let mut raw = Raw::open(hub, &hub.ben.token, "").await;
    assert_eq!(raw.next().await.expect("hello").opcode, 1);
    raw
}

/// Frames that break the protocol, and the code that the hub closes with.
fn broken() -> Vec<(&'static str, Vec<u8>, u16)> {
    let unmasked = [&[0x81, PING.len() as u8][..], PING].concat();
    let long = vec![b'x'; limits::LIVE_FRAME_BYTES_MAX + 1];
    let half = vec![b'x'; limits::LIVE_FRAME_BYTES_MAX / 2 + 1];
    vec![
        ("reserved bit 1", frame(0xc1, PING), 1002),
        ("reserved bit 2", frame(0xa1, PING), 1002),
        ("reserved bit 3", frame(0x91, PING), 1002),
        ("a reserved opcode of data", frame(0x83, PING), 1002),
        ("the last reserved opcode of data", frame(0x87, b""), 1002),
        ("a reserved opcode of control", frame(0x8b, b""), 1002),
        ("the last reserved opcode of control", frame(0x8f, b"x"), 1002),
        ("no mask", unmasked, 1002),
        ("a ping in fragments", frame(0x09, b"x"), 1002),
        ("a close in fragments", frame(0x08, &1000_u16.to_be_bytes()), 1002),
        ("a ping of 126 bytes", frame(0x89, &[b'x'; 126]), 1002),
        ("a pong of 126 bytes", frame(0x8a, &[b'x'; 126]), 1002),
        ("a close of 126 bytes", frame(0x88, &[&[3, 232][..], &[b'x'; 124]].concat()), 1002),
        ("a rest without a beginning", frame(0x80, PING), 1002),
        ("a part without a beginning", frame(0x00, PING), 1002),
        ("a text inside a text", [frame(0x01, b"{"), frame(0x81, PING)].concat(), 1002),
        ("bytes inside a text", [frame(0x01, b"{"), frame(0x82, b"x")].concat(), 1002),
        ("no UTF-8", frame(0x81, b"\xff"), 1007),
        ("a surrogate", frame(0x81, b"\xed\xa0\x80"), 1007),
        ("half a character", frame(0x81, b"\"\xe2\x82\""), 1007),
        ("half a character at the end", [frame(0x01, b"\xe2"), frame(0x80, b"\x82")].concat(), 1007),
        ("an overlong character", frame(0x81, b"\xc0\xaf"), 1007),
        ("too long", frame(0x81, &long), 1009),
        ("too long by its head alone", [&[0x81, 0xff][..], &[0x7f; 8], &[0; 4]].concat(), 1009),
        ("too long in parts", [frame(0x01, &half), frame(0x80, &half)].concat(), 1009),
        ("too many bytes", frame(0x82, &long), 1009),
    ]
}

#[tokio::test]
async fn protocol_violations_are_closed_with_their_code() {
    let hub = LiveHub::new().await;
    for (what, bytes, code) in broken() {
        let mut client = open(&hub).await;
        client.send(&bytes).await;
        let close = client.closed().await;
        assert_eq!(close.code(), Some(code), "{what}");
        assert!(std::str::from_utf8(&close.payload[2..]).is_ok_and(|reason| !reason.is_empty()), "{what}");
    }
    hub.end().await;
}

/// Payloads of a client's close frame, and the close code of the hub's answer.
fn close_frames() -> Vec<(&'static str, Vec<u8>, Option<u16>)> {
    let code = |number: u16| number.to_be_bytes().to_vec();
    let mut cases = vec![
        ("nothing", Vec::new(), None),
        ("a reason", [&code(1000)[..], b"bye"].concat(), Some(1000)),
        ("the longest reason", [&code(1000)[..], &[b'x'; 123]].concat(), Some(1000)),
        ("half a code", vec![3], Some(1002)),
        ("a reason that is no UTF-8", [&code(1000)[..], b"\xff"].concat(), Some(1007)),
    ];
    let echoed = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999];
    cases.extend(echoed.map(|number| ("a code", code(number), Some(number))));
    let refused = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65535];
    cases.extend(refused.map(|number| ("no code", code(number), Some(1002))));
    cases
}

#[tokio::test]
async fn a_valid_close_frame_is_echoed_and_an_invalid_one_is_refused() {
    let hub = LiveHub::new().await;
    for (what, payload, code) in close_frames() {
        let mut client = open(&hub).await;
        client.send(&frame(0x88, &payload)).await;
        let close = client.next().await.expect("a close frame");
        assert_eq!((close.opcode, close.code()), (8, code), "{what}: {payload:?}");
        drop(client);
    }
    hub.end().await;
}

/// A fragmentation of a message: its name, its bytes, and the control frames that the hub sends before the response.
type Fragmentation = (&'static str, Vec<u8>, Vec<(u8, &'static [u8])>);

/// Fragmentations of one `ping` message.
fn fragmentations() -> Vec<Fragmentation> {
    let (head, tail) = PING.split_at(7);
    let bytewise: Vec<Vec<u8>> = PING.iter().map(|byte| frame(0x00, &[*byte])).collect();
    let pong = 10;
    vec![
        ("one frame", frame(0x81, PING), vec![]),
        ("two fragments", [frame(0x01, head), frame(0x80, tail)].concat(), vec![]),
        ("empty fragments", [frame(0x01, b""), frame(0x00, PING), frame(0x80, b"")].concat(), vec![]),
        ("a fragment for each byte", [frame(0x01, b""), bytewise.concat(), frame(0x80, b"")].concat(), vec![]),
        (
            "a ping between fragments",
            [frame(0x01, head), frame(0x89, b"inside"), frame(0x80, tail)].concat(),
            vec![(pong, b"inside")],
        ),
        ("a pong between fragments", [frame(0x01, head), frame(0x8a, b"unasked"), frame(0x80, tail)].concat(), vec![]),
        ("an empty ping before", [frame(0x89, b""), frame(0x81, PING)].concat(), vec![(pong, b"")]),
        ("a ping of 125 bytes", [frame(0x89, &[b'x'; 125]), frame(0x81, PING)].concat(), vec![(pong, &[b'x'; 125])]),
        ("an unasked pong", [frame(0x8a, b"unasked"), frame(0x81, PING)].concat(), vec![]),
        (
            "a character in two fragments",
            {
                let text = "{\"type\":\"ping\",\"ref\":\"é\"}".as_bytes();
                let cut = text.iter().position(|byte| *byte == 0xc3).expect("the character") + 1;
                [frame(0x01, &text[..cut]), frame(0x80, &text[cut..])].concat()
            },
            vec![],
        ),
    ]
}

#[tokio::test]
async fn a_message_is_read_in_every_fragmentation() {
    let hub = LiveHub::new().await;
    for (what, bytes, before) in fragmentations() {
        let mut client = open(&hub).await;
        client.send(&bytes).await;
        for (opcode, payload) in before {
            let expected = Frame { opcode, is_final: true, payload: payload.to_vec() };
            assert_eq!(client.next().await, Some(expected), "{what}");
        }
        let answer = client.next().await.expect("an answer");
        let json: Value = serde_json::from_slice(&answer.payload).expect("JSON");
        assert_eq!((&json["type"], json["ref"].is_string()), (&"ok".into(), true), "{what}: {json}");
        drop(client);
    }
    hub.end().await;
}

#[tokio::test]
async fn frames_may_arrive_byte_by_byte() {
    let hub = LiveHub::new().await;
    let mut client = open(&hub).await;
    for byte in frame(0x81, PING) {
        client.send(&[byte]).await;
    }
    assert_eq!(client.next().await.expect("an answer").opcode, 1);
    hub.end().await;
}

#[tokio::test]
async fn a_long_message_is_sent_in_fragments() {
    let hub = LiveHub::new().await;
    let mut client = Raw::open(&hub, &hub.ben.token, &hub.query("")).await;
    for _ in ["hello", "live"] {
        client.next().await.expect("a frame");
    }
    hub.say(&"x".repeat(60_000)).await;
    let mut frames = vec![client.next().await.expect("a frame")];
    while !frames.last().is_some_and(|frame| frame.is_final) {
        frames.push(client.next().await.expect("a frame"));
    }
    assert!(frames.len() > 1 && frames.iter().all(|frame| frame.payload.len() <= 8_192));
    assert!(frames.iter().enumerate().all(|(index, frame)| frame.opcode == u8::from(index == 0)));
    let payload: Vec<u8> = frames.into_iter().flat_map(|frame| frame.payload).collect();
    assert!(serde_json::from_slice::<Value>(&payload).is_ok());
    hub.end().await;
}
