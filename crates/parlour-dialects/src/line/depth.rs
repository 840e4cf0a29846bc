//! How deep the values of a message may go.
//!
//! The parser reads 128 levels. Another dialect keeps a message's values some levels deeper than they stood, so what is
//! accepted has to leave room for that: otherwise it would be written as something that nobody can read again.

use parlour_core::{Refusal, levels::levels_of, limits, message::Message};
use serde_json::Value;

use crate::Item;

/// Refuses a message with a value that is too deep. Most have hardly any, so this takes hardly any time.
pub(super) fn check(item: &Item) -> Result<(), Refusal> {
    let Message { content, metadata, steps, .. } = &item.message;
    let steps = steps.iter().flat_map(|step| [&step.input, &step.output]).flatten();
    let values = content.iter().chain(metadata.values()).chain(steps);
    if values.into_iter().all(|value| levels_of(value) <= limits::DIALECT_DEPTH_MAX) {
        return Ok(());
    }
    Err(too_deep())
}

/// The refusal of a value that is too deep.
pub(super) fn too_deep() -> Refusal {
    let most = limits::DIALECT_DEPTH_MAX;
    Refusal::out_of_bounds(format!("a value has more than {most} levels of lists and objects in it"))
}

/// The same refusal with the field of the line that it is about.
pub(super) fn named(refusal: Refusal, line: &[u8]) -> Refusal {
    match serde_json::from_slice(line).ok().as_ref().and_then(deep_field) {
        Some(field) => refusal.at(&field),
        None => refusal,
    }
}

/// The field of a foreign message that goes so deep that it may be refused for it; hardly any message has one.
pub(super) fn deep_field(value: &Value) -> Option<String> {
    let fields = value.as_object()?.iter().map(|(name, value)| (levels_of(value), name));
    let (levels, name) = fields.max_by_key(|(levels, _)| *levels)?;
    (levels >= limits::DIALECT_DEPTH_MAX).then(|| name.clone())
}

#[cfg(test)]
mod tests {
    use parlour_core::Timestamp;

    use crate::{DecodeContext, Dialect, decode_line, decode_value, encode_line};

    /// A message of TKR whose metadata go so deep.
    fn line(levels: usize) -> Vec<u8> {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        let text = format!(
            r#"{{"id":"a","type":"text","timestamp":"2026-01-01T00:00:00Z","session_id":"s","from_user":true,"content":"x","metadata":{{"deep":{open}{close}}}}}"#
        );
        text.into_bytes()
    }

    #[test]
    fn what_is_accepted_can_be_written_in_any_dialect_and_read_again() {
        let scene = DecodeContext::history(Timestamp::from_millis(0));
        for levels in [1, 99, 100] {
            let item = decode_line(Dialect::Tkr, &line(levels), &scene).expect("not too deep");
            for &dialect in Dialect::ALL {
                let mut out = Vec::new();
                assert!(encode_line(dialect, &item, &mut out));
                assert_eq!(decode_line(dialect, &out, &scene).as_ref(), Ok(&item), "{dialect}, {levels}");
            }
        }
        for levels in [101, 120, 1_000] {
            assert!(decode_line(Dialect::Tkr, &line(levels), &scene).is_err(), "{levels}");
        }
    }

    #[test]
    fn a_value_that_was_parsed_already_has_the_same_bound_and_its_field_is_named() {
        let scene = DecodeContext::history(Timestamp::from_millis(0));
        for levels in [100, 101, 120] {
            let value = serde_json::from_slice(&line(levels)).expect("the parser takes more");
            let (parsed, read) =
                (decode_value(Dialect::Tkr, value, &scene), decode_line(Dialect::Tkr, &line(levels), &scene));
            assert_eq!(parsed, read, "{levels}");
            let field = parsed.err().map(|refusal| refusal.field.expect("a field"));
            assert_eq!(field.as_deref(), (levels > 100).then_some("metadata"), "{levels}");
        }
    }
}
