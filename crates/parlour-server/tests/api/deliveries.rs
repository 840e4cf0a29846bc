//! Delivery states of a message for each recipient, and delivery reports.

use serde_json::{Value, json};

use crate::support::{ProjectFixture, Reply, field_of, id_of};

impl ProjectFixture {
    async fn deliveries(&self, message: &str) -> Vec<Value> {
        let list = self.app.get(&format!("/messages/{message}/deliveries")).await.expect(200);
        list["items"].as_array().expect("items").clone()
    }

    /// Sends a delivery report of Coder.
    async fn report(&self, request: Value) -> Reply {
        self.app.post("/deliveries", request).by(&self.coder.token).await
    }

    async fn unread(&self) -> Value {
        self.app.get(&format!("/agents/{}/inbox/counts", self.coder.id)).by(&self.coder.token).await.expect(200)
    }
}

#[tokio::test]
async fn a_new_message_has_the_state_stored_for_each_recipient() {
    let fixture = ProjectFixture::with_subscription().await;
    let posted = id_of(&fixture.app.say(&fixture.channel, "@Mara look").await);
    let found = fixture.deliveries(&posted).await;
    assert_eq!(field_of(&found, "recipient"), [fixture.coder.id.as_str(), fixture.mara.id.as_str()]);
    assert_eq!(field_of(&found, "reason"), ["subscription", "mention"]);
    assert_eq!(field_of(&found, "state"), ["stored", "stored"]);
    assert!(found[0].get("seen_at").is_none() && found[0].get("time_to_read_ms").is_none(), "{}", found[0]);
}

#[tokio::test]
async fn reports_advance_the_state_and_a_seen_message_leaves_the_inbox() {
    let fixture = ProjectFixture::with_subscription().await;
    let posted = id_of(&fixture.app.say(&fixture.channel, "one").await);
    for (state, more) in [("queued", json!({})), ("injected", json!({"delivered_via": "hook"})), ("seen", json!({}))] {
        fixture.app.clock.advance(40);
        let mut request = json!({"message_ids": [posted], "state": state});
        request.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        let report = fixture.report(request).await.expect(200);
        assert_eq!(report["items"][0]["state"], state, "{report}");
    }
    let found = &fixture.deliveries(&posted).await[0];
    assert_eq!((&found["state"], &found["delivered_via"]), (&json!("seen"), &json!("hook")));
    assert_eq!(found["time_to_read_ms"], 120);
    assert_eq!(fixture.unread().await["total"], 0);
    let again = fixture.report(json!({"message_ids": [posted], "state": "queued"})).await.expect(200);
    assert_eq!(again["items"][0]["state"], "seen", "it only goes forward");
}

#[tokio::test]
async fn marking_as_read_sets_the_state_seen() {
    let fixture = ProjectFixture::with_subscription().await;
    let posted = id_of(&fixture.app.say(&fixture.channel, "one @Mara").await);
    for member in [&fixture.coder, &fixture.mara] {
        fixture.app.post(&format!("/messages/{posted}/read"), json!({})).by(&member.token).await.expect(200);
    }
    assert_eq!(field_of(&fixture.deliveries(&posted).await, "state"), ["seen", "seen"]);
}

#[tokio::test]
async fn invalid_delivery_reports_are_refused() {
    let fixture = ProjectFixture::with_subscription().await;
    let posted = id_of(&fixture.app.say(&fixture.channel, "one").await);
    for (request, code, field) in [
        (json!({"message_ids": [posted], "state": "stored"}), "PARLOUR-I02", "state"),
        (json!({"message_ids": [posted], "state": "answered"}), "PARLOUR-I02", "state"),
        (json!({"message_ids": [posted], "state": "injected"}), "PARLOUR-I02", "delivered_via"),
        (json!({"message_ids": [posted], "state": "failed"}), "PARLOUR-I02", "why"),
        (json!({"message_ids": [posted], "state": "seen", "delivered_via": "window"}), "PARLOUR-I02", "delivered_via"),
        (json!({"message_ids": vec![&posted; 201], "state": "seen"}), "PARLOUR-I10", "message_ids"),
        (json!({"message_ids": ["msg_absent"], "state": "seen"}), "PARLOUR-N01", "message_ids[0]"),
        (json!({"state": "seen"}), "PARLOUR-I02", "message_ids"),
    ] {
        let problem = fixture.report(request.clone()).await.json();
        assert_eq!(problem["code"].as_str(), Some(code), "{request}: {problem}");
        assert_eq!(problem["field"].as_str(), Some(field), "{request}: {problem}");
    }
    assert_eq!(field_of(&fixture.deliveries(&posted).await, "state"), ["stored"]);
}

#[tokio::test]
async fn an_agent_cannot_report_deliveries_of_another() {
    let fixture = ProjectFixture::with_subscription().await;
    let critic = fixture.app.agent(&fixture.project, "Critic").await;
    let posted = id_of(&fixture.app.say(&fixture.channel, "one").await);
    let request = json!({"agent_id": fixture.coder.id, "message_ids": [posted], "state": "seen"});
    for other in [&critic, &fixture.mara] {
        fixture.app.post("/deliveries", request.clone()).by(&other.token).await.expect_problem("PARLOUR-A02", None);
    }
    let own = json!({"message_ids": [posted], "state": "seen"});
    fixture.app.post("/deliveries", own).by(&critic.token).await.expect_problem("PARLOUR-N01", None);
    fixture.app.post("/deliveries", request).await.expect(200);
}

#[tokio::test]
async fn a_waiting_request_returns_when_the_message_is_seen() {
    let fixture = ProjectFixture::with_subscription().await;
    let posted = id_of(&fixture.app.say(&fixture.channel, "one").await);
    let path = format!("/messages/{posted}/deliveries?wait=seen");
    let waits = fixture.app.get(&path).into_future();
    let reports = fixture.report(json!({"message_ids": [posted], "state": "seen"}));
    let (waited, _) = tokio::join!(waits, reports);
    assert_eq!(waited.expect(200)["items"][0]["state"], "seen");
    let now = fixture.app.get(&format!("{path}&seconds=0&recipient={}", fixture.coder.id)).await.expect(200);
    assert_eq!(now["items"][0]["state"], "seen");
    for (query, field) in [
        ("wait=stored", "wait"),
        ("seconds=1", "seconds"),
        ("wait=seen&seconds=26", "seconds"),
        ("recipient=per_1", "recipient"),
    ] {
        let path = format!("/messages/{posted}/deliveries?{query}");
        fixture.app.get(&path).await.expect_problem("PARLOUR-I09", Some(field));
    }
}

#[tokio::test]
async fn deliveries_of_unreadable_messages_are_not_found() {
    let fixture = ProjectFixture::with_subscription().await;
    let private = fixture.app.private_channel(&fixture.mara, &fixture.project, "board").await;
    let request = json!({"channel_id": private, "body": "hidden"});
    let hidden = id_of(&fixture.app.post("/messages", request).by(&fixture.mara.token).await.expect(201));
    let path = format!("/messages/{hidden}/deliveries");
    fixture.app.get(&path).by(&fixture.coder.token).await.expect_problem("PARLOUR-N01", None);
    fixture.app.get(&format!("{path}?wait=seen")).by(&fixture.coder.token).await.expect_problem("PARLOUR-N01", None);
}
