//! Settings: from flags, the environment, a file and defaults, in this order.
//!
//! The table in `settings/table.rs` defines them. Flags, variables, keys of `parlour.toml` and the page `docs/settings.md`
//! are generated from it.

mod client;
mod file;
mod flags;
mod issuer;
mod providers;
mod reference;
mod rerankers;
mod server;
mod sources;
mod table;

pub(crate) use client::{ClientSettings, ResolvedClient};
pub(crate) use flags::{Both, ForClients, ForServer, SettingFlags};
pub(crate) use issuer::IssuerSettings;
pub(crate) use providers::{KeyPlace, ProviderSettings};
pub(crate) use reference::reference_page;
pub(crate) use rerankers::RerankerSettings;
pub(crate) use server::{LogFormat, ServerSettings, parse_token};
pub(crate) use sources::{SettingOrigin, SettingSources};
pub(crate) use table::{PROFILE, PROJECT, TABLE, URL};

/// An invalid setting: its source and the reason.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {reason}")]
pub(crate) struct BadSetting {
    /// The flag, variable or key that was set.
    pub(crate) location: String,
    pub(crate) reason: String,
}
