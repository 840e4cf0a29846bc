//! Verification of an exported log that arrives in pieces.

use parlour_core::{
    audit::{AuditFlaw, AuditHead, Verifier},
    limits,
};

/// Verifies an export piece by piece; at most one line is in memory.
#[derive(Debug)]
pub(super) struct LogVerifier {
    verifier: Verifier,
    /// The start of an incomplete line.
    begun: Vec<u8>,
    count: u64,
}

/// The result of a verified log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verified {
    pub(super) entries: u64,
    pub(super) head: AuditHead,
}

impl LogVerifier {
    pub(super) fn new(noted: Option<AuditHead>) -> Self {
        Self { verifier: Verifier::new(noted), begun: Vec::new(), count: 0 }
    }

    /// Verifies the lines that end within these bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), AuditFlaw> {
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.begun.extend_from_slice(piece);
            self.end_line()?;
        }
        self.begun.extend_from_slice(last);
        if self.begun.len() > limits::AUDIT_LINE_BYTES_MAX {
            return Err(AuditFlaw::Unreadable { after: self.verifier.head().no });
        }
        Ok(())
    }

    /// Verifies the last line and returns the result.
    pub(super) fn finish(mut self) -> Result<Verified, AuditFlaw> {
        if !self.begun.is_empty() {
            self.end_line()?;
        }
        Ok(Verified { entries: self.count, head: self.verifier.finish()? })
    }

    fn end_line(&mut self) -> Result<(), AuditFlaw> {
        self.verifier.check(&self.begun)?;
        self.begun.clear();
        self.count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two lines of a log, made by hand.
    fn export() -> String {
        let lines = [r#"{"no":1,"result":"done"}"#, r#"{"no":2,"result":"done"}"#];
        let head = lines.iter().fold(AuditHead::default(), |head, line| head.after(line.as_bytes()));
        format!("{}\n{},\"seal\":\"{}\"}}\n", lines[0], lines[1].trim_end_matches('}'), head.hash)
    }

    fn check(text: &str, piece: usize) -> Result<u64, AuditFlaw> {
        let mut lines = LogVerifier::new(None);
        text.as_bytes().chunks(piece).try_for_each(|bytes| lines.add(bytes))?;
        lines.finish().map(|verified| verified.entries)
    }

    #[test]
    fn verification_does_not_depend_on_chunk_boundaries() {
        let text = export();
        for piece in [1, 2, 7, 30, 1000] {
            assert_eq!(check(&text, piece), Ok(2), "pieces of {piece}");
        }
        assert_eq!(check(text.trim_end(), 7), Ok(2), "the last line break may be missing");
        assert_eq!(check("x", 1), Err(AuditFlaw::Unreadable { after: 0 }));
    }

    #[test]
    fn a_log_that_ends_within_a_line_is_incomplete() {
        let text = export();
        for end in 1..text.len() - 1 {
            assert!(check(&text[..end], 1000).is_err(), "{end}");
        }
    }

    #[test]
    fn a_too_long_line_is_refused() {
        let mut lines = LogVerifier::new(None);
        let added = std::iter::repeat_n([b'x'; 1024], 100).try_for_each(|bytes| lines.add(&bytes));
        assert_eq!(added, Err(AuditFlaw::Unreadable { after: 0 }));
    }
}
