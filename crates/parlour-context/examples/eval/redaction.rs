//! Secrets found, and false alarms.

use std::path::Path;

use super::table::Table;

/// The table.
pub(crate) fn table(data: &Path) -> Option<Table> {
    let _ = data;
    None
}
