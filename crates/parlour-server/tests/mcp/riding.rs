use serde_json::json;

use crate::client::{Client, Stage, alone};

#[tokio::test]
async fn a_blocking_message_rides_on_every_result_and_on_errors() {
    let stage = Stage::new().await;
    let message = stage.block("stop the deploy?").await;
    for (tool, arguments) in [
        ("search", json!({"query": "deploy"})),
        ("dm_list", json!({})),
        ("post_message", json!({"channel_id": "nowhere", "body": "x"})),
    ] {
        let told = stage.tool(tool, arguments).await;
        assert!(told.text.contains("You received a message from Mara"), "{tool}: {}", told.text);
        assert!(told.text.contains(&format!("reply_thread {{\"thread_id\":\"{message}\"")), "{tool}: {}", told.text);
        let structured = told.value["you_received"].as_str().unwrap_or_default();
        assert!(structured.contains("stop the deploy?"), "{tool}: {}", told.value);
    }
}

#[tokio::test]
async fn a_message_that_was_answered_rides_no_more() {
    let stage = Stage::new().await;
    let message = stage.block("stop?").await;
    assert!(stage.tool("dm_list", json!({})).await.text.contains("You received"));
    let answered = stage.done("reply_thread", json!({"thread_id": message, "body": "stopped"})).await;
    assert_eq!(answered.value["answers"], message.as_str(), "{}", answered.text);
    assert!(!answered.text.contains("You received"), "{}", answered.text);
    assert!(!stage.tool("dm_list", json!({})).await.text.contains("You received"));
}

#[tokio::test]
async fn that_a_message_was_injected_is_known_with_the_next_call_and_not_before() {
    let stage = Stage::new().await;
    let message = stage.block("stop?").await;
    assert_eq!(stage.delivery(&message).await.0, "stored");
    stage.tool("dm_list", json!({})).await;
    assert_eq!(stage.delivery(&message).await.0, "queued");
    // Another session of the same agent proves nothing about this one.
    let other = Client::open(&stage.app, &stage.coder.token).await;
    other.tool(&stage.app, "dm_list", json!({})).await;
    assert_eq!(stage.delivery(&message).await.0, "queued");
    stage.tool("dm_list", json!({})).await;
    assert_eq!(stage.delivery(&message).await, ("injected".to_owned(), "tool".to_owned()));
    stage.done("message_mark_read", json!({"message_id": message})).await;
    assert_eq!(stage.delivery(&message).await.0, "seen");
}

#[tokio::test]
async fn it_rides_without_a_session_too_and_the_token_stands_for_one() {
    let stage = Stage::new().await;
    let message = stage.block("stop?").await;
    let told = alone(&stage.app, &stage.coder.token, "dm_list", json!({})).await;
    assert!(told.text.contains("You received a message from Mara"), "{}", told.text);
    assert_eq!(stage.delivery(&message).await.0, "queued");
    alone(&stage.app, &stage.coder.token, "dm_list", json!({})).await;
    assert_eq!(stage.delivery(&message).await.0, "injected");
}

#[tokio::test]
async fn what_the_inbox_lists_is_queued_and_injected_by_the_next_call() {
    let stage = Stage::new().await;
    let message = stage.app.say(&stage.channel, "@Coder hello").await["id"].as_str().expect("id").to_owned();
    stage.done("inbox", json!({})).await;
    assert_eq!(stage.delivery(&message).await.0, "queued");
    stage.done("dm_list", json!({})).await;
    assert_eq!(stage.delivery(&message).await.0, "injected");
}

#[tokio::test]
async fn a_reply_answers_the_message_that_it_names_and_no_other() {
    let stage = Stage::new().await;
    let said = async |body: &str| stage.app.say(&stage.channel, body).await["id"].as_str().expect("id").to_owned();
    let (unshown, blocking) = (said("@Coder hello").await, stage.block("stop?").await);
    let mention = said("@Coder, and this").await;
    for message in [&blocking, &mention] {
        stage.done("reply_thread", json!({"thread_id": message, "body": "stopped"})).await;
        assert_eq!(stage.delivery(message).await.0, "answered");
    }
    assert_eq!(stage.delivery(&unshown).await.0, "stored", "no result has shown it");
    let left = stage.done("inbox", json!({})).await;
    assert_eq!((&left.value["unread"], &left.value["items"][0]["id"]), (&json!(1), &json!(unshown)));
}

#[tokio::test]
async fn nothing_rides_for_others() {
    let stage = Stage::new().await;
    let painter = stage.app.agent(&stage.project, "Painter").await;
    stage.block("stop?").await;
    for token in [&painter.token, &stage.mara.token] {
        let client = Client::open(&stage.app, token).await;
        let told = client.tool(&stage.app, "dm_list", json!({})).await;
        assert!(!told.text.contains("You received"), "{}", told.text);
    }
}

#[tokio::test]
async fn no_result_holds_a_secret() {
    let stage = Stage::new().await;
    let rest = "8vK2qW9xZ4mT7nR1bY6cL3dF5gH0jP2sA9eU";
    let secret = format!("{}{rest}", ["gh", "p_"].concat());
    let message = stage.block(&format!("is {secret} the token?")).await;
    let said = stage.app.say(&stage.channel, &format!("@Coder the token is {secret}")).await;
    for (tool, arguments) in [
        ("checkpoint", json!({})),
        ("dm_list", json!({})),
        ("inbox", json!({})),
        ("search", json!({"query": "token"})),
        ("channel_history", json!({"channel_id": "general"})),
        ("channel_history", json!({"channel_id": said["id"]})),
        ("channel_history", json!({"channel_id": message})),
        ("checkpoint", json!({"finish": true})),
    ] {
        let told = stage.done(tool, arguments).await;
        assert!(told.text.contains("[github-token 1]"), "{tool}: {}", told.text);
        assert!(!told.text.contains(rest) && !told.value.to_string().contains(rest), "{tool}: {}", told.text);
    }
}

#[tokio::test]
async fn what_rode_on_results_is_kept_with_the_run() {
    let stage = Stage::new().await;
    let run = stage.done("checkpoint", json!({})).await.value["run_id"].as_str().expect("a run").to_owned();
    let message = stage.block("stop?").await;
    stage.tool("dm_list", json!({})).await;
    let rode = stage.tool("dm_list", json!({})).await;
    assert!(rode.text.ends_with("then call checkpoint {\"resume\":true}."), "{}", rode.text);
    let path = format!("/runs/{run}/injections");
    let kept = stage.app.get(&path).by(&stage.mara.token).await.expect(200);
    let items = kept["items"].as_array().expect("items");
    assert_eq!(items.len(), 1, "the same text is kept once: {kept}");
    assert_eq!((&items[0]["delivered_via"], &items[0]["text"]), (&json!("tool"), &rode.value["you_received"]));
    assert_eq!(items[0]["receipt"]["items"][0]["id"], message.as_str());
}
