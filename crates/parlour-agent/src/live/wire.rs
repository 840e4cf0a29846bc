//! Frames as texts: what is written to a hub, and what is read from it.

use parlour_core::live::{ClientFrame, ServerFrame};
use serde_json::Value;

/// What a text of the hub is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Read {
    /// A frame.
    Known(Box<ServerFrame>),
    /// A frame of a newer hub.
    Unknown(Value),
}

/// Reads a text of the hub. An object with a type is a frame, even if this client is too old to know it.
pub(super) fn read(text: &str) -> Result<Read, String> {
    let error = match serde_json::from_str(text) {
        Ok(frame) => return Ok(Read::Known(Box::new(frame))),
        Err(error) => error,
    };
    match serde_json::from_str::<Value>(text) {
        Ok(json) if json.get("type").is_some_and(Value::is_string) => Ok(Read::Unknown(json)),
        _ => Err(error.to_string()),
    }
}

/// Writes a frame; `reference` comes back with the hub's answer.
pub(super) fn write(frame: &ClientFrame, reference: &str) -> String {
    let mut json = serde_json::to_value(frame).expect("a frame is plain data");
    json["ref"] = reference.into();
    json.to_string()
}

#[cfg(test)]
mod tests {
    use parlour_core::id::ProjectId;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_frame_carries_its_reference_beside_its_fields() {
        let frame = ClientFrame::Subscribe { project_id: ProjectId::from_bits(1), after: None, events_only: false };
        let json: Value = serde_json::from_str(&write(&frame, "follow")).expect("JSON");
        assert_eq!(json, json!({"type": "subscribe", "project_id": ProjectId::from_bits(1), "ref": "follow"}));
    }

    #[test]
    fn a_frame_of_a_newer_hub_is_kept_and_anything_else_is_no_frame() {
        let newer = r#"{"type":"weather","sky":"blue"}"#;
        assert_eq!(read(newer), Ok(Read::Unknown(json!({"type": "weather", "sky": "blue"}))));
        for text in ["", "hello", "[]", "{}", r#"{"type":1}"#, "{\"type\":\"hello\""] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_known_type_with_unknown_contents_is_kept_too() {
        let event = r#"{"type":"event","name":"weather.changed","position":"E-7","data":{}}"#;
        assert!(matches!(read(event), Ok(Read::Unknown(_))));
    }
}
