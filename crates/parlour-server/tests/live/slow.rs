//! Slow readers.

use parlour_core::limits;
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};

use crate::{
    clients::{Events, Frame, Raw, frame},
    serving::{LiveHub, soon},
};

/// More messages than the connection and the feed of a project can buffer together.
const MESSAGES: usize = 150;

/// A connection with small buffers.
async fn narrow(hub: &LiveHub) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("set");
    soon(socket.connect(hub.address)).await.expect("connected")
}

/// Posts more messages than a slow reader can lag behind.
async fn post_many(hub: &LiveHub) -> Vec<String> {
    let long = "x".repeat(60_000);
    let mut positions = Vec::new();
    for number in 0..MESSAGES {
        positions.push(hub.say(&format!("{number} {long}")).await);
    }
    positions
}

/// The texts up to the close frame, and its code; none when the connection ends without one.
async fn read_late(mut client: Raw) -> (Vec<Value>, Option<u16>) {
    let (mut texts, mut whole) = (Vec::new(), Vec::new());
    loop {
        let Some(frame) = client.next().await else { return (texts, None) };
        if frame.opcode == 8 {
            return (texts, frame.code());
        }
        let Frame { opcode, is_final, payload } = frame;
        whole.extend(payload);
        if is_final && opcode < 8 {
            texts.push(serde_json::from_slice(&std::mem::take(&mut whole)).expect("JSON"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_is_closed_to_resume_and_others_miss_nothing() {
    let hub = LiveHub::new().await;
    let mut slow = Raw::open_over(narrow(&hub).await, &hub.mara.token, &hub.query("")).await;
    slow.next().await.expect("hello");
    let (mut socket, mut events) = (hub.socket().await, hub.events().await);
    let reading = tokio::spawn(async move {
        let mut positions = Vec::new();
        for _ in 0..MESSAGES {
            let frame = socket.until("event").await;
            let event = events.until("messaging.posted").await;
            assert_eq!(event.id.as_deref(), frame["position"].as_str());
            positions.push(event.id.expect("a position"));
        }
        positions
    });
    let said = post_many(&hub).await;
    assert_eq!(soon(reading).await.expect("read"), said);
    let (received, code) = read_late(slow).await;
    assert_eq!(code, Some(4000));
    let positions: Vec<_> = received.iter().filter_map(|frame| frame["position"].as_str()).skip(1).collect();
    assert!(positions.len() < MESSAGES, "it was cut off");
    assert_eq!(positions, said[..positions.len()], "the received frames have no gap, so it can resume");
    hub.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_event_stream_ends_with_resume() {
    let hub = LiveHub::new().await;
    let mut slow = Events::open_over(narrow(&hub).await, &hub.ben, &hub.query(""), "").await;
    slow.until("live").await;
    let said = post_many(&hub).await;
    let mut received = Vec::new();
    let end = loop {
        let event = slow.next().await.expect("an end comes before the last byte");
        match event.id {
            Some(position) => received.push(position),
            None => break event,
        }
    };
    assert_eq!((end.name.as_deref(), &end.json()["code"]), (Some("end"), &json!(4000)));
    assert!(
        received.len() < MESSAGES && received == said[..received.len()],
        "the received frames have no gap, so it can resume"
    );
    assert_eq!(slow.next().await, None);
    hub.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_reads_nothing_is_disconnected() {
    let hub = LiveHub::new().await;
    let mut slow = Raw::open_over(narrow(&hub).await, &hub.ben.token, &hub.query("")).await;
    slow.send(&frame(0x81, b"{\"type\":\"presence\"}")).await;
    for _ in ["hello", "live", "ok"] {
        slow.next().await.expect("a frame");
    }
    post_many(&hub).await;
    // The start of the hub's wait is unknown, so the clock advances until the wait has timed out.
    let path = format!("/projects/{}/presence", hub.project);
    while hub.app.get(&path).await.expect(200)["items"] != json!([]) {
        hub.app.clock.advance(limits::LIVE_WRITE_SECONDS_MAX as u32 * 1_000);
    }
    // Whether it still gets the close frame depends on when it reads again.
    let (received, code) = read_late(slow).await;
    assert!(received.len() < MESSAGES && code.is_none_or(|code| code == 4000), "{} {code:?}", received.len());
    hub.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_member_is_closed_even_when_it_does_not_read() {
    let hub = LiveHub::new().await;
    let mut slow = Raw::open_over(narrow(&hub).await, &hub.ben.token, &hub.query("")).await;
    slow.next().await.expect("hello");
    post_many(&hub).await;
    hub.remove_ben().await;
    hub.say("not for Ben").await;
    // Whether it still gets the close frame depends on when it reads again.
    let (received, code) = read_late(slow).await;
    assert!(code.is_none_or(|code| code == 4403), "{code:?}");
    assert!(!received.iter().any(|frame| frame.to_string().contains("not for Ben")));
    hub.end().await;
}
