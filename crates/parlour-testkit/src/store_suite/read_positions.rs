//! Unread counts of people by their read position.

use std::collections::BTreeMap;

use parlour_core::{
    event::Change,
    id::ConversationId,
    inbox::{ConversationUnread, ReadMark},
    member::Person,
    write::Write,
};
use tokio::task::JoinSet;

use super::fixtures::TwoPeopleFixture;
use crate::test_store::{PostTarget, TestMember, TestStore};

/// A number of people for which one row per person would be noticeably slow.
const CROWD: usize = 1_000;

/// The conversations in which the caller has unread messages.
async fn unread(
    test_store: &TestStore,
    fixture: &TwoPeopleFixture,
    caller: &dyn TestMember,
) -> BTreeMap<ConversationId, ConversationUnread> {
    let rows = test_store.store().unread(&fixture.tour.id, &caller.principal()).await.expect("unread");
    rows.into_iter().filter(|row| row.unread > 0).map(|row| (row.conversation_id.clone(), row)).collect()
}

/// Unread messages and mentions, read position and last number of the channel; none if everything is read.
async fn row(
    test_store: &TestStore,
    fixture: &TwoPeopleFixture,
    caller: &dyn TestMember,
) -> Option<(u64, u64, u64, u64)> {
    let rows = unread(test_store, fixture, caller).await;
    rows.get(&fixture.general.conversation_id()).map(|row| (row.unread, row.mentions, row.read_seq, row.last_seq))
}

/// All messages after the read position are unread; mentions of the reader are counted separately.
pub async fn everything_after_the_read_position_is_unread(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let first = test_store.post(&fixture.mara, &fixture.general, "one").await;
    test_store
        .send(&fixture.mara, &test_store.draft(&fixture.mara, &fixture.general, "@Bela two").mentioning(&fixture.bela))
        .await;
    test_store.post(&fixture.mara, &fixture.general, "three").await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, Some((3, 1, 0, 3)));
    test_store.read(&fixture.bela, &first).await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, Some((2, 1, 1, 3)));
}

pub async fn reading_a_message_reads_all_before_it(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    test_store.post(&fixture.mara, &fixture.general, "one").await;
    let second = test_store.post(&fixture.mara, &fixture.general, "two").await;
    let third = test_store.post(&fixture.mara, &fixture.general, "three").await;
    test_store.read(&fixture.bela, &second).await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, Some((1, 0, 2, 3)));
    test_store.read(&fixture.bela, &third).await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, None);
}

/// Reading an older message changes nothing.
pub async fn a_read_position_never_goes_back(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let first = test_store.post(&fixture.mara, &fixture.general, "one").await;
    let second = test_store.post(&fixture.mara, &fixture.general, "two").await;
    test_store.post(&fixture.mara, &fixture.general, "three").await;
    test_store.read(&fixture.bela, &second).await;
    for read in [&first, &second] {
        let mark = Write::MarkRead(read.id.clone(), fixture.bela.member());
        test_store.repeat(&fixture.tour.id, &fixture.bela, mark).await;
        assert_eq!(row(&test_store, &fixture, &fixture.bela).await, Some((1, 0, 2, 3)));
    }
}

/// The event of a read message contains the number of unread messages, without removed ones.
pub async fn a_read_mark_counts_the_remaining_unread_messages(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let mut posts = Vec::new();
    for body in ["one", "two", "three", "four"] {
        posts.push(test_store.post(&fixture.mara, &fixture.general, body).await);
    }
    test_store.remove(&fixture.mara, &posts[2]).await;
    let mark = Write::MarkRead(posts[0].id.clone(), fixture.bela.member());
    let expected = ReadMark {
        reader: fixture.bela.member(),
        conversation_id: fixture.general.conversation_id(),
        seq: 1,
        unread: 2,
    };
    let expected = Change::Read(Box::new(expected));
    assert_eq!(test_store.change(&fixture.tour.id, &fixture.bela, mark.clone()).await, expected);
    assert_eq!(test_store.repeat(&fixture.tour.id, &fixture.bela, mark).await, expected);
    test_store.post(&fixture.mara, &fixture.general, "five").await;
    let marks = test_store.events(&fixture.tour.id).await.into_iter().map(|event| event.change);
    assert_eq!(marks.filter(|change| matches!(change, Change::Read(_))).collect::<Vec<_>>(), [expected]);
}

pub async fn a_post_advances_the_read_position_of_its_author(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    test_store.post(&fixture.mara, &fixture.general, "one").await;
    assert_eq!(row(&test_store, &fixture, &fixture.mara).await, None);
    test_store.post(&fixture.bela, &fixture.general, "two").await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, None);
    test_store.post(&fixture.mara, &fixture.general, "three").await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, Some((1, 0, 2, 3)));
}

/// A removed message and its mention do not count; removing a message that was read changes no count.
pub async fn a_removed_message_is_not_unread(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let first = test_store.post(&fixture.mara, &fixture.general, "one").await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "@Bela two").mentioning(&fixture.bela);
    let second = test_store.send(&fixture.mara, &draft).await;
    test_store.post(&fixture.mara, &fixture.general, "three").await;
    test_store.read(&fixture.bela, &first).await;
    test_store.remove(&fixture.mara, &first).await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, Some((2, 1, 1, 3)));
    test_store.remove(&fixture.mara, &second).await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, Some((1, 0, 1, 3)));
}

/// A mention that an edit adds is counted, and one that it removes is not.
pub async fn an_edit_changes_the_count_of_mentions(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let draft = test_store.draft(&fixture.mara, &fixture.general, "@Bela").mentioning(&fixture.bela);
    let message = test_store.send(&fixture.mara, &draft).await;
    test_store.edit(&fixture.mara, &message, "never mind").await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, Some((1, 0, 0, 1)));
    let text = parlour_core::write::NewText {
        body: "@Bela after all".into(),
        mentions: vec![fixture.bela.member()],
        deliveries: Vec::new(),
    };
    test_store.change(&fixture.tour.id, &fixture.mara, Write::EditMessage(message.id, text)).await;
    assert_eq!(row(&test_store, &fixture, &fixture.bela).await, Some((1, 1, 0, 1)));
}

pub async fn each_conversation_is_counted_separately(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let root = test_store.post(&fixture.mara, &fixture.general, "root").await;
    let thread = test_store.thread(&fixture.general, &root).await;
    let dm = test_store.dm(&fixture.tour, &[&fixture.mara, &fixture.bela]).await;
    for body in ["one", "two"] {
        test_store.post(&fixture.mara, &thread, body).await;
    }
    for body in ["one", "two", "three"] {
        test_store.post(&fixture.mara, &dm, body).await;
    }
    let counts = async || {
        let rows = unread(&test_store, &fixture, &fixture.bela).await;
        [fixture.general.conversation_id(), thread.conversation_id(), dm.conversation_id()]
            .map(|id| rows.get(&id).map_or(0, |row| row.unread))
    };
    assert_eq!(counts().await, [1, 2, 3]);
    test_store.read(&fixture.bela, &test_store.history(&thread.conversation_id()).await[1]).await;
    assert_eq!(counts().await, [1, 0, 3]);
    let sorts = unread(&test_store, &fixture, &fixture.bela).await;
    assert!(sorts.iter().all(|(id, row)| row.conversation_type == id.conversation_type()));
}

pub async fn messages_of_another_project_are_not_counted(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let fair = test_store.project("Fair", &fixture.mara).await;
    test_store.join(&fixture.bela, &fair).await;
    test_store.post(&fixture.mara, &test_store.channel("hall", &fair).await, "elsewhere").await;
    assert_eq!(unread(&test_store, &fixture, &fixture.bela).await, BTreeMap::new());
}

/// A post is one event, and unread for each of a thousand people.
pub async fn a_post_to_a_thousand_people_is_one_event(test_store: TestStore) {
    let fixture = TwoPeopleFixture::new(&test_store).await;
    let crowd = gather_crowd(&test_store, &fixture).await;
    let before = test_store.store().end_of_log(&fixture.tour.id).await.expect("end").expect("a log").offset();
    let message = test_store.post(&fixture.mara, &fixture.general, "hello all").await;
    let end = test_store.store().end_of_log(&fixture.tour.id).await.expect("end").expect("a log").offset();
    assert_eq!(end, before + 1);
    for person in crowd.iter().step_by(CROWD / 10) {
        assert_eq!(row(&test_store, &fixture, person).await, Some((1, 0, 0, 1)));
    }
    test_store.read(&crowd[0], &message).await;
    assert_eq!(row(&test_store, &fixture, &crowd[0]).await, None);
    assert_eq!(row(&test_store, &fixture, &crowd[1]).await, Some((1, 0, 0, 1)));
}

async fn gather_crowd(test_store: &TestStore, fixture: &TwoPeopleFixture) -> Vec<Person> {
    let mut joins = JoinSet::new();
    for number in 0..CROWD {
        let (test_store, tour) = (test_store.clone(), fixture.tour.clone());
        joins.spawn(async move { test_store.member(&format!("Guest {number}"), &tour).await });
    }
    joins.join_all().await
}
