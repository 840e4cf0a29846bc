//! Heartbeats.

use parlour_core::limits;
use serde_json::json;

use crate::{
    clients::{Raw, frame},
    serving::LiveHub,
};

const PING: u8 = 9;

#[tokio::test]
async fn a_client_that_answers_pings_stays_connected() {
    let hub = LiveHub::new().await;
    let mut socket = hub.socket().await;
    for _ in 0..2 * limits::LIVE_MISSED_HEARTBEATS_MAX {
        hub.beat();
        assert_eq!(socket.until_ping().await.len(), 0);
        // The answer to the ping goes out before this, and the hub reads both in order.
        socket.done(json!({"type": "ping"})).await;
    }
    hub.end().await;
}

#[tokio::test]
async fn a_client_that_does_not_answer_pings_is_closed() {
    let hub = LiveHub::new().await;
    let mut silent = Raw::open(&hub, &hub.ben.token, "").await;
    assert_eq!(silent.next().await.expect("hello").opcode, 1);
    for _ in 0..limits::LIVE_MISSED_HEARTBEATS_MAX {
        hub.beat();
        assert_eq!(silent.next().await.expect("a ping").opcode, PING);
    }
    hub.beat();
    assert_eq!(silent.closed().await.code(), Some(4408));
    hub.end().await;
}

#[tokio::test]
async fn any_frame_counts_as_a_heartbeat() {
    let hub = LiveHub::new().await;
    let mut client = Raw::open(&hub, &hub.ben.token, "").await;
    client.next().await.expect("hello");
    for _ in 0..2 * limits::LIVE_MISSED_HEARTBEATS_MAX {
        hub.beat();
        assert_eq!(client.next().await.expect("a ping").opcode, PING);
        client.send(&frame(0x81, b"{\"type\":\"ping\"}")).await;
        assert_eq!(client.next().await.expect("an answer").opcode, 1);
    }
    hub.end().await;
}

#[tokio::test]
async fn an_event_stream_sends_heartbeats() {
    let hub = LiveHub::new().await;
    let mut events = hub.events().await;
    for _ in 0..5 {
        hub.beat();
        let beat = events.next().await.expect("a beat");
        assert_eq!((beat.comment.as_deref(), beat.id, beat.name), (Some("beat"), None, None));
    }
    hub.end().await;
}
