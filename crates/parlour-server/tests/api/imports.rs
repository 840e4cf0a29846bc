//! Taking over messages of another system.

use parlour_core::limits::{IMPORT_BODY_BYTES_MAX, MESSAGE_BODY_BYTES_MAX, REQUEST_BODY_BYTES_MAX};
use serde_json::{Value, json};

use crate::support::{TestApp, field_of, fields};

/// A message of somebody elsewhere.
fn old(number: usize, body: &str) -> Value {
    json!({
        "id": format!("msg_old-{number}"),
        "from": {"type": "agent", "id": "pynchy:u-7", "name": "Old Coder"},
        "kind": "assistant",
        "body": body,
        "created_at": "2020-01-02T03:04:05.678Z",
    })
}

struct Stage {
    app: TestApp,
    channel: String,
}

impl Stage {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let project = app.project("Apollo").await;
        let channel = app.channel(&project, "general").await;
        Self { app, channel }
    }

    fn request(&self, messages: &[Value]) -> Value {
        json!({"channel_id": self.channel, "messages": messages})
    }

    async fn texts(&self) -> Vec<String> {
        let messages = self.app.pages(&format!("/channels/{}/messages", self.channel), TestApp::ADMIN).await;
        field_of(&messages, "body").iter().rev().map(|&body| body.to_owned()).collect()
    }
}

#[tokio::test]
async fn messages_are_taken_over_with_their_authors_and_times() {
    let stage = Stage::new().await;
    let request = stage.request(&[old(1, "one"), old(2, "two")]);
    let outcome = stage.app.post("/imports", request).await.expect(200);
    assert_eq!(outcome, json!({"stored": 2, "known": 0}));
    assert_eq!(stage.texts().await, ["one", "two"]);
    let message = stage.app.get("/messages/msg_old-1").await.expect(200);
    assert_eq!(message["from"], old(1, "")["from"]);
    assert_eq!((&message["created_at"], &message["seq"]), (&json!("2020-01-02T03:04:05.678Z"), &json!(1)));
    assert!(!fields(&message).contains(&"calls"), "it calls nobody");
}

#[tokio::test]
async fn the_same_call_again_knows_all() {
    let stage = Stage::new().await;
    let request = stage.request(&[old(1, "one"), old(2, "two")]);
    stage.app.post("/imports", request.clone()).await.expect(200);
    assert_eq!(stage.app.post("/imports", request).await.expect(200), json!({"stored": 0, "known": 2}));
}

#[tokio::test]
async fn an_id_of_another_message_is_named_by_its_place_and_what_came_before_stays() {
    let stage = Stage::new().await;
    stage.app.post("/imports", stage.request(&[old(3, "three")])).await.expect(200);
    let request = stage.request(&[old(1, "one"), old(2, "two"), old(3, "drei"), old(4, "four")]);
    let problem = stage.app.post("/imports", request).await.expect_problem("PARLOUR-C01", Some("messages[2].id"));
    assert!(problem["detail"].as_str().expect("a detail").contains("msg_old-3"), "{problem}");
    assert_eq!(stage.texts().await, ["three", "one", "two"]);
}

#[tokio::test]
async fn only_administrators_may() {
    let stage = Stage::new().await;
    let mara = stage.app.person("Mara").await;
    let request = stage.request(&[old(1, "one")]);
    stage.app.post("/imports", request.clone()).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
    let project = stage.app.project("Other").await;
    let coder = stage.app.agent(&project, "Coder").await;
    stage.app.post("/imports", request).by(&coder.token).await.expect_problem("PARLOUR-A04", None);
}

#[tokio::test]
async fn a_refusal_names_the_field_in_the_list() {
    let stage = Stage::new().await;
    let spoilt = |field: &str, value: Value| {
        let mut message = old(2, "two");
        *message.pointer_mut(field).expect("a field") = value;
        stage.request(&[old(1, "one"), message])
    };
    for (field, value, code, path) in [
        ("/from/id", json!("per_1"), "PARLOUR-I02", "messages[1].from.id"),
        ("/from/name", json!("a\u{7}"), "PARLOUR-I11", "messages[1].from.name"),
        ("/body", json!(" "), "PARLOUR-I10", "messages[1].body"),
        ("/body", json!("x".repeat(MESSAGE_BODY_BYTES_MAX + 1)), "PARLOUR-I10", "messages[1].body"),
        ("/created_at", json!("9999-01-01T00:00:00Z"), "PARLOUR-I10", "messages[1].created_at"),
        ("/kind", json!("poem"), "PARLOUR-I02", "messages[1].kind"),
    ] {
        stage.app.post("/imports", spoilt(field, value)).await.expect_problem(code, Some(path));
    }
    assert_eq!(stage.texts().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_batch_may_be_larger_than_other_requests() {
    let stage = Stage::new().await;
    let text = "x".repeat(MESSAGE_BODY_BYTES_MAX);
    let many: Vec<_> = (0..60).map(|number| old(number, &text)).collect();
    let request = stage.request(&many);
    assert!((REQUEST_BODY_BYTES_MAX..IMPORT_BODY_BYTES_MAX).contains(&request.to_string().len()));
    assert_eq!(stage.app.post("/imports", request).await.expect(200)["stored"], 60);
    let many: Vec<_> = (100..165).map(|number| old(number, &text)).collect();
    stage.app.post("/imports", stage.request(&many)).await.expect_problem("PARLOUR-I06", None);
}

#[tokio::test]
async fn the_audit_log_names_the_administrator() {
    let stage = Stage::new().await;
    stage.app.post("/imports", stage.request(&[old(1, "one")])).await.expect(200);
    let entry = stage.app.get("/audit?limit=1").await.expect(200)["items"][0].clone();
    let me = stage.app.get("/me").await.expect(200);
    assert_eq!((&entry["actor"]["id"], &entry["subject"]), (&me["member_id"], &json!("msg_old-1")));
}
