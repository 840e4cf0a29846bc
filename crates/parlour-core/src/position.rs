//! Positions: places in the log of a project.

use std::{
    fmt,
    hash::{Hash, Hasher},
    str::{self, FromStr},
};

use sha2::{Digest, Sha256};

use crate::{
    Code, Refusal, Timestamp,
    id::{ProjectId, text_schema, text_serde},
    limits,
};

/// A place in the log of one project: after the event with this offset, in this epoch.
///
/// Offsets of one epoch start at 1 and have no gaps. The epoch changes when a log is recreated, so a position of an
/// older log is never mistaken for one of the new log. The start tag distinguishes the logs that continue one log: a
/// restored backup and the log that it replaces. It is no part of the place: positions with the same epoch and offset
/// are equal.
#[derive(Clone)]
pub struct Position {
    epoch: String,
    start_tag: Option<StartTag>,
    offset: u64,
}

/// The random tag of one start of the hub: 8 ASCII letters and digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StartTag([u8; START_TAG_LEN]);

const START_TAG_LEN: usize = 8;

impl StartTag {
    /// The tag for these random bytes.
    pub fn from_random(bytes: [u8; START_TAG_LEN]) -> Self {
        Self(bytes.map(digit_of))
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("ASCII: checked by the constructors")
    }
}

impl Position {
    /// A position in the epoch with this name (1 to 32 ASCII letters and digits).
    pub fn new(epoch: &str, offset: u64) -> Result<Self, Refusal> {
        let is_epoch = (1..=limits::EPOCH_CHARS_MAX).contains(&epoch.len())
            && epoch.bytes().all(|byte| byte.is_ascii_alphanumeric());
        // Stores keep offsets as signed 64-bit numbers.
        if is_epoch && i64::try_from(offset).is_ok() {
            Ok(Self { epoch: epoch.to_owned(), start_tag: None, offset })
        } else {
            Err(refuse(epoch))
        }
    }

    /// The same place, issued by the start with this tag.
    #[must_use]
    pub fn issued_by(self, start_tag: Option<StartTag>) -> Self {
        Self { start_tag, ..self }
    }

    /// The place at another offset of the same log, issued by the same start.
    pub fn at_offset(&self, offset: u64) -> Result<Self, Refusal> {
        Ok(Self::new(&self.epoch, offset)?.issued_by(self.start_tag))
    }

    /// The start of the hub that issued this position; none in positions of earlier versions.
    pub fn start_tag(&self) -> Option<StartTag> {
        self.start_tag
    }

    /// The epoch.
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// The number of the last event before this place; 0 at the start.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// The digits of an epoch and of a start tag.
const EPOCH_DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The epoch of a log that is created for this project at this time.
///
/// It is derived from the entry that creates the log, so that every store that applies the entry gives the same
/// positions. A project that is created again after its store was lost has another creation time and so another epoch.
pub fn epoch_of(project_id: &ProjectId, begun_at: Timestamp) -> String {
    let time = begun_at.as_millis().to_be_bytes();
    let digest = Sha256::new().chain_update(project_id.as_str()).chain_update([0]).chain_update(time).finalize();
    digest.iter().take(8).map(|byte| char::from(digit_of(*byte))).collect()
}

fn digit_of(byte: u8) -> u8 {
    EPOCH_DIGITS[usize::from(byte % 32)]
}

fn refuse(text: &str) -> Refusal {
    let shown: String = text.chars().take(60).collect();
    Refusal::new(
        Code::BadQuery,
        format!("{shown:?} is not a position; send a position back exactly as you received it"),
    )
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        (&self.epoch, self.offset) == (&other.epoch, other.offset)
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.epoch, self.offset).hash(state);
    }
}

impl FromStr for StartTag {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let is_tag = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        text.as_bytes().try_into().ok().filter(|_| is_tag).map(Self).ok_or_else(|| refuse(text))
    }
}

impl FromStr for Position {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let (log, offset) = text.split_once('-').ok_or_else(|| refuse(text))?;
        let (epoch, start_tag) = match log.split_once('.') {
            Some((epoch, start_tag)) => (epoch, Some(start_tag.parse().map_err(|_| refuse(text))?)),
            None => (log, None),
        };
        let is_number = offset.bytes().all(|byte| byte.is_ascii_digit());
        let offset = offset.parse().ok().filter(|_| is_number).ok_or_else(|| refuse(text))?;
        Ok(Self::new(epoch, offset).map_err(|_| refuse(text))?.issued_by(start_tag))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start_tag {
            Some(tag) => write!(out, "{}.{}-{}", self.epoch, tag.as_str(), self.offset),
            None => write!(out, "{}-{}", self.epoch, self.offset),
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl fmt::Debug for StartTag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

text_serde!(Position);
text_schema!(Position, "^[0-9A-Za-z]{1,32}([.][0-9A-Za-z]{8})?-[0-9]{1,19}$", "4XQ0Z7EH.8KQ2M0TD-128");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_epoch_is_derived_from_project_and_creation_time() {
        let (project, at) = (ProjectId::from_bits(1), Timestamp::from_millis(7));
        let epoch = epoch_of(&project, at);
        assert_eq!(epoch, epoch_of(&project, at));
        assert_ne!(epoch, epoch_of(&project, Timestamp::from_millis(8)));
        assert_ne!(epoch, epoch_of(&ProjectId::from_bits(2), at));
        assert!(Position::new(&epoch, 1).is_ok(), "{epoch}");
    }

    #[test]
    fn broken_positions_are_refused() {
        for text in ["", "-", "a", "a-", "-1", "a-+1", "a--1", "a-1-2", "a b-1", "a-99999999999999999999", "é-1"] {
            assert!(text.parse::<Position>().is_err(), "{text}");
        }
    }

    #[test]
    fn broken_start_tags_are_refused() {
        for text in
            ["a.-1", ".abcdefgh-1", "a.abcdefg-1", "a.abcdefghi-1", "a.abc.efgh-1", "a.abcdéfg-1", "a-1.abcdefgh"]
        {
            assert!(text.parse::<Position>().is_err(), "{text}");
        }
    }

    #[test]
    fn positions_that_differ_only_in_the_start_tag_are_equal() {
        let position = Position::new("a", 7).expect("allowed");
        let tagged = position.clone().issued_by(Some(StartTag::from_random([1, 2, 3, 4, 5, 6, 7, 255])));
        assert_eq!(tagged.to_string(), "a.1234567Z-7");
        assert_eq!((&tagged, tagged.epoch()), (&position, "a"));
        assert_eq!(tagged.at_offset(9).expect("allowed").to_string(), "a.1234567Z-9");
    }

    proptest! {
        #[test]
        fn text_round_trips(
            epoch in "[0-9A-Za-z]{1,32}",
            offset in 0..=i64::MAX as u64,
            tag in proptest::option::of(any::<[u8; 8]>()),
        ) {
            let position = Position::new(&epoch, offset).expect("allowed").issued_by(tag.map(StartTag::from_random));
            let read: Position = position.to_string().parse().expect("own text");
            prop_assert_eq!(read.start_tag(), position.start_tag());
            prop_assert_eq!(read, position);
        }
    }
}
