//! Wide mentions: confirmation, scope and limits.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::support::{Member, ProjectFixture, Reply, TestApp, fields};

/// A project with the person Mara and the agents Coder and Critic.
struct WideMentionFixture {
    base: ProjectFixture,
    agents: [Member; 2],
}

impl Deref for WideMentionFixture {
    type Target = ProjectFixture;

    fn deref(&self) -> &ProjectFixture {
        &self.base
    }
}

impl WideMentionFixture {
    async fn new() -> Self {
        let base = ProjectFixture::new().await;
        let agents = [base.coder.clone(), base.app.agent(&base.project, "Critic").await];
        Self { base, agents }
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
async fn a_wide_mention_is_refused_with_the_members_it_would_call() {
    let fixture = WideMentionFixture::new().await;
    for confirm in [json!(false), json!(null)] {
        let problem = fixture
            .say(&fixture.mara, "@agents look", confirm)
            .await
            .expect_problem("PARLOUR-M03", Some("confirm_wide"));
        let names = ["candidates", "code", "detail", "field", "request_id", "retryable", "status", "title", "type"];
        assert_eq!(fields(&problem), names);
        assert_eq!((&problem["status"], &problem["retryable"]), (&json!(409), &json!(false)));
        assert_eq!(sorted(&problem["candidates"]), ["Coder", "Critic"]);
    }
    let history = fixture.app.get(&format!("/channels/{}/messages", fixture.channel)).await.expect(200);
    assert_eq!(history["items"], json!([]), "nothing was posted");
}

#[tokio::test]
async fn a_confirmed_wide_mention_is_posted() {
    let fixture = WideMentionFixture::new().await;
    let posted = fixture.say(&fixture.mara, "@agents look", json!(true)).await.expect(201);
    let mut ids = fixture.agents.each_ref().map(|agent| agent.id.as_str());
    ids.sort_unstable();
    assert_eq!(sorted(&posted["calls"]), ids);
    assert_eq!(posted.get("confirm_wide"), None, "it is a request and no part of the message");
}

#[tokio::test]
async fn everyone_includes_people() {
    let fixture = WideMentionFixture::new().await;
    for word in ["@everyone", "@all", "@channel"] {
        let problem =
            fixture.say(&fixture.mara, word, json!(false)).await.expect_problem("PARLOUR-M03", Some("confirm_wide"));
        let names = sorted(&problem["candidates"]);
        assert!(["Coder", "Critic"].iter().all(|name| names.contains(name)) && names.len() > 2, "{word}: {names:?}");
        assert!(!names.contains(&"Mara"), "nobody calls itself: {names:?}");
    }
}

#[tokio::test]
async fn a_wide_mention_reaches_only_readers_of_the_conversation() {
    let fixture = WideMentionFixture::new().await;
    let room = fixture.app.private_channel(&fixture.mara, &fixture.project, "room").await;
    let [coder, _] = &fixture.agents;
    let path = format!("/channels/{room}/members");
    fixture.app.post(&path, json!({"member_id": coder.id})).by(&fixture.mara.token).await.expect(201);
    let request = json!({"channel_id": room, "body": "@everyone"});
    let problem = fixture
        .app
        .post("/messages", request)
        .by(&fixture.mara.token)
        .await
        .expect_problem("PARLOUR-M03", Some("confirm_wide"));
    assert_eq!(sorted(&problem["candidates"]), ["Coder"]);
}

#[tokio::test]
async fn a_wide_mention_requires_a_scope_that_agents_lack_by_default() {
    let fixture = WideMentionFixture::new().await;
    for agent in &fixture.agents {
        fixture.say(agent, "@agents look", json!(true)).await.expect_problem("PARLOUR-A04", None);
    }
    let narrow = fixture.app.narrow(&fixture.mara.token, &["messages:write", "channels:read"]).await;
    let narrow = Member { id: fixture.mara.id.clone(), token: narrow };
    let problem = fixture.say(&narrow, "@agents look", json!(true)).await.expect_problem("PARLOUR-A04", None);
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("mentions:wide")), "{problem}");
    fixture.say(&narrow, "@Coder look", json!(true)).await.expect(201);
}

#[tokio::test]
async fn a_wide_mention_over_the_limit_of_the_policy_is_refused() {
    let fixture = WideMentionFixture::new().await;
    let policy = json!({"policy": {"calls": {"wide_agents_max": 1}}});
    fixture.app.patch(&format!("/projects/{}", fixture.project), policy).await.expect(200);
    for confirm in [json!(false), json!(true)] {
        fixture.say(&fixture.mara, "@agents look", confirm).await.expect_problem("PARLOUR-I10", Some("body"));
    }
}

#[tokio::test]
async fn a_wide_mention_in_code_is_ignored() {
    let fixture = WideMentionFixture::new().await;
    let posted = fixture.say(&fixture.mara, "Write `@everyone` to call all", json!(false)).await.expect(201);
    assert_eq!(posted.get("calls"), None);
}

#[tokio::test]
async fn a_wide_mention_in_an_unreadable_conversation_is_not_found() {
    let fixture = WideMentionFixture::new().await;
    let room = fixture.app.private_channel(&fixture.mara, &fixture.project, "room").await;
    let [coder, _] = &fixture.agents;
    let ben = fixture.app.person_in(&fixture.project, "Ben").await;
    for token in [TestApp::ADMIN, &coder.token, &ben.token] {
        let request = json!({"channel_id": room, "body": "@everyone", "confirm_wide": true});
        fixture.app.post("/messages", request).by(token).await.expect_problem("PARLOUR-N01", None);
    }
}
