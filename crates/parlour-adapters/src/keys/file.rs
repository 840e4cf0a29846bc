//! The file that holds the keys: read as a whole, replaced as a whole.

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use parlour_core::limits;
use tempfile::Builder;

use super::set::{KeySet, Written};
use crate::{
    failpoint,
    folders::{make_folder, remove_files, sync_folder},
};

/// The file in the folder of keys.
const NAME: &str = "keys.json";
/// What the names of files begin with that are still being written.
const UNFINISHED: &str = ".keys-";
/// A key takes far less than this; a longer file was not written by a hub.
const FILE_BYTES_MAX: u64 = 1_024 + 256 * limits::KEYS_KEPT_MAX as u64;

/// Why the keys cannot be had. It never shows what is in the file.
#[derive(Debug, thiserror::Error)]
pub(super) enum BadFile {
    #[error("the disk")]
    Disk(#[from] io::Error),
    #[error("the file is longer than {FILE_BYTES_MAX} bytes")]
    Long,
    #[error("the file is not in the form of this program, line {line}, column {column}")]
    Form { line: usize, column: usize },
    #[error("the name of the hub in it is damaged")]
    Issuer,
    #[error("a key in it is damaged")]
    Key,
}

/// The file as people would name it.
pub(super) fn shown(folder: &Path) -> String {
    path(folder).display().to_string()
}

fn path(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Makes the folder for this user alone, and removes what a writer has left that died half-way.
pub(super) fn prepare(folder: &Path) -> io::Result<()> {
    make_folder(folder)?;
    remove_files(folder, UNFINISHED)
}

/// Reads the keys; no file is none.
pub(super) fn load(folder: &Path) -> Result<Option<KeySet>, BadFile> {
    let file = match File::open(path(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut text = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut text)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(BadFile::Long);
    }
    parse(&text).map(Some)
}

/// Takes the text of the file. An error tells where it is, and nothing of the text.
pub(super) fn parse(text: &[u8]) -> Result<KeySet, BadFile> {
    let written: Written =
        serde_json::from_slice(text).map_err(|error| BadFile::Form { line: error.line(), column: error.column() })?;
    KeySet::try_from(written)
}

/// Replaces the file, readable by this user alone, and waits until the disk has it.
pub(super) fn save(folder: &Path, keys: &KeySet) -> Result<(), BadFile> {
    let json = serde_json::to_vec_pretty(&Written::from(keys)).map_err(io::Error::other)?;
    // A file of this sort is made for its owner alone.
    let mut file = Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    file.write_all(&json)?;
    failpoint::reach("keys_written");
    file.as_file().sync_all()?;
    failpoint::reach("keys_synced");
    file.persist(path(folder)).map_err(|error| error.error)?;
    failpoint::reach("keys_renamed");
    sync_folder(folder)?;
    // The folder itself may be new: its name has to last as well.
    folder.parent().map_or(Ok(()), sync_folder)?;
    Ok(())
}
