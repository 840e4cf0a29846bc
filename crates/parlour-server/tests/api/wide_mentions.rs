//! Wide mentions: asked first, posted when it is meant, and never by everybody.

use serde_json::{Value, json};

use crate::support::{Member, Reply, TestApp, fields};

/// A project with a channel, a person and two agents.
struct Stage {
    app: TestApp,
    project: String,
    channel: String,
    mara: Member,
    agents: [Member; 2],
}

impl Stage {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let project = app.project("Apollo").await;
        let channel = app.channel(&project, "general").await;
        let mara = app.person_in(&project, "Mara").await;
        let agents = [app.agent(&project, "Coder").await, app.agent(&project, "Critic").await];
        Self { app, project, channel, mara, agents }
    }

    async fn say(&self, who: &Member, body: &str, confirm: Value) -> Reply {
        let request = json!({"channel_id": self.channel, "body": body, "confirm_wide": confirm});
        self.app.post("/messages", request).by(&who.token).await
    }
}

fn sorted(names: &Value) -> Vec<&str> {
    let mut names: Vec<_> = names.as_array().expect("a list").iter().map(|name| name.as_str().expect("text")).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn it_is_refused_first_with_the_names_that_it_would_call() {
    let stage = Stage::new().await;
    for confirm in [json!(false), json!(null)] {
        let problem =
            stage.say(&stage.mara, "@agents look", confirm).await.expect_problem("PARLOUR-M03", Some("confirm_wide"));
        let names = ["candidates", "code", "detail", "field", "request_id", "retryable", "status", "title", "type"];
        assert_eq!(fields(&problem), names);
        assert_eq!((&problem["status"], &problem["retryable"]), (&json!(409), &json!(false)));
        assert_eq!(sorted(&problem["candidates"]), ["Coder", "Critic"]);
    }
    let history = stage.app.get(&format!("/channels/{}/messages", stage.channel)).await.expect(200);
    assert_eq!(history["items"], json!([]), "nothing was posted");
}

#[tokio::test]
async fn it_is_posted_when_the_sender_means_it() {
    let stage = Stage::new().await;
    let posted = stage.say(&stage.mara, "@agents look", json!(true)).await.expect(201);
    let mut ids = stage.agents.each_ref().map(|agent| agent.id.as_str());
    ids.sort_unstable();
    assert_eq!(sorted(&posted["calls"]), ids);
    assert_eq!(posted.get("confirm_wide"), None, "it is a request and no part of the message");
}

#[tokio::test]
async fn everyone_means_people_too() {
    let stage = Stage::new().await;
    for word in ["@everyone", "@all", "@channel"] {
        let problem =
            stage.say(&stage.mara, word, json!(false)).await.expect_problem("PARLOUR-M03", Some("confirm_wide"));
        let names = sorted(&problem["candidates"]);
        assert!(["Coder", "Critic"].iter().all(|name| names.contains(name)) && names.len() > 2, "{word}: {names:?}");
        assert!(!names.contains(&"Mara"), "nobody calls itself: {names:?}");
    }
}

#[tokio::test]
async fn only_those_who_read_the_conversation_are_meant() {
    let stage = Stage::new().await;
    let room = stage.app.private_channel(&stage.mara, &stage.project, "room").await;
    let [coder, _] = &stage.agents;
    let path = format!("/channels/{room}/members");
    stage.app.post(&path, json!({"member_id": coder.id})).by(&stage.mara.token).await.expect(201);
    let request = json!({"channel_id": room, "body": "@everyone"});
    let problem = stage
        .app
        .post("/messages", request)
        .by(&stage.mara.token)
        .await
        .expect_problem("PARLOUR-M03", Some("confirm_wide"));
    assert_eq!(sorted(&problem["candidates"]), ["Coder"]);
}

#[tokio::test]
async fn it_takes_a_scope_that_agents_are_not_given() {
    let stage = Stage::new().await;
    for agent in &stage.agents {
        stage.say(agent, "@agents look", json!(true)).await.expect_problem("PARLOUR-A04", None);
    }
    let narrow = stage.app.narrow(&stage.mara.token, &["messages:write", "channels:read"]).await;
    let narrow = Member { id: stage.mara.id.clone(), token: narrow };
    let problem = stage.say(&narrow, "@agents look", json!(true)).await.expect_problem("PARLOUR-A04", None);
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("mentions:wide")), "{problem}");
    stage.say(&narrow, "@Coder look", json!(true)).await.expect(201);
}

#[tokio::test]
async fn more_agents_than_the_policy_allows_are_called_by_nobody() {
    let stage = Stage::new().await;
    let policy = json!({"policy": {"calls": {"wide_agents_max": 1}}});
    stage.app.patch(&format!("/projects/{}", stage.project), policy).await.expect(200);
    for confirm in [json!(false), json!(true)] {
        stage.say(&stage.mara, "@agents look", confirm).await.expect_problem("PARLOUR-I10", Some("body"));
    }
}

#[tokio::test]
async fn a_word_in_code_is_only_a_word() {
    let stage = Stage::new().await;
    let posted = stage.say(&stage.mara, "Write `@everyone` to call all", json!(false)).await.expect(201);
    assert_eq!(posted.get("calls"), None);
}

#[tokio::test]
async fn whoever_cannot_read_a_conversation_is_not_asked_about_it() {
    let stage = Stage::new().await;
    let room = stage.app.private_channel(&stage.mara, &stage.project, "room").await;
    let [coder, _] = &stage.agents;
    let ben = stage.app.person_in(&stage.project, "Ben").await;
    for token in [TestApp::ADMIN, &coder.token, &ben.token] {
        let request = json!({"channel_id": room, "body": "@everyone", "confirm_wide": true});
        stage.app.post("/messages", request).by(token).await.expect_problem("PARLOUR-N01", None);
    }
}
