//! Rows of the database as values of the core.

use std::str::FromStr;

use parlour_core::{Refusal, Timestamp};
use rusqlite::Row;
use serde::{Serialize, de::DeserializeOwned};

use super::error::{StoreError, StoreResult};

pub(super) mod author;
pub(super) mod call;
pub(super) mod codes;
pub(super) mod conversation;
pub(super) mod delivery;
pub(super) mod event;
pub(super) mod invite;
pub(super) mod member;
pub(super) mod message;
pub(super) mod project;
pub(super) mod run;
pub(super) mod timeline_entry;
pub(super) mod token;

/// Reads columns as values of the core.
pub(super) trait ReadColumn {
    /// A text that is parsed and validated, such as an id or a name.
    fn parsed<T: FromStr<Err = Refusal>>(&self, column: usize) -> StoreResult<T>;

    /// Like `parsed`, for a column that may be NULL.
    fn parsed_opt<T: FromStr<Err = Refusal>>(&self, column: usize) -> StoreResult<Option<T>>;

    /// A timestamp in milliseconds.
    fn time(&self, column: usize) -> StoreResult<Timestamp>;

    /// Like `time`, for a column that may be NULL.
    fn time_opt(&self, column: usize) -> StoreResult<Option<Timestamp>>;

    /// A number that is never negative.
    fn count(&self, column: usize) -> StoreResult<u64>;

    /// A value stored as JSON.
    fn json<T: DeserializeOwned>(&self, column: usize) -> StoreResult<T>;

    /// Like `json`, for a column that may be NULL.
    fn json_opt<T: DeserializeOwned>(&self, column: usize) -> StoreResult<Option<T>>;
}

impl ReadColumn for Row<'_> {
    fn parsed<T: FromStr<Err = Refusal>>(&self, column: usize) -> StoreResult<T> {
        self.parsed_opt(column)?.ok_or_else(|| StoreError::Unreadable(format!("nothing in column {column}")))
    }

    fn parsed_opt<T: FromStr<Err = Refusal>>(&self, column: usize) -> StoreResult<Option<T>> {
        let text = self.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from)?;
        text.map(str::parse).transpose().map_err(|refusal: Refusal| StoreError::Unreadable(refusal.detail))
    }

    fn time(&self, column: usize) -> StoreResult<Timestamp> {
        Ok(Timestamp::from_millis(self.get(column)?))
    }

    fn time_opt(&self, column: usize) -> StoreResult<Option<Timestamp>> {
        Ok(self.get::<_, Option<i64>>(column)?.map(Timestamp::from_millis))
    }

    fn count(&self, column: usize) -> StoreResult<u64> {
        let number: i64 = self.get(column)?;
        u64::try_from(number).map_err(|_| StoreError::Unreadable(format!("{number} in column {column}")))
    }

    fn json<T: DeserializeOwned>(&self, column: usize) -> StoreResult<T> {
        from_json(self.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
    }

    fn json_opt<T: DeserializeOwned>(&self, column: usize) -> StoreResult<Option<T>> {
        self.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from)?.map(from_json).transpose()
    }
}

/// Parses a value that was stored as JSON.
pub(super) fn from_json<T: DeserializeOwned>(json: &str) -> StoreResult<T> {
    serde_json::from_str(json).map_err(|error| StoreError::Unreadable(error.to_string()))
}

/// Serialises a value as JSON for the database.
pub(super) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("values of the core are plain data")
}
