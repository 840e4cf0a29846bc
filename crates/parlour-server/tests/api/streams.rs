//! Streamed answers.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::support::{ProjectFixture, TestApp, fields, id_of};

/// A project in which Coder has started a streamed answer.
struct StreamFixture {
    base: ProjectFixture,
    answer: String,
}

impl Deref for StreamFixture {
    type Target = ProjectFixture;

    fn deref(&self) -> &ProjectFixture {
        &self.base
    }
}

impl StreamFixture {
    async fn new() -> Self {
        let base = ProjectFixture::new().await;
        let request = json!({"channel_id": base.channel, "stream": true});
        let answer = id_of(&base.app.post("/messages", request).by(&base.coder.token).await.expect(201));
        Self { base, answer }
    }

    fn path(&self, tail: &str) -> String {
        format!("/messages/{}{tail}", self.answer)
    }

    /// A request of the producer.
    async fn produce(&self, tail: &str, body: Value) -> crate::support::Reply {
        self.app.post(&self.path(tail), body).by(&self.coder.token).await
    }

    async fn message(&self) -> Value {
        self.app.get(&self.path("")).await.expect(200)
    }
}

#[tokio::test]
async fn a_streamed_answer_keeps_its_id_from_start_to_completion() {
    let fixture = StreamFixture::new().await;
    assert_eq!(fixture.message().await["state"], "streaming");
    let lease = fixture.produce("/chunks", json!({"start": 0, "text": "Hé"})).await.expect(200);
    assert_eq!(fields(&lease), ["chars", "lease_until", "message_id"]);
    assert_eq!((&lease["message_id"], &lease["chars"]), (&json!(fixture.answer), &json!(2)));
    fixture.produce("/chunks", json!({"text": "llo"})).await.expect(200);
    let ended = fixture.app.post(&fixture.path("/complete"), json!(null)).by(&fixture.coder.token).await.expect(200);
    assert_eq!(
        (&ended["id"], &ended["body"], &ended["state"]),
        (&json!(fixture.answer), &json!("Héllo"), &json!("complete"))
    );
    assert!(ended["position"].is_string() && ended["mention_problems"].is_array(), "{ended}");
    assert_eq!(fixture.message().await["body"], "Héllo");
}

#[tokio::test]
async fn the_final_text_replaces_the_streamed_text() {
    let fixture = StreamFixture::new().await;
    fixture.produce("/chunks", json!({"text": "Draft"})).await.expect(200);
    let end = json!({"body": "Final, @Admin @Nobodi", "content": {"a": 1}});
    let ended = fixture.produce("/complete", end).await.expect(200);
    assert_eq!((&ended["body"], &ended["content"]), (&json!("Final, @Admin @Nobodi"), &json!({"a": 1})));
    assert_eq!(ended["mentions"].as_array().map(Vec::len), Some(1));
    assert_eq!(ended["mention_problems"][0]["name"], "Nobodi");
}

#[tokio::test]
async fn a_repeated_chunk_changes_nothing_and_a_misplaced_one_is_refused() {
    let fixture = StreamFixture::new().await;
    for _ in 0..2 {
        let lease = fixture.produce("/chunks", json!({"start": 0, "text": "Hello"})).await.expect(200);
        assert_eq!(lease["chars"], 5);
    }
    for request in [json!({"start": 4, "text": "oops"}), json!({"start": 6, "text": "x"})] {
        let problem = fixture.produce("/chunks", request).await.expect_problem("PARLOUR-C09", Some("start"));
        assert_eq!(problem["status"], 409);
    }
}

#[tokio::test]
async fn a_heartbeat_keeps_an_answer_open() {
    let fixture = StreamFixture::new().await;
    let first = fixture.produce("/chunks", json!({"text": "Hm"})).await.expect(200);
    fixture.app.clock.advance(10_000);
    let path = fixture.path("/beat");
    let lease = fixture.app.call(axum::http::Method::POST, &path).by(&fixture.coder.token).await.expect(200);
    assert_eq!(lease["chars"], 2);
    assert!(lease["lease_until"].as_str() > first["lease_until"].as_str(), "{lease}");
}

#[tokio::test]
async fn a_failed_answer_keeps_its_text_and_reason() {
    let fixture = StreamFixture::new().await;
    fixture.produce("/chunks", json!({"text": "Half"})).await.expect(200);
    fixture.produce("/fail", json!({"reason": " "})).await.expect_problem("PARLOUR-I10", Some("reason"));
    fixture.produce("/fail", json!({})).await.expect_problem("PARLOUR-I02", Some("reason"));
    let ended = fixture.produce("/fail", json!({"reason": "the model is gone"})).await.expect(200);
    assert_eq!((&ended["state"], &ended["body"]), (&json!("failed"), &json!("Half")));
    assert_eq!(ended["reason"], "the model is gone");
}

#[tokio::test]
async fn a_person_can_cancel_an_answer_and_later_chunks_are_refused() {
    let fixture = StreamFixture::new().await;
    fixture.produce("/chunks", json!({"text": "On and on"})).await.expect(200);
    let mara = &fixture.mara;
    let ended =
        fixture.app.post(&fixture.path("/cancel"), json!({"reason": "enough"})).by(&mara.token).await.expect(200);
    assert_eq!((&ended["state"], &ended["reason"]), (&json!("cancelled"), &json!("enough")));
    for (tail, body) in [("/chunks", json!({"text": "x"})), ("/complete", json!({})), ("/fail", json!({"reason": "x"}))]
    {
        fixture.produce(tail, body).await.expect_problem("PARLOUR-C07", None);
    }
    fixture.produce("/steps", json!({"id": "s", "name": "n"})).await.expect_problem("PARLOUR-C07", None);
}

#[tokio::test]
async fn only_the_producer_can_write_and_agents_cannot_cancel_each_other() {
    let fixture = StreamFixture::new().await;
    let other = fixture.app.agent(&fixture.project, "Other").await;
    for token in [TestApp::ADMIN, other.token.as_str()] {
        for (tail, body) in [
            ("/chunks", json!({"text": "x"})),
            ("/beat", json!({})),
            ("/complete", json!({})),
            ("/fail", json!({"reason": "x"})),
            ("/steps", json!({"id": "s", "name": "n"})),
            ("/steps/s/finish", json!({})),
        ] {
            fixture.app.post(&fixture.path(tail), body).by(token).await.expect_problem("PARLOUR-A02", None);
        }
    }
    fixture.app.post(&fixture.path("/cancel"), json!({})).by(&other.token).await.expect_problem("PARLOUR-A02", None);
    assert_eq!(fixture.message().await["state"], "streaming");
}

#[tokio::test]
async fn steps_are_stored_with_the_answer() {
    let fixture = StreamFixture::new().await;
    let begin = json!({"id": "call-1", "name": "search", "input": {"q": "build"}});
    let begun = fixture.produce("/steps", begin).await.expect(201);
    assert_eq!(fields(&begun), ["id", "input", "name", "started_at"]);
    let ended =
        fixture.produce("/steps/call-1/finish", json!({"output": {"hits": 3}, "is_error": true})).await.expect(200);
    assert_eq!((&ended["output"], &ended["is_error"]), (&json!({"hits": 3}), &json!(true)));
    fixture.produce("/steps/absent/finish", json!({})).await.expect_problem("PARLOUR-N01", Some("step_id"));
    fixture.produce("/complete", json!({"body": "Found"})).await.expect(200);
    assert_eq!(fixture.message().await["steps"], json!([ended]));
}

#[tokio::test]
async fn step_ids_consist_of_visible_ascii_without_slash() {
    let fixture = StreamFixture::new().await;
    for bad in ["a%20b", "a%2Fb", "%C3%A9"] {
        let reply = fixture.produce(&format!("/steps/{bad}/finish"), json!({})).await;
        reply.expect_problem("PARLOUR-I10", Some("step_id"));
    }
    fixture.produce("/steps", json!({"id": "a b", "name": "n"})).await.expect_problem("PARLOUR-I10", Some("id"));
    fixture.produce("/steps", json!({"id": "50%", "name": "n"})).await.expect(201);
    fixture.produce("/steps/50%25/finish", json!(null)).await.expect(200);
}

#[tokio::test]
async fn chunks_of_a_complete_message_are_refused() {
    let fixture = StreamFixture::new().await;
    let said = id_of(&fixture.app.say(&fixture.channel, "All of it").await);
    let reply = fixture.app.post(&format!("/messages/{said}/chunks"), json!({"text": "x"})).await;
    reply.expect_problem("PARLOUR-C07", None);
    fixture.app.post("/messages/msg_absent/chunks", json!({"text": "x"})).await.expect_problem("PARLOUR-N01", None);
}
