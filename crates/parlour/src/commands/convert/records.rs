//! The messages of a file as raw JSON: JSON lines, or the entries of lists.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Chain, Cursor, Read},
};

use parlour_core::{Refusal, limits};
use serde_json::Value;

use super::scan::{EntryEnd, InputHead, InputShape, LineRead, is_list_name, next_entry_bytes, next_line};

const PIECE_BYTES: usize = 256 * 1024;

/// Reads the messages of a file; at most one is in memory.
pub(crate) struct RecordReader<R: Read> {
    reader: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    shape: InputShape,
    bytes: Vec<u8>,
    count: u64,
    offset: u64,
    state: ListState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListState {
    InList,
    /// The list has ended; the data after it was not read yet.
    ListEnded,
    Finished,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// The offset of its bytes in the file.
    pub(crate) offset: u64,
    pub(crate) location: RecordLocation,
    /// The JSON, or the reason why it cannot be read.
    pub(crate) bytes: Result<&'a [u8], Refusal>,
}

/// The number of a line or list entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordLocation {
    pub(crate) shape: InputShape,
    pub(crate) number: u64,
}

impl std::fmt::Display for RecordLocation {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", if self.shape == InputShape::Lines { "line" } else { "entry" }, self.number)
    }
}

impl<R: Read> RecordReader<R> {
    /// Detects from the start of the file whether it contains lines or a list.
    pub(crate) fn open(mut file: R) -> io::Result<Self> {
        let head = InputHead::read(&mut file)?;
        let reader = BufReader::with_capacity(PIECE_BYTES, Cursor::new(head.rest).chain(file));
        Ok(Self {
            reader,
            shape: head.shape,
            bytes: Vec::new(),
            count: 0,
            offset: head.offset,
            state: ListState::InList,
        })
    }

    /// Whether the next read may block.
    pub(crate) fn is_drained(&self) -> bool {
        self.reader.buffer().is_empty()
    }

    /// The next message; blank lines are skipped.
    pub(crate) fn next(&mut self) -> io::Result<Option<Record<'_>>> {
        loop {
            match (self.state, self.shape) {
                (ListState::Finished, _) => return Ok(None),
                (ListState::InList, InputShape::Lines) => return self.next_line(),
                (ListState::InList, InputShape::List { .. }) => {
                    if let Some((offset, outcome)) = self.next_entry()? {
                        return Ok(Some(self.record(offset, outcome)));
                    }
                }
                (ListState::ListEnded, _) => {
                    if let Some(refusal) = self.read_after_list()? {
                        self.count += 1;
                        return Ok(Some(self.record(self.offset, Err(refusal))));
                    }
                }
            }
        }
    }

    fn next_line(&mut self) -> io::Result<Option<Record<'_>>> {
        loop {
            let offset = self.offset;
            let line = next_line(&mut self.reader, &mut self.bytes, limits::DIALECT_LINE_BYTES_MAX)?;
            let (length, bytes) = match line {
                LineRead::End => return Ok(None),
                LineRead::Whole { length } => (length, Ok(())),
                LineRead::TooLong { length } => (length, Err(too_long(length))),
            };
            self.offset += length;
            self.count += 1;
            if bytes.is_err() || !self.bytes.trim_ascii().is_empty() {
                return Ok(Some(self.record(offset, bytes)));
            }
        }
    }

    /// Reads the next entry of the list: its offset and result; none at the end of the list.
    fn next_entry(&mut self) -> io::Result<Option<(u64, Result<(), Refusal>)>> {
        let element = next_entry_bytes(&mut self.reader, &mut self.bytes, limits::DIALECT_LINE_BYTES_MAX)?;
        let offset = self.offset + element.start;
        self.offset += element.consumed;
        self.state = match element.end {
            EntryEnd::Comma => ListState::InList,
            EntryEnd::Bracket => ListState::ListEnded,
            EntryEnd::File => ListState::Finished,
        };
        let outcome = match element.end {
            EntryEnd::File => Err(Refusal::invalid("the list is not closed: the file is truncated")),
            _ if element.is_too_long => Err(too_long(element.length)),
            // `[]`, or a trailing comma.
            EntryEnd::Bracket if self.bytes.is_empty() => return Ok(None),
            _ => Ok(()),
        };
        self.count += 1;
        Ok(Some((offset, outcome)))
    }

    /// Reads the data after a list; unexpected data is a refusal, so that it is not lost silently.
    fn read_after_list(&mut self) -> io::Result<Option<Refusal>> {
        let (behind, consumed) = match self.shape {
            InputShape::List { is_wrapped: true } => after_wrapped_list(&mut self.reader)?,
            _ => after_list(&mut self.reader)?,
        };
        self.offset += consumed;
        let (state, refusal) = match behind {
            AfterList::Page => (ListState::InList, None),
            AfterList::Nothing => (ListState::Finished, None),
            AfterList::Refused(refusal) => (ListState::Finished, Some(refusal)),
        };
        self.state = state;
        Ok(refusal)
    }

    fn record(&self, offset: u64, outcome: Result<(), Refusal>) -> Record<'_> {
        let location = RecordLocation { shape: self.shape, number: self.count };
        Record { offset, location, bytes: outcome.map(|()| self.bytes.as_slice()) }
    }
}

fn too_long(length: u64) -> Refusal {
    let most = limits::DIALECT_LINE_BYTES_MAX;
    Refusal::out_of_bounds(format!("too long: {length} bytes; the maximum is {most}"))
}

/// The data after a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AfterList {
    /// The end of the file.
    Nothing,
    /// Another object with a list, already opened.
    Page,
    /// Data that cannot be read.
    Refused(Refusal),
}

/// Reads single bytes and counts them.
struct ByteReader<'a, R> {
    reader: &'a mut R,
    consumed: u64,
}

/// Reads after a bare list, where only the end of the file is valid. Also returns the number of bytes read.
pub(super) fn after_list(reader: &mut impl BufRead) -> io::Result<(AfterList, u64)> {
    let mut bytes = ByteReader { reader, consumed: 0 };
    let behind = match bytes.next_sign()? {
        None => AfterList::Nothing,
        Some(_) => AfterList::Refused(Refusal::invalid(
            "unexpected data after the end of the list; only one list is supported",
        )),
    };
    Ok((behind, bytes.consumed))
}

/// Reads after a list in an object: the end of the object, then the end of the file or another such object.
pub(super) fn after_wrapped_list(reader: &mut impl BufRead) -> io::Result<(AfterList, u64)> {
    let mut bytes = ByteReader { reader, consumed: 0 };
    let behind = match bytes.pass_object()? {
        Err(refusal) => AfterList::Refused(refusal),
        Ok(()) => match bytes.next_sign()? {
            None => AfterList::Nothing,
            Some(byte) if byte == b'{' && bytes.open_list()? => AfterList::Page,
            Some(_) => AfterList::Refused(Refusal::invalid(
                "unexpected data after the object that contains the list; only another object of this form is supported",
            )),
        },
    };
    Ok((behind, bytes.consumed))
}

impl<R: BufRead> ByteReader<'_, R> {
    fn next(&mut self) -> io::Result<Option<u8>> {
        let byte = loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                piece => break piece?.first().copied(),
            }
        };
        if byte.is_some() {
            self.reader.consume(1);
            self.consumed += 1;
        }
        Ok(byte)
    }

    fn next_sign(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.next()? {
                Some(byte) if byte.is_ascii_whitespace() => {}
                other => return Ok(other),
            }
        }
    }

    /// Reads the fields after the list to the end of the object. A second list of messages is an error.
    fn pass_object(&mut self) -> io::Result<Result<(), Refusal>> {
        let cut_off = || Refusal::invalid("the object that contains the list is not closed: the file is truncated");
        let mut fields = b"{".to_vec();
        match self.next_sign()? {
            None => return Ok(Err(cut_off())),
            Some(b'}') => return Ok(Ok(())),
            Some(b',') => {}
            Some(other) => fields.push(other),
        }
        let (mut depth, mut is_in_text, mut is_escaped) = (1_usize, false, false);
        while depth > 0 {
            let Some(byte) = self.next()? else { return Ok(Err(cut_off())) };
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = is_in_text,
                b'"' => is_in_text = !is_in_text,
                b'{' | b'[' if !is_in_text => depth += 1,
                b'}' | b']' if !is_in_text => depth -= 1,
                _ => {}
            }
            if fields.len() >= limits::DIALECT_LINE_BYTES_MAX {
                let most = limits::DIALECT_LINE_BYTES_MAX;
                return Ok(Err(Refusal::out_of_bounds(format!(
                    "more than {most} bytes follow the list in its object"
                ))));
            }
            fields.push(byte);
        }
        Ok(check_fields(&fields))
    }

    /// Whether a brace is followed by the field of a list and its opening bracket.
    fn open_list(&mut self) -> io::Result<bool> {
        if self.next_sign()? != Some(b'"') {
            return Ok(false);
        }
        let mut name = Vec::new();
        loop {
            match self.next()? {
                Some(b'"') => break,
                Some(byte) if name.len() < limits::NAME_CHARS_MAX => name.push(byte),
                _ => return Ok(false),
            }
        }
        Ok(is_list_name(&name) && self.next_sign()? == Some(b':') && self.next_sign()? == Some(b'['))
    }
}

fn check_fields(fields: &[u8]) -> Result<(), Refusal> {
    let fields: BTreeMap<String, Value> = serde_json::from_slice(fields)
        .map_err(|error| Refusal::invalid(format!("invalid JSON after the list: {error}")))?;
    let is_list = |value: &Value| value.as_array().is_some_and(|items| !items.is_empty());
    match fields.iter().find(|(name, value)| is_list_name(name.as_bytes()) && is_list(value)) {
        None => Ok(()),
        Some((name, _)) => Err(Refusal::invalid("a second list; only one list per object is supported").at(name)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The records of a file with their locations; errors start with `!`.
    fn read(text: &[u8]) -> Vec<String> {
        let mut records = RecordReader::open(text).expect("memory");
        let mut seen = Vec::new();
        while let Some(record) = records.next().expect("memory") {
            let shown = match &record.bytes {
                Ok(bytes) => {
                    let start = usize::try_from(record.offset).expect("small");
                    assert_eq!(&&text[start..start + bytes.len()], bytes, "the offset tells where it begins");
                    String::from_utf8_lossy(bytes).into_owned()
                }
                Err(refusal) => format!("!{}", refusal.detail),
            };
            seen.push(format!("{}: {shown}", record.location));
        }
        seen
    }

    #[test]
    fn line_numbers_match_an_editor_and_blank_lines_are_skipped() {
        assert_eq!(read(b"{\"a\":1}\n\n  \r\n{\"b\":2}"), ["line 1: {\"a\":1}", "line 4: {\"b\":2}"]);
        assert_eq!(read(b"\xEF\xBB\xBF{}\n"), ["line 1: {}"]);
        assert!(read(b"").is_empty() && read(b" \n\n").is_empty());
    }

    #[test]
    fn the_entries_of_a_list_are_read_one_by_one() {
        assert_eq!(
            read(b" [ {\"a\":[1,2]} ,\n {\"b\":\"],\\\"\"} ] \n"),
            ["entry 1: {\"a\":[1,2]}", "entry 2: {\"b\":\"],\\\"\"}"]
        );
        assert!(read(b"[]").is_empty() && read(b" [ \n ] ").is_empty());
        assert_eq!(read(b"[1]"), ["entry 1: 1"]);
    }

    #[test]
    fn a_list_may_be_wrapped_in_an_object() {
        assert_eq!(
            read(b"{\"data\": [{\"a\":1}, 2], \"pagination\": {\"hasMore\": false}}"),
            ["entry 1: {\"a\":1}", "entry 2: 2"]
        );
        assert_eq!(read(b"{\"data\":{\"a\":1}}\n{}"), ["line 1: {\"data\":{\"a\":1}}", "line 2: {}"]);
    }

    #[test]
    fn several_wrapped_lists_may_follow_each_other() {
        assert_eq!(
            read(b"{\"data\":[1],\"pagination\":{\"cursor\":\"a}]\\\"\"}}\n{ \"data\" : [2, 3]}{\"items\":[]}{\"data\":[4]} \n"),
            ["entry 1: 1", "entry 2: 2", "entry 3: 3", "entry 4: 4"]
        );
        let many = "{\"data\":[]}".repeat(100_000) + "{\"data\":[5]}";
        assert_eq!(read(many.as_bytes()), ["entry 1: 5"]);
    }

    #[test]
    fn data_after_a_wrapped_list_is_reported() {
        for (behind, said) in [
            ("", "!the object that contains the list is not closed: the file is truncated"),
            (", \"x\": [1", "!the object that contains the list is not closed: the file is truncated"),
            (", \"x\": }", "!invalid JSON after the list: expected value at line 1 column 8"),
            (
                "} {\"id\": 2}",
                "!unexpected data after the object that contains the list; only another object of this form is supported",
            ),
            (
                "} [2]",
                "!unexpected data after the object that contains the list; only another object of this form is supported",
            ),
            (", \"events\": [2]}", "!a second list; only one list per object is supported"),
        ] {
            assert_eq!(read(format!("{{\"data\":[1]{behind}").as_bytes()), ["entry 1: 1", &format!("entry 2: {said}")]);
        }
        assert_eq!(read(b"{\"data\":[1], \"events\": [], \"links\": [2]}"), ["entry 1: 1"]);
    }

    #[test]
    fn a_truncated_list_or_trailing_data_is_reported() {
        assert_eq!(read(b"[1, {\"a\":"), ["entry 1: 1", "entry 2: !the list is not closed: the file is truncated"]);
        assert_eq!(
            read(b"[1]\n[2]"),
            ["entry 1: 1", "entry 2: !unexpected data after the end of the list; only one list is supported"]
        );
        assert_eq!(read(b"["), ["entry 1: !the list is not closed: the file is truncated"]);
    }

    #[test]
    fn a_too_long_line_is_skipped() {
        let mut text = vec![b'x'; limits::DIALECT_LINE_BYTES_MAX + 7];
        text.extend_from_slice(b"\n{}\n");
        let seen = read(&text);
        assert_eq!(seen.len(), 2);
        assert!(seen[0].starts_with("line 1: !too long: 16777224 bytes; the maximum is 16777216"), "{}", seen[0]);
        assert_eq!(seen[1], "line 2: {}");
    }

    #[test]
    fn a_too_long_entry_is_skipped() {
        let mut text = b"[\"".to_vec();
        text.extend(std::iter::repeat_n(b'x', limits::DIALECT_LINE_BYTES_MAX));
        text.extend_from_slice(b"\", 2]");
        let seen = read(&text);
        assert!(seen[0].starts_with("entry 1: !too long: "), "{}", seen[0]);
        assert_eq!(seen[1..], ["entry 2: 2"]);
    }

    proptest! {
        #[test]
        fn a_list_and_lines_of_the_same_values_give_the_same_records(texts in proptest::collection::vec(".{0,12}", 0..8)) {
            let values: Vec<String> = texts.iter().map(|text| serde_json::json!({"t": text}).to_string()).collect();
            let bare = |seen: Vec<String>| -> Vec<String> {
                seen.into_iter().map(|line| line.split_once(": ").expect("a location").1.to_owned()).collect()
            };
            prop_assert_eq!(bare(read(values.join("\n").as_bytes())), values.clone());
            prop_assert_eq!(bare(read(format!("[{}]", values.join(" , ")).as_bytes())), values);
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80), head in "\\[?|\\{\"data\":\\[(1\\],?)?") {
            let whole = [head.as_bytes(), &bytes].concat();
            let mut records = RecordReader::open(whole.as_slice()).expect("memory");
            while records.next().expect("memory").is_some() {}
        }
    }
}
