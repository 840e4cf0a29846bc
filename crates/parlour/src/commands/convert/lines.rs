//! One line of a file, and never more of it than is allowed.

use std::io::{self, BufRead, Read};

/// What was read. Lengths count the line break.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// There is no further line.
    End,
    /// A line; its bytes stand in the buffer, without the line break.
    Whole { length: u64 },
    /// A line that was passed over.
    TooLong { length: u64 },
}

/// Reads the next line into the buffer.
pub(super) fn next_line(reader: &mut impl BufRead, bytes: &mut Vec<u8>, bytes_max: usize) -> io::Result<Line> {
    bytes.clear();
    // One for the line break, and one to know that the line goes on.
    let mut length = reader.by_ref().take(bytes_max as u64 + 2).read_until(b'\n', bytes)? as u64;
    if length == 0 {
        return Ok(Line::End);
    }
    let is_ended = bytes.last() == Some(&b'\n');
    if is_ended {
        bytes.pop();
    }
    if bytes.len() <= bytes_max {
        return Ok(Line::Whole { length });
    }
    bytes.clear();
    if !is_ended {
        length += pass_over(reader)?;
    }
    Ok(Line::TooLong { length })
}

/// Leaves the rest of a line behind without keeping it.
fn pass_over(reader: &mut impl BufRead) -> io::Result<u64> {
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

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn read(text: &str) -> Vec<(Line, String)> {
        let mut reader = BufReader::with_capacity(3, text.as_bytes());
        let (mut bytes, mut seen) = (Vec::new(), Vec::new());
        loop {
            match next_line(&mut reader, &mut bytes, 4).expect("memory") {
                Line::End => return seen,
                line => seen.push((line, String::from_utf8(bytes.clone()).expect("text"))),
            }
        }
    }

    #[test]
    fn lines_up_to_the_bound_are_kept_and_longer_ones_passed_over() {
        assert_eq!(
            read("1234\n12345\n\n12345678901\nab"),
            [
                (Line::Whole { length: 5 }, "1234".to_owned()),
                (Line::TooLong { length: 6 }, String::new()),
                (Line::Whole { length: 1 }, String::new()),
                (Line::TooLong { length: 12 }, String::new()),
                (Line::Whole { length: 2 }, "ab".to_owned()),
            ]
        );
        assert_eq!(read("123456789"), [(Line::TooLong { length: 9 }, String::new())]);
    }
}
