//! Snapshots as the hub gives them: with running answers and who is there.

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
async fn a_snapshot_shows_running_answers_to_those_who_may_read_them() {
    let world = TestHub::new().await;
    let (mara, otto) = (world.person("Mara").await, world.person("Otto").await);
    let tour = world.project(&mara, "Trip").await;
    world.join(&tour, &otto).await;
    let (open, secret) =
        (world.channel(&mara, &tour, "open").await, world.private_channel(&mara, &tour, "secret").await);
    let first = world.hub.post_message(&mara, stream(&open, "He")).await.expect("posted").message;
    let second = world.hub.post_message(&mara, stream(&secret, "")).await.expect("posted").message;
    world.hub.add_chunk(&mara, &first.id, piece("llo")).await.expect("chunk");

    let seen = world.hub.snapshot(&otto, &tour).await.expect("snapshot");
    assert_eq!(seen.streams.iter().map(|one| &one.message_id).collect::<Vec<_>>(), [&first.id]);
    assert_eq!((first.state, seen.reading[0].unread), (State::Streaming, 1));
    let seen = world.hub.snapshot(&mara, &tour).await.expect("snapshot");
    assert_eq!(seen.streams.iter().map(|one| &one.message_id).collect::<Vec<_>>(), [&first.id, &second.id]);
}

#[tokio::test]
async fn a_snapshot_contains_no_ended_streams() {
    let world = TestHub::new().await;
    let mara = world.person("Mara").await;
    let tour = world.project(&mara, "Trip").await;
    let open = world.channel(&mara, &tour, "open").await;
    let answer = world.hub.post_message(&mara, stream(&open, "He")).await.expect("posted").message;
    world.hub.complete_stream(&mara, &answer.id, Complete::default()).await.expect("complete");
    assert_eq!(world.hub.snapshot(&mara, &tour).await.expect("snapshot").streams, []);
}

#[tokio::test]
async fn a_snapshot_contains_present_members() {
    let world = TestHub::new().await;
    let (mara, otto) = (world.person("Mara").await, world.person("Otto").await);
    let tour = world.project(&mara, "Trip").await;
    world.join(&tour, &otto).await;
    world.hub.announce_presence(&otto, PresenceUpdate::default()).await.expect("there");
    let there = world.hub.snapshot(&mara, &tour).await.expect("snapshot").presence;
    assert_eq!(there.into_iter().map(|one| one.member_id).collect::<Vec<_>>(), [otto.member]);
}

#[tokio::test]
async fn a_project_that_the_caller_does_not_see_has_no_snapshot() {
    let world = TestHub::new().await;
    let (mara, otto) = (world.person("Mara").await, world.person("Otto").await);
    let tour = world.project(&mara, "Trip").await;
    assert_eq!(refused(world.hub.snapshot(&otto, &tour).await), Code::NotFound);
}
