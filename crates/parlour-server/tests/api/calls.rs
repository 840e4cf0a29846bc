//! Calls: which agents a message calls, what is open, and agents that do not answer.

use axum::http::Method;
use parlour_core::limits;
use serde_json::{Value, json};

use crate::support::{Member, TestApp, field_of, fields, id_of};

/// A project with a channel, and an agent that is called there.
struct Stage {
    app: TestApp,
    project: String,
    channel: String,
    coder: Member,
}

impl Stage {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let project = app.project("Apollo").await;
        let channel = app.channel(&project, "general").await;
        let coder = app.agent(&project, "Coder").await;
        Self { app, project, channel, coder }
    }

    fn path(&self) -> String {
        format!("/agents/{}/calls", self.coder.id)
    }

    /// Coder's open calls.
    async fn calls(&self) -> Vec<Value> {
        self.app.pages(&self.path(), &self.coder.token).await
    }

    /// Coder passes on a message.
    async fn pass(&self, message: &str, body: Value) -> crate::support::Reply {
        self.app.post(&format!("/messages/{message}/pass"), body).by(&self.coder.token).await
    }
}

#[tokio::test]
async fn a_posted_message_says_whom_it_calls() {
    let stage = Stage::new().await;
    let (called, quiet) =
        (stage.app.say(&stage.channel, "@Coder please").await, stage.app.say(&stage.channel, "x").await);
    assert_eq!((&called["calls"], called.get("held")), (&json!([stage.coder.id]), None));
    assert_eq!((quiet.get("calls"), quiet.get("held")), (None, None));
    let read = stage.app.get(&format!("/messages/{}", id_of(&called))).await.expect(200);
    assert_eq!(read["calls"], called["calls"]);
}

#[tokio::test]
async fn an_agent_reads_its_open_calls_oldest_first() {
    let stage = Stage::new().await;
    let first = stage.app.say(&stage.channel, "@Coder one").await;
    let second = json!({"channel_id": stage.channel, "body": "@Coder two", "correlation_id": "run-7"});
    let second = stage.app.post("/messages", second).await.expect(201);
    let calls = stage.calls().await;
    assert_eq!(field_of(&calls, "message_id"), [id_of(&first), id_of(&second)]);
    let names =
        ["agent_id", "called_at", "conversation_id", "depth", "from", "message_id", "project_id", "reason", "state"];
    assert_eq!(fields(&calls[0]), names);
    assert_eq!((&calls[0]["agent_id"], &calls[0]["from"]), (&json!(stage.coder.id), &first["from"]));
    assert_eq!((&calls[0]["project_id"], &calls[0]["conversation_id"]), (&json!(stage.project), &json!(stage.channel)));
    assert_eq!(
        (&calls[0]["reason"], &calls[0]["state"], &calls[0]["depth"]),
        (&json!("mention"), &json!("open"), &json!(0))
    );
    assert_eq!(calls[1]["correlation_id"], "run-7");
}

#[tokio::test]
async fn an_answer_takes_its_call_and_tells_what_it_follows_from() {
    let stage = Stage::new().await;
    let asked = id_of(&stage.app.say(&stage.channel, "@Coder please").await);
    let body = json!({"channel_id": stage.channel, "body": "Done", "reply_to": asked});
    let answer = stage.app.post("/messages", body).by(&stage.coder.token).await.expect(201);
    assert_eq!((&answer["cause"]["depth"], &answer["cause"]["message_id"]), (&json!(1), &json!(asked)));
    assert_eq!(stage.calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_claimed_cause_raises_the_count_and_never_lowers_it() {
    let stage = Stage::new().await;
    let say = |cause: Value| {
        let body = json!({"channel_id": stage.channel, "body": "By myself", "cause": cause});
        stage.app.post("/messages", body).by(&stage.coder.token)
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
async fn a_notice_informs_and_calls_nobody() {
    let stage = Stage::new().await;
    let body = json!({"channel_id": stage.channel, "body": "@Coder the build is green", "is_notice": true});
    let posted = stage.app.post("/messages", body).await.expect(201);
    assert_eq!((&posted["is_notice"], posted.get("calls")), (&json!(true), None));
    assert_eq!(posted["mentions"], json!([stage.coder.id]));
    assert_eq!(stage.calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn an_agent_that_does_not_answer_closes_its_call() {
    let stage = Stage::new().await;
    let asked = id_of(&stage.app.say(&stage.channel, "@Coder please").await);
    let passed = stage.pass(&asked, json!({"reason": "said already"})).await.expect(200);
    let expected = json!({
        "agent_id": stage.coder.id, "message_id": asked, "conversation_id": stage.channel, "reason": "said already"
    });
    assert_eq!(passed, expected);
    assert_eq!(stage.calls().await, Vec::<Value>::new());
    stage.pass(&asked, json!({})).await.expect(200);
}

#[tokio::test]
async fn passing_needs_no_body() {
    let stage = Stage::new().await;
    for body in [None, Some(json!({})), Some(json!(null)), Some(json!({"reason": null}))] {
        let path = format!("/messages/{}/pass", id_of(&stage.app.say(&stage.channel, "@Coder again").await));
        let call = stage.app.call(Method::POST, &path).by(&stage.coder.token);
        let passed = body.into_iter().fold(call, |call, body| call.json(body)).await.expect(200);
        assert_eq!(passed.get("reason"), None);
    }
    assert_eq!(stage.calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_reason_is_a_text_within_bounds() {
    let stage = Stage::new().await;
    let asked = id_of(&stage.app.say(&stage.channel, "@Coder please").await);
    let long = "é".repeat(limits::REASON_CHARS_MAX + 1);
    let blank = " ".repeat(limits::REASON_CHARS_MAX + 1);
    for (reason, code) in [(long.as_str(), "I10"), (blank.as_str(), "I10"), ("a\u{7}", "I11"), ("\u{b}", "I11")] {
        let reply = stage.pass(&asked, json!({"reason": reason})).await;
        reply.expect_problem(&format!("PARLOUR-{code}"), Some("reason"));
    }
    stage.pass(&asked, json!({"reason": 7})).await.expect_problem("PARLOUR-I02", Some("reason"));
    stage.pass(&asked, json!({"agent_id": stage.coder.id})).await.expect_problem("PARLOUR-I03", Some("agent_id"));
    assert_eq!(stage.calls().await.len(), 1, "it is still open");
    assert_eq!(stage.pass(&asked, json!({"reason": " \n"})).await.expect(200).get("reason"), None, "blank is none");
}

#[tokio::test]
async fn nobody_passes_for_another() {
    let stage = Stage::new().await;
    let asked = id_of(&stage.app.say(&stage.channel, "@Coder please").await);
    let critic = stage.app.agent(&stage.project, "Critic").await;
    let path = format!("/messages/{asked}/pass");
    for token in [TestApp::ADMIN, critic.token.as_str()] {
        let reply = stage.app.post(&path, json!({})).by(token).await;
        assert!(reply.status.is_client_error(), "{}", reply.text());
    }
    assert_eq!(stage.calls().await.len(), 1);
    stage.pass("msg_absent", json!({})).await.expect_problem("PARLOUR-N01", None);
    stage.pass("chn_1", json!({})).await.expect_problem("PARLOUR-I08", Some("id"));
}

#[tokio::test]
async fn open_calls_are_for_the_agent_and_administrators() {
    let stage = Stage::new().await;
    let (mara, critic) =
        (stage.app.person_in(&stage.project, "Mara").await, stage.app.agent(&stage.project, "Critic").await);
    stage.app.say(&stage.channel, "@Coder please").await;
    for other in [&mara, &critic] {
        stage.app.get(&stage.path()).by(&other.token).await.expect_problem("PARLOUR-A02", None);
    }
    assert_eq!(stage.app.pages(&stage.path(), TestApp::ADMIN).await, stage.calls().await);
    let foreign = stage.app.person("Otto").await;
    stage.app.get(&stage.path()).by(&foreign.token).await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn an_administrator_sees_no_calls_of_conversations_that_are_hidden() {
    let stage = Stage::new().await;
    let mara = stage.app.person_in(&stage.project, "Mara").await;
    let dm = json!({"participants": [stage.coder.id], "body": "Between us"});
    stage.app.post("/dms", dm).by(&mara.token).await.expect(201);
    let open = stage.app.say(&stage.channel, "@Coder please").await;
    let calls = stage.calls().await;
    assert_eq!(field_of(&calls, "reason"), ["dm", "mention"]);
    let seen = stage.app.pages(&stage.path(), TestApp::ADMIN).await;
    assert_eq!(field_of(&seen, "message_id"), [id_of(&open)]);
}

#[tokio::test]
async fn a_list_of_calls_is_asked_for_like_any_other() {
    let stage = Stage::new().await;
    let path = stage.path();
    for (query, field) in
        [("limit=0", "limit"), ("limit=201", "limit"), ("state=open", "state"), ("cursor=zzz", "cursor")]
    {
        let reply = stage.app.get(&format!("{path}?{query}")).by(&stage.coder.token).await;
        reply.expect_problem("PARLOUR-I09", Some(field));
    }
    stage.app.get("/agents/per_1/calls").await.expect_problem("PARLOUR-I08", Some("id"));
    stage.app.get("/agents/agt_absent/calls").await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn a_call_that_waited_too_long_is_no_longer_open() {
    let stage = Stage::new().await;
    let policy = json!({"policy": {"calls": {"expire_seconds": 60}}});
    stage.app.patch(&format!("/projects/{}", stage.project), policy).await.expect(200);
    stage.app.say(&stage.channel, "@Coder please").await;
    stage.app.clock.advance(59_000);
    assert_eq!(stage.calls().await.len(), 1);
    stage.app.clock.advance(2_000);
    assert_eq!(stage.calls().await, Vec::<Value>::new());
}
