//! Positions: where a reader stands in the log of a project.

use std::{fmt, str::FromStr};

use sha2::{Digest, Sha256};

use crate::{
    Code, Refusal, Timestamp,
    id::{ProjectId, text_schema, text_serde},
    limits,
};

/// A place in the log of one project: after the event with this offset, in this life of the log.
///
/// Offsets of one epoch start at 1 and have no gaps. The epoch changes when a log is begun anew (a restored
/// backup, a move to another store), so a position of an older life is never mistaken for one of this.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    epoch: String,
    offset: u64,
}

impl Position {
    /// A position in the epoch with this name (1 to 32 ASCII letters and digits).
    pub fn new(epoch: &str, offset: u64) -> Result<Self, Refusal> {
        let is_epoch = (1..=limits::EPOCH_CHARS_MAX).contains(&epoch.len())
            && epoch.bytes().all(|byte| byte.is_ascii_alphanumeric());
        // Stores keep offsets as signed 64-bit numbers.
        if is_epoch && i64::try_from(offset).is_ok() {
            Ok(Self { epoch: epoch.to_owned(), offset })
        } else {
            Err(refuse(epoch))
        }
    }

    /// The life of the log.
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// The number of the last event before this place; 0 at the start.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// The digits of an epoch.
const EPOCH_DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The epoch of a log that is begun for this project at this time.
///
/// It follows from the entry that begins the log, so that every store that applies the entry gives the same positions. A
/// project that is created again, after its store was lost, begins at another time and so has another epoch.
pub fn epoch_of(project_id: &ProjectId, begun_at: Timestamp) -> String {
    let time = begun_at.as_millis().to_be_bytes();
    let digest = Sha256::new().chain_update(project_id.as_str()).chain_update([0]).chain_update(time).finalize();
    digest.iter().take(8).map(|byte| EPOCH_DIGITS[usize::from(byte % 32)] as char).collect()
}

fn refuse(text: &str) -> Refusal {
    let shown: String = text.chars().take(60).collect();
    Refusal::new(Code::BadQuery, format!("{shown:?} is no position; pass one back exactly as it was given"))
}

impl FromStr for Position {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let (epoch, offset) = text.split_once('-').ok_or_else(|| refuse(text))?;
        let is_number = offset.bytes().all(|byte| byte.is_ascii_digit());
        let offset = offset.parse().ok().filter(|_| is_number).ok_or_else(|| refuse(text))?;
        Self::new(epoch, offset).map_err(|_| refuse(text))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.epoch, self.offset)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

text_serde!(Position);
text_schema!(Position, "^[0-9A-Za-z]{1,32}-[0-9]{1,19}$", "4XQ0Z7-128");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_epoch_follows_from_the_project_and_the_time_of_its_log() {
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

    proptest! {
        #[test]
        fn text_round_trips(epoch in "[0-9A-Za-z]{1,32}", offset in 0..=i64::MAX as u64) {
            let position = Position::new(&epoch, offset).expect("allowed");
            prop_assert_eq!(position.to_string().parse::<Position>().expect("own text"), position);
        }
    }
}
