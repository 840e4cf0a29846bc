use serde_json::json;

use crate::{
    client::{Client, Stage},
    support::TestApp,
};

#[tokio::test]
async fn channels_are_found_by_name_whatever_its_case() {
    let stage = Stage::new().await;
    for name in ["general", "#General", "GENERAL", stage.channel.as_str()] {
        let posted = stage.done("post_message", json!({"channel_id": name, "body": "hello"})).await;
        assert_eq!(posted.value["conversation_id"], stage.channel.as_str(), "{name}");
        assert!(posted.text.starts_with("Posted msg_"), "{}", posted.text);
    }
}

#[tokio::test]
async fn a_wrong_name_is_an_error_with_candidates() {
    let stage = Stage::new().await;
    let told = stage.tool("post_message", json!({"channel_id": "genral", "body": "hello"})).await;
    assert!(told.is_error && told.text.starts_with("PARLOUR-N01") && told.text.contains("general"), "{}", told.text);
    assert_eq!(told.value["error"]["candidates"], json!(["general"]));
    assert_eq!(told.value["error"]["field"], "channel_id");
    let told = stage.tool("dm_send", json!({"participants": ["Maro"], "body": "hello"})).await;
    assert_eq!(
        (&told.value["error"]["code"], &told.value["error"]["field"]),
        (&json!("PARLOUR-M01"), &json!("participants[0]"))
    );
    assert_eq!(told.value["error"]["candidates"], json!(["Mara"]));
    let told = stage.tool("search", json!({"query": "x", "project_id": "Apolo"})).await;
    assert_eq!(told.value["error"]["candidates"], json!(["Apollo"]));
}

#[tokio::test]
async fn arguments_are_read_strictly() {
    let stage = Stage::new().await;
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
        let told = stage.tool(tool, arguments.clone()).await;
        let error = &told.value["error"];
        assert_eq!((error["code"].as_str(), error["field"].as_str()), (Some(code), Some(field)), "{tool} {arguments}");
        assert!(told.is_error && error["what_to_do"].is_string(), "{}", told.text);
    }
}

#[tokio::test]
async fn a_channel_is_made_followed_and_read() {
    let stage = Stage::new().await;
    let made = stage.done("create_channel", json!({"name": "ops", "visibility": "private"})).await;
    assert_eq!(made.value["visibility"], "private");
    let followed = stage.done("channel_subscribe", json!({"channel_id": "ops"})).await;
    assert_eq!(followed.value["agent_id"], stage.coder.id.as_str());
    for number in 1..=3 {
        stage.done("post_message", json!({"channel_id": "ops", "body": format!("number {number}")})).await;
    }
    let read = stage.done("channel_history", json!({"channel_id": "ops", "limit": 2})).await;
    let bodies = |value: &serde_json::Value| -> Vec<String> {
        let items = value["items"].as_array().expect("items");
        items.iter().map(|item| item["body"].as_str().expect("body").to_owned()).collect()
    };
    assert_eq!(bodies(&read.value), ["number 2", "number 3"], "the newest, oldest first");
    let older = json!({"channel_id": "ops", "limit": 2, "cursor": read.value["next"]});
    assert_eq!(bodies(&stage.done("channel_history", older).await.value), ["number 1"]);
    let since = json!({"channel_id": "ops", "since": 2});
    assert_eq!(bodies(&stage.done("channel_history", since).await.value), ["number 3"]);
    let one = stage.done("channel_history", json!({"channel_id": read.value["items"][0]["id"]})).await;
    assert_eq!(bodies(&one.value), ["number 2"]);
}

#[tokio::test]
async fn a_reply_to_a_message_opens_its_thread_once() {
    let stage = Stage::new().await;
    let root = stage.app.say(&stage.channel, "a question").await["id"].clone();
    let first = stage.done("reply_thread", json!({"thread_id": root, "body": "one"})).await;
    let thread = first.value["conversation_id"].clone();
    assert!(thread.as_str().is_some_and(|id| id.starts_with("thr_")), "{thread}");
    let second = stage.done("reply_thread", json!({"thread_id": root, "body": "two"})).await;
    assert_eq!(second.value["conversation_id"], thread);
    let third = stage.done("reply_thread", json!({"thread_id": thread, "body": "three"})).await;
    assert_eq!(third.value["conversation_id"], thread);
    let inner = stage.done("reply_thread", json!({"thread_id": first.value["message_id"], "body": "four"})).await;
    assert_eq!(inner.value["conversation_id"], thread, "a message in a thread is replied to beside it");
}

#[tokio::test]
async fn dms_are_sent_by_name_and_listed_for_their_members_alone() {
    let stage = Stage::new().await;
    let sent = stage.done("dm_send", json!({"participants": ["Mara"], "body": "psst"})).await;
    let listed = stage.done("dm_list", json!({})).await;
    assert_eq!(listed.value["items"][0]["dm_id"], sent.value["conversation_id"]);
    assert_eq!(listed.value["items"][0]["with"], json!(["Mara"]));
    let other = stage.app.agent(&stage.project, "Painter").await;
    let told = stage.tool("dm_list", json!({"agent_id": other.id})).await;
    assert_eq!(told.value["error"]["code"], "PARLOUR-A02");
    let read = stage.tool("channel_history", json!({"channel_id": sent.value["conversation_id"]})).await;
    assert!(read.text.contains("> psst"), "{}", read.text);
}

#[tokio::test]
async fn the_inbox_lists_what_matters_most_first_until_it_is_read() {
    let stage = Stage::new().await;
    stage.app.say(&stage.channel, "@Coder one").await;
    let request = json!({"channel_id": stage.channel, "body": "@Coder two", "importance": "critical"});
    let critical = stage.app.post("/messages", request).await.expect(201)["id"].clone();
    let found = stage.done("inbox", json!({})).await;
    assert_eq!((&found.value["unread"], &found.value["items"][0]["id"]), (&json!(2), &critical));
    stage.done("message_mark_read", json!({"message_id": critical})).await;
    assert_eq!(stage.done("inbox", json!({})).await.value["unread"], 1);
}

#[tokio::test]
async fn messages_are_found_by_their_words() {
    let stage = Stage::new().await;
    stage.app.say(&stage.channel, "the build is green").await;
    let found = stage.done("search", json!({"query": "green build"})).await;
    assert_eq!(found.value["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(stage.done("search", json!({"query": "purple"})).await.text, "Nothing found.");
}

#[tokio::test]
async fn a_token_does_no_more_than_its_scopes_allow_and_the_audit_log_knows() {
    let stage = Stage::new().await;
    let narrow = stage.narrow(&["messages:read", "channels:read"]).await;
    let reader = Client::open(&stage.app, &narrow).await;
    let told = reader.tool(&stage.app, "post_message", json!({"channel_id": "general", "body": "x"})).await;
    assert_eq!(told.value["error"]["code"], "PARLOUR-A04", "{}", told.text);
    let read = reader.tool(&stage.app, "channel_history", json!({"channel_id": "general"})).await;
    assert!(!read.is_error, "{}", read.text);
    stage.done("post_message", json!({"channel_id": "general", "body": "hello"})).await;
    let log = stage.app.get("/audit?limit=50").await.expect(200);
    let entries = log["items"].as_array().expect("entries");
    let by_mcp = |action: &str| entries.iter().any(|one| one["surface"] == "mcp" && one["action"] == action);
    assert!(by_mcp("mcp post_message") && by_mcp("messaging.posted"), "{log}");
}

#[tokio::test]
async fn people_name_the_project_when_they_see_several() {
    let app = TestApp::new().await;
    let (first, _) = (app.project("Apollo").await, app.project("Gemini").await);
    app.channel(&first, "general").await;
    let client = Client::open(&app, TestApp::ADMIN).await;
    let told = client.tool(&app, "post_message", json!({"channel_id": "general", "body": "x"})).await;
    assert_eq!(told.value["error"]["field"], "project_id", "{}", told.text);
    let named = json!({"channel_id": "general", "body": "x", "project_id": "apollo"});
    assert!(!client.tool(&app, "post_message", named).await.is_error);
}

#[tokio::test]
async fn what_the_caller_may_not_see_does_not_exist() {
    let stage = Stage::new().await;
    let secret = stage.app.private_channel(&stage.mara, &stage.project, "secret").await;
    for named in [secret.as_str(), "secret"] {
        let told = stage.tool("channel_history", json!({"channel_id": named})).await;
        assert_eq!(told.value["error"]["code"], "PARLOUR-N01", "{named}");
        assert!(!told.value["error"]["candidates"].to_string().contains("secret"), "{}", told.text);
    }
}
