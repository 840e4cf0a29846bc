//! Property over the whole hub: a snapshot plus the frames of a live session equals the next snapshot.

mod support;

use parlour_core::{
    access::Principal,
    conversation::{ChannelPatch, Visibility},
    event::Event,
    id::{ChannelId, ProjectId, ThreadId},
    live::{Complete, ServerFrame},
    post::PostMessage,
    snapshot::{Snapshot, SnapshotUpdate},
    task::TaskStatus,
};
use parlour_hub::{
    live::{Reader, Session, StartPosition},
    use_cases::{NewTask, OpenThread},
};
use support::{TestHub, say};
use tokio_util::sync::DropGuard;

/// A project with an open and a private channel; Mara reads, and only the administrator is in the private one.
struct SnapshotFixture {
    test: TestHub,
    _running: DropGuard,
    project: ProjectId,
    open: ChannelId,
    private: ChannelId,
    mara: Principal,
    token: String,
}

impl SnapshotFixture {
    async fn new() -> Self {
        let (test, _running) = TestHub::live().await;
        let (mara, token) = test.person_with_token("Mara").await;
        let project = test.project(&test.admin, "Apollo").await;
        test.join(&project, &mara).await;
        let open = test.channel(&test.admin, &project, "open").await;
        let private = test.private_channel(&test.admin, &project, "private").await;
        Self { test, _running, project, open, private, mara, token }
    }

    async fn snapshot(&self) -> Snapshot {
        self.test.hub.snapshot(&self.mara, &self.project).await.expect("snapshot")
    }

    /// Mara's session from this snapshot on.
    async fn follow(&self, snapshot: &Snapshot) -> (Session, Reader) {
        let session = self.test.hub.open_session(&self.token).await.expect("session");
        let start = StartPosition::After(snapshot.position.clone());
        let reader = session.subscribe(&self.project, start).await.expect("reader");
        (session, reader)
    }

    async fn thread(&self, channel: &ChannelId) -> ThreadId {
        let root = self.test.post(&self.test.admin, channel, "root").await.message;
        let request = OpenThread { channel_id: channel.clone(), root_message_id: root.id };
        self.test.hub.open_thread(&self.test.admin, request).await.expect("thread").0.id
    }

    async fn task(&self, thread: ThreadId) {
        let request = NewTask {
            project_id: self.project.clone(),
            title: "Ship it".into(),
            description: None,
            status: TaskStatus::Open,
            assignee: None,
            parent_id: None,
            batch_id: None,
            thread_id: Some(thread),
        };
        self.test.hub.create_task(&self.test.admin, request).await.expect("task");
    }

    async fn set_visibility(&self, channel: &ChannelId, visibility: Visibility) {
        let patch = ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
        self.test.hub.update_channel(&self.test.admin, channel, patch).await.expect("updated");
    }

    /// Writes in every conversation; the last event is for all members.
    async fn write_everywhere(&self) {
        self.task(self.thread(&self.private).await).await;
        self.task(self.thread(&self.open).await).await;
        let request = PostMessage { stream: true, ..say(&self.open, "@Mara") };
        let answer = self.test.hub.post_message(&self.test.admin, request).await.expect("posted").message;
        self.test.hub.complete_stream(&self.test.admin, &answer.id, Complete::default()).await.expect("complete");
        self.test.post(&self.test.admin, &self.private, "hush").await;
        self.test.post(&self.mara, &self.open, "hello").await;
    }
}

/// The events of the next frames, until one of them has this offset.
async fn events_until(reader: &mut Reader, offset: u64) -> Vec<Event> {
    let mut events = Vec::new();
    while events.last().is_none_or(|event: &Event| event.position.offset() < offset) {
        for frame in reader.next().await.expect("not ended") {
            let frame: ServerFrame = serde_json::from_slice(&frame.json).expect("a frame");
            if let ServerFrame::Event(event) = frame {
                events.push(*event);
            }
        }
    }
    events
}

/// Applies the events up to the position of the fresh snapshot, and compares with it.
async fn check(reader: &mut Reader, mut held: Snapshot, fresh: &Snapshot) {
    for event in events_until(reader, fresh.position.offset()).await {
        assert_eq!(held.apply(&event), SnapshotUpdate::Done, "{}", event.change.name());
    }
    // Streams are ephemeral, so they are not compared.
    assert_eq!(Snapshot { streams: Vec::new(), ..held }, Snapshot { streams: Vec::new(), ..fresh.clone() });
}

#[tokio::test]
async fn events_of_a_live_session_update_the_snapshot() {
    let fixture = SnapshotFixture::new().await;
    let held = fixture.snapshot().await;
    let (_session, mut reader) = fixture.follow(&held).await;
    fixture.write_everywhere().await;
    check(&mut reader, held, &fixture.snapshot().await).await;
}

#[tokio::test]
async fn events_of_a_resumed_session_update_the_snapshot() {
    let fixture = SnapshotFixture::new().await;
    let held = fixture.snapshot().await;
    fixture.write_everywhere().await;
    let (_session, mut reader) = fixture.follow(&held).await;
    check(&mut reader, held, &fixture.snapshot().await).await;
}

#[tokio::test]
async fn closing_a_channel_removes_its_threads_from_tasks() {
    let fixture = SnapshotFixture::new().await;
    fixture.write_everywhere().await;
    let held = fixture.snapshot().await;
    assert!(held.tasks.iter().any(|task| task.thread_id.is_some()));
    let (_session, mut reader) = fixture.follow(&held).await;
    fixture.set_visibility(&fixture.open, Visibility::Private).await;
    let fresh = fixture.snapshot().await;
    assert!(fresh.tasks.iter().all(|task| task.thread_id.is_none()));
    check(&mut reader, held, &fresh).await;
}

#[tokio::test]
async fn an_opened_channel_needs_a_reload() {
    let fixture = SnapshotFixture::new().await;
    fixture.write_everywhere().await;
    let mut held = fixture.snapshot().await;
    let (_session, mut reader) = fixture.follow(&held).await;
    fixture.set_visibility(&fixture.private, Visibility::Project).await;
    let events = events_until(&mut reader, fixture.snapshot().await.position.offset()).await;
    let outcomes: Vec<SnapshotUpdate> = events.iter().map(|event| held.apply(event)).collect();
    assert_eq!(outcomes, [SnapshotUpdate::Reload]);
}
