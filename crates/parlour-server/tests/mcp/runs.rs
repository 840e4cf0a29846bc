use axum::http::Method;
use serde_json::{Value, json};

use crate::client::{McpFixture, McpTestClient};

async fn run_of(fixture: &McpFixture, result: &Value) -> Value {
    let path = format!("/runs/{}", result["run_id"].as_str().expect("a run"));
    fixture.app.get(&path).by(&fixture.mara.token).await.expect(200)
}

#[tokio::test]
async fn the_first_checkpoint_of_a_session_starts_its_run() {
    let fixture = McpFixture::new().await;
    let first = fixture.call("checkpoint", json!({"label": "fix the build"})).await;
    assert_eq!((first.text.as_str(), &first.value["verdict"]), ("Continue.", &json!("continue")));
    let run = run_of(&fixture, &first.value).await;
    assert_eq!((run["label"].as_str(), run["state"].as_str()), (Some("fix the build"), Some("running")));
    let second = fixture.call("checkpoint", json!({})).await;
    assert_eq!(second.value["run_id"], first.value["run_id"]);
    let other = McpTestClient::open(&fixture.app, &fixture.coder.token).await;
    let apart = other.call_tool(&fixture.app, "checkpoint", json!({})).await;
    assert_ne!(apart.value["run_id"], first.value["run_id"], "each session has its own");
}

#[tokio::test]
async fn a_blocking_message_pauses_the_run_until_it_is_handled() {
    let fixture = McpFixture::new().await;
    let run = fixture.call("checkpoint", json!({})).await.value;
    let message = fixture.post_blocking("stop?").await;
    let paused = fixture.call("checkpoint", json!({})).await;
    assert_eq!(paused.value["verdict"], "pause", "{}", paused.text);
    assert_eq!(paused.text.matches("You received a message from \"Mara\"").count(), 1, "{}", paused.text);
    assert_eq!(run_of(&fixture, &run).await["state"], "paused");
    let resumed = fixture.call("checkpoint", json!({"resume": true})).await;
    assert_eq!(resumed.value["verdict"], "continue", "{}", resumed.text);
    assert_eq!(run_of(&fixture, &run).await["state"], "running");
    assert_eq!(fixture.delivery(&message).await.0, "seen");
}

#[tokio::test]
async fn resuming_a_running_run_succeeds() {
    let fixture = McpFixture::new().await;
    fixture.call("checkpoint", json!({})).await;
    assert_eq!(fixture.call("checkpoint", json!({"resume": true})).await.value["verdict"], "continue");
}

#[tokio::test]
async fn finishing_ends_the_run_and_returns_unread_messages() {
    let fixture = McpFixture::new().await;
    let run = fixture.call("checkpoint", json!({})).await.value;
    fixture.app.say(&fixture.channel, "@Coder have a look").await;
    let done = fixture.call("checkpoint", json!({"finish": true})).await;
    assert!(done.value["nudge"].is_string() && done.text.contains("unread"), "{}", done.text);
    assert_eq!(run_of(&fixture, &run).await["state"], "done");
    let next = fixture.call("checkpoint", json!({})).await;
    assert_ne!(next.value["run_id"], run["run_id"]);
    let failed = fixture.call("checkpoint", json!({"finish": true, "failed": "no disk"})).await;
    assert_eq!(failed.value["state"], "failed");
}

#[tokio::test]
async fn the_next_result_reports_a_cancelled_run_once() {
    let fixture = McpFixture::new().await;
    let run = fixture.call("checkpoint", json!({})).await.value;
    let path = format!("/runs/{}/cancel", run["run_id"].as_str().expect("a run"));
    let reply =
        fixture.app.call(Method::POST, &path).by(&fixture.mara.token).json(json!({"reason": "wrong branch"})).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let result = fixture.call_tool("dm_list", json!({})).await;
    assert!(result.text.contains("has ended") && result.text.contains("Stop this work"), "{}", result.text);
    assert!(!fixture.call_tool("dm_list", json!({})).await.text.contains("has ended"), "it is reported once");
}

#[tokio::test]
async fn a_new_session_can_continue_only_runs_of_its_own_agent() {
    let fixture = McpFixture::new().await;
    let run = fixture.call("checkpoint", json!({})).await.value["run_id"].clone();
    let other = McpTestClient::open(&fixture.app, &fixture.coder.token).await;
    let adopted = other.call_tool(&fixture.app, "checkpoint", json!({"run_id": run})).await;
    assert_eq!(adopted.value["run_id"], run, "{}", adopted.text);
    let painter = fixture.app.agent(&fixture.project, "Painter").await;
    let other_agent = McpTestClient::open(&fixture.app, &painter.token).await;
    let refused = other_agent.call_tool(&fixture.app, "checkpoint", json!({"run_id": run})).await;
    assert_eq!(refused.value["error"]["code"], "PARLOUR-A02", "{}", refused.text);
}

#[tokio::test]
async fn people_have_no_runs() {
    let fixture = McpFixture::new().await;
    let client = McpTestClient::open(&fixture.app, &fixture.mara.token).await;
    let result = client.call_tool(&fixture.app, "checkpoint", json!({})).await;
    assert_eq!(result.value["error"]["code"], "PARLOUR-A02", "{}", result.text);
}
