//! A attribution: who does something, when and by which way. Every write carries one, for the log and the audit.

use crate::{Timestamp, author::Author, origin::Origin};

/// Who does something, when, and by which way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    /// Who does it.
    pub actor: Author,
    /// When.
    pub at: Timestamp,
    /// Through which surface, with which token.
    pub origin: Origin,
}

impl Attribution {
    /// What the hub does by itself.
    pub fn of_host(at: Timestamp) -> Self {
        Self { actor: Author::host(), at, origin: Origin::default() }
    }
}
