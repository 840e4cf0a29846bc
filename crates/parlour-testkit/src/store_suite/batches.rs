//! Batches of writes: several changes in one transaction, in order, up to the first refusal.

use parlour_core::{
    Code, Timestamp,
    author::{Author, AuthorType},
    conversation::Channel,
    event::Change,
    id::MessageId,
    member::Person,
    message::Message,
    project::Project,
    write::{Entry, Novelty, Write},
};
use tokio::task::JoinSet;

use crate::test_store::{TestMember, TestStore};
use parlour_hub::ports::AppendedBatch;

/// Messages in a batch.
const COUNT: usize = 100;

struct BatchFixture {
    mara: Person,
    tour: Project,
    general: Channel,
}

async fn fixture(test_store: &TestStore) -> BatchFixture {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    BatchFixture { general: test_store.channel("general", &tour).await, mara, tour }
}

impl BatchFixture {
    fn entry(&self, test_store: &TestStore, write: Write) -> Entry {
        Entry {
            project_id: self.tour.id.clone(),
            attribution: self.mara.principal().attribution(test_store.now()),
            write,
        }
    }

    /// The writes that post these texts.
    fn posts(&self, test_store: &TestStore, texts: &[&str]) -> Vec<Entry> {
        let post = |text: &&str| self.entry(test_store, test_store.draft(&self.mara, &self.general, text).write());
        texts.iter().map(post).collect()
    }

    async fn texts(&self, test_store: &TestStore) -> Vec<String> {
        let history = test_store.history(&self.general.id.clone().into()).await;
        history.into_iter().map(|message| message.body).collect()
    }
}

fn messages(batch: &AppendedBatch) -> Vec<Message> {
    let message = |change: &Change| match change {
        Change::MessagePosted(message) => (**message).clone(),
        other => unreachable!("a post answers a message, not {other:?}"),
    };
    batch.appended.iter().map(|appended| message(&appended.change)).collect()
}

/// Messages and events of a batch get consecutive numbers.
pub async fn a_batch_is_written_in_order(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let texts: Vec<String> = (0..COUNT).map(|number| format!("number {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let batch = test_store.store().append_all(fixture.posts(&test_store, &texts)).await.expect("made");
    assert_eq!(
        (batch.refusal.as_ref(), fixture.texts(&test_store).await),
        (None, texts.iter().map(|&text| text.into()).collect())
    );
    let seqs: Vec<u64> = messages(&batch).iter().map(|message| message.seq).collect();
    assert_eq!(seqs, (1..=COUNT as u64).collect::<Vec<_>>());
    let offsets: Vec<u64> = batch.appended.iter().map(|appended| appended.position.offset()).collect();
    assert!(offsets.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{offsets:?}");
}

pub async fn no_other_write_comes_between_the_changes_of_a_batch(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let mut writers = JoinSet::new();
    for writer in 0..8 {
        let entries = fixture.posts(&test_store, &[format!("batch {writer}").as_str(); 20]);
        let (test_store, alone) = (test_store.clone(), fixture.posts(&test_store, &["alone"]));
        writers.spawn(async move {
            test_store.store().append_all(entries).await.expect("made");
            test_store.store().append(alone.into_iter().next().expect("one")).await.expect("made");
        });
    }
    writers.join_all().await;
    let mut runs: Vec<String> = fixture.texts(&test_store).await;
    runs.retain(|text| text != "alone");
    runs.dedup();
    assert_eq!(runs.len(), 8, "{runs:?}");
}

/// The entries before the refused one are written, the others are not.
pub async fn the_first_refusal_ends_a_batch(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let mut entries = fixture.posts(&test_store, &["one", "two", "three"]);
    entries.insert(2, fixture.entry(&test_store, Write::RemoveMessage(MessageId::from_bits(test_store.bits()))));
    let batch = test_store.store().append_all(entries).await.expect("made in part");
    assert_eq!(batch.refusal.as_ref().map(|refusal| refusal.code), Some(Code::NotFound));
    assert_eq!((batch.appended.len(), fixture.texts(&test_store).await), (2, vec!["one".to_owned(), "two".to_owned()]));
}

/// This also holds for a refusal that is detected late; the next write continues without a gap.
pub async fn a_refused_entry_of_a_batch_changes_nothing(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let known = test_store.post(&fixture.mara, &fixture.general, "known").await;
    let before = test_store.snapshot(&fixture.tour, &[&fixture.mara]).await;
    let other = test_store.draft(&fixture.mara, &fixture.general, "other").with_id(&known.id);
    let batch =
        test_store.store().append_all(vec![fixture.entry(&test_store, other.write())]).await.expect("an answer");
    assert_eq!(batch.refusal.map(|refusal| refusal.code), Some(Code::ClientIdReused));
    assert_eq!(test_store.snapshot(&fixture.tour, &[&fixture.mara]).await, before);
    assert_eq!(test_store.post(&fixture.mara, &fixture.general, "next").await.seq, known.seq + 1);
}

/// The same batch again returns the first result and writes nothing.
pub async fn a_repeated_batch_changes_nothing(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let entries = fixture.posts(&test_store, &["one", "two"]);
    let first = test_store.store().append_all(entries.clone()).await.expect("made");
    let before = test_store.snapshot(&fixture.tour, &[&fixture.mara]).await;
    let again = test_store.store().append_all(entries).await.expect("repeated");
    assert!(again.appended.iter().all(|appended| appended.novelty == Novelty::Repeated));
    assert_eq!((messages(&again), again.refusal.as_ref()), (messages(&first), None));
    assert_eq!(test_store.snapshot(&fixture.tour, &[&fixture.mara]).await, before);
}

pub async fn an_empty_batch_changes_nothing(test_store: TestStore) {
    let batch = test_store.store().append_all(Vec::new()).await.expect("nothing");
    assert_eq!(batch, AppendedBatch { appended: Vec::new(), refusal: None });
}

/// A watcher gets the event of each written entry, in order, and no other.
pub async fn watchers_get_the_events_of_a_batch_in_order(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let mut watched = test_store.store().watch();
    let mut entries = fixture.posts(&test_store, &["one", "two", "three"]);
    entries.insert(2, fixture.entry(&test_store, Write::RemoveMessage(MessageId::from_bits(test_store.bits()))));
    let batch = test_store.store().append_all(entries).await.expect("made in part");
    let received: Vec<Change> = std::iter::from_fn(|| watched.try_recv().ok()).map(|event| event.change).collect();
    let made: Vec<Change> = batch.appended.into_iter().map(|appended| appended.change).collect();
    assert_eq!((received.len(), received), (2, made));
}

/// The message keeps its foreign author and its own time. The event names the member who imports it, whose read
/// position does not move.
pub async fn a_message_of_a_foreign_author_advances_no_read_position(test_store: TestStore) {
    let fixture = fixture(&test_store).await;
    let mut draft = test_store.draft(&fixture.mara, &fixture.general, "from elsewhere");
    let from = Author { author_type: AuthorType::Agent, id: Some("pynchy:7".into()), name: "Old Coder".into() };
    (draft.message.from, draft.message.created_at) = (from.clone(), Timestamp::from_millis(5));
    let entry = fixture.entry(&test_store, draft.write());
    let (actor, at) = (entry.attribution.actor.clone(), entry.attribution.at);
    let batch = test_store.store().append_all(vec![entry]).await.expect("made");
    let message = messages(&batch).remove(0);
    assert_eq!((&message.from, message.created_at), (&from, Timestamp::from_millis(5)));
    assert_eq!(test_store.store().message(&message.id).await.expect("read"), Some(message));
    let offset = batch.appended[0].position.offset();
    let event = test_store.store().events_after(&fixture.tour.id, offset - 1, 1).await.expect("events").remove(0);
    assert_eq!((event.actor, event.at), (actor, at));
    let unread = test_store.store().unread(&fixture.tour.id, &fixture.mara.principal()).await.expect("unread");
    assert_eq!(unread.iter().map(|one| one.unread).collect::<Vec<_>>(), [1]);
}
