//! Live frames: the messages between hub and live client, the same on every transport.
//!
//! Only `event` and `gap` frames have a position and are sent again after a reconnect. All others are ephemeral.

pub use client_frame::{AddChunk, Cancel, ClientFrame, Complete, Fail};

pub use server_frame::{
    CommandDone, CommandRefused, Gap, GapReason, Hello, PresenceChanges, ProjectFrame, ReachedPosition, ServerFrame,
    StepFrame, Typing,
};

mod client_frame;
mod server_frame;

/// Why the hub closed a session: the codes of the WebSocket's close frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum CloseCode {
    /// The hub stops, or starts again.
    Restart = 1012,
    /// A frame was too long.
    TooLong = 1009,
    /// The reader was too slow. Connect again and resume after the last position.
    Resume = 4000,
    /// Too many frames in a row could not be read.
    Unreadable = 4400,
    /// Nobody is signed in: the token was wrong, was replaced, or did not come in time.
    SignedOut = 4401,
    /// The reader may no longer read a project that it follows.
    AccessEnded = 4403,
    /// The heartbeats were not answered.
    Silent = 4408,
    /// Too many frames in a row came faster than the rates allow. Wait, then connect again.
    TooMany = 4429,
    /// A fault of the hub. Connect again and resume.
    Fault = 4500,
}

impl CloseCode {
    /// All codes.
    pub const ALL: &'static [Self] = &[
        Self::Restart,
        Self::TooLong,
        Self::Resume,
        Self::Unreadable,
        Self::SignedOut,
        Self::AccessEnded,
        Self::Silent,
        Self::TooMany,
        Self::Fault,
    ];

    /// The code with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.number() == number)
    }

    /// The number on the wire.
    pub fn number(self) -> u16 {
        self as u16
    }

    /// Whether the same session may be opened again, with the same token, and resume.
    pub fn may_resume(self) -> bool {
        matches!(self, Self::Restart | Self::Resume | Self::Silent | Self::TooMany | Self::Fault)
    }

    /// The reason as text.
    pub fn text(self) -> &'static str {
        match self {
            Self::Restart => "the hub is stopping; connect again and resume",
            Self::TooLong => "the frame was too long",
            Self::Resume => "too slow; connect again and resume after the last position",
            Self::Unreadable => "too many invalid frames",
            Self::SignedOut => "not authenticated",
            Self::AccessEnded => "you can no longer read this project",
            Self::Silent => "no answer to the heartbeats",
            Self::TooMany => "too many requests; wait, then connect again",
            Self::Fault => "internal error of the hub; connect again and resume",
        }
    }
}

#[cfg(test)]
mod tests {
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
        let written_out =
            json!({"type": "complete", "message_id": id, "body": null, "content": null, "mentions": null});
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
    fn a_refusal_frame_contains_the_refusal() {
        let refusal = Refusal::new(Code::ChunkMisplaced, "the text has 5 characters").at("start");
        let refused = CommandRefused::new(Some("7".into()), &refusal);
        let json = serde_json::to_value(ServerFrame::Refused(refused)).expect("json");
        assert_eq!(
            (&json["ref"], &json["code"], &json["field"]),
            (&json!("7"), &json!("PARLOUR-C09"), &json!("start"))
        );
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
}
