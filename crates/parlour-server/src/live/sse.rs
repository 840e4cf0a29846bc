//! The text of server-sent events.

use std::fmt::{Display, Write as _};

use bytes::{BufMut as _, Bytes, BytesMut};
use parlour_core::live::CloseCode;
use serde_json::json;

/// How long a client waits before it connects again, in milliseconds.
const RETRY_MS: u64 = 1_000;

/// The first bytes: they show at once that the stream is open.
pub(super) fn opening() -> Bytes {
    format!("retry: {RETRY_MS}\n: hello\n\n").into()
}

/// Adds an event. Its data is JSON, which has no line breaks.
pub(super) fn put_event(out: &mut BytesMut, id: Option<impl Display>, name: &str, json: &[u8]) {
    out.reserve(json.len() + name.len() + 64);
    put_id(out, id);
    write!(out, "event: {name}\ndata: ").expect("a buffer takes everything");
    out.put_slice(json);
    out.put_slice(b"\n\n");
}

/// A sign of life, which may move the position of the client without telling it anything else.
pub(super) fn beat(id: Option<impl Display>) -> Bytes {
    let mut out = BytesMut::new();
    put_id(&mut out, id);
    out.put_slice(b": beat\n\n");
    out.freeze()
}

/// The last event: why the hub ends the stream.
pub(super) fn end(code: CloseCode) -> Bytes {
    let json = json!({"code": code.number(), "text": code.text(), "may_resume": code.may_resume()}).to_string();
    let mut out = BytesMut::new();
    put_event(&mut out, None::<&str>, "end", json.as_bytes());
    out.freeze()
}

fn put_id(out: &mut BytesMut, id: Option<impl Display>) {
    if let Some(id) = id {
        writeln!(out, "id: {id}").expect("a buffer takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_position_name_and_data() {
        let mut out = BytesMut::new();
        put_event(&mut out, Some("a-7"), "messaging.posted", b"{}");
        put_event(&mut out, None::<&str>, "typing", b"[]");
        assert_eq!(out, "id: a-7\nevent: messaging.posted\ndata: {}\n\nevent: typing\ndata: []\n\n");
    }

    #[test]
    fn a_beat_is_a_comment_and_may_move_the_position() {
        assert_eq!(beat(None::<&str>), ": beat\n\n");
        assert_eq!(beat(Some("a-9")), "id: a-9\n: beat\n\n");
    }

    #[test]
    fn the_end_says_why() {
        let expected = "event: end\ndata: {\"code\":1012,\"may_resume\":true,\
                        \"text\":\"the hub is stopping; connect again and resume\"}\n\n";
        assert_eq!(end(CloseCode::Restart), expected);
    }

    #[test]
    fn the_first_bytes_are_no_event() {
        assert_eq!(opening(), "retry: 1000\n: hello\n\n");
    }
}
