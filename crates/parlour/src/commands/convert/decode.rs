//! Decoding of one message, collected problems, and counts of frames.

use std::collections::BTreeMap;

use parlour_core::Refusal;
use parlour_dialects::{DecodeContext, Dialect, Frame, Item, decode_line, decode_value};
use serde_json::{Value, value::RawValue};

use super::scan::is_list_name;
use crate::output::plain::one_line;

/// Decodes messages of one dialect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DialectDecoder {
    pub(crate) dialect: Dialect,
    pub(crate) context: DecodeContext,
    pub(crate) repairs_encoding: bool,
}

impl DialectDecoder {
    pub(crate) fn item(&self, bytes: &[u8]) -> Result<Item, Refusal> {
        self.plain_item(bytes).map_err(|refusal| with_list_hint(refusal, bytes))
    }

    fn plain_item(&self, bytes: &[u8]) -> Result<Item, Refusal> {
        if !self.repairs_encoding {
            return decode_line(self.dialect, bytes, &self.context);
        }
        match serde_json::from_slice(bytes) {
            Ok(value) => self.item_of(value),
            // The dialect has better error texts for invalid JSON.
            Err(_) => decode_line(self.dialect, bytes, &self.context),
        }
    }

    pub(crate) fn item_of(&self, mut value: Value) -> Result<Item, Refusal> {
        if self.repairs_encoding {
            self.dialect.repair(&mut value);
        }
        decode_value(self.dialect, value, &self.context)
    }
}

/// Adds a hint to the refusal of an object that contains a list of messages.
pub(crate) fn with_list_hint(refusal: Refusal, bytes: &[u8]) -> Refusal {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(bytes).unwrap_or_default();
    let holds_objects = |raw: &RawValue| {
        let list = raw.get().strip_prefix('[').unwrap_or_default();
        list.trim_ascii_start().starts_with('{')
    };
    match fields.iter().find(|(name, raw)| is_list_name(name.as_bytes()) && holds_objects(raw)) {
        None => refusal,
        Some((name, _)) => {
            let hint = format!("; to read the list in `{name}`, make it the first field");
            Refusal { detail: refusal.detail.clone() + &hint, ..refusal }
        }
    }
}

const SHOWN_MAX: usize = 20;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Problems {
    /// The first problems, one line each.
    pub(crate) shown: Vec<String>,
    pub(crate) count: u64,
}

impl Problems {
    /// Adds a problem; returns its line if it is among the first ones.
    pub(crate) fn add(&mut self, location: impl std::fmt::Display, refusal: &Refusal) -> Option<&str> {
        self.count += 1;
        if self.shown.len() >= SHOWN_MAX {
            return None;
        }
        self.shown.push(format!("{location}: {}", in_words(refusal)));
        self.shown.last().map(String::as_str)
    }

    pub(crate) fn unshown(&self) -> u64 {
        self.count - self.shown.len() as u64
    }
}

/// Formats a refusal with its field and candidates. The text may quote foreign input, so it is escaped to one line.
pub(crate) fn in_words(refusal: &Refusal) -> String {
    let mut words = match &refusal.field {
        Some(field) => format!("field {field}: {}", refusal.detail),
        None => refusal.detail.clone(),
    };
    let is_in_detail = |candidate: &String| refusal.detail.contains(candidate.as_str());
    if !refusal.candidates.iter().all(is_in_detail) {
        words += &format!("; allowed: {}", refusal.candidates.join(", "));
    }
    one_line(&words)
}

/// Counts of frames by type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameCounts([u64; SORTS.len()]);

/// Frame types with their singular and plural.
const SORTS: [(Frame, &str, &str); 5] = [
    (Frame::Message, "message", "messages"),
    (Frame::Typing, "typing frame", "typing frames"),
    (Frame::Piece, "chunk", "chunks"),
    (Frame::Step, "step", "steps"),
    (Frame::Signal, "signal", "signals"),
];

impl FrameCounts {
    pub(crate) fn add(&mut self, frame: Frame) {
        let index = SORTS.iter().position(|(sort, ..)| *sort == frame).expect("every frame has its sort: tested");
        self.0[index] += 1;
    }

    pub(crate) fn join(&mut self, others: Self) {
        self.0.iter_mut().zip(others.0).for_each(|(count, more)| *count += more);
    }

    pub(crate) fn sum(&self) -> u64 {
        self.0.iter().sum()
    }

    /// For example `10 chunks, 2 signals`.
    pub(crate) fn in_words(&self) -> String {
        let counted = SORTS.iter().zip(self.0).filter(|(_, count)| *count > 0);
        let words =
            counted.map(|((_, one, several), count)| format!("{count} {}", if count == 1 { one } else { several }));
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_problems_are_shown_and_all_are_counted() {
        let mut problems = Problems::default();
        let refusal = Refusal::invalid("this must be a text").at("id");
        assert_eq!(problems.add("line 1", &refusal), Some("line 1: field id: this must be a text"));
        for number in 2..=SHOWN_MAX + 5 {
            let line = problems.add(format!("line {number}"), &Refusal::invalid("no"));
            assert_eq!(line.is_some(), number <= SHOWN_MAX, "{number}");
        }
        assert_eq!((problems.shown.len(), problems.count, problems.unshown()), (SHOWN_MAX, 25, 5));
    }

    #[test]
    fn a_refusal_lists_the_allowed_values_once() {
        let refusal = Refusal::invalid("\"talk\" is no type").at("type").proposing(vec!["text".into(), "error".into()]);
        assert_eq!(in_words(&refusal), "field type: \"talk\" is no type; allowed: text, error");
        let shown = Refusal::invalid("this must be a or b").proposing(vec!["a".into(), "b".into()]);
        assert_eq!(in_words(&shown), "this must be a or b");
    }

    #[test]
    fn a_problem_text_cannot_control_the_terminal() {
        assert_eq!(in_words(&Refusal::invalid("\"a\x1b[2J\nb\" is no id")), "\"a\u{FFFD}[2J b\" is no id");
    }

    #[test]
    fn every_frame_is_counted_and_named() {
        let mut counts = FrameCounts::default();
        assert_eq!(counts.in_words(), "");
        for frame in [Frame::Message, Frame::Typing, Frame::Piece, Frame::Piece, Frame::Step, Frame::Signal] {
            counts.add(frame);
        }
        assert_eq!(counts.in_words(), "1 message, 1 typing frame, 2 chunks, 1 step, 1 signal");
        assert_eq!(counts.sum(), 6);
        counts.join(counts);
        assert_eq!(counts.sum(), 12);
    }
}
