//! The database, when nobody is using it.

use std::path::Path;

use parlour_adapters::{Inspection, SqliteStore};

use super::check::Check;
use crate::{failure::chain, folder_lock::Holder};

/// Whether the database can be opened, fits this program, and is sound.
pub(super) fn check_database(folder: &Path, holder: Option<&Holder>) -> Check {
    if holder.is_some() {
        return Check::note("database", "in use by the hub, so it was not opened");
    }
    match SqliteStore::inspect(folder) {
        Ok(None) => Check::note("database", "none yet; the first start makes it"),
        Ok(Some(inspection)) => judge(&inspection),
        Err(error) => Check::bad("database", chain(&error)),
    }
}

/// A newer database before a damaged one: its structure may be unknown to this program.
fn judge(found: &Inspection) -> Check {
    let about = format!("version {}, {} KiB", found.version, found.bytes / 1024);
    if found.version > found.version_known {
        let known = found.version_known;
        return Check::bad("database", format!("{about}: made by a newer Parlour, this one knows version {known}"));
    }
    match (&found.faults[..], found.is_checked) {
        ([first, ..], _) => Check::bad("database", format!("{about}: damaged: {first}; restore a backup")),
        ([], true) => Check::good("database", format!("{about}, sound")),
        ([], false) => Check::note("database", format!("{about}; too large to look through here")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::check::Verdict;

    fn sound() -> Inspection {
        Inspection { version: 1, version_known: 1, bytes: 4096, is_checked: true, faults: Vec::new() }
    }

    #[test]
    fn a_sound_database_is_good() {
        assert_eq!(judge(&sound()).detail, "version 1, 4 KiB, sound");
    }

    #[test]
    fn damage_and_a_newer_version_are_bad() {
        let damaged = Inspection { faults: vec!["row 7 missing".into()], ..sound() };
        assert_eq!(judge(&damaged).verdict, Verdict::Bad);
        assert_eq!(judge(&Inspection { version: 2, ..sound() }).verdict, Verdict::Bad);
    }

    #[test]
    fn a_database_that_was_not_looked_through_is_not_called_sound() {
        let check = judge(&Inspection { is_checked: false, ..sound() });
        assert!(check.verdict == Verdict::Note && !check.detail.contains("sound"));
    }

    #[test]
    fn a_database_in_use_is_left_in_peace() {
        let holder = Holder { pid: 1, url: None };
        assert_eq!(check_database(Path::new("nowhere"), Some(&holder)).verdict, Verdict::Note);
    }

    #[test]
    fn an_empty_folder_has_none_yet_and_nonsense_is_bad() {
        let folder = tempfile::tempdir().expect("folder");
        assert_eq!(check_database(folder.path(), None).verdict, Verdict::Note);
        std::fs::write(folder.path().join("parlour.db"), "this is no database, whatever its name says".repeat(40))
            .expect("file");
        assert_eq!(check_database(folder.path(), None).verdict, Verdict::Bad);
    }
}
