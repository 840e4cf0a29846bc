//! Presence and typing notifications.

use serde_json::{Value, json};

use crate::support::{Member, TestApp, field_of, fields};

impl TestApp {
    async fn announce(&self, who: &Member, request: Value) -> Value {
        self.put("/presence").json(request).by(&who.token).await.expect(200)
    }
}

#[tokio::test]
async fn a_presence_has_the_fields_of_its_contract() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let request = json!({"project_id": project, "name": "Coder", "instructions": "Write Rust."});
    let made = app.post("/agents", request).await.expect(201);
    let token = made["token"].as_str().expect("token");
    let request = json!({
        "state": "working", "machine_name": "build-7", "runtime": "rig 3",
        "abilities": {"can_stream": true, "can_be_paused": false, "can_be_woken": true}
    });
    let shown = app.put("/presence").json(request.clone()).by(token).await.expect(200);
    let contract = [
        "abilities",
        "instructions",
        "is_agent",
        "machine_name",
        "member_id",
        "name",
        "project_ids",
        "runtime",
        "since",
        "state",
    ];
    assert_eq!(fields(&shown), contract);
    assert_eq!((&shown["member_id"], &shown["name"]), (&made["id"], &json!("Coder")));
    assert_eq!((&shown["project_ids"], &shown["instructions"]), (&json!([project]), &json!("Write Rust.")));
    for field in ["state", "machine_name", "runtime", "abilities"] {
        assert_eq!(shown[field], request[field], "{field}");
    }
    assert_eq!(app.get("/presence").await.expect(200)["items"], json!([shown]));
    assert_eq!(app.get(&format!("/projects/{project}/presence")).await.expect(200)["items"], json!([shown]));
}

#[tokio::test]
async fn a_presence_can_be_withdrawn_and_expires() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (mara, path) = (app.person_in(&project, "Mara").await, format!("/projects/{project}/presence"));
    app.announce(&mara, json!({})).await;
    for _ in 0..2 {
        app.delete("/presence").by(&mara.token).await.expect_empty(204);
        assert_eq!(app.get(&path).await.expect(200)["items"], json!([]));
    }
    app.announce(&mara, json!({})).await;
    app.clock.advance(59_999);
    assert_eq!(app.get(&path).await.expect(200)["items"].as_array().map(Vec::len), Some(1));
    app.clock.advance(1);
    assert_eq!(app.get(&path).await.expect(200)["items"], json!([]));
}

#[tokio::test]
async fn presence_lists_are_paged_and_contain_only_visible_projects() {
    let app = TestApp::new().await;
    let (shared, other) = (app.project("Apollo").await, app.project("Gemini").await);
    let (mara, tom) = (app.person_in(&shared, "Mara").await, app.person_in(&shared, "Tom").await);
    let coder = app.agent(&shared, "Coder").await;
    let hidden = app.person_in(&other, "Otto").await;
    app.post(&format!("/projects/{other}/people"), json!({"person_id": mara.id})).await.expect(201);
    for who in [&mara, &tom, &coder, &hidden] {
        app.announce(who, json!({})).await;
    }
    let seen = app.pages("/presence", &tom.token).await;
    assert_eq!(field_of(&seen, "name"), ["Mara", "Tom", "Coder"]);
    assert!(seen.iter().all(|one| one["project_ids"] == json!([shared])), "{seen:?}");
    let here = app.pages(&format!("/projects/{shared}/presence"), &mara.token).await;
    assert_eq!(field_of(&here, "name"), ["Mara", "Tom", "Coder"]);
    app.get(&format!("/projects/{other}/presence")).by(&tom.token).await.expect_problem("PARLOUR-N01", None);
    app.get("/presence?cursor=nonsense").await.expect_problem("PARLOUR-I09", Some("cursor"));
}

#[tokio::test]
async fn invalid_requests_are_refused_with_their_field() {
    let app = TestApp::new().await;
    let cases = [
        (json!({"state": "asleep"}), "PARLOUR-I02", "state"),
        (json!({"machine_name": "x".repeat(129)}), "PARLOUR-I10", "machine_name"),
        (json!({"runtime": "a\u{0}"}), "PARLOUR-I11", "runtime"),
        (json!({"abilities": {"can_fly": true}}), "PARLOUR-I03", "abilities.can_fly"),
        (json!({"member_id": "per_1"}), "PARLOUR-I03", "member_id"),
    ];
    for (request, code, field) in cases {
        app.put("/presence").json(request).await.expect_problem(code, Some(field));
    }
}

#[tokio::test]
async fn typing_requires_write_access() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let coder = app.agent(&project, "Coder").await;
    app.post("/typing", json!({"channel_id": channel})).await.expect_empty(204);
    let by_agent = app.post("/typing", json!({"channel_id": channel})).by(&coder.token).await;
    by_agent.expect_problem("PARLOUR-A02", None);
    app.post("/typing", json!({})).await.expect_problem("PARLOUR-I02", Some("channel_id"));
    let both = json!({"channel_id": channel, "dm_id": "dm_1"});
    app.post("/typing", both).await.expect_problem("PARLOUR-I02", Some("channel_id"));
    app.post("/typing", json!({"channel_id": "chn_absent"})).await.expect_problem("PARLOUR-N01", None);
    app.post(&format!("/channels/{channel}/archive"), json!(null)).await.expect(200);
    app.post("/typing", json!({"channel_id": channel})).await.expect_problem("PARLOUR-C03", None);
}
