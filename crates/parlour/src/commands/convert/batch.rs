//! Several messages of a file, converted together by one thread.

use std::{
    io::{self, Read},
    ops::Range,
};

use parlour_core::Refusal;
use parlour_dialects::{Dialect, encode_line};

use super::{
    frames::FrameCounts,
    reading::Reading,
    records::{Place, Records},
};

/// So many bytes make a batch: enough that handing it over costs little.
const BATCH_BYTES: usize = 64 * 1024;

/// Messages that stand one behind the other in a file.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    /// Where each stands in the file and in the bytes, or why that cannot be known.
    records: Vec<(Place, Result<Range<usize>, Refusal>)>,
}

/// What became of them.
#[derive(Debug, Default)]
pub(super) struct Converted {
    /// The lines to write.
    pub(super) out: Vec<u8>,
    /// How many these are.
    pub(super) written: u64,
    /// Frames that the dialect has no word for.
    pub(super) unsaid: FrameCounts,
    /// What could not be read.
    pub(super) problems: Vec<(Place, Refusal)>,
}

/// How messages are converted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Converter {
    pub(super) reading: Reading,
    pub(super) to: Dialect,
    /// Whether it goes on behind what cannot be read.
    pub(super) is_lenient: bool,
}

impl Batch {
    /// Reads until it is full, or until the next message would have to be waited for. It is empty at the end of the file.
    pub(super) fn read<R: Read>(records: &mut Records<R>) -> io::Result<Self> {
        let mut batch = Self::default();
        while let Some(record) = records.next()? {
            let start = batch.bytes.len();
            let range = record.bytes.map(|bytes| {
                batch.bytes.extend_from_slice(bytes);
                start..batch.bytes.len()
            });
            batch.records.push((record.place, range));
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
    /// Converts all, or those before the first that cannot be read.
    pub(super) fn convert(&self, batch: Batch) -> Converted {
        let mut converted = Converted { out: Vec::with_capacity(batch.bytes.len() * 2), ..Converted::default() };
        for (place, range) in batch.records {
            match range.and_then(|range| self.reading.item(&batch.bytes[range])) {
                Err(refusal) => {
                    converted.problems.push((place, refusal));
                    if !self.is_lenient {
                        break;
                    }
                }
                Ok(item) if encode_line(self.to, &item, &mut converted.out) => {
                    converted.out.push(b'\n');
                    converted.written += 1;
                }
                Ok(item) => converted.unsaid.add(item.frame),
            }
        }
        converted
    }
}
