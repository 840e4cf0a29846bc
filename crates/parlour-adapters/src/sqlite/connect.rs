//! Connections to the database file.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

/// The maximum wait for a lock of another process.
const BUSY_MS_MAX: u64 = 5_000;

/// Prepared statements in the cache of a connection; more than the store has.
const STATEMENTS_MAX: usize = 256;

/// Pages of the write-ahead log that trigger a checkpoint.
const WAL_PAGES: i64 = 4_000;

/// The page cache of a connection; SQLite takes a negative number as KiB.
const CACHE_KIB: i64 = -16_384;

/// Opens the only writing connection; creates a missing file.
pub(super) fn open_writer(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    set_up(&db)?;
    db.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // Acknowledged means durable: every commit waits for the disk.
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update_and_check(None, "wal_autocheckpoint", WAL_PAGES, |_| Ok(()))?;
    Ok(db)
}

/// Opens a connection that can only read.
pub(super) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    // Not opened as read-only: a reader may have to recover the write-ahead log's index.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    set_up(&db)?;
    db.pragma_update(None, "query_only", true)?;
    Ok(db)
}

/// Limits the size of the database file.
pub(super) fn limit_size(writer: &Connection, bytes_max: u64) -> rusqlite::Result<()> {
    let page_bytes: i64 = writer.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages_max = i64::try_from(bytes_max).unwrap_or(i64::MAX) / page_bytes;
    writer.pragma_update_and_check(None, "max_page_count", pages_max.clamp(1, i64::from(u32::MAX) - 2), |_| Ok(()))
}

fn set_up(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(Duration::from_millis(BUSY_MS_MAX))?;
    db.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    db.pragma_update(None, "cache_size", CACHE_KIB)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    // Query plans must not depend on parameter values; otherwise SQLite plans again for each value.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // Every write looks up its references itself; foreign keys would double the cost of a post.
    db.pragma_update(None, "foreign_keys", false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pragma<T: rusqlite::types::FromSql>(db: &Connection, name: &str) -> T {
        db.pragma_query_value(None, name, |row| row.get(0)).expect(name)
    }

    #[test]
    fn the_writer_syncs_every_commit_of_its_log() {
        let folder = tempfile::tempdir().expect("folder");
        let db = open_writer(&folder.path().join("x.db")).expect("open");
        assert_eq!(pragma::<String>(&db, "journal_mode"), "wal");
        assert_eq!(pragma::<i64>(&db, "synchronous"), 2, "2 is FULL");
    }

    #[test]
    fn query_plans_do_not_depend_on_parameter_values() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("x.db");
        for db in [open_writer(&path).expect("writer"), open_reader(&path).expect("reader")] {
            assert!(db.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG).expect("setting"));
        }
    }

    #[test]
    fn a_reader_cannot_write() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("x.db");
        open_writer(&path).expect("open").execute_batch("CREATE TABLE x (y)").expect("table");
        let reader = open_reader(&path).expect("open");
        assert!(reader.execute_batch("INSERT INTO x VALUES (1)").is_err());
    }
}
