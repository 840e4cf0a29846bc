//! Inspection of a database that no hub uses. It changes and migrates nothing.

use std::path::Path;

use rusqlite::Connection;

use super::{FILE_NAME, OpenError, SqliteStore, connect, migrate};

/// The structure of a larger file is not checked, because that would take minutes.
const CHECK_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// The result of an inspection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The version of the database.
    pub version: i64,
    /// The newest version that this program supports.
    pub version_known: i64,
    /// The size of the file.
    pub bytes: u64,
    /// Whether the structure was checked; false for very large files.
    pub is_checked: bool,
    /// Up to five errors that SQLite reports.
    pub faults: Vec<String>,
}

impl SqliteStore {
    /// Inspects the database in this folder, if there is one. No hub may be using it.
    pub fn inspect(folder: &Path) -> Result<Option<Inspection>, OpenError> {
        let path = folder.join(FILE_NAME);
        let Ok(metadata) = std::fs::metadata(&path) else { return Ok(None) };
        let inspect = |bytes| {
            let db = connect::open_reader(&path)?;
            let is_checked = bytes <= CHECK_BYTES_MAX;
            Ok(Inspection {
                version: db.pragma_query_value(None, "user_version", |row| row.get(0))?,
                version_known: migrate::version_known(),
                bytes,
                is_checked,
                faults: if is_checked { faults(&db)? } else { Vec::new() },
            })
        };
        inspect(metadata.len()).map(Some).map_err(|source| OpenError::Open { path: path.clone(), source })
    }
}

fn faults(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut check = db.prepare("PRAGMA quick_check(5)")?;
    let found: Vec<String> = check.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(found.into_iter().filter(|line| line != "ok").collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::SqliteOptions;

    #[test]
    fn a_folder_without_a_database_has_no_inspection() {
        let folder = tempfile::tempdir().expect("folder");
        assert!(SqliteStore::inspect(folder.path()).expect("readable").is_none());
    }

    #[test]
    fn a_closed_database_has_no_faults() {
        let folder = tempfile::tempdir().expect("folder");
        SqliteStore::open(folder.path(), SqliteOptions::default()).expect("opened").close();
        let found = SqliteStore::inspect(folder.path()).expect("readable").expect("there");
        assert!(found.is_checked && found.faults.is_empty() && found.bytes > 0, "{found:?}");
        assert_eq!(found.version, found.version_known);
    }

    #[test]
    fn a_file_that_is_no_database_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        fs::write(folder.path().join(FILE_NAME), "not a database at all. ".repeat(100)).expect("file");
        assert!(matches!(SqliteStore::inspect(folder.path()), Err(OpenError::Open { .. })));
    }
}
