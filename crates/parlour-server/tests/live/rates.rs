//! Rates over sockets: the same share as over HTTP, and an end for those who do not listen.

use parlour_core::{
    limits,
    rate::{Bucket, Rate, Rates},
};
use serde_json::{Value, json};

use crate::{clients::Socket, serving::LiveHub};

/// Enough to set a hub up.
const BURST: u32 = 20;

/// A hub where each member may do one thing a second, and some at once.
async fn hub() -> LiveHub {
    LiveHub::with_rates(Rates::off().with(Bucket::Member, Some(Rate { count: 1, burst: BURST }))).await
}

fn typing(hub: &LiveHub) -> Value {
    json!({"type": "typing", "conversation_id": hub.channel})
}

/// Ben's socket, after he has asked for all that he may.
async fn spent(hub: &LiveHub) -> Socket {
    let mut socket = Socket::open(hub, &hub.ben, "").await;
    for _ in 1..BURST {
        socket.done(typing(hub)).await;
    }
    socket
}

#[tokio::test]
async fn a_frame_that_comes_too_soon_is_refused_and_says_when_to_come_back() {
    let hub = hub().await;
    let mut socket = spent(&hub).await;
    let refused = socket.ask(typing(&hub)).await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("PARLOUR-A08")));
    assert_eq!((&refused["retry_after"], &refused["retryable"]), (&json!(1), &json!(true)));
    hub.app.clock.advance(1_000);
    socket.done(typing(&hub)).await;
    hub.end().await;
}

#[tokio::test]
async fn sockets_and_requests_of_a_member_share_its_rate() {
    let hub = hub().await;
    let _socket = spent(&hub).await;
    assert_eq!(hub.app.get("/me").by(&hub.ben.token).await.status, 429);
    assert_eq!(hub.app.get("/me").by(&hub.mara.token).await.status, 200);
    let bearer = format!("Bearer {}", hub.ben.token);
    assert_eq!(Socket::try_open(&hub, "", &[("authorization", &bearer)]).await.err(), Some(429));
    hub.end().await;
}

#[tokio::test]
async fn a_client_that_does_not_listen_is_closed() {
    let hub = hub().await;
    let mut socket = spent(&hub).await;
    for _ in 0..limits::LIVE_RATE_REFUSALS_MAX {
        socket.send(json!({"type": "ping"})).await;
    }
    let (frames, code) = socket.rest().await;
    let refused = frames.iter().filter(|frame| frame["type"] == "refused").count();
    assert_eq!((refused, code), (limits::LIVE_RATE_REFUSALS_MAX, 4429));
    hub.end().await;
}

#[tokio::test]
async fn one_frame_that_is_done_makes_up_for_those_before() {
    let hub = hub().await;
    let mut socket = spent(&hub).await;
    for _ in 0..3 {
        for _ in 1..limits::LIVE_RATE_REFUSALS_MAX {
            assert_eq!(socket.ask(json!({"type": "ping"})).await["type"], "refused");
        }
        hub.app.clock.advance(1_000);
        socket.done(typing(&hub)).await;
    }
    hub.end().await;
}

#[tokio::test]
async fn guesses_in_the_first_frame_are_counted() {
    let few = Rate { count: 10, burst: 2 };
    let hub = LiveHub::with_rates(Rates::off().with(Bucket::FailedAddress, Some(few))).await;
    for guess in ["a", "b"] {
        let mut socket = Socket::try_open(&hub, "", &[]).await.expect("opened");
        socket.send(json!({"type": "sign_in", "token": guess})).await;
        assert_eq!(socket.closed().await, 4401);
    }
    let mut socket = Socket::try_open(&hub, "", &[]).await.expect("opened");
    let refused = socket.ask(json!({"type": "sign_in", "token": "c"})).await;
    assert_eq!((&refused["code"], &refused["retry_after"]), (&json!("PARLOUR-A08"), &json!(6)));
    hub.end().await;
}
