//! The folder that holds everything a hub keeps.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

/// What the owner may do and nobody else.
const OWNER_ONLY: u32 = 0o700;
/// What others may do, in a file's mode.
const OTHERS: u32 = 0o077;

/// Whether others than the owner get into a folder or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Only the owner does.
    Private,
    /// Others do too.
    OpenToOthers,
}

/// Makes the folder for the owner alone, or looks at the one that is there; its rights are left as they are.
pub(crate) fn prepare(folder: &Path) -> io::Result<Privacy> {
    if !folder.exists() {
        DirBuilder::new().recursive(true).mode(OWNER_ONLY).create(folder)?;
    }
    if !fs::metadata(folder)?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "it is no folder"));
    }
    privacy(folder)
}

/// Whether others get into a folder or file.
pub(crate) fn privacy(path: &Path) -> io::Result<Privacy> {
    let mode = fs::metadata(path)?.mode();
    Ok(if mode & OTHERS == 0 { Privacy::Private } else { Privacy::OpenToOthers })
}

/// The folder as a whole path, for people; the given one where that is not known.
pub(crate) fn whole_path(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_new_folder_is_for_the_owner_alone() {
        let parent = tempfile::tempdir().expect("folder");
        let folder = parent.path().join("a/b");
        assert_eq!(prepare(&folder).expect("made"), Privacy::Private);
        assert_eq!(fs::metadata(&folder).expect("made").mode() & 0o777, OWNER_ONLY);
    }

    #[test]
    fn a_folder_that_is_open_to_others_is_told_and_left_as_it_is() {
        let folder = tempfile::tempdir().expect("folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("rights");
        assert_eq!(prepare(folder.path()).expect("there"), Privacy::OpenToOthers);
        assert_eq!(fs::metadata(folder.path()).expect("there").mode() & 0o777, 0o755);
    }

    #[test]
    fn a_file_in_its_place_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("data");
        fs::write(&file, "").expect("file");
        assert!(prepare(&file).is_err());
    }
}
