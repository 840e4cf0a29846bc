//! The data folder of a hub.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

/// Access for the owner only.
const OWNER_ONLY: u32 = 0o700;
/// The permission bits of group and others.
const OTHERS: u32 = 0o077;
/// Enough for the report: the repair is the same for more.
const OPEN_ENTRIES_MAX: usize = 100;

/// Whether group or others have access to a folder or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privacy {
    Private,
    OpenToOthers,
}

/// Creates the folder with access for the owner only; the permissions of an existing folder are not changed.
pub(crate) fn prepare(folder: &Path) -> io::Result<Privacy> {
    if !folder.exists() {
        DirBuilder::new().recursive(true).mode(OWNER_ONLY).create(folder)?;
    }
    if !fs::metadata(folder)?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, "not a folder"));
    }
    privacy(folder)
}

/// Sets the umask, so that all files of this process are accessible to the owner only, also those of SQLite.
pub(crate) fn keep_to_owner() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(OTHERS));
}

/// Returns the files and folders that others can access, at most [`OPEN_ENTRIES_MAX`], relative to the folder. Symbolic
/// links are not followed.
pub(crate) fn open_to_others(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let entry = entry?;
            let about = entry.metadata()?;
            if about.is_symlink() {
                continue;
            }
            if about.is_dir() {
                folders.push(entry.path());
            }
            if about.mode() & OTHERS != 0 {
                found.push(entry.path().strip_prefix(folder).map_or_else(|_| entry.path(), Path::to_owned));
            }
            if found.len() == OPEN_ENTRIES_MAX {
                return Ok(found);
            }
        }
    }
    found.sort();
    Ok(found)
}

pub(crate) fn privacy(path: &Path) -> io::Result<Privacy> {
    let mode = fs::metadata(path)?.mode();
    Ok(if mode & OTHERS == 0 { Privacy::Private } else { Privacy::OpenToOthers })
}

/// Returns the canonical path, or the given one if it cannot be resolved.
pub(crate) fn whole_path(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_new_folder_is_private() {
        let parent = tempfile::tempdir().expect("folder");
        let folder = parent.path().join("a/b");
        assert_eq!(prepare(&folder).expect("made"), Privacy::Private);
        assert_eq!(fs::metadata(&folder).expect("made").mode() & 0o777, OWNER_ONLY);
    }

    #[test]
    fn an_open_folder_is_reported_and_not_changed() {
        let folder = tempfile::tempdir().expect("folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("rights");
        assert_eq!(prepare(folder.path()).expect("there"), Privacy::OpenToOthers);
        assert_eq!(fs::metadata(folder.path()).expect("there").mode() & 0o777, 0o755);
    }

    #[test]
    fn open_files_are_found_at_every_depth_without_following_links() {
        let (folder, elsewhere) = (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"));
        let put = |path: &str, mode| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
            fs::write(&path, "").expect("file");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("rights");
        };
        put("keys/keys.json", 0o600);
        put("parlour.db", 0o640);
        put("blobs/ab/abc", 0o604);
        for private in ["keys", "blobs", "blobs/ab"] {
            fs::set_permissions(folder.path().join(private), fs::Permissions::from_mode(0o700)).expect("rights");
        }
        fs::write(elsewhere.path().join("open"), "").expect("file");
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("link")).expect("link");
        let found = open_to_others(folder.path()).expect("readable");
        assert_eq!(found, [Path::new("blobs/ab/abc"), Path::new("parlour.db")]);
    }

    #[test]
    fn a_file_at_the_path_of_the_folder_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("data");
        fs::write(&file, "").expect("file");
        assert!(prepare(&file).is_err());
    }
}
