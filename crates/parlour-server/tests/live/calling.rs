//! What readers are told of calls: the frames as they go over the wire.

use serde_json::{Value, json};

use crate::{clients::Socket, serving::LiveHub, support::Member};

/// A running hub with the agents Coder and Critic, and Ben who hears events alone.
struct Stage {
    hub: LiveHub,
    coder: Member,
    critic: Member,
    ben: Socket,
}

impl Stage {
    async fn new() -> Self {
        let hub = LiveHub::new().await;
        let coder = hub.app.agent(&hub.project, "Coder").await;
        let critic = hub.app.agent(&hub.project, "Critic").await;
        let mut ben = Socket::open(&hub, &hub.ben, &hub.query("&events_only=true")).await;
        ben.until("live").await;
        Self { hub, coder, critic, ben }
    }

    /// Posts in the channel, and answers the next event.
    async fn post(&mut self, token: &str, mut request: Value) -> Value {
        request["channel_id"] = json!(self.hub.channel);
        self.hub.app.post("/messages", request).by(token).await.expect(201);
        self.next().await
    }

    /// The next event, with names in place of ids and of what else differs from run to run.
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
async fn a_message_that_calls_an_agent() {
    let mut stage = Stage::new().await;
    let mara = stage.hub.mara.token.clone();
    let asked = stage.post(&mara, json!({"id": "msg_ask", "body": "@Coder please", "correlation_id": "run-7"})).await;
    insta::assert_json_snapshot!(asked);
    stage.hub.end().await;
}

#[tokio::test]
async fn an_answer_that_is_held_and_what_the_conversation_is_told() {
    let mut stage = Stage::new().await;
    let coder = stage.coder.token.clone();
    let request = json!({"id": "msg_deep", "body": "And you, @Critic?", "cause": {"depth": 9, "chain": ["Planner"]}});
    let held = stage.post(&coder, request).await;
    insta::assert_json_snapshot!("what_is_held", json!([held["data"]["cause"], held["data"]["held"]]));
    let told = stage.next().await;
    insta::assert_json_snapshot!("what_the_host_tells", told, {".data.body" => "its words"});
    stage.hub.end().await;
}

#[tokio::test]
async fn an_agent_that_does_not_answer() {
    let mut stage = Stage::new().await;
    let mara = stage.hub.mara.token.clone();
    stage.post(&mara, json!({"id": "msg_ask", "body": "@Coder please"})).await;
    let pass = stage.hub.app.post("/messages/msg_ask/pass", json!({"reason": "Critic has said it"}));
    pass.by(&stage.coder.token).await.expect(200);
    let told = stage.next().await;
    insta::assert_json_snapshot!(told);
    stage.hub.end().await;
}

#[tokio::test]
async fn an_answer_that_has_cost_something_and_calls_another() {
    let mut stage = Stage::new().await;
    let (mara, coder) = (stage.hub.mara.token.clone(), stage.coder.token.clone());
    stage.post(&mara, json!({"id": "msg_ask", "body": "@Coder please"})).await;
    let begun = stage.post(&coder, json!({"id": "msg_answer", "reply_to": "msg_ask", "stream": true})).await;
    assert_eq!(begun["data"].get("calls"), None, "nobody is called before the text is there");
    let end = json!({"body": "Done. @Critic, have a look", "usage": {"model": "small-1", "input_tokens": 9}});
    stage.hub.app.post("/messages/msg_answer/complete", end).by(&coder).await.expect(200);
    let told = stage.next().await;
    insta::assert_json_snapshot!(told);
    stage.hub.end().await;
}
