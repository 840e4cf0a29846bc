//! Private folders, and syncing of their entries.

use std::{
    fs::{self, DirBuilder, File},
    io,
    path::Path,
};

/// Creates a folder and its parents for this user only. An existing folder does not change.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Syncs the entries of a folder to the disk.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Removes the files of a folder whose names start with the prefix; not those of its subfolders.
pub(crate) fn remove_files(path: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name().as_encoded_bytes().starts_with(prefix.as_bytes()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
