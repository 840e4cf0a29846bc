//! Who else gets at what the hub keeps.

use std::{io, path::Path};

use super::check::Check;
use crate::data_folder::{open_to_others, whole_path};

/// How many files are named before the rest is only counted.
const NAMES_MAX: usize = 3;

/// Whether everything in the data folder is for its owner alone. One command puts it right.
pub(super) fn check_rights(folder: &Path) -> Check {
    match open_to_others(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Check::note("files", "none yet"),
        Err(error) => Check::warning("files", format!("their rights cannot be looked at: {error}")),
        Ok(open) if open.is_empty() => Check::good("files", "all of them are for you alone"),
        Ok(open) => {
            let names: Vec<_> = open.iter().take(NAMES_MAX).map(|path| path.display().to_string()).collect();
            let more = if open.len() > NAMES_MAX { " and more" } else { "" };
            let shown = whole_path(folder);
            let repair = format!("chmod -R go-rwx '{}'", shown.display());
            Check::warning("files", format!("other users may get at {}{more}: {repair}", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;
    use crate::commands::doctor::check::Verdict;

    fn put(folder: &Path, name: &str, mode: u32) {
        fs::write(folder.join(name), "").expect("file");
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(mode)).expect("rights");
    }

    #[test]
    fn private_files_are_good_and_open_ones_are_named_with_the_repair() {
        let folder = tempfile::tempdir().expect("folder");
        put(folder.path(), "parlour.db", 0o600);
        assert_eq!(check_rights(folder.path()).verdict, Verdict::Good);
        put(folder.path(), "keys.json", 0o640);
        let check = check_rights(folder.path());
        assert_eq!(check.verdict, Verdict::Warning);
        assert!(check.detail.starts_with("other users may get at keys.json: chmod -R go-rwx '/"), "{}", check.detail);
    }

    #[test]
    fn of_many_open_files_a_few_are_named() {
        let folder = tempfile::tempdir().expect("folder");
        for name in ["a", "b", "c", "d"] {
            put(folder.path(), name, 0o644);
        }
        assert!(check_rights(folder.path()).detail.contains("a, b, c and more: "));
    }

    #[test]
    fn a_folder_that_is_not_there_yet_is_no_fault() {
        assert_eq!(check_rights(Path::new("no-such-folder")).verdict, Verdict::Note);
    }
}
