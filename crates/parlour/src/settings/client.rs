//! What a command needs to know before it calls a hub.

use super::{
    BadSetting,
    flags::Scope,
    server::parse_token,
    sources::Sources,
    table::{PROJECT, TOKEN, URL},
};

/// The settings of a command that talks to a hub.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ClientSettings {
    pub(crate) url: String,
    pub(crate) token: Option<String>,
    /// A name or an id.
    pub(crate) project: Option<String>,
}

impl ClientSettings {
    /// Reads them. Whether the address is one is for the client to say.
    pub(crate) fn read<S: Scope>(sources: &Sources<'_, S>) -> Result<Self, BadSetting> {
        Ok(Self {
            url: sources.find(&URL)?.expect("this setting has a default").text,
            token: sources.read(&TOKEN, parse_token)?,
            project: sources.find(&PROJECT)?.map(|found| found.text),
        })
    }
}
