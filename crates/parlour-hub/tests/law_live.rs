//! The law over the real hub: a snapshot and the frames of a live session give the next snapshot.

mod support;

use parlour_core::{
    access::Principal,
    conversation::{ChannelPatch, Visibility},
    event::Event,
    id::{ChannelId, ProjectId, ThreadId},
    live::{Complete, ServerFrame},
    post::PostMessage,
    snapshot::{Applied, Snapshot},
    task::TaskStatus,
};
use parlour_hub::{
    live::{Reader, Session, StartPosition},
    use_cases::{NewTask, OpenThread},
};
use support::{TestHub, say};
use tokio_util::sync::DropGuard;

/// A project with an open and a private channel; Mara reads, and only the administrator is in the private one.
struct LawFixture {
    test: TestHub,
    _running: DropGuard,
    project: ProjectId,
    open: ChannelId,
    private: ChannelId,
    mara: Principal,
    token: String,
}

impl LawFixture {
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

    async fn show(&self, channel: &ChannelId, visibility: Visibility) {
        let patch = ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
        self.test.hub.update_channel(&self.test.admin, channel, patch).await.expect("updated");
    }

    /// Something in every place, the last of it for everybody.
    async fn happen(&self) {
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
        for told in reader.next().await.expect("not ended") {
            let frame: ServerFrame = serde_json::from_slice(&told.json).expect("a frame");
            if let ServerFrame::Event(event) = frame {
                events.push(*event);
            }
        }
    }
    events
}

/// Applies what a reader hears up to the position of the fresh snapshot, and compares with it.
async fn check(reader: &mut Reader, mut held: Snapshot, fresh: &Snapshot) {
    for event in events_until(reader, fresh.position.offset()).await {
        assert_eq!(held.apply(&event), Applied::Done, "{}", event.change.name());
    }
    // Answers that run and who is there are of the moment.
    assert_eq!(Snapshot { streams: Vec::new(), ..held }, Snapshot { streams: Vec::new(), ..fresh.clone() });
}

#[tokio::test]
async fn a_live_session_hears_what_brings_its_snapshot_up_to_date() {
    let fixture = LawFixture::new().await;
    let held = fixture.snapshot().await;
    let (_session, mut reader) = fixture.follow(&held).await;
    fixture.happen().await;
    check(&mut reader, held, &fixture.snapshot().await).await;
}

#[tokio::test]
async fn a_session_that_resumes_hears_the_same() {
    let fixture = LawFixture::new().await;
    let held = fixture.snapshot().await;
    fixture.happen().await;
    let (_session, mut reader) = fixture.follow(&held).await;
    check(&mut reader, held, &fixture.snapshot().await).await;
}

#[tokio::test]
async fn a_channel_that_closes_takes_its_threads_out_of_tasks() {
    let fixture = LawFixture::new().await;
    fixture.happen().await;
    let held = fixture.snapshot().await;
    assert!(held.tasks.iter().any(|task| task.thread_id.is_some()));
    let (_session, mut reader) = fixture.follow(&held).await;
    fixture.show(&fixture.open, Visibility::Private).await;
    let fresh = fixture.snapshot().await;
    assert!(fresh.tasks.iter().all(|task| task.thread_id.is_none()));
    check(&mut reader, held, &fresh).await;
}

#[tokio::test]
async fn a_channel_that_opens_needs_a_fresh_snapshot() {
    let fixture = LawFixture::new().await;
    fixture.happen().await;
    let mut held = fixture.snapshot().await;
    let (_session, mut reader) = fixture.follow(&held).await;
    fixture.show(&fixture.private, Visibility::Project).await;
    let events = events_until(&mut reader, fixture.snapshot().await.position.offset()).await;
    let outcomes: Vec<Applied> = events.iter().map(|event| held.apply(event)).collect();
    assert_eq!(outcomes, [Applied::Reload]);
}
