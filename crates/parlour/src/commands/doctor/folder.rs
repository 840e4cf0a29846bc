//! The data folder and the disk it is on.

use std::{io, path::Path};

use rustix::fs::{Access, access};

use super::check::Check;
use crate::data_folder::{Privacy, privacy, whole_path};

/// Below this the hub cannot be expected to run for long.
const FREE_BYTES_LOW: u64 = 1024 * MIB;
/// Below this it may stop at any moment.
const FREE_BYTES_BAD: u64 = 64 * MIB;
const MIB: u64 = 1024 * 1024;

/// Whether the folder is there, can be written to, and is private.
pub(super) fn check_folder(folder: &Path) -> Check {
    let shown = whole_path(folder);
    let shown = shown.display();
    let privacy = match privacy(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Check::note("data folder", format!("{shown} is not there yet; the first start makes it"));
        }
        Err(error) => return Check::bad("data folder", format!("{shown}: {error}")),
        Ok(privacy) => privacy,
    };
    if !folder.is_dir() {
        return Check::bad("data folder", format!("{shown} is no folder"));
    }
    if let Err(error) = may_write(folder) {
        return Check::bad("data folder", format!("{shown} cannot be written to: {error}"));
    }
    match privacy {
        Privacy::Private => Check::good("data folder", format!("{shown} can be written to, by you alone")),
        Privacy::OpenToOthers => {
            Check::warning("data folder", format!("other users can look into {shown}: chmod 700 '{shown}'"))
        }
    }
}

/// Asks the system and writes nothing: a doctor changes nothing.
fn may_write(folder: &Path) -> io::Result<()> {
    access(folder, Access::WRITE_OK | Access::EXEC_OK).map_err(io::Error::from)
}

/// How much room the disk has, where the folder is or will be.
pub(super) fn check_disk(folder: &Path) -> Check {
    let there = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    match rustix::fs::statvfs(there) {
        Err(error) => Check::warning("disk", format!("the free space is not known: {}", io::Error::from(error))),
        Ok(disk) => judge(disk.f_bavail.saturating_mul(disk.f_frsize)),
    }
}

/// The hub refuses posts when the disk is full; better to know before.
fn judge(free: u64) -> Check {
    let room = format!("{} MiB are free", free / MIB);
    match free {
        0..FREE_BYTES_BAD => Check::bad("disk", format!("only {room}; make room before the hub starts")),
        FREE_BYTES_BAD..FREE_BYTES_LOW => Check::warning("disk", format!("only {room}")),
        _ => Check::good("disk", room),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::commands::doctor::check::Verdict;

    #[test]
    fn a_folder_that_is_not_there_yet_is_no_fault() {
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
    fn a_file_in_its_place_is_bad() {
        let folder = tempfile::tempdir().expect("folder");
        let file = folder.path().join("data");
        fs::write(&file, "").expect("file");
        assert_eq!(check_folder(&file).verdict, Verdict::Bad);
    }

    #[test]
    fn little_room_is_said_before_it_is_too_late() {
        let verdicts = [0, FREE_BYTES_BAD, FREE_BYTES_LOW].map(|free| judge(free).verdict);
        assert_eq!(verdicts, [Verdict::Bad, Verdict::Warning, Verdict::Good]);
        assert_eq!(judge(2048 * MIB).detail, "2048 MiB are free");
    }
}
