//! The messages of a file one after another, each as the bytes of its JSON: lines, or the entries of one list.

use std::io::{self, BufReader, Chain, Cursor, Read};

use parlour_core::{Refusal, limits};

use super::{
    elements::{End, next_element},
    lines::{Line, next_line},
    pages::{Behind, behind_list, behind_wrapped_list},
    shape::{Head, Shape},
};

/// How much is read from a file at once.
const PIECE_BYTES: usize = 256 * 1024;

/// The messages of a file. No more than one of them is kept in memory.
pub(crate) struct Records<R: Read> {
    reader: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    shape: Shape,
    /// The bytes of the present one.
    bytes: Vec<u8>,
    /// How many there were.
    count: u64,
    /// How much of the file was read.
    offset: u64,
    stage: Stage,
}

/// How far the reading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Within,
    /// The list has ended; what follows it was not looked at.
    Behind,
    Over,
}

/// One of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// Where its bytes begin in the file.
    pub(crate) offset: u64,
    /// Which one it is, in the words of a person: `line 17`, `entry 17`.
    pub(crate) place: Place,
    /// What it holds, or why that cannot be known.
    pub(crate) bytes: Result<&'a [u8], Refusal>,
}

/// Where something stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) shape: Shape,
    pub(crate) number: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", if self.shape == Shape::Lines { "line" } else { "entry" }, self.number)
    }
}

impl<R: Read> Records<R> {
    /// Looks at the beginning of a file: does it hold lines, or one list?
    pub(crate) fn open(mut file: R) -> io::Result<Self> {
        let head = Head::read(&mut file)?;
        let reader = BufReader::with_capacity(PIECE_BYTES, Cursor::new(head.rest).chain(file));
        Ok(Self { reader, shape: head.shape, bytes: Vec::new(), count: 0, offset: head.offset, stage: Stage::Within })
    }

    /// Whether the next one has to be waited for.
    pub(crate) fn is_drained(&self) -> bool {
        self.reader.buffer().is_empty()
    }

    /// The next one; none at the end. Blank lines are passed over.
    pub(crate) fn next(&mut self) -> io::Result<Option<Record<'_>>> {
        loop {
            match (self.stage, self.shape) {
                (Stage::Over, _) => return Ok(None),
                (Stage::Within, Shape::Lines) => return self.next_line(),
                (Stage::Within, Shape::List { .. }) => {
                    if let Some((offset, outcome)) = self.next_entry()? {
                        return Ok(Some(self.record(offset, outcome)));
                    }
                }
                (Stage::Behind, _) => {
                    if let Some(refusal) = self.look_behind()? {
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
                Line::End => return Ok(None),
                Line::Whole { length } => (length, Ok(())),
                Line::TooLong { length } => (length, Err(too_long(length))),
            };
            self.offset += length;
            self.count += 1;
            if bytes.is_err() || !self.bytes.trim_ascii().is_empty() {
                return Ok(Some(self.record(offset, bytes)));
            }
        }
    }

    /// Where the next entry begins, and whether it can be read; none behind the last one.
    fn next_entry(&mut self) -> io::Result<Option<(u64, Result<(), Refusal>)>> {
        let element = next_element(&mut self.reader, &mut self.bytes, limits::DIALECT_LINE_BYTES_MAX)?;
        let offset = self.offset + element.start;
        self.offset += element.consumed;
        self.stage = match element.end {
            End::Comma => Stage::Within,
            End::Bracket => Stage::Behind,
            End::File => Stage::Over,
        };
        let outcome = match element.end {
            End::File => Err(Refusal::invalid("the list has no end: the file was cut off")),
            _ if element.is_too_long => Err(too_long(element.length)),
            // `[]`, or a comma before the end.
            End::Bracket if self.bytes.is_empty() => return Ok(None),
            _ => Ok(()),
        };
        self.count += 1;
        Ok(Some((offset, outcome)))
    }

    /// Turns to what follows a list: the end, or the next answer of a server. Anything else would be lost without a word.
    fn look_behind(&mut self) -> io::Result<Option<Refusal>> {
        let (behind, consumed) = match self.shape {
            Shape::List { is_wrapped: true } => behind_wrapped_list(&mut self.reader)?,
            _ => behind_list(&mut self.reader)?,
        };
        self.offset += consumed;
        let (stage, refusal) = match behind {
            Behind::Page => (Stage::Within, None),
            Behind::Nothing => (Stage::Over, None),
            Behind::Refused(refusal) => (Stage::Over, Some(refusal)),
        };
        self.stage = stage;
        Ok(refusal)
    }

    fn record(&self, offset: u64, outcome: Result<(), Refusal>) -> Record<'_> {
        let place = Place { shape: self.shape, number: self.count };
        Record { offset, place, bytes: outcome.map(|()| self.bytes.as_slice()) }
    }
}

fn too_long(length: u64) -> Refusal {
    let most = limits::DIALECT_LINE_BYTES_MAX;
    Refusal::out_of_bounds(format!("this has {length} bytes; at most {most} are read"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a file holds, by place; `!` stands before what cannot be read.
    fn read(text: &[u8]) -> Vec<String> {
        let mut records = Records::open(text).expect("memory");
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
            seen.push(format!("{}: {shown}", record.place));
        }
        seen
    }

    #[test]
    fn lines_are_numbered_as_in_an_editor_and_blank_ones_are_passed_over() {
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
    fn a_list_may_be_wrapped_as_servers_do_it() {
        assert_eq!(
            read(b"{\"data\": [{\"a\":1}, 2], \"pagination\": {\"hasMore\": false}}"),
            ["entry 1: {\"a\":1}", "entry 2: 2"]
        );
        assert_eq!(read(b"{\"data\":{\"a\":1}}\n{}"), ["line 1: {\"data\":{\"a\":1}}", "line 2: {}"]);
    }

    #[test]
    fn answers_of_a_server_may_stand_one_behind_the_other() {
        assert_eq!(
            read(b"{\"data\":[1],\"pagination\":{\"cursor\":\"a}]\\\"\"}}\n{ \"data\" : [2, 3]}{\"items\":[]}{\"data\":[4]} \n"),
            ["entry 1: 1", "entry 2: 2", "entry 3: 3", "entry 4: 4"]
        );
        let many = "{\"data\":[]}".repeat(100_000) + "{\"data\":[5]}";
        assert_eq!(read(many.as_bytes()), ["entry 1: 5"]);
    }

    #[test]
    fn what_follows_a_wrapped_list_is_never_lost_without_a_word() {
        for (behind, said) in [
            ("", "!the object around the list has no end: the file was cut off"),
            (", \"x\": [1", "!the object around the list has no end: the file was cut off"),
            (", \"x\": }", "!what follows the list is no JSON: expected value at line 1 column 8"),
            ("} {\"id\": 2}", "!something follows the object around the list; only another one of that form is read"),
            ("} [2]", "!something follows the object around the list; only another one of that form is read"),
            (", \"events\": [2]}", "!this is a second list; one list of an object is read"),
        ] {
            assert_eq!(read(format!("{{\"data\":[1]{behind}").as_bytes()), ["entry 1: 1", &format!("entry 2: {said}")]);
        }
        assert_eq!(read(b"{\"data\":[1], \"events\": [], \"links\": [2]}"), ["entry 1: 1"]);
    }

    #[test]
    fn a_list_that_was_cut_off_or_goes_on_behind_its_end_is_told() {
        assert_eq!(read(b"[1, {\"a\":"), ["entry 1: 1", "entry 2: !the list has no end: the file was cut off"]);
        assert_eq!(
            read(b"[1]\n[2]"),
            ["entry 1: 1", "entry 2: !something follows the end of the list; one list is read"]
        );
        assert_eq!(read(b"["), ["entry 1: !the list has no end: the file was cut off"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_one_read() {
        let mut text = vec![b'x'; limits::DIALECT_LINE_BYTES_MAX + 7];
        text.extend_from_slice(b"\n{}\n");
        let seen = read(&text);
        assert_eq!(seen.len(), 2);
        assert!(seen[0].starts_with("line 1: !this has 16777224 bytes; at most 16777216"), "{}", seen[0]);
        assert_eq!(seen[1], "line 2: {}");
    }

    #[test]
    fn an_entry_that_is_too_long_is_passed_over_too() {
        let mut text = b"[\"".to_vec();
        text.extend(std::iter::repeat_n(b'x', limits::DIALECT_LINE_BYTES_MAX));
        text.extend_from_slice(b"\", 2]");
        let seen = read(&text);
        assert!(seen[0].starts_with("entry 1: !this has"), "{}", seen[0]);
        assert_eq!(seen[1..], ["entry 2: 2"]);
    }

    proptest! {
        #[test]
        fn a_list_and_lines_of_the_same_values_hold_the_same(texts in proptest::collection::vec(".{0,12}", 0..8)) {
            let values: Vec<String> = texts.iter().map(|text| serde_json::json!({"t": text}).to_string()).collect();
            let bare = |seen: Vec<String>| -> Vec<String> {
                seen.into_iter().map(|line| line.split_once(": ").expect("a place").1.to_owned()).collect()
            };
            prop_assert_eq!(bare(read(values.join("\n").as_bytes())), values.clone());
            prop_assert_eq!(bare(read(format!("[{}]", values.join(" , ")).as_bytes())), values);
        }

        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80), head in "\\[?|\\{\"data\":\\[(1\\],?)?") {
            let whole = [head.as_bytes(), &bytes].concat();
            let mut records = Records::open(whole.as_slice()).expect("memory");
            while records.next().expect("memory").is_some() {}
        }
    }
}
