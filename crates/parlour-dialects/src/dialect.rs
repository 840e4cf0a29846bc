//! Selection of a dialect by name.

use std::{fmt, str::FromStr};

use parlour_core::{Code, Refusal};
use serde_json::Value;

use crate::{DecodeContext, Item, a2a, caco, jaibber, mojibake, native, pynchy, tkr, zen};

/// A wire format that messages are decoded from and encoded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Parlour's own messages.
    Native,
    /// Messages of the store that the specification of seed 001 describes.
    Zen,
    /// Envelopes between agents, `a2a/1`.
    A2a,
    /// TKR in the standard form; decodes the legacy and mixed forms too.
    Tkr,
    /// TKR in the legacy form; decodes the standard and mixed forms too.
    TkrLegacy,
    /// Session events of Caco.
    Caco,
    /// Messages of a Jaibber project channel.
    Jaibber,
    /// Rows of the pynchy database.
    Pynchy,
}

impl Dialect {
    pub const ALL: &'static [Self] =
        &[Self::Native, Self::Zen, Self::A2a, Self::Tkr, Self::TkrLegacy, Self::Caco, Self::Jaibber, Self::Pynchy];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Zen => zen::NAME,
            Self::A2a => a2a::NAME,
            Self::Tkr => tkr::NAME,
            Self::TkrLegacy => "tkr-legacy",
            Self::Caco => caco::NAME,
            Self::Jaibber => jaibber::NAME,
            Self::Pynchy => pynchy::NAME,
        }
    }

    /// Decodes one message, frame or row.
    pub fn decode(self, value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
        match self {
            Self::Native => native::decode(value, decode_context),
            Self::Zen => zen::decode(value, decode_context),
            Self::A2a => a2a::decode(value, decode_context),
            Self::Tkr | Self::TkrLegacy => tkr::decode(value, decode_context),
            Self::Caco => caco::decode(value, decode_context),
            Self::Jaibber => jaibber::decode(value, decode_context),
            Self::Pynchy => pynchy::decode(value, decode_context),
        }
    }

    /// Repairs all texts that were read in a wrong encoding, also inside fields that contain JSON as text; returns the
    /// number of repaired texts.
    pub fn repair(self, value: &mut Value) -> usize {
        let holding: &[&str] = match self {
            Self::Pynchy => pynchy::JSON_COLUMNS,
            Self::Zen => zen::JSON_FIELDS,
            _ => &[],
        };
        let mut within = 0;
        for name in holding {
            if let Some(Value::String(text)) = value.get_mut(name)
                && let Some((repaired, count)) = repaired_json(text)
            {
                *text = repaired;
                within += count;
            }
        }
        within + mojibake::repair_value(value)
    }

    /// Encodes an item; none if the dialect cannot express the frame.
    pub fn encode(self, item: &Item) -> Option<Value> {
        match self {
            Self::Native => Some(native::encode(item)),
            Self::Zen => zen::encode(item),
            Self::A2a => a2a::encode(item),
            Self::Tkr => tkr::encode(item),
            Self::TkrLegacy => tkr::encode_legacy(item),
            Self::Caco => caco::encode(item),
            Self::Jaibber => jaibber::encode(item),
            Self::Pynchy => pynchy::encode(item),
        }
    }
}

/// Repairs the texts inside a JSON text; returns the new text and the number of repairs, or none.
fn repaired_json(text: &str) -> Option<(String, usize)> {
    let mut value: Value =
        serde_json::from_str(text).ok().filter(|value: &Value| value.is_object() || value.is_array())?;
    let count = mojibake::repair_value(&mut value);
    // Both systems that store JSON as text are written in Python.
    (count > 0).then(|| (pynchy::python_text(&value), count))
}

impl fmt::Display for Dialect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let known = Self::ALL.iter().copied().find(|dialect| dialect.as_str() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.iter().map(ToString::to_string).collect();
            Refusal::new(Code::OutOfBounds, format!("unknown dialect \"{text}\"")).proposing(names)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_inside_json_columns_are_repaired() {
        for (dialect, name) in [(Dialect::Pynchy, "metadata"), (Dialect::Zen, "context")] {
            let mut row = json!({"content": "cafÃ©", name: "{\"place\": \"caf\\u00c3\\u00a9\", \"n\": 1}"});
            assert_eq!(dialect.repair(&mut row), 2, "{dialect}");
            assert_eq!(row, json!({"content": "café", name: "{\"n\": 1, \"place\": \"caf\\u00e9\"}"}));
            assert_eq!(dialect.repair(&mut row), 0, "{dialect}");
        }
        let mut message = json!({"content": "{\"place\": \"caf\\u00c3\\u00a9\"}", "metadata": "{no json"});
        assert_eq!(Dialect::Pynchy.repair(&mut message), 0, "a JSON text in the content of a message is a text");
    }
}
