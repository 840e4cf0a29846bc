use axum::http::Method;
use serde_json::json;

use crate::{
    client::{McpFixture, McpTestClient},
    support::TestApp,
};

#[tokio::test]
async fn channels_are_found_by_name_in_any_case() {
    let fixture = McpFixture::new().await;
    for name in ["general", "#General", "GENERAL", fixture.channel.as_str()] {
        let posted = fixture.call("post_message", json!({"channel_id": name, "body": "hello"})).await;
        assert_eq!(posted.value["conversation_id"], fixture.channel.as_str(), "{name}");
        assert!(posted.text.starts_with("Posted msg_"), "{}", posted.text);
    }
}

#[tokio::test]
async fn an_unknown_name_is_refused_with_candidates() {
    let fixture = McpFixture::new().await;
    let result = fixture.call_tool("post_message", json!({"channel_id": "genral", "body": "hello"})).await;
    assert!(
        result.is_error && result.text.starts_with("PARLOUR-N01") && result.text.contains("general"),
        "{}",
        result.text
    );
    assert_eq!(result.value["error"]["candidates"], json!(["general"]));
    assert_eq!(result.value["error"]["field"], "channel_id");
    let result = fixture.call_tool("dm_send", json!({"participants": ["Maro"], "body": "hello"})).await;
    assert_eq!(
        (&result.value["error"]["code"], &result.value["error"]["field"]),
        (&json!("PARLOUR-M01"), &json!("participants[0]"))
    );
    assert_eq!(result.value["error"]["candidates"], json!(["Mara"]));
    let result = fixture.call_tool("search", json!({"query": "x", "project_id": "Apolo"})).await;
    assert_eq!(result.value["error"]["candidates"], json!(["Apollo"]));
}

#[tokio::test]
async fn a_file_of_a_private_channel_is_unknown_to_other_agents() {
    let fixture = McpFixture::new().await;
    let secret = fixture.app.private_channel(&fixture.mara, &fixture.project, "secret").await;
    let path = format!("/artifacts?project_id={}&filename=zebra.txt&conversation_id={secret}", fixture.project);
    let upload = fixture.app.call(Method::POST, &path).by(&fixture.mara.token).content("text/plain", "zebra");
    let file = upload.await.expect(201)["id"].clone();
    let post = json!({"channel_id": secret, "body": "the zebra", "artifacts": [file]});
    fixture.app.post("/messages", post).by(&fixture.mara.token).await.expect(201);
    let attached =
        fixture.call_tool("post_message", json!({"channel_id": "general", "body": "x", "artifacts": [file]})).await;
    assert_eq!(
        (&attached.value["error"]["code"], &attached.value["error"]["field"]),
        (&json!("PARLOUR-N01"), &json!("artifacts[0]"))
    );
    let found = fixture.call("search", json!({"query": "zebra"})).await;
    assert!(!found.text.contains("the zebra"), "{}", found.text);
}

#[tokio::test]
async fn arguments_are_read_strictly() {
    let fixture = McpFixture::new().await;
    for (tool, arguments, code, field) in [
        ("post_message", json!({"channel_id": "general"}), "PARLOUR-I02", "body"),
        ("post_message", json!({"channel_id": "general", "body": "x", "boddy": "y"}), "PARLOUR-I03", "boddy"),
        ("post_message", json!({"channel_id": "general", "body": 7}), "PARLOUR-I02", "body"),
        ("channel_history", json!({"channel_id": "general", "limit": 51}), "PARLOUR-I10", "limit"),
        ("channel_history", json!({"channel_id": "general", "since": "yesterday"}), "PARLOUR-I02", "since"),
        ("message_mark_read", json!({"message_id": "chn_1"}), "PARLOUR-I02", "message_id"),
        ("reply_thread", json!({"thread_id": "general", "body": "x"}), "PARLOUR-I08", "thread_id"),
        ("ask", json!({"body": "x"}), "PARLOUR-I02", "to"),
        ("ask", json!({"to": "Mara"}), "PARLOUR-I02", "body"),
    ] {
        let result = fixture.call_tool(tool, arguments.clone()).await;
        let error = &result.value["error"];
        assert_eq!((error["code"].as_str(), error["field"].as_str()), (Some(code), Some(field)), "{tool} {arguments}");
        assert!(result.is_error && error["what_to_do"].is_string(), "{}", result.text);
    }
}

#[tokio::test]
async fn a_channel_can_be_created_subscribed_and_read() {
    let fixture = McpFixture::new().await;
    let created = fixture.call("create_channel", json!({"name": "ops", "visibility": "private"})).await;
    assert_eq!(created.value["visibility"], "private");
    let subscribed = fixture.call("channel_subscribe", json!({"channel_id": "ops"})).await;
    assert_eq!(subscribed.value["agent_id"], fixture.coder.id.as_str());
    for number in 1..=3 {
        fixture.call("post_message", json!({"channel_id": "ops", "body": format!("number {number}")})).await;
    }
    let read = fixture.call("channel_history", json!({"channel_id": "ops", "limit": 2})).await;
    let bodies = |value: &serde_json::Value| -> Vec<String> {
        let items = value["items"].as_array().expect("items");
        items.iter().map(|item| item["body"].as_str().expect("body").to_owned()).collect()
    };
    assert_eq!(bodies(&read.value), ["number 2", "number 3"], "the newest, oldest first");
    let older = json!({"channel_id": "ops", "limit": 2, "cursor": read.value["next"]});
    assert_eq!(bodies(&fixture.call("channel_history", older).await.value), ["number 1"]);
    let since = json!({"channel_id": "ops", "since": 2});
    assert_eq!(bodies(&fixture.call("channel_history", since).await.value), ["number 3"]);
    let one = fixture.call("channel_history", json!({"channel_id": read.value["items"][0]["id"]})).await;
    assert_eq!(bodies(&one.value), ["number 2"]);
}

#[tokio::test]
async fn replies_to_a_message_share_one_thread() {
    let fixture = McpFixture::new().await;
    let root = fixture.app.say(&fixture.channel, "a question").await["id"].clone();
    let first = fixture.call("reply_thread", json!({"thread_id": root, "body": "one"})).await;
    let thread = first.value["conversation_id"].clone();
    assert!(thread.as_str().is_some_and(|id| id.starts_with("thr_")), "{thread}");
    let second = fixture.call("reply_thread", json!({"thread_id": root, "body": "two"})).await;
    assert_eq!(second.value["conversation_id"], thread);
    let third = fixture.call("reply_thread", json!({"thread_id": thread, "body": "three"})).await;
    assert_eq!(third.value["conversation_id"], thread);
    let inner = fixture.call("reply_thread", json!({"thread_id": first.value["message_id"], "body": "four"})).await;
    assert_eq!(inner.value["conversation_id"], thread, "a reply to a message of a thread goes into the same thread");
}

#[tokio::test]
async fn dms_are_sent_by_name_and_listed_only_for_their_members() {
    let fixture = McpFixture::new().await;
    let sent = fixture.call("dm_send", json!({"participants": ["Mara"], "body": "psst"})).await;
    let listed = fixture.call("dm_list", json!({})).await;
    assert_eq!(listed.value["items"][0]["dm_id"], sent.value["conversation_id"]);
    assert_eq!(listed.value["items"][0]["with"], json!(["Mara"]));
    let other = fixture.app.agent(&fixture.project, "Painter").await;
    let result = fixture.call_tool("dm_list", json!({"agent_id": other.id})).await;
    assert_eq!(result.value["error"]["code"], "PARLOUR-A02");
    let read = fixture.call_tool("channel_history", json!({"channel_id": sent.value["conversation_id"]})).await;
    assert!(read.text.contains("> psst"), "{}", read.text);
}

#[tokio::test]
async fn the_inbox_lists_unread_messages_by_importance() {
    let fixture = McpFixture::new().await;
    fixture.app.say(&fixture.channel, "@Coder one").await;
    let request = json!({"channel_id": fixture.channel, "body": "@Coder two", "importance": "critical"});
    let critical = fixture.app.post("/messages", request).await.expect(201)["id"].clone();
    let found = fixture.call("inbox", json!({})).await;
    assert_eq!((&found.value["unread"], &found.value["items"][0]["id"]), (&json!(2), &critical));
    fixture.call("message_mark_read", json!({"message_id": critical})).await;
    assert_eq!(fixture.call("inbox", json!({})).await.value["unread"], 1);
}

#[tokio::test]
async fn messages_are_found_by_their_words() {
    let fixture = McpFixture::new().await;
    fixture.app.say(&fixture.channel, "the build is green").await;
    let found = fixture.call("search", json!({"query": "green build"})).await;
    assert_eq!(found.value["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(fixture.call("search", json!({"query": "purple"})).await.text, "Nothing found.");
}

#[tokio::test]
async fn scopes_restrict_tools_and_refusals_are_audited() {
    let fixture = McpFixture::new().await;
    let narrow = fixture.scoped_token(&["messages:read", "channels:read"]).await;
    let reader = McpTestClient::open(&fixture.app, &narrow).await;
    let result = reader.call_tool(&fixture.app, "post_message", json!({"channel_id": "general", "body": "x"})).await;
    assert_eq!(result.value["error"]["code"], "PARLOUR-A04", "{}", result.text);
    let read = reader.call_tool(&fixture.app, "channel_history", json!({"channel_id": "general"})).await;
    assert!(!read.is_error, "{}", read.text);
    fixture.call("post_message", json!({"channel_id": "general", "body": "hello"})).await;
    let log = fixture.app.get("/audit?limit=50").await.expect(200);
    let entries = log["items"].as_array().expect("entries");
    let by_mcp = |action: &str| entries.iter().any(|one| one["surface"] == "mcp" && one["action"] == action);
    assert!(by_mcp("mcp post_message") && by_mcp("messaging.posted"), "{log}");
}

#[tokio::test]
async fn people_with_several_projects_must_name_one() {
    let app = TestApp::new().await;
    let (first, _) = (app.project("Apollo").await, app.project("Gemini").await);
    app.channel(&first, "general").await;
    let client = McpTestClient::open(&app, TestApp::ADMIN).await;
    let result = client.call_tool(&app, "post_message", json!({"channel_id": "general", "body": "x"})).await;
    assert_eq!(result.value["error"]["field"], "project_id", "{}", result.text);
    let named = json!({"channel_id": "general", "body": "x", "project_id": "apollo"});
    assert!(!client.call_tool(&app, "post_message", named).await.is_error);
}

#[tokio::test]
async fn hidden_channels_are_refused_like_missing_ones() {
    let fixture = McpFixture::new().await;
    let secret = fixture.app.private_channel(&fixture.mara, &fixture.project, "secret").await;
    for named in [secret.as_str(), "secret"] {
        let result = fixture.call_tool("channel_history", json!({"channel_id": named})).await;
        assert_eq!(result.value["error"]["code"], "PARLOUR-N01", "{named}");
        assert!(!result.value["error"]["candidates"].to_string().contains("secret"), "{}", result.text);
    }
}
