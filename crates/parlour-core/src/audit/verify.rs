//! Checking an exported audit log, line by line, in constant memory.

use serde::Deserialize;

use super::{AuditHash, AuditHead};

/// The text before the seal in a line.
pub(super) const SEAL_BEGINS: &str = ",\"seal\":\"";
/// The text after the seal.
pub(super) const SEAL_ENDS: &str = "\"}";
/// The digits of a seal.
const SEAL_CHARS: usize = 64;

/// Verifies the lines of an export in order: none is missing, changed, moved or added.
///
/// It hashes the bytes as they are, so it detects any changed byte. It cannot detect a log that was recreated as a
/// whole, or whose newest commits were cut off, unless it is given a head that was recorded before.
#[derive(Debug)]
pub struct Verifier {
    head: AuditHead,
    /// The last entry with a valid seal.
    sealed_no: u64,
    noted: Option<AuditHead>,
    is_noted_met: bool,
    is_begun: bool,
}

/// A flaw of an audit log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditFlaw {
    /// A line is not an exported entry.
    #[error("the line after entry {after} is not an audit entry")]
    Unreadable {
        /// The entry before.
        after: u64,
    },
    /// Numbers were skipped.
    #[error("entry {missing} is missing: entry {found} is in its place")]
    Missing {
        /// The first number that is missing.
        missing: u64,
        /// The number that was found.
        found: u64,
    },
    /// A number is repeated or out of order.
    #[error("entry {found} is in the place of entry {expected}: it was repeated or moved")]
    Misplaced {
        /// The expected number.
        expected: u64,
        /// The number that was found.
        found: u64,
    },
    /// The entries of a commit do not match its seal.
    #[error("{} was changed: the hash of the chain differs from the seal", span(*first, *last))]
    Broken {
        /// The first entry that may have been changed.
        first: u64,
        /// The sealed entry.
        last: u64,
    },
    /// The log ends in the middle of a commit.
    #[error("the log is cut off after entry {after}: the seal of its last commit is missing")]
    CutOff {
        /// The last entry.
        after: u64,
    },
    /// The entry of a recorded head has another hash.
    #[error("entry {no} or one before it has changed since head {no} was recorded: the log was rewritten")]
    OtherHead {
        /// The number of the recorded head.
        no: u64,
    },
    /// The log ends before a recorded head.
    #[error("the log ends with entry {last}, but the recorded head is entry {noted}")]
    Shorter {
        /// The last entry.
        last: u64,
        /// The number of the recorded head.
        noted: u64,
    },
}

/// The entries of a commit, in words.
fn span(first: u64, last: u64) -> String {
    if first == last { format!("entry {last}") } else { format!("one of the entries {first} to {last}") }
}

#[derive(Deserialize)]
struct NumberedLine {
    no: u64,
}

impl Verifier {
    /// Starts a verification. With a recorded head, the log must still contain it; the lines may then also begin right
    /// after it.
    pub fn new(noted: Option<AuditHead>) -> Self {
        Self { head: AuditHead::default(), sealed_no: 0, noted, is_noted_met: false, is_begun: false }
    }

    /// Checks the next line, without its line break.
    pub fn check(&mut self, line: &[u8]) -> Result<(), AuditFlaw> {
        let unreadable = AuditFlaw::Unreadable { after: self.head.no };
        let NumberedLine { no } = serde_json::from_slice(line).map_err(|_| unreadable)?;
        if !self.is_begun {
            self.begin(no)?;
        }
        self.check_number(no)?;
        let (bare, seal) = split_seal(line);
        self.head = self.head.after(&bare);
        if let Some(seal) = seal {
            self.check_seal(seal)?;
        }
        self.check_recorded_head()
    }

    /// Returns the head of the log if it is intact.
    pub fn finish(mut self) -> Result<AuditHead, AuditFlaw> {
        if !self.is_begun {
            self.begin(1)?;
        }
        if self.sealed_no != self.head.no {
            return Err(AuditFlaw::CutOff { after: self.head.no });
        }
        match self.noted {
            Some(noted) if !self.is_noted_met => Err(AuditFlaw::Shorter { last: self.head.no, noted: noted.no }),
            _ => Ok(self.head),
        }
    }

    /// The verified head so far.
    pub fn head(&self) -> AuditHead {
        self.head
    }

    /// Lines that follow a recorded head are verified from there; all others from the beginning of the log.
    fn begin(&mut self, first: u64) -> Result<(), AuditFlaw> {
        self.is_begun = true;
        if let Some(noted) = self.noted.filter(|noted| noted.no.checked_add(1) == Some(first)) {
            self.head = noted;
            self.sealed_no = noted.no;
        }
        self.check_recorded_head()
    }

    fn check_number(&self, found: u64) -> Result<(), AuditFlaw> {
        let expected = self.head.no.saturating_add(1);
        match found {
            _ if found == expected => Ok(()),
            _ if found > expected => Err(AuditFlaw::Missing { missing: expected, found }),
            _ => Err(AuditFlaw::Misplaced { expected, found }),
        }
    }

    fn check_seal(&mut self, seal: AuditHash) -> Result<(), AuditFlaw> {
        if seal != self.head.hash {
            return Err(AuditFlaw::Broken { first: self.sealed_no + 1, last: self.head.no });
        }
        self.sealed_no = self.head.no;
        Ok(())
    }

    fn check_recorded_head(&mut self) -> Result<(), AuditFlaw> {
        match self.noted {
            Some(noted) if noted.no == self.head.no && noted != self.head => Err(AuditFlaw::OtherHead { no: noted.no }),
            Some(noted) => {
                self.is_noted_met |= noted == self.head;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// The line as it was hashed, and its seal if it has one. No text inside a line can look like one: its quotation marks
/// are escaped.
fn split_seal(line: &[u8]) -> (Vec<u8>, Option<AuditHash>) {
    let found = line
        .strip_suffix(SEAL_ENDS.as_bytes())
        .and_then(|rest| rest.split_at_checked(rest.len().checked_sub(SEAL_CHARS)?))
        .and_then(|(rest, seal)| Some((rest.strip_suffix(SEAL_BEGINS.as_bytes())?, seal)))
        .and_then(|(bare, seal)| Some((bare, str::from_utf8(seal).ok()?.parse().ok()?)));
    match found {
        Some((bare, seal)) => ([bare, b"}"].concat(), Some(seal)),
        None => (line.to_vec(), None),
    }
}
