//! FileConversion of all messages of a file, in batches on several threads.

use std::{
    io::{self, Read, Write},
    ops::Range,
    thread,
};

use parlour_core::Refusal;
use parlour_dialects::{Dialect, encode_line};

use super::{
    decode::{DialectDecoder, FrameCounts, Problems, in_words},
    records::{RecordLocation, RecordReader},
    target::{Document, MessageLog, OutputFormat},
    worker_pool::WorkerPool,
};
use crate::failure::Failure;

/// A conversion and its options.
pub(super) struct FileConversion {
    pub(super) decoder: DialectDecoder,
    pub(super) to: OutputFormat,
    pub(super) is_lenient: bool,
}

#[derive(Default)]
struct ConversionSummary {
    written: u64,
    problems: Problems,
    unsupported: FrameCounts,
    /// Messages that did not fit into the document.
    omitted: usize,
}

enum ConversionStop {
    /// The reader of stdout closed the pipe.
    Unread,
    Failed(Failure),
}

impl FileConversion {
    /// Converts to the end of the input, or to the first error unless lenient.
    pub(super) fn run<R: Read>(&self, mut records: RecordReader<R>, mut out: impl Write) -> Result<(), Failure> {
        let mut outcome = ConversionSummary::default();
        let walked = match &self.to {
            OutputFormat::Lines(dialect) => self.lines(*dialect, &mut records, &mut out, &mut outcome),
            OutputFormat::Document(document, seen_by) => {
                self.document((*document, seen_by.as_deref()), &mut records, &mut out, &mut outcome)
            }
        };
        let written = walked.and_then(|()| out.flush().map_err(|error| cannot_write(&error)));
        match written {
            Err(ConversionStop::Unread) => return Ok(()),
            Err(ConversionStop::Failed(failure)) => {
                // Keeps what was written before the error.
                let _ = out.flush();
                return Err(failure);
            }
            Ok(()) => {}
        }
        print_note(&self.summary(&outcome));
        Ok(())
    }

    /// This thread reads and writes; the pool converts.
    fn lines<R: Read>(
        &self,
        dialect: Dialect,
        records: &mut RecordReader<R>,
        out: &mut impl Write,
        outcome: &mut ConversionSummary,
    ) -> Result<(), ConversionStop> {
        let converter = Converter { decoder: self.decoder, to: dialect, is_lenient: self.is_lenient };
        thread::scope(|scope| {
            let mut pool = WorkerPool::start(scope, move |batch| converter.convert(batch));
            loop {
                let batch = RecordBatch::read(records).map_err(|error| cannot_read(&error))?;
                let is_end = batch.is_empty();
                if !is_end {
                    pool.give(batch);
                }
                // Flushes when the input would block, for slow pipes.
                let is_awaited = is_end || records.is_drained();
                while is_awaited || pool.is_busy() {
                    let Some(converted) = pool.take() else { break };
                    self.write(&converted, out, outcome)?;
                }
                if is_awaited {
                    out.flush().map_err(|error| cannot_write(&error))?;
                }
                if is_end {
                    return Ok(());
                }
            }
        })
    }

    fn write(
        &self,
        converted: &ConvertedBatch,
        out: &mut impl Write,
        outcome: &mut ConversionSummary,
    ) -> Result<(), ConversionStop> {
        out.write_all(&converted.out).map_err(|error| cannot_write(&error))?;
        outcome.written += converted.written;
        outcome.unsupported.join(converted.unsupported);
        converted
            .problems
            .iter()
            .try_for_each(|(location, refusal)| self.handle_problem(*location, refusal, &mut outcome.problems))
    }

    fn document<R: Read>(
        &self,
        (document, seen_by): (Document, Option<&str>),
        records: &mut RecordReader<R>,
        out: &mut impl Write,
        outcome: &mut ConversionSummary,
    ) -> Result<(), ConversionStop> {
        let mut log = MessageLog::default();
        while let Some(record) = records.next().map_err(|error| cannot_read(&error))? {
            let location = record.location;
            match record.bytes.and_then(|bytes| self.decoder.item(bytes)) {
                Err(refusal) => self.handle_problem(location, &refusal, &mut outcome.problems)?,
                Ok(item) => {
                    let frame = item.frame;
                    match log.take(item).map_err(ConversionStop::Failed)? {
                        true => outcome.written += 1,
                        false => outcome.unsupported.add(frame),
                    }
                }
            }
        }
        if log.messages.is_empty() && !document.is_json() {
            return Ok(());
        }
        let (text, left_out) = document.render(log.messages, seen_by).map_err(ConversionStop::Failed)?;
        outcome.omitted = left_out;
        writeln!(out, "{text}").map_err(|error| cannot_write(&error))
    }

    /// Ends the conversion with an error; when lenient, prints the problem and continues.
    fn handle_problem(
        &self,
        location: RecordLocation,
        refusal: &Refusal,
        problems: &mut Problems,
    ) -> Result<(), ConversionStop> {
        if !self.is_lenient {
            let failure = Failure::new(format!("{location}: {}", in_words(refusal)));
            return Err(ConversionStop::Failed(failure.hint("correct the input, or skip such lines with --lenient")));
        }
        if let Some(shown) = problems.add(location, refusal) {
            print_note(&format!("{shown}\n"));
        }
        Ok(())
    }

    fn summary(&self, outcome: &ConversionSummary) -> String {
        let mut text = String::new();
        if outcome.unsupported.sum() > 0 {
            let (sum, words) = (outcome.unsupported.sum(), outcome.unsupported.in_words());
            let (noun, verb) = if sum == 1 { ("frame", "has") } else { ("frames", "have") };
            text += &format!("{sum} {noun} {verb} no equivalent in {}: {words}\n", self.to.name());
        }
        if outcome.omitted > 0 {
            text += &format!("{} older messages omitted: no room\n", outcome.omitted);
        }
        let problems = &outcome.problems;
        if problems.unshown() > 0 {
            text += &format!("… and {} more that could not be decoded\n", problems.unshown());
        }
        if problems.count > 0 {
            text += &format!("{} written, {} skipped\n", outcome.written, problems.count);
        }
        text
    }
}

/// Prints to stderr; write errors are ignored.
pub(super) fn print_note(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

fn cannot_write(error: &io::Error) -> ConversionStop {
    match error.kind() {
        io::ErrorKind::BrokenPipe => ConversionStop::Unread,
        _ => ConversionStop::Failed(Failure::broken("write the output", error)),
    }
}

fn cannot_read(error: &io::Error) -> ConversionStop {
    ConversionStop::Failed(Failure::broken("read the input", error))
}

/// The size of a batch; large enough to make the overhead of the threads small.
const BATCH_BYTES: usize = 64 * 1024;

/// Consecutive messages of a file.
#[derive(Debug, Default)]
pub(super) struct RecordBatch {
    bytes: Vec<u8>,
    /// The location of each message and its range in `bytes`, or the reason why it cannot be read.
    records: Vec<(RecordLocation, Result<Range<usize>, Refusal>)>,
}

#[derive(Debug, Default)]
pub(super) struct ConvertedBatch {
    pub(super) out: Vec<u8>,
    pub(super) written: u64,
    /// Frames without an equivalent in the target format.
    pub(super) unsupported: FrameCounts,
    pub(super) problems: Vec<(RecordLocation, Refusal)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Converter {
    pub(super) decoder: DialectDecoder,
    pub(super) to: Dialect,
    pub(super) is_lenient: bool,
}

impl RecordBatch {
    /// Reads until the batch is full or the input would block. Empty at the end of the file.
    pub(super) fn read<R: Read>(records: &mut RecordReader<R>) -> io::Result<Self> {
        let mut batch = Self::default();
        while let Some(record) = records.next()? {
            let start = batch.bytes.len();
            let range = record.bytes.map(|bytes| {
                batch.bytes.extend_from_slice(bytes);
                start..batch.bytes.len()
            });
            batch.records.push((record.location, range));
            if batch.bytes.len() >= BATCH_BYTES || records.is_drained() {
                break;
            }
        }
        Ok(batch)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl Converter {
    /// Converts all messages, or those before the first error unless lenient.
    pub(super) fn convert(&self, batch: RecordBatch) -> ConvertedBatch {
        let mut converted =
            ConvertedBatch { out: Vec::with_capacity(batch.bytes.len() * 2), ..ConvertedBatch::default() };
        for (location, range) in batch.records {
            match range.and_then(|range| self.decoder.item(&batch.bytes[range])) {
                Err(refusal) => {
                    converted.problems.push((location, refusal));
                    if !self.is_lenient {
                        break;
                    }
                }
                Ok(item) if encode_line(self.to, &item, &mut converted.out) => {
                    converted.out.push(b'\n');
                    converted.written += 1;
                }
                Ok(item) => converted.unsupported.add(item.frame),
            }
        }
        converted
    }
}
