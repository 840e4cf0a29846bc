//! The log: one event for each change, and the current state of messages in it.

use parlour_core::{
    conversation::{Channel, ChannelPatch, Visibility},
    event::{Change, ChannelMember, ClosedChannel, CreatedChannel, Subscription},
    id::{MemberId, ProjectId},
    member::{Agent, AgentPatch, Person},
    message::Message,
    project::{Project, ProjectPatch},
    task::{TaskPatch, TaskStatus},
    write::{Archival, NewText, Novelty, StreamEnding, Write},
};
use parlour_hub::ports::Clock;

use crate::test_store::{TestMember, TestStore};

/// A project in which every kind of change can be made.
pub(super) struct EventsFixture {
    pub(super) mara: Person,
    bela: Person,
    zoe: Person,
    pub(super) tour: Project,
    coder: Agent,
    general: Channel,
    secret: Channel,
    root: Message,
    message: Message,
    answer: Message,
}

pub(super) async fn fixture(test_store: &TestStore) -> EventsFixture {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let coder = test_store.agent("Coder", &tour).await;
    EventsFixture {
        bela: test_store.person("Bela").await,
        zoe: test_store.member("Zoe", &tour).await,
        secret: test_store.private_channel("secret", &tour, &[&mara]).await,
        root: test_store.post(&mara, &general, "root").await,
        message: test_store.call(&mara, &general, &coder).await,
        answer: test_store.stream(&mara, &general, "").await,
        coder,
        mara,
        tour,
        general,
    }
}

/// One write of every kind except those that created the fixture, in an order in which each of them changes something.
pub(super) fn all_writes(test_store: &TestStore, fixture: &EventsFixture) -> Vec<Write> {
    let mut writes = writes_about_members(test_store, fixture);
    writes.extend(writes_about_channels(test_store, fixture));
    writes.extend(writes_about_messages(test_store, fixture));
    writes.extend(writes_about_work(test_store, fixture));
    writes
}

fn writes_about_members(test_store: &TestStore, fixture: &EventsFixture) -> Vec<Write> {
    let project = ProjectPatch { description: Some("A look around.".into()), ..ProjectPatch::default() };
    let agent = AgentPatch { capabilities: Some(vec!["rust".into()]), ..AgentPatch::default() };
    vec![
        Write::UpdateProject(project),
        Write::AddPerson(fixture.bela.id.clone()),
        Write::RemovePerson(fixture.bela.id.clone()),
        test_store.adding_agent(test_store.new_agent("Tester", &fixture.tour)),
        Write::UpdateAgent(fixture.coder.id.clone(), agent),
    ]
}

fn writes_about_channels(test_store: &TestStore, fixture: &EventsFixture) -> Vec<Write> {
    let channel_id = fixture.secret.id.clone();
    let topic = ChannelPatch { topic: Some("Plans".into()), ..ChannelPatch::default() };
    let member = ChannelMember { channel_id: channel_id.clone(), member_id: fixture.coder.member() };
    let subscription = Subscription { channel_id: channel_id.clone(), agent_id: fixture.coder.id.clone() };
    let shown = |visibility| ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() };
    vec![
        Write::CreateChannel(test_store.new_channel("random", &fixture.tour), Vec::new()),
        Write::UpdateChannel(channel_id.clone(), topic, Vec::new()),
        Write::AddChannelMember(member.clone()),
        Write::Subscribe(subscription.clone()),
        Write::Unsubscribe(subscription),
        Write::RemoveChannelMember(member),
        Write::ArchiveChannel(channel_id.clone(), Archival::Archived),
        Write::ArchiveChannel(channel_id.clone(), Archival::Active),
        Write::UpdateChannel(channel_id.clone(), shown(Visibility::Project), Vec::new()),
        Write::UpdateChannel(channel_id, shown(Visibility::Private), vec![fixture.mara.member()]),
    ]
}

fn writes_about_messages(test_store: &TestStore, fixture: &EventsFixture) -> Vec<Write> {
    let (id, reader) = (fixture.message.id.clone(), fixture.zoe.member());
    let text = NewText { body: "edited".into(), mentions: Vec::new(), deliveries: Vec::new() };
    vec![
        Write::CreateThread(test_store.new_thread(&fixture.general, &fixture.root)),
        Write::CreateDm(test_store.new_dm(&fixture.tour, &[&fixture.mara, &fixture.coder])),
        test_store.draft(&fixture.mara, &fixture.secret, "hi").write(),
        test_store.draft(&fixture.mara, &fixture.secret, "").streaming().write(),
        Write::FinishMessage(fixture.answer.id.clone(), test_store.ending("done")),
        test_store.passing(&fixture.coder, &fixture.message),
        Write::EditMessage(id.clone(), text),
        Write::React(id.clone(), "👍".into(), reader.clone()),
        Write::Unreact(id.clone(), "👍".into(), reader.clone()),
        Write::MarkRead(id.clone(), reader),
        Write::RemoveMessage(id),
    ]
}

fn writes_about_work(test_store: &TestStore, fixture: &EventsFixture) -> Vec<Write> {
    let task = test_store.new_task("Ship it", &fixture.tour);
    let patch = TaskPatch { status: Some(TaskStatus::Done), ..TaskPatch::default() };
    vec![Write::CreateTask(task.clone()), Write::UpdateTask(task.id, patch)]
}

async fn change_names(test_store: &TestStore, project: &ProjectId) -> Vec<&'static str> {
    test_store.events(project).await.iter().map(|event| event.change.name()).collect()
}

/// The event of each kind of change contains actor and time, and the change that the writer got as result.
pub async fn every_change_writes_one_event(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    for write in all_writes(&test_store, &fixture) {
        let text = format!("{write:?}");
        let before = test_store.store().end_of_log(&fixture.tour.id).await.expect("end").expect("a log");
        let appended = test_store.append(&fixture.tour.id, &fixture.mara, write).await.expect(&text);
        assert_eq!(appended.novelty, Novelty::New, "{text}");
        let events = test_store.store().events_after(&fixture.tour.id, before.offset(), 9).await.expect("events");
        assert_eq!(events.len(), 1, "{text}");
        let event = &events[0];
        assert_eq!((&event.change, &event.position), (&appended.change, &appended.position), "{text}");
        assert_eq!((&event.actor, event.at), (&fixture.mara.author(), test_store.clock().now()), "{text}");
        assert_eq!(event.project_id, fixture.tour.id, "{text}");
    }
}

/// The position that a write returns is the end of the log; all positions have the same epoch.
pub async fn the_end_of_the_log_is_the_position_of_its_last_event(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    for write in all_writes(&test_store, &fixture) {
        let position = test_store.append(&fixture.tour.id, &fixture.mara, write).await.expect("new").position;
        assert_eq!(test_store.store().end_of_log(&fixture.tour.id).await.expect("end"), Some(position));
    }
    let events = test_store.events(&fixture.tour.id).await;
    assert!(events.iter().all(|event| event.position.epoch() == events[0].position.epoch()));
}

/// An unknown project has no log and no end.
pub async fn a_log_starts_with_the_creation_of_its_project(test_store: TestStore) {
    let unknown = ProjectId::from_bits(test_store.bits());
    assert_eq!(test_store.store().end_of_log(&unknown).await.expect("end"), None);
    assert_eq!(test_store.events(&unknown).await, []);
    let tour = test_store.project("Tour", &test_store.person("Mara").await).await;
    let events = test_store.events(&tour.id).await;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].change, Change::ProjectCreated(Box::new(tour)));
}

/// Events after the given offset are returned in order, at most as many as requested.
pub async fn events_are_read_in_order_from_any_offset(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let all = test_store.events(&fixture.tour.id).await;
    for offset in 0..=all.len() {
        for limit in 1..=all.len() + 1 {
            let read = test_store.store().events_after(&fixture.tour.id, offset as u64, limit).await.expect("events");
            let end = (offset + limit).min(all.len());
            assert_eq!(read, all[offset..end], "{limit} after {offset}");
        }
    }
    for offset in [all.len() as u64 + 1, i64::MAX as u64, u64::MAX] {
        assert_eq!(test_store.store().events_after(&fixture.tour.id, offset, 9).await.expect("events"), [], "{offset}");
    }
}

pub async fn a_log_contains_only_events_of_its_project(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let before = change_names(&test_store, &fixture.tour.id).await;
    let fair = test_store.project("Fair", &fixture.bela).await;
    let hall = test_store.channel("hall", &fair).await;
    test_store.post(&fixture.bela, &hall, "elsewhere").await;
    assert_eq!(change_names(&test_store, &fixture.tour.id).await, before);
    assert_eq!(change_names(&test_store, &fair.id).await, ["projects.created", "channels.created", "messaging.posted"]);
}

/// Events about messages count like all others; a store without events has no such time.
pub async fn the_newest_event_of_all_logs_gives_its_time(test_store: TestStore) {
    assert_eq!(test_store.store().newest_event_at().await.expect("read"), None);
    let fixture = fixture(&test_store).await;
    let fair = test_store.project("Fair", &fixture.bela).await;
    assert_eq!(test_store.store().newest_event_at().await.expect("read"), Some(test_store.now()));
    let posted = test_store.post(&fixture.mara, &fixture.general, "later").await;
    assert_eq!(test_store.store().newest_event_at().await.expect("read"), Some(posted.created_at));
    let reaction = Write::React(posted.id, "👍".into(), fixture.mara.member());
    test_store.change(&fixture.tour.id, &fixture.mara, reaction).await;
    assert_eq!(test_store.store().newest_event_at().await.expect("read"), Some(test_store.now()));
    test_store.channel("hall", &fair).await;
    assert_eq!(test_store.store().newest_event_at().await.expect("read"), Some(test_store.now()));
}

/// The event of a post contains the current text, reactions and thread of the message.
pub async fn events_contain_the_current_message(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let message = test_store.stream(&mara, &general, "first").await;
    test_store.finish(&mara, &message, test_store.ending("first text")).await;
    test_store.edit(&mara, &message, "second text").await;
    test_store.change(&tour.id, &mara, Write::React(message.id.clone(), "👍".into(), mara.member())).await;
    test_store.thread(&general, &message).await;
    let now = test_store.store().message(&message.id).await.expect("read").expect("a message");
    let shown: Vec<_> =
        test_store.events(&tour.id).await.into_iter().filter_map(|event| message_of(event.change)).collect();
    assert_eq!(shown, [now.clone(), now.clone(), now.clone()]);
    assert_eq!((now.body.as_str(), now.reactions.len(), now.thread_id.is_some()), ("second text", 1, true));
}

fn message_of(change: Change) -> Option<Message> {
    match change {
        Change::MessagePosted(message)
        | Change::MessageFinished(message)
        | Change::MessageEdited(message)
        | Change::MessageRemoved(message) => Some(*message),
        _ => None,
    }
}

/// A removed text is deleted from the events of its post, its end, its edits and its removal.
pub async fn a_removed_text_is_gone_from_the_log(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let mut draft = test_store.draft(&mara, &general, "password-one").streaming();
    draft.message.content = Some(serde_json::json!({"text": "password-two"}));
    draft.message.metadata.insert("note".into(), "password-three".into());
    let message = test_store.send(&mara, &draft).await;
    let ending = StreamEnding { reason: Some("password-five".into()), ..test_store.ending("password-six") };
    test_store.finish(&mara, &message, ending).await;
    test_store.edit(&mara, &message, "password-four").await;
    let removed = test_store.remove(&mara, &message).await;
    let log = serde_json::to_string(&test_store.events(&tour.id).await).expect("json");
    assert!(!log.contains("password"), "{log}");
    assert_eq!(
        change_names(&test_store, &tour.id).await[2..],
        ["messaging.posted", "messaging.finished", "messaging.edited", "messaging.removed"]
    );
    assert_eq!(test_store.store().message(&message.id).await.expect("read"), Some(removed));
}

struct ChannelEventsFixture {
    mara: Person,
    bela: Person,
    tour: Project,
    coder: Agent,
}

async fn channel_events_fixture(test_store: &TestStore) -> ChannelEventsFixture {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    ChannelEventsFixture {
        bela: test_store.member("Bela", &tour).await,
        coder: test_store.agent("Coder", &tour).await,
        mara,
        tour,
    }
}

impl ChannelEventsFixture {
    /// Makes a change, and checks that the log contains it unchanged.
    async fn change(&self, test_store: &TestStore, write: Write) -> Change {
        let change = test_store.change(&self.tour.id, &self.mara, write).await;
        assert_eq!(test_store.events(&self.tour.id).await.pop().map(|event| event.change), Some(change.clone()));
        change
    }

    /// All members, unsorted and with a duplicate.
    fn everybody(&self) -> Vec<MemberId> {
        let [mara, bela, coder] = [self.mara.member(), self.bela.member(), self.coder.member()];
        vec![bela.clone(), coder, mara, bela]
    }

    fn sorted(&self) -> Vec<MemberId> {
        let mut members = self.everybody();
        members.sort();
        members.dedup();
        members
    }
}

fn patch_to(visibility: Visibility) -> ChannelPatch {
    ChannelPatch { visibility: Some(visibility), ..ChannelPatch::default() }
}

/// The event lists the members sorted and each once; a repetition returns the current members.
pub async fn a_private_channel_is_created_with_its_members(test_store: TestStore) {
    let fixture = channel_events_fixture(&test_store).await;
    let channel = Channel { visibility: Visibility::Private, ..test_store.new_channel("secret", &fixture.tour) };
    let write = Write::CreateChannel(channel.clone(), fixture.everybody());
    let created = CreatedChannel { channel, members: fixture.sorted() };
    let created = Change::ChannelCreated(Box::new(created));
    assert_eq!(fixture.change(&test_store, write.clone()).await, created);
    assert_eq!(test_store.repeat(&fixture.tour.id, &fixture.mara, write).await, created);
}

pub async fn an_open_channel_is_created_without_members(test_store: TestStore) {
    let fixture = channel_events_fixture(&test_store).await;
    let channel = test_store.new_channel("general", &fixture.tour);
    let write = Write::CreateChannel(channel.clone(), fixture.everybody());
    let created = CreatedChannel { channel, members: Vec::new() };
    assert_eq!(fixture.change(&test_store, write).await, Change::ChannelCreated(Box::new(created)));
}

/// The event contains the current channel and all its members.
pub async fn making_a_channel_private_lists_its_members(test_store: TestStore) {
    let fixture = channel_events_fixture(&test_store).await;
    let general = test_store.channel("general", &fixture.tour).await;
    let patch = ChannelPatch { topic: Some("Plans".into()), ..patch_to(Visibility::Private) };
    let write = Write::UpdateChannel(general.id.clone(), patch, fixture.everybody());
    let channel = Channel { visibility: Visibility::Private, topic: Some("Plans".into()), ..general.clone() };
    let closed = ClosedChannel { channel_id: general.id, channel: Some(channel), members: fixture.sorted() };
    assert_eq!(fixture.change(&test_store, write).await, Change::ChannelClosed(Box::new(closed)));
}

/// When the channel becomes private again, only the newly named members are in it.
pub async fn opening_a_channel_writes_an_opened_event(test_store: TestStore) {
    let fixture = channel_events_fixture(&test_store).await;
    let secret = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara, &fixture.bela]).await;
    let open = Channel { visibility: Visibility::Project, ..secret.clone() };
    let write = Write::UpdateChannel(secret.id.clone(), patch_to(Visibility::Project), Vec::new());
    assert_eq!(fixture.change(&test_store, write).await, Change::ChannelOpened(Box::new(open)));
    let write = Write::UpdateChannel(secret.id.clone(), patch_to(Visibility::Private), vec![fixture.mara.member()]);
    let Change::ChannelClosed(closed) = fixture.change(&test_store, write).await else { unreachable!("it closes") };
    assert_eq!((closed.channel, closed.members), (Some(secret), vec![fixture.mara.member()]));
}

pub async fn any_other_change_of_a_channel_is_an_update(test_store: TestStore) {
    let fixture = channel_events_fixture(&test_store).await;
    let open = test_store.channel("general", &fixture.tour).await;
    let private = test_store.private_channel("secret", &fixture.tour, &[&fixture.mara]).await;
    for channel in [open, private] {
        let patch = ChannelPatch { topic: Some("Plans".into()), ..patch_to(channel.visibility) };
        let write = Write::UpdateChannel(channel.id.clone(), patch, fixture.everybody());
        let updated = Channel { topic: Some("Plans".into()), ..channel };
        assert_eq!(fixture.change(&test_store, write).await, Change::ChannelUpdated(Box::new(updated)));
    }
}
