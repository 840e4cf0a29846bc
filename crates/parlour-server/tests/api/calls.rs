//! Calls: called agents, open calls, and declined calls.

use axum::http::Method;
use parlour_core::limits;
use serde_json::{Value, json};

use crate::support::{ProjectFixture, TestApp, field_of, fields, id_of};

impl ProjectFixture {
    fn calls_path(&self) -> String {
        format!("/agents/{}/calls", self.coder.id)
    }

    /// Coder's open calls.
    async fn open_calls(&self) -> Vec<Value> {
        self.app.pages(&self.calls_path(), &self.coder.token).await
    }

    /// Coder declines the call of a message.
    async fn pass(&self, message: &str, body: Value) -> crate::support::Reply {
        self.app.post(&format!("/messages/{message}/pass"), body).by(&self.coder.token).await
    }
}

#[tokio::test]
async fn a_posted_message_lists_the_called_agents() {
    let fixture = ProjectFixture::new().await;
    let (called, quiet) =
        (fixture.app.say(&fixture.channel, "@Coder please").await, fixture.app.say(&fixture.channel, "x").await);
    assert_eq!((&called["calls"], called.get("held")), (&json!([fixture.coder.id]), None));
    assert_eq!((quiet.get("calls"), quiet.get("held")), (None, None));
    let read = fixture.app.get(&format!("/messages/{}", id_of(&called))).await.expect(200);
    assert_eq!(read["calls"], called["calls"]);
}

#[tokio::test]
async fn an_agent_reads_its_open_calls_oldest_first() {
    let fixture = ProjectFixture::new().await;
    let first = fixture.app.say(&fixture.channel, "@Coder one").await;
    let second = json!({"channel_id": fixture.channel, "body": "@Coder two", "correlation_id": "run-7"});
    let second = fixture.app.post("/messages", second).await.expect(201);
    let calls = fixture.open_calls().await;
    assert_eq!(field_of(&calls, "message_id"), [id_of(&first), id_of(&second)]);
    let names =
        ["agent_id", "called_at", "conversation_id", "depth", "from", "message_id", "project_id", "reason", "state"];
    assert_eq!(fields(&calls[0]), names);
    assert_eq!((&calls[0]["agent_id"], &calls[0]["from"]), (&json!(fixture.coder.id), &first["from"]));
    assert_eq!(
        (&calls[0]["project_id"], &calls[0]["conversation_id"]),
        (&json!(fixture.project), &json!(fixture.channel))
    );
    assert_eq!(
        (&calls[0]["reason"], &calls[0]["state"], &calls[0]["depth"]),
        (&json!("mention"), &json!("open"), &json!(0))
    );
    assert_eq!(calls[1]["correlation_id"], "run-7");
}

#[tokio::test]
async fn an_answer_closes_its_call_and_contains_its_cause() {
    let fixture = ProjectFixture::new().await;
    let asked = id_of(&fixture.app.say(&fixture.channel, "@Coder please").await);
    let body = json!({"channel_id": fixture.channel, "body": "Done", "reply_to": asked});
    let answer = fixture.app.post("/messages", body).by(&fixture.coder.token).await.expect(201);
    assert_eq!((&answer["cause"]["depth"], &answer["cause"]["message_id"]), (&json!(1), &json!(asked)));
    assert_eq!(fixture.open_calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_claimed_cause_can_raise_the_depth_but_not_lower_it() {
    let fixture = ProjectFixture::new().await;
    let say = |cause: Value| {
        let body = json!({"channel_id": fixture.channel, "body": "By myself", "cause": cause});
        fixture.app.post("/messages", body).by(&fixture.coder.token)
    };
    assert_eq!(say(json!({"depth": 7})).await.expect(201)["cause"]["depth"], 7);
    assert_eq!(say(json!({"depth": 0, "chain": []})).await.expect(201)["cause"]["depth"], 1);
    say(json!({"depth": -1})).await.expect_problem("PARLOUR-I02", Some("cause.depth"));
    say(json!({"depth": 1_000_001})).await.expect_problem("PARLOUR-I10", Some("cause.depth"));
    say(json!({"agents": []})).await.expect_problem("PARLOUR-I03", Some("cause.agents"));
    say(json!({"message_id": "msg_1"})).await.expect_problem("PARLOUR-I03", Some("cause.message_id"));
    let chain = vec!["Coder"; limits::CHAIN_NAMES_MAX + 1];
    say(json!({"chain": chain})).await.expect_problem("PARLOUR-I10", Some("cause.chain"));
}

#[tokio::test]
async fn a_notice_calls_no_agent() {
    let fixture = ProjectFixture::new().await;
    let body = json!({"channel_id": fixture.channel, "body": "@Coder the build is green", "is_notice": true});
    let posted = fixture.app.post("/messages", body).await.expect(201);
    assert_eq!((&posted["is_notice"], posted.get("calls")), (&json!(true), None));
    assert_eq!(posted["mentions"], json!([fixture.coder.id]));
    assert_eq!(fixture.open_calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn declining_closes_a_call() {
    let fixture = ProjectFixture::new().await;
    let asked = id_of(&fixture.app.say(&fixture.channel, "@Coder please").await);
    let passed = fixture.pass(&asked, json!({"reason": "said already"})).await.expect(200);
    let expected = json!({
        "agent_id": fixture.coder.id, "message_id": asked, "conversation_id": fixture.channel, "reason": "said already"
    });
    assert_eq!(passed, expected);
    assert_eq!(fixture.open_calls().await, Vec::<Value>::new());
    fixture.pass(&asked, json!({})).await.expect(200);
}

#[tokio::test]
async fn declining_a_call_needs_no_body() {
    let fixture = ProjectFixture::new().await;
    for body in [None, Some(json!({})), Some(json!(null)), Some(json!({"reason": null}))] {
        let path = format!("/messages/{}/pass", id_of(&fixture.app.say(&fixture.channel, "@Coder again").await));
        let call = fixture.app.call(Method::POST, &path).by(&fixture.coder.token);
        let passed = body.into_iter().fold(call, |call, body| call.json(body)).await.expect(200);
        assert_eq!(passed.get("reason"), None);
    }
    assert_eq!(fixture.open_calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn the_reason_of_a_declined_call_is_limited() {
    let fixture = ProjectFixture::new().await;
    let asked = id_of(&fixture.app.say(&fixture.channel, "@Coder please").await);
    let long = "é".repeat(limits::REASON_CHARS_MAX + 1);
    let blank = " ".repeat(limits::REASON_CHARS_MAX + 1);
    for (reason, code) in [(long.as_str(), "I10"), (blank.as_str(), "I10"), ("a\u{7}", "I11"), ("\u{b}", "I11")] {
        let reply = fixture.pass(&asked, json!({"reason": reason})).await;
        reply.expect_problem(&format!("PARLOUR-{code}"), Some("reason"));
    }
    fixture.pass(&asked, json!({"reason": 7})).await.expect_problem("PARLOUR-I02", Some("reason"));
    fixture.pass(&asked, json!({"agent_id": fixture.coder.id})).await.expect_problem("PARLOUR-I03", Some("agent_id"));
    assert_eq!(fixture.open_calls().await.len(), 1, "it is still open");
    assert_eq!(fixture.pass(&asked, json!({"reason": " \n"})).await.expect(200).get("reason"), None, "blank is none");
}

#[tokio::test]
async fn only_the_called_agent_can_decline_a_call() {
    let fixture = ProjectFixture::new().await;
    let asked = id_of(&fixture.app.say(&fixture.channel, "@Coder please").await);
    let critic = fixture.app.agent(&fixture.project, "Critic").await;
    let path = format!("/messages/{asked}/pass");
    fixture.app.post(&path, json!({})).await.expect_problem("PARLOUR-A02", None);
    fixture.app.post(&path, json!({})).by(&critic.token).await.expect_problem("PARLOUR-N01", None);
    assert_eq!(fixture.open_calls().await.len(), 1);
    fixture.pass("msg_absent", json!({})).await.expect_problem("PARLOUR-N01", None);
    fixture.pass("chn_1", json!({})).await.expect_problem("PARLOUR-I08", Some("id"));
}

#[tokio::test]
async fn open_calls_are_visible_to_the_agent_and_administrators() {
    let fixture = ProjectFixture::new().await;
    let critic = fixture.app.agent(&fixture.project, "Critic").await;
    fixture.app.say(&fixture.channel, "@Coder please").await;
    for other in [&fixture.mara, &critic] {
        fixture.app.get(&fixture.calls_path()).by(&other.token).await.expect_problem("PARLOUR-A02", None);
    }
    assert_eq!(fixture.app.pages(&fixture.calls_path(), TestApp::ADMIN).await, fixture.open_calls().await);
    let foreign = fixture.app.person("Otto").await;
    fixture.app.get(&fixture.calls_path()).by(&foreign.token).await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn an_administrator_sees_no_calls_of_hidden_conversations() {
    let fixture = ProjectFixture::new().await;
    let dm = json!({"participants": [fixture.coder.id], "body": "Between us"});
    fixture.app.post("/dms", dm).by(&fixture.mara.token).await.expect(201);
    let open = fixture.app.say(&fixture.channel, "@Coder please").await;
    let calls = fixture.open_calls().await;
    assert_eq!(field_of(&calls, "reason"), ["dm", "mention"]);
    let seen = fixture.app.pages(&fixture.calls_path(), TestApp::ADMIN).await;
    assert_eq!(field_of(&seen, "message_id"), [id_of(&open)]);
}

#[tokio::test]
async fn the_list_of_calls_checks_its_parameters() {
    let fixture = ProjectFixture::new().await;
    let path = fixture.calls_path();
    for (query, field) in
        [("limit=0", "limit"), ("limit=201", "limit"), ("state=open", "state"), ("cursor=zzz", "cursor")]
    {
        let reply = fixture.app.get(&format!("{path}?{query}")).by(&fixture.coder.token).await;
        reply.expect_problem("PARLOUR-I09", Some(field));
    }
    fixture.app.get("/agents/per_1/calls").await.expect_problem("PARLOUR-I08", Some("id"));
    fixture.app.get("/agents/agt_absent/calls").await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn an_expired_call_is_not_open() {
    let fixture = ProjectFixture::new().await;
    let policy = json!({"policy": {"calls": {"expire_seconds": 60}}});
    fixture.app.patch(&format!("/projects/{}", fixture.project), policy).await.expect(200);
    fixture.app.say(&fixture.channel, "@Coder please").await;
    fixture.app.clock.advance(59_000);
    assert_eq!(fixture.open_calls().await.len(), 1);
    fixture.app.clock.advance(2_000);
    assert_eq!(fixture.open_calls().await, Vec::<Value>::new());
}
