//! Runs of agents: start, checkpoints, pauses, end and timelines.

use axum::http::Method;
use serde_json::{Value, json};

use crate::support::{Member, ProjectFixture, Reply, field_of, id_of};

impl ProjectFixture {
    /// Starts a run of Coder.
    async fn start(&self, request: Value) -> Value {
        self.app.post("/runs", request).by(&self.coder.token).await.expect(201)
    }

    /// A run of Coder in the channel.
    async fn working(&self) -> String {
        id_of(&self.start(json!({"channel_id": self.channel, "label": "Mend the build"})).await)
    }

    async fn act(&self, run: &str, attribution: &str, by: &Member) -> Reply {
        self.app.call(Method::POST, &format!("/runs/{run}/{attribution}")).by(&by.token).await
    }

    /// Posts a blocking message of Mara to Coder.
    async fn block(&self) -> String {
        let request = json!({"channel_id": self.channel, "body": "@Coder wait, which branch?", "blocking": true});
        id_of(&self.app.post("/messages", request).by(&self.mara.token).await.expect(201))
    }

    async fn run(&self, run: &str) -> Value {
        self.app.get(&format!("/runs/{run}")).await.expect(200)
    }

    async fn kinds(&self, path: &str) -> Vec<String> {
        let entries = self.app.pages(path, &self.mara.token).await;
        field_of(&entries, "kind").into_iter().map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn a_run_can_be_started_renewed_and_finished() {
    let fixture = ProjectFixture::new().await;
    let request = json!({"id": "run_own-1", "channel_id": fixture.channel, "label": "Mend the build"});
    let run = fixture.start(request.clone()).await;
    assert_eq!(
        (&run["id"], &run["state"], &run["lease_seconds"]),
        (&json!("run_own-1"), &json!("running"), &json!(120))
    );
    assert_eq!((&run["agent_id"], &run["conversation_id"]), (&json!(fixture.coder.id), &json!(fixture.channel)));
    assert_eq!(fixture.start(request).await, run, "the same id begins it once");
    let answer = fixture.act("run_own-1", "checkpoint", &fixture.coder).await.expect(200);
    assert_eq!((&answer["verdict"], answer.get("injection")), (&json!("continue"), None));
    assert_eq!(fixture.act("run_own-1", "beat", &fixture.coder).await.expect(200)["state"], "running");
    let usage = json!({"usage": {"model": "small-1", "input_tokens": 9, "output_tokens": 3}});
    let done = fixture.app.post("/runs/run_own-1/finish", usage).by(&fixture.coder.token).await.expect(200);
    assert_eq!((&done["run"]["state"], done.get("nudge")), (&json!("done"), None));
    assert_eq!(done["run"]["usage"]["model"], "small-1");
    assert_eq!(fixture.kinds("/runs/run_own-1/timeline").await, ["run_started", "run_done"]);
}

#[tokio::test]
async fn a_blocking_message_pauses_a_run_until_it_is_handled() {
    let fixture = ProjectFixture::new().await;
    let run = fixture.working().await;
    let blocking = fixture.block().await;
    let answer = fixture.act(&run, "checkpoint", &fixture.coder).await.expect(200);
    assert_eq!((&answer["verdict"], &answer["run"]["state"]), (&json!("pause"), &json!("paused")));
    assert_eq!(answer["messages"][0]["message_id"], json!(blocking));
    assert!(answer["injection"].as_str().is_some_and(|text| text.contains("Mara")), "{answer}");
    let pause = &fixture.run(&run).await["pauses"][0];
    assert_eq!((&pause["reason"], &pause["from"]["name"]), (&json!("message"), &json!("Mara")));
    let deliveries = fixture.app.get(&format!("/messages/{blocking}/deliveries")).await.expect(200);
    assert_eq!(deliveries["items"][0]["state"], "stored", "a checkpoint claims no delivery");
    let resumed =
        fixture.app.post(&format!("/runs/{run}/resume"), json!({"message_id": blocking})).by(&fixture.coder.token);
    assert_eq!(resumed.await.expect(200)["state"], "running");
    fixture.act(&run, "resume", &fixture.coder).await.expect_problem("PARLOUR-C14", None);
    assert_eq!(fixture.act(&run, "checkpoint", &fixture.coder).await.expect(200)["verdict"], "continue");
    let path = format!("/runs/{run}/timeline");
    assert_eq!(fixture.kinds(&path).await, ["run_started", "paused", "resumed"]);
}

#[tokio::test]
async fn a_reply_to_the_blocking_message_resumes_the_run() {
    let fixture = ProjectFixture::new().await;
    let run = fixture.working().await;
    let blocking = fixture.block().await;
    fixture.act(&run, "checkpoint", &fixture.coder).await.expect(200);
    let waits = fixture.app.get(&format!("/runs/{run}?seconds=25")).by(&fixture.mara.token).into_future();
    let reply = json!({"channel_id": fixture.channel, "body": "main", "reply_to": blocking});
    let replies = fixture.app.post("/messages", reply).by(&fixture.coder.token).into_future();
    let (waited, replied) = tokio::join!(waits, replies);
    assert_eq!(replied.expect(201)["answer_to"]["message_id"], json!(blocking));
    assert_eq!(waited.expect(200)["state"], "running");
}

#[tokio::test]
async fn a_run_waits_for_the_answer_to_its_own_question_until_a_person_resumes_it() {
    let fixture = ProjectFixture::new().await;
    for is_answered in [true, false] {
        let run = fixture.working().await;
        let request =
            json!({"channel_id": fixture.channel, "body": "@Mara now?", "blocking": true, "question": {"run_id": run}});
        let asked = id_of(&fixture.app.post("/messages", request).by(&fixture.coder.token).await.expect(201));
        assert_eq!(fixture.run(&run).await["pauses"][0]["reason"], "asked");
        let board = fixture.app.get("/questions").by(&fixture.mara.token).await.expect(200);
        assert_eq!(board["items"][0]["blocks"][0]["id"], json!(run));
        fixture.act(&run, "resume", &fixture.coder).await.expect_problem("PARLOUR-A02", None);
        if is_answered {
            let answer = fixture.app.post(&format!("/messages/{asked}/answer"), json!({"text": "yes"}));
            answer.by(&fixture.mara.token).await.expect(200);
        } else {
            fixture.act(&run, "resume", &fixture.mara).await.expect(200);
            let question = fixture.app.get(&format!("/messages/{asked}")).await.expect(200)["question"].clone();
            assert_eq!(question["state"], "withdrawn");
        }
        assert_eq!(fixture.run(&run).await["state"], "running");
    }
}

#[tokio::test]
async fn only_the_agent_can_advance_a_run_and_people_can_cancel_it() {
    let fixture = ProjectFixture::new().await;
    let critic = fixture.app.agent(&fixture.project, "Critic").await;
    let run = fixture.working().await;
    for attribution in ["checkpoint", "beat", "finish"] {
        for other in [&critic, &fixture.mara] {
            fixture.act(&run, attribution, other).await.expect_problem("PARLOUR-A02", None);
        }
    }
    fixture.act(&run, "cancel", &critic).await.expect_problem("PARLOUR-A02", None);
    let request = json!({"reason": "the plan has changed"});
    let stopped = fixture.app.post(&format!("/runs/{run}/cancel"), request).by(&fixture.mara.token).await.expect(200);
    assert_eq!((&stopped["state"], &stopped["reason"]), (&json!("cancelled"), &json!("the plan has changed")));
    for attribution in ["checkpoint", "beat", "resume", "finish"] {
        fixture.act(&run, attribution, &fixture.coder).await.expect_problem("PARLOUR-C11", None);
    }
}

#[tokio::test]
async fn finishing_a_run_returns_unread_messages_once() {
    let fixture = ProjectFixture::new().await;
    let run = fixture.working().await;
    fixture.app.say(&fixture.channel, "@Coder by the way").await;
    let done = fixture.act(&run, "finish", &fixture.coder).await.expect(200);
    assert!(done["nudge"].as_str().is_some_and(|nudge| nudge.contains("by the way")), "{done}");
    assert_eq!(done["messages"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn the_timeline_of_the_task_contains_pause_and_resume() {
    let fixture = ProjectFixture::new().await;
    let request = json!({"project_id": fixture.project, "title": "Build", "assignee": fixture.coder.id});
    let task = id_of(&fixture.app.post("/tasks", request).await.expect(201));
    let run = id_of(&fixture.start(json!({"channel_id": fixture.channel, "task_id": task})).await);
    fixture.block().await;
    fixture.act(&run, "checkpoint", &fixture.coder).await.expect(200);
    fixture.act(&run, "resume", &fixture.coder).await.expect(200);
    fixture.app.patch(&format!("/tasks/{task}"), json!({"status": "done"})).await.expect(200);
    let path = format!("/tasks/{task}/timeline");
    assert_eq!(fixture.kinds(&path).await, ["task_created", "run_started", "paused", "resumed", "task_moved"]);
}

#[tokio::test]
async fn runs_are_listed_newest_first_and_filtered() {
    let fixture = ProjectFixture::new().await;
    let critic = fixture.app.agent(&fixture.project, "Critic").await;
    let first = fixture.working().await;
    fixture.app.clock.advance(1);
    let other = id_of(&fixture.app.post("/runs", json!({})).by(&critic.token).await.expect(201));
    fixture.act(&first, "finish", &fixture.coder).await.expect(200);
    let list = async |query: &str| {
        let items =
            fixture.app.pages(&format!("/runs?project_id={}{query}", fixture.project), &fixture.mara.token).await;
        items.iter().map(id_of).collect::<Vec<_>>()
    };
    assert_eq!(list("").await, [other.clone(), first.clone()]);
    assert_eq!(list("&open=true").await, std::slice::from_ref(&other));
    assert_eq!(list(&format!("&agent_id={}", fixture.coder.id)).await, [first]);
    let own = fixture.app.get("/runs").by(&critic.token).await.expect(200);
    assert_eq!(own["items"].as_array().map(Vec::len), Some(2), "an agent means its own project");
    fixture.app.get("/runs").by(&fixture.mara.token).await.expect_problem("PARLOUR-I09", Some("project_id"));
}

#[tokio::test]
async fn a_run_of_a_private_conversation_is_visible_only_to_its_readers() {
    let fixture = ProjectFixture::new().await;
    let private = fixture.app.private_channel(&fixture.mara, &fixture.project, "board").await;
    let join = json!({"member_id": fixture.coder.id});
    fixture.app.post(&format!("/channels/{private}/members"), join).by(&fixture.mara.token).await.expect(201);
    let run = id_of(&fixture.start(json!({"channel_id": private})).await);
    let ben = fixture.app.person_in(&fixture.project, "Ben").await;
    for path in [format!("/runs/{run}"), format!("/runs/{run}?seconds=1"), format!("/runs/{run}/timeline")] {
        fixture.app.get(&path).by(&ben.token).await.expect_problem("PARLOUR-N01", None);
        fixture.app.get(&path).by(&fixture.mara.token).await.expect(200);
    }
    for attribution in ["resume", "cancel", "checkpoint"] {
        fixture.act(&run, attribution, &ben).await.expect_problem("PARLOUR-N01", None);
    }
    let listed = fixture.app.pages(&format!("/runs?project_id={}", fixture.project), &ben.token).await;
    assert_eq!(listed, Vec::<Value>::new());
}

#[tokio::test]
async fn invalid_run_requests_are_refused_with_their_field() {
    let fixture = ProjectFixture::new().await;
    for (request, code, field) in [
        (json!({"label": " "}), "PARLOUR-I10", "label"),
        (json!({"label": "a\nb"}), "PARLOUR-I10", "label"),
        (json!({"lease_seconds": 4}), "PARLOUR-I10", "lease_seconds"),
        (json!({"lease_seconds": 3601}), "PARLOUR-I10", "lease_seconds"),
        (json!({"channel_id": fixture.channel, "thread_id": "thr_1"}), "PARLOUR-I02", "channel_id"),
        (json!({"task_id": "tsk_absent"}), "PARLOUR-N01", "task_id"),
        (json!({"message_id": "msg_absent"}), "PARLOUR-N01", "message_id"),
        (json!({"run_id": "run_1"}), "PARLOUR-I03", "run_id"),
    ] {
        let problem = fixture.app.post("/runs", request.clone()).by(&fixture.coder.token).await.json();
        assert_eq!(
            (problem["code"].as_str(), problem["field"].as_str()),
            (Some(code), Some(field)),
            "{request}: {problem}"
        );
    }
    fixture.app.post("/runs", json!({})).by(&fixture.mara.token).await.expect_problem("PARLOUR-I02", Some("agent_id"));
    fixture.app.get("/runs/run_absent").await.expect_problem("PARLOUR-N01", None);
    fixture.app.get("/runs/msg_1").await.expect_problem("PARLOUR-I08", Some("id"));
}
