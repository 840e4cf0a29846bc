//! `parlour post --stream` against a real hub: a text that grows before everybody's eyes, and always ends.

#![allow(clippy::panic, reason = "these are tests")]

mod support;

use parlour_agent::{
    Client,
    live::{Live, LiveItem, Start},
};
use parlour_core::{
    event::Change,
    id::{MessageId, ProjectId},
    live::Cancel,
    message::{Message, State},
};
use support::{Hub, Run, run, running::RunningProcess, transcript::words};
use tempfile::TempDir;

struct TestHub {
    folder: TempDir,
    hub: Hub,
    client: Client,
    project: ProjectId,
}

impl TestHub {
    fn make() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let hub = Hub::start(folder.path());
        let client = Client::new(&hub.url, Some(&hub.token)).expect("a client");
        let project = hub.json("project show")["id"].as_str().expect("an id").parse().expect("an id");
        Self { folder, hub, client, project }
    }

    /// Starts a streamed post and waits until it is open.
    fn start(&self) -> (RunningProcess, MessageId) {
        let running = RunningProcess::start(self.hub.command().args(["post", "general", "--stream"]));
        let note = running.note();
        let id = note.split([' ', ';']).find(|word| word.starts_with("msg_")).expect("an id");
        let id = id.parse().expect("an id");
        (running, id)
    }

    /// A streamed post with all of its input.
    fn post(&self, line: &str, input: &str) -> Run {
        run(self.hub.command().args(["post", "general", "--stream"]).args(words(line)), input)
    }

    /// A second reader that is live.
    async fn reader(&self) -> Live {
        let mut live = Live::follow(&self.client, &self.project, Start::Now);
        while !matches!(live.next().await.expect("live"), LiveItem::Live(_)) {}
        live
    }

    async fn message(&self, id: &MessageId) -> Message {
        self.client.message(id).await.expect("the message")
    }

    /// The newest message of the channel.
    async fn newest(&self) -> Message {
        let id = self.hub.json("history general --limit 1")["items"][0]["id"].as_str().expect("an id").to_owned();
        self.message(&id.parse().expect("an id")).await
    }
}

/// Reads pieces until the text has this length in characters.
async fn read_text(live: &mut Live, text: &mut String, chars: usize) {
    while text.chars().count() < chars {
        match live.next().await.expect("live") {
            LiveItem::Chunk(chunk) => {
                assert_eq!(chunk.start, text.chars().count() as u64);
                text.push_str(&chunk.text);
            }
            LiveItem::Stream(running) => *text = running.text,
            _ => {}
        }
    }
}

async fn read_end(live: &mut Live) -> Message {
    loop {
        if let LiveItem::Event(event) = live.next().await.expect("live")
            && let Change::MessageFinished(message) = event.change
        {
            return *message;
        }
    }
}

#[tokio::test]
async fn another_reader_sees_the_text_grow() {
    let test_hub = TestHub::make();
    let mut early = test_hub.reader().await;
    let (mut post, id) = test_hub.start();
    let mut text = String::new();
    post.feed("Hello, wö".as_bytes());
    read_text(&mut early, &mut text, 9).await;
    assert_eq!(text, "Hello, wö");
    // Half a character now, the other half later; and somebody who joins in the middle.
    post.feed(&"é".as_bytes()[..1]);
    let mut late = test_hub.reader().await;
    post.feed(&"é".as_bytes()[1..]);
    post.feed(b"rld\n");
    let mut late_text = String::new();
    read_text(&mut late, &mut late_text, 13).await;
    read_text(&mut early, &mut text, 13).await;
    assert_eq!((text.as_str(), late_text.as_str()), ("Hello, wöérld", "Hello, wöérld"));
    post.end_input();
    let message = read_end(&mut early).await;
    assert_eq!((&message.id, message.state, message.body.as_str()), (&id, State::Complete, "Hello, wöérld"));
    let (code, stdout, _) = post.finish();
    assert_eq!(code, Some(0));
    assert!(stdout.starts_with("Posted to #general as number "), "{stdout}");
}

#[tokio::test]
async fn a_cancel_by_another_member_ends_the_program_despite_open_input() {
    let test_hub = TestHub::make();
    let (mut post, id) = test_hub.start();
    post.feed(b"on and on");
    let end = Cancel { reason: Some("enough".into()) };
    test_hub.client.cancel_stream(&id, &end).await.expect("cancelled");
    let (code, _, stderr) = post.finish();
    assert_eq!(code, Some(1));
    assert_eq!(stderr, "parlour: the answer was cancelled: enough\n");
}

#[tokio::test]
async fn ctrl_c_cancels_and_keeps_the_written_text() {
    let test_hub = TestHub::make();
    let mut live = test_hub.reader().await;
    let (mut post, id) = test_hub.start();
    post.feed(b"half of it");
    read_text(&mut live, &mut String::new(), 10).await;
    post.interrupt();
    let (code, _, stderr) = post.finish();
    assert_eq!(code, Some(130), "{stderr}");
    assert!(stderr.contains("was cancelled"), "{stderr}");
    let message = test_hub.message(&id).await;
    assert_eq!((message.state, message.body.as_str()), (State::Cancelled, "half of it"));
}

#[tokio::test]
async fn a_killed_hub_ends_the_stream_as_interrupted() {
    let test_hub = TestHub::make();
    let (mut post, id) = test_hub.start();
    let TestHub { folder, hub, client, .. } = test_hub;
    let url = hub.url.clone();
    hub.kill();
    let _hub = Hub::start_again(folder.path(), &url);
    post.feed(b"is anybody there?");
    let (code, _, stderr) = post.finish();
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("the answer was interrupted"), "{stderr}");
    assert_eq!(client.message(&id).await.expect("the message").state, State::Interrupted);
}

#[tokio::test]
async fn a_second_ctrl_c_does_not_wait_for_an_unreachable_hub() {
    let test_hub = TestHub::make();
    let (mut post, _) = test_hub.start();
    test_hub.hub.kill();
    post.feed(b"is anybody there?");
    post.interrupt();
    assert!(post.note().starts_with("Cancelling"));
    post.interrupt();
    let (code, _, stderr) = post.finish();
    assert_eq!(code, Some(130));
    assert!(stderr.contains("stopped without waiting for the hub"), "{stderr}");
}

#[tokio::test]
async fn invalid_utf_8_fails_the_message_and_keeps_the_text_before_it() {
    let test_hub = TestHub::make();
    let (mut post, id) = test_hub.start();
    post.feed(b"before\xFFafter");
    let (code, _, stderr) = post.finish();
    assert_eq!(code, Some(1));
    assert!(stderr.contains("not valid UTF-8 at byte 7"), "{stderr}");
    let message = test_hub.message(&id).await;
    assert_eq!((message.state, message.body.as_str()), (State::Failed, "before"));
    assert!(message.reason.is_some_and(|reason| reason.contains("UTF-8")));
}

#[tokio::test]
async fn a_refused_chunk_fails_the_message_with_the_text_of_the_hub() {
    let test_hub = TestHub::make();
    let ran = test_hub.post("", "a\u{1b}b");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("PARLOUR-I11"), "{}", ran.stderr);
    let message = test_hub.newest().await;
    assert_eq!(message.state, State::Failed);
    assert!(message.reason.is_some_and(|reason| reason.contains("PARLOUR-I11")));
}

#[tokio::test]
async fn a_text_that_is_too_long_is_refused_with_the_limit() {
    let test_hub = TestHub::make();
    let ran = test_hub.post("", &"long enough\n".repeat(10_000));
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("65536 bytes"), "{}", ran.stderr);
    assert_eq!(test_hub.newest().await.state, State::Failed);
}

#[tokio::test]
async fn an_empty_input_posts_nothing() {
    let test_hub = TestHub::make();
    let ran = test_hub.post("", " \n\n");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("no text on stdin"), "{}", ran.stderr);
    assert_eq!(test_hub.newest().await.state, State::Cancelled);
}

#[tokio::test]
async fn the_end_is_reported_like_that_of_any_post() {
    let test_hub = TestHub::make();
    let ran = test_hub.post("--json --importance high", "Hi @Nobody\n");
    let posted: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((&posted["body"], &posted["state"]), (&"Hi @Nobody".into(), &"complete".into()));
    assert_eq!((&posted["importance"], &posted["mention_problems"][0]["name"]), (&"high".into(), &"Nobody".into()));
    assert!(test_hub.post("", "Hi @Nobody").stdout.contains("! @Nobody was not resolved"));
}

#[tokio::test]
async fn a_text_argument_is_a_usage_error() {
    let test_hub = TestHub::make();
    let ran = test_hub.post("Hello", "Hello");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("reads the text from stdin"), "{}", ran.stderr);
    assert_eq!(test_hub.post("-", "Hello").code, Some(0));
}
