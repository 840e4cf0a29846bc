//! Snapshots of the hub: open streams and presence.

mod support;

use parlour_core::{
    Code,
    id::ChannelId,
    live::{AddChunk, Complete},
    message::State,
    post::PostMessage,
    presence::PresenceUpdate,
};
use support::{TestHub, refused, say};

fn stream(channel: &ChannelId, body: &str) -> PostMessage {
    PostMessage { stream: true, ..say(channel, body) }
}

fn piece(text: &str) -> AddChunk {
    AddChunk { start: None, text: text.into() }
}

#[tokio::test]
async fn a_snapshot_contains_open_streams_of_readable_conversations() {
    let test = TestHub::new().await;
    let (mara, otto) = (test.person("Mara").await, test.person("Otto").await);
    let tour = test.project(&mara, "Trip").await;
    test.join(&tour, &otto).await;
    let (open, secret) = (test.channel(&mara, &tour, "open").await, test.private_channel(&mara, &tour, "secret").await);
    let first = test.hub.post_message(&mara, stream(&open, "He")).await.expect("posted").message;
    let second = test.hub.post_message(&mara, stream(&secret, "")).await.expect("posted").message;
    test.hub.add_chunk(&mara, &first.id, piece("llo")).await.expect("chunk");

    let seen = test.hub.snapshot(&otto, &tour).await.expect("snapshot");
    assert_eq!(seen.streams.iter().map(|one| &one.message_id).collect::<Vec<_>>(), [&first.id]);
    assert_eq!((first.state, seen.reading[0].unread), (State::Streaming, 1));
    let seen = test.hub.snapshot(&mara, &tour).await.expect("snapshot");
    assert_eq!(seen.streams.iter().map(|one| &one.message_id).collect::<Vec<_>>(), [&first.id, &second.id]);
}

#[tokio::test]
async fn a_snapshot_contains_no_ended_streams() {
    let test = TestHub::new().await;
    let mara = test.person("Mara").await;
    let tour = test.project(&mara, "Trip").await;
    let open = test.channel(&mara, &tour, "open").await;
    let answer = test.hub.post_message(&mara, stream(&open, "He")).await.expect("posted").message;
    test.hub.complete_stream(&mara, &answer.id, Complete::default()).await.expect("complete");
    assert_eq!(test.hub.snapshot(&mara, &tour).await.expect("snapshot").streams, []);
}

#[tokio::test]
async fn a_snapshot_contains_present_members() {
    let test = TestHub::new().await;
    let (mara, otto) = (test.person("Mara").await, test.person("Otto").await);
    let tour = test.project(&mara, "Trip").await;
    test.join(&tour, &otto).await;
    test.hub.announce_presence(&otto, PresenceUpdate::default()).await.expect("announced");
    let presence = test.hub.snapshot(&mara, &tour).await.expect("snapshot").presence;
    assert_eq!(presence.into_iter().map(|one| one.member_id).collect::<Vec<_>>(), [otto.member]);
}

#[tokio::test]
async fn the_snapshot_of_an_invisible_project_is_not_found() {
    let test = TestHub::new().await;
    let (mara, otto) = (test.person("Mara").await, test.person("Otto").await);
    let tour = test.project(&mara, "Trip").await;
    assert_eq!(refused(test.hub.snapshot(&otto, &tour).await), Code::NotFound);
}
