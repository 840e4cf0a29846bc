//! Messages: reading by id, by range and by time; edits, removals, reactions and references.

use parlour_core::{
    Timestamp,
    artifact::Artifact,
    call::{CallReason, HeldCall, HoldRule},
    conversation::Channel,
    engine::Usage,
    event::Event,
    id::{ArtifactId, BatchId, ChannelId, ConversationId, MessageId, TaskId},
    member::{Agent, Person},
    message::{Attachment, Cause, Importance, Kind, Message, State},
    project::Project,
    reaction::Reaction,
    write::Write,
};
use parlour_hub::ports::{HistoryRange, PostRefs};
use serde_json::json;

use crate::test_store::{PostTarget, TestMember, TestStore, check_pages};

/// Number of messages in the conversation of these tests.
const COUNT: u64 = 7;

struct HistoryFixture {
    mara: Person,
    tour: Project,
    general: Channel,
    id: ConversationId,
}

async fn fixture(test_store: &TestStore) -> HistoryFixture {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    HistoryFixture { id: general.conversation_id(), mara, tour, general }
}

async fn filled_fixture(test_store: &TestStore) -> HistoryFixture {
    let fixture = fixture(test_store).await;
    let random = test_store.channel("random", &fixture.tour).await;
    for number in 1..=COUNT {
        test_store.post(&fixture.mara, &fixture.general, &format!("message {number}")).await;
        test_store.post(&fixture.mara, &random, "elsewhere").await;
    }
    fixture
}

async fn seqs(test_store: &TestStore, id: &ConversationId, slice: HistoryRange, limit: usize) -> Vec<u64> {
    let messages = test_store.store().messages(id, slice, limit).await.expect("messages");
    messages.iter().map(|message| message.seq).collect()
}

pub async fn a_message_is_read_with_every_field(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let (coder, file) =
        (test_store.agent("Coder", &fixture.tour).await, test_store.artifact("a.txt", &fixture.tour, None).await);
    let tester = test_store.agent("Tester", &fixture.tour).await;
    let (task, batch) =
        (test_store.task("Ship it", &fixture.tour).await, test_store.batch("Release", &fixture.tour).await);
    let above = test_store.post(&fixture.mara, &fixture.general, "above").await;
    let mut draft =
        test_store.draft(&coder, &fixture.general, "Ünïcödé 👩‍💻\n\t`code`").answering(&above).carrying(&file);
    let message = &mut draft.message;
    message.kind = Kind::ToolResult;
    message.content = Some(json!({"rows": [1, 2.5, null, "x"], "deep": {"er": true}}));
    message.mentions = vec![fixture.mara.member(), coder.member()];
    message.attachments = vec![attachment(Some(file.id.clone()), None), attachment(None, Some("https://x.example/a"))];
    message.importance = Importance::Critical;
    message.blocking = true;
    let (chain, agents) = (vec!["Coder".into()], vec!["agt_coder".parse().expect("id")]);
    message.is_notice = true;
    message.held = vec![held(&coder, HoldRule::Depth, None), held(&coder, HoldRule::Pair, Some(test_store.now()))];
    message.usage = Some(Usage {
        model: "small".into(),
        input_tokens: 7,
        cached_tokens: Some(2),
        output_tokens: u64::from(u32::MAX) + 1,
        tries: Some(2),
        duration_ms: Some(1_500),
    });
    message.cause = Some(Cause { depth: 2, chain, agents, message_id: Some(above.id.clone()) });
    message.correlation_id = Some("call-7".into());
    message.context.task_id = Some(task.id);
    message.context.batch_id = Some(batch.id);
    message.state = State::Interrupted;
    message.metadata = json!({"z": 1, "a": [true]}).as_object().cloned().unwrap_or_default();
    let draft = draft.calling(&tester, CallReason::Mention);
    let sent = test_store.send(&coder, &draft).await;
    let expected = Message { seq: 2, created_at: test_store.now(), calls: vec![tester.id], ..draft.message };
    assert_eq!(sent, expected);
    assert_eq!(test_store.store().message(&expected.id).await.expect("read"), Some(expected.clone()));
    assert_eq!(test_store.store().messages(&fixture.id, HistoryRange::Newest, 1).await.expect("read"), [expected]);
}

fn held(agent: &Agent, rule: HoldRule, until: Option<Timestamp>) -> HeldCall {
    HeldCall { agent_id: agent.id.clone(), name: agent.name.clone(), rule, until }
}

fn attachment(artifact_id: Option<ArtifactId>, url: Option<&str>) -> Attachment {
    let url = url.map(str::to_owned);
    Attachment { filename: "a.txt".into(), media_type: "text/plain".into(), size: 3, artifact_id, url }
}

pub async fn an_unknown_message_is_none(test_store: TestStore) {
    assert_eq!(test_store.store().message(&MessageId::from_bits(test_store.bits())).await.expect("read"), None);
    let unknown = ChannelId::from_bits(test_store.bits()).into();
    assert_eq!(seqs(&test_store, &unknown, HistoryRange::Newest, 9).await, Vec::<u64>::new());
    assert_eq!(test_store.store().seq_before(&unknown, test_store.now()).await.expect("seq"), 0);
}

pub async fn the_newest_messages_are_read_newest_first(test_store: TestStore) {
    let fixture = filled_fixture(&test_store).await;
    for limit in 1..=COUNT + 1 {
        let expected: Vec<u64> = (1..=COUNT).rev().take(limit as usize).collect();
        assert_eq!(seqs(&test_store, &fixture.id, HistoryRange::Newest, limit as usize).await, expected);
    }
}

/// Ranges before a number are newest first and continue where the last one ended.
pub async fn ranges_before_a_number_reach_the_first_message(test_store: TestStore) {
    let fixture = filled_fixture(&test_store).await;
    for limit in 1..=COUNT as usize + 1 {
        for before in 0..=COUNT + 2 {
            let expected: Vec<u64> = (1..before.min(COUNT + 1)).rev().take(limit).collect();
            let found = seqs(&test_store, &fixture.id, HistoryRange::Before(before), limit).await;
            assert_eq!(found, expected, "{limit} before {before}");
        }
    }
}

/// Ranges after a number are oldest first and continue where the last one ended.
pub async fn ranges_after_a_number_reach_the_last_message(test_store: TestStore) {
    let fixture = filled_fixture(&test_store).await;
    for limit in 1..=COUNT as usize + 1 {
        for after in 0..=COUNT + 2 {
            let expected: Vec<u64> = (after + 1..=COUNT).take(limit).collect();
            let found = seqs(&test_store, &fixture.id, HistoryRange::After(after), limit).await;
            assert_eq!(found, expected, "{limit} after {after}");
        }
    }
}

/// Numbers outside of the history are accepted.
pub async fn ranges_accept_any_number(test_store: TestStore) {
    let fixture = filled_fixture(&test_store).await;
    for huge in [i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        assert_eq!(seqs(&test_store, &fixture.id, HistoryRange::Before(huge), 2).await, [COUNT, COUNT - 1]);
        assert_eq!(seqs(&test_store, &fixture.id, HistoryRange::After(huge), 2).await, Vec::<u64>::new());
    }
}

/// A message at exactly that time does not count.
pub async fn seq_before_a_time_is_that_of_the_last_earlier_message(test_store: TestStore) {
    let fixture = filled_fixture(&test_store).await;
    let history = test_store.history(&fixture.id).await;
    let seq_before = async |at: Timestamp| test_store.store().seq_before(&fixture.id, at).await.expect("seq");
    assert_eq!(seq_before(Timestamp::from_millis(0)).await, 0);
    for message in history {
        assert_eq!(seq_before(message.created_at).await, message.seq - 1);
        let later = Timestamp::from_millis(message.created_at.as_millis() + 1);
        assert_eq!(seq_before(later).await, message.seq);
    }
    assert_eq!(seq_before(Timestamp::from_millis(i64::MAX)).await, COUNT);
}

/// Number, author and time of the post stay.
pub async fn an_edit_changes_only_text_and_edit_time(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "first").await;
    let edited = test_store.edit(&fixture.mara, &message, "second").await;
    assert_eq!(edited, message.edited("second".into(), Vec::new(), test_store.now()));
    assert_eq!(test_store.history(&fixture.id).await, [edited]);
}

/// A removed message keeps its number and loses its content.
pub async fn a_removed_message_keeps_its_number(test_store: TestStore) {
    let fixture = filled_fixture(&test_store).await;
    let message = test_store.history(&fixture.id).await.remove(2);
    let removed = test_store.remove(&fixture.mara, &message).await;
    assert_eq!(removed, message.removed(test_store.now()));
    assert_eq!(seqs(&test_store, &fixture.id, HistoryRange::Newest, 9).await.len(), COUNT as usize);
    assert_eq!(test_store.history(&fixture.id).await[2], removed);
}

/// An edit that arrives after the removal does not restore the text.
pub async fn a_removed_message_cannot_be_edited(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "secret").await;
    let removed = test_store.remove(&fixture.mara, &message).await;
    let text = parlour_core::write::NewText { body: "back".into(), mentions: Vec::new(), deliveries: Vec::new() };
    let code = test_store.refusal(&fixture.tour.id, &fixture.mara, Write::EditMessage(message.id.clone(), text)).await;
    assert_eq!(code, parlour_core::Code::Removed);
    assert_eq!(test_store.store().message(&message.id).await.expect("read"), Some(removed));
}

/// Reactions are listed in the order of arrival.
pub async fn reactions_are_listed_with_their_members(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let bela = test_store.member("Bela", &fixture.tour).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "hello").await;
    let react = async |emoji: &str, who: &dyn TestMember| {
        let write = Write::React(message.id.clone(), emoji.to_owned(), who.member());
        test_store.change(&fixture.tour.id, who, write).await;
    };
    react("👍", &bela).await;
    react("👍", &fixture.mara).await;
    react("🎉", &fixture.mara).await;
    let shown = test_store.store().message(&message.id).await.expect("read").expect("a message").reactions;
    let reaction = |emoji: &str, members| Reaction { emoji: emoji.to_owned(), members };
    assert_eq!(
        shown,
        [reaction("👍", vec![bela.member(), fixture.mara.member()]), reaction("🎉", vec![fixture.mara.member()])]
    );
    let write = Write::Unreact(message.id.clone(), "🎉".into(), fixture.mara.member());
    test_store.change(&fixture.tour.id, &fixture.mara, write).await;
    assert_eq!(test_store.history(&fixture.id).await[0].reactions.len(), 1);
}

/// The events about a message are listed oldest first; a page key is an offset.
pub async fn the_events_about_a_message_are_listed(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "hello").await;
    test_store.post(&fixture.mara, &fixture.general, "another").await;
    test_store.edit(&fixture.mara, &message, "hello there").await;
    let mark = ("👍".to_owned(), fixture.mara.member());
    test_store
        .change(&fixture.tour.id, &fixture.mara, Write::React(message.id.clone(), mark.0.clone(), mark.1.clone()))
        .await;
    test_store.change(&fixture.tour.id, &fixture.mara, Write::Unreact(message.id.clone(), mark.0, mark.1)).await;
    test_store.remove(&fixture.mara, &message).await;
    let names =
        ["messaging.posted", "messaging.edited", "messaging.reacted", "messaging.unreacted", "messaging.removed"];
    let events = test_store.events(&fixture.tour.id).await;
    let expected: Vec<_> = [3, 5, 6, 7, 8].map(|offset: usize| offset.to_string()).to_vec();
    let key = |event: &Event| event.position.offset().to_string();
    check_pages(&expected, key, async |page| {
        let page = test_store.store().message_events(&message.id, &page).await?;
        for event in &page.items {
            assert_eq!(event, &events[event.position.offset() as usize - 1]);
            assert!(names.contains(&event.change.name()));
        }
        Ok(page)
    })
    .await;
}

struct ReferencesFixture {
    mara: Person,
    bela: Person,
    tour: Project,
    general: Channel,
    secret: Channel,
}

/// A project with a private channel that contains Mara, but not Bela.
async fn references_fixture(test_store: &TestStore) -> ReferencesFixture {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    ReferencesFixture {
        bela: test_store.member("Bela", &tour).await,
        general: test_store.channel("general", &tour).await,
        secret: test_store.private_channel("secret", &tour, &[&mara]).await,
        mara,
        tour,
    }
}

/// The referenced ids that are missing for this author in this conversation.
async fn missing(
    test_store: &TestStore,
    author: &dyn TestMember,
    target: &dyn PostTarget,
    refs: PostRefs,
) -> Vec<String> {
    let found = test_store.store().missing_refs(&target.conversation_id(), &author.principal(), &refs).await;
    found.expect("missing").into_iter().map(|one| one.id).collect()
}

fn answering(id: &MessageId) -> PostRefs {
    PostRefs { reply_to: Some(id.clone()), ..PostRefs::default() }
}

fn carrying(artifacts: &[&Artifact]) -> PostRefs {
    PostRefs { artifacts: artifacts.iter().map(|one| one.id.clone()).collect(), ..PostRefs::default() }
}

pub async fn existing_references_are_not_missing(test_store: TestStore) {
    let fixture = references_fixture(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "hello").await;
    let refs = PostRefs {
        reply_to: Some(message.id),
        artifacts: vec![test_store.artifact("a.txt", &fixture.tour, None).await.id],
        task_id: Some(test_store.task("Ship it", &fixture.tour).await.id),
        batch_id: Some(test_store.batch("Release", &fixture.tour).await.id),
    };
    assert_eq!(missing(&test_store, &fixture.bela, &fixture.general, refs).await, Vec::<String>::new());
    assert_eq!(missing(&test_store, &fixture.bela, &fixture.general, PostRefs::default()).await, Vec::<String>::new());
}

/// Each missing reference names its field of the post.
pub async fn unknown_references_are_missing(test_store: TestStore) {
    let fixture = references_fixture(&test_store).await;
    let file = test_store.artifact("a.txt", &fixture.tour, None).await;
    let unknown = ArtifactId::from_bits(test_store.bits());
    let refs = PostRefs {
        reply_to: Some(MessageId::from_bits(test_store.bits())),
        artifacts: vec![file.id, unknown.clone()],
        task_id: Some(TaskId::from_bits(test_store.bits())),
        batch_id: Some(BatchId::from_bits(test_store.bits())),
    };
    let (id, caller) = (fixture.general.conversation_id(), fixture.mara.principal());
    let found = test_store.store().missing_refs(&id, &caller, &refs).await.expect("missing");
    assert_eq!(found.len(), 4, "{found:?}");
    let is_named = |field: &str, id: &str| found.iter().any(|one| one.field.contains(field) && one.id == id);
    assert!(is_named("reply_to", refs.reply_to.as_ref().map_or("", |id| id.as_str())));
    assert!(is_named("artifacts", unknown.as_str()));
    assert!(is_named("task_id", refs.task_id.as_ref().map_or("", |id| id.as_str())));
    assert!(is_named("batch_id", refs.batch_id.as_ref().map_or("", |id| id.as_str())));
}

/// A message of another conversation cannot be replied to, even by a member who can read both.
pub async fn a_message_of_another_conversation_is_missing(test_store: TestStore) {
    let fixture = references_fixture(&test_store).await;
    let hidden = test_store.post(&fixture.mara, &fixture.secret, "hidden").await;
    let id = hidden.id.to_string();
    assert_eq!(missing(&test_store, &fixture.mara, &fixture.general, answering(&hidden.id)).await, [id]);
    assert_eq!(missing(&test_store, &fixture.mara, &fixture.secret, answering(&hidden.id)).await, Vec::<String>::new());
}

/// No other message of the channel can be replied to in the thread.
pub async fn a_thread_can_refer_to_its_own_messages_and_its_root(test_store: TestStore) {
    let fixture = references_fixture(&test_store).await;
    let root = test_store.post(&fixture.mara, &fixture.general, "root").await;
    let beside = test_store.post(&fixture.mara, &fixture.general, "beside").await;
    let thread = test_store.thread(&fixture.general, &root).await;
    let inside = test_store.post(&fixture.mara, &thread, "inside").await;
    for id in [&root.id, &inside.id] {
        assert_eq!(missing(&test_store, &fixture.mara, &thread, answering(id)).await, Vec::<String>::new());
    }
    assert_eq!(missing(&test_store, &fixture.mara, &thread, answering(&beside.id)).await, [beside.id.to_string()]);
    assert_eq!(
        missing(&test_store, &fixture.mara, &fixture.general, answering(&inside.id)).await,
        [inside.id.to_string()]
    );
}

/// An artifact is missing for members who cannot read its conversation, in whatever conversation they post.
pub async fn an_artifact_of_a_private_conversation_is_missing_for_others(test_store: TestStore) {
    let fixture = references_fixture(&test_store).await;
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &test_store.agent("Coder", &fixture.tour).await]).await;
    let root = test_store.post(&fixture.mara, &fixture.secret, "root").await;
    let thread = test_store.thread(&fixture.secret, &root).await;
    for target in [&fixture.secret as &dyn PostTarget, &dm, &thread] {
        let file = test_store.artifact("a.txt", &fixture.tour, Some(target)).await;
        let id = file.id.to_string();
        assert_eq!(missing(&test_store, &fixture.bela, &fixture.general, carrying(&[&file])).await, [id]);
        assert_eq!(
            missing(&test_store, &fixture.mara, &fixture.general, carrying(&[&file])).await,
            Vec::<String>::new()
        );
    }
    let file = test_store.artifact("b.txt", &fixture.tour, Some(&fixture.general)).await;
    assert_eq!(missing(&test_store, &fixture.bela, &fixture.general, carrying(&[&file])).await, Vec::<String>::new());
}

/// This holds even for a member of both projects.
pub async fn things_of_another_project_are_missing(test_store: TestStore) {
    let fixture = references_fixture(&test_store).await;
    let fair = test_store.project("Fair", &fixture.mara).await;
    let hall = test_store.channel("hall", &fair).await;
    let refs = PostRefs {
        reply_to: Some(test_store.post(&fixture.mara, &hall, "elsewhere").await.id),
        artifacts: vec![test_store.artifact("a.txt", &fair, None).await.id],
        task_id: Some(test_store.task("Other", &fair).await.id),
        batch_id: Some(test_store.batch("Other", &fair).await.id),
    };
    assert_eq!(missing(&test_store, &fixture.mara, &fixture.general, refs.clone()).await.len(), 4);
    assert_eq!(missing(&test_store, &fixture.mara, &hall, refs).await, Vec::<String>::new());
}
