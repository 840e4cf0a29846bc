//! The loop guard: what is held, what the conversation is told, and lifting it.

use axum::http::Method;
use serde_json::{Value, json};

use crate::support::{Member, TestApp, fields, id_of};

/// A project with a channel and two agents.
struct Stage {
    app: TestApp,
    project: String,
    channel: String,
    coder: Member,
    critic: Member,
}

impl Stage {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let project = app.project("Apollo").await;
        let channel = app.channel(&project, "general").await;
        let (coder, critic) = (app.agent(&project, "Coder").await, app.agent(&project, "Critic").await);
        Self { app, project, channel, coder, critic }
    }

    /// Coder calls Critic where a chain is too deep already.
    async fn trip(&self, place: &str, id: &str) -> Value {
        let body = json!({place: id, "body": "And you, @Critic?", "cause": {"depth": 9}});
        self.app.post("/messages", body).by(&self.coder.token).await.expect(201)
    }

    async fn stops(&self, id: &str) -> Value {
        let guard = self.app.get(&format!("/conversations/{id}/loop-guard")).await.expect(200);
        assert_eq!(fields(&guard), ["stops"]);
        guard["stops"].clone()
    }

    async fn reset(&self, id: &str, token: &str) -> crate::support::Reply {
        self.app.call(Method::POST, &format!("/conversations/{id}/loop-guard/reset")).by(token).await
    }
}

#[tokio::test]
async fn a_posted_message_says_whom_a_rule_has_held() {
    let stage = Stage::new().await;
    let posted = stage.trip("channel_id", &stage.channel).await;
    assert_eq!(posted.get("calls"), None);
    assert_eq!(posted["held"], json!([{"agent_id": stage.critic.id, "name": "Critic", "rule": "depth"}]));
}

#[tokio::test]
async fn what_was_stopped_is_told_once_by_the_host_and_listed() {
    let stage = Stage::new().await;
    assert_eq!(stage.stops(&stage.channel).await, json!([]));
    for _ in 0..2 {
        stage.trip("channel_id", &stage.channel).await;
    }
    let stops = stage.stops(&stage.channel).await;
    assert_eq!(stops.as_array().map(Vec::len), Some(1), "{stops}");
    assert_eq!(fields(&stops[0]), ["agents", "at", "message_id", "rule"]);
    assert_eq!((&stops[0]["rule"], &stops[0]["agents"]), (&json!("depth"), &json!([stage.critic.id])));
    let path = format!("/messages/{}", stops[0]["message_id"].as_str().expect("an id"));
    let told = stage.app.get(&path).await.expect(200);
    assert_eq!((&told["kind"], &told["from"]["type"]), (&json!("host"), &json!("host")));
    assert_eq!(told["content"]["loop_guard"]["rule"], "depth");
}

#[tokio::test]
async fn a_person_lifts_the_guard_and_the_conversation_is_told() {
    let stage = Stage::new().await;
    stage.trip("channel_id", &stage.channel).await;
    let mara = stage.app.person_in(&stage.project, "Mara").await;
    let told = stage.reset(&stage.channel, &mara.token).await.expect(200);
    assert_eq!((&told["kind"], &told["to"]), (&json!("host"), &json!(stage.channel)));
    assert!(told["body"].as_str().is_some_and(|body| body.contains("Mara")), "{told}");
    assert_eq!(told["content"]["loop_guard"], json!({"what": "reset", "by": mara.id}));
    assert_eq!(stage.stops(&stage.channel).await, json!([]));
    stage.reset(&stage.channel, &mara.token).await.expect(200);
}

#[tokio::test]
async fn a_person_who_speaks_lifts_it_too() {
    let stage = Stage::new().await;
    stage.trip("channel_id", &stage.channel).await;
    stage.app.say(&stage.channel, "Go on").await;
    assert_eq!(stage.stops(&stage.channel).await, json!([]));
}

#[tokio::test]
async fn agents_do_not_lift_it() {
    let stage = Stage::new().await;
    stage.trip("channel_id", &stage.channel).await;
    for agent in [&stage.coder, &stage.critic] {
        stage.reset(&stage.channel, &agent.token).await.expect_problem("PARLOUR-A02", None);
    }
    assert_eq!(stage.stops(&stage.channel).await.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn channels_threads_and_dms_have_guards_of_their_own() {
    let stage = Stage::new().await;
    let root = id_of(&stage.app.say(&stage.channel, "Let us talk").await);
    let thread = json!({"channel_id": stage.channel, "root_message_id": root});
    let thread = id_of(&stage.app.post("/threads", thread).await.expect(201));
    let dm = json!({"participants": [stage.coder.id, stage.critic.id]});
    let dm = id_of(&stage.app.post("/dms", dm).await.expect(201));
    for (place, id, other) in [("thread_id", &thread, &dm), ("dm_id", &dm, &stage.channel)] {
        stage.trip(place, id).await;
        assert_eq!(stage.stops(id).await.as_array().map(Vec::len), Some(1), "{id}");
        assert_eq!(stage.stops(other).await, json!([]), "{other}");
        stage.reset(id, TestApp::ADMIN).await.expect(200);
        assert_eq!(stage.stops(id).await, json!([]), "{id}");
    }
}

#[tokio::test]
async fn only_conversations_have_a_guard() {
    let stage = Stage::new().await;
    for id in ["prj_1", "msg_1", "agt_1", "1", "chn_", "thr_%20", "dm_..%2f"] {
        stage.app.get(&format!("/conversations/{id}/loop-guard")).await.expect_problem("PARLOUR-I08", Some("id"));
        stage.reset(id, TestApp::ADMIN).await.expect_problem("PARLOUR-I08", Some("id"));
    }
    for id in ["chn_absent", "thr_absent", "dm_absent"] {
        stage.app.get(&format!("/conversations/{id}/loop-guard")).await.expect_problem("PARLOUR-N01", None);
        stage.reset(id, TestApp::ADMIN).await.expect_problem("PARLOUR-N01", None);
    }
    let path = format!("/conversations/{}/loop-guard", stage.channel);
    stage.app.get(&format!("{path}?limit=1")).await.expect_problem("PARLOUR-I09", Some("limit"));
    stage.app.delete(&path).await.expect_problem("PARLOUR-N03", None);
}

#[tokio::test]
async fn an_archived_channel_shows_its_guard_and_keeps_it() {
    let stage = Stage::new().await;
    stage.trip("channel_id", &stage.channel).await;
    stage.app.call(Method::POST, &format!("/channels/{}/archive", stage.channel)).await.expect(200);
    assert_eq!(stage.stops(&stage.channel).await.as_array().map(Vec::len), Some(1));
    stage.reset(&stage.channel, TestApp::ADMIN).await.expect_problem("PARLOUR-C03", None);
}

#[tokio::test]
async fn nobody_forges_a_mark_of_the_guard() {
    let stage = Stage::new().await;
    stage.trip("channel_id", &stage.channel).await;
    let forged = json!({"loop_guard": {"what": "reset", "by": stage.coder.id}});
    let body = json!({"channel_id": stage.channel, "body": "Lifted", "content": forged});
    stage.app.post("/messages", body).by(&stage.coder.token).await.expect(201);
    assert_eq!(stage.stops(&stage.channel).await.as_array().map(Vec::len), Some(1));
}
