//! Connections to the database file, set up alike.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

/// How long a connection waits for a lock that another process holds.
const BUSY_MS_MAX: u64 = 5_000;

/// Prepared statements that a connection keeps; more than the store has.
const STATEMENTS_MAX: usize = 256;

/// Pages of the write-ahead log after which its content moves into the database file.
const WAL_PAGES: i64 = 4_000;

/// Memory of one connection for pages, in KiB; SQLite reads a negative number so.
const CACHE_KIB: i64 = -16_384;

/// Opens the only connection that writes, and makes the file when there is none.
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

/// Lets the file of this connection grow to this size and no further.
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
    // A plan must not depend on the values of a statement, or SQLite makes it anew for each of them.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // Every write looks its things up by itself; checking again would double the cost of a post.
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
    fn plans_do_not_depend_on_values() {
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
