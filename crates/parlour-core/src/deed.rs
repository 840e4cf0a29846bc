//! A deed: who does something, when and by which way. Every write carries one, for the log and the audit.

use crate::{Timestamp, author::Author, via::Via};

/// Who does something, when, and by which way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// Who does it.
    pub actor: Author,
    /// When.
    pub at: Timestamp,
    /// Through which surface, with which token.
    pub via: Via,
}

impl Deed {
    /// What the hub does by itself.
    pub fn of_host(at: Timestamp) -> Self {
        Self { actor: Author::host(), at, via: Via::default() }
    }
}
