//! Settings: read from flags, the environment and a file, in this order, with a default for the rest.
//!
//! The table in `settings/table.rs` is the one place that knows them. Flags, variables, keys of `parlour.toml` and the
//! page `docs/settings.md` all follow from it.

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

pub(crate) use client::ClientSettings;
pub(crate) use flags::{Both, Flags, ForClients, ForServer};
pub(crate) use issuer::IssuerSettings;
pub(crate) use providers::{KeyPlace, ProviderSettings};
pub(crate) use reference::reference_page;
pub(crate) use rerankers::RerankerSettings;
pub(crate) use server::{LogFormat, ServerSettings};
pub(crate) use sources::Sources;
pub(crate) use table::TABLE;

/// A setting that cannot be taken: which one, where it came from, and what would be right.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub(crate) struct BadSetting {
    /// The flag, variable or key, as its user wrote it.
    pub(crate) place: String,
    /// What is wrong, and what is expected.
    pub(crate) reason: String,
}
