//! Scanning of input: its shape, bounded lines, and the entries of a JSON list.

use std::io::{self, BufRead, Read};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputShape {
    /// One JSON value a line.
    Lines,
    /// One JSON list.
    List {
        /// Whether the list is a field of an object, as in API responses.
        is_wrapped: bool,
    },
}

/// The start of a file, read to detect its shape.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InputHead {
    pub(super) shape: InputShape,
    /// Bytes that were read and belong to the messages.
    pub(super) rest: Vec<u8>,
    /// The offset of `rest` in the file.
    pub(super) offset: u64,
}

/// Names of the list field in API responses.
const LIST_NAMES: [&[u8]; 4] = [b"data", b"items", b"messages", b"events"];
/// If the shape is not detected within this many bytes, the file contains lines.
const HEAD_BYTES_MAX: usize = 4_096;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

pub(super) fn is_list_name(name: &[u8]) -> bool {
    LIST_NAMES.contains(&name)
}

impl InputHead {
    /// Reads as little as possible, so that a slow pipe is processed at once.
    pub(super) fn read(file: &mut impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        loop {
            let at_end = !read_more(file, &mut bytes)?;
            if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
                let advice = "the file is UTF-16; convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8 FILE";
                return Err(io::Error::new(io::ErrorKind::InvalidData, advice));
            }
            let decided =
                decide(&bytes).or((at_end || bytes.len() >= HEAD_BYTES_MAX).then_some((InputShape::Lines, 0)));
            if let Some((shape, skipped)) = decided {
                let skipped = if shape == InputShape::Lines { mark_bytes(&bytes) } else { skipped };
                bytes.drain(..skipped);
                return Ok(Self { shape, rest: bytes, offset: skipped as u64 });
            }
        }
    }
}

/// Reads a piece; returns false at the end.
fn read_more(file: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let mut piece = [0; 512];
    loop {
        match file.read(&mut piece) {
            Ok(length) => {
                bytes.extend_from_slice(&piece[..length]);
                return Ok(length > 0);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn mark_bytes(bytes: &[u8]) -> usize {
    if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// The shape and the bytes before the first entry; none if more input is needed.
fn decide(bytes: &[u8]) -> Option<(InputShape, usize)> {
    if bytes.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(bytes) {
        return None;
    }
    let mut rest = bytes[mark_bytes(bytes)..].trim_ascii_start();
    let read = |rest: &[u8]| bytes.len() - rest.len();
    match take(&mut rest)? {
        b'[' => return Some((InputShape::List { is_wrapped: false }, read(rest))),
        b'{' => {}
        _ => return Some((InputShape::Lines, 0)),
    }
    if take(&mut rest)? != b'"' {
        return Some((InputShape::Lines, 0));
    }
    let longest = LIST_NAMES.iter().map(|name| name.len()).max().unwrap_or(0);
    let end = rest.iter().take(longest + 1).position(|byte| *byte == b'"');
    let Some(end) = end else { return (rest.len() > longest).then_some((InputShape::Lines, 0)) };
    if !is_list_name(&rest[..end]) {
        return Some((InputShape::Lines, 0));
    }
    rest = &rest[end + 1..];
    if take(&mut rest)? != b':' || take(&mut rest)? != b'[' {
        return Some((InputShape::Lines, 0));
    }
    Some((InputShape::List { is_wrapped: true }, read(rest)))
}

fn take(rest: &mut &[u8]) -> Option<u8> {
    *rest = rest.trim_ascii_start();
    let (first, tail) = rest.split_first()?;
    *rest = tail;
    Some(*first)
}

/// The result of a read. Lengths include the line break.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineRead {
    End,
    /// A line; the buffer contains it without the line break.
    Whole {
        length: u64,
    },
    /// A line over the limit; the buffer is empty.
    TooLong {
        length: u64,
    },
}

/// Reads the next line into the buffer, at most `bytes_max` bytes.
pub(super) fn next_line(reader: &mut impl BufRead, bytes: &mut Vec<u8>, bytes_max: usize) -> io::Result<LineRead> {
    bytes.clear();
    // One byte for the line break, and one to detect a longer line.
    let mut length = reader.by_ref().take(bytes_max as u64 + 2).read_until(b'\n', bytes)? as u64;
    if length == 0 {
        return Ok(LineRead::End);
    }
    let is_ended = bytes.last() == Some(&b'\n');
    if is_ended {
        bytes.pop();
    }
    if bytes.len() <= bytes_max {
        return Ok(LineRead::Whole { length });
    }
    bytes.clear();
    if !is_ended {
        length += skip_line(reader)?;
    }
    Ok(LineRead::TooLong { length })
}

/// Skips the rest of a line.
fn skip_line(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut passed = 0;
    loop {
        let piece = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        let end = piece.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(piece.len(), |at| at + 1);
        reader.consume(length);
        passed += length as u64;
        if end.is_some() || length == 0 {
            return Ok(passed);
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListEntry {
    pub(super) end: EntryEnd,
    /// Bytes read, including the separator.
    pub(super) consumed: u64,
    /// Bytes before the entry.
    pub(super) start: u64,
    /// Bytes of the entry.
    pub(super) length: u64,
    /// Whether the entry was skipped because of its length.
    pub(super) is_too_long: bool,
}

/// The separator after an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryEnd {
    Comma,
    /// The end of the list; an empty entry before it is none.
    Bracket,
    File,
}

/// The state of the scan of one entry.
#[derive(Default)]
struct EntryScanner {
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
    /// Bytes of the entry, also those over the limit.
    length: u64,
    start: u64,
}

/// Reads the next entry of an open list into the buffer.
pub(super) fn next_entry_bytes(
    reader: &mut impl BufRead,
    bytes: &mut Vec<u8>,
    bytes_max: usize,
) -> io::Result<ListEntry> {
    bytes.clear();
    let mut scan = EntryScanner::default();
    let mut consumed = 0;
    loop {
        let piece = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        if piece.is_empty() {
            return Ok(scan.element(bytes, bytes_max, consumed, EntryEnd::File));
        }
        let begin = scan.leading_blanks(piece);
        let end = piece[begin..].iter().position(|byte| scan.ends_at(*byte)).map(|at| begin + at);
        let kept = &piece[begin..end.unwrap_or(piece.len())];
        scan.length += kept.len() as u64;
        // Keeps at most `bytes_max + 1` bytes; the length counts all.
        bytes.extend_from_slice(&kept[..kept.len().min((bytes_max + 1).saturating_sub(bytes.len()))]);
        let ending = end.map(|at| if piece[at] == b']' { EntryEnd::Bracket } else { EntryEnd::Comma });
        let length = end.map_or(piece.len(), |at| at + 1);
        reader.consume(length);
        consumed += length as u64;
        if let Some(end) = ending {
            return Ok(scan.element(bytes, bytes_max, consumed, end));
        }
    }
}

impl EntryScanner {
    /// Counts the blanks before the entry.
    fn leading_blanks(&mut self, piece: &[u8]) -> usize {
        if self.length > 0 {
            return 0;
        }
        let blanks = piece.len() - piece.trim_ascii_start().len();
        self.start += blanks as u64;
        blanks
    }

    /// Advances the scan by one byte; returns whether it is the separator after the entry.
    fn ends_at(&mut self, byte: u8) -> bool {
        if self.is_in_text {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_text = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.is_in_text = true,
            b'[' | b'{' => self.depth += 1,
            b',' | b']' if self.depth == 0 => return true,
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        false
    }

    fn element(&self, bytes: &mut Vec<u8>, bytes_max: usize, consumed: u64, end: EntryEnd) -> ListEntry {
        bytes.truncate(bytes.trim_ascii_end().len());
        let is_too_long = bytes.len() > bytes_max;
        if is_too_long {
            bytes.clear();
        }
        ListEntry { end, consumed, start: self.start, length: self.length, is_too_long }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    const BARE: InputShape = InputShape::List { is_wrapped: false };
    const WRAPPED: InputShape = InputShape::List { is_wrapped: true };

    /// A file that gives its bytes one at a time, as a slow pipe does.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(1);
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    #[test]
    fn the_format_is_detected_for_any_chunk_size() {
        for (text, shape, offset) in [
            ("", InputShape::Lines, 0),
            ("{\"id\":1}", InputShape::Lines, 0),
            ("{\"data\":{\"x\":[", InputShape::Lines, 0),
            ("{\"database\":[", InputShape::Lines, 0),
            ("{}", InputShape::Lines, 0),
            ("nonsense", InputShape::Lines, 0),
            ("\u{FEFF}{}", InputShape::Lines, 3),
            (" \n[ 1", BARE, 3),
            ("\u{FEFF}[1", BARE, 4),
            ("{\"data\":[1", WRAPPED, 9),
            ("{ \"messages\" :\n[1", WRAPPED, 16),
        ] {
            let slowly = InputHead::read(&mut Slowly(text.as_bytes())).expect("memory");
            assert_eq!((slowly.shape, slowly.offset), (shape, offset), "{text:?}");
            let at_once = InputHead::read(&mut text.as_bytes()).expect("memory");
            assert_eq!((at_once.shape, at_once.offset), (shape, offset), "{text:?}");
            assert_eq!(at_once.rest, &text.as_bytes()[usize::try_from(offset).expect("small")..]);
        }
    }

    #[test]
    fn utf_16_is_refused_with_a_remedy() {
        let error = InputHead::read(&mut &b"\xFF\xFE{\0"[..]).expect_err("UTF-16");
        assert!(error.to_string().contains("iconv"), "{error}");
    }

    fn read_lines(text: &str) -> Vec<(LineRead, String)> {
        let mut reader = BufReader::with_capacity(3, text.as_bytes());
        let (mut bytes, mut seen) = (Vec::new(), Vec::new());
        loop {
            match next_line(&mut reader, &mut bytes, 4).expect("memory") {
                LineRead::End => return seen,
                line => seen.push((line, String::from_utf8(bytes.clone()).expect("text"))),
            }
        }
    }

    #[test]
    fn lines_beyond_the_length_limit_are_skipped() {
        assert_eq!(
            read_lines("1234\n12345\n\n12345678901\nab"),
            [
                (LineRead::Whole { length: 5 }, "1234".to_owned()),
                (LineRead::TooLong { length: 6 }, String::new()),
                (LineRead::Whole { length: 1 }, String::new()),
                (LineRead::TooLong { length: 12 }, String::new()),
                (LineRead::Whole { length: 2 }, "ab".to_owned()),
            ]
        );
        assert_eq!(read_lines("123456789"), [(LineRead::TooLong { length: 9 }, String::new())]);
    }

    /// The entries after the opening bracket, read in pieces of this size.
    fn read_elements(text: &str, piece: usize) -> Vec<String> {
        let mut reader = BufReader::with_capacity(piece, text.as_bytes());
        let (mut bytes, mut seen) = (Vec::new(), Vec::new());
        loop {
            let element = next_entry_bytes(&mut reader, &mut bytes, 20).expect("memory");
            let shown = String::from_utf8_lossy(&bytes).into_owned();
            let shown = if element.is_too_long { format!("{} bytes", element.length) } else { shown };
            match element.end {
                EntryEnd::Comma => seen.push(shown),
                EntryEnd::Bracket => return seen.into_iter().chain((!shown.is_empty()).then_some(shown)).collect(),
                EntryEnd::File => return [seen, vec!["cut".to_owned()]].concat(),
            }
        }
    }

    #[test]
    fn commas_and_brackets_in_strings_and_nested_values_do_not_end_an_element() {
        for piece in [1, 2, 3, 100] {
            assert_eq!(read_elements(r#" {"a":[1,{}]} , "x],\"" ,3 ]"#, piece), [r#"{"a":[1,{}]}"#, r#""x],\"""#, "3"]);
            assert_eq!(read_elements("]", piece), Vec::<String>::new());
            assert_eq!(read_elements("1,,2]", piece), ["1", "", "2"], "the caller refuses an empty element");
            assert_eq!(read_elements("1, [2", piece), ["1", "cut"]);
            assert_eq!(read_elements(&format!("\"{}\", 2]", "y".repeat(40)), piece), ["42 bytes", "2"]);
        }
    }
}
