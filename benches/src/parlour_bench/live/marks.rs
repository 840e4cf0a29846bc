//! Marks in message texts: the number of a message and its sending time.

use std::{fmt, time::Duration};

/// Start and end of a mark; generated texts do not contain it.
const EDGE: u8 = b'~';
/// The length of a mark in bytes.
const LENGTH: usize = 24;
/// Distance from the last offset that is searched first: frames of one server differ only in a few digits.
const NEAR: usize = 12;

/// The mark of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The number of the sender, below 100.
    pub(crate) sender: u8,
    /// The number of the message of this sender.
    pub(crate) number: u32,
    /// Sending time since the start of the benchmark.
    pub(crate) sent: Duration,
}

impl fmt::Display for Mark {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "~{:02}{:08}{:012}~", self.sender, self.number, self.sent.as_micros())
    }
}

/// Finds the marks of successive frames.
#[derive(Debug, Default)]
pub(super) struct MarkFinder {
    offset: usize,
}

impl MarkFinder {
    /// The mark in this text, if it has one.
    pub(super) fn find(&mut self, text: &[u8]) -> Option<Mark> {
        let near = self.offset.saturating_sub(NEAR)..self.offset + NEAR;
        let found = search(text, near).or_else(|| search(text, 0..text.len()));
        found.map(|(offset, mark)| {
            self.offset = offset;
            mark
        })
    }
}

fn search(text: &[u8], range: std::ops::Range<usize>) -> Option<(usize, Mark)> {
    let end = range.end.min(text.len());
    let start = range.start.min(end);
    let edges = text[start..end].iter().enumerate().filter(|(_, byte)| **byte == EDGE);
    edges.map(|(offset, _)| start + offset).find_map(|offset| Some((offset, mark_at(text, offset)?)))
}

fn mark_at(text: &[u8], offset: usize) -> Option<Mark> {
    let bytes = text.get(offset..offset + LENGTH)?;
    if bytes[LENGTH - 1] != EDGE {
        return None;
    }
    Some(Mark {
        sender: number_in(&bytes[1..3])? as u8,
        number: number_in(&bytes[3..11])? as u32,
        sent: Duration::from_micros(number_in(&bytes[11..23])?),
    })
}

fn number_in(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_without_a_mark_gives_none() {
        let mut finder = MarkFinder::default();
        for text in ["", "~", "{\"body\":\"no mark\"}", "~01000000010000000000~~", "~01x00000010000000000000~"] {
            assert_eq!(finder.find(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn a_delimiter_before_the_mark_does_not_hide_it() {
        let mark = Mark { sender: 7, number: 12, sent: Duration::from_millis(3) };
        let text = format!("a ~ b ~~ {mark} ~");
        assert_eq!(MarkFinder::default().find(text.as_bytes()), Some(mark));
    }

    proptest! {
        #[test]
        fn marks_survive_a_round_trip(
            marks in prop::collection::vec((0_u8..100, 0_u32..100_000_000, 0_u64..1_000_000_000_000, 0_usize..60), 1..9),
        ) {
            let mut finder = MarkFinder::default();
            for (sender, number, micros, offset) in marks {
                let mark = Mark { sender, number, sent: Duration::from_micros(micros) };
                let text = format!("{}{mark} and so on", "x".repeat(offset));
                prop_assert_eq!(text.len(), offset + LENGTH + 10);
                prop_assert_eq!(finder.find(text.as_bytes()), Some(mark));
            }
        }
    }
}
