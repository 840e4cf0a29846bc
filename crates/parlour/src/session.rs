//! The connection of a command to the hub, and its output options.

use std::env;

use clap::Args;
use parlour_agent::{Client, ClientOptions, TlsOptions};
use serde::Serialize;

use crate::{
    failure::Failure,
    output::{
        Output,
        local_time::LocalTime,
        message::MessageView,
        style::{Emphasis, Style},
    },
    settings::{ClientSettings, ForClients, SettingFlags, SettingSources},
};

/// The flags of every client command.
#[derive(Args, Clone, Debug)]
pub(crate) struct Connection {
    /// Print the JSON of the API
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flags: SettingFlags<ForClients>,
}

/// A configured client. Creating it sends nothing.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// Name or id as given by the user.
    pub(crate) wanted_project: Option<String>,
    pub(crate) style: Style,
    pub(crate) local_time: LocalTime,
    pub(crate) is_json: bool,
    tls: TlsOptions,
}

impl Connection {
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    pub(crate) fn settings(&self) -> Result<ClientSettings, Failure> {
        Ok(ClientSettings::read(&SettingSources::open(&self.flags, &|name| env::var_os(name))?)?)
    }

    /// Reads the settings and creates the client.
    pub(crate) fn open(&self) -> Result<Session, Failure> {
        let settings = self.settings()?;
        if !settings.has_credential() {
            return Err(no_token());
        }
        Ok(Session {
            client: Client::with_options(&settings.url, &settings.options())?,
            wanted_project: settings.project,
            tls: settings.tls,
            style: Style::for_stdout(),
            local_time: LocalTime::local(),
            is_json: self.json,
        })
    }
}

/// Reported before the first call, because the hub would refuse every call without a token.
fn no_token() -> Failure {
    Failure::usage("no token is set")
        .hint("set PARLOUR_TOKEN; `parlour serve` prints the first token at its first start")
}

impl Session {
    /// Formats a response: as JSON, or as text with `human`.
    pub(crate) fn answer<T: Serialize>(&self, value: &T, human: impl FnOnce(&T) -> String) -> Result<Output, Failure> {
        if self.is_json { Output::json(value) } else { Ok(Output::text(human(value))) }
    }

    /// Creates a client of the same hub with another token.
    pub(crate) fn client_with_token(&self, token: &str) -> Result<Client, Failure> {
        let options = ClientOptions { token: Some(token.to_owned()), tls: self.tls.clone() };
        Ok(Client::with_options(self.client.url(), &options)?)
    }

    /// Formats the last line of an output: the next command to run.
    pub(crate) fn next(&self, command: &str) -> String {
        self.style.paint(Emphasis::Dim, &format!("Next: {command}")) + "\n"
    }

    pub(crate) fn view(&self) -> MessageView {
        MessageView { style: self.style, local_time: self.local_time.clone() }
    }
}
