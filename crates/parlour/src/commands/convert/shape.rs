//! What a file holds: JSON lines, or one list.

use std::io::{self, Read};

/// Whether messages stand in lines of their own or in one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One JSON value a line.
    Lines,
    /// One JSON list.
    List {
        /// Whether the list stands in an object, as servers answer.
        is_wrapped: bool,
    },
}

/// The beginning of a file, as far as it had to be read to know.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) shape: Shape,
    /// What was read and belongs to the messages.
    pub(super) rest: Vec<u8>,
    /// Where that begins in the file.
    pub(super) offset: u64,
}

/// What servers call the list in their answers.
const LIST_NAMES: [&[u8]; 4] = [b"data", b"items", b"messages", b"events"];
/// A file that has not said by then what it holds, holds lines.
const HEAD_BYTES_MAX: usize = 4_096;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Whether servers call the list in their answers so.
pub(super) fn is_list_name(name: &[u8]) -> bool {
    LIST_NAMES.contains(&name)
}

impl Head {
    /// Reads no more than is needed, so that a pipe is answered at once.
    pub(super) fn read(file: &mut impl Read) -> io::Result<Self> {
        let mut bytes = Vec::new();
        loop {
            let at_end = !read_more(file, &mut bytes)?;
            if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
                let advice = "this is UTF-16; turn it into UTF-8 first: iconv -f UTF-16 -t UTF-8 FILE";
                return Err(io::Error::new(io::ErrorKind::InvalidData, advice));
            }
            let decided = decide(&bytes).or((at_end || bytes.len() >= HEAD_BYTES_MAX).then_some((Shape::Lines, 0)));
            if let Some((shape, skipped)) = decided {
                let skipped = if shape == Shape::Lines { mark_bytes(&bytes) } else { skipped };
                bytes.drain(..skipped);
                return Ok(Self { shape, rest: bytes, offset: skipped as u64 });
            }
        }
    }
}

/// Whether there was more.
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

/// The shape, and how many bytes stand before the first entry of a list; none while more has to be read.
fn decide(bytes: &[u8]) -> Option<(Shape, usize)> {
    if bytes.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(bytes) {
        return None;
    }
    let mut rest = bytes[mark_bytes(bytes)..].trim_ascii_start();
    let read = |rest: &[u8]| bytes.len() - rest.len();
    match take(&mut rest)? {
        b'[' => return Some((Shape::List { is_wrapped: false }, read(rest))),
        b'{' => {}
        _ => return Some((Shape::Lines, 0)),
    }
    if take(&mut rest)? != b'"' {
        return Some((Shape::Lines, 0));
    }
    let longest = LIST_NAMES.iter().map(|name| name.len()).max().unwrap_or(0);
    let end = rest.iter().take(longest + 1).position(|byte| *byte == b'"');
    let Some(end) = end else { return (rest.len() > longest).then_some((Shape::Lines, 0)) };
    if !is_list_name(&rest[..end]) {
        return Some((Shape::Lines, 0));
    }
    rest = &rest[end + 1..];
    if take(&mut rest)? != b':' || take(&mut rest)? != b'[' {
        return Some((Shape::Lines, 0));
    }
    Some((Shape::List { is_wrapped: true }, read(rest)))
}

/// The next byte that is no white space.
fn take(rest: &mut &[u8]) -> Option<u8> {
    *rest = rest.trim_ascii_start();
    let (first, tail) = rest.split_first()?;
    *rest = tail;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: Shape = Shape::List { is_wrapped: false };
    const WRAPPED: Shape = Shape::List { is_wrapped: true };

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
    fn the_first_signs_tell_the_shape_however_slowly_they_come() {
        for (text, shape, offset) in [
            ("", Shape::Lines, 0),
            ("{\"id\":1}", Shape::Lines, 0),
            ("{\"data\":{\"x\":[", Shape::Lines, 0),
            ("{\"database\":[", Shape::Lines, 0),
            ("{}", Shape::Lines, 0),
            ("nonsense", Shape::Lines, 0),
            ("\u{FEFF}{}", Shape::Lines, 3),
            (" \n[ 1", BARE, 3),
            ("\u{FEFF}[1", BARE, 4),
            ("{\"data\":[1", WRAPPED, 9),
            ("{ \"messages\" :\n[1", WRAPPED, 16),
        ] {
            let slowly = Head::read(&mut Slowly(text.as_bytes())).expect("memory");
            assert_eq!((slowly.shape, slowly.offset), (shape, offset), "{text:?}");
            let at_once = Head::read(&mut text.as_bytes()).expect("memory");
            assert_eq!((at_once.shape, at_once.offset), (shape, offset), "{text:?}");
            assert_eq!(at_once.rest, &text.as_bytes()[usize::try_from(offset).expect("small")..]);
        }
    }

    #[test]
    fn utf_16_is_refused_with_what_to_do() {
        let error = Head::read(&mut &b"\xFF\xFE{\0"[..]).expect_err("UTF-16");
        assert!(error.to_string().contains("iconv"), "{error}");
    }
}
