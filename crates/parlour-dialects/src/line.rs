//! One line of JSON, in and out.

use std::collections::BTreeMap;

use parlour_core::{Code, Refusal, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{Dialect, Item, Scene, jaibber, native};

/// Reads one line: one JSON value of the dialect.
pub fn decode_line(dialect: Dialect, line: &[u8], scene: &Scene) -> Result<Item, Refusal> {
    if dialect == Dialect::Native
        && line.len() <= limits::DIALECT_LINE_BYTES_MAX
        && let Some(item) = native::decode_plain(line)
    {
        return Ok(item);
    }
    match dialect {
        Dialect::Jaibber => jaibber::read(parse_line(line)?, scene),
        _ => dialect.decode(parse_line(line)?, scene),
    }
}

/// Writes an item as one line without its line break; answers whether the dialect has a word for it.
pub fn encode_line(dialect: Dialect, item: &Item, out: &mut Vec<u8>) -> bool {
    if dialect == Dialect::Native {
        native::encode_into(item, out);
        return true;
    }
    match dialect {
        Dialect::Jaibber => write_line(jaibber::write(item), out),
        _ => write_line(dialect.encode(item), out),
    }
}

fn write_line(value: Option<impl Serialize>, out: &mut Vec<u8>) -> bool {
    let Some(value) = value else { return false };
    serde_json::to_writer(out, &value).expect("a value can be written to memory");
    true
}

/// The value of a line. What is no JSON is refused with its place, and with the field where there is one.
fn parse_line<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, Refusal> {
    if line.len() > limits::DIALECT_LINE_BYTES_MAX {
        let most = limits::DIALECT_LINE_BYTES_MAX;
        return Err(Refusal::out_of_bounds(format!("the line has {} bytes; at most {most} are read", line.len())));
    }
    serde_json::from_slice(line).map_err(|error| explain(line, &error))
}

/// Says which field cannot be read, when the line is an object with one that cannot.
fn explain(line: &[u8], error: &serde_json::Error) -> Refusal {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(line).unwrap_or_default();
    let broken = fields
        .iter()
        .find_map(|(name, raw)| serde_json::from_str::<Value>(raw.get()).err().map(|error| refuse(&error).at(name)));
    broken.unwrap_or_else(|| refuse(error))
}

fn refuse(error: &serde_json::Error) -> Refusal {
    Refusal::new(Code::MalformedJson, format!("this is no JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_is_refused_with_the_name_of_its_field() {
        let refused = parse_line::<Value>(br#"{"id":"a","text":"x \ud800 y"}"#).expect_err("a lone surrogate");
        assert_eq!((refused.code, refused.field.as_deref()), (Code::MalformedJson, Some("text")));
        assert!(refused.detail.contains("hex escape"), "{}", refused.detail);
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        let refused = parse_line::<Value>(b"{\"a\": ").expect_err("cut");
        assert!(refused.detail.contains("column 6"), "{}", refused.detail);
        assert!(parse_line::<Value>(&[b'{', 0xff]).is_err());
    }

    #[test]
    fn a_line_has_a_bound() {
        let wide = vec![b' '; limits::DIALECT_LINE_BYTES_MAX + 1];
        assert_eq!(parse_line::<Value>(&wide).expect_err("wide").code, Code::OutOfBounds);
    }
}
