//! `parlour tail` against a real hub: what it shows, what it bridges, and how it ends.

#![allow(clippy::panic, reason = "these are tests")]

mod support;

use std::{path::Path, time::Duration};

use parlour_agent::{Client, Outbox, PendingPost, live::Backoff};
use parlour_core::{
    id::{ChannelId, ConversationId},
    position::Position,
    post::PostMessage,
};
use serde_json::Value;
use support::{Hub, running::RunningProcess, transcript::words};
use tempfile::TempDir;

/// A hub with a project of its own, so that its log holds only what the test does.
fn hub_with_project() -> (TempDir, Hub) {
    let folder = tempfile::tempdir().expect("a folder");
    let hub = Hub::start(folder.path());
    hub.json("project create Load");
    hub.json("channel create general --project Load");
    (folder, hub)
}

/// Starts a tail of that project.
fn tail(hub: &Hub, line: &str) -> RunningProcess {
    RunningProcess::start(hub.command().args(["tail", "--project", "Load"]).args(words(line)))
}

fn post(hub: &Hub, text: &str) -> String {
    let posted = hub.json(&format!("post general '{text}' --project Load"));
    posted["position"].as_str().expect("a position").to_owned()
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).expect("one JSON object in one line")
}

/// Stops a tail with Ctrl+C and answers the position that it names.
fn stop(tail: RunningProcess) -> String {
    tail.interrupt();
    let (code, _, stderr) = tail.finish();
    assert_eq!(code, Some(0), "{stderr}");
    stderr.trim_end().rsplit_once("parlour tail --since ").expect("where to go on").1.to_owned()
}

#[test]
fn a_tail_prints_events_as_text() {
    let (_folder, hub) = hub_with_project();
    let tail = tail(&hub, "");
    assert!(tail.note().starts_with("Following Load after "));
    post(&hub, "Hello");
    assert!(tail.line().ends_with("  #general  Admin  Hello"));
    hub.json("agent create Coder --project Load");
    assert!(tail.line().ends_with("  Admin added the agent Coder"));
    support::run(hub.command().args(["post", "general", "--stream", "--project", "Load"]), "one\ntwo\n");
    assert!(tail.line().contains("  #general  Admin is writing msg_"));
    assert!(tail.line().ends_with("  #general  Admin  one"));
    assert_eq!(tail.line(), "    two");
    stop(tail);
}

#[test]
fn a_tail_continues_after_a_position() {
    let (_folder, hub) = hub_with_project();
    let first = tail(&hub, "--json");
    first.note();
    post(&hub, "seen");
    assert_eq!(json(&first.line())["data"]["body"], "seen");
    let position = stop(first);
    let missed = post(&hub, "missed");
    let second = tail(&hub, &format!("--json --since {position}"));
    let event = json(&second.line());
    assert_eq!((&event["type"], &event["name"]), (&"event".into(), &"messaging.posted".into()));
    assert_eq!((&event["data"]["body"], &event["position"]), (&"missed".into(), &missed.as_str().into()));
    assert_eq!(stop(second), missed);
}

#[test]
fn a_tail_from_the_start_prints_the_whole_log() {
    let (_folder, hub) = hub_with_project();
    let last = post(&hub, "Hello");
    let tail = tail(&hub, "--json --since start");
    let events: Vec<_> = (0..3).map(|_| json(&tail.line())).collect();
    let names: Vec<_> = events.iter().map(|event| event["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["projects.created", "channels.created", "messaging.posted"]);
    assert_eq!(stop(tail), last);
}

#[test]
fn a_position_of_another_log_is_reported_as_a_gap() {
    let (_folder, hub) = hub_with_project();
    let tail = tail(&hub, "--json --since OTHER-7");
    let gap = json(&tail.line());
    assert_eq!((&gap["type"], &gap["reason"]), (&"gap".into(), &"epoch".into()));
    assert!(tail.note().starts_with("Events are missing: the log was recreated"));
    assert_eq!(stop(tail), gap["position"].as_str().expect("a position"));
}

#[test]
fn a_tail_of_one_channel_shows_its_threads_and_nothing_else() {
    let (_folder, hub) = hub_with_project();
    hub.json("channel create noise --project Load");
    let tail = tail(&hub, "--json --channel general");
    tail.note();
    hub.json("post noise 'not here' --project Load");
    hub.json("agent create Coder --project Load");
    post(&hub, "here");
    let root = json(&tail.line())["data"]["id"].as_str().expect("an id").to_owned();
    open_thread(&hub, &root);
    let thread = json(&tail.line());
    assert_eq!(thread["name"], "messaging.thread_created");
    hub.json(&format!("post {} 'here too'", thread["data"]["id"].as_str().expect("an id")));
    assert_eq!(json(&tail.line())["data"]["body"], "here too");
    stop(tail);
}

#[test]
fn a_tail_of_a_removed_member_ends_with_a_reason() {
    let (_folder, hub) = hub_with_project();
    let mara = hub.json("person create Mara");
    let id = mara["id"].as_str().expect("an id");
    hub.json("project invite Mara --project Load");
    let mut command = hub.command();
    let tail =
        RunningProcess::start(command.env("PARLOUR_TOKEN", mara["token"].as_str().expect("a token")).arg("tail"));
    tail.note();
    let project = hub.json("project show --project Load")["id"].as_str().expect("an id").to_owned();
    remove_person(&hub, &project, id);
    let (code, _, stderr) = tail.finish();
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("parlour: access to Load has ended") && stderr.contains("try: ask"), "{stderr}");
}

/// There is no command for this.
#[tokio::main(flavor = "current_thread")]
async fn remove_person(hub: &Hub, project: &str, person: &str) {
    let (project, person) = (project.parse().expect("id"), person.parse().expect("id"));
    client(hub).remove_project_person(&project, &person).await.expect("removed");
}

/// Nor for this.
#[tokio::main(flavor = "current_thread")]
async fn open_thread(hub: &Hub, message: &str) {
    let message = client(hub).message(&message.parse().expect("id")).await.expect("a message");
    let ConversationId::Channel(channel) = message.to else { panic!("it stands in a channel") };
    client(hub).open_thread(&channel, &message.id).await.expect("opened");
}

fn client(hub: &Hub) -> Client {
    Client::new(&hub.url, Some(&hub.token)).expect("a client")
}

#[test]
fn a_replaced_token_ends_a_tail_with_a_hint() {
    let (_folder, hub) = hub_with_project();
    let agent = hub.json("agent create Coder --project Load");
    let mut command = hub.command();
    let tail =
        RunningProcess::start(command.env("PARLOUR_TOKEN", agent["token"].as_str().expect("a token")).arg("tail"));
    tail.note();
    hub.json("agent token Coder --project Load");
    let (code, _, stderr) = tail.finish();
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("PARLOUR-A01") && stderr.contains("PARLOUR_TOKEN"), "{stderr}");
}

#[test]
fn a_closed_pipe_ends_a_tail_quietly() {
    let (_folder, hub) = hub_with_project();
    let mut tail = RunningProcess::start_unread(hub.command().args(["tail", "--project", "Load"]));
    tail.note();
    tail.close_stdout();
    post(&hub, "nobody reads this");
    assert_eq!(tail.finish(), (Some(0), String::new(), String::new()));
}

#[test]
fn a_tail_without_a_hub_fails_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = support::run(
        support::parlour(folder.path()).args(["tail", "--url", "http://127.0.0.1:9"]).env("PARLOUR_TOKEN", "x"),
        "",
    );
    assert_eq!(run.code, Some(5));
    assert!(run.stderr.contains("no hub answers"), "{}", run.stderr);
}

/// Posts of each life of the hub, and how many are acknowledged before it is killed.
const POSTS: usize = 120;
const ACKS_BEFORE_KILL: [usize; 4] = [20, 0, 45, 7];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tail_prints_each_event_once_despite_kills_of_the_hub() {
    let (folder, hub) = hub_with_project();
    let tail = tail(&hub, "--json --since start");
    let channel =
        json(&tail_line_named(&tail, "channels.created"))["data"]["id"].as_str().expect("id").parse().expect("id");
    let (acked, _hub) = post_through_kills(folder.path(), hub, &channel).await;
    let mut seen: Vec<(String, u64)> = Vec::new();
    while seen.len() < acked.len() {
        let event = json(&tail_line_named(&tail, "messaging.posted"));
        let position: Position = event["position"].as_str().expect("a position").parse().expect("a position");
        seen.push((event["data"]["id"].as_str().expect("an id").to_owned(), position.offset()));
    }
    assert!(seen.is_sorted_by(|earlier, later| earlier.1 < later.1), "{seen:?}");
    assert_eq!(seen, acked, "every acknowledged message once, in the order of the log");
    tail.interrupt();
    let (code, rest, _) = tail.finish();
    assert_eq!((code, rest.as_str()), (Some(0), ""));
}

/// The next line with an event of this name; a gap is a failure here.
fn tail_line_named(tail: &RunningProcess, name: &str) -> String {
    loop {
        let line = tail.line();
        assert_eq!(json(&line)["type"], "event", "{line}");
        if json(&line)["name"] == name {
            return line;
        }
    }
}

/// Posts while the hub is killed several times; answers ids and offsets of all, by offset.
async fn post_through_kills(folder: &Path, hub: Hub, channel: &ChannelId) -> (Vec<(String, u64)>, Hub) {
    let url = hub.url.clone();
    let client = client(&hub);
    let quick = Backoff::new(Duration::from_millis(20), Duration::from_millis(100), Duration::from_secs(1));
    let outbox = Outbox::with_backoff(&client, quick);
    let mut acked = Vec::new();
    let mut hub = hub;
    for acks in ACKS_BEFORE_KILL {
        let sendings = post_many(&outbox, channel);
        let (before, after) = sendings.into_iter().enumerate().partition::<Vec<_>, _>(|(at, _)| *at < acks);
        acked.extend(outcomes(before).await);
        hub.kill();
        hub = Hub::start_again(folder, &url);
        acked.extend(outcomes(after).await);
    }
    acked.sort_by_key(|(_, offset)| *offset);
    (acked, hub)
}

fn post_many(outbox: &Outbox, channel: &ChannelId) -> Vec<PendingPost> {
    let request = |number| PostMessage {
        channel_id: Some(channel.clone()),
        body: format!("number {number}"),
        ..PostMessage::default()
    };
    (0..POSTS).map(|number| outbox.post(request(number)).expect("room")).collect()
}

async fn outcomes(sendings: Vec<(usize, PendingPost)>) -> Vec<(String, u64)> {
    let mut acked = Vec::new();
    for (_, sending) in sendings {
        let posted = sending.outcome().await.expect("an outcome").expect("posted");
        acked.push((posted.message.id.to_string(), posted.position.offset()));
    }
    acked
}
