//! The binary format of entries. Existing databases contain it, so it may only be extended.
//!
//! Numbers are varints: groups of seven bits, the lowest first. An entry starts with the number of its origin times
//! two, plus one if it is not a plain post. A plain post continues with its message number, as the difference to the
//! plain post before it. Other entries continue with action, result (0 is done), time (also as a difference), author,
//! project and subject; the last two are lists of parts.

use crate::sqlite::error::{StoreError, StoreResult};

/// An entry with row numbers for everything that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Packed {
    /// A plain post: author and time are those of the message.
    Posted { origin_no: i64, message_no: i64 },
    /// Any other entry.
    Noted(PackedNote),
}

/// An entry whose data is not that of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackedNote {
    pub(super) origin_no: i64,
    pub(super) action_no: i64,
    /// The refusal; `None` if the action was done.
    pub(super) result_no: Option<i64>,
    pub(super) at_ms: i64,
    pub(super) author_no: i64,
    /// At most one part.
    pub(super) project: Vec<Part>,
    pub(super) subject: Vec<Part>,
}

/// A row number, or the id as text if there is no such row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Message(i64),
    Conversation(i64),
    Member(i64),
    Project(i64),
    Text(String),
}

/// Encodes entries.
#[derive(Debug, Default)]
pub(super) struct Packer {
    bytes: Vec<u8>,
    last: Last,
}

/// The values that differences refer to.
#[derive(Debug, Default)]
struct Last {
    message_no: i64,
    at_ms: i64,
}

impl Packer {
    pub(super) fn push(&mut self, entry: &Packed) {
        match entry {
            Packed::Posted { origin_no, message_no } => {
                self.number(origin_no.unsigned_abs() << 1);
                self.number(zigzag(message_no.wrapping_sub(self.last.message_no)));
                self.last.message_no = *message_no;
            }
            Packed::Noted(note) => self.push_note(note),
        }
    }

    fn push_note(&mut self, note: &PackedNote) {
        self.number(note.origin_no.unsigned_abs() << 1 | 1);
        self.number(note.action_no.unsigned_abs());
        self.number(note.result_no.unwrap_or(0).unsigned_abs());
        self.number(zigzag(note.at_ms.wrapping_sub(self.last.at_ms)));
        self.last.at_ms = note.at_ms;
        self.number(note.author_no.unsigned_abs());
        self.parts(&note.project);
        self.parts(&note.subject);
    }

    fn parts(&mut self, parts: &[Part]) {
        self.number(parts.len() as u64);
        for part in parts {
            let (kind, value) = match part {
                Part::Message(no) => (0, no.unsigned_abs()),
                Part::Conversation(no) => (1, no.unsigned_abs()),
                Part::Member(no) => (2, no.unsigned_abs()),
                Part::Project(no) => (3, no.unsigned_abs()),
                Part::Text(text) => (4, text.len() as u64),
            };
            self.bytes.push(kind);
            self.number(value);
            if let Part::Text(text) = part {
                self.bytes.extend_from_slice(text.as_bytes());
            }
        }
    }

    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Decodes all entries of a row.
pub(super) fn unpack(bytes: &[u8]) -> StoreResult<Vec<Packed>> {
    let mut unpacker = Unpacker { bytes, last: Last::default() };
    let mut entries = Vec::new();
    while !unpacker.bytes.is_empty() {
        entries.push(unpacker.entry().ok_or_else(|| StoreError::Unreadable("a row of the audit log".to_owned()))?);
    }
    Ok(entries)
}

struct Unpacker<'row> {
    bytes: &'row [u8],
    last: Last,
}

impl Unpacker<'_> {
    fn entry(&mut self) -> Option<Packed> {
        let begin = self.number()?;
        let origin_no = i64::try_from(begin >> 1).ok()?;
        if begin & 1 == 1 {
            return self.note(origin_no).map(Packed::Noted);
        }
        self.last.message_no = self.last.message_no.wrapping_add(unzigzag(self.number()?));
        Some(Packed::Posted { origin_no, message_no: self.last.message_no })
    }

    fn note(&mut self, origin_no: i64) -> Option<PackedNote> {
        let action_no = self.positive()?;
        let result_no = Some(self.positive()?).filter(|no| *no != 0);
        self.last.at_ms = self.last.at_ms.wrapping_add(unzigzag(self.number()?));
        let author_no = self.positive()?;
        let (project, subject) = (self.parts()?, self.parts()?);
        Some(PackedNote { origin_no, action_no, result_no, at_ms: self.last.at_ms, author_no, project, subject })
    }

    fn parts(&mut self) -> Option<Vec<Part>> {
        let count = self.number()?;
        (0..count).map(|_| self.part()).collect()
    }

    fn part(&mut self) -> Option<Part> {
        let (kind, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        let value = self.positive()?;
        Some(match kind {
            0 => Part::Message(value),
            1 => Part::Conversation(value),
            2 => Part::Member(value),
            3 => Part::Project(value),
            4 => Part::Text(self.text(usize::try_from(value).ok()?)?),
            _ => return None,
        })
    }

    fn text(&mut self, length: usize) -> Option<String> {
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn positive(&mut self) -> Option<i64> {
        i64::try_from(self.number()?).ok()
    }

    fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has only one bit left.
            value |= bits.checked_shl(shift).filter(|shifted| shifted >> shift == bits)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

/// Zigzag encoding: small differences of either sign become small numbers.
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = i64> {
        prop_oneof![0..200_i64, 0..i64::MAX / 2]
    }

    fn part() -> impl Strategy<Value = Part> {
        prop_oneof![
            number().prop_map(Part::Message),
            number().prop_map(Part::Conversation),
            number().prop_map(Part::Member),
            number().prop_map(Part::Project),
            ".{0,20}".prop_map(Part::Text),
        ]
    }

    fn packed() -> impl Strategy<Value = Packed> {
        let parts = || prop::collection::vec(part(), 0..3);
        let numbers = (number(), number(), 1..i64::MAX, any::<i64>(), number());
        let note = (numbers, any::<bool>(), parts(), parts()).prop_map(
            |((origin_no, action_no, result, at_ms, author_no), is_done, project, subject)| {
                let result_no = (!is_done).then_some(result);
                Packed::Noted(PackedNote { origin_no, action_no, result_no, at_ms, author_no, project, subject })
            },
        );
        prop_oneof![
            (number(), number()).prop_map(|(origin_no, message_no)| Packed::Posted { origin_no, message_no }),
            note
        ]
    }

    fn pack(entries: &[Packed]) -> Vec<u8> {
        let mut packer = Packer::default();
        entries.iter().for_each(|entry| packer.push(entry));
        packer.into_bytes()
    }

    #[test]
    fn consecutive_posts_take_two_bytes_each() {
        let posts =
            |count| (1..=count).map(|message_no| Packed::Posted { origin_no: 3, message_no }).collect::<Vec<_>>();
        assert_eq!(pack(&posts(500)).len(), 1000);
    }

    #[test]
    fn the_binary_format_is_stable() {
        let note = PackedNote {
            origin_no: 1,
            action_no: 2,
            result_no: None,
            at_ms: 300,
            author_no: 5,
            project: vec![Part::Project(6)],
            subject: vec![Part::Message(7), Part::Text("x".into())],
        };
        let entries = [Packed::Posted { origin_no: 1, message_no: 200 }, Packed::Noted(note)];
        let bytes = [2, 0x90, 3, 3, 2, 0, 0xd8, 4, 5, 1, 3, 6, 2, 0, 7, 4, 1, b'x'];
        assert_eq!(pack(&entries), bytes);
    }

    proptest! {
        #[test]
        fn entries_round_trip(entries in prop::collection::vec(packed(), 0..20)) {
            prop_assert_eq!(unpack(&pack(&entries)).expect("own form"), entries);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = unpack(&bytes);
        }
    }
}
