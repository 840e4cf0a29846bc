//! Splits the output of a program into lines.

/// Splits bytes into lines as they arrive. A line over the limit is dropped, so that memory stays bounded.
#[derive(Debug)]
pub(super) struct LineSplitter {
    bytes_max: usize,
    begun: Vec<u8>,
    is_too_long: bool,
}

/// A line without its line break.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OutputLine {
    Whole(Vec<u8>),
    /// The line exceeded the limit and was dropped.
    TooLong,
}

impl LineSplitter {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, begun: Vec::new(), is_too_long: false }
    }

    /// The lines that these bytes complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<OutputLine> {
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        // The last piece has no line break yet.
        let rest = pieces.next_back().unwrap_or_default();
        let lines = pieces.map(|piece| {
            self.extend(piece);
            self.take()
        });
        let lines = lines.collect();
        self.extend(rest);
        lines
    }

    /// The last line, if it has no line break.
    pub(super) fn finish(&mut self) -> Option<OutputLine> {
        (self.is_too_long || !self.begun.is_empty()).then(|| self.take())
    }

    fn extend(&mut self, piece: &[u8]) {
        self.is_too_long |= self.begun.len().saturating_add(piece.len()) > self.bytes_max;
        if self.is_too_long {
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(piece);
        }
    }

    fn take(&mut self) -> OutputLine {
        let line = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.is_too_long) { OutputLine::TooLong } else { OutputLine::Whole(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(pieces: &[&[u8]], bytes_max: usize) -> Vec<OutputLine> {
        let mut splitter = LineSplitter::new(bytes_max);
        let mut lines: Vec<_> = pieces.iter().flat_map(|piece| splitter.push(piece)).collect();
        lines.extend(splitter.finish());
        lines
    }

    fn whole(text: &str) -> OutputLine {
        OutputLine::Whole(text.into())
    }

    #[test]
    fn lines_are_joined_from_pieces_and_the_last_one_needs_no_line_break() {
        assert_eq!(lines(&[b"a", b"b\nc\n\nd"], 9), [whole("ab"), whole("c"), whole(""), whole("d")]);
        assert_eq!(lines(&[b"a\n"], 9), [whole("a")]);
        assert_eq!(lines(&[], 9), []);
    }

    #[test]
    fn only_the_line_over_the_limit_is_dropped() {
        assert_eq!(lines(&[b"abc\nab", b"cd", b"e\nabc"], 3), [whole("abc"), OutputLine::TooLong, whole("abc")]);
        assert_eq!(lines(&[b"abcd"], 3), [OutputLine::TooLong]);
    }

    proptest! {
        #[test]
        fn the_lines_do_not_depend_on_how_the_bytes_are_split(text in "[ab\n]{0,40}", cut in 0usize..40) {
            let (first, rest) = text.as_bytes().split_at(cut.min(text.len()));
            prop_assert_eq!(lines(&[first, rest], 5), lines(&[text.as_bytes()], 5));
        }
    }
}
