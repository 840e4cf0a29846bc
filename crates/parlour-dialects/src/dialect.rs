//! The dialects by their names.

use std::{fmt, str::FromStr};

use parlour_core::{Code, Refusal};
use serde_json::Value;

use crate::{Item, Scene, a2a, caco, jaibber, native, pynchy, tkr, zen};

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
    pub fn decode(self, value: Value, scene: &Scene) -> Result<Item, Refusal> {
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
