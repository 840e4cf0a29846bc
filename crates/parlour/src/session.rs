//! A command's connection to a hub, and how it wants its answers.

use std::env;

use clap::Args;
use parlour_agent::{Client, ClientOptions, TlsOptions};
use serde::Serialize;

use crate::{
    failure::Failure,
    output::{
        Output,
        message::MessageView,
        moment::Moments,
        style::{Look, Style},
    },
    settings::{ClientSettings, Flags, ForClients, Sources},
};

/// What every command that talks to a hub takes.
#[derive(Args, Clone, Debug)]
pub(crate) struct Connection {
    /// Print the API's own JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flags: Flags<ForClients>,
}

/// An open connection. Nothing was sent yet.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// The project as the user named it.
    pub(crate) wanted_project: Option<String>,
    pub(crate) style: Style,
    pub(crate) moments: Moments,
    /// Whether the answer is for a program.
    pub(crate) is_json: bool,
    /// Whom to trust and what to show.
    tls: TlsOptions,
}

impl Connection {
    /// Whether the answer is for a program.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Reads the settings.
    pub(crate) fn settings(&self) -> Result<ClientSettings, Failure> {
        Ok(ClientSettings::read(&Sources::open(&self.flags, &|name| env::var_os(name))?)?)
    }

    /// Reads the settings and makes the client.
    pub(crate) fn open(&self) -> Result<Session, Failure> {
        let settings = self.settings()?;
        if !settings.shows_somebody() {
            return Err(no_token());
        }
        Ok(Session {
            client: Client::with_options(&settings.url, &settings.options())?,
            wanted_project: settings.project,
            tls: settings.tls,
            style: Style::for_stdout(),
            moments: Moments::local(),
            is_json: self.json,
        })
    }
}

/// Said before the first call: without a token every one of them would be refused.
fn no_token() -> Failure {
    Failure::usage("no token is set, so the hub would not know who you are")
        .hint("export PARLOUR_TOKEN=… with the token that `parlour serve` showed at its first start")
}

impl Session {
    /// The answer as the user wants it: the API's JSON, or the text that `human` makes of it.
    pub(crate) fn answer<T: Serialize>(&self, value: &T, human: impl FnOnce(&T) -> String) -> Result<Output, Failure> {
        if self.is_json { Output::json(value) } else { Ok(Output::text(human(value))) }
    }

    /// A client of the same hub that shows another token.
    pub(crate) fn client_with_token(&self, token: &str) -> Result<Client, Failure> {
        let options = ClientOptions { token: Some(token.to_owned()), tls: self.tls.clone() };
        Ok(Client::with_options(self.client.url(), &options)?)
    }

    /// A closing line that names the next command to type.
    pub(crate) fn next(&self, command: &str) -> String {
        self.style.paint(Look::Dim, &format!("Next: {command}")) + "\n"
    }

    /// How messages are shown.
    pub(crate) fn view(&self) -> MessageView {
        MessageView { style: self.style, moments: self.moments.clone() }
    }
}
