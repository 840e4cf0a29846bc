//! One line of JSON, in and out.

mod depth;
mod explain;

use parlour_core::{Refusal, limits};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    DecodeContext, Dialect, Item, a2a, caco, jaibber, native, pynchy,
    tkr::{self, Spelling},
    zen,
};

/// Reads one line: one JSON value of the dialect.
pub fn decode_line(dialect: Dialect, line: &[u8], scene: &DecodeContext) -> Result<Item, Refusal> {
    let read = read_line(dialect, line, scene);
    // What was read is answered as it is: an item is large, and taking it out would copy it.
    match read.as_ref().map(depth::check) {
        Ok(Err(too_deep)) => Err(depth::named(too_deep, line)),
        _ => read,
    }
}

/// Reads a value that was parsed already, within the bounds of a line.
pub fn decode_value(dialect: Dialect, value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
    let deep = depth::deep_field(&value);
    let item = dialect.decode(value, scene)?;
    match (depth::check(&item), deep) {
        (Ok(()), _) => Ok(item),
        (Err(refusal), Some(field)) => Err(refusal.at(&field)),
        (Err(refusal), None) => Err(refusal),
    }
}

fn read_line(dialect: Dialect, line: &[u8], scene: &DecodeContext) -> Result<Item, Refusal> {
    if dialect == Dialect::Native
        && line.len() <= limits::DIALECT_LINE_BYTES_MAX
        && let Some(item) = native::decode_plain(line)
    {
        return Ok(item);
    }
    match dialect {
        Dialect::Zen => zen::read(parse_line(line)?, scene),
        Dialect::A2a => a2a::read(parse_line(line)?, scene),
        Dialect::Tkr | Dialect::TkrLegacy => tkr::read(parse_line(line)?, scene),
        Dialect::Caco => caco::read(parse_line(line)?, scene),
        Dialect::Jaibber => jaibber::read(parse_line(line)?, scene),
        Dialect::Pynchy => pynchy::read(parse_line(line)?, scene),
        Dialect::Native => native::decode(parse_line(line)?, scene),
    }
}

/// Writes an item as one line without its line break; answers whether the dialect has a word for it.
pub fn encode_line(dialect: Dialect, item: &Item, out: &mut Vec<u8>) -> bool {
    match dialect {
        Dialect::Native => {
            native::encode_into(item, out);
            true
        }
        Dialect::Zen => write_line(zen::write(item), out),
        Dialect::A2a => write_line(a2a::write(item), out),
        Dialect::Tkr => write_line(tkr::write(item, Spelling::Standard), out),
        Dialect::TkrLegacy => write_line(tkr::write(item, Spelling::Legacy), out),
        Dialect::Caco => write_line(caco::write(item), out),
        Dialect::Jaibber => write_line(jaibber::write(item), out),
        Dialect::Pynchy => write_line(pynchy::write(item), out),
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
    // Checking the characters of the whole line is faster than those of each text by itself.
    let read = str::from_utf8(line).map_or_else(|_| serde_json::from_slice(line), serde_json::from_str);
    read.map_err(|error| explain::explain(line, &error))
}

#[cfg(test)]
mod tests {
    use parlour_core::Code;

    use super::*;

    #[test]
    fn a_line_has_a_bound() {
        let wide = vec![b' '; limits::DIALECT_LINE_BYTES_MAX + 1];
        assert_eq!(parse_line::<Value>(&wide).expect_err("wide").code, Code::OutOfBounds);
    }
}
