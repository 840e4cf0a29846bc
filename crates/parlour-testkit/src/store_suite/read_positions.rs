//! What people have not read: everything after their read position.

use std::collections::BTreeMap;

use parlour_core::{
    conversation::Channel,
    event::Change,
    id::ConversationId,
    inbox::{ConversationUnread, ReadMark},
    member::Person,
    project::Project,
    write::Write,
};
use tokio::task::JoinSet;

use crate::world::{Caller, Place, World};

/// The size of a crowd for which a row per person would be felt.
const CROWD: usize = 1_000;

struct Stage {
    mara: Person,
    bela: Person,
    tour: Project,
    general: Channel,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage { bela: world.member("Bela", &tour).await, general: world.channel("general", &tour).await, mara, tour }
}

/// What the caller has not read, for conversations with something unread.
async fn unread(world: &World, stage: &Stage, caller: &dyn Caller) -> BTreeMap<ConversationId, ConversationUnread> {
    let rows = world.store().unread(&stage.tour.id, &caller.principal()).await.expect("unread");
    rows.into_iter().filter(|row| row.unread > 0).map(|row| (row.conversation_id.clone(), row)).collect()
}

/// Unread messages and mentions, read position and end of the channel, as one row; nothing when all is read.
async fn row(world: &World, stage: &Stage, caller: &dyn Caller) -> Option<(u64, u64, u64, u64)> {
    let rows = unread(world, stage, caller).await;
    rows.get(&stage.general.conversation_id()).map(|row| (row.unread, row.mentions, row.read_seq, row.last_seq))
}

/// Everything after the read position is unread; the mentions of the reader among it are counted apart.
pub async fn everything_after_the_read_position_is_unread(world: World) {
    let stage = stage(&world).await;
    let first = world.post(&stage.mara, &stage.general, "one").await;
    world.send(&stage.mara, &world.draft(&stage.mara, &stage.general, "@Bela two").mentioning(&stage.bela)).await;
    world.post(&stage.mara, &stage.general, "three").await;
    assert_eq!(row(&world, &stage, &stage.bela).await, Some((3, 1, 0, 3)));
    world.read(&stage.bela, &first).await;
    assert_eq!(row(&world, &stage, &stage.bela).await, Some((2, 1, 1, 3)));
}

/// Reading a message reads all before it, and the last one reads everything.
pub async fn reading_a_message_reads_all_before_it(world: World) {
    let stage = stage(&world).await;
    world.post(&stage.mara, &stage.general, "one").await;
    let second = world.post(&stage.mara, &stage.general, "two").await;
    let third = world.post(&stage.mara, &stage.general, "three").await;
    world.read(&stage.bela, &second).await;
    assert_eq!(row(&world, &stage, &stage.bela).await, Some((1, 0, 2, 3)));
    world.read(&stage.bela, &third).await;
    assert_eq!(row(&world, &stage, &stage.bela).await, None);
}

/// A read position never goes back: reading something older is no change.
pub async fn a_read_position_never_goes_back(world: World) {
    let stage = stage(&world).await;
    let first = world.post(&stage.mara, &stage.general, "one").await;
    let second = world.post(&stage.mara, &stage.general, "two").await;
    world.post(&stage.mara, &stage.general, "three").await;
    world.read(&stage.bela, &second).await;
    for read in [&first, &second] {
        let mark = Write::MarkRead(read.id.clone(), stage.bela.member());
        world.repeat(&stage.tour.id, &stage.bela, mark).await;
        assert_eq!(row(&world, &stage, &stage.bela).await, Some((1, 0, 2, 3)));
    }
}

/// A read mark says how many messages the reader still has unread, removed ones not counted, and the log keeps it.
pub async fn a_read_mark_says_what_a_person_has_left_unread(world: World) {
    let stage = stage(&world).await;
    let mut posts = Vec::new();
    for body in ["one", "two", "three", "four"] {
        posts.push(world.post(&stage.mara, &stage.general, body).await);
    }
    world.remove(&stage.mara, &posts[2]).await;
    let mark = Write::MarkRead(posts[0].id.clone(), stage.bela.member());
    let expected =
        ReadMark { reader: stage.bela.member(), conversation_id: stage.general.conversation_id(), seq: 1, unread: 2 };
    let expected = Change::Read(Box::new(expected));
    assert_eq!(world.change(&stage.tour.id, &stage.bela, mark.clone()).await, expected);
    assert_eq!(world.repeat(&stage.tour.id, &stage.bela, mark).await, expected);
    world.post(&stage.mara, &stage.general, "five").await;
    let marks = world.events(&stage.tour.id).await.into_iter().map(|event| event.change);
    assert_eq!(marks.filter(|change| matches!(change, Change::Read(_))).collect::<Vec<_>>(), [expected]);
}

/// Who writes has read up to the own message.
pub async fn a_post_advances_the_read_position_of_its_author(world: World) {
    let stage = stage(&world).await;
    world.post(&stage.mara, &stage.general, "one").await;
    assert_eq!(row(&world, &stage, &stage.mara).await, None);
    world.post(&stage.bela, &stage.general, "two").await;
    assert_eq!(row(&world, &stage, &stage.bela).await, None);
    world.post(&stage.mara, &stage.general, "three").await;
    assert_eq!(row(&world, &stage, &stage.bela).await, Some((1, 0, 2, 3)));
}

/// A removed message is not unread any more, nor is its mention; one that was read already changes no count.
pub async fn a_removed_message_is_not_unread(world: World) {
    let stage = stage(&world).await;
    let first = world.post(&stage.mara, &stage.general, "one").await;
    let draft = world.draft(&stage.mara, &stage.general, "@Bela two").mentioning(&stage.bela);
    let second = world.send(&stage.mara, &draft).await;
    world.post(&stage.mara, &stage.general, "three").await;
    world.read(&stage.bela, &first).await;
    world.remove(&stage.mara, &first).await;
    assert_eq!(row(&world, &stage, &stage.bela).await, Some((2, 1, 1, 3)));
    world.remove(&stage.mara, &second).await;
    assert_eq!(row(&world, &stage, &stage.bela).await, Some((1, 0, 1, 3)));
}

/// A mention that comes with an edit is counted, and one that goes with it is not.
pub async fn an_edit_changes_the_count_of_mentions(world: World) {
    let stage = stage(&world).await;
    let draft = world.draft(&stage.mara, &stage.general, "@Bela").mentioning(&stage.bela);
    let message = world.send(&stage.mara, &draft).await;
    world.edit(&stage.mara, &message, "never mind").await;
    assert_eq!(row(&world, &stage, &stage.bela).await, Some((1, 0, 0, 1)));
    let text = parlour_core::write::NewText {
        body: "@Bela after all".into(),
        mentions: vec![stage.bela.member()],
        deliveries: Vec::new(),
    };
    world.change(&stage.tour.id, &stage.mara, Write::EditMessage(message.id, text)).await;
    assert_eq!(row(&world, &stage, &stage.bela).await, Some((1, 1, 0, 1)));
}

/// Each conversation is counted for itself: channels, threads and dms.
pub async fn each_conversation_is_counted_for_itself(world: World) {
    let stage = stage(&world).await;
    let root = world.post(&stage.mara, &stage.general, "root").await;
    let thread = world.thread(&stage.general, &root).await;
    let dm = world.dm(&stage.tour, &[&stage.mara, &stage.bela]).await;
    for body in ["one", "two"] {
        world.post(&stage.mara, &thread, body).await;
    }
    for body in ["one", "two", "three"] {
        world.post(&stage.mara, &dm, body).await;
    }
    let counts = async || {
        let rows = unread(&world, &stage, &stage.bela).await;
        [stage.general.conversation_id(), thread.conversation_id(), dm.conversation_id()]
            .map(|id| rows.get(&id).map_or(0, |row| row.unread))
    };
    assert_eq!(counts().await, [1, 2, 3]);
    world.read(&stage.bela, &world.history(&thread.conversation_id()).await[1]).await;
    assert_eq!(counts().await, [1, 0, 3]);
    let sorts = unread(&world, &stage, &stage.bela).await;
    assert!(sorts.iter().all(|(id, row)| row.conversation_type == id.conversation_type()));
}

/// Another project's messages are not counted here.
pub async fn another_projects_messages_are_not_counted(world: World) {
    let stage = stage(&world).await;
    let fair = world.project("Fair", &stage.mara).await;
    world.join(&stage.bela, &fair).await;
    world.post(&stage.mara, &world.channel("hall", &fair).await, "elsewhere").await;
    assert_eq!(unread(&world, &stage, &stage.bela).await, BTreeMap::new());
}

/// A post to a thousand people is one event, and each of them has it unread until reading it.
pub async fn a_post_to_a_thousand_people_is_one_event(world: World) {
    let stage = stage(&world).await;
    let crowd = gather_crowd(&world, &stage).await;
    let before = world.store().end_of_log(&stage.tour.id).await.expect("end").expect("a log").offset();
    let message = world.post(&stage.mara, &stage.general, "hello all").await;
    let end = world.store().end_of_log(&stage.tour.id).await.expect("end").expect("a log").offset();
    assert_eq!(end, before + 1);
    for person in crowd.iter().step_by(CROWD / 10) {
        assert_eq!(row(&world, &stage, person).await, Some((1, 0, 0, 1)));
    }
    world.read(&crowd[0], &message).await;
    assert_eq!(row(&world, &stage, &crowd[0]).await, None);
    assert_eq!(row(&world, &stage, &crowd[1]).await, Some((1, 0, 0, 1)));
}

async fn gather_crowd(world: &World, stage: &Stage) -> Vec<Person> {
    let mut joins = JoinSet::new();
    for number in 0..CROWD {
        let (world, tour) = (world.clone(), stage.tour.clone());
        joins.spawn(async move { world.member(&format!("Guest {number}"), &tour).await });
    }
    joins.join_all().await
}
