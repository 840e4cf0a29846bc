//! Streams: the final ending, and the texts that are saved in case the hub crashes before it.

use parlour_core::{
    Code, Timestamp,
    call::Calls,
    id::{MemberId, MessageId},
    inbox::{DeliveryReason, InboxFilter, Recipient},
    member::Agent,
    message::{Message, State},
    paging::PageRequest,
    search_query::SearchQuery,
    step::Step,
    write::{Appended, Archival, NewText, Novelty, StreamEnding, Write},
};
use parlour_hub::ports::SavedStream;
use serde_json::json;

use super::fixtures::{ProjectFixture, TwoPeopleFixture};
use crate::test_store::{PostTarget, TestMember, TestStore};

fn saved(message: &Message, text: &str, steps: &[Step]) -> SavedStream {
    SavedStream { message_id: message.id.clone(), text: text.to_owned(), steps: steps.to_vec() }
}

fn running_step() -> Step {
    Step {
        id: "s1".into(),
        name: "search".into(),
        input: Some(serde_json::json!({"q": 1})),
        output: None,
        is_error: false,
        started_at: Timestamp::from_millis(7),
        finished_at: None,
    }
}

async fn save(test_store: &TestStore, streams: Vec<SavedStream>) {
    test_store.store().save_streams(streams).await.expect("saved");
}

async fn open(test_store: &TestStore) -> Vec<(Message, SavedStream)> {
    test_store.store().open_streams().await.expect("open streams")
}

/// A saved text is kept until the message ends; the message stays as it was posted.
pub async fn a_saved_text_does_not_change_its_message(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.stream(&fixture.coder, &fixture.general, "Hel").await;
    let kept = saved(&message, "Hello wörld", &[running_step()]);
    save(&test_store, vec![kept.clone()]).await;
    assert_eq!(open(&test_store).await, [(message.clone(), kept)]);
    assert_eq!(test_store.store().message(&message.id).await.expect("read"), Some(message));
}

/// The steps are replaced too.
pub async fn a_later_saved_text_replaces_the_earlier_one(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.stream(&fixture.coder, &fixture.general, "").await;
    save(&test_store, vec![saved(&message, "long text", &[running_step()])]).await;
    save(&test_store, vec![saved(&message, "short", &[])]).await;
    assert_eq!(open(&test_store).await, [(message.clone(), saved(&message, "short", &[]))]);
}

pub async fn a_stream_without_a_saved_text_has_its_first_body(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.stream(&fixture.coder, &fixture.general, "begun").await;
    test_store.post(&fixture.mara, &fixture.general, "no stream").await;
    assert_eq!(open(&test_store).await, [(message.clone(), saved(&message, "begun", &[]))]);
}

/// Open streams are listed in the order of their posts.
pub async fn open_streams_of_all_projects_are_listed(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let fair = test_store.project("Fair", &fixture.mara).await;
    let hall = test_store.channel("hall", &fair).await;
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let first = test_store.stream(&fixture.coder, &dm, "one").await;
    let second = test_store.stream(&fixture.mara, &hall, "two").await;
    let third = test_store.stream(&fixture.coder, &fixture.general, "three").await;
    save(&test_store, vec![saved(&third, "three and more", &[]), saved(&first, "one and more", &[])]).await;
    let texts: Vec<_> = open(&test_store).await.into_iter().map(|(message, kept)| (message.id, kept.text)).collect();
    let expected = [(first, "one and more"), (second, "two"), (third, "three and more")];
    assert_eq!(texts, expected.map(|(message, text)| (message.id, text.to_owned())));
}

/// A message that has ended or was removed is no longer open, and a late text is not saved.
pub async fn a_text_of_a_message_that_is_not_streaming_is_ignored(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let ended = test_store.stream(&fixture.coder, &fixture.general, "").await;
    let removed = test_store.stream(&fixture.coder, &fixture.general, "").await;
    let plain = test_store.post(&fixture.mara, &fixture.general, "plain").await;
    save(&test_store, vec![saved(&ended, "early", &[]), saved(&removed, "early", &[])]).await;
    let ended = test_store.finish(&fixture.coder, &ended, test_store.ending("done")).await;
    let removed = test_store.remove(&fixture.coder, &removed).await;
    let unknown = Message { id: MessageId::from_bits(test_store.bits()), ..plain.clone() };
    let late = [&ended, &removed, &plain, &unknown].map(|message| saved(message, "late", &[]));
    save(&test_store, late.to_vec()).await;
    assert_eq!(open(&test_store).await, []);
    for message in [ended, removed, plain] {
        assert_eq!(test_store.store().message(&message.id).await.expect("read"), Some(message));
    }
}

pub async fn an_ignored_text_does_not_affect_the_others(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let plain = test_store.post(&fixture.mara, &fixture.general, "plain").await;
    let message = test_store.stream(&fixture.coder, &fixture.general, "").await;
    save(&test_store, vec![saved(&plain, "late", &[]), saved(&message, "growing", &[])]).await;
    assert_eq!(open(&test_store).await, [(message.clone(), saved(&message, "growing", &[]))]);
}

/// Log, history, search and watchers are unchanged.
pub async fn saving_a_text_writes_no_event(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.stream(&fixture.coder, &fixture.general, "").await;
    let callers: [&dyn TestMember; 2] = [&fixture.mara, &fixture.coder];
    let before = test_store.snapshot(&fixture.tour, &callers).await;
    let mut watched = test_store.store().watch();
    save(&test_store, vec![saved(&message, "growing", &[])]).await;
    assert_eq!(test_store.snapshot(&fixture.tour, &callers).await, before);
    assert!(watched.try_recv().is_err());
}

impl TwoPeopleFixture {
    /// Ends a stream.
    async fn end(&self, test_store: &TestStore, message: &Message, ending: &StreamEnding) -> Appended {
        let write = Write::FinishMessage(message.id.clone(), ending.clone());
        test_store.append(&self.tour.id, &self.coder, write).await.expect("ended")
    }

    async fn refused_end(
        &self,
        test_store: &TestStore,
        message: &Message,
        ending: &StreamEnding,
    ) -> parlour_core::Refusal {
        let write = Write::FinishMessage(message.id.clone(), ending.clone());
        let failure = test_store.append(&self.tour.id, &self.coder, write).await.expect_err("refused");
        failure.refusal().expect("an expected no").clone()
    }

    /// Unread messages and mentions of a member in the channel.
    async fn unread(&self, test_store: &TestStore, caller: &dyn TestMember) -> (u64, u64) {
        let rows = test_store.store().unread(&self.tour.id, &caller.principal()).await.expect("unread");
        let row = rows.iter().find(|row| row.conversation_id == self.general.conversation_id());
        row.map_or((0, 0), |row| (row.unread, row.mentions))
    }

    async fn found(&self, test_store: &TestStore, text: &str) -> usize {
        let query = SearchQuery::parse(text).expect("a query");
        let page = PageRequest::first();
        let hits = test_store.store().search(&self.tour.id, &self.mara.principal(), &query, &page).await.expect("hits");
        hits.items.len()
    }
}

async fn stored(test_store: &TestStore, message: &Message) -> Message {
    test_store.store().message(&message.id).await.expect("read").expect("a message")
}

fn step(id: &str) -> Step {
    Step {
        id: id.to_owned(),
        name: "search".to_owned(),
        input: Some(json!({"q": "x"})),
        output: Some(json!([1, 2])),
        is_error: false,
        started_at: Timestamp::from_millis(5),
        finished_at: Some(Timestamp::from_millis(9)),
    }
}

/// An ending with every field; it mentions Bela and an agent.
fn full_ending(fixture: &TwoPeopleFixture, agent: &Agent) -> StreamEnding {
    StreamEnding {
        state: State::Failed,
        reason: Some("the model fell silent".into()),
        text: NewText {
            body: "final words".into(),
            mentions: vec![fixture.bela.member(), agent.member()],
            deliveries: vec![Recipient { agent_id: agent.id.clone(), reason: DeliveryReason::Mention }],
        },
        content: Some(json!({"parts": 2})),
        steps: vec![step("s1"), step("s2")],
        calls: Calls::default(),
        usage: None,
        answer_to: None,
    }
}

/// The first body of a stream may be empty.
pub async fn a_stream_starts_as_a_streaming_message(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let message = test_store.stream(&fixture.coder, &fixture.general, "").await;
    assert_eq!((message.state, message.body.as_str(), message.seq), (State::Streaming, "", 1));
    assert_eq!(stored(&test_store, &message).await, message);
}

/// An ending sets state, reason, text, mentions, content and steps; other fields stay, and it is no edit.
pub async fn an_ending_sets_all_final_fields(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let tester = test_store.agent("Tester", &fixture.tour).await;
    let begun = test_store.stream(&fixture.coder, &fixture.general, "first").await;
    let ending = full_ending(&fixture, &tester);
    let finished = test_store.finish(&fixture.coder, &begun, ending.clone()).await;
    assert_eq!(finished, begun.clone().finished(&ending));
    assert_eq!(
        (finished.state, finished.body.as_str(), finished.steps.len(), finished.edited_at, finished.seq),
        (State::Failed, "final words", 2, None, begun.seq)
    );
    assert_eq!(stored(&test_store, &begun).await, finished);
    let last = test_store.events(&fixture.tour.id).await.pop().expect("an event");
    assert_eq!((last.change.name(), last.actor), ("messaging.finished", fixture.coder.author()));
}

/// A stream can end as complete, failed, cancelled or interrupted.
pub async fn every_final_state_is_stored(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    for state in [State::Complete, State::Failed, State::Cancelled, State::Interrupted] {
        let begun = test_store.stream(&fixture.coder, &fixture.general, "begun").await;
        let ending = StreamEnding { state, reason: Some("because".into()), ..test_store.ending("as far as it came") };
        test_store.finish(&fixture.coder, &begun, ending).await;
        let kept = stored(&test_store, &begun).await;
        assert_eq!((kept.state, kept.reason.as_deref()), (state, Some("because")));
    }
}

pub async fn an_ending_without_content_keeps_the_content(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let mut draft = test_store.draft(&fixture.coder, &fixture.general, "").streaming();
    draft.message.content = Some(json!({"kind": "answer"}));
    let begun = test_store.send(&fixture.coder, &draft).await;
    test_store.finish(&fixture.coder, &begun, test_store.ending("text")).await;
    assert_eq!(stored(&test_store, &begun).await.content, Some(json!({"kind": "answer"})));
}

/// Mentions that only the first body contained do not count any more.
pub async fn an_ending_delivers_to_the_mentions_of_the_final_text(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let tester = test_store.agent("Tester", &fixture.tour).await;
    let draft = test_store.draft(&fixture.coder, &fixture.general, "@Mara").streaming().mentioning(&fixture.mara);
    let begun = test_store.send(&fixture.coder, &draft).await;
    assert_eq!(fixture.unread(&test_store, &fixture.mara).await, (1, 1));
    test_store.finish(&fixture.coder, &begun, full_ending(&fixture, &tester)).await;
    assert_eq!(fixture.unread(&test_store, &fixture.mara).await, (1, 0));
    assert_eq!(fixture.unread(&test_store, &fixture.bela).await, (1, 1));
    assert_eq!(fixture.unread(&test_store, &tester).await, (1, 1));
    let inbox = test_store
        .store()
        .inbox(&tester.id, &InboxFilter::default(), &PageRequest::first())
        .await
        .expect("inbox")
        .items;
    assert_eq!(inbox[0].message, stored(&test_store, &begun).await);
}

/// Search and graph use only the final text.
pub async fn a_finished_message_is_found_by_its_final_text(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.coder, &fixture.general, "thinking").await;
    let nodes = test_store.store().graph(&fixture.tour.id, &fixture.mara.principal()).await.expect("graph").nodes.len();
    test_store.finish(&fixture.coder, &begun, full_ending(&fixture, &fixture.coder)).await;
    assert_eq!((fixture.found(&test_store, "thinking").await, fixture.found(&test_store, "final words").await), (0, 1));
    let graph = test_store.store().graph(&fixture.tour.id, &fixture.mara.principal()).await.expect("graph");
    assert_eq!(graph.nodes.len(), nodes + 1);
}

/// A repeated ending returns the position of the first, also after later changes.
pub async fn a_repeated_ending_returns_the_first_result(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.coder, &fixture.general, "").await;
    let ending = full_ending(&fixture, &fixture.coder);
    let first = fixture.end(&test_store, &begun, &ending).await;
    test_store.post(&fixture.mara, &fixture.general, "meanwhile").await;
    let before = test_store.snapshot(&fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let second = fixture.end(&test_store, &begun, &ending).await;
    assert_eq!((&second.change, &second.position), (&first.change, &first.position));
    assert_eq!((first.novelty, second.novelty), (Novelty::New, Novelty::Repeated));
    assert_eq!(test_store.snapshot(&fixture.tour, &[&fixture.mara, &fixture.coder]).await, before);
    test_store.edit(&fixture.coder, &begun, "edited").await;
    let third = fixture.end(&test_store, &begun, &ending).await;
    assert_eq!((third.novelty, third.position), (Novelty::Repeated, first.position));
    assert_eq!(stored(&test_store, &begun).await.body, "edited", "a retry leaves the edit");
}

/// A message that has ended cannot end differently; the refusal names its state.
pub async fn another_ending_is_refused(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.coder, &fixture.general, "").await;
    let first = StreamEnding { state: State::Interrupted, ..test_store.ending("partial") };
    fixture.end(&test_store, &begun, &first).await;
    let others = [
        test_store.ending("partial"),
        StreamEnding { state: State::Interrupted, ..test_store.ending("another text") },
        StreamEnding { reason: Some("late".into()), ..first.clone() },
        StreamEnding { steps: vec![step("s1")], ..first.clone() },
        StreamEnding { content: Some(json!(1)), ..first.clone() },
    ];
    let before = test_store.snapshot(&fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    for other in others {
        let refusal = fixture.refused_end(&test_store, &begun, &other).await;
        assert_eq!(refusal.code, Code::StreamEnded, "{other:?}");
        assert!(refusal.detail.contains("interrupted"), "{}", refusal.detail);
    }
    assert_eq!(test_store.snapshot(&fixture.tour, &[&fixture.mara, &fixture.coder]).await, before);
}

pub async fn a_plain_message_cannot_be_ended(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let message = test_store.post(&fixture.coder, &fixture.general, "plain").await;
    let refusal = fixture.refused_end(&test_store, &message, &test_store.ending("other")).await;
    assert_eq!((refusal.code, refusal.detail.contains("complete")), (Code::StreamEnded, true));
}

/// Removing a stream ends it; the producer gets the code `Removed`.
pub async fn a_removed_stream_cannot_be_ended(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.coder, &fixture.general, "begun").await;
    let removed = test_store.remove(&fixture.mara, &begun).await;
    assert_eq!(removed.state, State::Cancelled);
    assert_eq!(stored(&test_store, &begun).await, removed);
    assert_eq!(fixture.refused_end(&test_store, &begun, &test_store.ending("late")).await.code, Code::Removed);
    assert_eq!(stored(&test_store, &begun).await, removed);
    assert_eq!(fixture.found(&test_store, "late").await, 0);
}

pub async fn a_stream_can_be_edited_only_after_its_end(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.coder, &fixture.general, "begun").await;
    let text = NewText { body: "edited".into(), mentions: Vec::new(), deliveries: Vec::new() };
    let edit = Write::EditMessage(begun.id.clone(), text);
    assert_eq!(test_store.refusal(&fixture.tour.id, &fixture.coder, edit).await, Code::StreamOpen);
    assert_eq!(stored(&test_store, &begun).await, begun);
    test_store.finish(&fixture.coder, &begun, test_store.ending("done")).await;
    assert_eq!(test_store.edit(&fixture.coder, &begun, "edited").await.state, State::Complete);
}

pub async fn a_stream_in_an_archived_channel_can_end(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.coder, &fixture.general, "begun").await;
    let archival = Write::ArchiveChannel(fixture.general.id.clone(), Archival::Archived);
    test_store.change(&fixture.tour.id, &fixture.mara, archival).await;
    assert_eq!(test_store.finish(&fixture.coder, &begun, test_store.ending("done")).await.body, "done");
}

/// A refused ending, and one with the state `Streaming`, leaves the stream open and changes nothing.
pub async fn a_refused_ending_leaves_the_stream_open(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let begun = test_store.stream(&fixture.coder, &fixture.general, "begun").await;
    let before = test_store.snapshot(&fixture.tour, &[&fixture.mara, &fixture.coder]).await;
    let mut to_nobody = test_store.ending("never said");
    to_nobody.text.mentions.push(MemberId::Person(parlour_core::id::PersonId::from_bits(test_store.bits())));
    let open = StreamEnding { state: State::Streaming, ..test_store.ending("never said") };
    for (ending, code) in [(to_nobody, Code::NotFound), (open, Code::StreamOpen)] {
        assert_eq!(fixture.refused_end(&test_store, &begun, &ending).await.code, code);
        assert_eq!(test_store.snapshot(&fixture.tour, &[&fixture.mara, &fixture.coder]).await, before);
        assert_eq!(fixture.found(&test_store, "never").await, 0);
    }
    assert_eq!(stored(&test_store, &begun).await, begun);
}
