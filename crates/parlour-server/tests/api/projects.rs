//! Projects.

use serde_json::json;

use crate::support::{TestApp, field_of, fields, id_of};

#[tokio::test]
async fn a_project_is_created_with_the_fields_of_its_contract() {
    let app = TestApp::new().await;
    let made = app.post("/projects", json!({"name": "Apollo", "description": "To the moon"})).await.expect(201);
    assert_eq!(fields(&made), ["created_at", "description", "id", "name", "owner", "policy"]);
    assert_eq!((&made["name"], &made["description"]), (&json!("Apollo"), &json!("To the moon")));
    assert!(made["owner"].as_str().is_some_and(|owner| owner.starts_with("per_")));
    assert_eq!(made["policy"]["loop_limits"]["response_depth_max"], 3);
    let read = app.get(&format!("/projects/{}", id_of(&made))).await.expect(200);
    assert_eq!(read, made);
}

#[tokio::test]
async fn null_means_absent() {
    let app = TestApp::new().await;
    let body = json!({"name": "Apollo", "description": null, "policy": null});
    let made = app.post("/projects", body).await.expect(201);
    assert_eq!(made.get("description"), None);
}

#[tokio::test]
async fn a_patch_changes_only_the_given_fields_of_a_project() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let path = format!("/projects/{project}");
    let policy = json!({"loop_limits": {"response_depth_max": 5}});
    let changed = app.patch(&path, json!({"description": "Home", "policy": policy})).await.expect(200);
    assert_eq!((&changed["name"], &changed["description"]), (&json!("Apollo"), &json!("Home")));
    assert_eq!(changed["policy"]["loop_limits"]["response_depth_max"], 5);
    let changed = app.patch(&path, json!({"name": "Gemini", "description": ""})).await.expect(200);
    assert_eq!((&changed["name"], changed.get("description")), (&json!("Gemini"), None));
}

#[tokio::test]
async fn only_the_owner_and_administrators_can_change_a_project() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let path = format!("/projects/{project}");
    app.patch(&path, json!({"name": "Mine"})).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
}

#[tokio::test]
async fn projects_are_listed_page_by_page_for_their_members() {
    let app = TestApp::new().await;
    let apollo = app.project("Apollo").await;
    app.project("Gemini").await;
    let mara = app.person_in(&apollo, "Mara").await;
    let seen = app.pages("/projects", TestApp::ADMIN).await;
    assert_eq!(field_of(&seen, "name"), ["Tour", "Apollo", "Gemini"]);
    let seen = app.pages("/projects", &mara.token).await;
    assert_eq!(field_of(&seen, "name"), ["Apollo"]);
}

#[tokio::test]
async fn a_project_of_others_is_not_found() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person("Mara").await;
    let foreign = app.get(&format!("/projects/{project}")).by(&mara.token).await;
    let foreign = foreign.expect_problem("PARLOUR-N01", None);
    let absent = app.get("/projects/prj_0").by(&mara.token).await.expect_problem("PARLOUR-N01", None);
    let detail = |problem: &serde_json::Value, id: &str| problem["detail"].to_string().replace(id, "…");
    assert_eq!(detail(&foreign, &project), detail(&absent, "prj_0"));
}

#[tokio::test]
async fn a_name_that_looks_like_an_existing_one_is_refused() {
    let app = TestApp::new().await;
    app.project("Apollo").await;
    for name in ["Apollo", "APOLLO", "apo11o"] {
        let problem = app.post("/projects", json!({"name": name})).await.expect_problem("PARLOUR-C02", Some("name"));
        assert_eq!(problem["status"], 409, "{name}");
    }
}

#[tokio::test]
async fn invalid_names_are_refused_with_the_broken_rule() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    for name in ["", " x", "a\nb", "everyone", "a\u{202e}b", "Аpollo"] {
        app.post("/projects", json!({"name": name})).await.expect_problem("PARLOUR-I12", Some("name"));
        app.patch(&format!("/projects/{project}"), json!({"name": name}))
            .await
            .expect_problem("PARLOUR-I12", Some("name"));
    }
}

#[tokio::test]
async fn a_policy_out_of_bounds_is_refused_by_its_path() {
    let app = TestApp::new().await;
    let body = json!({"name": "Apollo", "policy": {"budgets": {"pack_tokens_max": 1}}});
    app.post("/projects", body).await.expect_problem("PARLOUR-I10", Some("policy.budgets.pack_tokens_max"));
    let body = json!({"name": "Apollo", "policy": {"budgets": {"tokens": 1}}});
    app.post("/projects", body).await.expect_problem("PARLOUR-I03", Some("policy.budgets.tokens"));
}

#[tokio::test]
async fn the_graph_of_a_project_is_available_in_four_formats() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let path = format!("/projects/{project}/graph");
    let graph = app.get(&path).await.expect(200);
    let nodes = graph["nodes"].as_array().expect("nodes");
    assert!(field_of(nodes, "id").contains(&channel.as_str()), "{graph}");
    assert_eq!(app.get(&format!("{path}?format=json")).await.expect(200), graph);
    for (format, word) in [("mermaid", "flowchart"), ("dot", "digraph"), ("cypher", "merge")] {
        let drawn = app.get(&format!("{path}?format={format}")).await;
        assert_eq!(drawn.header("content-type"), "text/plain; charset=utf-8");
        assert!(drawn.text().contains("general"), "{}", drawn.text());
        assert!(drawn.text().to_lowercase().contains(word), "{}", drawn.text());
    }
    app.get(&format!("{path}?format=png")).await.expect_problem("PARLOUR-I09", Some("format"));
}

#[tokio::test]
async fn unread_messages_are_counted_by_conversation_and_in_total() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let channel = app.channel(&project, "general").await;
    app.say(&channel, "one").await;
    app.say(&channel, "@Mara two").await;
    let path = format!("/projects/{project}/unread");
    let unread = app.get(&path).by(&mara.token).await.expect(200);
    let conversation = json!({
        "conversation_id": channel, "type": "channel", "unread": 2, "mentions": 1, "read_seq": 0, "last_seq": 2
    });
    assert_eq!(unread, json!({"project_id": project, "total": 2, "mentions": 1, "conversations": [conversation]}));
    let own = app.get(&path).await.expect(200);
    assert_eq!(own["total"], 0, "what one has written is read");
}
