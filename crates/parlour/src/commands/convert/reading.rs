//! From the bytes of one message to what they mean.

use std::collections::BTreeMap;

use parlour_core::Refusal;
use parlour_dialects::{DecodeContext, Dialect, Item, decode_line, decode_value};
use serde_json::{Value, value::RawValue};

use super::shape::is_list_name;

/// How foreign messages are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) dialect: Dialect,
    pub(crate) scene: DecodeContext,
    /// Whether texts that were read in a wrong encoding are mended.
    pub(crate) repairs_encoding: bool,
}

impl Reading {
    /// Reads the JSON of one message.
    pub(crate) fn item(&self, bytes: &[u8]) -> Result<Item, Refusal> {
        self.plain_item(bytes).map_err(|refusal| hinted(refusal, bytes))
    }

    fn plain_item(&self, bytes: &[u8]) -> Result<Item, Refusal> {
        if !self.repairs_encoding {
            return decode_line(self.dialect, bytes, &self.scene);
        }
        match serde_json::from_slice(bytes) {
            Ok(value) => self.item_of(value),
            // Its words for what is no JSON are better than those of the parser.
            Err(_) => decode_line(self.dialect, bytes, &self.scene),
        }
    }

    /// Reads a value that was parsed already.
    pub(crate) fn item_of(&self, mut value: Value) -> Result<Item, Refusal> {
        if self.repairs_encoding {
            self.dialect.repair(&mut value);
        }
        decode_value(self.dialect, value, &self.scene)
    }
}

/// The refusal of an object that holds messages, as a server answers them, says how such a list is read.
pub(crate) fn hinted(refusal: Refusal, bytes: &[u8]) -> Refusal {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(bytes).unwrap_or_default();
    let holds_objects = |raw: &RawValue| {
        let list = raw.get().strip_prefix('[').unwrap_or_default();
        list.trim_ascii_start().starts_with('{')
    };
    match fields.iter().find(|(name, raw)| is_list_name(name.as_bytes()) && holds_objects(raw)) {
        None => refusal,
        Some((name, _)) => {
            let hint = format!("; the list in `{name}` would be read if it were the first field");
            Refusal { detail: refusal.detail.clone() + &hint, ..refusal }
        }
    }
}
