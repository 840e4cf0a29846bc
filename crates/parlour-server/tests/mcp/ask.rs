use axum::http::Method;
use serde_json::{Value, json};

use crate::client::{McpFixture, ToolResult, sessionless_reply};

/// Advances the clock until the tool call returns.
async fn advancing_time(fixture: &McpFixture, waiting: impl Future<Output = ToolResult>) -> ToolResult {
    let advancing = async {
        loop {
            fixture.app.clock.advance(1_000);
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        result = waiting => result,
        never = advancing => never,
    }
}

/// Waits until there is an open question to Mara and returns its message.
async fn open_question(fixture: &McpFixture) -> Value {
    loop {
        let found = fixture.app.get("/questions").by(&fixture.mara.token).await.expect(200);
        if let Some(open) = found["items"].as_array().and_then(|items| items.first()) {
            return open["message"].clone();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn ask_returns_the_chosen_option() {
    let fixture = McpFixture::new().await;
    let asking = fixture.call("ask", json!({"to": "Mara", "body": "Which?", "options": ["left", "right"]}));
    let answering = async {
        let message = open_question(&fixture).await;
        assert_eq!(message["question"]["options"][1], json!({"id": "right", "label": "right"}));
        let path = format!("/messages/{}/answer", message["id"].as_str().expect("an id"));
        fixture.app.post(&path, json!({"option": "right"})).by(&fixture.mara.token).await.expect(200)
    };
    let (result, _) = tokio::join!(asking, answering);
    assert_eq!((&result.value["state"], &result.value["by"]), (&json!("answered"), &json!("Mara")));
    assert_eq!(result.value["answer"]["option"], "right");
    assert_eq!(result.text, "\"Mara\" answered: right");
}

#[tokio::test]
async fn ask_returns_the_text_of_a_reply() {
    let fixture = McpFixture::new().await;
    let asking = fixture.call("ask", json!({"channel_id": "general", "body": "@Mara where is the key?"}));
    let answering = async {
        let message = open_question(&fixture).await;
        let request = json!({"channel_id": fixture.channel, "body": "under the mat", "reply_to": message["id"]});
        fixture.app.post("/messages", request).by(&fixture.mara.token).await.expect(201)
    };
    let (result, _) = tokio::join!(asking, answering);
    assert_eq!(result.value["reply"], "under the mat", "{}", result.text);
    assert!(result.text.ends_with("> under the mat"), "{}", result.text);
}

#[tokio::test]
async fn ask_without_an_answer_returns_how_to_wait_longer() {
    let fixture = McpFixture::new().await;
    let asking = fixture.call("ask", json!({"to": "Mara", "body": "Well?"}));
    let result = advancing_time(&fixture, asking).await;
    assert_eq!(result.value["state"], "open");
    let id = result.value["message_id"].clone();
    assert!(result.text.contains(&format!("ask {{\"message_id\": {id}}}")), "{}", result.text);
    let path = format!("/messages/{}/answer", id.as_str().expect("an id"));
    fixture.app.post(&path, json!({"text": "yes"})).by(&fixture.mara.token).await.expect(200);
    let result = fixture.call("ask", json!({"message_id": id})).await;
    assert_eq!(result.text, "\"Mara\" answered: yes");
}

#[tokio::test]
async fn an_expired_question_returns_its_default() {
    let fixture = McpFixture::new().await;
    let request =
        json!({"to": "Mara", "body": "Go?", "options": ["yes", "no"], "default": "no", "expires_in_seconds": 10});
    let mut result = advancing_time(&fixture, fixture.call("ask", request)).await;
    while result.value["state"] == "open" {
        result = advancing_time(&fixture, fixture.call("ask", json!({"message_id": result.value["message_id"]}))).await;
    }
    assert_eq!((&result.value["state"], &result.value["answer"]["option"]), (&json!("expired"), &json!("no")));
    assert!(result.text.starts_with("Nobody answered in time: no (the default"), "{}", result.text);
}

#[tokio::test]
async fn a_default_that_is_not_an_option_is_refused() {
    let fixture = McpFixture::new().await;
    let wrong =
        fixture.call_tool("ask", json!({"to": "Mara", "body": "Go?", "options": ["yes"], "default": "maybe"})).await;
    assert_eq!(wrong.value["error"]["field"], "question.default", "{}", wrong.text);
    assert_eq!(wrong.value["error"]["candidates"], json!(["yes"]));
}

#[tokio::test]
async fn ask_refuses_questions_without_recipient_and_messages_that_are_no_questions() {
    let fixture = McpFixture::new().await;
    let nobody = fixture.call_tool("ask", json!({"channel_id": "general", "body": "anybody?"})).await;
    assert_eq!(nobody.value["error"]["code"], "PARLOUR-M05", "{}", nobody.text);
    let both = fixture.call_tool("ask", json!({"message_id": "msg_1", "body": "x"})).await;
    assert_eq!(both.value["error"]["field"], "message_id");
    let plain = fixture.app.say(&fixture.channel, "no question").await["id"].clone();
    let nothing = fixture.call_tool("ask", json!({"message_id": plain})).await;
    assert_eq!(nothing.value["error"]["field"], "message_id", "{}", nothing.text);
}

#[tokio::test]
async fn ask_pauses_the_run_of_the_caller() {
    let fixture = McpFixture::new().await;
    let run = fixture.call("checkpoint", json!({})).await.value["run_id"].clone();
    let asking = fixture.call("ask", json!({"to": "Mara", "body": "Well?"}));
    let result = advancing_time(&fixture, asking).await;
    let path = format!("/runs/{}", run.as_str().expect("a run"));
    let paused = fixture.app.get(&path).by(&fixture.coder.token).await.expect(200);
    assert_eq!((&paused["state"], &paused["pauses"][0]["message_id"]), (&json!("paused"), &result.value["message_id"]));
}

#[tokio::test]
async fn a_waiting_ask_is_refused_when_its_token_ends() {
    let fixture = McpFixture::new().await;
    let asking = sessionless_reply(&fixture.app, &fixture.coder.token, "ask", json!({"to": "Mara", "body": "Well?"}));
    let ending = async {
        open_question(&fixture).await;
        fixture.app.call(Method::POST, &format!("/agents/{}/token", fixture.coder.id)).await.expect(201)
    };
    let (reply, _) = tokio::join!(asking, ending);
    reply.expect_problem("PARLOUR-A01", None);
}
