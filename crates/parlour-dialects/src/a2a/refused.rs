//! How envelopes are refused and signed.

use parlour_core::Timestamp;
use serde_json::{Value, json};

/// Why an envelope is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAllowed {
    /// Its sender is not on the list.
    Sender,
    /// Its type is not on the list.
    Type,
}

/// The answer to an envelope that is not let in. It goes out with status 200; only its fields tell.
pub fn refused(not_allowed: NotAllowed, at: Timestamp) -> Value {
    let reason = match not_allowed {
        NotAllowed::Sender => "sender_not_allowed",
        NotAllowed::Type => "type_not_allowed",
    };
    json!({
        "spec": super::SPEC,
        "type": "error",
        "message_type": "error",
        "time": at.to_string(),
        "payload": {"error": "forbidden", "reason": reason},
    })
}

/// What a call is signed over: method, path and time, each with a line feed, and the body.
pub fn signature_base(method: &str, path: &str, timestamp: &str, body: &[u8]) -> Vec<u8> {
    let mut base = Vec::with_capacity(method.len() + path.len() + timestamp.len() + 3 + body.len());
    for line in [method, path, timestamp] {
        base.extend_from_slice(line.as_bytes());
        base.push(b'\n');
    }
    base.extend_from_slice(body);
    base
}
