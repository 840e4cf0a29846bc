//! Usage of model answers.

use serde_json::{Value, json};

use crate::support::{Member, Reply, TestApp, id_of};

/// A hub with a streaming answer of Coder.
async fn begun() -> (TestApp, Member, String) {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let coder = app.agent(&project, "Coder").await;
    let request = json!({"channel_id": channel, "stream": true});
    let answer = id_of(&app.post("/messages", request).by(&coder.token).await.expect(201));
    (app, coder, answer)
}

async fn end(app: &TestApp, coder: &Member, answer: &str, how: &str, body: Value) -> Reply {
    app.post(&format!("/messages/{answer}/{how}"), body).by(&coder.token).await
}

#[tokio::test]
async fn the_usage_of_an_answer_is_stored() {
    let (app, coder, answer) = begun().await;
    let usage = json!({
        "model": "small-1", "input_tokens": 900, "cached_tokens": 100, "output_tokens": 20, "tries": 2,
        "duration_ms": 1_500
    });
    let ended = end(&app, &coder, &answer, "complete", json!({"body": "Done", "usage": usage})).await.expect(200);
    assert_eq!(ended["usage"], usage);
    assert_eq!(app.get(&format!("/messages/{answer}")).await.expect(200)["usage"], usage);
}

#[tokio::test]
async fn a_failed_answer_can_have_usage() {
    let (app, coder, answer) = begun().await;
    let usage = json!({"model": "small-1", "input_tokens": 900, "output_tokens": 0});
    let body = json!({"reason": "the model broke off", "usage": {"model": "small-1", "input_tokens": 900}});
    assert_eq!(end(&app, &coder, &answer, "fail", body).await.expect(200)["usage"], usage);
}

#[tokio::test]
async fn an_answer_without_usage_has_none() {
    let (app, coder, answer) = begun().await;
    let ended = end(&app, &coder, &answer, "complete", json!({"body": "Done", "usage": null})).await.expect(200);
    assert_eq!(ended.get("usage"), None);
}

#[tokio::test]
async fn usage_requires_a_model_and_non_negative_numbers() {
    let (app, coder, answer) = begun().await;
    for (usage, code, field) in [
        (json!({}), "PARLOUR-I02", "usage.model"),
        (json!([]), "PARLOUR-I02", "usage"),
        (json!({"model": " "}), "PARLOUR-I10", "usage.model"),
        (json!({"model": "a\nb"}), "PARLOUR-I10", "usage.model"),
        (json!({"model": "m", "input_tokens": -1}), "PARLOUR-I02", "usage.input_tokens"),
        (json!({"model": "m", "output_tokens": 1.5}), "PARLOUR-I02", "usage.output_tokens"),
        (json!({"model": "m", "tries": "2"}), "PARLOUR-I02", "usage.tries"),
        (json!({"model": "m", "price": 3}), "PARLOUR-I03", "usage.price"),
    ] {
        for how in ["complete", "fail"] {
            let body = json!({"reason": "x", "usage": usage});
            let body = if how == "fail" { body } else { json!({"usage": usage}) };
            end(&app, &coder, &answer, how, body).await.expect_problem(code, Some(field));
        }
    }
    assert_eq!(app.get(&format!("/messages/{answer}")).await.expect(200)["state"], "streaming");
}
