//! Migrations: each step brings the database forward by one version, and is never changed afterwards.

use rusqlite::Connection;

use super::text_index;

/// Why a database could not be brought to the version of this program.
#[derive(Debug, thiserror::Error)]
pub(super) enum MigrateError {
    #[error("the database has version {found}, this program knows versions up to {known}")]
    Newer { found: i64, known: i64 },
    #[error("migration to version {version}")]
    Step { version: i64, source: rusqlite::Error },
    #[error("read the version")]
    Version(#[from] rusqlite::Error),
}

/// The steps in order; the version of a database is the number of steps it has taken.
const STEPS: &[&str] = &[
    include_str!("migrations/0001_initial.sql"),
    include_str!("migrations/0002_streams.sql"),
    include_str!("migrations/0003_tokens.sql"),
    include_str!("migrations/0004_audit.sql"),
    include_str!("migrations/0005_calls.sql"),
    include_str!("migrations/0006_acting_tokens.sql"),
    include_str!("migrations/0007_runs.sql"),
    include_str!("migrations/0008_context.sql"),
    include_str!("migrations/0009_places.sql"),
];

/// The version from which on the index of words knows where a message is read.
const PLACES_MARKED: i64 = 9;

/// The newest version that this program knows.
pub(super) fn version_known() -> i64 {
    i64::try_from(STEPS.len()).expect("steps are few")
}

/// Takes the steps that are missing, each with its version in one transaction.
pub(super) fn migrate(db: &Connection) -> Result<(), MigrateError> {
    take_steps(db, STEPS)
}

fn take_steps(db: &Connection, steps: &[&str]) -> Result<(), MigrateError> {
    let known = i64::try_from(steps.len()).expect("steps are few");
    let found: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > known {
        return Err(MigrateError::Newer { found, known });
    }
    for (version, step) in (1..).zip(steps).filter(|(version, _)| *version > found) {
        take_step(db, version, step).map_err(|source| MigrateError::Step { version, source })?;
    }
    Ok(())
}

fn take_step(db: &Connection, version: i64, step: &str) -> rusqlite::Result<()> {
    let tx = db.unchecked_transaction()?;
    tx.execute_batch(step)?;
    if version == PLACES_MARKED {
        text_index::index_again(&tx)?;
    }
    tx.pragma_update(None, "user_version", version)?;
    tx.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(db: &Connection) -> i64 {
        db.pragma_query_value(None, "user_version", |row| row.get(0)).expect("version")
    }

    #[test]
    fn an_empty_file_takes_all_steps_once() {
        let db = Connection::open_in_memory().expect("memory");
        migrate(&db).expect("first");
        migrate(&db).expect("second");
        assert_eq!(version(&db), STEPS.len() as i64);
    }

    #[test]
    fn only_missing_steps_are_taken() {
        let db = Connection::open_in_memory().expect("memory");
        take_steps(&db, &["CREATE TABLE a (x)"]).expect("one");
        take_steps(&db, &["CREATE TABLE a (x)", "CREATE TABLE b (x)"]).expect("two");
        assert_eq!(version(&db), 2);
    }

    #[test]
    fn a_failed_step_leaves_the_version_before_it() {
        let db = Connection::open_in_memory().expect("memory");
        let error = take_steps(&db, &["CREATE TABLE a (x)", "CREATE TABLE b (x); nonsense"]).expect_err("bad step");
        assert!(matches!(error, MigrateError::Step { version: 2, .. }));
        assert_eq!(version(&db), 1);
        assert!(db.prepare("SELECT x FROM b").is_err());
    }

    #[test]
    fn a_newer_database_is_left_alone() {
        let db = Connection::open_in_memory().expect("memory");
        db.pragma_update(None, "user_version", 99).expect("version");
        assert!(matches!(migrate(&db), Err(MigrateError::Newer { found: 99, .. })));
    }

    #[test]
    fn the_declared_references_are_sound() {
        let db = Connection::open_in_memory().expect("memory");
        migrate(&db).expect("migrate");
        let mut check = db.prepare("PRAGMA foreign_key_check").expect("every reference names a table");
        assert!(!check.exists([]).expect("check"));
    }
}
