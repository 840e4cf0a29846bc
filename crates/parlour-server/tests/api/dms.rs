//! DMs.

use serde_json::json;

use crate::support::{TestApp, field_of, fields, id_of};

#[tokio::test]
async fn a_dm_is_opened_once_for_the_same_members() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let coder = app.agent(&project, "Coder").await;
    let body = json!({"participants": [coder.id]});
    let made = app.post("/dms", body.clone()).by(&mara.token).await.expect(201);
    assert_eq!(fields(&made), ["created_at", "id", "participants", "project_id"]);
    assert_eq!(made["participants"], json!([mara.id, coder.id]));
    assert_eq!(app.post("/dms", body).by(&mara.token).await.expect(200), made);
    let back = json!({"participants": [mara.id, coder.id], "project_id": project});
    assert_eq!(app.post("/dms", back).by(&coder.token).await.expect(200), made);
}

#[tokio::test]
async fn a_dm_can_be_opened_with_a_first_message() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let coder = app.agent(&project, "Coder").await;
    let body = json!({
        "participants": [coder.id], "body": "Hello", "blocking": true, "importance": "critical", "id": "msg_first"
    });
    let made = app.post("/dms", body.clone()).by(&mara.token).await.expect(201);
    let message = &made["message"];
    assert_eq!((&message["id"], &message["type"]), (&json!("msg_first"), &json!("dm")));
    assert_eq!((&message["blocking"], &message["importance"]), (&json!(true), &json!("critical")));
    assert!(message["position"].is_string());
    let again = app.post("/dms", body).by(&mara.token).await.expect(200);
    assert_eq!(again, made, "a retry posts nothing");
    let messages = app.pages(&format!("/dms/{}/messages", id_of(&made)), &coder.token).await;
    assert_eq!(field_of(&messages, "body"), ["Hello"]);
    let inbox = app.get(&format!("/agents/{}/inbox", coder.id)).by(&coder.token).await.expect(200);
    assert_eq!((&inbox["unread"], &inbox["items"][0]["reason"]), (&json!(1), &json!("dm")));
}

#[tokio::test]
async fn a_dm_is_visible_only_to_its_participants() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let (coder, critic) = (app.agent(&project, "Coder").await, app.agent(&project, "Critic").await);
    let dm =
        id_of(&app.post("/dms", json!({"participants": [coder.id], "body": "x"})).by(&mara.token).await.expect(201));
    for member in [&mara, &coder] {
        app.get(&format!("/dms/{dm}")).by(&member.token).await.expect(200);
    }
    for outsider in [critic.token.as_str(), TestApp::ADMIN] {
        app.get(&format!("/dms/{dm}")).by(outsider).await.expect_problem("PARLOUR-N01", None);
        app.get(&format!("/dms/{dm}/messages")).by(outsider).await.expect_problem("PARLOUR-N01", None);
    }
}

#[tokio::test]
async fn dms_are_listed_page_by_page_in_one_project_or_in_all() {
    let app = TestApp::new().await;
    let (apollo, gemini) = (app.project("Apollo").await, app.project("Gemini").await);
    let mut opened = Vec::new();
    for (project, name) in [(&apollo, "Coder"), (&apollo, "Critic"), (&gemini, "Scout")] {
        let agent = app.agent(project, name).await;
        opened.push(id_of(&app.post("/dms", json!({"participants": [agent.id]})).await.expect(201)));
    }
    assert_eq!(field_of(&app.pages("/dms", TestApp::ADMIN).await, "id"), opened);
    let of_apollo = app.pages(&format!("/dms?project_id={apollo}"), TestApp::ADMIN).await;
    assert_eq!(field_of(&of_apollo, "id"), opened[..2]);
    app.get("/dms?project_id=prj_0").await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn invalid_participants_are_refused_and_no_dm_is_opened() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let stranger = app.person("Stranger").await;
    let try_with = |participants: serde_json::Value| {
        app.post("/dms", json!({"participants": participants, "project_id": project}))
    };
    try_with(json!([])).await.expect_problem("PARLOUR-I10", Some("participants"));
    try_with(json!(["agt_0"])).await.expect_problem("PARLOUR-N01", Some("participants[0]"));
    try_with(json!([stranger.id])).await.expect_problem("PARLOUR-N01", Some("participants[0]"));
    try_with(json!(["chn_1"])).await.expect_problem("PARLOUR-I02", Some("participants[0]"));
    let crowd: Vec<_> = (0..20).map(|number| format!("agt_{number}")).collect();
    try_with(json!(crowd)).await.expect_problem("PARLOUR-I10", Some("participants"));
    let refused = app.post("/dms", json!({"participants": [stranger.id]})).await;
    refused.expect_problem("PARLOUR-I02", Some("project_id"));
    assert!(app.pages("/dms", TestApp::ADMIN).await.is_empty());
}
