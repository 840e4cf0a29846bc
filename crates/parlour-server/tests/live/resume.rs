//! Resuming from a position, and gaps.

use serde_json::json;

use crate::{
    clients::{Events, Socket},
    serving::LiveHub,
};

/// The texts of the events up to `live`.
async fn missed(events: &mut Events) -> Vec<String> {
    let mut texts = Vec::new();
    loop {
        let event = events.next().await.expect("an event");
        match event.name.as_deref() {
            Some("live") => return texts,
            Some("messaging.posted") => texts.push(event.json()["data"]["body"].as_str().expect("text").to_owned()),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_stream_resumes_after_the_last_event_id() {
    let hub = LiveHub::new().await;
    let first = hub.say("one").await;
    hub.say("two").await;
    let third = hub.say("three").await;
    hub.say("four").await;
    let header = |position: &str| format!("last-event-id: {position}\r\n");
    for (query, headers, expected) in [
        (hub.query(""), header(&third), vec!["four"]),
        (hub.query(&format!("&after={first}")), String::new(), vec!["two", "three", "four"]),
        (hub.query(&format!("&after={first}")), header(&third), vec!["four"]),
        (hub.query(&format!("&after={third}")), header(""), vec!["four"]),
    ] {
        let mut events = Events::open_with(&hub, &hub.ben, &query, &headers).await;
        assert_eq!(missed(&mut events).await, expected, "{query} {headers}");
    }
    hub.end().await;
}

#[tokio::test]
async fn a_socket_resumes_after_a_position() {
    let hub = LiveHub::new().await;
    let first = hub.say("one").await;
    hub.say("two").await;
    let mut by_address = Socket::open(&hub, &hub.ben, &hub.query(&format!("&after={first}"))).await;
    assert_eq!(by_address.until("event").await["data"]["body"], "two");
    assert_eq!(by_address.next().await["type"], "live");
    let mut by_frame = Socket::open(&hub, &hub.ben, "").await;
    by_frame.done(json!({"type": "subscribe", "project_id": hub.project, "after": first})).await;
    assert_eq!(by_frame.next().await["data"]["body"], "two");
    assert_eq!(by_frame.next().await["type"], "live");
    hub.end().await;
}

#[tokio::test]
async fn a_client_can_resume_from_the_position_of_live() {
    let hub = LiveHub::new().await;
    let mut events = Events::open(&hub, &hub.ben, &hub.query("")).await;
    let live = events.until("live").await;
    assert_eq!(live.id.as_deref(), live.json()["position"].as_str());
    drop(events);
    hub.say("meanwhile").await;
    let header = format!("last-event-id: {}\r\n", live.id.expect("an id"));
    let mut events = Events::open_with(&hub, &hub.ben, &hub.query(""), &header).await;
    assert_eq!(missed(&mut events).await, ["meanwhile"]);
    hub.end().await;
}

#[tokio::test]
async fn missing_events_are_reported_as_a_gap() {
    let hub = LiveHub::new().await;
    let end = hub.say("one").await;
    let (epoch, offset) = end.split_once('-').expect("a position");
    let ahead = format!("{epoch}-{}", offset.parse::<u64>().expect("a number") + 1_000);
    for (after, reason) in [("OTHER-1", "epoch"), (ahead.as_str(), "ahead")] {
        let mut events = Events::open(&hub, &hub.ben, &hub.query(&format!("&after={after}"))).await;
        let gap = events.until("gap").await;
        assert_eq!((gap.json()["reason"].as_str(), gap.json()["position"].as_str()), (Some(reason), Some(&*end)));
        assert_eq!(gap.id.as_deref(), Some(&*end), "a stream resumes where the gap ends");
        assert_eq!(events.next().await.and_then(|event| event.name).as_deref(), Some("live"));
        let mut socket = Socket::open(&hub, &hub.ben, &hub.query(&format!("&after={after}"))).await;
        assert_eq!(Some(socket.until("gap").await), gap.data);
    }
    hub.end().await;
}

#[tokio::test]
async fn an_invalid_position_is_refused() {
    let hub = LiveHub::new().await;
    let path = format!("/events{}", hub.query("&after=yesterday"));
    hub.app.get(&path).await.expect_problem("PARLOUR-I09", Some("after"));
    let path = format!("/events{}", hub.query(""));
    let last = axum::http::HeaderName::from_static("last-event-id");
    hub.app.get(&path).header(last, "yesterday").await.expect_problem("PARLOUR-I09", Some("Last-Event-ID"));
    hub.app.get("/live?after=a-1").await.expect_problem("PARLOUR-I13", None);
    hub.end().await;
}

#[tokio::test]
async fn the_position_advances_past_hidden_events() {
    let hub = LiveHub::new().await;
    let secret = hub.app.private_channel(&hub.mara, &hub.project, "secret").await;
    let (mut socket, mut events) = (hub.socket().await, hub.events().await);
    let body = json!({"channel_id": secret, "body": "not for Ben"});
    let posted = hub.app.post("/messages", body).by(&hub.mara.token).await.expect(201);
    let position = posted["position"].as_str().expect("a position");
    // The reader may pass the event only after the first beat.
    let mut moved = (None, None);
    while moved.0.is_none() || moved.1.is_none() {
        hub.beat();
        moved.0 = moved.0.or(events.next().await.expect("a beat").id);
        moved.1 = moved.1.or(socket.until_ping().await.into_iter().next());
    }
    assert_eq!(moved.0.as_deref(), Some(position));
    assert_eq!(moved.1, Some(json!({"type": "position", "project_id": hub.project, "position": position})));
    hub.beat();
    assert_eq!(events.next().await.expect("a beat").id, None, "an unchanged position is sent once");
    hub.end().await;
}
