//! Editing, removing, reacting and reading.

mod support;

use parlour_core::{Code, access::Principal, id::ChannelId, paging::PageRequest, post::PostMessage};
use parlour_hub::use_cases::{EditMessage, HistoryMark, HistoryQuery, OpenThread};
use support::{TestHub, agent_id, refused, say};

async fn fixture() -> (TestHub, Principal, Principal, ChannelId) {
    let hub = TestHub::new().await;
    let mara = hub.person("Mara").await;
    let project = hub.project(&mara, "Release").await;
    let channel = hub.channel(&mara, &project, "general").await;
    let coder = hub.agent(&project, "Coder").await;
    (hub, mara, coder, channel)
}

fn edit(body: &str) -> EditMessage {
    EditMessage { body: body.into() }
}

#[tokio::test]
async fn an_edit_delivers_to_newly_mentioned_agents() {
    let (hub, mara, coder, channel) = fixture().await;
    let id = hub.post(&mara, &channel, "hello").await.message.id;
    let (message, _) = hub.hub.edit_message(&mara, &id, edit("hello @Coder")).await.expect("edited");
    assert_eq!((message.edited_at.is_some(), message.seq), (true, 1));
    assert_eq!(hub.inbox(&coder).await, std::slice::from_ref(&id));
    hub.hub.mark_read(&coder, &id, None).await.expect("read");
    hub.hub.edit_message(&mara, &id, edit("hello again @Coder")).await.expect("edited");
    assert_eq!(hub.inbox(&coder).await, [], "it was mentioned before");
}

#[tokio::test]
async fn an_edit_that_drops_a_mention_closes_its_open_call() {
    let (hub, mara, coder, channel) = fixture().await;
    let id = hub.post(&mara, &channel, "@Coder delete everything").await.message.id;
    let (message, _) = hub.hub.edit_message(&mara, &id, edit("@Coder delete nothing")).await.expect("edited");
    assert_eq!(message.calls, [agent_id(&coder)], "it is still mentioned");
    let (message, _) = hub.hub.edit_message(&mara, &id, edit("delete nothing")).await.expect("edited");
    assert_eq!(message.calls, []);
    let open = hub.hub.open_calls(&coder, &agent_id(&coder), &PageRequest::first()).await.expect("calls").items;
    assert_eq!(open, []);
}

#[tokio::test]
async fn an_edit_keeps_members_that_only_the_list_mentions() {
    let (hub, mara, coder, channel) = fixture().await;
    let request = PostMessage { mentions: vec!["Coder".into()], ..say(&channel, "plaese look") };
    let id = hub.hub.post_message(&mara, request).await.expect("posted").message.id;
    let (message, _) = hub.hub.edit_message(&mara, &id, edit("please look")).await.expect("edited");
    assert_eq!((message.mentions, message.calls), (vec![coder.member.clone()], vec![agent_id(&coder)]));
}

#[tokio::test]
async fn edits_by_others_and_blank_texts_are_refused() {
    let (hub, mara, coder, channel) = fixture().await;
    let id = hub.post(&mara, &channel, "hello").await.message.id;
    assert_eq!(refused(hub.hub.edit_message(&coder, &id, edit("mine")).await), Code::Forbidden);
    assert_eq!(refused(hub.hub.edit_message(&mara, &id, edit(" ")).await), Code::OutOfBounds);
}

#[tokio::test]
async fn a_removed_message_keeps_its_number_and_its_events_without_text() {
    let (hub, mara, coder, channel) = fixture().await;
    let id = hub.post(&mara, &channel, "secret @Coder").await.message.id;
    hub.post(&mara, &channel, "next").await;
    hub.hub.edit_message(&mara, &id, edit("secret plan @Coder")).await.expect("edited");
    hub.hub.remove_message(&mara, &id).await.expect("removed");
    assert_eq!(hub.inbox(&coder).await, []);
    let message = hub.hub.message(&mara, &id).await.expect("still there");
    assert_eq!((message.body.as_str(), message.seq, message.removed_at.is_some()), ("", 1, true));
    let events = hub.hub.message_events(&mara, &id, &PageRequest::first()).await.expect("events").items;
    let names: Vec<_> = events.iter().map(|event| event.change.name()).collect();
    assert_eq!(names, ["messaging.posted", "messaging.edited", "messaging.removed"]);
    let log = serde_json::to_string(&events).expect("json");
    assert!(!log.contains("secret"), "the text is gone from the log too");
    assert_eq!(refused(hub.hub.edit_message(&mara, &id, edit("back")).await), Code::Removed);
    assert_eq!(refused(hub.hub.react(&mara, &id, "👍").await), Code::Removed);
    let request = OpenThread { channel_id: channel, root_message_id: id.clone() };
    assert_eq!(refused(hub.hub.open_thread(&mara, request).await), Code::Removed);
    hub.hub.remove_message(&mara, &id).await.expect("removing again changes nothing");
}

#[tokio::test]
async fn a_member_can_react_once_with_each_emoji() {
    let (hub, mara, coder, channel) = fixture().await;
    let id = hub.post(&mara, &channel, "ship it?").await.message.id;
    hub.hub.react(&coder, &id, "👍").await.expect("reacted");
    hub.hub.react(&coder, &id, "👍").await.expect("again");
    let message = hub.hub.react(&mara, &id, "👍").await.expect("reacted");
    assert_eq!(message.reactions[0].members, [coder.member.clone(), mara.member.clone()]);
    let message = hub.hub.unreact(&coder, &id, "👍").await.expect("removed");
    assert_eq!(message.reactions[0].members, std::slice::from_ref(&mara.member));
    let message = hub.hub.unreact(&mara, &id, "👍").await.expect("removed");
    assert_eq!(message.reactions, []);
}

#[tokio::test]
async fn unread_counts_follow_the_read_position() {
    let (hub, mara, coder, channel) = fixture().await;
    let project = hub.hub.channel(&mara, &channel).await.expect("channel").project_id;
    let ids =
        [hub.post(&coder, &channel, "one").await.message.id, hub.post(&coder, &channel, "two @Mara").await.message.id];
    let unread = hub.hub.unread(&mara, &project).await.expect("unread");
    assert_eq!((unread.total, unread.mentions), (2, 1));
    hub.hub.mark_read(&mara, &ids[0], None).await.expect("read");
    assert_eq!(hub.hub.unread(&mara, &project).await.expect("unread").total, 1);
    hub.hub.mark_read(&mara, &ids[1], None).await.expect("read");
    let mark = hub.hub.mark_read(&mara, &ids[0], None).await.expect("an older one moves nothing back");
    assert_eq!(mark.reader, mara.member);
    assert_eq!(hub.hub.unread(&mara, &project).await.expect("unread").total, 0);
}

#[tokio::test]
async fn a_history_is_read_from_a_number_a_message_or_a_time() {
    let (hub, mara, _, channel) = fixture().await;
    let mut posted = Vec::new();
    for body in ["one", "two", "three", "four"] {
        hub.clock.advance(1_000);
        posted.push(hub.post(&mara, &channel, body).await.message);
    }
    let read = async |query: HistoryQuery| {
        let id = channel.clone().into();
        let page = hub.hub.history(&mara, &id, &query, &PageRequest::first()).await.expect("history");
        page.items.into_iter().map(|message| message.body).collect::<Vec<_>>()
    };
    let before = |mark| HistoryQuery { before: Some(mark), since: None };
    let since = |mark| HistoryQuery { before: None, since: Some(mark) };
    assert_eq!(read(HistoryQuery::default()).await, ["four", "three", "two", "one"]);
    for mark in
        [HistoryMark::Seq(3), HistoryMark::Message(posted[2].id.clone()), HistoryMark::Time(posted[2].created_at)]
    {
        assert_eq!(read(before(mark.clone())).await, ["two", "one"], "{mark:?}");
    }
    assert_eq!(read(since(HistoryMark::Seq(2))).await, ["three", "four"]);
    assert_eq!(read(since(HistoryMark::Time(posted[2].created_at))).await, ["three", "four"]);
    let both = HistoryQuery { before: Some(HistoryMark::Seq(1)), since: Some(HistoryMark::Seq(1)) };
    let result = hub.hub.history(&mara, &channel.clone().into(), &both, &PageRequest::first()).await;
    assert_eq!(refused(result), Code::BadQuery);
}
