//! Rate limits of WebSocket frames, shared with HTTP.

use parlour_core::{
    limits,
    rate::{Bucket, Rate, Rates},
};
use serde_json::{Value, json};

use crate::{clients::Socket, serving::LiveHub};

/// A quota that is sufficient for the set-up.
const BURST: u32 = 20;

/// A hub with a rate of one request per second and member, and a burst.
async fn hub() -> LiveHub {
    LiveHub::with_rates(Rates::off().with(Bucket::Member, Some(Rate { count: 1, burst: BURST }))).await
}

fn typing(hub: &LiveHub) -> Value {
    json!({"type": "typing", "conversation_id": hub.channel})
}

/// A socket of Ben whose quota is exhausted.
async fn spent(hub: &LiveHub) -> Socket {
    let mut socket = Socket::open(hub, &hub.ben, "").await;
    for _ in 1..BURST {
        socket.done(typing(hub)).await;
    }
    socket
}

#[tokio::test]
async fn a_rate_limited_frame_is_refused_with_retry_after() {
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
async fn sockets_and_requests_share_the_rate_of_a_member() {
    let hub = hub().await;
    let _socket = spent(&hub).await;
    assert_eq!(hub.app.get("/me").by(&hub.ben.token).await.status, 429);
    assert_eq!(hub.app.get("/me").by(&hub.mara.token).await.status, 200);
    let bearer = format!("Bearer {}", hub.ben.token);
    assert_eq!(Socket::try_open(&hub, "", &[("authorization", &bearer)]).await.err(), Some(429));
    hub.end().await;
}

#[tokio::test]
async fn a_client_that_ignores_rate_limits_is_closed() {
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
async fn a_successful_frame_resets_the_count_of_refusals() {
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
async fn failed_sign_in_frames_are_rate_limited() {
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
