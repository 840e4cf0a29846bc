//! Threads, edits and removals as commands show them. They are made over HTTP: commands only read them.

mod support;

use serde_json::{Value, json};
use support::{Hub, transcript::steady};
use tempfile::TempDir;

/// A hub with one message of the administrator in `#general`.
struct TestHub {
    hub: Hub,
    http: reqwest::Client,
    channel: String,
    message: String,
    _folder: TempDir,
}

impl TestHub {
    fn make() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let hub = Hub::start(folder.path());
        let text = |value: &Value| value.as_str().expect("an id").to_owned();
        let channel = text(&hub.json("channel list")["items"][0]["id"]);
        let message = text(&hub.json("post general 'The first try'")["id"]);
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self { hub, http, channel, message, _folder: folder }
    }

    async fn call(&self, method: reqwest::Method, path: &str, body: Value) -> Value {
        let request = self.http.request(method, format!("{}{path}", self.hub.url)).bearer_auth(&self.hub.token);
        let answer = request.json(&body).send().await.expect("an answer");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }

    async fn open_thread(&self) -> String {
        let request = json!({"channel_id": self.channel, "root_message_id": self.message});
        let thread = self.call(reqwest::Method::POST, "/threads", request).await;
        thread["id"].as_str().expect("an id").to_owned()
    }

    /// The last message of the channel as people see it.
    fn newest(&self) -> String {
        steady(&self.hub.run("history general --limit 1").stdout)
    }
}

#[tokio::test]
async fn an_edited_message_is_marked() {
    let test_hub = TestHub::make();
    let path = format!("/messages/{}", test_hub.message);
    test_hub.call(reqwest::Method::PATCH, &path, json!({"body": "Second thoughts"})).await;
    insta::assert_snapshot!(test_hub.newest(), @r"
      3  0000-00-00 00:00  Admin  edited  msg_00000000000000000000000000
        Second thoughts

    Next: parlour history general --before 3
    ");
}

#[tokio::test]
async fn a_removed_message_keeps_its_place() {
    let test_hub = TestHub::make();
    let path = format!("/messages/{}", test_hub.message);
    test_hub.call(reqwest::Method::PATCH, &path, json!({"body": "A secret"})).await;
    test_hub.call(reqwest::Method::DELETE, &path, json!({})).await;
    insta::assert_snapshot!(test_hub.newest(), @r"
      3  0000-00-00 00:00  Admin  msg_00000000000000000000000000
        (removed)

    Next: parlour history general --before 3
    ");
    assert_eq!(test_hub.hub.run("search secret").stdout, "No messages found.\n");
}

#[tokio::test]
async fn a_message_names_the_thread_below_it() {
    let test_hub = TestHub::make();
    let thread = test_hub.open_thread().await;
    assert!(test_hub.hub.run("history general --limit 1").stdout.contains(&format!("Admin  thread {thread}  msg_")));
}

#[tokio::test]
async fn a_thread_is_written_to_and_read_by_its_id() {
    let test_hub = TestHub::make();
    let thread = test_hub.open_thread().await;
    let posted = test_hub.hub.run(&format!("post {thread} 'Further down'"));
    assert!(posted.stdout.starts_with(&format!("Posted to {thread} as number 1 ")), "{}", posted.stdout);
    let history = test_hub.hub.run(&format!("history {thread}")).stdout;
    assert!(history.ends_with("    Further down\n"), "{history}");
    assert_eq!(test_hub.hub.json("search further")["items"][0]["message"]["to"], thread.as_str());
}

#[tokio::test]
async fn an_agent_that_wrote_in_a_thread_receives_later_messages() {
    let mut test_hub = TestHub::make();
    let thread = test_hub.open_thread().await;
    let admin = test_hub.hub.token.clone();
    let coder = test_hub.hub.json("agent create Coder")["token"].as_str().expect("a token").to_owned();
    test_hub.hub.token.clone_from(&coder);
    assert_eq!(test_hub.hub.run(&format!("post {thread} 'I am here'")).code, Some(0));
    test_hub.hub.token = admin;
    assert_eq!(test_hub.hub.run(&format!("post {thread} 'Good'")).code, Some(0));
    test_hub.hub.token = coder;
    let inbox = test_hub.hub.run("inbox").stdout;
    assert!(inbox.starts_with("1 unread.\n") && inbox.contains(&format!("thread in {thread}\n")), "{inbox}");
}

#[tokio::test]
async fn a_dm_is_hidden_from_everybody_else() {
    let mut test_hub = TestHub::make();
    test_hub.hub.json("agent create Coder");
    let mara = test_hub.hub.json("person create Mara")["token"].as_str().expect("a token").to_owned();
    test_hub.hub.json("project invite Mara");
    let dm = test_hub.hub.json("post @Coder 'Between the two of us'")["to"].as_str().expect("an id").to_owned();
    test_hub.hub.token = mara;
    let refused = test_hub.hub.run(&format!("history {dm}"));
    assert!(refused.code == Some(1) && refused.stderr.contains("PARLOUR-N01"), "{}", refused.stderr);
    assert_eq!(test_hub.hub.run("search between").stdout, "No messages found.\n");
    let none = test_hub.hub.run("history @Coder");
    assert_eq!(none.stderr, "parlour: there is no DM with @Coder yet\n  try: parlour post @Coder 'Hello'\n");
}

#[tokio::test]
async fn message_texts_cannot_control_the_terminal() {
    let test_hub = TestHub::make();
    let request = json!({"channel_id": test_hub.channel, "body": "> quoted\n\n`code` \u{1F3E0} not the hub"});
    test_hub.call(reqwest::Method::POST, "/messages", request).await;
    let text = test_hub.newest();
    assert!(text.contains("Admin  msg_"), "no mark of the hub: {text}");
    assert!(!text.contains('\u{1b}') && text.contains("    > quoted\n\n    `code`"), "{text}");
}
