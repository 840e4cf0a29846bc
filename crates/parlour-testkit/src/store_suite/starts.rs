//! Starts of the hub: the tags of positions, and the end of each log at the end of a start.

use parlour_core::{id::ProjectId, position::StartTag, write::Write};

use crate::test_store::{TestMember, TestStore};

fn tag(number: u8) -> StartTag {
    StartTag::from_random([number; 8])
}

async fn begin(test_store: &TestStore, number: u8) {
    test_store.store().begin_start(tag(number)).await.expect("begun");
}

async fn end_of(test_store: &TestStore, project: &ProjectId, number: u8) -> Option<u64> {
    test_store.store().end_of_start(project, tag(number)).await.expect("read")
}

/// Also positions of events, snapshots and results that are older than the start.
pub async fn positions_carry_the_tag_of_the_running_start(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let general = test_store.channel("general", &tour).await;
    let end = || async { test_store.store().end_of_log(&tour.id).await.expect("end").expect("a log") };
    assert_eq!(end().await.start_tag(), None, "no start was begun");
    begin(&test_store, 1).await;
    begin(&test_store, 2).await;
    assert_eq!(end().await.start_tag(), Some(tag(2)));
    let draft = test_store.draft(&mara, &general, "hello");
    for _ in ["first", "repeated"] {
        let appended = test_store.append(&tour.id, &mara, draft.write()).await.expect("stored");
        assert_eq!(appended.position.start_tag(), Some(tag(2)));
    }
    for event in test_store.events(&tour.id).await {
        assert_eq!(event.position.start_tag(), Some(tag(2)), "{event:?}");
    }
}

/// Whether a log changed during a start or not.
pub async fn a_start_ends_where_its_logs_were_when_the_next_one_began(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    begin(&test_store, 1).await;
    assert_eq!(end_of(&test_store, &tour.id, 1).await, Some(1));
    let general = test_store.channel("general", &tour).await;
    assert_eq!(end_of(&test_store, &tour.id, 1).await, Some(2), "the running start ends with the log");
    begin(&test_store, 2).await;
    begin(&test_store, 3).await;
    let fair = test_store.project("Fair", &mara).await;
    let message = test_store.post(&mara, &general, "hello").await;
    let reaction = Write::React(message.id, "👍".into(), mara.member());
    test_store.change(&tour.id, &mara, reaction).await;
    begin(&test_store, 4).await;
    test_store.post(&mara, &general, "again").await;
    let mut ends = Vec::new();
    for number in 1..=4 {
        ends.push((end_of(&test_store, &tour.id, number).await, end_of(&test_store, &fair.id, number).await));
    }
    let expected = [(2, 0), (2, 0), (4, 1), (5, 1)].map(|(tour, fair)| (Some(tour), Some(fair)));
    assert_eq!(ends, expected);
}

pub async fn an_unknown_start_has_no_end(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    assert_eq!(end_of(&test_store, &tour.id, 1).await, None);
    begin(&test_store, 1).await;
    assert_eq!(end_of(&test_store, &tour.id, 2).await, None);
    assert_eq!(end_of(&test_store, &ProjectId::from_bits(test_store.bits()), 1).await, None);
}

pub async fn a_start_writes_no_event_and_no_audit_entry(test_store: TestStore) {
    let mara = test_store.person("Mara").await;
    let tour = test_store.project("Tour", &mara).await;
    let before = (test_store.events(&tour.id).await, test_store.store().audit_head().await.expect("head"));
    begin(&test_store, 1).await;
    assert_eq!((test_store.events(&tour.id).await, test_store.store().audit_head().await.expect("head")), before);
}
