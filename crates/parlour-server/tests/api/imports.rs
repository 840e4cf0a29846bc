//! Import of messages of another system.

use parlour_core::limits::{IMPORT_BODY_BYTES_MAX, MESSAGE_BODY_BYTES_MAX, REQUEST_BODY_BYTES_MAX};
use serde_json::{Value, json};

use crate::support::{ProjectFixture, TestApp, field_of, fields};

/// A message of another system.
fn old(number: usize, body: &str) -> Value {
    json!({
        "id": format!("msg_old-{number}"),
        "from": {"type": "agent", "id": "pynchy:u-7", "name": "Old Coder"},
        "kind": "assistant",
        "body": body,
        "created_at": "2020-01-02T03:04:05.678Z",
    })
}

impl ProjectFixture {
    fn import_request(&self, messages: &[Value]) -> Value {
        json!({"channel_id": self.channel, "messages": messages})
    }

    async fn texts(&self) -> Vec<String> {
        let messages = self.app.pages(&format!("/channels/{}/messages", self.channel), TestApp::ADMIN).await;
        field_of(&messages, "body").iter().rev().map(|&body| body.to_owned()).collect()
    }
}

#[tokio::test]
async fn imported_messages_keep_authors_and_times() {
    let fixture = ProjectFixture::new().await;
    let request = fixture.import_request(&[old(1, "one"), old(2, "two")]);
    let outcome = fixture.app.post("/imports", request).await.expect(200);
    assert_eq!(outcome, json!({"stored": 2, "known": 0}));
    assert_eq!(fixture.texts().await, ["one", "two"]);
    let message = fixture.app.get("/messages/msg_old-1").await.expect(200);
    assert_eq!(message["from"], old(1, "")["from"]);
    assert_eq!((&message["created_at"], &message["seq"]), (&json!("2020-01-02T03:04:05.678Z"), &json!(1)));
    assert!(!fields(&message).contains(&"calls"), "it calls nobody");
}

#[tokio::test]
async fn a_repeated_import_counts_all_messages_as_known() {
    let fixture = ProjectFixture::new().await;
    let request = fixture.import_request(&[old(1, "one"), old(2, "two")]);
    fixture.app.post("/imports", request.clone()).await.expect(200);
    assert_eq!(fixture.app.post("/imports", request).await.expect(200), json!({"stored": 0, "known": 2}));
}

#[tokio::test]
async fn a_conflicting_id_is_refused_with_its_index_and_earlier_messages_stay() {
    let fixture = ProjectFixture::new().await;
    fixture.app.post("/imports", fixture.import_request(&[old(3, "three")])).await.expect(200);
    let request = fixture.import_request(&[old(1, "one"), old(2, "two"), old(3, "drei"), old(4, "four")]);
    let problem = fixture.app.post("/imports", request).await.expect_problem("PARLOUR-C01", Some("messages[2].id"));
    assert!(problem["detail"].as_str().expect("a detail").contains("msg_old-3"), "{problem}");
    assert_eq!(fixture.texts().await, ["three", "one", "two"]);
}

#[tokio::test]
async fn only_administrators_can_import() {
    let fixture = ProjectFixture::new().await;
    let request = fixture.import_request(&[old(1, "one")]);
    fixture.app.post("/imports", request.clone()).by(&fixture.mara.token).await.expect_problem("PARLOUR-A02", None);
    fixture.app.post("/imports", request).by(&fixture.coder.token).await.expect_problem("PARLOUR-A04", None);
}

#[tokio::test]
async fn a_refusal_names_the_field_in_the_list() {
    let fixture = ProjectFixture::new().await;
    let spoilt = |field: &str, value: Value| {
        let mut message = old(2, "two");
        *message.pointer_mut(field).expect("a field") = value;
        fixture.import_request(&[old(1, "one"), message])
    };
    for (field, value, code, path) in [
        ("/from/id", json!("per_1"), "PARLOUR-I02", "messages[1].from.id"),
        ("/from/name", json!("a\u{7}"), "PARLOUR-I11", "messages[1].from.name"),
        ("/body", json!(" "), "PARLOUR-I10", "messages[1].body"),
        ("/body", json!("x".repeat(MESSAGE_BODY_BYTES_MAX + 1)), "PARLOUR-I10", "messages[1].body"),
        ("/created_at", json!("9999-01-01T00:00:00Z"), "PARLOUR-I10", "messages[1].created_at"),
        ("/kind", json!("poem"), "PARLOUR-I02", "messages[1].kind"),
    ] {
        fixture.app.post("/imports", spoilt(field, value)).await.expect_problem(code, Some(path));
    }
    assert_eq!(fixture.texts().await, Vec::<String>::new());
}

#[tokio::test]
async fn an_import_body_may_be_larger_than_other_bodies() {
    let fixture = ProjectFixture::new().await;
    let text = "x".repeat(MESSAGE_BODY_BYTES_MAX);
    let many: Vec<_> = (0..60).map(|number| old(number, &text)).collect();
    let request = fixture.import_request(&many);
    assert!((REQUEST_BODY_BYTES_MAX..IMPORT_BODY_BYTES_MAX).contains(&request.to_string().len()));
    assert_eq!(fixture.app.post("/imports", request).await.expect(200)["stored"], 60);
    let many: Vec<_> = (100..165).map(|number| old(number, &text)).collect();
    fixture.app.post("/imports", fixture.import_request(&many)).await.expect_problem("PARLOUR-I06", None);
}

#[tokio::test]
async fn the_audit_log_names_the_administrator() {
    let fixture = ProjectFixture::new().await;
    fixture.app.post("/imports", fixture.import_request(&[old(1, "one")])).await.expect(200);
    let entry = fixture.app.get("/audit?limit=1").await.expect(200)["items"][0].clone();
    let me = fixture.app.get("/me").await.expect(200);
    assert_eq!((&entry["actor"]["id"], &entry["subject"]), (&me["member_id"], &json!("msg_old-1")));
}
