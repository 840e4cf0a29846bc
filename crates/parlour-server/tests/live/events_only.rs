//! Readers with `events_only`, over both surfaces.

use serde_json::{Value, json};

use crate::{
    clients::{Events, Socket},
    serving::LiveHub,
    support::{Member, id_of},
};

/// A streaming answer of Coder.
struct StreamingAnswer {
    coder: Member,
    id: String,
}

impl StreamingAnswer {
    async fn begin(hub: &LiveHub) -> Self {
        let coder = hub.app.agent(&hub.project, "Coder").await;
        let body = json!({"channel_id": hub.channel, "stream": true});
        let id = id_of(&hub.app.post("/messages", body).by(&coder.token).await.expect(201));
        Self { coder, id }
    }

    async fn add(&self, hub: &LiveHub, text: &str) {
        let path = format!("/messages/{}/chunks", self.id);
        hub.app.post(&path, json!({"text": text})).by(&self.coder.token).await.expect(200);
        hub.app.clock.advance(1_000);
    }
}

/// A socket that has received `live`.
async fn socket(hub: &LiveHub, frame: Value) -> Socket {
    let mut socket = Socket::open(hub, &hub.ben, "").await;
    socket.done(frame).await;
    assert_eq!(socket.next().await["type"], "live");
    socket
}

#[tokio::test]
async fn a_socket_with_events_only_gets_no_chunks() {
    let hub = LiveHub::new().await;
    let subscribe = json!({"type": "subscribe", "project_id": hub.project});
    let mut everything = socket(&hub, subscribe.clone()).await;
    let mut request = subscribe;
    request["events_only"] = json!(true);
    let mut events = socket(&hub, request).await;
    let answer = StreamingAnswer::begin(&hub).await;
    answer.add(&hub, "Hello").await;
    assert_eq!(everything.until("chunk").await["text"], "Hello");
    let position = hub.say("after it").await;
    let received = [events.next().await, events.next().await, events.next().await];
    assert_eq!(received.each_ref().map(|frame| frame["type"].as_str()), [Some("event"); 3]);
    assert_eq!((&received[2]["data"]["body"], &received[2]["position"]), (&json!("after it"), &json!(position)));
    hub.end().await;
}

#[tokio::test]
async fn events_only_works_for_event_streams_and_query_parameters() {
    let hub = LiveHub::new().await;
    let answer = StreamingAnswer::begin(&hub).await;
    answer.add(&hub, "Hello").await;
    let query = hub.query("&events_only=true");
    let mut socket = Socket::open(&hub, &hub.ben, &query).await;
    assert_eq!([socket.next().await["type"].clone(), socket.next().await["type"].clone()], ["hello", "live"]);
    let mut events = Events::open(&hub, &hub.ben, &query).await;
    events.until("live").await;
    answer.add(&hub, ", world").await;
    hub.say("after it").await;
    let (frame, event) = (socket.next().await, events.next().await.expect("an event"));
    assert_eq!((&frame["data"]["body"], event.data.as_ref()), (&json!("after it"), Some(&frame)));
    hub.end().await;
}

#[tokio::test]
async fn events_only_false_includes_ephemeral_frames() {
    let hub = LiveHub::new().await;
    let answer = StreamingAnswer::begin(&hub).await;
    answer.add(&hub, "Hello").await;
    let mut events = Events::open(&hub, &hub.ben, &hub.query("&events_only=false")).await;
    assert_eq!(events.until("stream").await.json()["text"], "Hello");
    for no in [json!(false), json!(null)] {
        let mut socket = socket(&hub, json!({"type": "subscribe", "project_id": hub.project, "events_only": no})).await;
        assert_eq!(socket.next().await["type"], "stream");
    }
    hub.end().await;
}

#[tokio::test]
async fn events_only_keeps_heartbeats_and_positions() {
    let hub = LiveHub::new().await;
    let secret = hub.app.private_channel(&hub.mara, &hub.project, "secret").await;
    let request = json!({"type": "subscribe", "project_id": hub.project, "events_only": true});
    let mut socket = socket(&hub, request).await;
    let mut events = Events::open(&hub, &hub.ben, &hub.query("&events_only=true")).await;
    events.until("live").await;
    let body = json!({"channel_id": secret, "body": "not for Ben"});
    let posted = hub.app.post("/messages", body).by(&hub.mara.token).await.expect(201);
    // The reader may pass the event only after the first beat.
    let mut moved = (None, None);
    while moved.0.is_none() || moved.1.is_none() {
        hub.beat();
        moved.0 = moved.0.or(events.next().await.expect("a beat").id);
        moved.1 = moved.1.or(socket.until_ping().await.into_iter().next());
    }
    assert_eq!(moved.0.as_deref(), posted["position"].as_str());
    assert_eq!(moved.1.map(|frame| frame["position"].clone()), Some(posted["position"].clone()));
    hub.end().await;
}

#[tokio::test]
async fn an_invalid_events_only_is_refused() {
    let hub = LiveHub::new().await;
    let mut socket = Socket::open(&hub, &hub.ben, "").await;
    for wrong in [json!("true"), json!(1), json!([])] {
        let frame = json!({"type": "subscribe", "project_id": hub.project, "events_only": wrong});
        let refused = socket.ask(frame).await;
        assert_eq!((&refused["code"], &refused["field"]), (&json!("PARLOUR-I02"), &json!("events_only")));
    }
    let path = format!("/events{}", hub.query("&events_only=yes"));
    hub.app.get(&path).await.expect_problem("PARLOUR-I09", Some("events_only"));
    let bearer = format!("Bearer {}", hub.ben.token);
    let opened = Socket::try_open(&hub, "?events_only=true", &[("authorization", &bearer)]).await;
    assert_eq!(opened.err(), Some(400), "it belongs to a project");
    hub.end().await;
}
