//! Sources of messages, their deduplicated reader, and files as a source.

use std::{
    cell::RefCell,
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use parlour_core::{
    Refusal, Timestamp,
    message::{Message, State},
};
use parlour_dialects::{Frame, Item};

use super::{
    caco_source::StepEvents,
    channel_record::ChannelRecord,
    request::{bits_of, fingerprint},
    system::System,
};
use crate::{
    commands::convert::{
        self,
        decode::{DialectDecoder, with_list_hint},
        records::{RecordLocation, RecordReader},
    },
    failure::Failure,
};

/// A source of messages. Repeated reads return the same rows in the same order.
pub(super) trait ImportSource {
    /// Starts a read; backwards if the newest row is first.
    fn rows(&self, order: RowOrder) -> Result<Box<dyn RowReader + '_>, Failure>;

    fn title(&self, conversation: &str) -> Option<String>;
}

/// One read of a source.
pub(super) trait RowReader {
    fn next(&mut self) -> Result<Option<SourceRow>, Failure>;
}

/// The order of rows in a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RowOrder {
    #[default]
    OldestFirst,
    NewestFirst,
}

#[derive(Debug)]
pub(super) struct SourceRow {
    /// Its location for messages: `line 17`.
    pub(super) location: String,
    /// The id of the conversation in the source system, if the row contains it.
    pub(super) conversation: Option<String>,
    /// Whether the conversation follows from the location of the row, not from its content.
    pub(super) is_placed: bool,
    pub(super) item: Result<Item, Refusal>,
    /// Events of later rows about its steps.
    pub(super) step_events: Option<StepEvents>,
    /// The reason why a field of the row is unreadable, if the row is complete otherwise.
    pub(super) unreadable: Option<Refusal>,
}

impl SourceRow {
    /// A row without step events.
    pub(super) fn whole(location: String, conversation: Option<String>, item: Result<Item, Refusal>) -> Self {
        Self { location, conversation, is_placed: false, item, step_events: None, unreadable: None }
    }
}

/// A placeholder for a missing time.
pub(super) fn timeless() -> Timestamp {
    Timestamp::from_millis(1)
}

/// Reads rows and classifies them. It keeps two numbers per message to detect duplicates.
pub(super) struct MessageReader<'a> {
    rows: Box<dyn RowReader + 'a>,
    seen: HashMap<u128, u64>,
}

#[derive(Debug)]
pub(super) enum ClassifiedRow {
    Message(Box<SourceMessage>),
    Frame(Frame),
    /// An unfinished answer; its end is another row.
    Begun,
    /// A duplicate.
    Double,
    /// The record of a channel, or the reason why it cannot be read.
    Channel(String, Result<ChannelRecord, Refusal>),
    Problem(String, Refusal),
}

/// A message with its location.
#[derive(Debug)]
pub(super) struct SourceMessage {
    pub(super) location: String,
    /// The key of its conversation.
    pub(super) key: String,
    pub(super) conversation: Option<String>,
    pub(super) message: Message,
    /// Whether the source contains its time.
    pub(super) has_time: bool,
    pub(super) step_events: Option<StepEvents>,
    /// The reason why one of its fields is unreadable.
    pub(super) unreadable: Option<Refusal>,
    /// The content hash, if another message has the same id.
    pub(super) twin: Option<u64>,
}

impl<'a> MessageReader<'a> {
    pub(super) fn new(rows: Box<dyn RowReader + 'a>) -> Self {
        Self { rows, seen: HashMap::new() }
    }

    pub(super) fn next(&mut self) -> Result<Option<ClassifiedRow>, Failure> {
        let Some(row) = self.rows.next()? else { return Ok(None) };
        let SourceRow { location, conversation, is_placed, item, step_events, unreadable } = row;
        if let Some(record) = item.as_ref().ok().and_then(ChannelRecord::decode) {
            return Ok(Some(ClassifiedRow::Channel(location, record)));
        }
        Ok(Some(match item {
            Err(refusal) => ClassifiedRow::Problem(location, refusal),
            Ok(Item { frame: Frame::Message, message }) if message.state == State::Streaming => {
                drop(message);
                ClassifiedRow::Begun
            }
            Ok(Item { frame: Frame::Message, message }) => {
                let key = conversation.clone().filter(|_| is_placed).unwrap_or_else(|| message.to.to_string());
                match self.note(&key, &message) {
                    Dedup::Double => ClassifiedRow::Double,
                    Dedup::New(twin) => {
                        let has_time = message.created_at != timeless();
                        let row = SourceMessage {
                            location,
                            key,
                            conversation,
                            message,
                            has_time,
                            step_events,
                            unreadable,
                            twin,
                        };
                        ClassifiedRow::Message(Box::new(row))
                    }
                }
            }
            Ok(Item { frame, .. }) => ClassifiedRow::Frame(frame),
        }))
    }

    fn note(&mut self, key: &str, message: &Message) -> Dedup {
        let print = fingerprint(message);
        let first = bits_of(&[key, message.id.as_str()]);
        match self.seen.get(&first) {
            None => {
                self.seen.insert(first, print);
                Dedup::New(None)
            }
            Some(known) if *known == print => Dedup::Double,
            Some(_) => match self.seen.insert(bits_of(&[key, message.id.as_str(), &print.to_string()]), print) {
                None => Dedup::New(Some(print)),
                Some(_) => Dedup::Double,
            },
        }
    }
}

enum Dedup {
    New(Option<u64>),
    Double,
}

pub(super) struct FileSource {
    pub(super) path: PathBuf,
    pub(super) system: System,
    pub(super) decoder: DialectDecoder,
    /// The offset of each row, filled by a forward read and used by a backward read.
    index: RefCell<Vec<RowOffset>>,
}

#[derive(Clone, Copy)]
struct RowOffset {
    offset: u64,
    length: u32,
    location: RecordLocation,
}

impl FileSource {
    pub(super) fn new(path: &Path, system: System, decoder: DialectDecoder) -> Self {
        Self { path: path.to_owned(), system, decoder, index: RefCell::default() }
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::broken(self.path.display(), error)
    }

    fn row(&self, location: String, bytes: Result<&[u8], parlour_core::Refusal>) -> SourceRow {
        let (conversation, item) = read(self.system, &self.decoder, bytes);
        SourceRow::whole(location, conversation, item)
    }
}

/// Decodes a row; also returns the id of its conversation in the source system.
pub(super) fn read(
    system: System,
    decoder: &DialectDecoder,
    bytes: Result<&[u8], parlour_core::Refusal>,
) -> (Option<String>, Result<parlour_dialects::Item, parlour_core::Refusal>) {
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(refusal) => return (None, Err(refusal)),
    };
    match serde_json::from_slice(bytes) {
        Ok(value) => {
            let conversation = system.conversation_of(&value);
            (conversation, decoder.item_of(value).map_err(|refusal| with_list_hint(refusal, bytes)))
        }
        // The dialect has better error texts for invalid JSON.
        Err(_) => (None, decoder.item(bytes)),
    }
}

impl ImportSource for FileSource {
    fn rows(&self, order: RowOrder) -> Result<Box<dyn RowReader + '_>, Failure> {
        let file = convert::open(&self.path)?;
        match order {
            RowOrder::OldestFirst => {
                let records = RecordReader::open(file).map_err(|error| self.failed(&error))?;
                self.index.borrow_mut().clear();
                Ok(Box::new(Forward { source: self, records }))
            }
            RowOrder::NewestFirst => {
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
    records: RecordReader<File>,
}

impl RowReader for Forward<'_> {
    fn next(&mut self) -> Result<Option<SourceRow>, Failure> {
        let source = self.source;
        let Some(record) = self.records.next().map_err(|error| source.failed(&error))? else { return Ok(None) };
        let location = record.location.to_string();
        if let Ok(bytes) = record.bytes {
            let length = u32::try_from(bytes.len()).expect("lines are shorter: DIALECT_LINE_BYTES_MAX");
            let row_offset = RowOffset { offset: record.offset, length, location: record.location };
            source.index.borrow_mut().push(row_offset);
        }
        Ok(Some(source.row(location, record.bytes)))
    }
}

struct Backward<'a> {
    source: &'a FileSource,
    file: File,
    left: usize,
    bytes: Vec<u8>,
}

impl RowReader for Backward<'_> {
    fn next(&mut self) -> Result<Option<SourceRow>, Failure> {
        let Some(at) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = at;
        let row_offset = self.source.index.borrow()[at];
        self.bytes.resize(row_offset.length as usize, 0);
        let sought = self.file.seek(SeekFrom::Start(row_offset.offset));
        let read = sought.and_then(|_| self.file.read_exact(&mut self.bytes));
        read.map_err(|error| self.source.failed(&error))?;
        Ok(Some(self.source.row(row_offset.location.to_string(), Ok(&self.bytes))))
    }
}
