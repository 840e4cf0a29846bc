//! Checks of the data folder: access, permissions, disk and database.

use std::{io, path::Path};

use parlour_adapters::{Inspection, SqliteStore};
use rustix::fs::{Access, access};

use super::CheckResult;
use crate::{
    data_folder::{Privacy, open_to_others, privacy, whole_path},
    failure::chain,
    folder_lock::Holder,
};

/// Free space for a warning.
const FREE_BYTES_LOW: u64 = 1024 * MIB;
/// Free space for a failed check.
const FREE_BYTES_BAD: u64 = 64 * MIB;
const MIB: u64 = 1024 * 1024;

/// Checks that the folder exists, is writable and private.
pub(super) fn check_folder(folder: &Path) -> CheckResult {
    let shown = whole_path(folder);
    let shown = shown.display();
    let privacy = match privacy(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return CheckResult::note("data folder", format!("{shown} does not exist yet; the first start creates it"));
        }
        Err(error) => return CheckResult::bad("data folder", format!("{shown}: {error}")),
        Ok(privacy) => privacy,
    };
    if !folder.is_dir() {
        return CheckResult::bad("data folder", format!("{shown} is not a folder"));
    }
    if let Err(error) = may_write(folder) {
        return CheckResult::bad("data folder", format!("{shown} is not writable: {error}"));
    }
    match privacy {
        Privacy::Private => CheckResult::good("data folder", format!("{shown}, writable, accessible to you only")),
        Privacy::OpenToOthers => {
            CheckResult::warning("data folder", format!("other users can access {shown}; run: chmod 700 '{shown}'"))
        }
    }
}

/// Uses `access`, because checks write nothing.
fn may_write(folder: &Path) -> io::Result<()> {
    access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(io::Error::from)
}

/// Checks the free space of the disk of the folder.
pub(super) fn check_disk(folder: &Path) -> CheckResult {
    let there = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    match rustix::fs::statvfs(there) {
        Err(error) => CheckResult::warning("disk", format!("cannot read the free space: {}", io::Error::from(error))),
        Ok(disk) => judge_disk(disk.f_bavail.saturating_mul(disk.f_frsize)),
    }
}

fn judge_disk(free: u64) -> CheckResult {
    let room = format!("{} MiB free", free / MIB);
    match free {
        0..FREE_BYTES_BAD => CheckResult::bad("disk", format!("only {room}; free space before you start the hub")),
        FREE_BYTES_BAD..FREE_BYTES_LOW => CheckResult::warning("disk", format!("only {room}")),
        _ => CheckResult::good("disk", room),
    }
}

const NAMES_MAX: usize = 3;

/// Checks that only the owner has access to the files of the data folder.
pub(super) fn check_rights(folder: &Path) -> CheckResult {
    match open_to_others(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => CheckResult::note("files", "none yet"),
        Err(error) => CheckResult::warning("files", format!("cannot read the permissions: {error}")),
        Ok(open) if open.is_empty() => CheckResult::good("files", "accessible to you only"),
        Ok(open) => {
            let names: Vec<_> = open.iter().take(NAMES_MAX).map(|path| path.display().to_string()).collect();
            let more = if open.len() > NAMES_MAX { " and more" } else { "" };
            let shown = whole_path(folder);
            let repair = format!("chmod -R go-rwx '{}'", shown.display());
            CheckResult::warning("files", format!("other users can access {}{more}; run: {repair}", names.join(", ")))
        }
    }
}

/// Checks that the database can be opened, has a supported version and passes the integrity check.
pub(super) fn check_database(folder: &Path, holder: Option<&Holder>) -> CheckResult {
    if holder.is_some() {
        return CheckResult::note("database", "not checked: the running hub uses it");
    }
    match SqliteStore::inspect(folder) {
        Ok(None) => CheckResult::note("database", "none yet; the first start creates it"),
        Ok(Some(inspection)) => judge_database(&inspection),
        Err(error) => CheckResult::bad("database", chain(&error)),
    }
}

/// The version first: a newer schema may look damaged.
fn judge_database(found: &Inspection) -> CheckResult {
    let about = format!("version {}, {} KiB", found.version, found.bytes / 1024);
    if found.version > found.version_known {
        let known = found.version_known;
        return CheckResult::bad(
            "database",
            format!("{about}: created by a newer Parlour; this one supports up to version {known}"),
        );
    }
    match (&found.faults[..], found.is_checked) {
        ([first, ..], _) => CheckResult::bad("database", format!("{about}: corrupted: {first}; restore a backup")),
        ([], true) => CheckResult::good("database", format!("{about}, integrity check passed")),
        ([], false) => CheckResult::note("database", format!("{about}; too large for the integrity check")),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::commands::doctor::Verdict;

    #[test]
    fn a_missing_folder_is_ok() {
        let parent = tempfile::tempdir().expect("folder");
        let check = check_folder(&parent.path().join("data"));
        assert_eq!(check.verdict, Verdict::Note);
        assert_eq!(check_disk(&parent.path().join("a/b/c")).name, "disk");
    }

    #[test]
    fn a_private_folder_is_good_and_an_open_one_is_a_warning() {
        let folder = tempfile::tempdir().expect("folder");
        let verdict = |mode| {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("rights");
            check_folder(folder.path()).verdict
        };
        assert_eq!((verdict(0o700), verdict(0o755)), (Verdict::Good, Verdict::Warning));
    }

    #[test]
    fn a_file_at_the_path_of_the_folder_is_an_error() {
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("data");
        fs::write(&file, "").expect("file");
        assert_eq!(check_folder(&file).verdict, Verdict::Bad);
    }

    #[test]
    fn little_disk_space_is_a_warning() {
        let verdicts = [0, FREE_BYTES_BAD, FREE_BYTES_LOW].map(|free| judge_disk(free).verdict);
        assert_eq!(verdicts, [Verdict::Bad, Verdict::Warning, Verdict::Good]);
        assert_eq!(judge_disk(2048 * MIB).detail, "2048 MiB free");
    }

    fn put(folder: &Path, name: &str, mode: u32) {
        fs::write(folder.join(name), "").expect("file");
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).expect("rights");
    }

    #[test]
    fn open_files_are_named_with_a_remedy() {
        let folder = tempfile::tempdir().expect("folder");
        put(folder.path(), "parlour.db", 0o600);
        assert_eq!(check_rights(folder.path()).verdict, Verdict::Good);
        put(folder.path(), "keys.json", 0o640);
        let check = check_rights(folder.path());
        assert_eq!(check.verdict, Verdict::Warning);
        assert!(
            check.detail.starts_with("other users can access keys.json; run: chmod -R go-rwx '/"),
            "{}",
            check.detail
        );
    }

    #[test]
    fn only_the_first_of_many_open_files_are_named() {
        let folder = tempfile::tempdir().expect("folder");
        for name in ["a", "b", "c", "d"] {
            put(folder.path(), name, 0o644);
        }
        assert!(check_rights(folder.path()).detail.contains("a, b, c and more; run: "));
    }

    #[test]
    fn the_rights_of_a_missing_folder_are_not_checked() {
        assert_eq!(check_rights(Path::new("no-such-folder")).verdict, Verdict::Note);
    }

    fn intact() -> Inspection {
        Inspection { version: 1, version_known: 1, bytes: 4096, is_checked: true, faults: Vec::new() }
    }

    #[test]
    fn an_intact_database_is_ok() {
        assert_eq!(judge_database(&intact()).detail, "version 1, 4 KiB, integrity check passed");
    }

    #[test]
    fn a_damaged_or_newer_database_is_an_error() {
        let damaged = Inspection { faults: vec!["row 7 missing".into()], ..intact() };
        assert_eq!(judge_database(&damaged).verdict, Verdict::Bad);
        assert_eq!(judge_database(&Inspection { version: 2, ..intact() }).verdict, Verdict::Bad);
    }

    #[test]
    fn an_unchecked_database_is_not_reported_as_intact() {
        let check = judge_database(&Inspection { is_checked: false, ..intact() });
        assert!(check.verdict == Verdict::Note && !check.detail.contains("passed"));
    }

    #[test]
    fn a_database_in_use_is_not_checked() {
        let holder = Holder { pid: 1, url: None };
        assert_eq!(check_database(Path::new("nowhere"), Some(&holder)).verdict, Verdict::Note);
    }

    #[test]
    fn a_missing_database_is_ok_and_an_invalid_file_is_an_error() {
        let folder = tempfile::tempdir().expect("folder");
        assert_eq!(check_database(folder.path(), None).verdict, Verdict::Note);
        std::fs::write(folder.path().join("parlour.db"), "this is no database, whatever its name says".repeat(40))
            .expect("file");
        assert_eq!(check_database(folder.path(), None).verdict, Verdict::Bad);
    }
}
