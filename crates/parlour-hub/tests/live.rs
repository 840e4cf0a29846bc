//! Live readers over a real store: each gets every event of its audience once, in order.

mod support;

use std::sync::Arc;

use parlour_core::{
    Code,
    access::Principal,
    conversation::{ChannelPatch, Visibility},
    id::{ChannelId, ProjectId},
    limits,
    live::{GapReason, ServerFrame},
    paging::PageRequest,
    position::Position,
};
use parlour_hub::live::{Reader, Session, SessionEnd, StartPosition};
use support::{TestHub, person_id, refused};

/// A hub with a project, a channel, and a reader who is an ordinary member.
struct LiveFixture {
    test: TestHub,
    _running: tokio_util::sync::DropGuard,
    project: ProjectId,
    channel: ChannelId,
    mara: Principal,
    token: String,
}

impl LiveFixture {
    async fn new() -> Self {
        let (test, _running) = TestHub::live().await;
        let (mara, token) = test.person_with_token("Mara").await;
        let project = test.project(&test.admin, "Apollo").await;
        test.join(&project, &mara).await;
        let channel = test.channel(&test.admin, &project, "general").await;
        Self { test, _running, project, channel, mara, token }
    }

    async fn session(&self) -> Session {
        self.test.hub.open_session(&self.token).await.expect("session")
    }

    async fn follow(&self, start: StartPosition) -> (Session, Reader) {
        let session = self.session().await;
        let reader = session.subscribe(&self.project, start).await.expect("reader");
        (session, reader)
    }

    async fn post(&self, body: &str) -> Position {
        self.test.post(&self.test.admin, &self.channel, body).await.position
    }

    /// Waits until all earlier events are published.
    async fn settle(&self) {
        let end = self.end_of_log().await;
        let token = TestHub::ADMIN_TOKEN;
        let session = self.test.hub.open_session(token).await.expect("session");
        let mut reader = session.subscribe(&self.project, StartPosition::Now).await.expect("reader");
        while reader.position().offset() < end.offset() {
            reader.next().await.expect("not ended");
        }
    }

    async fn end_of_log(&self) -> Position {
        self.test.hub.snapshot(&self.mara, &self.project).await.expect("snapshot").position
    }
}

/// The next frames of a reader.
async fn next(reader: &mut Reader) -> Vec<ServerFrame> {
    let frames = reader.next().await.expect("not ended");
    frames.iter().map(|frame| serde_json::from_slice(&frame.json).expect("a frame")).collect()
}

/// The names of the frames up to and including the first one with this name.
async fn names_until(reader: &mut Reader, last: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    while names.last() != Some(&last) {
        names.extend(next(reader).await.iter().map(ServerFrame::name));
    }
    names
}

/// The bodies of the messages that the reader received until this one.
async fn bodies_until(reader: &mut Reader, last: &str) -> Vec<String> {
    let mut bodies: Vec<String> = Vec::new();
    while bodies.last().is_none_or(|body| body != last) {
        bodies.extend(next(reader).await.into_iter().filter_map(body_of));
    }
    bodies
}

fn body_of(frame: ServerFrame) -> Option<String> {
    match frame {
        ServerFrame::Event(event) => match event.change {
            parlour_core::event::Change::MessagePosted(message) => Some(message.body),
            _ => None,
        },
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_gets_events_from_its_start_on() {
    let fixture = LiveFixture::new().await;
    fixture.post("before").await;
    let (_session, mut reader) = fixture.follow(StartPosition::Now).await;
    assert_eq!(names_until(&mut reader, "live").await, ["live"]);
    let position = fixture.post("hello").await;
    assert_eq!(bodies_until(&mut reader, "hello").await, ["hello"]);
    assert_eq!(reader.position(), position);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_resumes_from_its_position() {
    let fixture = LiveFixture::new().await;
    let position = fixture.post("known").await;
    for body in ["a", "b", "c"] {
        fixture.post(body).await;
    }
    let (_session, mut reader) = fixture.follow(StartPosition::After(position)).await;
    assert_eq!(bodies_until(&mut reader, "c").await, ["a", "b", "c"]);
    fixture.post("d").await;
    assert_eq!(bodies_until(&mut reader, "d").await, ["d"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_snapshot_and_later_events_have_no_gap() {
    let fixture = Arc::new(LiveFixture::new().await);
    let poster = Arc::clone(&fixture);
    let posting = tokio::spawn(async move {
        for number in 1..=200 {
            poster.post(&number.to_string()).await;
        }
    });
    let snapshot = fixture.test.hub.snapshot(&fixture.mara, &fixture.project).await.expect("snapshot");
    let held = snapshot.reading.iter().map(|one| one.last_seq).sum::<u64>();
    let (_session, mut reader) = fixture.follow(StartPosition::After(snapshot.position)).await;
    let received = bodies_until(&mut reader, "200").await;
    posting.await.expect("posted");
    let expected: Vec<String> = (held + 1..=200).map(|number| number.to_string()).collect();
    assert_eq!(received, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_joins_during_writes_gets_each_event_once_and_in_order() {
    let fixture = Arc::new(LiveFixture::new().await);
    let start = fixture.end_of_log().await;
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let fixture = Arc::clone(&fixture);
            tokio::spawn(async move {
                for _ in 0..100 {
                    fixture.post("x").await;
                }
            })
        })
        .collect();
    let readers: Vec<_> = (0..8)
        .map(|_| {
            let (fixture, start) = (Arc::clone(&fixture), start.clone());
            tokio::spawn(async move {
                let (_session, mut reader) = fixture.follow(StartPosition::After(start.clone())).await;
                let mut offsets = Vec::new();
                while offsets.len() < 400 {
                    let frames = reader.next().await.expect("not ended");
                    offsets.extend(frames.into_iter().filter_map(|frame| frame.offset));
                }
                assert_eq!(offsets, (start.offset() + 1..=start.offset() + 400).collect::<Vec<_>>());
            })
        })
        .collect();
    for task in writers.into_iter().chain(readers) {
        task.await.expect("no hole and no double");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_position_that_cannot_be_resumed_is_reported_as_a_gap() {
    let fixture = LiveFixture::new().await;
    let end = fixture.post("last").await;
    let ahead = Position::new(end.epoch(), end.offset() + 1).expect("position");
    let foreign = Position::new("another", 1).expect("position");
    for (position, reason) in [(ahead, GapReason::Ahead), (foreign, GapReason::Epoch)] {
        let (_session, mut reader) = fixture.follow(StartPosition::After(position)).await;
        let frames = next(&mut reader).await;
        let [ServerFrame::Gap(gap)] = frames.as_slice() else { panic!("{frames:?}") };
        assert_eq!((gap.reason, &gap.position), (reason, &end));
        assert_eq!(names_until(&mut reader, "live").await, ["live"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_members_get_events_of_a_private_channel_live_and_on_resume() {
    let fixture = LiveFixture::new().await;
    let start = fixture.end_of_log().await;
    let (_session, mut reader) = fixture.follow(StartPosition::Now).await;
    names_until(&mut reader, "live").await;
    let secret = fixture.test.private_channel(&fixture.test.admin, &fixture.project, "secret").await;
    fixture.test.post(&fixture.test.admin, &secret, "hush").await;
    fixture.post("all").await;
    assert_eq!(names_until(&mut reader, "messaging.posted").await, ["messaging.posted"]);
    let (_session, mut late) = fixture.follow(StartPosition::After(start)).await;
    assert_eq!(bodies_until(&mut late, "all").await, ["all"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_channel_member_gets_its_removal_and_no_later_events() {
    let fixture = LiveFixture::new().await;
    let (admin, hub) = (&fixture.test.admin, &fixture.test.hub);
    let secret = fixture.test.private_channel(admin, &fixture.project, "secret").await;
    let (_session, mut reader) = fixture.follow(StartPosition::Now).await;
    names_until(&mut reader, "live").await;
    hub.add_channel_member(admin, &secret, &fixture.mara.member).await.expect("added");
    fixture.test.post(admin, &secret, "for members").await;
    let received = names_until(&mut reader, "messaging.posted").await;
    assert_eq!(received, ["channels.member_added", "messaging.posted"]);
    fixture.test.post(admin, &secret, "too late to be taken").await;
    hub.remove_channel_member(admin, &secret, &fixture.mara.member).await.expect("removed");
    fixture.test.post(admin, &secret, "hush").await;
    fixture.post("all").await;
    fixture.settle().await;
    let received = names_until(&mut reader, "messaging.posted").await;
    assert_eq!(received, ["channels.member_removed", "messaging.posted"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_channel_that_becomes_private_sends_no_more_events_to_non_members() {
    let fixture = LiveFixture::new().await;
    let (admin, hub) = (&fixture.test.admin, &fixture.test.hub);
    let (_session, mut reader) = fixture.follow(StartPosition::Now).await;
    names_until(&mut reader, "live").await;
    let patch = |visibility| ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
    hub.update_channel(admin, &fixture.channel, patch(Visibility::Private)).await.expect("closed");
    fixture.post("hush").await;
    let other = fixture.test.channel(admin, &fixture.project, "other").await;
    assert_eq!(names_until(&mut reader, "channels.created").await, ["channels.closed", "channels.created"]);
    hub.update_channel(admin, &fixture.channel, patch(Visibility::Project)).await.expect("opened");
    fixture.test.post(admin, &other, "all").await;
    assert_eq!(names_until(&mut reader, "messaging.posted").await, ["channels.opened", "messaging.posted"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn read_positions_are_sent_to_their_member_only() {
    let fixture = LiveFixture::new().await;
    let message = fixture.test.post(&fixture.test.admin, &fixture.channel, "read me").await.message;
    let (_session, mut reader) = fixture.follow(StartPosition::Now).await;
    names_until(&mut reader, "live").await;
    let noah = fixture.test.person("Noah").await;
    fixture.test.join(&fixture.project, &noah).await;
    fixture.test.hub.mark_read(&noah, &message.id, None).await.expect("read");
    fixture.test.hub.mark_read(&fixture.mara, &message.id, None).await.expect("read");
    assert_eq!(names_until(&mut reader, "messaging.read").await, ["projects.person_added", "messaging.read"]);
    assert_eq!(reader.position(), fixture.end_of_log().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_of_a_removed_project_member_end() {
    let fixture = LiveFixture::new().await;
    let (session, mut reader) = fixture.follow(StartPosition::Now).await;
    names_until(&mut reader, "live").await;
    let person = person_id(&fixture.mara);
    fixture.test.hub.remove_project_person(&fixture.test.admin, &fixture.project, &person).await.expect("removed");
    assert_eq!(session.ended().await, SessionEnd::AccessEnded);
    let again = fixture.session().await.subscribe(&fixture.project, StartPosition::Now).await;
    assert_eq!(refused(again.map(|_| ())), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replaced_token_ends_all_sessions_of_its_member() {
    let fixture = LiveFixture::new().await;
    let (session, idle) = (fixture.session().await, fixture.session().await);
    let _reader = session.subscribe(&fixture.project, StartPosition::Now).await.expect("reader");
    fixture.test.hub.renew_person_token(&fixture.test.admin, &person_id(&fixture.mara)).await.expect("renewed");
    assert_eq!((session.ended().await, idle.ended().await), (SessionEnd::SignedOut, SessionEnd::SignedOut));
    assert_eq!(refused(fixture.test.hub.open_session(&fixture.token).await.map(|_| ())), Code::Unauthenticated);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_is_disconnected_and_resumes_without_loss() {
    let fixture = LiveFixture::new().await;
    let (_session, mut slow) = fixture.follow(StartPosition::Now).await;
    names_until(&mut slow, "live").await;
    let known = slow.position();
    let body = "x".repeat(limits::MESSAGE_BODY_BYTES_MAX / 2);
    let count = limits::FEED_BYTES_MAX / body.len() + 2;
    let mut last = known.clone();
    for _ in 0..count {
        last = fixture.post(&body).await;
    }
    // The feed drops the first of them when the last one is appended.
    let (_other, mut other) = fixture.follow(StartPosition::After(known.clone())).await;
    while other.position() != last {
        next(&mut other).await;
    }
    assert_eq!(slow.next().await.expect_err("too slow"), SessionEnd::TooSlow);
    assert_eq!(slow.position(), known);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_duplicate_and_too_many_subscriptions_are_refused() {
    let fixture = LiveFixture::new().await;
    let session = fixture.session().await;
    let foreign = fixture.test.project(&fixture.test.admin, "Foreign").await;
    let refusal = |outcome: Result<Reader, parlour_hub::Failure>| refused(outcome.map(|_| ()));
    assert_eq!(refusal(session.subscribe(&foreign, StartPosition::Now).await), Code::NotFound);
    let first = session.subscribe(&fixture.project, StartPosition::Now).await.expect("first");
    assert_eq!(refusal(session.subscribe(&fixture.project, StartPosition::Now).await), Code::WrongShape);
    drop(first);
    let mut readers = Vec::new();
    for number in 0..limits::LIVE_SUBSCRIPTIONS_MAX {
        let project = fixture.test.project(&fixture.mara, &format!("Project {number}")).await;
        readers.push(session.subscribe(&project, StartPosition::Now).await.expect("room"));
    }
    assert_eq!(refusal(session.subscribe(&fixture.project, StartPosition::Now).await), Code::Full);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_ends_all_sessions() {
    let fixture = LiveFixture::new().await;
    let (session, mut reader) = fixture.follow(StartPosition::Now).await;
    names_until(&mut reader, "live").await;
    drop(fixture._running);
    assert_eq!(session.ended().await, SessionEnd::Stopping);
    assert_eq!(reader.next().await.expect_err("ended"), SessionEnd::Stopping);
    let projects = fixture.test.hub.projects(&fixture.mara, &PageRequest::first()).await;
    assert!(projects.is_ok(), "the hub still answers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_concurrent_sessions_are_opened() {
    let fixture = Arc::new(LiveFixture::new().await);
    let position = fixture.post("last").await;
    let count = limits::STORE_QUEUE_LEN_MAX + 1_000;
    // A hub with empty caches reads the store for each of them.
    let hub = Arc::new(fixture.test.forgetful());
    let stop = tokio_util::sync::CancellationToken::new();
    let _running = stop.clone().drop_guard();
    tokio::spawn(Arc::clone(&hub).drive(stop));
    let coming = (0..count).map(|_| {
        let (hub, fixture, position) = (Arc::clone(&hub), Arc::clone(&fixture), position.clone());
        tokio::spawn(async move {
            let session = hub.open_session(&fixture.token).await.expect("a session");
            let mut reader =
                session.subscribe(&fixture.project, StartPosition::After(position)).await.expect("a reader");
            reader.next().await.expect("live")
        })
    });
    for come in coming.collect::<Vec<_>>() {
        assert_eq!(come.await.expect("no panic").last().map(|frame| frame.name), Some("live"));
    }
}
