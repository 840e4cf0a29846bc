//! The link of a client against a stand-in that answers exactly as told: what is repeated, and what an answer means.

use std::time::Duration;

use parlour_agent::{
    Client, Retry,
    link::{FollowUpTask, HubLink, LinkError, RemoteLink, Upload},
};
use parlour_core::{
    Code, Timestamp,
    context::{ContextFormat, ContextRequest},
    id::{AgentId, MessageId, ProjectId, TaskId},
    live::{AddChunk, Complete},
    message::State,
    task::{Task, TaskPatch, TaskStatus},
};
use serde_json::{Value, json};

mod support;
use support::{ScriptedReply, ScriptedServer, message, problem};

/// As patient as the real one, without its pauses.
const QUICK: Retry = Retry { tries_max: 3, pause_first: Duration::ZERO, pause_max: Duration::ZERO };

async fn link(replies: Vec<ScriptedReply>) -> (ScriptedServer, RemoteLink) {
    let hub = ScriptedServer::answering(replies).await;
    let client = Client::new(&hub.url, Some("secret-token")).expect("a client").with_retry(QUICK);
    (hub, RemoteLink::new(client, AgentId::from_bits(1), ProjectId::from_bits(1)))
}

fn task(status: &str, assignee: Option<&AgentId>) -> Value {
    json!({
        "id": "tsk_1", "project_id": ProjectId::from_bits(1), "title": "Paint it", "status": status,
        "assignee": assignee, "created_by": "per_1", "created_at": "2026-11-15T09:12:00.000Z",
        "updated_at": "2026-11-15T09:12:00.000Z",
    })
}

fn parent() -> Task {
    serde_json::from_value(task("done", None)).expect("a task")
}

#[tokio::test]
async fn idempotent_calls_are_repeated_until_they_succeed() {
    let lease = json!({"message_id": "msg_7", "chars": 2, "lease_until": "2026-11-15T09:12:30.000Z"}).to_string();
    let (hub, link) =
        link(vec![ScriptedReply::HangUp, problem(503, "PARLOUR-S02", true), ScriptedReply::With(200, lease)]).await;
    let chunk = AddChunk { start: Some(0), text: "Hi".into() };
    link.add_chunk(&MessageId::from_bits(7), chunk).await.expect("added in the end");
    assert_eq!(hub.asked().len(), 3);
}

#[tokio::test]
async fn an_unreachable_hub_is_retryable_and_a_refusal_is_not() {
    let (_hub, here) = link(vec![ScriptedReply::HangUp, ScriptedReply::HangUp, ScriptedReply::HangUp]).await;
    assert!(matches!(here.beat(&MessageId::from_bits(7)).await, Err(LinkError::Away(_))));
    let (_hub, here) = link(vec![problem(503, "PARLOUR-S01", true); 3]).await;
    let away = here.agent().await.expect_err("away");
    assert!(matches!(away, LinkError::Away(_)) && away.is_retryable());
    let (hub, here) = link(vec![problem(409, "PARLOUR-C07", false)]).await;
    let ended = here.complete(&MessageId::from_bits(7), Complete::default()).await.expect_err("ended");
    assert_eq!((ended.is(Code::StreamEnded), ended.is_retryable(), hub.asked().len()), (true, false, 1));
    assert_eq!(ended.to_string(), "because (PARLOUR-C07)");
}

#[tokio::test]
async fn an_expired_token_is_a_final_error() {
    let (_hub, link) = link(vec![problem(401, "PARLOUR-A01", false)]).await;
    assert!(matches!(link.open_calls().await, Err(LinkError::Over(_))));
}

#[tokio::test]
async fn a_retryable_refusal_is_retryable() {
    let refused = |code: Code| LinkError::Refused { code: code.as_str().into(), detail: "because".into() };
    assert!(refused(Code::Overloaded).is_retryable() && !refused(Code::Forbidden).is_retryable());
}

#[tokio::test]
async fn the_context_is_requested_as_the_agent() {
    let pack = json!({
        "agent_id": AgentId::from_bits(1), "format": "native", "text": "[Parlour 1] …",
        "messages": [message("complete", "one")],
        "receipt": {"budget": 9, "used": 5, "frame": 1, "counting": {"encoding": "o200k", "is_exact": true},
            "sections": [], "items": []},
    });
    let (hub, link) = link(vec![ScriptedReply::HangUp, ScriptedReply::With(200, pack.to_string())]).await;
    let ask = ContextRequest { format: ContextFormat::Native, messages_max: Some(3), ..ContextRequest::default() };
    let pack = link.context(&ask).await.expect("asked again");
    assert_eq!((pack.text.as_str(), pack.messages[0].body.as_str()), ("[Parlour 1] …", "one"));
    let asked = hub.asked().pop().expect("asked");
    assert_eq!(asked.line, format!("POST /agents/{}/context", AgentId::from_bits(1)));
    let body: Value = serde_json::from_str(&asked.body).expect("JSON");
    assert_eq!(body, json!({"format": "native", "messages_max": 3}));
}

#[tokio::test]
async fn only_open_tasks_of_the_agent_are_listed() {
    let (me, other) = (AgentId::from_bits(1), AgentId::from_bits(2));
    let tasks = [task("open", Some(&me)), task("working", Some(&me)), task("open", Some(&other)), task("open", None)];
    let (_hub, link) = link(vec![ScriptedReply::With(200, json!({ "items": tasks }).to_string())]).await;
    let open = link.open_tasks().await.expect("tasks");
    assert_eq!(
        open.iter().map(|task| (task.status, task.assignee.clone())).collect::<Vec<_>>(),
        [(TaskStatus::Open, Some(me.into()))]
    );
}

#[tokio::test]
async fn a_task_is_started_with_its_expected_status() {
    let (hub, link) = link(vec![ScriptedReply::With(200, task("working", None).to_string())]).await;
    let patch =
        TaskPatch { status: Some(TaskStatus::Working), if_status: Some(TaskStatus::Open), ..TaskPatch::default() };
    link.update_task(&TaskId::from_bits(1), patch).await.expect("taken up");
    let body: Value = serde_json::from_str(&hub.asked()[0].body).expect("JSON");
    assert_eq!(body, json!({"status": "working", "if_status": "open"}));
}

#[tokio::test]
async fn a_follow_up_has_its_parent_and_thread_and_is_not_retried() {
    let (hub, link) = link(vec![ScriptedReply::HangUp, ScriptedReply::With(201, task("open", None).to_string())]).await;
    let parent = Task { thread_id: Some("thr_1".parse().expect("id")), ..parent() };
    let assignee = AgentId::from_bits(2).into();
    let follow_up = FollowUpTask { parent, title: "Look at it".into(), description: None, assignee };
    let outcome = link.follow_up(follow_up).await;
    assert!(matches!(outcome, Err(LinkError::Away(_))), "{outcome:?}");
    let body: Value = serde_json::from_str(&hub.asked()[0].body).expect("JSON");
    let expected = json!({
        "project_id": ProjectId::from_bits(1), "title": "Look at it", "assignee": AgentId::from_bits(2),
        "parent_id": "tsk_1", "thread_id": "thr_1",
    });
    assert_eq!((hub.asked().len(), body), (1, expected));
}

#[tokio::test]
async fn an_upload_is_not_retried() {
    let (hub, link) = link(vec![problem(503, "PARLOUR-S01", true), problem(503, "PARLOUR-S01", true)]).await;
    let file = Upload {
        conversation_id: "chn_1".parse().expect("id"),
        filename: "answer.md".into(),
        media_type: "text/markdown".into(),
        content: b"# Hi".to_vec(),
    };
    assert!(link.upload(file).await.is_err_and(|error| error.is_retryable()));
    assert_eq!(hub.asked().len(), 1);
}

#[tokio::test]
async fn the_lease_comes_from_the_project_and_a_post_replies_to_the_message() {
    let project = json!({
        "id": ProjectId::from_bits(1), "name": "Apollo", "owner": "per_1", "created_at": Timestamp::from_millis(0),
        "policy": {"streams": {"lease_seconds": 7}},
    });
    let posted = ScriptedReply::With(201, message("streaming", "").to_string());
    let (_hub, link) = link(vec![ScriptedReply::With(200, project.to_string()), posted]).await;
    assert_eq!(link.lease_seconds().await, Ok(7));
    let request = parlour_core::post::PostMessage { stream: true, ..Default::default() };
    assert_eq!(link.post(&MessageId::from_bits(7), &request).await.expect("open").state, State::Streaming);
}
