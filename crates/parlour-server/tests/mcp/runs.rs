use axum::http::Method;
use serde_json::{Value, json};

use crate::client::{Client, Stage};

async fn run_of(stage: &Stage, told: &Value) -> Value {
    let path = format!("/runs/{}", told["run_id"].as_str().expect("a run"));
    stage.app.get(&path).by(&stage.mara.token).await.expect(200)
}

#[tokio::test]
async fn the_first_checkpoint_begins_a_run_and_the_next_ones_are_in_it() {
    let stage = Stage::new().await;
    let first = stage.done("checkpoint", json!({"label": "fix the build"})).await;
    assert_eq!((first.text.as_str(), &first.value["verdict"]), ("Go on.", &json!("continue")));
    let run = run_of(&stage, &first.value).await;
    assert_eq!((run["label"].as_str(), run["state"].as_str()), (Some("fix the build"), Some("running")));
    let second = stage.done("checkpoint", json!({})).await;
    assert_eq!(second.value["run_id"], first.value["run_id"]);
    let other = Client::open(&stage.app, &stage.coder.token).await;
    let apart = other.tool(&stage.app, "checkpoint", json!({})).await;
    assert_ne!(apart.value["run_id"], first.value["run_id"], "each session has its own");
}

#[tokio::test]
async fn a_blocking_message_pauses_the_run_until_it_is_handled() {
    let stage = Stage::new().await;
    let run = stage.done("checkpoint", json!({})).await.value;
    let message = stage.block("stop?").await;
    let paused = stage.done("checkpoint", json!({})).await;
    assert_eq!(paused.value["verdict"], "pause", "{}", paused.text);
    assert_eq!(paused.text.matches("You received a message from Mara").count(), 1, "{}", paused.text);
    assert_eq!(run_of(&stage, &run).await["state"], "paused");
    let resumed = stage.done("checkpoint", json!({"resume": true})).await;
    assert_eq!(resumed.value["verdict"], "continue", "{}", resumed.text);
    assert_eq!(run_of(&stage, &run).await["state"], "running");
    assert_eq!(stage.delivery(&message).await.0, "seen");
}

#[tokio::test]
async fn resuming_what_goes_on_already_is_no_error() {
    let stage = Stage::new().await;
    stage.done("checkpoint", json!({})).await;
    assert_eq!(stage.done("checkpoint", json!({"resume": true})).await.value["verdict"], "continue");
}

#[tokio::test]
async fn finishing_ends_the_run_and_names_what_is_unread_once() {
    let stage = Stage::new().await;
    let run = stage.done("checkpoint", json!({})).await.value;
    stage.app.say(&stage.channel, "@Coder have a look").await;
    let done = stage.done("checkpoint", json!({"finish": true})).await;
    assert!(done.value["nudge"].is_string() && done.text.contains("unread"), "{}", done.text);
    assert_eq!(run_of(&stage, &run).await["state"], "done");
    let next = stage.done("checkpoint", json!({})).await;
    assert_ne!(next.value["run_id"], run["run_id"]);
    let failed = stage.done("checkpoint", json!({"finish": true, "failed": "no disk"})).await;
    assert_eq!(failed.value["state"], "failed");
}

#[tokio::test]
async fn a_cancelled_run_is_told_with_the_next_result() {
    let stage = Stage::new().await;
    let run = stage.done("checkpoint", json!({})).await.value;
    let path = format!("/runs/{}/cancel", run["run_id"].as_str().expect("a run"));
    let reply = stage.app.call(Method::POST, &path).by(&stage.mara.token).json(json!({"reason": "wrong branch"})).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let told = stage.tool("dm_list", json!({})).await;
    assert!(told.text.contains("has ended") && told.text.contains("Stop this work"), "{}", told.text);
    assert!(!stage.tool("dm_list", json!({})).await.text.contains("has ended"), "it is told once");
}

#[tokio::test]
async fn a_new_session_can_go_on_with_a_run_of_its_agent_and_of_nobody_else() {
    let stage = Stage::new().await;
    let run = stage.done("checkpoint", json!({})).await.value["run_id"].clone();
    let other = Client::open(&stage.app, &stage.coder.token).await;
    let adopted = other.tool(&stage.app, "checkpoint", json!({"run_id": run})).await;
    assert_eq!(adopted.value["run_id"], run, "{}", adopted.text);
    let painter = stage.app.agent(&stage.project, "Painter").await;
    let thief = Client::open(&stage.app, &painter.token).await;
    let refused = thief.tool(&stage.app, "checkpoint", json!({"run_id": run})).await;
    assert_eq!(refused.value["error"]["code"], "PARLOUR-A02", "{}", refused.text);
}

#[tokio::test]
async fn people_have_no_runs() {
    let stage = Stage::new().await;
    let client = Client::open(&stage.app, &stage.mara.token).await;
    let told = client.tool(&stage.app, "checkpoint", json!({})).await;
    assert_eq!(told.value["error"]["code"], "PARLOUR-A02", "{}", told.text);
}
