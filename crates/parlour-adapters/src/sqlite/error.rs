//! Errors of the store, and their conversion to failures of the port.

use std::error::Error;

use parlour_core::{Code, Refusal};
use parlour_hub::{Failure, Fault};
use rusqlite::ErrorCode;

pub(super) type StoreResult<T> = Result<T, StoreError>;

/// Why a read or write failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum StoreError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("SQLite failed")]
    Sqlite(#[from] rusqlite::Error),
    /// The database contains a value that this program never writes.
    #[error("unreadable value: {0}")]
    Unreadable(String),
    /// SQLite rolled back the whole transaction, with all writes of the group.
    #[error("the transaction was lost: {0}")]
    TransactionLost(String),
}

impl StoreError {
    /// The failure of a read. A read needs no disk space, so it is never `StoreUnavailable`.
    pub(super) fn into_read_failure(self, operation: &str) -> Failure {
        match self {
            Self::Refused(refusal) => refusal.into(),
            error => Fault::new(operation, error).into(),
        }
    }

    /// The failure of a write.
    pub(super) fn into_failure(self, operation: String) -> Failure {
        match self {
            Self::Refused(refusal) => refusal.into(),
            error if error.is_unavailable() => unavailable().into(),
            error => Fault::new(operation, error).into(),
        }
    }

    /// The error and its causes in one line, for the log.
    pub(super) fn chain(&self) -> String {
        match self.source() {
            Some(source) => format!("{self}: {source}"),
            None => self.to_string(),
        }
    }

    /// Whether the disk caused the error: the same write may succeed later.
    pub(super) fn is_unavailable(&self) -> bool {
        let Self::Sqlite(rusqlite::Error::SqliteFailure(error, _)) = self else { return false };
        matches!(
            error.code,
            ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::PermissionDenied
        )
    }
}

/// The refusal of a write that the disk did not accept.
pub(super) fn unavailable() -> Refusal {
    Refusal::new(Code::StoreUnavailable, "the store could not write to its disk; nothing was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(code: i32) -> StoreError {
        rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None).into()
    }

    #[test]
    fn a_full_disk_is_retryable_and_a_constraint_violation_is_a_fault() {
        for code in [rusqlite::ffi::SQLITE_FULL, rusqlite::ffi::SQLITE_IOERR, rusqlite::ffi::SQLITE_BUSY] {
            let failure = failed(code).into_failure("append".into());
            assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::StoreUnavailable));
        }
        let failure = failed(rusqlite::ffi::SQLITE_CONSTRAINT).into_failure("append".into());
        assert!(matches!(failure, Failure::Fault(_)));
    }

    #[test]
    fn the_text_for_the_caller_contains_no_database_error() {
        let failure = failed(rusqlite::ffi::SQLITE_CORRUPT).into_failure("read a message".into());
        assert_eq!(failure.to_string(), "read a message");
    }
}
