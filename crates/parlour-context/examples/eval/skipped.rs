//! What stands in the place of a table that could not be made.

use std::path::Path;

use serde_json::{Value, json};

/// A table whose data is not there.
pub(crate) struct Skipped {
    name: &'static str,
    why: String,
}

impl Skipped {
    /// This table was looked for in this folder; an empty path means that none was named.
    pub(crate) fn new(name: &'static str, data: &Path) -> Self {
        let why = if data.as_os_str().is_empty() {
            "it needs data, and --data DIR does not say where it is".to_owned()
        } else {
            format!("its data is not in {}", data.display())
        };
        Self { name, why }
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        format!("{}: skipped, {}\n", self.name, self.why)
    }

    /// For programs: an entry like that of a table, without rows and with the reason.
    pub(crate) fn json(&self) -> Value {
        json!({ "name": self.name, "skipped": self.why })
    }
}
