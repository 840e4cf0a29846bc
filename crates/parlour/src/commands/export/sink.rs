//! Output of an export: JSON lines, a JSON list, and files that appear only when they are complete.

use std::{
    fs::Permissions,
    io::{self, BufWriter, StdoutLock, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tempfile::{Builder, NamedTempFile};

use super::{ExportStop, cannot_write};
use crate::failure::Failure;

/// Receives the messages of an export. Without `finish` nothing is left behind.
pub(super) trait ExportSink {
    fn write(&mut self, conversation: &ExportedConversation<'_>, value: Value) -> Result<(), ExportStop>;

    /// Writes the record of a channel, which is not counted as a message. Only native exports have records.
    fn write_channel(&mut self, _record: &Value) -> Result<(), ExportStop> {
        Ok(())
    }

    /// Writes an event about the steps of the previous message, if the format supports it.
    fn write_step_event(&mut self, _conversation: &ExportedConversation<'_>, _event: &Value) -> Result<(), ExportStop> {
        Ok(())
    }

    /// Completes the output.
    fn finish(&mut self) -> Result<(), ExportStop>;

    fn written(&self) -> u64;

    /// The number of messages that could not be written.
    fn unwritten(&self) -> u64 {
        0
    }
}

/// The names of a conversation.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExportedConversation<'a> {
    /// The id in the target system.
    pub(super) foreign: &'a str,
    /// The title; none if the conversation had none before its import.
    pub(super) title: Option<&'a str>,
}

/// The mode of new files before the umask.
const NEW_FILE_MODE: u32 = 0o666;

/// A file that is written to a temporary path and moved to its path when it is complete.
pub(super) struct AtomicFile {
    path: PathBuf,
    file: Option<BufWriter<NamedTempFile>>,
}

impl AtomicFile {
    /// Refuses an existing file unless forced.
    pub(super) fn create(path: &Path, is_forced: bool) -> Result<Self, Failure> {
        check_not_existing(path, is_forced)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = temporary_file(folder).map_err(|error| Failure::broken(folder.display(), &error))?;
        Ok(Self { path: path.to_owned(), file: Some(BufWriter::new(file)) })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), ExportStop> {
        let path = &self.path;
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(bytes).map_err(|error| cannot_write(&path.display().to_string(), &error))
    }

    /// Moves the file to its path.
    pub(super) fn finish(&mut self) -> Result<(), ExportStop> {
        let failed = |error: &io::Error| cannot_write(&self.path.display().to_string(), error);
        let Some(file) = self.file.take() else { return Ok(()) };
        let file = file.into_inner().map_err(|error| failed(error.error()))?;
        persist(file, &self.path).map_err(|error| failed(&error))
    }
}

/// Creates a temporary file with the usual mode of new files; by default it would be readable by the owner only.
pub(super) fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    Builder::new().permissions(Permissions::from_mode(NEW_FILE_MODE)).tempfile_in(folder)
}

/// Syncs a file and moves it to its path.
pub(super) fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Refuses an existing file or folder.
pub(super) fn check_not_existing(path: &Path, is_forced: bool) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::usage(format!("{} is a folder, not a file", path.display())));
    }
    if path.exists() && !is_forced {
        return Err(Failure::new(format!("{} already exists", path.display())).hint("overwrite it with --force"));
    }
    Ok(())
}

pub(super) struct JsonLinesSink {
    out: LineOutput,
    line: Vec<u8>,
    written: u64,
}

enum LineOutput {
    File(AtomicFile),
    Stdout(BufWriter<StdoutLock<'static>>),
}

impl JsonLinesSink {
    pub(super) fn create(path: &Path, is_forced: bool) -> Result<Self, Failure> {
        Ok(Self::new(LineOutput::File(AtomicFile::create(path, is_forced)?)))
    }

    pub(super) fn stdout() -> Self {
        Self::new(LineOutput::Stdout(BufWriter::new(io::stdout().lock())))
    }

    fn new(out: LineOutput) -> Self {
        Self { out, line: Vec::new(), written: 0 }
    }

    fn write_line(&mut self, value: &Value) -> Result<(), ExportStop> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, value).expect("a value can be written to memory");
        self.line.push(b'\n');
        match &mut self.out {
            LineOutput::File(file) => file.write(&self.line),
            LineOutput::Stdout(out) => {
                out.write_all(&self.line).map_err(|error| cannot_write("write the export", &error))
            }
        }
    }
}

impl ExportSink for JsonLinesSink {
    fn write(&mut self, _conversation: &ExportedConversation<'_>, value: Value) -> Result<(), ExportStop> {
        self.written += 1;
        self.write_line(&value)
    }

    fn write_channel(&mut self, record: &Value) -> Result<(), ExportStop> {
        self.write_line(record)
    }

    fn finish(&mut self) -> Result<(), ExportStop> {
        match &mut self.out {
            LineOutput::File(file) => file.finish(),
            LineOutput::Stdout(out) => out.flush().map_err(|error| cannot_write("write the export", &error)),
        }
    }

    fn written(&self) -> u64 {
        self.written
    }
}

pub(super) struct JsonListSink {
    file: AtomicFile,
    entry: Vec<u8>,
    is_begun: bool,
    written: u64,
}

impl JsonListSink {
    pub(super) fn create(path: &Path, is_forced: bool) -> Result<Self, Failure> {
        Ok(Self { file: AtomicFile::create(path, is_forced)?, entry: Vec::new(), is_begun: false, written: 0 })
    }

    fn write_entry(&mut self, value: &Value) -> Result<(), ExportStop> {
        self.entry.clear();
        self.entry.extend_from_slice(if self.is_begun { b",\n" } else { b"[\n" });
        serde_json::to_writer(&mut self.entry, value).expect("a value can be written to memory");
        self.is_begun = true;
        self.file.write(&self.entry)
    }
}

impl ExportSink for JsonListSink {
    fn write(&mut self, _conversation: &ExportedConversation<'_>, value: Value) -> Result<(), ExportStop> {
        self.written += 1;
        self.write_entry(&value)
    }

    fn write_channel(&mut self, record: &Value) -> Result<(), ExportStop> {
        self.write_entry(record)
    }

    fn finish(&mut self) -> Result<(), ExportStop> {
        self.file.write(if self.is_begun { b"\n]\n" } else { b"[]\n" })?;
        self.file.finish()
    }

    fn written(&self) -> u64 {
        self.written
    }
}
