//! Messages in a file: JSON lines, or one list.

use std::{
    cell::RefCell,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::{
    source::{Order, Row, Rows, Source},
    system::System,
};
use crate::{
    commands::convert::{
        self,
        reading::{Reading, hinted},
        records::{Place, Records},
    },
    failure::Failure,
};

/// A file with messages.
pub(super) struct FileSource {
    pub(super) path: PathBuf,
    pub(super) system: System,
    pub(super) reading: Reading,
    /// Where each row stands, noted by the first walk: the way back needs it.
    index: RefCell<Vec<Spot>>,
}

/// Where a row stands in its file.
#[derive(Clone, Copy)]
struct Spot {
    offset: u64,
    length: u32,
    place: Place,
}

impl FileSource {
    pub(super) fn new(path: &Path, system: System, reading: Reading) -> Self {
        Self { path: path.to_owned(), system, reading, index: RefCell::default() }
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::broken(self.path.display(), error)
    }

    fn row(&self, place: String, bytes: Result<&[u8], parlour_core::Refusal>) -> Row {
        let (conversation, item) = read(self.system, &self.reading, bytes);
        Row::whole(place, conversation, item)
    }
}

/// What the bytes of a row mean, and what the system calls their conversation.
pub(super) fn read(
    system: System,
    reading: &Reading,
    bytes: Result<&[u8], parlour_core::Refusal>,
) -> (Option<String>, Result<parlour_dialects::Item, parlour_core::Refusal>) {
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(refusal) => return (None, Err(refusal)),
    };
    match serde_json::from_slice(bytes) {
        Ok(value) => {
            let conversation = system.conversation_of(&value);
            (conversation, reading.item_of(value).map_err(|refusal| hinted(refusal, bytes)))
        }
        // Its words for what is no JSON are better than those of the parser.
        Err(_) => (None, reading.item(bytes)),
    }
}

impl Source for FileSource {
    fn rows(&self, order: Order) -> Result<Box<dyn Rows + '_>, Failure> {
        let file = convert::open(&self.path)?;
        match order {
            Order::OldestFirst => {
                let records = Records::open(file).map_err(|error| self.failed(&error))?;
                self.index.borrow_mut().clear();
                Ok(Box::new(Forward { source: self, records }))
            }
            Order::NewestFirst => {
                let left = self.index.borrow().len();
                Ok(Box::new(Backward { source: self, file, left, bytes: Vec::new() }))
            }
        }
    }

    fn title(&self, _conversation: &str) -> Option<String> {
        None
    }
}

struct Forward<'a> {
    source: &'a FileSource,
    records: Records<File>,
}

impl Rows for Forward<'_> {
    fn next(&mut self) -> Result<Option<Row>, Failure> {
        let source = self.source;
        let Some(record) = self.records.next().map_err(|error| source.failed(&error))? else { return Ok(None) };
        let place = record.place.to_string();
        if let Ok(bytes) = record.bytes {
            let length = u32::try_from(bytes.len()).expect("lines are shorter: DIALECT_LINE_BYTES_MAX");
            let spot = Spot { offset: record.offset, length, place: record.place };
            source.index.borrow_mut().push(spot);
        }
        Ok(Some(source.row(place, record.bytes)))
    }
}

struct Backward<'a> {
    source: &'a FileSource,
    file: File,
    left: usize,
    bytes: Vec<u8>,
}

impl Rows for Backward<'_> {
    fn next(&mut self) -> Result<Option<Row>, Failure> {
        let Some(at) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = at;
        let spot = self.source.index.borrow()[at];
        self.bytes.resize(spot.length as usize, 0);
        let sought = self.file.seek(SeekFrom::Start(spot.offset));
        let read = sought.and_then(|_| self.file.read_exact(&mut self.bytes));
        read.map_err(|error| self.source.failed(&error))?;
        Ok(Some(self.source.row(spot.place.to_string(), Ok(&self.bytes))))
    }
}
