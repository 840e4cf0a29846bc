use parlour_core::{
    audit::AuditFilter,
    author::{Author, AuthorType},
    event::Change,
    live::ServerFrame,
    message::Message,
    paging::PageRequest,
};
use parlour_hub::{live::StartPosition, ports::Log as _};

use crate::{
    fixture::{ImportFixture, foreign_author, foreign_message},
    support::TestHub,
};

#[tokio::test]
async fn each_imported_message_is_one_event_of_the_administrator() {
    let fixture = ImportFixture::new().await;
    let before = fixture.test.store().end_of_log(&fixture.project).await.expect("end").expect("a log").offset();
    let messages = fixture.import_new(vec![foreign_message(1, "one"), foreign_message(2, "two")]).await;
    let events = fixture.test.store().events_after(&fixture.project, before, 9).await.expect("events");
    let admin = Author::member(&fixture.test.admin.member, &fixture.test.admin.name);
    assert!(events.iter().all(|event| event.actor == admin), "{events:?}");
    let changes: Vec<_> = events.into_iter().map(|event| event.change).collect();
    let expected: Vec<_> = messages.into_iter().map(|message| Change::MessagePosted(Box::new(message))).collect();
    assert_eq!(changes, expected);
}

#[tokio::test]
async fn the_audit_log_names_the_administrator_and_the_imported_message() {
    let fixture = ImportFixture::new().await;
    let messages = fixture.import_new(vec![foreign_message(1, "one"), foreign_message(2, "two")]).await;
    let page = PageRequest::new(None, Some(2)).expect("a page");
    let entries =
        fixture.hub().audit(&fixture.test.admin, &AuditFilter::default(), &page).await.expect("entries").items;
    let admin = Author::member(&fixture.test.admin.member, &fixture.test.admin.name);
    for (entry, message) in entries.iter().rev().zip(&messages) {
        assert_eq!((&entry.actor, entry.subject.as_deref()), (&admin, Some(message.id.as_str())));
        assert!(entry.at > message.created_at, "it is logged when it was done");
    }
    assert_eq!(messages[0].from, foreign_author(AuthorType::Person));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_readers_get_imported_messages_in_order() {
    let (test, _driving) = TestHub::live().await;
    let fixture = ImportFixture::on(test).await;
    let session = fixture.test.hub.open_session(TestHub::ADMIN_TOKEN).await.expect("session");
    let mut reader = session.subscribe(&fixture.project, StartPosition::Now).await.expect("reader");
    assert_eq!(reader.next().await.expect("not ended").len(), 1, "from now on it is live");
    let messages = fixture.import_new((1..=30).map(|number| foreign_message(number, "x")).collect()).await;
    let mut received = Vec::new();
    while received.len() < messages.len() {
        received.extend(reader.next().await.expect("not ended").iter().filter_map(|frame| posted(&frame.json)));
    }
    assert_eq!(received, messages);
}

fn posted(json: &[u8]) -> Option<Message> {
    match serde_json::from_slice(json).expect("a frame") {
        ServerFrame::Event(event) => match event.change {
            Change::MessagePosted(message) => Some(*message),
            _ => None,
        },
        _ => None,
    }
}
