//! A file that appears whole or not at all.

use std::{
    fs::Permissions,
    io::{self, BufWriter, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use super::{Stop, cannot_write};
use crate::failure::Failure;

/// What is asked for a new file; the system takes away what the user lets nobody do.
const NEW_FILE_MODE: u32 = 0o666;

/// A file that is written beside its place and put there in the end.
pub(super) struct NewFile {
    path: PathBuf,
    file: Option<BufWriter<NamedTempFile>>,
}

impl NewFile {
    /// Refuses to take the place of another file, unless that is wanted.
    pub(super) fn create(path: &Path, is_forced: bool) -> Result<Self, Failure> {
        check_is_free(path, is_forced)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = unplaced(folder).map_err(|error| Failure::broken(folder.display(), &error))?;
        Ok(Self { path: path.to_owned(), file: Some(BufWriter::new(file)) })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        let path = &self.path;
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(bytes).map_err(|error| cannot_write(&path.display().to_string(), &error))
    }

    /// Puts it into its place.
    pub(super) fn finish(&mut self) -> Result<(), Stop> {
        let failed = |error: &io::Error| cannot_write(&self.path.display().to_string(), error);
        let Some(file) = self.file.take() else { return Ok(()) };
        let file = file.into_inner().map_err(|error| failed(error.error()))?;
        put(file, &self.path).map_err(|error| failed(&error))
    }
}

/// A file in this folder that goes away again unless it is put into its place. Whoever may read new files of the user
/// may read it: the usual ones of this sort are for their owner alone.
pub(super) fn unplaced(folder: &Path) -> io::Result<NamedTempFile> {
    Builder::new().permissions(Permissions::from_mode(NEW_FILE_MODE)).tempfile_in(folder)
}

/// Puts a finished file into its place.
pub(super) fn put(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Refuses a place where something stands already.
pub(super) fn check_is_free(path: &Path, is_forced: bool) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::usage(format!("{}: this is a folder, and no file", path.display())));
    }
    if path.exists() && !is_forced {
        return Err(Failure::new(format!("{} is there already", path.display())).hint("write over it with --force"));
    }
    Ok(())
}
