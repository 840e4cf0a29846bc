//! Readers with `events_only`, as programs use that wait for calls.

mod support;

use std::collections::BTreeSet;

use parlour_core::{
    access::Principal,
    id::{ChannelId, ConversationId, MessageId, ProjectId},
    limits,
    live::{AddChunk, Complete, GapReason, ServerFrame},
    position::Position,
    post::PostMessage,
    presence::PresenceUpdate,
    step::StartStep,
};
use parlour_hub::live::{FrameFilter, Reader, Session, SessionEnd, StartPosition};
use support::{TestHub, say};
use tokio_util::sync::DropGuard;

/// A running hub with a project of Mara, a channel, and the agent Coder that writes answers.
struct EventsFixture {
    test: TestHub,
    _running: DropGuard,
    project: ProjectId,
    channel: ChannelId,
    mara: Principal,
    token: String,
    coder: Principal,
}

impl EventsFixture {
    async fn new() -> Self {
        let (test, _running) = TestHub::live().await;
        let (mara, token) = test.person_with_token("Mara").await;
        let project = test.project(&mara, "Apollo").await;
        let channel = test.channel(&mara, &project, "general").await;
        let coder = test.agent(&project, "Coder").await;
        Self { test, _running, project, channel, mara, token, coder }
    }

    async fn follow(&self, start: StartPosition, interest: FrameFilter) -> (Session, Reader) {
        let session = self.test.hub.open_session(&self.token).await.expect("session");
        let reader = session.subscribe(&self.project, start).await.expect("reader");
        (session, reader.with_interest(interest))
    }

    async fn follow_events(&self, start: StartPosition) -> (Session, Reader) {
        self.follow(start, FrameFilter::Events).await
    }

    /// Starts a stream and waits until it is published: a later reader gets its text and steps in one frame.
    async fn begin(&self) -> MessageId {
        let (_session, mut reader) = self.follow(StartPosition::Now, FrameFilter::Everything).await;
        names_until(&mut reader, "live").await;
        let request = PostMessage { stream: true, ..say(&self.channel, "") };
        let id = self.test.hub.post_message(&self.coder, request).await.expect("begun").message.id;
        names_until(&mut reader, "messaging.posted").await;
        id
    }

    async fn add(&self, id: &MessageId, text: &str) {
        let chunk = AddChunk { start: None, text: text.into() };
        self.test.hub.add_chunk(&self.coder, id, chunk).await.expect("added");
    }

    async fn complete(&self, id: &MessageId) -> Position {
        self.test.hub.complete_stream(&self.coder, id, Complete::default()).await.expect("complete").position
    }

    /// Produces every kind of ephemeral frame: presence, typing, a step and a chunk.
    async fn send_ephemeral_frames(&self, id: &MessageId) {
        let hub = &self.test.hub;
        hub.announce_presence(&self.mara, PresenceUpdate::default()).await.expect("present");
        hub.note_typing(&self.mara, &ConversationId::from(self.channel.clone())).await.expect("typing");
        let step = StartStep { id: "s1".into(), name: "search".into(), input: None };
        hub.start_step(&self.coder, id, step).await.expect("step");
        self.add(id, "word ").await;
        self.test.clock.advance(u32::try_from(limits::PRESENCE_WINDOW_MS).expect("small"));
    }

    async fn post(&self, body: &str) -> Position {
        self.test.post(&self.mara, &self.channel, body).await.position
    }
}

/// The names of the frames up to and including the first one with this name.
async fn names_until(reader: &mut Reader, last: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    while names.last() != Some(&last) {
        names.extend(reader.next().await.expect("not ended").into_iter().map(|frame| frame.name));
    }
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_events_only_reader_gets_no_ephemeral_frames() {
    let fixture = EventsFixture::new().await;
    let (_other, mut everything) = fixture.follow(StartPosition::Now, FrameFilter::Everything).await;
    names_until(&mut everything, "live").await;
    let (_session, mut events) = fixture.follow_events(StartPosition::Now).await;
    assert_eq!(names_until(&mut events, "live").await, ["live"]);
    let answer = fixture.begin().await;
    fixture.send_ephemeral_frames(&answer).await;
    let mut missing = BTreeSet::from(["step_started", "chunk", "presence", "typing"]);
    while !missing.is_empty() {
        let frames = everything.next().await.expect("an ordinary reader gets all frames");
        missing.retain(|name| frames.iter().all(|frame| frame.name != *name));
    }
    let position = fixture.complete(&answer).await;
    assert_eq!(names_until(&mut events, "messaging.finished").await, ["messaging.posted", "messaging.finished"]);
    assert_eq!(events.position(), position);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_events_only_reader_that_joins_during_a_stream_gets_no_stream_frame() {
    let fixture = EventsFixture::new().await;
    let before = fixture.post("before").await;
    let answer = fixture.begin().await;
    fixture.add(&answer, "so far").await;
    let (_other, mut everything) = fixture.follow(StartPosition::After(before.clone()), FrameFilter::Everything).await;
    assert_eq!(names_until(&mut everything, "stream").await, ["messaging.posted", "live", "stream"]);
    let (_session, mut events) = fixture.follow_events(StartPosition::After(before)).await;
    assert_eq!(names_until(&mut events, "live").await, ["messaging.posted", "live"]);
    fixture.complete(&answer).await;
    assert_eq!(names_until(&mut events, "messaging.finished").await, ["messaging.finished"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_events_only_reader_gets_every_event_once() {
    let fixture = EventsFixture::new().await;
    let start = fixture.post("known").await;
    let (_session, mut events) = fixture.follow_events(StartPosition::After(start.clone())).await;
    let answer = fixture.begin().await;
    let mut end = start.clone();
    for number in 0..50 {
        fixture.add(&answer, "more ").await;
        fixture.test.clock.advance(200);
        end = fixture.post(&number.to_string()).await;
    }
    let mut offsets = Vec::new();
    while offsets.last() != Some(&end.offset()) {
        let frames = events.next().await.expect("not ended");
        offsets.extend(frames.into_iter().filter_map(|frame| frame.offset));
    }
    assert_eq!(offsets, (start.offset() + 1..=end.offset()).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_events_only_reader_gets_gap_frames() {
    let fixture = EventsFixture::new().await;
    fixture.post("last").await;
    let foreign = Position::new("another", 1).expect("position");
    let (_session, mut events) = fixture.follow_events(StartPosition::After(foreign)).await;
    let frames = events.next().await.expect("not ended");
    let ServerFrame::Gap(gap) = serde_json::from_slice(&frames[0].json).expect("a frame") else { panic!("{frames:?}") };
    assert_eq!((frames.len(), gap.reason), (1, GapReason::Epoch));
    assert_eq!(names_until(&mut events, "live").await, ["live"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_for_others_advance_the_position_and_are_not_sent() {
    let fixture = EventsFixture::new().await;
    let (_session, mut events) = fixture.follow_events(StartPosition::Now).await;
    names_until(&mut events, "live").await;
    let secret = fixture.test.private_channel(&fixture.test.admin, &fixture.project, "secret").await;
    fixture.test.post(&fixture.test.admin, &secret, "hush").await;
    let position = fixture.post("all").await;
    assert_eq!(names_until(&mut events, "messaging.posted").await, ["messaging.posted"]);
    assert_eq!(events.position(), position);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_events_only_reader_ends_when_the_hub_stops() {
    let fixture = EventsFixture::new().await;
    let (_session, mut events) = fixture.follow_events(StartPosition::Now).await;
    names_until(&mut events, "live").await;
    let waiting = tokio::spawn(async move { events.next().await });
    drop(fixture._running);
    assert_eq!(waiting.await.expect("no panic"), Err(SessionEnd::Stopping));
}
