//! Subscriptions of agents to channels.

use serde_json::json;

use crate::support::TestApp;

#[tokio::test]
async fn an_agent_can_subscribe_and_unsubscribe() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let (coder, critic) = (app.agent(&project, "Coder").await, app.agent(&project, "Critic").await);
    let path = format!("/channels/{channel}/subscriptions");
    let made = app.post(&path, json!({"agent_id": coder.id})).by(&coder.token).await.expect(201);
    assert_eq!(made, json!({"channel_id": channel, "agent_id": coder.id}));
    app.post(&path, json!({"agent_id": critic.id})).await.expect(201);
    app.post(&path, json!({"agent_id": critic.id})).await.expect(201);
    assert_eq!(app.pages(&path, TestApp::ADMIN).await, [json!(coder.id), json!(critic.id)]);
    app.delete(&format!("{path}/{}", coder.id)).by(&coder.token).await.expect_empty(204);
    assert_eq!(app.pages(&path, TestApp::ADMIN).await, [json!(critic.id)]);
}

#[tokio::test]
async fn an_agent_cannot_subscribe_another_agent() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let path = format!("/channels/{}/subscriptions", app.channel(&project, "general").await);
    let (coder, critic) = (app.agent(&project, "Coder").await, app.agent(&project, "Critic").await);
    let refused = app.post(&path, json!({"agent_id": critic.id})).by(&coder.token).await;
    refused.expect_problem("PARLOUR-A02", None);
}

#[tokio::test]
async fn an_agent_can_subscribe_only_to_readable_channels() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let coder = app.agent(&project, "Coder").await;
    let path = format!("/channels/{}/subscriptions", app.private_channel(&mara, &project, "secret").await);
    let body = json!({"agent_id": coder.id});
    app.post(&path, body.clone()).by(&coder.token).await.expect_problem("PARLOUR-N01", None);
    app.post(&path, body).by(&mara.token).await.expect_problem("PARLOUR-N01", Some("agent_id"));
}

#[tokio::test]
async fn people_cannot_subscribe() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let path = format!("/channels/{}/subscriptions", app.channel(&project, "general").await);
    app.post(&path, json!({"agent_id": "per_1"})).await.expect_problem("PARLOUR-I02", Some("agent_id"));
    app.post(&path, json!({})).await.expect_problem("PARLOUR-I02", Some("agent_id"));
    app.delete(&format!("{path}/per_1")).await.expect_problem("PARLOUR-I08", Some("agent_id"));
}
