//! Runs of agents: their beginning, checkpoints, pauses, end and timelines.

use axum::http::Method;
use serde_json::{Value, json};

use crate::{
    support::{Member, Reply, field_of, id_of},
    work_stage::Stage,
};

impl Stage {
    /// Coder begins a run.
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

    /// Mara stops Coder with a question.
    async fn block(&self) -> String {
        let request = json!({"channel_id": self.channel, "body": "@Coder wait, which branch?", "blocking": true});
        id_of(&self.app.post("/messages", request).by(&self.mara.token).await.expect(201))
    }

    async fn run(&self, run: &str) -> Value {
        self.app.get(&format!("/runs/{run}")).await.expect(200)
    }

    async fn kinds(&self, path: &str) -> Vec<String> {
        let moments = self.app.pages(path, &self.mara.token).await;
        field_of(&moments, "kind").into_iter().map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn a_run_begins_goes_on_and_ends() {
    let stage = Stage::new().await;
    let request = json!({"id": "run_own-1", "channel_id": stage.channel, "label": "Mend the build"});
    let run = stage.start(request.clone()).await;
    assert_eq!(
        (&run["id"], &run["state"], &run["lease_seconds"]),
        (&json!("run_own-1"), &json!("running"), &json!(120))
    );
    assert_eq!((&run["agent_id"], &run["conversation_id"]), (&json!(stage.coder.id), &json!(stage.channel)));
    assert_eq!(stage.start(request).await, run, "the same id begins it once");
    let told = stage.act("run_own-1", "checkpoint", &stage.coder).await.expect(200);
    assert_eq!((&told["verdict"], told.get("injection")), (&json!("continue"), None));
    assert_eq!(stage.act("run_own-1", "beat", &stage.coder).await.expect(200)["state"], "running");
    let usage = json!({"usage": {"model": "small-1", "input_tokens": 9, "output_tokens": 3}});
    let done = stage.app.post("/runs/run_own-1/finish", usage).by(&stage.coder.token).await.expect(200);
    assert_eq!((&done["run"]["state"], done.get("nudge")), (&json!("done"), None));
    assert_eq!(done["run"]["usage"]["model"], "small-1");
    assert_eq!(stage.kinds("/runs/run_own-1/timeline").await, ["run_started", "run_done"]);
}

#[tokio::test]
async fn a_blocking_message_pauses_a_run_until_it_is_handled() {
    let stage = Stage::new().await;
    let run = stage.working().await;
    let blocking = stage.block().await;
    let told = stage.act(&run, "checkpoint", &stage.coder).await.expect(200);
    assert_eq!((&told["verdict"], &told["run"]["state"]), (&json!("pause"), &json!("paused")));
    assert_eq!(told["messages"][0]["message_id"], json!(blocking));
    assert!(told["injection"].as_str().is_some_and(|text| text.contains("Mara")), "{told}");
    let pause = &stage.run(&run).await["pauses"][0];
    assert_eq!((&pause["reason"], &pause["from"]["name"]), (&json!("message"), &json!("Mara")));
    let deliveries = stage.app.get(&format!("/messages/{blocking}/deliveries")).await.expect(200);
    assert_eq!(deliveries["items"][0]["state"], "stored", "a checkpoint claims no delivery");
    let resumed =
        stage.app.post(&format!("/runs/{run}/resume"), json!({"message_id": blocking})).by(&stage.coder.token);
    assert_eq!(resumed.await.expect(200)["state"], "running");
    stage.act(&run, "resume", &stage.coder).await.expect_problem("PARLOUR-C14", None);
    assert_eq!(stage.act(&run, "checkpoint", &stage.coder).await.expect(200)["verdict"], "continue");
    let path = format!("/runs/{run}/timeline");
    assert_eq!(stage.kinds(&path).await, ["run_started", "paused", "resumed"]);
}

#[tokio::test]
async fn a_reply_to_what_pauses_it_lets_a_run_go_on() {
    let stage = Stage::new().await;
    let run = stage.working().await;
    let blocking = stage.block().await;
    stage.act(&run, "checkpoint", &stage.coder).await.expect(200);
    let waits = stage.app.get(&format!("/runs/{run}?seconds=25")).by(&stage.mara.token).into_future();
    let reply = json!({"channel_id": stage.channel, "body": "main", "reply_to": blocking});
    let replies = stage.app.post("/messages", reply).by(&stage.coder.token).into_future();
    let (heard, replied) = tokio::join!(waits, replies);
    assert_eq!(replied.expect(201)["answer_to"]["message_id"], json!(blocking));
    assert_eq!(heard.expect(200)["state"], "running");
}

#[tokio::test]
async fn a_run_waits_for_the_answer_to_its_own_question_and_a_person_can_let_it_go() {
    let stage = Stage::new().await;
    for is_answered in [true, false] {
        let run = stage.working().await;
        let request =
            json!({"channel_id": stage.channel, "body": "@Mara now?", "blocking": true, "question": {"run_id": run}});
        let asked = id_of(&stage.app.post("/messages", request).by(&stage.coder.token).await.expect(201));
        assert_eq!(stage.run(&run).await["pauses"][0]["reason"], "asked");
        let board = stage.app.get("/questions").by(&stage.mara.token).await.expect(200);
        assert_eq!(board["items"][0]["blocks"][0]["id"], json!(run));
        let own = stage.act(&run, "resume", &stage.coder).await;
        assert!(own.status.is_client_error(), "its own question has to be answered: {}", own.text());
        if is_answered {
            let answer = stage.app.post(&format!("/messages/{asked}/answer"), json!({"text": "yes"}));
            answer.by(&stage.mara.token).await.expect(200);
        } else {
            stage.act(&run, "resume", &stage.mara).await.expect(200);
            let question = stage.app.get(&format!("/messages/{asked}")).await.expect(200)["question"].clone();
            assert_eq!(question["state"], "withdrawn");
        }
        assert_eq!(stage.run(&run).await["state"], "running");
    }
}

#[tokio::test]
async fn only_its_agent_works_in_a_run_and_people_stop_it() {
    let stage = Stage::new().await;
    let critic = stage.app.agent(&stage.project, "Critic").await;
    let run = stage.working().await;
    for attribution in ["checkpoint", "beat", "finish"] {
        for other in [&critic, &stage.mara] {
            stage.act(&run, attribution, other).await.expect_problem("PARLOUR-A02", None);
        }
    }
    stage.act(&run, "cancel", &critic).await.expect_problem("PARLOUR-A02", None);
    let request = json!({"reason": "the plan has changed"});
    let stopped = stage.app.post(&format!("/runs/{run}/cancel"), request).by(&stage.mara.token).await.expect(200);
    assert_eq!((&stopped["state"], &stopped["reason"]), (&json!("cancelled"), &json!("the plan has changed")));
    for attribution in ["checkpoint", "beat", "resume", "finish"] {
        stage.act(&run, attribution, &stage.coder).await.expect_problem("PARLOUR-C11", None);
    }
}

#[tokio::test]
async fn the_end_of_a_run_names_what_is_unread_once() {
    let stage = Stage::new().await;
    let run = stage.working().await;
    stage.app.say(&stage.channel, "@Coder by the way").await;
    let done = stage.act(&run, "finish", &stage.coder).await.expect(200);
    assert!(done["nudge"].as_str().is_some_and(|nudge| nudge.contains("by the way")), "{done}");
    assert_eq!(done["messages"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn both_moments_of_a_pause_stand_in_the_timeline_of_the_task() {
    let stage = Stage::new().await;
    let request = json!({"project_id": stage.project, "title": "Build", "assignee": stage.coder.id});
    let task = id_of(&stage.app.post("/tasks", request).await.expect(201));
    let run = id_of(&stage.start(json!({"channel_id": stage.channel, "task_id": task})).await);
    stage.block().await;
    stage.act(&run, "checkpoint", &stage.coder).await.expect(200);
    stage.act(&run, "resume", &stage.coder).await.expect(200);
    stage.app.patch(&format!("/tasks/{task}"), json!({"status": "done"})).await.expect(200);
    let path = format!("/tasks/{task}/timeline");
    assert_eq!(stage.kinds(&path).await, ["task_created", "run_started", "paused", "resumed", "task_moved"]);
}

#[tokio::test]
async fn runs_are_listed_newest_first_and_filtered() {
    let stage = Stage::new().await;
    let critic = stage.app.agent(&stage.project, "Critic").await;
    let first = stage.working().await;
    stage.app.clock.advance(1);
    let other = id_of(&stage.app.post("/runs", json!({})).by(&critic.token).await.expect(201));
    stage.act(&first, "finish", &stage.coder).await.expect(200);
    let list = async |query: &str| {
        let items = stage.app.pages(&format!("/runs?project_id={}{query}", stage.project), &stage.mara.token).await;
        items.iter().map(id_of).collect::<Vec<_>>()
    };
    assert_eq!(list("").await, [other.clone(), first.clone()]);
    assert_eq!(list("&open=true").await, std::slice::from_ref(&other));
    assert_eq!(list(&format!("&agent_id={}", stage.coder.id)).await, [first]);
    let own = stage.app.get("/runs").by(&critic.token).await.expect(200);
    assert_eq!(own["items"].as_array().map(Vec::len), Some(2), "an agent means its own project");
    stage.app.get("/runs").by(&stage.mara.token).await.expect_problem("PARLOUR-I09", Some("project_id"));
}

#[tokio::test]
async fn a_run_of_a_private_conversation_is_seen_only_there() {
    let stage = Stage::new().await;
    let private = stage.app.private_channel(&stage.mara, &stage.project, "board").await;
    let join = json!({"member_id": stage.coder.id});
    stage.app.post(&format!("/channels/{private}/members"), join).by(&stage.mara.token).await.expect(201);
    let run = id_of(&stage.start(json!({"channel_id": private})).await);
    let ben = stage.app.person_in(&stage.project, "Ben").await;
    for path in [format!("/runs/{run}"), format!("/runs/{run}?seconds=1"), format!("/runs/{run}/timeline")] {
        stage.app.get(&path).by(&ben.token).await.expect_problem("PARLOUR-N01", None);
        stage.app.get(&path).by(&stage.mara.token).await.expect(200);
    }
    for attribution in ["resume", "cancel", "checkpoint"] {
        stage.act(&run, attribution, &ben).await.expect_problem("PARLOUR-N01", None);
    }
    let listed = stage.app.pages(&format!("/runs?project_id={}", stage.project), &ben.token).await;
    assert_eq!(listed, Vec::<Value>::new());
}

#[tokio::test]
async fn a_wish_that_makes_no_run_is_refused_by_its_part() {
    let stage = Stage::new().await;
    for (request, code, field) in [
        (json!({"label": " "}), "PARLOUR-I10", "label"),
        (json!({"label": "a\nb"}), "PARLOUR-I10", "label"),
        (json!({"lease_seconds": 4}), "PARLOUR-I10", "lease_seconds"),
        (json!({"lease_seconds": 3601}), "PARLOUR-I10", "lease_seconds"),
        (json!({"channel_id": stage.channel, "thread_id": "thr_1"}), "PARLOUR-I02", "channel_id"),
        (json!({"task_id": "tsk_absent"}), "PARLOUR-N01", "task_id"),
        (json!({"message_id": "msg_absent"}), "PARLOUR-N01", "message_id"),
        (json!({"run_id": "run_1"}), "PARLOUR-I03", "run_id"),
    ] {
        let problem = stage.app.post("/runs", request.clone()).by(&stage.coder.token).await.json();
        assert_eq!(
            (problem["code"].as_str(), problem["field"].as_str()),
            (Some(code), Some(field)),
            "{request}: {problem}"
        );
    }
    stage.app.post("/runs", json!({})).by(&stage.mara.token).await.expect_problem("PARLOUR-I02", Some("agent_id"));
    stage.app.get("/runs/run_absent").await.expect_problem("PARLOUR-N01", None);
    stage.app.get("/runs/msg_1").await.expect_problem("PARLOUR-I08", Some("id"));
}
