//! One JSON value a line.

use std::{
    io::{self, BufWriter, StdoutLock, Write},
    path::Path,
};

use serde_json::Value;

use super::{
    Stop, cannot_write,
    new_file::NewFile,
    sink::{Conversation, Sink},
};
use crate::failure::Failure;

/// Lines in a file or on stdout.
pub(super) struct Lines {
    out: Out,
    line: Vec<u8>,
    written: u64,
}

enum Out {
    File(NewFile),
    Stdout(BufWriter<StdoutLock<'static>>),
}

impl Lines {
    pub(super) fn create(path: &Path, is_forced: bool) -> Result<Self, Failure> {
        Ok(Self::new(Out::File(NewFile::create(path, is_forced)?)))
    }

    pub(super) fn stdout() -> Self {
        Self::new(Out::Stdout(BufWriter::new(io::stdout().lock())))
    }

    fn new(out: Out) -> Self {
        Self { out, line: Vec::new(), written: 0 }
    }
}

impl Sink for Lines {
    fn write(&mut self, _conversation: &Conversation<'_>, value: Value) -> Result<(), Stop> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, &value).expect("a value can be written to memory");
        self.line.push(b'\n');
        self.written += 1;
        match &mut self.out {
            Out::File(file) => file.write(&self.line),
            Out::Stdout(out) => out.write_all(&self.line).map_err(|error| cannot_write("write the export", &error)),
        }
    }

    fn finish(&mut self) -> Result<(), Stop> {
        match &mut self.out {
            Out::File(file) => file.finish(),
            Out::Stdout(out) => out.flush().map_err(|error| cannot_write("write the export", &error)),
        }
    }

    fn written(&self) -> u64 {
        self.written
    }
}
