//! How work on the database fails, and what the caller is told of it.

use std::error::Error;

use parlour_core::{Code, Refusal};
use parlour_hub::{Failure, Fault};
use rusqlite::ErrorCode;

/// The outcome of one read or write.
pub(super) type StoreResult<T> = Result<T, StoreError>;

/// Why a read or write was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum StoreError {
    /// An expected no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// SQLite could not do it.
    #[error("SQLite failed")]
    Sqlite(#[from] rusqlite::Error),
    /// The database holds something that this program never writes.
    #[error("unreadable value: {0}")]
    Unreadable(String),
    /// SQLite has given up the whole transaction, and with it all writes of the group.
    #[error("the transaction was lost: {0}")]
    TransactionLost(String),
}

impl StoreError {
    /// The failure of a read: reading needs no room on the disk, so only the request can be refused.
    pub(super) fn into_read_failure(self, operation: &str) -> Failure {
        match self {
            Self::Refused(refusal) => refusal.into(),
            error => Fault::new(operation, error).into(),
        }
    }

    /// The failure of a write, as the port speaks of it.
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

    /// Whether the disk, and not the request, is to blame: the same write may succeed later.
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

/// Nothing can be stored at the moment.
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
    fn a_full_disk_is_retryable_and_a_broken_rule_is_a_fault() {
        for code in [rusqlite::ffi::SQLITE_FULL, rusqlite::ffi::SQLITE_IOERR, rusqlite::ffi::SQLITE_BUSY] {
            let failure = failed(code).into_failure("append".into());
            assert_eq!(failure.refusal().map(|refusal| refusal.code), Some(Code::StoreUnavailable));
        }
        let failure = failed(rusqlite::ffi::SQLITE_CONSTRAINT).into_failure("append".into());
        assert!(matches!(failure, Failure::Fault(_)));
    }

    #[test]
    fn the_callers_text_holds_nothing_of_the_database() {
        let failure = failed(rusqlite::ffi::SQLITE_CORRUPT).into_failure("read a message".into());
        assert_eq!(failure.to_string(), "read a message");
    }
}
