use serde_json::json;

use crate::client::{McpFixture, McpTestClient, call_without_session};

#[tokio::test]
async fn results_and_errors_contain_blocking_messages() {
    let fixture = McpFixture::new().await;
    let message = fixture.post_blocking("stop the deploy?").await;
    for (tool, arguments) in [
        ("search", json!({"query": "deploy"})),
        ("dm_list", json!({})),
        ("post_message", json!({"channel_id": "nowhere", "body": "x"})),
    ] {
        let result = fixture.call_tool(tool, arguments).await;
        assert!(result.text.contains("You received a message from \"Mara\""), "{tool}: {}", result.text);
        assert!(
            result.text.contains(&format!("reply_thread {{\"thread_id\":\"{message}\"")),
            "{tool}: {}",
            result.text
        );
        let structured = result.value["you_received"].as_str().unwrap_or_default();
        assert!(structured.contains("stop the deploy?"), "{tool}: {}", result.value);
    }
}

#[tokio::test]
async fn an_answered_message_is_not_repeated_in_results() {
    let fixture = McpFixture::new().await;
    let message = fixture.post_blocking("stop?").await;
    assert!(fixture.call_tool("dm_list", json!({})).await.text.contains("You received"));
    let answered = fixture.call("reply_thread", json!({"thread_id": message, "body": "stopped"})).await;
    assert_eq!(answered.value["answers"], message.as_str(), "{}", answered.text);
    assert!(!answered.text.contains("You received"), "{}", answered.text);
    assert!(!fixture.call_tool("dm_list", json!({})).await.text.contains("You received"));
}

#[tokio::test]
async fn a_message_is_injected_with_the_next_call_of_the_same_session() {
    let fixture = McpFixture::new().await;
    let message = fixture.post_blocking("stop?").await;
    assert_eq!(fixture.delivery(&message).await.0, "stored");
    fixture.call_tool("dm_list", json!({})).await;
    assert_eq!(fixture.delivery(&message).await.0, "queued");
    // A request of another session does not confirm the delivery to this one.
    let other = McpTestClient::open(&fixture.app, &fixture.coder.token).await;
    other.call_tool(&fixture.app, "dm_list", json!({})).await;
    assert_eq!(fixture.delivery(&message).await.0, "queued");
    fixture.call_tool("dm_list", json!({})).await;
    assert_eq!(fixture.delivery(&message).await, ("injected".to_owned(), "tool".to_owned()));
    fixture.call("message_mark_read", json!({"message_id": message})).await;
    assert_eq!(fixture.delivery(&message).await.0, "seen");
}

#[tokio::test]
async fn without_a_session_the_token_identifies_the_client() {
    let fixture = McpFixture::new().await;
    let message = fixture.post_blocking("stop?").await;
    let result = call_without_session(&fixture.app, &fixture.coder.token, "dm_list", json!({})).await;
    assert!(result.text.contains("You received a message from \"Mara\""), "{}", result.text);
    assert_eq!(fixture.delivery(&message).await.0, "queued");
    call_without_session(&fixture.app, &fixture.coder.token, "dm_list", json!({})).await;
    assert_eq!(fixture.delivery(&message).await.0, "injected");
}

#[tokio::test]
async fn messages_of_the_inbox_are_queued_and_injected_by_the_next_call() {
    let fixture = McpFixture::new().await;
    let message = fixture.app.say(&fixture.channel, "@Coder hello").await["id"].as_str().expect("id").to_owned();
    fixture.call("inbox", json!({})).await;
    assert_eq!(fixture.delivery(&message).await.0, "queued");
    fixture.call("dm_list", json!({})).await;
    assert_eq!(fixture.delivery(&message).await.0, "injected");
}

#[tokio::test]
async fn a_reply_answers_only_the_message_that_it_names() {
    let fixture = McpFixture::new().await;
    let post = async |body: &str| fixture.app.say(&fixture.channel, body).await["id"].as_str().expect("id").to_owned();
    let (unseen, blocking) = (post("@Coder hello").await, fixture.post_blocking("stop?").await);
    let mention = post("@Coder, and this").await;
    for message in [&blocking, &mention] {
        fixture.call("reply_thread", json!({"thread_id": message, "body": "stopped"})).await;
        assert_eq!(fixture.delivery(message).await.0, "answered");
    }
    assert_eq!(fixture.delivery(&unseen).await.0, "stored", "no result has shown it");
    let left = fixture.call("inbox", json!({})).await;
    assert_eq!((&left.value["unread"], &left.value["items"][0]["id"]), (&json!(1), &json!(unseen)));
}

#[tokio::test]
async fn other_members_do_not_receive_the_notice() {
    let fixture = McpFixture::new().await;
    let painter = fixture.app.agent(&fixture.project, "Painter").await;
    fixture.post_blocking("stop?").await;
    for token in [&painter.token, &fixture.mara.token] {
        let client = McpTestClient::open(&fixture.app, token).await;
        let result = client.call_tool(&fixture.app, "dm_list", json!({})).await;
        assert!(!result.text.contains("You received"), "{}", result.text);
    }
}

#[tokio::test]
async fn secrets_are_redacted_in_every_result() {
    let fixture = McpFixture::new().await;
    let rest = "8vK2qW9xZ4mT7nR1bY6cL3dF5gH0jP2sA9eU";
    let secret = format!("{}{rest}", ["gh", "p_"].concat());
    let message = fixture.post_blocking(&format!("is {secret} the token?")).await;
    let said = fixture.app.say(&fixture.channel, &format!("@Coder the token is {secret}")).await;
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
        let result = fixture.call(tool, arguments).await;
        assert!(result.text.contains("[github-token 1]"), "{tool}: {}", result.text);
        assert!(!result.text.contains(rest) && !result.value.to_string().contains(rest), "{tool}: {}", result.text);
    }
}

#[tokio::test]
async fn notices_in_results_are_stored_with_the_run() {
    let fixture = McpFixture::new().await;
    let run = fixture.call("checkpoint", json!({})).await.value["run_id"].as_str().expect("a run").to_owned();
    let message = fixture.post_blocking("stop?").await;
    fixture.call_tool("dm_list", json!({})).await;
    let repeated = fixture.call_tool("dm_list", json!({})).await;
    assert!(repeated.text.ends_with("then call checkpoint {\"resume\":true}."), "{}", repeated.text);
    let path = format!("/runs/{run}/injections");
    let stored = fixture.app.get(&path).by(&fixture.mara.token).await.expect(200);
    let items = stored["items"].as_array().expect("items");
    assert_eq!(items.len(), 1, "the same text is stored once: {stored}");
    assert_eq!((&items[0]["delivered_via"], &items[0]["text"]), (&json!("tool"), &repeated.value["you_received"]));
    assert_eq!(items[0]["receipt"]["items"][0]["id"], message.as_str());
}
