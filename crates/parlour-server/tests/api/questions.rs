//! Blocking messages: who is asked, how a question is answered, and how it ends otherwise.

use axum::http::Method;
use serde_json::{Value, json};

use crate::{
    support::{Member, Reply, id_of},
    work_stage::Stage,
};

impl Stage {
    /// Coder asks something in the channel.
    async fn ask(&self, body: &str, question: Value) -> Reply {
        let request = json!({"channel_id": self.channel, "body": body, "blocking": true, "question": question});
        self.app.post("/messages", request).by(&self.coder.token).await
    }

    /// Coder asks Mara, and this is the message.
    async fn asked(&self, question: Value) -> String {
        id_of(&self.ask("@Mara shall I?", question).await.expect(201))
    }

    async fn answer(&self, message: &str, by: &Member, request: Value) -> Reply {
        self.app.post(&format!("/messages/{message}/answer"), request).by(&by.token).await
    }

    async fn question_of(&self, message: &str) -> Value {
        self.app.get(&format!("/messages/{message}")).await.expect(200)["question"].clone()
    }

    /// The messages on a member's board.
    async fn board(&self, by: &Member) -> Vec<String> {
        let items = self.app.pages("/questions", &by.token).await;
        items.iter().map(|open| id_of(&open["message"])).collect()
    }
}

fn yes_or_no() -> Value {
    json!({"options": [{"id": "yes", "label": "Do it"}, {"id": "no", "label": "Leave it"}], "default": "no"})
}

#[tokio::test]
async fn a_blocking_message_carries_a_question_to_those_whom_it_mentions() {
    let stage = Stage::new().await;
    let posted = stage.ask("@Mara shall I?", yes_or_no()).await.expect(201);
    let question = &posted["question"];
    assert_eq!((&question["addressees"], &question["state"]), (&json!([stage.mara.id]), &json!("open")));
    assert_eq!((&question["default"], &question["options"][1]["id"]), (&json!("no"), &json!("no")));
    assert!(question["expires_at"].is_string(), "{question}");
    let board = stage.app.get("/questions").by(&stage.mara.token).await.expect(200);
    let open = &board["items"][0];
    assert_eq!((&open["project_name"], &open["channel_name"]), (&json!("Apollo"), &json!("general")));
    assert_eq!((&open["message"]["id"], &open["blocks"]), (&posted["id"], &json!([])));
    assert_eq!(stage.board(&stage.coder).await, Vec::<String>::new());
}

#[tokio::test]
async fn an_answer_counts_once_and_both_sides_see_it() {
    let stage = Stage::new().await;
    let asked = stage.asked(yes_or_no()).await;
    let answered = stage.answer(&asked, &stage.mara, json!({"option": "yes"})).await.expect(200);
    assert_eq!(answered["question"]["state"], "answered");
    assert_eq!(answered["question"]["answer"], json!({"option": "yes"}));
    assert_eq!(answered["question"]["closed_by"]["name"], "Mara");
    assert_eq!(stage.question_of(&asked).await, answered["question"]);
    assert_eq!(stage.board(&stage.mara).await, Vec::<String>::new());
    let late = stage.answer(&asked, &stage.mara, json!({"option": "no"})).await.expect_problem("PARLOUR-C12", None);
    assert_eq!(late["detail"], "Mara has answered it");
    assert_eq!(stage.question_of(&asked).await["answer"], json!({"option": "yes"}));
}

#[tokio::test]
async fn only_those_who_are_asked_and_people_answer_and_never_who_asked() {
    let stage = Stage::new().await;
    let (other, critic) =
        (stage.app.person_in(&stage.project, "Ben").await, stage.app.agent(&stage.project, "Critic").await);
    let asked = stage.asked(yes_or_no()).await;
    for nobody in [&stage.coder, &critic] {
        stage.answer(&asked, nobody, json!({"option": "yes"})).await.expect_problem("PARLOUR-A02", None);
    }
    stage.answer(&asked, &other, json!({"ignore": true})).await.expect_problem("PARLOUR-A02", None);
    stage.answer(&asked, &other, json!({"text": "do it"})).await.expect(200);
    assert_eq!(
        stage.question_of(&asked).await["answer"],
        json!({"option": "yes"}),
        "a text that names an option takes it"
    );
}

#[tokio::test]
async fn an_answer_is_given_in_exactly_one_way_that_fits() {
    let stage = Stage::new().await;
    let asked = stage.asked(yes_or_no()).await;
    for (request, code, field) in [
        (json!({}), "PARLOUR-I02", Some("option")),
        (json!({"option": "yes", "text": "yes"}), "PARLOUR-I02", Some("option")),
        (json!({"option": "yes", "ignore": true}), "PARLOUR-I02", Some("option")),
        (json!({"option": "perhaps"}), "PARLOUR-M04", Some("option")),
        (json!({"value": {"a": 1}}), "PARLOUR-M04", Some("value")),
        (json!({"answer": "yes"}), "PARLOUR-I03", Some("answer")),
        (json!({"option": 7}), "PARLOUR-I02", Some("option")),
    ] {
        let problem = stage.answer(&asked, &stage.mara, request.clone()).await.json();
        assert_eq!((problem["code"].as_str(), problem["field"].as_str()), (Some(code), field), "{request}: {problem}");
    }
    assert_eq!(stage.question_of(&asked).await["state"], "open");
}

#[tokio::test]
async fn an_answer_that_breaks_the_schema_is_told_which_rule() {
    let stage = Stage::new().await;
    let schema =
        json!({"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}, "required": ["count"]});
    let asked = stage.asked(json!({"schema": schema})).await;
    let problem = stage.answer(&asked, &stage.mara, json!({"value": {"count": 0}})).await;
    let problem = problem.expect_problem("PARLOUR-M04", Some("value"));
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("minimum")), "{problem}");
    stage.answer(&asked, &stage.mara, json!({"value": {"count": 3}})).await.expect(200);
    assert_eq!(stage.question_of(&asked).await["answer"], json!({"value": {"count": 3}}));
}

#[tokio::test]
async fn a_reply_answers_and_one_that_does_not_fit_is_told_why() {
    let stage = Stage::new().await;
    let asked = stage.asked(json!({"schema": {"type": "boolean"}})).await;
    let reply = |body: &str| json!({"channel_id": stage.channel, "body": body, "reply_to": asked});
    let wrong = stage.app.post("/messages", reply("perhaps")).by(&stage.mara.token).await.expect(201);
    assert_eq!((&wrong["answer_problem"]["code"], wrong.get("answer_to")), (&json!("PARLOUR-M04"), None));
    assert!(wrong["answer_problem"]["detail"].is_string(), "{wrong}");
    assert_eq!(stage.question_of(&asked).await["state"], "open");
    let right = stage.app.post("/messages", reply("true")).by(&stage.mara.token).await.expect(201);
    assert_eq!(
        (&right["answer_to"], right.get("answer_problem")),
        (&json!({"message_id": asked, "value": true}), None)
    );
    let answer = stage.question_of(&asked).await["answer"].clone();
    assert_eq!(answer, json!({"value": true, "message_id": right["id"]}));
}

#[tokio::test]
async fn whoever_ignores_it_drops_out_and_the_default_counts_when_all_have() {
    let stage = Stage::new().await;
    let ben = stage.app.person_in(&stage.project, "Ben").await;
    let asked = id_of(&stage.ask("@Mara @Ben shall I?", yes_or_no()).await.expect(201));
    let first = stage.answer(&asked, &stage.mara, json!({"ignore": true})).await.expect(200);
    assert_eq!(
        (&first["question"]["state"], &first["question"]["ignored_by"]),
        (&json!("open"), &json!([stage.mara.id]))
    );
    assert_eq!((stage.board(&stage.mara).await.len(), stage.board(&ben).await.len()), (0, 1));
    let last = stage.answer(&asked, &ben, json!({"ignore": true})).await.expect(200);
    assert_eq!(last["question"]["state"], "ignored");
    assert_eq!(last["question"]["answer"], json!({"option": "no", "is_default": true}));
}

#[tokio::test]
async fn a_question_that_nobody_answers_expires_with_its_default() {
    let stage = Stage::new().await;
    let mut question = yes_or_no();
    question["expires_in_seconds"] = json!(60);
    let asked = stage.asked(question).await;
    stage.app.clock.advance(60_001);
    let ended = stage.app.get(&format!("/messages/{asked}/answer")).by(&stage.coder.token).await.expect(200);
    assert_eq!(ended["question"]["state"], "expired");
    assert_eq!(ended["question"]["answer"], json!({"option": "no", "is_default": true}));
    let late = stage.answer(&asked, &stage.mara, json!({"option": "yes"})).await.expect_problem("PARLOUR-C12", None);
    assert_eq!(late["detail"], "it has expired, and its default counts");
}

#[tokio::test]
async fn who_asked_and_people_take_it_back_and_other_agents_do_not() {
    let stage = Stage::new().await;
    let critic = stage.app.agent(&stage.project, "Critic").await;
    let withdraw = |message: &str, by: &Member| {
        stage.app.call(Method::POST, &format!("/messages/{message}/withdraw")).by(&by.token)
    };
    for by in [&stage.coder, &stage.mara] {
        let asked = stage.asked(json!({})).await;
        withdraw(&asked, &critic).await.expect_problem("PARLOUR-A02", None);
        let withdrawn = withdraw(&asked, by).await.expect(200);
        assert_eq!((&withdrawn["question"]["state"], withdrawn["question"].get("answer")), (&json!("withdrawn"), None));
        withdraw(&asked, by).await.expect_problem("PARLOUR-C12", None);
    }
    let plain = id_of(&stage.app.say(&stage.channel, "no question").await);
    withdraw(&plain, &stage.mara).await.expect_problem("PARLOUR-I02", None);
}

#[tokio::test]
async fn a_waiting_asker_hears_the_answer_at_once() {
    let stage = Stage::new().await;
    let asked = stage.asked(yes_or_no()).await;
    let path = format!("/messages/{asked}/answer");
    let now = stage.app.get(&path).by(&stage.coder.token).await.expect(200);
    assert_eq!(now["question"]["state"], "open", "without seconds nobody waits");
    let waits = stage.app.get(&format!("{path}?seconds=25")).by(&stage.coder.token).into_future();
    let answers = stage.answer(&asked, &stage.mara, json!({"option": "yes"}));
    let (heard, answered) = tokio::join!(waits, answers);
    assert_eq!(heard.expect(200)["question"], answered.expect(200)["question"]);
    for (query, field) in [("seconds=26", "seconds"), ("seconds=-1", "seconds"), ("wait=1", "wait")] {
        stage.app.get(&format!("{path}?{query}")).await.expect_problem("PARLOUR-I09", Some(field));
    }
}

#[tokio::test]
async fn a_question_that_cannot_be_asked_is_refused_by_its_part() {
    let stage = Stage::new().await;
    for (body, question, code, field) in [
        ("shall I?", json!({}), "PARLOUR-M05", "mentions"),
        (
            "@Mara?",
            json!({"options": [{"id": "a", "label": "A"}, {"id": "a", "label": "B"}]}),
            "PARLOUR-I02",
            "question.options[1].id",
        ),
        ("@Mara?", json!({"options": [{"id": "a", "label": "A"}], "default": "b"}), "PARLOUR-I02", "question.default"),
        (
            "@Mara?",
            json!({"schema": {"type": "boolean"}, "options": [{"id": "a", "label": "A"}]}),
            "PARLOUR-I02",
            "question.schema",
        ),
        ("@Mara?", json!({"schema": {"type": "boolean"}, "default": 7}), "PARLOUR-I02", "question.default"),
        ("@Mara?", json!({"schema": {"type": 7}}), "PARLOUR-I02", "question.schema"),
        ("@Mara?", json!({"expires_in_seconds": 0}), "PARLOUR-I10", "question.expires_in_seconds"),
        ("@Mara?", json!({"expires": 7}), "PARLOUR-I03", "question.expires"),
        ("@Mara?", json!({"run_id": "run_absent"}), "PARLOUR-N01", "question.run_id"),
    ] {
        let problem = stage.ask(body, question.clone()).await.json();
        assert_eq!(
            (problem["code"].as_str(), problem["field"].as_str()),
            (Some(code), Some(field)),
            "{question}: {problem}"
        );
    }
    let quiet = json!({"channel_id": stage.channel, "body": "@Mara?", "question": {}});
    stage.app.post("/messages", quiet).await.expect_problem("PARLOUR-I02", Some("blocking"));
}

#[tokio::test]
async fn a_member_has_three_open_questions_and_not_one_more() {
    let stage = Stage::new().await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        asked.push(stage.asked(json!({})).await);
    }
    stage.ask("@Mara once more?", json!({})).await.expect_problem("PARLOUR-C05", Some("blocking"));
    stage.answer(&asked[0], &stage.mara, json!({"text": "yes"})).await.expect(200);
    stage.ask("@Mara now?", json!({})).await.expect(201);
}

#[tokio::test]
async fn agents_that_would_wait_for_each_other_are_told_the_ring() {
    let stage = Stage::new().await;
    let critic = stage.app.agent(&stage.project, "Critic").await;
    stage.ask("@Critic first?", json!({})).await.expect(201);
    let request = json!({"channel_id": stage.channel, "body": "@Coder and you?", "blocking": true});
    let problem = stage.app.post("/messages", request).by(&critic.token).await;
    let problem = problem.expect_problem("PARLOUR-C13", Some("blocking"));
    let detail = problem["detail"].as_str().expect("a detail");
    assert!(detail.contains("Critic → Coder → Critic"), "{detail}");
    assert!(problem.get("candidates").is_none(), "none of them was meant: {problem}");
}

#[tokio::test]
async fn a_blocking_message_needs_a_scope_of_its_own() {
    let stage = Stage::new().await;
    let narrow = stage.app.narrow(&stage.mara.token, &["messages:write", "messages:read"]).await;
    let request = json!({"channel_id": stage.channel, "body": "@Coder?", "blocking": true});
    let problem = stage.app.post("/messages", request).by(&narrow).await.expect_problem("PARLOUR-A04", None);
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("messages:block")), "{problem}");
}

#[tokio::test]
async fn the_board_of_a_project_shows_what_its_reader_may_read() {
    let stage = Stage::new().await;
    let open = stage.asked(json!({})).await;
    let private = stage.app.private_channel(&stage.mara, &stage.project, "board").await;
    stage
        .app
        .post(&format!("/channels/{private}/members"), json!({"member_id": stage.coder.id}))
        .by(&stage.mara.token)
        .await
        .expect(201);
    let request = json!({"channel_id": private, "body": "@Mara in private?", "blocking": true});
    let hidden = id_of(&stage.app.post("/messages", request).by(&stage.coder.token).await.expect(201));
    let path = format!("/questions?project_id={}&whole_project=true", stage.project);
    let ids = |items: &[Value]| items.iter().map(|open| id_of(&open["message"])).collect::<Vec<_>>();
    let ben = stage.app.person_in(&stage.project, "Ben").await;
    assert_eq!(ids(&stage.app.pages(&path, &ben.token).await), std::slice::from_ref(&open));
    assert_eq!(ids(&stage.app.pages(&path, &stage.mara.token).await).len(), 2);
    assert!(stage.board(&stage.mara).await.contains(&hidden));
    let outsider = stage.app.person("Otto").await;
    stage.app.get(&path).by(&outsider.token).await.expect_problem("PARLOUR-N01", None);
    stage.app.get("/questions?whole_project=true").await.expect_problem("PARLOUR-I09", Some("project_id"));
}
