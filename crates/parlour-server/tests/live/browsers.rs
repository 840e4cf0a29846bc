//! Live sessions of browsers, with a session cookie.

use axum::http::{Method, header};
use serde_json::json;

use crate::{
    clients::{Events, Socket},
    serving::LiveHub,
};

/// The headers that a browser sends from a page of the hub.
fn own_page(hub: &LiveHub) -> String {
    format!("http://{}", hub.address)
}

async fn socket(hub: &LiveHub, cookie: &str, origin: &str) -> Result<Socket, u16> {
    Socket::try_open(hub, &hub.query(""), &[("cookie", cookie), ("origin", origin)]).await
}

#[tokio::test]
async fn a_browser_opens_a_socket_with_its_cookie() {
    let hub = LiveHub::new().await;
    let cookie = hub.app.browser(&hub.ben).await;
    let mut socket = socket(&hub, &cookie, &own_page(&hub)).await.expect("opened");
    assert_eq!(socket.until("hello").await["member_id"], hub.ben.id);
    socket.until("live").await;
    let refused = socket.ask(json!({"type": "sign_in", "token": hub.mara.token})).await;
    assert_eq!(refused["code"], "PARLOUR-I02", "a signed-in socket keeps its member");
    hub.end().await;
}

#[tokio::test]
async fn a_browser_opens_an_event_stream_with_its_cookie() {
    let hub = LiveHub::new().await;
    let cookie = hub.app.browser(&hub.ben).await;
    let headers = format!("cookie: {cookie}\r\nsec-fetch-site: same-origin\r\n");
    let mut events = Events::open_by(hub.connect().await, &hub.query(""), &headers).await;
    events.until("live").await;
    hub.say("hello").await;
    assert_eq!(events.until("messaging.posted").await.json()["data"]["body"], "hello");
    hub.end().await;
}

#[tokio::test]
async fn a_foreign_page_cannot_open_live_sessions_with_the_cookie() {
    let hub = LiveHub::new().await;
    let cookie = hub.app.browser(&hub.ben).await;
    for origin in ["http://evil.example", "http://127.0.0.1:1", "null"] {
        assert_eq!(socket(&hub, &cookie, origin).await.err(), Some(403), "{origin}");
    }
    let path = format!("/events{}", hub.query(""));
    let call =
        hub.app.get(&path).by_browser(&cookie).header(header::HeaderName::from_static("sec-fetch-site"), "same-site");
    call.await.expect_problem("PARLOUR-A07", None);
    hub.end().await;
}

#[tokio::test]
async fn a_cookie_without_an_origin_opens_no_socket() {
    let hub = LiveHub::new().await;
    let cookie = hub.app.browser(&hub.ben).await;
    let opened = Socket::try_open(&hub, &hub.query(""), &[("cookie", &cookie)]).await;
    assert_eq!(opened.err(), Some(403), "as for a post");
    let headers = [("cookie", &*cookie), ("sec-fetch-site", "same-origin")];
    assert!(Socket::try_open(&hub, &hub.query(""), &headers).await.is_ok());
    hub.end().await;
}

#[tokio::test]
async fn an_unknown_cookie_opens_no_live_session() {
    let hub = LiveHub::new().await;
    assert_eq!(socket(&hub, "parlour_session=unknown", &own_page(&hub)).await.err(), Some(401));
    assert!(socket(&hub, "other=1", &own_page(&hub)).await.is_ok(), "others sign in with a frame");
    hub.end().await;
}

#[tokio::test]
async fn signing_out_closes_the_live_sessions_of_the_browser() {
    let hub = LiveHub::new().await;
    let (cookie, other) = (hub.app.browser(&hub.ben).await, hub.app.browser(&hub.ben).await);
    let mut mine = socket(&hub, &cookie, &own_page(&hub)).await.expect("opened");
    let mut others = socket(&hub, &other, &own_page(&hub)).await.expect("opened");
    mine.until("live").await;
    others.until("live").await;
    hub.app.call(Method::POST, "/sign-out").by_browser(&cookie).await.expect_empty(204);
    assert_eq!(mine.closed().await, 4401);
    others.done(json!({"type": "ping"})).await;
    hub.end().await;
}
