//! The connection of a command to the hub, and its output options.

use std::env;

use clap::Args;
use parlour_agent::{Client, ClientOptions, TlsOptions};
use serde::Serialize;

use crate::{
    commands::hook::EnclosingRun,
    failure::Failure,
    output::{
        Output,
        local_time::LocalTime,
        message::MessageView,
        style::{Emphasis, Style},
    },
    profiles::{ProfileName, ProfileStore, Profiles},
    settings::{
        ClientSettings, ForClients, PROFILE, PROJECT, ResolvedClient, SettingFlags, SettingOrigin, SettingSources, URL,
    },
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
    /// The profile that supplied hub and token.
    pub(crate) profile: Option<ProfileName>,
    tls: TlsOptions,
}

impl Connection {
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    pub(crate) fn settings(&self) -> Result<ClientSettings, Failure> {
        Ok(self.resolve()?.settings)
    }

    /// The name of `--profile`, `PARLOUR_PROFILE` or `parlour.toml`, also of a profile that does not exist yet.
    pub(crate) fn profile_name(&self) -> Result<Option<ProfileName>, Failure> {
        let sources = SettingSources::open(&self.flags, &|name| env::var_os(name))?;
        Ok(sources.read(&PROFILE, str::parse)?)
    }

    /// The URL of the hub, if it is set anywhere.
    pub(crate) fn url_setting(&self) -> Result<Option<String>, Failure> {
        let sources = SettingSources::open(&self.flags, &|name| env::var_os(name))?;
        let found = sources.find(&URL)?.filter(|found| found.origin != SettingOrigin::Default);
        Ok(found.map(|found| found.text))
    }

    /// The value of `--project`.
    pub(crate) fn project_flag(&self) -> Option<&str> {
        self.flags.get(&PROJECT)
    }

    /// The settings without profiles.
    pub(crate) fn settings_without_profile(&self) -> Result<ClientSettings, Failure> {
        Ok(ClientSettings::read(&SettingSources::open(&self.flags, &|name| env::var_os(name))?)?)
    }

    /// Reads the settings and chooses the credential. The command of a runner must not act as the user of the machine, so
    /// it uses a profile only if one is named.
    pub(crate) fn resolve(&self) -> Result<ResolvedClient, Failure> {
        let sources = SettingSources::open(&self.flags, &|name| env::var_os(name))?;
        ResolvedClient::read(&sources, stored_profiles, || EnclosingRun::find().is_none())
    }

    /// Reads the settings and creates the client.
    pub(crate) fn open(&self) -> Result<Session, Failure> {
        let ResolvedClient { settings, profile } = self.resolve()?;
        if !settings.has_credential() {
            return Err(not_signed_in(&settings.url));
        }
        Ok(Session {
            client: Client::with_options(&settings.url, &settings.options())?,
            wanted_project: settings.project,
            tls: settings.tls,
            style: Style::for_stdout(),
            local_time: LocalTime::local(),
            is_json: self.json,
            profile,
        })
    }
}

/// The profiles of the user; none without a home folder.
pub(crate) fn stored_profiles() -> Result<Profiles, Failure> {
    ProfileStore::of_user().map_or_else(|| Ok(Profiles::default()), |store| store.read())
}

/// Reported before the first call, because the hub would refuse every call without a credential.
fn not_signed_in(url: &str) -> Failure {
    if let Some(run) = EnclosingRun::find() {
        let detail = format!("no token is set, and {} does not use your profiles by itself", run.label());
        return Failure::usage(detail).hint("set PARLOUR_TOKEN, or select a profile with --profile NAME");
    }
    Failure::usage(format!("not signed in to {url}"))
        .hint(format!("sign in with `parlour login {url}`, or set PARLOUR_TOKEN"))
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
