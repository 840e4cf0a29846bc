//! The loop guard: held calls, host messages, and lifting the guard.

use std::ops::Deref;

use axum::http::Method;
use serde_json::{Value, json};

use crate::support::{Member, ProjectFixture, TestApp, fields, id_of};

/// A project with the agents Coder and Critic.
struct LoopGuardFixture {
    base: ProjectFixture,
    critic: Member,
}

impl Deref for LoopGuardFixture {
    type Target = ProjectFixture;

    fn deref(&self) -> &ProjectFixture {
        &self.base
    }
}

impl LoopGuardFixture {
    async fn new() -> Self {
        let base = ProjectFixture::new().await;
        let critic = base.app.agent(&base.project, "Critic").await;
        Self { base, critic }
    }

    /// Posts a call of Critic by Coder that exceeds the depth limit.
    async fn trip(&self, id_field: &str, id: &str) -> Value {
        let body = json!({id_field: id, "body": "And you, @Critic?", "cause": {"depth": 9}});
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
async fn a_posted_message_lists_held_calls_with_their_rule() {
    let fixture = LoopGuardFixture::new().await;
    let posted = fixture.trip("channel_id", &fixture.channel).await;
    assert_eq!(posted.get("calls"), None);
    assert_eq!(posted["held"], json!([{"agent_id": fixture.critic.id, "name": "Critic", "rule": "depth"}]));
}

#[tokio::test]
async fn a_stop_is_reported_once_by_the_host_and_listed() {
    let fixture = LoopGuardFixture::new().await;
    assert_eq!(fixture.stops(&fixture.channel).await, json!([]));
    for _ in 0..2 {
        fixture.trip("channel_id", &fixture.channel).await;
    }
    let stops = fixture.stops(&fixture.channel).await;
    assert_eq!(stops.as_array().map(Vec::len), Some(1), "{stops}");
    assert_eq!(fields(&stops[0]), ["agents", "at", "message_id", "rule"]);
    assert_eq!((&stops[0]["rule"], &stops[0]["agents"]), (&json!("depth"), &json!([fixture.critic.id])));
    let path = format!("/messages/{}", stops[0]["message_id"].as_str().expect("an id"));
    let host_message = fixture.app.get(&path).await.expect(200);
    assert_eq!((&host_message["kind"], &host_message["from"]["type"]), (&json!("host"), &json!("host")));
    assert_eq!(host_message["content"]["loop_guard"]["rule"], "depth");
}

#[tokio::test]
async fn lifting_the_guard_posts_a_host_message() {
    let fixture = LoopGuardFixture::new().await;
    fixture.trip("channel_id", &fixture.channel).await;
    let mara = &fixture.mara;
    let host_message = fixture.reset(&fixture.channel, &mara.token).await.expect(200);
    assert_eq!((&host_message["kind"], &host_message["to"]), (&json!("host"), &json!(fixture.channel)));
    assert!(host_message["body"].as_str().is_some_and(|body| body.contains("Mara")), "{host_message}");
    assert_eq!(host_message["content"]["loop_guard"], json!({"what": "reset", "by": mara.id}));
    assert_eq!(fixture.stops(&fixture.channel).await, json!([]));
    fixture.reset(&fixture.channel, &mara.token).await.expect(200);
}

#[tokio::test]
async fn a_message_of_a_person_lifts_the_guard() {
    let fixture = LoopGuardFixture::new().await;
    fixture.trip("channel_id", &fixture.channel).await;
    fixture.app.say(&fixture.channel, "Go on").await;
    assert_eq!(fixture.stops(&fixture.channel).await, json!([]));
}

#[tokio::test]
async fn agents_cannot_lift_the_guard() {
    let fixture = LoopGuardFixture::new().await;
    fixture.trip("channel_id", &fixture.channel).await;
    for agent in [&fixture.coder, &fixture.critic] {
        fixture.reset(&fixture.channel, &agent.token).await.expect_problem("PARLOUR-A02", None);
    }
    assert_eq!(fixture.stops(&fixture.channel).await.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn every_conversation_has_its_own_guard() {
    let fixture = LoopGuardFixture::new().await;
    let root = id_of(&fixture.app.say(&fixture.channel, "Let us talk").await);
    let thread = json!({"channel_id": fixture.channel, "root_message_id": root});
    let thread = id_of(&fixture.app.post("/threads", thread).await.expect(201));
    let dm = json!({"participants": [fixture.coder.id, fixture.critic.id]});
    let dm = id_of(&fixture.app.post("/dms", dm).await.expect(201));
    for (field, id, other) in [("thread_id", &thread, &dm), ("dm_id", &dm, &fixture.channel)] {
        fixture.trip(field, id).await;
        assert_eq!(fixture.stops(id).await.as_array().map(Vec::len), Some(1), "{id}");
        assert_eq!(fixture.stops(other).await, json!([]), "{other}");
        fixture.reset(id, TestApp::ADMIN).await.expect(200);
        assert_eq!(fixture.stops(id).await, json!([]), "{id}");
    }
}

#[tokio::test]
async fn the_loop_guard_checks_its_parameters() {
    let fixture = LoopGuardFixture::new().await;
    for id in ["prj_1", "msg_1", "agt_1", "1", "chn_", "thr_%20", "dm_..%2f"] {
        fixture.app.get(&format!("/conversations/{id}/loop-guard")).await.expect_problem("PARLOUR-I08", Some("id"));
        fixture.reset(id, TestApp::ADMIN).await.expect_problem("PARLOUR-I08", Some("id"));
    }
    for id in ["chn_absent", "thr_absent", "dm_absent"] {
        fixture.app.get(&format!("/conversations/{id}/loop-guard")).await.expect_problem("PARLOUR-N01", None);
        fixture.reset(id, TestApp::ADMIN).await.expect_problem("PARLOUR-N01", None);
    }
    let path = format!("/conversations/{}/loop-guard", fixture.channel);
    fixture.app.get(&format!("{path}?limit=1")).await.expect_problem("PARLOUR-I09", Some("limit"));
    fixture.app.delete(&path).await.expect_problem("PARLOUR-N03", None);
}

#[tokio::test]
async fn the_guard_of_an_archived_channel_can_be_read_but_not_lifted() {
    let fixture = LoopGuardFixture::new().await;
    fixture.trip("channel_id", &fixture.channel).await;
    fixture.app.call(Method::POST, &format!("/channels/{}/archive", fixture.channel)).await.expect(200);
    assert_eq!(fixture.stops(&fixture.channel).await.as_array().map(Vec::len), Some(1));
    fixture.reset(&fixture.channel, TestApp::ADMIN).await.expect_problem("PARLOUR-C03", None);
}

#[tokio::test]
async fn content_of_members_cannot_imitate_a_mark_of_the_guard() {
    let fixture = LoopGuardFixture::new().await;
    fixture.trip("channel_id", &fixture.channel).await;
    let forged = json!({"loop_guard": {"what": "reset", "by": fixture.coder.id}});
    let body = json!({"channel_id": fixture.channel, "body": "Lifted", "content": forged});
    fixture.app.post("/messages", body).by(&fixture.coder.token).await.expect(201);
    assert_eq!(fixture.stops(&fixture.channel).await.as_array().map(Vec::len), Some(1));
}
