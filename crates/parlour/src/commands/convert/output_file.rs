//! The file that is written: what is in it stays until there is something else to write.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::Path,
};

/// A file that is emptied by the first word that is written.
#[derive(Debug)]
pub(super) struct OutputFile {
    file: File,
    is_begun: bool,
}

impl OutputFile {
    /// Opens it, or makes it; refused at once when that cannot be.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        Ok(Self { file, is_begun: false })
    }

    /// Takes away what was in it before; devices and pipes have nothing in them.
    fn begin(&mut self) -> io::Result<()> {
        if !self.is_begun && self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.is_begun = true;
        Ok(())
    }

    /// What was written is all of it, also when that is nothing.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.begin()
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_there_stays_until_something_is_written_or_all_is_done() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        fs::write(&path, "what was there").expect("written");
        let mut file = OutputFile::open(&path).expect("a file");
        file.flush().expect("flushed");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "what was there");
        file.write_all(b"new").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
        OutputFile::open(&path).and_then(|mut file| file.finish()).expect("finished");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "");
        assert!(OutputFile::open(folder.path()).is_err());
        let mut null = OutputFile::open(Path::new("/dev/null")).expect("a device");
        null.write_all(b"gone").expect("written");
    }
}
