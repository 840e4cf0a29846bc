//! Answers that are written piece by piece.

use serde_json::{Value, json};

use crate::support::{Member, TestApp, fields, id_of};

/// A project with a channel and an agent that has begun an answer.
struct Stage {
    app: TestApp,
    project: String,
    channel: String,
    coder: Member,
    answer: String,
}

impl Stage {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let project = app.project("Apollo").await;
        let channel = app.channel(&project, "general").await;
        let coder = app.agent(&project, "Coder").await;
        let request = json!({"channel_id": channel, "stream": true});
        let answer = id_of(&app.post("/messages", request).by(&coder.token).await.expect(201));
        Self { app, project, channel, coder, answer }
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
async fn an_answer_is_begun_grows_and_is_completed_under_one_id() {
    let stage = Stage::new().await;
    assert_eq!(stage.message().await["state"], "streaming");
    let lease = stage.produce("/chunks", json!({"start": 0, "text": "Hé"})).await.expect(200);
    assert_eq!(fields(&lease), ["chars", "lease_until", "message_id"]);
    assert_eq!((&lease["message_id"], &lease["chars"]), (&json!(stage.answer), &json!(2)));
    stage.produce("/chunks", json!({"text": "llo"})).await.expect(200);
    let ended = stage.app.post(&stage.path("/complete"), json!(null)).by(&stage.coder.token).await.expect(200);
    assert_eq!(
        (&ended["id"], &ended["body"], &ended["state"]),
        (&json!(stage.answer), &json!("Héllo"), &json!("complete"))
    );
    assert!(ended["position"].is_string() && ended["mention_problems"].is_array(), "{ended}");
    assert_eq!(stage.message().await["body"], "Héllo");
}

#[tokio::test]
async fn the_final_text_replaces_what_was_streamed() {
    let stage = Stage::new().await;
    stage.produce("/chunks", json!({"text": "Draft"})).await.expect(200);
    let end = json!({"body": "Final, @Admin @Nobodi", "content": {"a": 1}});
    let ended = stage.produce("/complete", end).await.expect(200);
    assert_eq!((&ended["body"], &ended["content"]), (&json!("Final, @Admin @Nobodi"), &json!({"a": 1})));
    assert_eq!(ended["mentions"].as_array().map(Vec::len), Some(1));
    assert_eq!(ended["mention_problems"][0]["name"], "Nobodi");
}

#[tokio::test]
async fn a_repeated_chunk_changes_nothing_and_a_misplaced_one_is_refused() {
    let stage = Stage::new().await;
    for _ in 0..2 {
        let lease = stage.produce("/chunks", json!({"start": 0, "text": "Hello"})).await.expect(200);
        assert_eq!(lease["chars"], 5);
    }
    for request in [json!({"start": 4, "text": "oops"}), json!({"start": 6, "text": "x"})] {
        let problem = stage.produce("/chunks", request).await.expect_problem("PARLOUR-C09", Some("start"));
        assert_eq!(problem["status"], 409);
    }
}

#[tokio::test]
async fn a_beat_keeps_an_answer_open() {
    let stage = Stage::new().await;
    let first = stage.produce("/chunks", json!({"text": "Hm"})).await.expect(200);
    stage.app.clock.advance(10_000);
    let path = stage.path("/beat");
    let lease = stage.app.call(axum::http::Method::POST, &path).by(&stage.coder.token).await.expect(200);
    assert_eq!(lease["chars"], 2);
    assert!(lease["lease_until"].as_str() > first["lease_until"].as_str(), "{lease}");
}

#[tokio::test]
async fn an_answer_can_fail_with_a_reason_and_keeps_its_text() {
    let stage = Stage::new().await;
    stage.produce("/chunks", json!({"text": "Half"})).await.expect(200);
    stage.produce("/fail", json!({"reason": " "})).await.expect_problem("PARLOUR-I10", Some("reason"));
    stage.produce("/fail", json!({})).await.expect_problem("PARLOUR-I02", Some("reason"));
    let ended = stage.produce("/fail", json!({"reason": "the model is gone"})).await.expect(200);
    assert_eq!((&ended["state"], &ended["body"]), (&json!("failed"), &json!("Half")));
    assert_eq!(ended["reason"], "the model is gone");
}

#[tokio::test]
async fn a_person_can_stop_an_answer_and_its_producer_learns_of_it() {
    let stage = Stage::new().await;
    stage.produce("/chunks", json!({"text": "On and on"})).await.expect(200);
    let mara = stage.app.person_in(&stage.project, "Mara").await;
    let ended = stage.app.post(&stage.path("/cancel"), json!({"reason": "enough"})).by(&mara.token).await.expect(200);
    assert_eq!((&ended["state"], &ended["reason"]), (&json!("cancelled"), &json!("enough")));
    for (tail, body) in [("/chunks", json!({"text": "x"})), ("/complete", json!({})), ("/fail", json!({"reason": "x"}))]
    {
        stage.produce(tail, body).await.expect_problem("PARLOUR-C07", None);
    }
    stage.produce("/steps", json!({"id": "s", "name": "n"})).await.expect_problem("PARLOUR-C07", None);
}

#[tokio::test]
async fn only_the_producer_writes_and_agents_do_not_stop_each_other() {
    let stage = Stage::new().await;
    let other = stage.app.agent(&stage.project, "Other").await;
    for token in [TestApp::ADMIN, other.token.as_str()] {
        for (tail, body) in [
            ("/chunks", json!({"text": "x"})),
            ("/beat", json!({})),
            ("/complete", json!({})),
            ("/fail", json!({"reason": "x"})),
            ("/steps", json!({"id": "s", "name": "n"})),
            ("/steps/s/finish", json!({})),
        ] {
            stage.app.post(&stage.path(tail), body).by(token).await.expect_problem("PARLOUR-A02", None);
        }
    }
    stage.app.post(&stage.path("/cancel"), json!({})).by(&other.token).await.expect_problem("PARLOUR-A02", None);
    assert_eq!(stage.message().await["state"], "streaming");
}

#[tokio::test]
async fn steps_are_begun_and_ended_and_stay_with_the_answer() {
    let stage = Stage::new().await;
    let begin = json!({"id": "call-1", "name": "search", "input": {"q": "build"}});
    let begun = stage.produce("/steps", begin).await.expect(201);
    assert_eq!(fields(&begun), ["id", "input", "name", "started_at"]);
    let ended =
        stage.produce("/steps/call-1/finish", json!({"output": {"hits": 3}, "is_error": true})).await.expect(200);
    assert_eq!((&ended["output"], &ended["is_error"]), (&json!({"hits": 3}), &json!(true)));
    stage.produce("/steps/absent/finish", json!({})).await.expect_problem("PARLOUR-N01", Some("step_id"));
    stage.produce("/complete", json!({"body": "Found"})).await.expect(200);
    assert_eq!(stage.message().await["steps"], json!([ended]));
}

#[tokio::test]
async fn a_step_has_a_plain_id_in_the_address_too() {
    let stage = Stage::new().await;
    for bad in ["a%20b", "a%2Fb", "%C3%A9"] {
        let reply = stage.produce(&format!("/steps/{bad}/finish"), json!({})).await;
        reply.expect_problem("PARLOUR-I10", Some("step_id"));
    }
    stage.produce("/steps", json!({"id": "a b", "name": "n"})).await.expect_problem("PARLOUR-I10", Some("id"));
    stage.produce("/steps", json!({"id": "50%", "name": "n"})).await.expect(201);
    stage.produce("/steps/50%25/finish", json!(null)).await.expect(200);
}

#[tokio::test]
async fn a_message_that_was_never_streamed_takes_no_chunks() {
    let stage = Stage::new().await;
    let said = id_of(&stage.app.say(&stage.channel, "All of it").await);
    let reply = stage.app.post(&format!("/messages/{said}/chunks"), json!({"text": "x"})).await;
    reply.expect_problem("PARLOUR-C07", None);
    stage.app.post("/messages/msg_absent/chunks", json!({"text": "x"})).await.expect_problem("PARLOUR-N01", None);
}
