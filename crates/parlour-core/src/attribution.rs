//! The attribution of a write: actor, time, surface and token. The event log and the audit log record it.

use serde::{Deserialize, Serialize};

use crate::{Timestamp, author::Author, origin::Origin};

/// Who makes a change, when, through which surface and with which token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribution {
    /// Who makes the change.
    pub actor: Author,
    /// The time of the change.
    pub at: Timestamp,
    /// The surface and the token.
    pub origin: Origin,
}

impl Attribution {
    /// The attribution of a change that the hub makes itself.
    pub fn of_host(at: Timestamp) -> Self {
        Self { actor: Author::host(), at, origin: Origin::default() }
    }
}
