//! The settings file of a tool on disk: read with care, and replaced in one step.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use parlour_agent::hooks::settings::SETTINGS_BYTES_MAX;

use crate::failure::Failure;

/// A settings file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SettingsFile {
    /// The path with resolved links.
    pub(super) path: PathBuf,
    /// None if the file does not exist.
    pub(super) text: Option<String>,
}

impl SettingsFile {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let broken = |error: &io::Error| Failure::broken(format!("read {}", path.display()), error);
        let path = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: path.to_owned(), text: None });
            }
            Err(error) => return Err(broken(&error)),
            Ok(about) if about.is_symlink() => fs::canonicalize(path)
                .map_err(|error| broken(&error).hint("the symbolic link is broken: remove it, or create its target"))?,
            Ok(_) => path.to_owned(),
        };
        let about = fs::metadata(&path).map_err(|error| broken(&error))?;
        let refuse = |what: &str| Err(Failure::new(format!("{} {what}", path.display())));
        if !about.is_file() {
            return refuse("is not a regular file");
        }
        if about.len() > SETTINGS_BYTES_MAX as u64 {
            return refuse("is too large for a settings file");
        }
        let bytes = fs::read(&path).map_err(|error| broken(&error))?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { path, text: Some(text) }),
            Err(_) => refuse("is not valid UTF-8"),
        }
    }

    /// Refuses a read-only file.
    pub(super) fn check_writable(&self) -> Result<(), Failure> {
        let is_protected = fs::metadata(&self.path).is_ok_and(|about| about.permissions().readonly());
        if !is_protected {
            return Ok(());
        }
        Err(Failure::new(format!("{} is read-only; nothing was changed", self.path.display()))
            .hint(format!("chmod u+w {}", super::paths::quoted_path(&self.path))))
    }
}

/// Replaces a file atomically and keeps its mode; a new file gets `new_mode`.
pub(super) fn replace(path: &Path, text: &str, new_mode: u32) -> Result<(), Failure> {
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mode = fs::metadata(path).map_or(new_mode, |about| about.permissions().mode() & 0o7777);
        let mut file = tempfile::Builder::new().prefix(".parlour-").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|error: io::Error| Failure::broken(format!("write {}", path.display()), &error))
}

/// The missing folders of a path, outermost first.
pub(super) fn missing_folders(folder: &Path) -> Vec<PathBuf> {
    let missing: Vec<_> = folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    missing.into_iter().rev().filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// Creates the missing folders of a path and returns them, outermost first.
pub(super) fn make_folders(folder: &Path, mode: u32) -> Result<Vec<PathBuf>, Failure> {
    let made = missing_folders(folder);
    for folder in &made {
        let outcome = fs::create_dir(folder);
        outcome.map_err(|error| Failure::broken(format!("create {}", folder.display()), &error))?;
        // Best effort.
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(mode));
    }
    Ok(made)
}

/// All files below a folder, sorted; links are not followed.
pub(super) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    files.sort();
    files
}

/// Removes empty folders, innermost first.
pub(super) fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // Fails for a folder that is not empty.
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linked_file_is_changed_and_the_link_stays() {
        let folder = tempfile::tempdir().expect("folder");
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        fs::write(&real, "old").expect("written");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("rights");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        let file = SettingsFile::read(&link).expect("read");
        replace(&file.path, "new", 0o600).expect("replaced");
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("read"), "new");
        assert_eq!(fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
        let left: Vec<_> = fs::read_dir(folder.path()).expect("listed").collect();
        assert_eq!(left.len(), 2, "nothing else is left");
    }

    #[test]
    fn an_unusable_settings_file_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("bytes"), [0xff, 0xfe]).expect("written");
        fs::write(path("long"), vec![b' '; SETTINGS_BYTES_MAX + 1]).expect("written");
        std::os::unix::fs::symlink(path("nowhere"), path("dangling")).expect("linked");
        for (name, expected) in
            [("", "regular file"), ("bytes", "UTF-8"), ("long", "too large"), ("dangling", "link is broken")]
        {
            let refused = SettingsFile::read(&path(name)).expect_err(name).to_string();
            assert!(refused.contains(expected), "{refused}");
        }
        assert_eq!(SettingsFile::read(&path("none")).expect("none").text, None);
    }

    #[test]
    fn only_created_folders_are_removed() {
        let folder = tempfile::tempdir().expect("folder");
        let inner = folder.path().join("a/b");
        let made = make_folders(&inner, 0o700).expect("made");
        assert_eq!(made, [folder.path().join("a"), inner.clone()]);
        assert_eq!(make_folders(&inner, 0o700), Ok(Vec::new()));
        fs::write(folder.path().join("a/used"), "").expect("written");
        remove_empty(&made);
        assert!(!inner.exists() && folder.path().join("a/used").exists());
    }
}
