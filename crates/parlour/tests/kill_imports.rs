//! The hub dies at each step of a write while messages are taken over. The same calls again bring everything in once,
//! and in order.

mod support;

use std::{os::unix::process::ExitStatusExt, path::Path};

use parlour_agent::{Client, HistoryRange, Retry};
use parlour_core::{
    id::ChannelId,
    import::{ImportMessages, ImportOutcome},
    limits,
};
use serde_json::{Value, json};
use support::{Hub, TOKEN};

/// Messages in one call.
const BATCH: usize = 9;
/// The steps of a group of writes, in order.
const STEPS: [&str; 3] = ["after_job", "before_commit", "after_commit_before_answer"];
/// How often a step is reached until the hub dies at it; a hub writes a few times by itself before it is ready.
const TIMES: [usize; 2] = [6, 11];
/// How a process ends that aborts.
const SIGABRT: i32 = 6;

/// The call with this number; the same each time it is asked for.
fn batch(channel: &ChannelId, number: usize) -> ImportMessages {
    let message = |place: usize| -> Value {
        json!({
            "id": format!("msg_moved-{number}-{place}"),
            "from": {"type": "agent", "id": "pynchy:7", "name": "Old Coder"},
            "kind": "assistant",
            "body": text(number, place),
            "created_at": "2020-01-01T00:00:00Z",
        })
    };
    let messages: Vec<Value> = (0..BATCH).map(message).collect();
    serde_json::from_value(json!({"channel_id": channel, "messages": messages})).expect("a request")
}

fn text(number: usize, place: usize) -> String {
    format!("message {place} of call {number}")
}

fn client(hub: &Hub) -> Client {
    Client::new(&hub.url, Some(&hub.token)).expect("a client").with_retry(Retry::NEVER)
}

fn make_channel(folder: &Path) -> ChannelId {
    let hub = Hub::start(folder);
    hub.json("project create Moved");
    hub.json("channel create old --project Moved")["id"].as_str().expect("an id").parse().expect("an id")
}

/// Takes over one batch after another until the hub dies at this step, and answers the first that was not acknowledged.
async fn import_until_death(folder: &Path, channel: &ChannelId, first: usize, failpoint: String) -> usize {
    let mut hub = Hub::start_with(folder, |command| {
        command.env("PARLOUR_ADMIN_TOKEN", TOKEN).env("PARLOUR_FAILPOINT", &failpoint)
    });
    let client = client(&hub);
    let mut next = first;
    while client.import(&batch(channel, next)).await.is_ok() {
        next += 1;
    }
    let status = tokio::task::block_in_place(|| hub.wait());
    assert_eq!(status.signal(), Some(SIGABRT), "{failpoint}: {}", hub.log());
    next
}

/// All that stands in the channel, oldest first.
async fn texts(client: &Client, channel: &ChannelId) -> Vec<String> {
    let limit = Some(limits::PAGE_ITEMS_MAX);
    let mut range = HistoryRange { since: Some("0".into()), limit, ..HistoryRange::default() };
    let mut texts = Vec::new();
    loop {
        let page = client.history(&channel.clone().into(), &range).await.expect("a page");
        texts.extend(page.items.into_iter().map(|message| message.body));
        let Some(cursor) = page.next else { return texts };
        range = HistoryRange { cursor: Some(cursor), limit, ..HistoryRange::default() };
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn imported_messages_are_stored_once_and_in_order_after_any_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let channel = make_channel(folder.path());
    let mut next = 0;
    for (step, times) in STEPS.iter().flat_map(|step| TIMES.map(|times| (step, times))) {
        next = import_until_death(folder.path(), &channel, next, format!("{step}:{times}")).await;
    }
    let hub = Hub::start(folder.path());
    let client = client(&hub);
    for number in 0..=next {
        let ImportOutcome { stored, known } = client.import(&batch(&channel, number)).await.expect("taken over");
        assert_eq!(stored + known, BATCH as u64);
        assert!(number == next || stored == 0, "call {number} was acknowledged");
    }
    let expected = (0..=next).flat_map(|number| (0..BATCH).map(move |place| text(number, place)));
    assert_eq!(texts(&client, &channel).await, expected.collect::<Vec<_>>());
    assert!(next >= STEPS.len(), "too little was taken over to show anything");
}
