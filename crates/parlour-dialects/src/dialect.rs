//! The dialects by their names.

use std::{fmt, str::FromStr};

use parlour_core::{Code, Refusal};
use serde_json::Value;

use crate::{DecodeContext, Item, a2a, caco, jaibber, mojibake, native, pynchy, tkr, zen};

/// A wire format that messages are read from and written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Parlour's own messages.
    Native,
    /// The messages of the store that the specification of seed 001 describes.
    Zen,
    /// Envelopes between agents, `a2a/1`.
    A2a,
    /// TKR: the standard form; the legacy and mixed forms are read too.
    Tkr,
    /// TKR: the legacy form; the standard and mixed forms are read too.
    TkrLegacy,
    /// Caco: events of a session.
    Caco,
    /// Jaibber: messages of a project channel.
    Jaibber,
    /// pynchy: rows of its database.
    Pynchy,
}

impl Dialect {
    /// All of them.
    pub const ALL: &'static [Self] =
        &[Self::Native, Self::Zen, Self::A2a, Self::Tkr, Self::TkrLegacy, Self::Caco, Self::Jaibber, Self::Pynchy];

    /// The name, as it is typed.
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

    /// Reads one message, frame or row.
    pub fn decode(self, value: Value, scene: &DecodeContext) -> Result<Item, Refusal> {
        match self {
            Self::Native => native::decode(value, scene),
            Self::Zen => zen::decode(value, scene),
            Self::A2a => a2a::decode(value, scene),
            Self::Tkr | Self::TkrLegacy => tkr::decode(value, scene),
            Self::Caco => caco::decode(value, scene),
            Self::Jaibber => jaibber::decode(value, scene),
            Self::Pynchy => pynchy::decode(value, scene),
        }
    }

    /// Mends all texts of a message that were read in a wrong encoding, also those in a field that holds the text of its JSON;
    /// answers how many there were.
    pub fn repair(self, value: &mut Value) -> usize {
        let holding: &[&str] = match self {
            Self::Pynchy => pynchy::JSON_COLUMNS,
            Self::Zen => zen::JSON_FIELDS,
            _ => &[],
        };
        let mut within = 0;
        for name in holding {
            if let Some(Value::String(text)) = value.get_mut(name)
                && let Some((mended, count)) = mended_json(text)
            {
                *text = mended;
                within += count;
            }
        }
        within + mojibake::repair_value(value)
    }

    /// Writes it, or answers none when the dialect has no word for such a frame.
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

/// The text of a JSON list or object with its texts mended, and how many there were; none when there is nothing to mend.
fn mended_json(text: &str) -> Option<(String, usize)> {
    let mut value: Value =
        serde_json::from_str(text).ok().filter(|value: &Value| value.is_object() || value.is_array())?;
    let count = mojibake::repair_value(&mut value);
    // Both systems that keep JSON as text are written in Python.
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
            Refusal::new(Code::OutOfBounds, format!("\"{text}\" is no dialect")).proposing(names)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_in_a_column_of_json_are_mended_too() {
        for (dialect, name) in [(Dialect::Pynchy, "metadata"), (Dialect::Zen, "context")] {
            let mut row = json!({"content": "cafÃ©", name: "{\"place\": \"caf\\u00c3\\u00a9\", \"n\": 1}"});
            assert_eq!(dialect.repair(&mut row), 2, "{dialect}");
            assert_eq!(row, json!({"content": "café", name: "{\"n\": 1, \"place\": \"caf\\u00e9\"}"}));
            assert_eq!(dialect.repair(&mut row), 0, "{dialect}");
        }
        let mut said = json!({"content": "{\"place\": \"caf\\u00c3\\u00a9\"}", "metadata": "{no json"});
        assert_eq!(Dialect::Pynchy.repair(&mut said), 0, "what somebody said is a text");
    }
}
