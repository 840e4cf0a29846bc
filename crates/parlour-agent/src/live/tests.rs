//! The client against a scripted hub in memory, on a clock that tests move.

#![allow(clippy::panic, reason = "these are tests")]

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use parlour_core::{id::ProjectId, live::CloseCode, position::Position, presence::PresenceUpdate};
use serde_json::{Value, json};
use tokio::{
    io::DuplexStream,
    sync::mpsc,
    time::{Instant, advance},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message,
        protocol::{CloseFrame, Role},
    },
};

use super::{
    Backoff, Live, LiveError, LiveItem, Lost, ResumeState, Start,
    dial::{ConnectFailure, Dial},
};

const HEARTBEAT_SECONDS: u64 = 20;
/// Bytes in flight in memory; a reader that stops reading soon stops the writer.
const WIRE_BYTES: usize = 64 * 1024;

/// The hub's end of a connection.
struct DialedConnection {
    socket: WebSocketStream<DuplexStream>,
}

/// Puts every connection through to the test.
struct TestDialer {
    calls: mpsc::Sender<DialedConnection>,
}

impl Dial for TestDialer {
    type Io = DuplexStream;

    async fn dial(&self) -> Result<WebSocketStream<DuplexStream>, ConnectFailure> {
        let (near, far) = tokio::io::duplex(WIRE_BYTES);
        let socket = WebSocketStream::from_raw_socket(far, Role::Server, None).await;
        match self.calls.send(DialedConnection { socket }).await {
            Ok(()) => Ok(WebSocketStream::from_raw_socket(near, Role::Client, None).await),
            Err(_) => Err(ConnectFailure::Lost(Lost::Unreachable("the test is over".into()))),
        }
    }
}

fn project() -> ProjectId {
    ProjectId::from_bits(1)
}

fn at(offset: u64) -> Position {
    Position::new("E", offset).expect("a position")
}

/// A client that follows from `start`, and the calls that it makes.
fn follow(start: Start) -> (Live, mpsc::Receiver<DialedConnection>) {
    let (calls, receiver) = mpsc::channel(1);
    (Live::spawn(TestDialer { calls }, ResumeState::new(project(), start), Backoff::default()), receiver)
}

impl DialedConnection {
    /// Takes the subscription of a reader that wants events alone.
    async fn hear_events_only(&mut self) -> bool {
        self.hear().await["events_only"] == json!(true)
    }

    /// Takes the subscription, says hello, and answers after which position it is asked for.
    async fn answer(&mut self) -> Option<String> {
        let frame = self.hear().await;
        assert_eq!((&frame["type"], &frame["project_id"]), (&json!("subscribe"), &json!(project())));
        self.say(json!({"type": "hello", "member_id": "per_1", "heartbeat_seconds": HEARTBEAT_SECONDS})).await;
        self.say(json!({"type": "ok", "ref": frame["ref"]})).await;
        frame["after"].as_str().map(str::to_owned)
    }

    async fn hear(&mut self) -> Value {
        let message = self.socket.next().await.expect("a frame").expect("a sound one");
        serde_json::from_str(message.to_text().expect("a text")).expect("JSON")
    }

    async fn say(&mut self, frame: Value) {
        self.send(Message::text(frame.to_string())).await;
    }

    async fn send(&mut self, message: Message) {
        self.socket.send(message).await.expect("the client listens");
    }

    async fn tell_event(&mut self, offset: u64) {
        self.say(json!({
            "type": "event", "position": at(offset), "project_id": project(), "at": "2026-11-15T09:12:00.000Z",
            "actor": {"type": "person", "id": "per_1", "name": "Mara"}, "name": "channels.member_added",
            "data": {"channel_id": "chn_1", "member_id": "agt_1"},
        }))
        .await;
    }

    async fn close(mut self, code: CloseCode) {
        let frame = CloseFrame { code: code.number().into(), reason: code.text().into() };
        self.send(Message::Close(Some(frame))).await;
    }
}

async fn next_offset(live: &mut Live) -> u64 {
    match live.next().await {
        Ok(LiveItem::Event(event)) => event.position.offset(),
        other => panic!("an event was due: {other:?}"),
    }
}

async fn next_loss(live: &mut Live) -> Lost {
    match live.next().await {
        Ok(LiveItem::Reconnecting(lost)) => lost.why,
        other => panic!("a loss was due: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_resumes_after_the_last_event() {
    let (mut live, mut calls) = follow(Start::After(at(4)));
    let mut call = calls.recv().await.expect("a call");
    assert_eq!(call.answer().await.as_deref(), Some("E-4"));
    call.tell_event(5).await;
    call.tell_event(7).await;
    assert_eq!((next_offset(&mut live).await, next_offset(&mut live).await), (5, 7));
    drop(call);
    assert!(matches!(next_loss(&mut live).await, Lost::Broken(_)));
    let mut call = calls.recv().await.expect("another call");
    assert_eq!(call.answer().await.as_deref(), Some("E-7"));
    // A hub may repeat; the reader hears it once.
    call.tell_event(7).await;
    call.tell_event(8).await;
    assert_eq!(next_offset(&mut live).await, 8);
}

#[tokio::test(start_paused = true)]
async fn a_close_that_allows_to_resume_is_resumed_with_its_reason() {
    let (mut live, mut calls) = follow(Start::Now);
    for code in CloseCode::ALL.iter().filter(|code| code.may_resume()) {
        let mut call = calls.recv().await.expect("a call");
        call.answer().await;
        call.close(*code).await;
        assert_eq!(next_loss(&mut live).await, Lost::Closed(*code));
    }
}

#[tokio::test(start_paused = true)]
async fn a_final_close_ends_with_a_clear_error() {
    for (code, expected) in [
        (CloseCode::AccessEnded, LiveError::AccessEnded),
        (CloseCode::SignedOut, LiveError::SignedOut(CloseCode::SignedOut.text().into())),
        (CloseCode::TooLong, LiveError::Closed(CloseCode::TooLong)),
    ] {
        let (mut live, mut calls) = follow(Start::Now);
        let mut call = calls.recv().await.expect("a call");
        call.answer().await;
        call.close(code).await;
        assert_eq!(live.next().await, Err(expected));
        assert_eq!(live.next().await, Err(LiveError::Over));
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_hub_is_dropped_after_three_heartbeats() {
    let (mut live, mut calls) = follow(Start::Now);
    let mut call = calls.recv().await.expect("a call");
    call.answer().await;
    call.tell_event(1).await;
    next_offset(&mut live).await;
    let since = Instant::now();
    assert_eq!(next_loss(&mut live).await, Lost::Silent(3 * HEARTBEAT_SECONDS));
    assert_eq!(since.elapsed().as_secs(), 3 * HEARTBEAT_SECONDS);
    assert_eq!(calls.recv().await.expect("another call").answer().await.as_deref(), Some("E-1"));
}

#[tokio::test(start_paused = true)]
async fn heartbeats_keep_a_quiet_connection() {
    let (mut live, mut calls) = follow(Start::Now);
    let mut call = calls.recv().await.expect("a call");
    call.answer().await;
    for _ in 0..10 {
        call.send(Message::Ping(vec![1].into())).await;
        advance(Duration::from_secs(2 * HEARTBEAT_SECONDS)).await;
        let pong = call.socket.next().await.expect("an answer").expect("a sound one");
        assert_eq!(pong, Message::Pong(vec![1].into()));
    }
    call.tell_event(1).await;
    assert_eq!(next_offset(&mut live).await, 1);
}

#[tokio::test(start_paused = true)]
async fn an_invalid_frame_ends_the_connection_and_not_the_subscription() {
    for garbage in [Message::text("hello"), Message::text("[1]"), Message::Binary(vec![0].into())] {
        let (mut live, mut calls) = follow(Start::Now);
        let mut call = calls.recv().await.expect("a call");
        call.answer().await;
        call.send(garbage).await;
        assert!(matches!(next_loss(&mut live).await, Lost::Unreadable(_)));
        let mut call = calls.recv().await.expect("another call");
        call.answer().await;
        call.tell_event(1).await;
        assert_eq!(next_offset(&mut live).await, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_subscription_is_final_unless_it_is_retryable() {
    let refused = |code: &str, retryable: bool| json!({"type": "refused", "ref": "follow", "code": code, "title": "t", "detail": "no", "retryable": retryable});
    let (mut live, mut calls) = follow(Start::Now);
    let mut call = calls.recv().await.expect("a call");
    call.hear().await;
    call.say(refused("PARLOUR-S02", true)).await;
    assert_eq!(next_loss(&mut live).await, Lost::Busy("no".into()));
    let mut call = calls.recv().await.expect("another call");
    call.hear().await;
    call.say(refused("PARLOUR-N01", false)).await;
    assert_eq!(live.next().await.expect_err("final").to_string(), "no (PARLOUR-N01)");
}

#[tokio::test(start_paused = true)]
async fn the_second_subscription_for_the_beginning_has_no_pause() {
    let (mut live, mut calls) = follow(Start::Beginning);
    let mut call = calls.recv().await.expect("a call");
    assert_eq!(call.answer().await, None);
    let since = Instant::now();
    call.say(json!({"type": "live", "project_id": project(), "position": "E-9"})).await;
    let mut call = calls.recv().await.expect("another call");
    assert_eq!((call.answer().await.as_deref(), since.elapsed()), (Some("E-0"), Duration::ZERO));
    call.tell_event(1).await;
    assert_eq!(next_offset(&mut live).await, 1);
}

#[tokio::test(start_paused = true)]
async fn another_epoch_without_a_gap_requires_a_reconnect() {
    let (mut live, mut calls) = follow(Start::After(Position::new("OLD", 9).expect("a position")));
    let mut call = calls.recv().await.expect("a call");
    call.answer().await;
    call.tell_event(1).await;
    assert_eq!(next_loss(&mut live).await, Lost::EpochChanged);
    let mut call = calls.recv().await.expect("another call");
    assert_eq!(call.answer().await.as_deref(), Some("OLD-9"));
    call.say(json!({"type": "gap", "project_id": project(), "reason": "epoch", "position": "E-3"})).await;
    call.tell_event(4).await;
    assert!(matches!(live.next().await, Ok(LiveItem::Gap(gap)) if gap.position == at(3)));
    assert_eq!(next_offset(&mut live).await, 4);
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_gets_every_event_through_backpressure() {
    const EVENTS: u64 = 2_000;
    let (mut live, mut calls) = follow(Start::After(at(0)));
    let mut call = calls.recv().await.expect("a call");
    call.answer().await;
    let (mut told, mut is_stopped) = (0, false);
    // The reader takes nothing: after some time the hub cannot write any more, and cuts it off.
    while !is_stopped {
        told += 1;
        is_stopped = tokio::time::timeout(Duration::from_secs(10), call.tell_event(told)).await.is_err();
    }
    assert!(told < EVENTS, "the client must not read without end");
    drop(call);
    let hub = async {
        let mut call = calls.recv().await.expect("another call");
        let after = call.answer().await.and_then(|text| text.parse::<Position>().ok()).expect("a position");
        for offset in after.offset() + 1..=EVENTS {
            call.tell_event(offset).await;
        }
        call
    };
    let reader = async {
        let mut offsets = Vec::new();
        while offsets.len() < EVENTS as usize {
            if let LiveItem::Event(event) = live.next().await.expect("no end") {
                offsets.push(event.position.offset());
            }
        }
        offsets
    };
    let (_call, offsets) = tokio::join!(hub, reader);
    assert!(offsets.iter().copied().eq(1..=EVENTS));
}

#[tokio::test(start_paused = true)]
async fn presence_is_sent_on_every_connection() {
    let (mut live, mut calls) = follow(Start::Now);
    live.set_presence(PresenceUpdate { machine_name: Some("lab-3".into()), ..PresenceUpdate::default() });
    for _ in 0..2 {
        let mut call = calls.recv().await.expect("a call");
        call.answer().await;
        let frame = call.hear().await;
        assert_eq!((&frame["type"], &frame["machine_name"]), (&json!("presence"), &json!("lab-3")));
        call.close(CloseCode::Restart).await;
        next_loss(&mut live).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_reader_ends_the_connection() {
    let (live, mut calls) = follow(Start::Now);
    let mut call = calls.recv().await.expect("a call");
    call.answer().await;
    drop(live);
    while let Some(Ok(_)) = call.socket.next().await {}
    assert!(calls.recv().await.is_none(), "no further call is made");
}

#[tokio::test(start_paused = true)]
async fn pauses_grow_until_a_connection_was_stable() {
    let (mut live, mut calls) = follow(Start::Now);
    for expected in 1..=4 {
        drop(calls.recv().await.expect("a call"));
        let Ok(LiveItem::Reconnecting(lost)) = live.next().await else { panic!("a loss was due") };
        assert_eq!(lost.attempt, expected);
    }
    let mut call = calls.recv().await.expect("a call");
    call.answer().await;
    advance(Duration::from_secs(31)).await;
    drop(call);
    let Ok(LiveItem::Reconnecting(lost)) = live.next().await else { panic!("a loss was due") };
    assert_eq!(lost.attempt, 1);
}

#[tokio::test(start_paused = true)]
async fn an_events_only_reader_requests_this_on_every_connection() {
    let (calls, mut receiver) = mpsc::channel(1);
    let resume = ResumeState::new(project(), Start::Now).events_only();
    let _live = Live::spawn(TestDialer { calls }, resume, Backoff::default());
    for _ in 0..2 {
        let mut call = receiver.recv().await.expect("a call");
        assert!(call.hear_events_only().await);
        call.close(CloseCode::Restart).await;
    }
}
