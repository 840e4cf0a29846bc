//! What a command shows: one text, made whole and written once.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

pub(crate) mod length;
pub(crate) mod message;
pub(crate) mod moment;
pub(crate) mod plain;
pub(crate) mod question;
pub(crate) mod shell;
pub(crate) mod style;
pub(crate) mod table;

/// The answer of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    /// What goes to stdout.
    pub(crate) text: String,
    /// What the program ends with.
    pub(crate) exit: u8,
}

impl Output {
    /// A text that says that all is well.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), exit: 0 }
    }

    /// The API's own JSON, readable and ended by a line break.
    pub(crate) fn json(value: &impl Serialize) -> Result<Self, Failure> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Failure::broken("write JSON", &error))?;
        Ok(Self::text(text + "\n"))
    }

    /// Writes to stdout. A reader that has gone away, as `head` does, has seen enough: that is no failure.
    pub(crate) fn write(&self) {
        let mut stdout = io::stdout().lock();
        let _ = stdout.write_all(self.text.as_bytes()).and_then(|()| stdout.flush());
    }
}
