//! Migrations: each step upgrades the database by one version and is never edited.

use parlour_core::text::is_unspaced_script;
use rusqlite::Connection;

use super::text_index;

/// Why a database could not be migrated.
#[derive(Debug, thiserror::Error)]
pub(super) enum MigrateError {
    #[error("the database has version {found}, this program knows versions up to {known}")]
    Newer { found: i64, known: i64 },
    #[error("migration to version {version}")]
    Step { version: i64, source: rusqlite::Error },
    #[error("read the version")]
    Version(#[from] rusqlite::Error),
}

/// The steps in order; the version of a database is the number of applied steps.
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
    include_str!("migrations/0010_starts.sql"),
    include_str!("migrations/0011_unspaced_words.sql"),
];

/// The version that adds the marks of access roots to the text index.
const ACCESS_ROOTS_MARKED: i64 = 9;

/// The version that splits runs of unspaced scripts in the text index.
const UNSPACED_RUNS_SPLIT: i64 = 11;

/// The newest version that this program supports.
pub(super) fn version_known() -> i64 {
    i64::try_from(STEPS.len()).expect("steps are few")
}

/// Applies the missing steps, each with its version in one transaction.
pub(super) fn migrate(db: &Connection) -> Result<(), MigrateError> {
    apply_steps(db, STEPS)
}

fn apply_steps(db: &Connection, steps: &[&str]) -> Result<(), MigrateError> {
    let known = i64::try_from(steps.len()).expect("steps are few");
    let found: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > known {
        return Err(MigrateError::Newer { found, known });
    }
    for (version, step) in (1..).zip(steps).filter(|(version, _)| *version > found) {
        apply_step(db, version, step).map_err(|source| MigrateError::Step { version, source })?;
    }
    Ok(())
}

fn apply_step(db: &Connection, version: i64, step: &str) -> rusqlite::Result<()> {
    let tx = db.unchecked_transaction()?;
    tx.execute_batch(step)?;
    match version {
        ACCESS_ROOTS_MARKED => text_index::reindex(&tx, |_| true)?,
        UNSPACED_RUNS_SPLIT => text_index::reindex(&tx, |body| body.contains(is_unspaced_script))?,
        _ => {}
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
    fn all_steps_are_applied_to_an_empty_file_once() {
        let db = Connection::open_in_memory().expect("memory");
        migrate(&db).expect("first");
        migrate(&db).expect("second");
        assert_eq!(version(&db), STEPS.len() as i64);
    }

    #[test]
    fn only_missing_steps_are_applied() {
        let db = Connection::open_in_memory().expect("memory");
        apply_steps(&db, &["CREATE TABLE a (x)"]).expect("one");
        apply_steps(&db, &["CREATE TABLE a (x)", "CREATE TABLE b (x)"]).expect("two");
        assert_eq!(version(&db), 2);
    }

    #[test]
    fn a_failed_step_keeps_the_previous_version() {
        let db = Connection::open_in_memory().expect("memory");
        let error = apply_steps(&db, &["CREATE TABLE a (x)", "CREATE TABLE b (x); nonsense"]).expect_err("bad step");
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
    fn all_foreign_keys_are_valid() {
        let db = Connection::open_in_memory().expect("memory");
        migrate(&db).expect("migrate");
        let mut check = db.prepare("PRAGMA foreign_key_check").expect("every reference names a table");
        assert!(!check.exists([]).expect("check"));
    }
}
