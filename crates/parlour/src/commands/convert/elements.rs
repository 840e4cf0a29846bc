//! One entry of a JSON list, found by its commas and brackets alone: what it holds is read by whoever wants it.

use std::io::{self, BufRead};

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// What stands behind it.
    pub(super) end: End,
    /// All bytes that were read, that sign included.
    pub(super) consumed: u64,
    /// How many of them stand before the entry.
    pub(super) start: u64,
    /// How many bytes the entry has.
    pub(super) length: u64,
    /// Whether it was passed over: the buffer is empty.
    pub(super) is_too_long: bool,
}

/// What ends an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Another entry follows.
    Comma,
    /// It was the last one; if it is empty, there was none.
    Bracket,
    /// The file ended within the list.
    File,
}

/// How far the reading of an entry is.
#[derive(Default)]
struct Scan {
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
    /// Bytes of the entry, kept or not.
    length: u64,
    /// Blank bytes before it.
    start: u64,
}

/// Reads the next entry into the buffer; the list was opened already.
pub(super) fn next_element(reader: &mut impl BufRead, bytes: &mut Vec<u8>, bytes_max: usize) -> io::Result<Element> {
    bytes.clear();
    let mut scan = Scan::default();
    let mut consumed = 0;
    loop {
        let piece = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            piece => piece?,
        };
        if piece.is_empty() {
            return Ok(scan.element(bytes, bytes_max, consumed, End::File));
        }
        let begin = scan.leading_blanks(piece);
        let end = piece[begin..].iter().position(|byte| scan.ends_at(*byte)).map(|at| begin + at);
        let kept = &piece[begin..end.unwrap_or(piece.len())];
        scan.length += kept.len() as u64;
        // A bound on what is kept; how long it really is, is counted all the same.
        bytes.extend_from_slice(&kept[..kept.len().min((bytes_max + 1).saturating_sub(bytes.len()))]);
        let sign = end.map(|at| if piece[at] == b']' { End::Bracket } else { End::Comma });
        let length = end.map_or(piece.len(), |at| at + 1);
        reader.consume(length);
        consumed += length as u64;
        if let Some(end) = sign {
            return Ok(scan.element(bytes, bytes_max, consumed, end));
        }
    }
}

impl Scan {
    /// How many bytes at the beginning of a piece stand before the entry.
    fn leading_blanks(&mut self, piece: &[u8]) -> usize {
        if self.length > 0 {
            return 0;
        }
        let blanks = piece.len() - piece.trim_ascii_start().len();
        self.start += blanks as u64;
        blanks
    }

    /// Takes one byte of the entry; says whether it is the comma or bracket after it.
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

    fn element(&self, bytes: &mut Vec<u8>, bytes_max: usize, consumed: u64, end: End) -> Element {
        bytes.truncate(bytes.trim_ascii_end().len());
        let is_too_long = bytes.len() > bytes_max;
        if is_too_long {
            bytes.clear();
        }
        Element { end, consumed, start: self.start, length: self.length, is_too_long }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// The entries of what follows the opening bracket, read in pieces of this size.
    fn read(text: &str, piece: usize) -> Vec<String> {
        let mut reader = BufReader::with_capacity(piece, text.as_bytes());
        let (mut bytes, mut seen) = (Vec::new(), Vec::new());
        loop {
            let element = next_element(&mut reader, &mut bytes, 20).expect("memory");
            let shown = String::from_utf8_lossy(&bytes).into_owned();
            let shown = if element.is_too_long { format!("{} bytes", element.length) } else { shown };
            match element.end {
                End::Comma => seen.push(shown),
                End::Bracket => return seen.into_iter().chain((!shown.is_empty()).then_some(shown)).collect(),
                End::File => return [seen, vec!["cut".to_owned()]].concat(),
            }
        }
    }

    #[test]
    fn commas_and_brackets_in_texts_and_deeper_down_end_nothing() {
        for piece in [1, 2, 3, 100] {
            assert_eq!(read(r#" {"a":[1,{}]} , "x],\"" ,3 ]"#, piece), [r#"{"a":[1,{}]}"#, r#""x],\"""#, "3"]);
            assert_eq!(read("]", piece), Vec::<String>::new());
            assert_eq!(read("1,,2]", piece), ["1", "", "2"], "an empty place is told by whoever reads it");
            assert_eq!(read("1, [2", piece), ["1", "cut"]);
            assert_eq!(read(&format!("\"{}\", 2]", "y".repeat(40)), piece), ["42 bytes", "2"]);
        }
    }
}
