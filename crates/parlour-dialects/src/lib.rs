//! Dialects: decoders and encoders for the wire formats of other systems.
//!
//! Everything here is pure: no I/O, no clock. Quirks of a foreign format stay inside its module; no other code uses a
//! foreign field name. Every dialect converts to and from the native message (an [`Item`]) with the same two functions:
//! `decode` turns a JSON value into an item, `encode` turns an item into a JSON value. [`Dialect`] selects them by name.
//!
//! Three rules hold for all of them.
//!
//! 1. Round trips are lossless. Foreign fields without a native counterpart are stored in `metadata` under the name of the
//!    dialect. Native fields without a foreign counterpart are stored in the foreign message under `parlour` ([`extras`]).
//! 2. Identity never comes from a text. Author prefixes inside a text are interpreted only in histories that a person chose
//!    to import, and written only for models. A foreign author has an id such as `tkr:phil`, which no member has.
//! 3. Invalid input is refused with the field and the rule. Nothing panics, and decoding takes linear time.

pub mod a2a;
pub mod caco;
mod canonical_form;
pub mod dialect;
pub mod extras;
mod fields;
mod foreign_id;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod item;
pub mod jaibber;
mod json;
mod line;
pub mod models;
pub mod mojibake;
pub mod native;
pub mod pynchy;
mod text;
pub mod tkr;
pub mod zen;

pub use dialect::Dialect;
pub use item::{DecodeContext, Frame, InputTrust, Item};
pub use line::{decode_line, decode_value, encode_line};
