use futures_util::FutureExt as _;
use parlour_core::{
    Timestamp,
    audience::AccessRoot,
    author::Author,
    event::{Change, ClosedChannel},
    id::{ChannelId, ConversationId},
    live::{ProjectFrame, ServerFrame, Typing},
    message::Message,
};

use super::*;

fn project() -> ProjectId {
    ProjectId::from_bits(1)
}

fn channel() -> ChannelId {
    ChannelId::from_bits(1)
}

fn member(id: &str) -> MemberId {
    id.parse().expect("id")
}

fn feed_after(offset: u64) -> Feed {
    Feed::new(project(), &Position::new("e", offset).expect("position"), PrivateChannelMembers::default(), Vec::new())
}

fn event(offset: u64, change: Change) -> Event {
    let (at, actor) = (Timestamp::from_millis(0), Author::host());
    Event { position: Position::new("e", offset).expect("position"), project_id: project(), at, actor, change }
}

fn posted(offset: u64, body: &str) -> Event {
    let (id, to): (_, ConversationId) = (parlour_core::id::MessageId::from_bits(offset.into()), channel().into());
    let message = Message::plain(id, project(), to, Author::host(), body.to_owned(), Timestamp::from_millis(0));
    event(offset, Change::MessagePosted(Box::new(message)))
}

fn put(feed: &Feed, event: Event) {
    let audience = Audience::of(&event.change, AccessRoot::of_change(&event.change));
    feed.put_event(event, audience);
}

fn typing(feed: &Feed) {
    let what = Typing { conversation_id: channel().into(), members: Vec::new() };
    let frame = ServerFrame::Typing(ProjectFrame { project_id: project(), what });
    feed.put_ephemeral(Frame::ephemeral(&frame, Audience::Project));
}

fn offsets(frames: &[Arc<Frame>]) -> Vec<Option<u64>> {
    frames.iter().map(|frame| frame.encoded.offset).collect()
}

fn join(feed: &Feed, after: Option<u64>) -> (Vec<Option<u64>>, FeedCursor, u64) {
    match feed.join(after) {
        JoinOutcome::Live(missed, cursor, offset) => (offsets(&missed), cursor, offset),
        JoinOutcome::Behind => panic!("the feed holds what is missing"),
    }
}

#[test]
fn a_reader_gets_missed_events_and_then_new_frames() {
    let feed = feed_after(4);
    put(&feed, posted(5, "a"));
    typing(&feed);
    put(&feed, posted(6, "b"));
    let (missed, mut cursor, offset) = join(&feed, Some(5));
    assert_eq!((missed, offset), (vec![Some(6)], 6));
    assert!(feed.take(&mut cursor).expect("live").0.is_empty());
    typing(&feed);
    put(&feed, posted(7, "c"));
    let (frames, offset) = feed.take(&mut cursor).expect("live");
    assert_eq!((offsets(&frames), offset), (vec![None, Some(7)], 7));
}

#[tokio::test]
async fn a_reader_ahead_of_the_feed_waits_for_it() {
    let feed = feed_after(4);
    feed.wait_until(4).await.expect("live");
    let mut waiting = std::pin::pin!(feed.wait_until(6));
    put(&feed, posted(5, "a"));
    assert!(waiting.as_mut().now_or_never().is_none());
    put(&feed, posted(6, "b"));
    waiting.await.expect("live");
    let waiting = feed.wait_until(7);
    feed.end(SessionEnd::Stopping);
    assert_eq!(waiting.await, Err(SessionEnd::Stopping));
}

#[test]
fn a_reader_that_starts_now_gets_no_older_events() {
    let feed = feed_after(4);
    put(&feed, posted(5, "a"));
    assert_eq!((join(&feed, None).0, join(&feed, None).2), (vec![], 5));
}

#[test]
fn events_outside_the_feed_are_read_from_the_log() {
    let feed = feed_after(4);
    put(&feed, posted(5, "a"));
    assert!(matches!(feed.join(Some(3)), JoinOutcome::Behind));
    assert!(matches!(feed.join(Some(9)), JoinOutcome::Behind));
}

#[test]
fn a_reader_behind_the_feed_is_too_slow() {
    let feed = feed_after(0);
    let (_, mut cursor, _) = join(&feed, None);
    (1..=limits::FEED_FRAMES_MAX as u64).for_each(|offset| put(&feed, posted(offset, "a")));
    let mut still_there = cursor;
    assert_eq!(feed.take(&mut still_there).expect("all of them").0.len(), limits::FEED_FRAMES_MAX);
    typing(&feed);
    assert_eq!(feed.take(&mut cursor).expect_err("one too many"), SessionEnd::TooSlow);
}

#[test]
fn a_feed_is_bounded_in_bytes_too() {
    let feed = feed_after(0);
    let body = "x".repeat(limits::MESSAGE_BODY_BYTES_MAX);
    let count = 2 * limits::FEED_BYTES_MAX / body.len();
    (1..=count as u64).for_each(|offset| put(&feed, posted(offset, &body)));
    let state = feed.state.lock();
    assert!(state.bytes <= limits::FEED_BYTES_MAX && state.frames.len() > 1);
    assert_eq!(state.bytes, state.frames.iter().map(|frame| frame.bytes()).sum::<usize>());
}

#[test]
fn a_new_feed_contains_recent_events() {
    let recent = [posted(3, "a"), posted(4, "b")].map(|event| Frame::event(event, Audience::Project));
    let position = Position::new("e", 4).expect("position");
    let feed = Feed::new(project(), &position, PrivateChannelMembers::default(), recent.into());
    assert_eq!(join(&feed, Some(2)).0, [Some(3), Some(4)]);
    assert!(matches!(feed.join(Some(1)), JoinOutcome::Behind));
}

#[test]
fn a_removed_text_is_not_sent_to_later_readers() {
    let feed = feed_after(0);
    let (_, mut cursor, _) = join(&feed, None);
    put(&feed, posted(1, "oops"));
    let Change::MessagePosted(message) = posted(1, "").change else { unreachable!("it is a post") };
    put(&feed, event(2, Change::MessageRemoved(message)));
    put(&feed, posted(3, "well"));
    assert!(matches!(feed.join(Some(0)), JoinOutcome::Behind), "the log has it without the text");
    assert_eq!(join(&feed, Some(1)).0, [Some(2), Some(3)]);
    assert_eq!(offsets(&feed.take(&mut cursor).expect("live").0), [Some(1), Some(2), Some(3)]);
}

#[test]
fn an_ended_feed_ends_its_readers() {
    let feed = feed_after(0);
    let (_, mut cursor, _) = join(&feed, None);
    feed.end(SessionEnd::Fault);
    assert_eq!(feed.take(&mut cursor).expect_err("ended"), SessionEnd::Fault);
}

#[test]
fn a_reader_that_loses_a_channel_gets_only_its_closing() {
    let feed = feed_after(0);
    let closed = ClosedChannel { channel_id: channel(), channel: None, members: vec![member("per_1")] };
    put(&feed, event(1, Change::ChannelClosed(Box::new(closed))));
    put(&feed, posted(2, "secret"));
    let JoinOutcome::Live(frames, ..) = feed.join(Some(0)) else { panic!("all there") };
    let for_reader = |who: &str| -> Vec<String> {
        let encoded = feed.visible_frames(&frames, &member(who));
        encoded.iter().map(|encoded| String::from_utf8(encoded.json.to_vec()).expect("json")).collect()
    };
    assert_eq!((for_reader("per_1").len(), for_reader("per_2").len()), (2, 1));
    assert!(for_reader("per_1")[0].contains("per_1"));
    assert!(for_reader("per_2")[0].contains("channels.closed") && !for_reader("per_2")[0].contains("per_1"));
}

#[test]
fn events_alone_are_taken_by_offset() {
    let feed = feed_after(4);
    assert!(feed.take_events(4).expect("live").0.is_empty());
    put(&feed, posted(5, "a"));
    typing(&feed);
    put(&feed, posted(6, "b"));
    typing(&feed);
    let (events, offset) = feed.take_events(4).expect("live");
    assert_eq!((offsets(&events), offset), (vec![Some(5), Some(6)], 6));
    assert_eq!(offsets(&feed.take_events(5).expect("live").0), [Some(6)]);
}

#[test]
fn ephemeral_frames_do_not_make_an_events_only_reader_too_slow() {
    let feed = feed_after(4);
    let (_, mut cursor, _) = join(&feed, None);
    (0..=limits::FEED_FRAMES_MAX).for_each(|_| typing(&feed));
    assert_eq!(feed.take(&mut cursor).expect_err("others are"), SessionEnd::TooSlow);
    assert!(feed.take_events(4).expect("nothing has happened").0.is_empty());
    put(&feed, posted(5, "a"));
    assert_eq!(offsets(&feed.take_events(4).expect("live").0), [Some(5)]);
    (0..limits::FEED_FRAMES_MAX).for_each(|_| typing(&feed));
    assert_eq!(feed.take_events(4).expect_err("an event is gone"), SessionEnd::TooSlow);
}

#[tokio::test]
async fn next_event_ignores_ephemeral_frames_and_wakes_at_the_end_of_the_feed() {
    let feed = feed_after(4);
    let mut waiting = std::pin::pin!(feed.next_event());
    waiting.as_mut().enable();
    typing(&feed);
    assert!(waiting.as_mut().now_or_never().is_none());
    put(&feed, posted(5, "a"));
    waiting.await;
    let mut waiting = std::pin::pin!(feed.next_event());
    waiting.as_mut().enable();
    feed.end(SessionEnd::Stopping);
    waiting.await;
    assert_eq!(feed.take_events(5).expect_err("ended"), SessionEnd::Stopping);
}
