//! The attribution of a write: actor, time, surface and token. The event log and the audit log record it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{Refusal, Timestamp, author::Author, id::TokenId};

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

macro_rules! surfaces {
    ($($variant:ident = $text:literal, $meaning:literal;)+) => {
        /// A protocol or an inner part of the hub through which something was done.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum Surface {
            /// The hub by itself.
            #[default]
            Host,
            $(#[doc = $meaning] $variant),+
        }

        impl Surface {
            /// All surfaces.
            pub const ALL: &'static [Self] = &[Self::Host, $(Self::$variant),+];

            /// The name of the surface in the audit log.
            pub fn as_str(self) -> &'static str {
                match self { Self::Host => "host", $(Self::$variant => $text),+ }
            }
        }
    };
}

surfaces! {
    Http = "http", "The native HTTP routes.";
    Events = "events", "Server-sent events.";
    Live = "live", "The native WebSocket.";
    Engine = "engine", "An agent that the hub runs itself.";
    Mcp = "mcp", "The tools and resources of MCP.";
}

impl fmt::Display for Surface {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Surface {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let found = Self::ALL.iter().copied().find(|surface| surface.as_str() == text);
        found.ok_or_else(|| Refusal::out_of_bounds(format!("{text:?} is not a surface")))
    }
}

/// Through which surface and with which token something was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The surface.
    pub surface: Surface,
    /// The token; absent if the hub acts by itself, or before authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<TokenId>,
}
