use serde_json::{Value, json};

use super::*;
use crate::{
    Code, Refusal, Timestamp,
    event::{Change, Event},
    message::tests::sample,
    position::Position,
    presence::PresenceUpdate,
    stream::Chunk,
};

fn read(frame: Value) -> Result<ClientFrame, serde_json::Error> {
    serde_json::from_value(frame)
}

#[test]
fn an_event_frame_is_the_event_with_its_type() {
    let event = Event {
        position: Position::new("a", 7).expect("position"),
        project_id: sample().project_id,
        at: Timestamp::from_millis(0),
        actor: sample().from,
        change: Change::MessagePosted(Box::new(sample())),
    };
    let frame = ServerFrame::Event(Box::new(event));
    let json = serde_json::to_value(&frame).expect("json");
    assert_eq!(
        (&json["type"], &json["name"], &json["position"]),
        (&json!("event"), &json!("messaging.posted"), &json!("a-7"))
    );
    assert_eq!(frame.name(), "messaging.posted");
    assert_eq!(serde_json::from_value::<ServerFrame>(json).expect("own form"), frame);
}

#[test]
fn a_chunk_frame_is_flat() {
    let chunk = Chunk { message_id: sample().id, conversation_id: sample().to, start: 3, text: "lo".into() };
    let frame = ServerFrame::Chunk(ProjectFrame { project_id: sample().project_id, what: chunk });
    let json = serde_json::to_value(&frame).expect("json");
    assert_eq!((&json["type"], &json["start"], &json["text"]), (&json!("chunk"), &json!(3), &json!("lo")));
    assert_eq!(serde_json::from_value::<ServerFrame>(json).expect("own form"), frame);
}

#[test]
fn clients_write_flat_frames() {
    let id = sample().id;
    let chunk = read(json!({"type": "chunk", "message_id": id, "start": 2, "text": "x"})).expect("chunk");
    let expected = AddChunk { start: Some(2), text: "x".into() };
    assert_eq!(chunk, ClientFrame::Chunk { message_id: id.clone(), chunk: expected });
    let complete = read(json!({"type": "complete", "message_id": id})).expect("complete");
    assert_eq!(complete, ClientFrame::Complete { message_id: id.clone(), end: Complete::default() });
    let written_out = json!({"type": "complete", "message_id": id, "body": null, "content": null, "mentions": null});
    assert_eq!(read(written_out).expect("nulls"), complete);
    assert_eq!(read(json!({"type": "ping"})).expect("ping"), ClientFrame::Ping {});
    assert_eq!(read(json!({"type": "presence"})).expect("here"), ClientFrame::Presence(PresenceUpdate::default()));
}

#[test]
fn frames_with_unknown_parts_are_refused() {
    let id = sample().id;
    for frame in [
        json!({"type": "shout"}),
        json!({"text": "no type"}),
        json!({"type": "ping", "louder": true}),
        json!({"type": "chunk", "message_id": id, "text": "x", "strat": 1}),
        json!({"type": "fail", "message_id": id}),
        json!({"type": "presence", "mood": "good"}),
    ] {
        assert!(read(frame.clone()).is_err(), "{frame}");
    }
}

#[test]
fn a_refusal_keeps_its_words() {
    let refusal = Refusal::new(Code::ChunkMisplaced, "the text has 5 characters").at("start");
    let refused = Refused::new(Some("7".into()), &refusal);
    let json = serde_json::to_value(ServerFrame::Refused(refused)).expect("json");
    assert_eq!((&json["ref"], &json["code"], &json["field"]), (&json!("7"), &json!("PARLOUR-C09"), &json!("start")));
}

#[test]
fn close_codes_keep_their_numbers() {
    for code in CloseCode::ALL {
        assert_eq!(CloseCode::from_number(code.number()), Some(*code));
        assert!(code.text().len() <= 123, "a close frame has room for 123 bytes");
    }
    assert!(CloseCode::Resume.may_resume() && !CloseCode::SignedOut.may_resume());
    assert_eq!(CloseCode::from_number(1000), None);
}
