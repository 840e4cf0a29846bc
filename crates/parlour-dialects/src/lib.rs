//! Dialects: the wire formats of other systems, turned into the domain and back.
//!
//! Everything here is pure: no I/O, no clock. Quirks of a foreign format stay inside its module; nothing outside ever
//! looks at a foreign field name. All dialects meet in one place, the native message (an [`Item`]), and each has the
//! same two functions: `decode` makes an item of a JSON value, `encode` makes a JSON value of an item. [`Dialect`] calls
//! them by name.
//!
//! Three rules hold for all of them.
//!
//! 1. Nothing is lost. What a foreign message says and the native one has no field for is kept in its `metadata`, under
//!    the name of the dialect. What a native message says and the foreign one has no field for is kept in the foreign
//!    one, under the name `parlour` ([`extras`]). So both ways round give back what went in.
//! 2. Identity never comes from a text. Where a foreign system wrote the author into the message itself, the prefix is
//!    read only from histories that a person chose to import, and written only for models. The author of a foreign
//!    message has an id such as `tkr:phil`, which no member has.
//! 3. Bad input is refused with the name of the field and the rule. Nothing panics, and decoding takes time in
//!    proportion to its input.

pub mod a2a;
pub mod caco;
pub mod dialect;
pub mod extras;
mod fields;
mod foreign_author;
mod foreign_id;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod item;
pub mod jaibber;
mod json;
mod kept;
mod line;
pub mod models;
pub mod mojibake;
pub mod native;
pub mod pynchy;
mod scene;
pub mod tkr;
pub mod zen;

pub use dialect::Dialect;
pub use item::{Frame, Item};
pub use line::{decode_line, decode_value, encode_line};
pub use scene::{Scene, Trust};
