//! The key file. It is always replaced as a whole.

use std::{
    fs::File,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use parlour_core::limits;
use tempfile::Builder;

use super::set::{KeyFileJson, KeySet};
use crate::{
    failpoint,
    folders::{make_folder, remove_files, sync_folder},
};

const NAME: &str = "keys.json";
/// The prefix of temporary files.
const UNFINISHED: &str = ".keys-";
/// The maximum size of the file; a hub never writes a larger one.
const FILE_BYTES_MAX: u64 = 1_024 + 256 * limits::REPLACED_KEYS_MAX as u64;

/// Why the keys cannot be loaded. The text never contains the content of the file.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeyFileError {
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

/// The path of the file for error messages.
pub(super) fn shown(folder: &Path) -> String {
    path(folder).display().to_string()
}

fn path(folder: &Path) -> PathBuf {
    folder.join(NAME)
}

/// Creates the folder for this user only, and removes temporary files of an interrupted write.
pub(super) fn prepare(folder: &Path) -> io::Result<()> {
    make_folder(folder)?;
    remove_files(folder, UNFINISHED)
}

/// Reads the keys; `None` if there is no file.
pub(super) fn load(folder: &Path) -> Result<Option<KeySet>, KeyFileError> {
    let file = match File::open(path(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut text = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut text)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(KeyFileError::Long);
    }
    parse(&text).map(Some)
}

/// Parses the file. An error contains the position, but nothing of the content.
pub(super) fn parse(text: &[u8]) -> Result<KeySet, KeyFileError> {
    let written: KeyFileJson = serde_json::from_slice(text)
        .map_err(|error| KeyFileError::Form { line: error.line(), column: error.column() })?;
    KeySet::try_from(written)
}

/// Replaces the file, readable by this user only, and syncs it.
pub(super) fn save(folder: &Path, keys: &KeySet) -> Result<(), KeyFileError> {
    let json = serde_json::to_vec_pretty(&KeyFileJson::from(keys)).map_err(io::Error::other)?;
    // A temporary file is created for its owner only.
    let mut file = Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    file.write_all(&json)?;
    failpoint::reach("keys_written");
    file.as_file().sync_all()?;
    failpoint::reach("keys_synced");
    file.persist(path(folder)).map_err(|error| error.error)?;
    failpoint::reach("keys_renamed");
    sync_folder(folder)?;
    // The folder itself may be new, so its entry must be synced as well.
    folder.parent().map_or(Ok(()), sync_folder)?;
    Ok(())
}
