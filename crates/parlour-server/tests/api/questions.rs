//! Questions of blocking messages: addressees, answers and other ends.

use axum::http::Method;
use serde_json::{Value, json};

use crate::support::{Member, ProjectFixture, Reply, id_of};

impl ProjectFixture {
    /// Posts a blocking message of Coder in the channel.
    async fn ask(&self, body: &str, question: Value) -> Reply {
        let request = json!({"channel_id": self.channel, "body": body, "blocking": true, "question": question});
        self.app.post("/messages", request).by(&self.coder.token).await
    }

    /// Posts a question of Coder to Mara.
    async fn asked(&self, question: Value) -> String {
        id_of(&self.ask("@Mara shall I?", question).await.expect(201))
    }

    async fn answer(&self, message: &str, by: &Member, request: Value) -> Reply {
        self.app.post(&format!("/messages/{message}/answer"), request).by(&by.token).await
    }

    async fn question_of(&self, message: &str) -> Value {
        self.app.get(&format!("/messages/{message}")).await.expect(200)["question"].clone()
    }

    /// The open questions of a member.
    async fn board(&self, by: &Member) -> Vec<String> {
        let items = self.app.pages("/questions", &by.token).await;
        items.iter().map(|open| id_of(&open["message"])).collect()
    }
}

fn yes_or_no() -> Value {
    json!({"options": [{"id": "yes", "label": "Do it"}, {"id": "no", "label": "Leave it"}], "default": "no"})
}

#[tokio::test]
async fn a_blocking_message_addresses_its_question_to_the_mentioned_members() {
    let fixture = ProjectFixture::new().await;
    let posted = fixture.ask("@Mara shall I?", yes_or_no()).await.expect(201);
    let question = &posted["question"];
    assert_eq!((&question["addressees"], &question["state"]), (&json!([fixture.mara.id]), &json!("open")));
    assert_eq!((&question["default"], &question["options"][1]["id"]), (&json!("no"), &json!("no")));
    assert!(question["expires_at"].is_string(), "{question}");
    let board = fixture.app.get("/questions").by(&fixture.mara.token).await.expect(200);
    let open = &board["items"][0];
    assert_eq!((&open["project_name"], &open["channel_name"]), (&json!("Apollo"), &json!("general")));
    assert_eq!((&open["message"]["id"], &open["blocks"]), (&posted["id"], &json!([])));
    assert_eq!(fixture.board(&fixture.coder).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_question_is_answered_once() {
    let fixture = ProjectFixture::new().await;
    let asked = fixture.asked(yes_or_no()).await;
    let answered = fixture.answer(&asked, &fixture.mara, json!({"option": "yes"})).await.expect(200);
    assert_eq!(answered["question"]["state"], "answered");
    assert_eq!(answered["question"]["answer"], json!({"option": "yes"}));
    assert_eq!(answered["question"]["closed_by"]["name"], "Mara");
    assert_eq!(fixture.question_of(&asked).await, answered["question"]);
    assert_eq!(fixture.board(&fixture.mara).await, Vec::<String>::new());
    let late = fixture.answer(&asked, &fixture.mara, json!({"option": "no"})).await.expect_problem("PARLOUR-C12", None);
    assert_eq!(late["detail"], "Mara has answered it");
    assert_eq!(fixture.question_of(&asked).await["answer"], json!({"option": "yes"}));
}

#[tokio::test]
async fn only_addressees_and_people_except_the_author_can_answer() {
    let fixture = ProjectFixture::new().await;
    let (other, critic) =
        (fixture.app.person_in(&fixture.project, "Ben").await, fixture.app.agent(&fixture.project, "Critic").await);
    let asked = fixture.asked(yes_or_no()).await;
    for nobody in [&fixture.coder, &critic] {
        fixture.answer(&asked, nobody, json!({"option": "yes"})).await.expect_problem("PARLOUR-A02", None);
    }
    fixture.answer(&asked, &other, json!({"ignore": true})).await.expect_problem("PARLOUR-A02", None);
    fixture.answer(&asked, &other, json!({"text": "do it"})).await.expect(200);
    assert_eq!(
        fixture.question_of(&asked).await["answer"],
        json!({"option": "yes"}),
        "a text that names an option takes it"
    );
}

#[tokio::test]
async fn an_answer_must_have_exactly_one_matching_form() {
    let fixture = ProjectFixture::new().await;
    let asked = fixture.asked(yes_or_no()).await;
    for (request, code, field) in [
        (json!({}), "PARLOUR-I02", Some("option")),
        (json!({"option": "yes", "text": "yes"}), "PARLOUR-I02", Some("option")),
        (json!({"option": "yes", "ignore": true}), "PARLOUR-I02", Some("option")),
        (json!({"option": "perhaps"}), "PARLOUR-M04", Some("option")),
        (json!({"value": {"a": 1}}), "PARLOUR-M04", Some("value")),
        (json!({"answer": "yes"}), "PARLOUR-I03", Some("answer")),
        (json!({"option": 7}), "PARLOUR-I02", Some("option")),
    ] {
        let problem = fixture.answer(&asked, &fixture.mara, request.clone()).await.json();
        assert_eq!((problem["code"].as_str(), problem["field"].as_str()), (Some(code), field), "{request}: {problem}");
    }
    assert_eq!(fixture.question_of(&asked).await["state"], "open");
}

#[tokio::test]
async fn an_answer_that_violates_the_schema_is_refused_with_the_rule() {
    let fixture = ProjectFixture::new().await;
    let schema =
        json!({"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}, "required": ["count"]});
    let asked = fixture.asked(json!({"schema": schema})).await;
    let problem = fixture.answer(&asked, &fixture.mara, json!({"value": {"count": 0}})).await;
    let problem = problem.expect_problem("PARLOUR-M04", Some("value"));
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("minimum")), "{problem}");
    fixture.answer(&asked, &fixture.mara, json!({"value": {"count": 3}})).await.expect(200);
    assert_eq!(fixture.question_of(&asked).await["answer"], json!({"value": {"count": 3}}));
}

#[tokio::test]
async fn a_reply_answers_the_question_or_contains_the_problem() {
    let fixture = ProjectFixture::new().await;
    let asked = fixture.asked(json!({"schema": {"type": "boolean"}})).await;
    let reply = |body: &str| json!({"channel_id": fixture.channel, "body": body, "reply_to": asked});
    let wrong = fixture.app.post("/messages", reply("perhaps")).by(&fixture.mara.token).await.expect(201);
    assert_eq!((&wrong["answer_problem"]["code"], wrong.get("answer_to")), (&json!("PARLOUR-M04"), None));
    assert!(wrong["answer_problem"]["detail"].is_string(), "{wrong}");
    assert_eq!(fixture.question_of(&asked).await["state"], "open");
    let right = fixture.app.post("/messages", reply("true")).by(&fixture.mara.token).await.expect(201);
    assert_eq!(
        (&right["answer_to"], right.get("answer_problem")),
        (&json!({"message_id": asked, "value": true}), None)
    );
    let answer = fixture.question_of(&asked).await["answer"].clone();
    assert_eq!(answer, json!({"value": true, "message_id": right["id"]}));
}

#[tokio::test]
async fn the_default_applies_when_all_addressees_ignore_the_question() {
    let fixture = ProjectFixture::new().await;
    let ben = fixture.app.person_in(&fixture.project, "Ben").await;
    let asked = id_of(&fixture.ask("@Mara @Ben shall I?", yes_or_no()).await.expect(201));
    let first = fixture.answer(&asked, &fixture.mara, json!({"ignore": true})).await.expect(200);
    assert_eq!(
        (&first["question"]["state"], &first["question"]["ignored_by"]),
        (&json!("open"), &json!([fixture.mara.id]))
    );
    assert_eq!((fixture.board(&fixture.mara).await.len(), fixture.board(&ben).await.len()), (0, 1));
    let last = fixture.answer(&asked, &ben, json!({"ignore": true})).await.expect(200);
    assert_eq!(last["question"]["state"], "ignored");
    assert_eq!(last["question"]["answer"], json!({"option": "no", "is_default": true}));
}

#[tokio::test]
async fn an_unanswered_question_expires_with_its_default() {
    let fixture = ProjectFixture::new().await;
    let mut question = yes_or_no();
    question["expires_in_seconds"] = json!(60);
    let asked = fixture.asked(question).await;
    fixture.app.clock.advance(60_001);
    let ended = fixture.app.get(&format!("/messages/{asked}/answer")).by(&fixture.coder.token).await.expect(200);
    assert_eq!(ended["question"]["state"], "expired");
    assert_eq!(ended["question"]["answer"], json!({"option": "no", "is_default": true}));
    let late =
        fixture.answer(&asked, &fixture.mara, json!({"option": "yes"})).await.expect_problem("PARLOUR-C12", None);
    assert_eq!(late["detail"], "it has expired; its default is the answer");
}

#[tokio::test]
async fn the_author_and_people_can_withdraw_a_question() {
    let fixture = ProjectFixture::new().await;
    let critic = fixture.app.agent(&fixture.project, "Critic").await;
    let withdraw = |message: &str, by: &Member| {
        fixture.app.call(Method::POST, &format!("/messages/{message}/withdraw")).by(&by.token)
    };
    for by in [&fixture.coder, &fixture.mara] {
        let asked = fixture.asked(json!({})).await;
        withdraw(&asked, &critic).await.expect_problem("PARLOUR-A02", None);
        let withdrawn = withdraw(&asked, by).await.expect(200);
        assert_eq!((&withdrawn["question"]["state"], withdrawn["question"].get("answer")), (&json!("withdrawn"), None));
        withdraw(&asked, by).await.expect_problem("PARLOUR-C12", None);
    }
    let plain = id_of(&fixture.app.say(&fixture.channel, "no question").await);
    withdraw(&plain, &fixture.mara).await.expect_problem("PARLOUR-I02", None);
}

#[tokio::test]
async fn a_waiting_request_returns_when_the_question_is_answered() {
    let fixture = ProjectFixture::new().await;
    let asked = fixture.asked(yes_or_no()).await;
    let path = format!("/messages/{asked}/answer");
    let now = fixture.app.get(&path).by(&fixture.coder.token).await.expect(200);
    assert_eq!(now["question"]["state"], "open", "without seconds nobody waits");
    let waits = fixture.app.get(&format!("{path}?seconds=25")).by(&fixture.coder.token).into_future();
    let answers = fixture.answer(&asked, &fixture.mara, json!({"option": "yes"}));
    let (waited, answered) = tokio::join!(waits, answers);
    assert_eq!(waited.expect(200)["question"], answered.expect(200)["question"]);
    for (query, field) in [("seconds=26", "seconds"), ("seconds=-1", "seconds"), ("wait=1", "wait")] {
        fixture.app.get(&format!("{path}?{query}")).await.expect_problem("PARLOUR-I09", Some(field));
    }
}

#[tokio::test]
async fn invalid_questions_are_refused_with_their_field() {
    let fixture = ProjectFixture::new().await;
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
        let problem = fixture.ask(body, question.clone()).await.json();
        assert_eq!(
            (problem["code"].as_str(), problem["field"].as_str()),
            (Some(code), Some(field)),
            "{question}: {problem}"
        );
    }
    let quiet = json!({"channel_id": fixture.channel, "body": "@Mara?", "question": {}});
    fixture.app.post("/messages", quiet).await.expect_problem("PARLOUR-I02", Some("blocking"));
}

#[tokio::test]
async fn a_member_can_have_at_most_three_open_questions() {
    let fixture = ProjectFixture::new().await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        asked.push(fixture.asked(json!({})).await);
    }
    fixture.ask("@Mara once more?", json!({})).await.expect_problem("PARLOUR-C05", Some("blocking"));
    fixture.answer(&asked[0], &fixture.mara, json!({"text": "yes"})).await.expect(200);
    fixture.ask("@Mara now?", json!({})).await.expect(201);
}

#[tokio::test]
async fn a_question_that_closes_a_ring_of_waiting_agents_is_refused() {
    let fixture = ProjectFixture::new().await;
    let critic = fixture.app.agent(&fixture.project, "Critic").await;
    fixture.ask("@Critic first?", json!({})).await.expect(201);
    let request = json!({"channel_id": fixture.channel, "body": "@Coder and you?", "blocking": true});
    let problem = fixture.app.post("/messages", request).by(&critic.token).await;
    let problem = problem.expect_problem("PARLOUR-C13", Some("blocking"));
    let detail = problem["detail"].as_str().expect("a detail");
    assert!(detail.contains("Critic → Coder → Critic"), "{detail}");
    assert!(problem.get("candidates").is_none(), "none of them was meant: {problem}");
}

#[tokio::test]
async fn a_blocking_message_requires_the_scope_messages_block() {
    let fixture = ProjectFixture::new().await;
    let narrow = fixture.app.narrow(&fixture.mara.token, &["messages:write", "messages:read"]).await;
    let request = json!({"channel_id": fixture.channel, "body": "@Coder?", "blocking": true});
    let problem = fixture.app.post("/messages", request).by(&narrow).await.expect_problem("PARLOUR-A04", None);
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("messages:block")), "{problem}");
}

#[tokio::test]
async fn the_list_of_open_questions_contains_only_readable_ones() {
    let fixture = ProjectFixture::new().await;
    let open = fixture.asked(json!({})).await;
    let private = fixture.app.private_channel(&fixture.mara, &fixture.project, "board").await;
    fixture
        .app
        .post(&format!("/channels/{private}/members"), json!({"member_id": fixture.coder.id}))
        .by(&fixture.mara.token)
        .await
        .expect(201);
    let request = json!({"channel_id": private, "body": "@Mara in private?", "blocking": true});
    let hidden = id_of(&fixture.app.post("/messages", request).by(&fixture.coder.token).await.expect(201));
    let path = format!("/questions?project_id={}&whole_project=true", fixture.project);
    let ids = |items: &[Value]| items.iter().map(|open| id_of(&open["message"])).collect::<Vec<_>>();
    let ben = fixture.app.person_in(&fixture.project, "Ben").await;
    assert_eq!(ids(&fixture.app.pages(&path, &ben.token).await), std::slice::from_ref(&open));
    assert_eq!(ids(&fixture.app.pages(&path, &fixture.mara.token).await).len(), 2);
    assert!(fixture.board(&fixture.mara).await.contains(&hidden));
    let outsider = fixture.app.person("Otto").await;
    fixture.app.get(&path).by(&outsider.token).await.expect_problem("PARLOUR-N01", None);
    fixture.app.get("/questions?whole_project=true").await.expect_problem("PARLOUR-I09", Some("project_id"));
}
