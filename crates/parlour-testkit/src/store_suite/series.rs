//! AppendedBatch: several changes in one write, in their order, up to the first that is refused.

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

use crate::world::{Caller, World};
use parlour_hub::ports::AppendedBatch;

/// Messages in a series.
const COUNT: usize = 100;

struct Stage {
    mara: Person,
    tour: Project,
    general: Channel,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage { general: world.channel("general", &tour).await, mara, tour }
}

impl Stage {
    fn entry(&self, world: &World, write: Write) -> Entry {
        Entry { project_id: self.tour.id.clone(), attribution: self.mara.principal().attribution(world.now()), write }
    }

    /// Posts with these texts.
    fn posts(&self, world: &World, texts: &[&str]) -> Vec<Entry> {
        let post = |text: &&str| self.entry(world, world.draft(&self.mara, &self.general, text).write());
        texts.iter().map(post).collect()
    }

    async fn texts(&self, world: &World) -> Vec<String> {
        let history = world.history(&self.general.id.clone().into()).await;
        history.into_iter().map(|message| message.body).collect()
    }
}

fn messages(series: &AppendedBatch) -> Vec<Message> {
    let message = |change: &Change| match change {
        Change::MessagePosted(message) => (**message).clone(),
        other => unreachable!("a post answers a message, not {other:?}"),
    };
    series.appended.iter().map(|appended| message(&appended.change)).collect()
}

/// The changes get numbers one after the other, and so do their events.
pub async fn a_series_is_made_in_its_order(world: World) {
    let stage = stage(&world).await;
    let texts: Vec<String> = (0..COUNT).map(|number| format!("number {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let series = world.store().append_all(stage.posts(&world, &texts)).await.expect("made");
    assert_eq!(
        (series.refusal.as_ref(), stage.texts(&world).await),
        (None, texts.iter().map(|&text| text.into()).collect())
    );
    let seqs: Vec<u64> = messages(&series).iter().map(|message| message.seq).collect();
    assert_eq!(seqs, (1..=COUNT as u64).collect::<Vec<_>>());
    let offsets: Vec<u64> = series.appended.iter().map(|appended| appended.position.offset()).collect();
    assert!(offsets.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{offsets:?}");
}

/// However many write at the same time, what belongs together stands together.
pub async fn nobody_comes_between_the_changes_of_a_series(world: World) {
    let stage = stage(&world).await;
    let mut writers = JoinSet::new();
    for writer in 0..8 {
        let entries = stage.posts(&world, &[format!("series {writer}").as_str(); 20]);
        let (world, alone) = (world.clone(), stage.posts(&world, &["alone"]));
        writers.spawn(async move {
            world.store().append_all(entries).await.expect("made");
            world.store().append(alone.into_iter().next().expect("one")).await.expect("made");
        });
    }
    writers.join_all().await;
    let mut runs: Vec<String> = stage.texts(&world).await;
    runs.retain(|text| text != "alone");
    runs.dedup();
    assert_eq!(runs.len(), 8, "{runs:?}");
}

/// Those before the refused one are made, those after it are not.
pub async fn the_first_refusal_ends_a_series(world: World) {
    let stage = stage(&world).await;
    let mut entries = stage.posts(&world, &["one", "two", "three"]);
    entries.insert(2, stage.entry(&world, Write::RemoveMessage(MessageId::from_bits(world.bits()))));
    let series = world.store().append_all(entries).await.expect("made in part");
    assert_eq!(series.refusal.as_ref().map(|refusal| refusal.code), Some(Code::NotFound));
    assert_eq!((series.appended.len(), stage.texts(&world).await), (2, vec!["one".to_owned(), "two".to_owned()]));
}

/// Not even a refusal that is found out late leaves anything behind, and the next write goes on without a gap.
pub async fn what_a_series_refuses_leaves_no_trace(world: World) {
    let stage = stage(&world).await;
    let known = world.post(&stage.mara, &stage.general, "known").await;
    let before = world.snapshot(&stage.tour, &[&stage.mara]).await;
    let other = world.draft(&stage.mara, &stage.general, "other").under_id(&known.id);
    let series = world.store().append_all(vec![stage.entry(&world, other.write())]).await.expect("an answer");
    assert_eq!(series.refusal.map(|refusal| refusal.code), Some(Code::ClientIdReused));
    assert_eq!(world.snapshot(&stage.tour, &[&stage.mara]).await, before);
    assert_eq!(world.post(&stage.mara, &stage.general, "next").await.seq, known.seq + 1);
}

/// The same series again is answered as the first time and writes nothing.
pub async fn a_repeated_series_changes_nothing(world: World) {
    let stage = stage(&world).await;
    let entries = stage.posts(&world, &["one", "two"]);
    let first = world.store().append_all(entries.clone()).await.expect("made");
    let before = world.snapshot(&stage.tour, &[&stage.mara]).await;
    let again = world.store().append_all(entries).await.expect("repeated");
    assert!(again.appended.iter().all(|appended| appended.novelty == Novelty::Repeated));
    assert_eq!((messages(&again), again.refusal.as_ref()), (messages(&first), None));
    assert_eq!(world.snapshot(&stage.tour, &[&stage.mara]).await, before);
}

/// No changes are no write.
pub async fn a_series_of_nothing_is_nothing(world: World) {
    let series = world.store().append_all(Vec::new()).await.expect("nothing");
    assert_eq!(series, AppendedBatch { appended: Vec::new(), refusal: None });
}

/// Whoever watches hears of each change that was made, in order, and of no other.
pub async fn every_event_of_a_series_is_told_in_order(world: World) {
    let stage = stage(&world).await;
    let mut watched = world.store().watch();
    let mut entries = stage.posts(&world, &["one", "two", "three"]);
    entries.insert(2, stage.entry(&world, Write::RemoveMessage(MessageId::from_bits(world.bits()))));
    let series = world.store().append_all(entries).await.expect("made in part");
    let told: Vec<Change> = std::iter::from_fn(|| watched.try_recv().ok()).map(|event| event.change).collect();
    let made: Vec<Change> = series.appended.into_iter().map(|appended| appended.change).collect();
    assert_eq!((told.len(), told), (2, made));
}

/// A message of somebody whom only another system knew is kept as it is, at its own time. Who brings it has not read by
/// that, and is the one whom the event names.
pub async fn a_foreign_author_moves_nobodys_read_position(world: World) {
    let stage = stage(&world).await;
    let mut draft = world.draft(&stage.mara, &stage.general, "from elsewhere");
    let from = Author { author_type: AuthorType::Agent, id: Some("pynchy:7".into()), name: "Old Coder".into() };
    (draft.message.from, draft.message.created_at) = (from.clone(), Timestamp::from_millis(5));
    let entry = stage.entry(&world, draft.write());
    let (actor, at) = (entry.attribution.actor.clone(), entry.attribution.at);
    let series = world.store().append_all(vec![entry]).await.expect("made");
    let message = messages(&series).remove(0);
    assert_eq!((&message.from, message.created_at), (&from, Timestamp::from_millis(5)));
    assert_eq!(world.store().message(&message.id).await.expect("read"), Some(message));
    let offset = series.appended[0].position.offset();
    let event = world.store().events_after(&stage.tour.id, offset - 1, 1).await.expect("events").remove(0);
    assert_eq!((event.actor, event.at), (actor, at));
    let unread = world.store().unread(&stage.tour.id, &stage.mara.principal()).await.expect("unread");
    assert_eq!(unread.iter().map(|one| one.unread).collect::<Vec<_>>(), [1]);
}
