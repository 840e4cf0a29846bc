//! The output of commands: text and exit code.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

pub(crate) mod length;
pub(crate) mod local_time;
pub(crate) mod message;
pub(crate) mod plain;
pub(crate) mod question;
pub(crate) mod shell;
pub(crate) mod style;
pub(crate) mod table;

/// The output of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) exit: u8,
}

impl Output {
    /// A text with exit code 0.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), exit: 0 }
    }

    /// The value as indented JSON.
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, Failure> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Failure::broken("write JSON", &error))?;
        Ok(Self::text(text + "\n"))
    }

    /// Writes to stdout. A closed pipe, as with `head`, is not an error.
    pub(crate) fn write(&self) {
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(self.text.as_bytes()).and_then(|()| stdout.flush());
    }
}
