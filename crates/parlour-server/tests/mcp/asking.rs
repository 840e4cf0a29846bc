use axum::http::Method;
use serde_json::{Value, json};

use crate::client::{Stage, Told, alone_reply};

/// Lets time pass while a tool waits.
async fn while_time_passes(stage: &Stage, waiting: impl Future<Output = Told>) -> Told {
    let passing = async {
        loop {
            stage.app.clock.advance(1_000);
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        told = waiting => told,
        never = passing => never,
    }
}

/// The newest question that waits for Mara, as soon as there is one.
async fn asked_of_mara(stage: &Stage) -> Value {
    loop {
        let found = stage.app.get("/questions").by(&stage.mara.token).await.expect(200);
        if let Some(open) = found["items"].as_array().and_then(|items| items.first()) {
            return open["message"].clone();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_question_waits_for_its_answer() {
    let stage = Stage::new().await;
    let asking = stage.done("ask", json!({"to": "Mara", "body": "Which?", "options": ["left", "right"]}));
    let answering = async {
        let message = asked_of_mara(&stage).await;
        assert_eq!(message["question"]["options"][1], json!({"id": "right", "label": "right"}));
        let path = format!("/messages/{}/answer", message["id"].as_str().expect("an id"));
        stage.app.post(&path, json!({"option": "right"})).by(&stage.mara.token).await.expect(200)
    };
    let (told, _) = tokio::join!(asking, answering);
    assert_eq!((&told.value["state"], &told.value["by"]), (&json!("answered"), &json!("Mara")));
    assert_eq!(told.value["answer"]["option"], "right");
    assert_eq!(told.text, "Mara answered: right");
}

#[tokio::test]
async fn an_answer_that_was_written_is_given_with_its_words() {
    let stage = Stage::new().await;
    let asking = stage.done("ask", json!({"channel_id": "general", "body": "@Mara where is the key?"}));
    let answering = async {
        let message = asked_of_mara(&stage).await;
        let request = json!({"channel_id": stage.channel, "body": "under the mat", "reply_to": message["id"]});
        stage.app.post("/messages", request).by(&stage.mara.token).await.expect(201)
    };
    let (told, _) = tokio::join!(asking, answering);
    assert_eq!(told.value["reply"], "under the mat", "{}", told.text);
    assert!(told.text.ends_with("> under the mat"), "{}", told.text);
}

#[tokio::test]
async fn a_question_without_an_answer_says_how_to_go_on_waiting() {
    let stage = Stage::new().await;
    let asking = stage.done("ask", json!({"to": "Mara", "body": "Well?"}));
    let told = while_time_passes(&stage, asking).await;
    assert_eq!(told.value["state"], "open");
    let id = told.value["message_id"].clone();
    assert!(told.text.contains(&format!("ask {{\"message_id\": {id}}}")), "{}", told.text);
    let path = format!("/messages/{}/answer", id.as_str().expect("an id"));
    stage.app.post(&path, json!({"text": "yes"})).by(&stage.mara.token).await.expect(200);
    let told = stage.done("ask", json!({"message_id": id})).await;
    assert_eq!(told.text, "Mara answered: yes");
}

#[tokio::test]
async fn a_question_that_expires_gives_its_default_and_says_so() {
    let stage = Stage::new().await;
    let request =
        json!({"to": "Mara", "body": "Go?", "options": ["yes", "no"], "default": "no", "expires_in_seconds": 10});
    let mut told = while_time_passes(&stage, stage.done("ask", request)).await;
    while told.value["state"] == "open" {
        told = while_time_passes(&stage, stage.done("ask", json!({"message_id": told.value["message_id"]}))).await;
    }
    assert_eq!((&told.value["state"], &told.value["answer"]["option"]), (&json!("expired"), &json!("no")));
    assert!(told.text.starts_with("Nobody answered in time: no (the default"), "{}", told.text);
}

#[tokio::test]
async fn a_default_is_one_of_the_options() {
    let stage = Stage::new().await;
    let wrong = stage.tool("ask", json!({"to": "Mara", "body": "Go?", "options": ["yes"], "default": "maybe"})).await;
    assert_eq!(wrong.value["error"]["field"], "question.default", "{}", wrong.text);
    assert_eq!(wrong.value["error"]["candidates"], json!(["yes"]));
}

#[tokio::test]
async fn a_question_waits_for_nobody_else_and_twice_is_once_too_much() {
    let stage = Stage::new().await;
    let nobody = stage.tool("ask", json!({"channel_id": "general", "body": "anybody?"})).await;
    assert_eq!(nobody.value["error"]["code"], "PARLOUR-M05", "{}", nobody.text);
    let both = stage.tool("ask", json!({"message_id": "msg_1", "body": "x"})).await;
    assert_eq!(both.value["error"]["field"], "message_id");
    let plain = stage.app.say(&stage.channel, "no question").await["id"].clone();
    let nothing = stage.tool("ask", json!({"message_id": plain})).await;
    assert!(nothing.is_error, "{}", nothing.text);
}

#[tokio::test]
async fn the_run_of_the_asker_waits_for_the_answer() {
    let stage = Stage::new().await;
    let run = stage.done("checkpoint", json!({})).await.value["run_id"].clone();
    let asking = stage.done("ask", json!({"to": "Mara", "body": "Well?"}));
    let told = while_time_passes(&stage, asking).await;
    let path = format!("/runs/{}", run.as_str().expect("a run"));
    let paused = stage.app.get(&path).by(&stage.coder.token).await.expect(200);
    assert_eq!((&paused["state"], &paused["pauses"][0]["message_id"]), (&json!("paused"), &told.value["message_id"]));
}

#[tokio::test]
async fn whoever_waits_with_a_token_that_ends_gets_no_answer() {
    let stage = Stage::new().await;
    let asking = alone_reply(&stage.app, &stage.coder.token, "ask", json!({"to": "Mara", "body": "Well?"}));
    let ending = async {
        asked_of_mara(&stage).await;
        stage.app.call(Method::POST, &format!("/agents/{}/token", stage.coder.id)).await.expect(201)
    };
    let (reply, _) = tokio::join!(asking, ending);
    reply.expect_problem("PARLOUR-A01", None);
}
