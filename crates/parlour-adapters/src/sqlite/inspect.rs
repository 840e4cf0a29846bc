//! A look at a database that nobody is using. Nothing is changed, and nothing is migrated.

use std::path::Path;

use rusqlite::Connection;

use super::{FILE_NAME, OpenError, SqliteStore, connect, migrate};

/// A larger file is not looked through: that would take minutes.
const CHECK_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// What a look at a database has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The version that the database has.
    pub version: i64,
    /// The newest version that this program knows.
    pub version_known: i64,
    /// The size of the file.
    pub bytes: u64,
    /// Whether its structure was looked through; not so for very large files.
    pub is_checked: bool,
    /// What is damaged, in SQLite's words; a few at the most.
    pub faults: Vec<String>,
}

impl SqliteStore {
    /// Looks at the database in this folder; none when there is none yet. No hub may be running on it.
    pub fn inspect(folder: &Path) -> Result<Option<Inspection>, OpenError> {
        let path = folder.join(FILE_NAME);
        let Ok(about) = std::fs::metadata(&path) else { return Ok(None) };
        let look = |bytes| {
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
        look(about.len()).map(Some).map_err(|source| OpenError::Open { path: path.clone(), source })
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
    fn a_folder_without_a_database_has_nothing_to_look_at() {
        let folder = tempfile::tempdir().expect("folder");
        assert!(SqliteStore::inspect(folder.path()).expect("readable").is_none());
    }

    #[test]
    fn a_database_that_was_closed_is_sound() {
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
