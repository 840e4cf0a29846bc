//! Repeated writes: a retry of a post returns the first result, and a write that changes nothing writes no event.

use std::collections::BTreeSet;

use parlour_core::{
    Code,
    call::PassedCall,
    conversation::{Channel, ChannelPatch},
    event::{Change, ChannelMember, Subscription},
    member::{Agent, AgentPatch, Person},
    message::Message,
    project::{Project, ProjectPatch},
    task::{Task, TaskPatch},
    write::{Appended, Archival, NewText, Novelty, Write},
};

use crate::test_store::{MessageDraft, TestMember, TestStore};

/// A channel with one message that has a client-chosen id, and the result of its post.
struct Posted {
    mara: Person,
    tour: Project,
    general: Channel,
    draft: MessageDraft,
    first: Appended,
}

async fn posted(test_store: &TestStore) -> Posted {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let id = "msg_chosen-by-the-client".parse().expect("id");
    let draft = test_store.draft(&mara, &general, "Hello").with_id(&id);
    let first = test_store.append(&tour.id, &mara, draft.write()).await.expect("posted");
    Posted { mara, tour, general, draft, first }
}

impl Posted {
    fn message(&self) -> &Message {
        let Change::MessagePosted(message) = &self.first.change else { unreachable!("a post answers a message") };
        message
    }

    /// Posts the same draft again; checks that nothing changes and that the result is the first one.
    async fn retry(&self, test_store: &TestStore) -> Message {
        let before = test_store.snapshot(&self.tour, &[&self.mara]).await;
        let again =
            test_store.append(&self.tour.id, &self.mara, self.draft.write()).await.expect("a retry is harmless");
        assert_eq!(again.novelty, Novelty::Repeated);
        assert_eq!(again.position, self.first.position);
        assert_eq!(test_store.snapshot(&self.tour, &[&self.mara]).await, before);
        let Change::MessagePosted(message) = again.change else { unreachable!("a post answers a message") };
        *message
    }
}

pub async fn a_client_can_choose_the_message_id(test_store: TestStore) {
    let posted = posted(&test_store).await;
    assert_eq!(posted.message().id.as_str(), "msg_chosen-by-the-client");
    assert_eq!((posted.message().seq, posted.first.novelty), (1, Novelty::New));
}

pub async fn a_retry_returns_the_first_result(test_store: TestStore) {
    let posted = posted(&test_store).await;
    test_store.post(&posted.mara, &posted.general, "in between").await;
    assert_eq!(&posted.retry(&test_store).await, posted.message());
}

/// A retry creates no inbox row, not even for agents that have read the message.
pub async fn a_retry_is_not_delivered_again(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let coder = test_store.agent("Coder", &tour).await;
    let draft = test_store.draft(&mara, &general, "@Coder hi").mentioning(&coder);
    let message = test_store.send(&mara, &draft).await;
    test_store.repeat(&tour.id, &mara, draft.write()).await;
    assert_eq!(test_store.store().inbox_counts(&coder.id).await.expect("counts").total, 1);
    test_store.read(&coder, &message).await;
    test_store.repeat(&tour.id, &mara, draft.write()).await;
    assert_eq!(test_store.store().inbox_counts(&coder.id).await.expect("counts").total, 0);
}

pub async fn a_retry_after_an_edit_keeps_the_edit(test_store: TestStore) {
    let posted = posted(&test_store).await;
    let edited = test_store.edit(&posted.mara, posted.message(), "Hello there").await;
    assert_eq!(posted.retry(&test_store).await.seq, edited.seq);
    assert_eq!(test_store.store().message(&edited.id).await.expect("read"), Some(edited));
}

pub async fn a_retry_after_a_removal_restores_nothing(test_store: TestStore) {
    let posted = posted(&test_store).await;
    let removed = test_store.remove(&posted.mara, posted.message()).await;
    assert_eq!(posted.retry(&test_store).await.body, "");
    assert_eq!(test_store.store().message(&removed.id).await.expect("read"), Some(removed));
}

pub async fn a_retry_after_archiving_returns_the_first_result(test_store: TestStore) {
    let posted = posted(&test_store).await;
    let archive = Write::ArchiveChannel(posted.general.id.clone(), Archival::Archived);
    test_store.change(&posted.tour.id, &posted.mara, archive).await;
    assert_eq!(&posted.retry(&test_store).await, posted.message());
}

pub async fn another_text_with_a_used_id_is_refused(test_store: TestStore) {
    let posted = posted(&test_store).await;
    let other = test_store.draft(&posted.mara, &posted.general, "Other").with_id(&posted.message().id);
    check_reuse_refused(&test_store, &posted, &posted.mara, &other).await;
}

/// A retry is compared with the first text, not with the edited one.
pub async fn the_edited_text_with_the_same_id_is_refused(test_store: TestStore) {
    let posted = posted(&test_store).await;
    test_store.edit(&posted.mara, posted.message(), "Hello there").await;
    let other = test_store.draft(&posted.mara, &posted.general, "Hello there").with_id(&posted.message().id);
    check_reuse_refused(&test_store, &posted, &posted.mara, &other).await;
}

/// No other author can take over or probe an id.
pub async fn the_same_text_by_another_author_is_refused(test_store: TestStore) {
    let posted = posted(&test_store).await;
    let bela = test_store.member("Bela", &posted.tour).await;
    let other = test_store.draft(&bela, &posted.general, "Hello").with_id(&posted.message().id);
    check_reuse_refused(&test_store, &posted, &bela, &other).await;
}

/// Message ids are unique in the whole hub.
pub async fn an_id_of_another_project_is_refused(test_store: TestStore) {
    let posted = posted(&test_store).await;
    let bela = test_store.person("Bela").await;
    let fair = test_store.project("Fair", &bela).await;
    let hall = test_store.channel("hall", &fair).await;
    let other = test_store.draft(&bela, &hall, "Hello").with_id(&posted.message().id);
    assert_eq!(test_store.refusal(&fair.id, &bela, other.write()).await, Code::ClientIdReused);
    assert_eq!(test_store.history(&hall.id.into()).await, []);
}

async fn check_reuse_refused(test_store: &TestStore, posted: &Posted, author: &Person, draft: &MessageDraft) {
    let before = test_store.snapshot(&posted.tour, &[&posted.mara]).await;
    assert_eq!(test_store.refusal(&posted.tour.id, author, draft.write()).await, Code::ClientIdReused);
    assert_eq!(test_store.snapshot(&posted.tour, &[&posted.mara]).await, before);
}

/// A project in which the writes of `without_effect` change nothing.
struct RepeatsFixture {
    mara: Person,
    bela: Person,
    zoe: Person,
    tour: Project,
    coder: Agent,
    tester: Agent,
    secret: Channel,
    message: Message,
    task: Task,
}

async fn fixture(test_store: &TestStore) -> RepeatsFixture {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let bela = test_store.member("Bela", &tour).await;
    let tester = test_store.agent("Tester", &tour).await;
    let secret = test_store.private_channel("secret", &tour, &[&mara, &bela, &tester]).await;
    RepeatsFixture {
        zoe: test_store.person("Zoe").await,
        coder: test_store.agent("Coder", &tour).await,
        message: test_store.call(&mara, &secret, &tester).await,
        task: test_store.task("Ship it", &tour).await,
        mara,
        bela,
        tour,
        tester,
        secret,
    }
}

/// Writes of which the first changes something and each repetition nothing.
fn repeatable(fixture: &RepeatsFixture) -> Vec<Write> {
    let (channel_id, id) = (fixture.secret.id.clone(), fixture.message.id.clone());
    let member = ChannelMember { channel_id: channel_id.clone(), member_id: fixture.coder.member() };
    let subscription = Subscription { channel_id: channel_id.clone(), agent_id: fixture.coder.id.clone() };
    let (emoji, bela) = ("👍".to_owned(), fixture.bela.member());
    let text = NewText { body: "edited".into(), mentions: vec![bela.clone()], deliveries: Vec::new() };
    let passed = PassedCall {
        agent_id: fixture.tester.id.clone(),
        message_id: id.clone(),
        conversation_id: fixture.message.to.clone(),
        reason: Some("not mine".into()),
    };
    vec![
        Write::AddPerson(fixture.zoe.id.clone()),
        Write::AddChannelMember(member.clone()),
        Write::Subscribe(subscription.clone()),
        Write::Unsubscribe(subscription),
        Write::RemoveChannelMember(member),
        Write::ArchiveChannel(channel_id.clone(), Archival::Archived),
        Write::ArchiveChannel(channel_id, Archival::Active),
        Write::React(id.clone(), emoji.clone(), bela.clone()),
        Write::Unreact(id.clone(), emoji, bela.clone()),
        Write::MarkRead(id.clone(), bela),
        Write::PassCall(passed),
        Write::EditMessage(id.clone(), text),
        Write::RemoveMessage(id),
        Write::RemovePerson(fixture.zoe.id.clone()),
    ]
}

/// Writes that request the present state.
fn without_effect(fixture: &RepeatsFixture) -> Vec<Write> {
    let project = ProjectPatch { name: Some(fixture.tour.name.clone()), ..ProjectPatch::default() };
    let agent = AgentPatch { name: Some(fixture.coder.name.clone()), ..AgentPatch::default() };
    let channel = ChannelPatch { name: Some(fixture.secret.name.clone()), ..ChannelPatch::default() };
    let task = TaskPatch { title: Some(fixture.task.title.clone()), ..TaskPatch::default() };
    vec![
        Write::UpdateProject(project),
        Write::UpdateAgent(fixture.coder.id.clone(), agent),
        Write::UpdateChannel(fixture.secret.id.clone(), channel, Vec::new()),
        Write::UpdateTask(fixture.task.id.clone(), task),
        Write::RemovePerson(fixture.zoe.id.clone()),
        Write::ArchiveChannel(fixture.secret.id.clone(), Archival::Active),
        Write::Unreact(fixture.message.id.clone(), "👍".into(), fixture.mara.member()),
        Write::MarkRead(fixture.message.id.clone(), fixture.mara.member()),
    ]
}

/// Makes a write that must change nothing visible.
async fn check_repeated(test_store: &TestStore, fixture: &RepeatsFixture, write: Write) -> Change {
    let text = format!("{write:?}");
    let callers: [&dyn TestMember; 4] = [&fixture.mara, &fixture.bela, &fixture.coder, &fixture.tester];
    let before = test_store.snapshot(&fixture.tour, &callers).await;
    let appended = test_store.append(&fixture.tour.id, &fixture.mara, write).await.expect(&text);
    assert_eq!(appended.novelty, Novelty::Repeated, "{text}");
    let end = test_store.store().end_of_log(&fixture.tour.id).await.expect("end").expect("a log");
    assert!(appended.position.offset() <= end.offset() && appended.position.epoch() == end.epoch(), "{text}");
    assert_eq!(test_store.snapshot(&fixture.tour, &callers).await, before, "{text}");
    appended.change
}

pub async fn a_repeated_write_changes_nothing_and_returns_the_first_result(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    for write in repeatable(&fixture) {
        let first = test_store.change(&fixture.tour.id, &fixture.mara, write.clone()).await;
        assert_eq!(check_repeated(&test_store, &fixture, write).await, first);
    }
}

/// Examples: the same name, removing a person who is no member, reading a message that was read.
pub async fn a_write_that_requests_the_present_state_changes_nothing(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    for write in without_effect(&fixture) {
        check_repeated(&test_store, &fixture, write).await;
    }
}

/// Creating a second thread of a message returns the first.
pub async fn a_message_has_one_thread(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let thread = test_store.thread(&fixture.secret, &fixture.message).await;
    let another = Write::CreateThread(test_store.new_thread(&fixture.secret, &fixture.message));
    assert_eq!(check_repeated(&test_store, &fixture, another).await, Change::ThreadCreated(Box::new(thread)));
}

/// Creating a second DM of the same participants in a project returns the first.
pub async fn the_same_participants_have_one_dm(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let another = Write::CreateDm(test_store.new_dm(&fixture.tour, &[&fixture.coder, &fixture.mara]));
    assert_eq!(check_repeated(&test_store, &fixture, another).await, Change::DmCreated(Box::new(dm)));
}

/// Other, fewer or more participants have their own DM, and so have the same ones in another project.
pub async fn other_participants_have_another_dm(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let fair = test_store.project("Fair", &fixture.mara).await;
    test_store.join(&fixture.bela, &fair).await;
    let ids = BTreeSet::from([
        test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.coder]).await.id,
        test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.bela]).await.id,
        test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.bela, &fixture.coder]).await.id,
        test_store.dm(&fair, &[&fixture.mara, &fixture.bela]).await.id,
    ]);
    assert_eq!(ids.len(), 4);
}
