//! Live frames about calls, as they are sent.

use serde_json::{Value, json};

use crate::{clients::Socket, serving::LiveHub, support::Member};

/// A running hub with the agents Coder and Critic, and a socket of Ben that receives events only.
struct CallFixture {
    hub: LiveHub,
    coder: Member,
    critic: Member,
    ben: Socket,
}

impl CallFixture {
    async fn new() -> Self {
        let hub = LiveHub::new().await;
        let coder = hub.app.agent(&hub.project, "Coder").await;
        let critic = hub.app.agent(&hub.project, "Critic").await;
        let mut ben = Socket::open(&hub, &hub.ben, &hub.query("&events_only=true")).await;
        ben.until("live").await;
        Self { hub, coder, critic, ben }
    }

    /// Posts in the channel and returns the next event.
    async fn post(&mut self, token: &str, mut request: Value) -> Value {
        request["channel_id"] = json!(self.hub.channel);
        self.hub.app.post("/messages", request).by(token).await.expect(201);
        self.next().await
    }

    /// The next event, with ids and positions replaced by names.
    async fn next(&mut self) -> Value {
        let mut frame = self.ben.next().await;
        frame["position"] = json!("position");
        let ids = [
            (&self.hub.project, "apollo"),
            (&self.hub.channel, "launch"),
            (&self.hub.mara.id, "mara"),
            (&self.coder.id, "coder"),
            (&self.critic.id, "critic"),
        ];
        let named = ids.iter().fold(frame.to_string(), |text, (id, name)| text.replace(id.as_str(), name));
        serde_json::from_str(&named).expect("JSON")
    }
}

#[tokio::test]
async fn a_call_is_part_of_the_message_event() {
    let mut fixture = CallFixture::new().await;
    let mara = fixture.hub.mara.token.clone();
    let asked = fixture.post(&mara, json!({"id": "msg_ask", "body": "@Coder please", "correlation_id": "run-7"})).await;
    insta::assert_json_snapshot!(asked);
    fixture.hub.end().await;
}

#[tokio::test]
async fn a_held_call_produces_a_message_event_and_a_host_message() {
    let mut fixture = CallFixture::new().await;
    let coder = fixture.coder.token.clone();
    let request = json!({"id": "msg_deep", "body": "And you, @Critic?", "cause": {"depth": 9, "chain": ["Planner"]}});
    let held = fixture.post(&coder, request).await;
    insta::assert_json_snapshot!("held_call", json!([held["data"]["cause"], held["data"]["held"]]));
    let frame = fixture.next().await;
    insta::assert_json_snapshot!("host_message", frame, {".data.body" => "text"});
    fixture.hub.end().await;
}

#[tokio::test]
async fn declining_a_call_produces_an_event() {
    let mut fixture = CallFixture::new().await;
    let mara = fixture.hub.mara.token.clone();
    fixture.post(&mara, json!({"id": "msg_ask", "body": "@Coder please"})).await;
    let pass = fixture.hub.app.post("/messages/msg_ask/pass", json!({"reason": "Critic has said it"}));
    pass.by(&fixture.coder.token).await.expect(200);
    let frame = fixture.next().await;
    insta::assert_json_snapshot!(frame);
    fixture.hub.end().await;
}

#[tokio::test]
async fn an_answer_event_contains_usage_and_its_calls() {
    let mut fixture = CallFixture::new().await;
    let (mara, coder) = (fixture.hub.mara.token.clone(), fixture.coder.token.clone());
    fixture.post(&mara, json!({"id": "msg_ask", "body": "@Coder please"})).await;
    let begun = fixture.post(&coder, json!({"id": "msg_answer", "reply_to": "msg_ask", "stream": true})).await;
    assert_eq!(begun["data"].get("calls"), None, "no agent is called before the text is complete");
    let end = json!({"body": "Done. @Critic, have a look", "usage": {"model": "small-1", "input_tokens": 9}});
    fixture.hub.app.post("/messages/msg_answer/complete", end).by(&coder).await.expect(200);
    let frame = fixture.next().await;
    insta::assert_json_snapshot!(frame);
    fixture.hub.end().await;
}
