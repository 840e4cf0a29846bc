//! What has become of a message for each of its recipients, and the reports of those who know.

use serde_json::{Value, json};

use crate::{
    support::{Reply, field_of, id_of},
    work_stage::Stage,
};

impl Stage {
    async fn deliveries(&self, message: &str) -> Vec<Value> {
        let list = self.app.get(&format!("/messages/{message}/deliveries")).await.expect(200);
        list["items"].as_array().expect("items").clone()
    }

    /// Coder reports what it did.
    async fn report(&self, request: Value) -> Reply {
        self.app.post("/deliveries", request).by(&self.coder.token).await
    }

    async fn unread(&self) -> Value {
        self.app.get(&format!("/agents/{}/inbox/counts", self.coder.id)).by(&self.coder.token).await.expect(200)
    }
}

#[tokio::test]
async fn a_post_is_stored_for_each_recipient_and_nothing_more_is_claimed() {
    let stage = Stage::followed().await;
    let posted = id_of(&stage.app.say(&stage.channel, "@Mara look").await);
    let found = stage.deliveries(&posted).await;
    assert_eq!(field_of(&found, "recipient"), [stage.coder.id.as_str(), stage.mara.id.as_str()]);
    assert_eq!(field_of(&found, "reason"), ["subscription", "mention"]);
    assert_eq!(field_of(&found, "state"), ["stored", "stored"]);
    assert!(found[0].get("seen_at").is_none() && found[0].get("time_to_read_ms").is_none(), "{}", found[0]);
}

#[tokio::test]
async fn a_door_reports_each_step_and_what_is_seen_leaves_the_inbox() {
    let stage = Stage::followed().await;
    let posted = id_of(&stage.app.say(&stage.channel, "one").await);
    for (state, more) in [("queued", json!({})), ("injected", json!({"delivered_via": "hook"})), ("seen", json!({}))] {
        stage.app.clock.advance(40);
        let mut request = json!({"message_ids": [posted], "state": state});
        request.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        let told = stage.report(request).await.expect(200);
        assert_eq!(told["items"][0]["state"], state, "{told}");
    }
    let found = &stage.deliveries(&posted).await[0];
    assert_eq!((&found["state"], &found["delivered_via"]), (&json!("seen"), &json!("hook")));
    assert_eq!(found["time_to_read_ms"], 120);
    assert_eq!(stage.unread().await["total"], 0);
    let again = stage.report(json!({"message_ids": [posted], "state": "queued"})).await.expect(200);
    assert_eq!(again["items"][0]["state"], "seen", "it only goes forward");
}

#[tokio::test]
async fn marking_as_read_is_being_seen() {
    let stage = Stage::followed().await;
    let posted = id_of(&stage.app.say(&stage.channel, "one @Mara").await);
    for member in [&stage.coder, &stage.mara] {
        stage.app.post(&format!("/messages/{posted}/read"), json!({})).by(&member.token).await.expect(200);
    }
    assert_eq!(field_of(&stage.deliveries(&posted).await, "state"), ["seen", "seen"]);
}

#[tokio::test]
async fn a_report_that_no_door_can_make_is_refused() {
    let stage = Stage::followed().await;
    let posted = id_of(&stage.app.say(&stage.channel, "one").await);
    for (request, code, field) in [
        (json!({"message_ids": [posted], "state": "stored"}), "PARLOUR-I02", Some("state")),
        (json!({"message_ids": [posted], "state": "answered"}), "PARLOUR-I02", Some("state")),
        (json!({"message_ids": [posted], "state": "injected"}), "PARLOUR-I02", Some("delivered_via")),
        (json!({"message_ids": [posted], "state": "failed"}), "PARLOUR-I02", Some("why")),
        (
            json!({"message_ids": [posted], "state": "seen", "delivered_via": "window"}),
            "PARLOUR-I02",
            Some("delivered_via"),
        ),
        (json!({"message_ids": vec![&posted; 201], "state": "seen"}), "PARLOUR-I10", Some("message_ids")),
        (json!({"message_ids": ["msg_absent"], "state": "seen"}), "PARLOUR-N01", None),
        (json!({"state": "seen"}), "PARLOUR-I02", Some("message_ids")),
    ] {
        let problem = stage.report(request.clone()).await.json();
        assert_eq!(problem["code"].as_str(), Some(code), "{request}: {problem}");
        assert!(field.is_none() || problem["field"].as_str() == field, "{request}: {problem}");
    }
    assert_eq!(field_of(&stage.deliveries(&posted).await, "state"), ["stored"]);
}

#[tokio::test]
async fn nobody_reports_for_another() {
    let stage = Stage::followed().await;
    let critic = stage.app.agent(&stage.project, "Critic").await;
    let posted = id_of(&stage.app.say(&stage.channel, "one").await);
    let request = json!({"agent_id": stage.coder.id, "message_ids": [posted], "state": "seen"});
    for other in [&critic, &stage.mara] {
        stage.app.post("/deliveries", request.clone()).by(&other.token).await.expect_problem("PARLOUR-A02", None);
    }
    let own = json!({"message_ids": [posted], "state": "seen"});
    let foreign = stage.app.post("/deliveries", own).by(&critic.token).await;
    assert_eq!(foreign.status, 404, "it was not for it: {}", foreign.text());
    stage.app.post("/deliveries", request).await.expect(200);
}

#[tokio::test]
async fn whoever_waits_is_told_when_it_is_seen() {
    let stage = Stage::followed().await;
    let posted = id_of(&stage.app.say(&stage.channel, "one").await);
    let path = format!("/messages/{posted}/deliveries?wait=seen");
    let waits = stage.app.get(&path).into_future();
    let reports = stage.report(json!({"message_ids": [posted], "state": "seen"}));
    let (heard, _) = tokio::join!(waits, reports);
    assert_eq!(heard.expect(200)["items"][0]["state"], "seen");
    let now = stage.app.get(&format!("{path}&seconds=0&recipient={}", stage.coder.id)).await.expect(200);
    assert_eq!(now["items"][0]["state"], "seen");
    for (query, field) in [
        ("wait=stored", "wait"),
        ("seconds=1", "seconds"),
        ("wait=seen&seconds=26", "seconds"),
        ("recipient=per_1", "recipient"),
    ] {
        let path = format!("/messages/{posted}/deliveries?{query}");
        stage.app.get(&path).await.expect_problem("PARLOUR-I09", Some(field));
    }
}

#[tokio::test]
async fn what_cannot_be_read_has_no_deliveries() {
    let stage = Stage::followed().await;
    let private = stage.app.private_channel(&stage.mara, &stage.project, "board").await;
    let request = json!({"channel_id": private, "body": "hidden"});
    let hidden = id_of(&stage.app.post("/messages", request).by(&stage.mara.token).await.expect(201));
    let path = format!("/messages/{hidden}/deliveries");
    stage.app.get(&path).by(&stage.coder.token).await.expect_problem("PARLOUR-N01", None);
    stage.app.get(&format!("{path}?wait=seen")).by(&stage.coder.token).await.expect_problem("PARLOUR-N01", None);
}
