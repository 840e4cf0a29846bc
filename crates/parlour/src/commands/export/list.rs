//! One JSON list, an entry a line.

use std::path::Path;

use serde_json::Value;

use super::{
    Stop,
    new_file::NewFile,
    sink::{Conversation, Sink},
};
use crate::failure::Failure;

/// A list in a file.
pub(super) struct List {
    file: NewFile,
    entry: Vec<u8>,
    written: u64,
}

impl List {
    pub(super) fn create(path: &Path, is_forced: bool) -> Result<Self, Failure> {
        Ok(Self { file: NewFile::create(path, is_forced)?, entry: Vec::new(), written: 0 })
    }
}

impl Sink for List {
    fn write(&mut self, _conversation: &Conversation<'_>, value: Value) -> Result<(), Stop> {
        self.entry.clear();
        self.entry.extend_from_slice(if self.written == 0 { b"[\n" } else { b",\n" });
        serde_json::to_writer(&mut self.entry, &value).expect("a value can be written to memory");
        self.written += 1;
        self.file.write(&self.entry)
    }

    fn finish(&mut self) -> Result<(), Stop> {
        self.file.write(if self.written == 0 { b"[]\n" } else { b"\n]\n" })?;
        self.file.finish()
    }

    fn written(&self) -> u64 {
        self.written
    }
}
