//! Folders for one user only, and how to make what happened in them last.

use std::{
    fs::{self, DirBuilder, File},
    io,
    path::Path,
};

/// Makes a folder that only this user can enter, with those above it; one that exists stays as it is.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Waits until the disk has the names in this folder.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Removes the files that lie directly in this folder and whose names begin so.
pub(crate) fn remove_files(path: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name().as_encoded_bytes().starts_with(prefix.as_bytes()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
