//! `parlour logout`: revokes the token of a profile and removes the profile.

use clap::Args;
use parlour_agent::{Client, ClientOptions, TlsOptions};
use parlour_core::Code;
use serde_json::json;

use crate::{
    failure::Failure,
    output::{
        Output,
        style::{Emphasis, Style},
    },
    profiles::{Profile, ProfileName, ProfileStore},
    session::Connection,
};

const EXAMPLES: &str = "\
Examples:
  parlour logout                    the default profile
  parlour logout --profile work
  parlour logout --revoke           revoke a token that you passed to `parlour login`, too

A token that `parlour login` issued is revoked at the hub. A token that you passed to it stays valid, because it may be in \
use elsewhere; --revoke revokes it.";

/// Sign out: revoke the token of a profile and remove the profile
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LogoutCommand {
    /// Revoke the token even if `parlour login` did not issue it
    #[arg(long)]
    revoke: bool,
    #[command(flatten)]
    connection: Connection,
}

/// What happened to the token at the hub.
enum Revocation {
    Revoked,
    /// The hub did not accept it any more.
    AlreadyInvalid,
    Kept,
    Failed(Failure),
}

impl LogoutCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let store = ProfileStore::required()?;
        let profiles = store.read()?;
        let name = self.profile()?;
        let profile = profiles.get(&name)?.clone();
        let revocation = self.revoke(&profile).await;
        store.change(|profiles| {
            // Only what was revoked: a sign-in meanwhile has stored another token.
            if profiles.all.get(&name).is_some_and(|current| current.token == profile.token) {
                profiles.remove(&name);
            }
            Ok(())
        })?;
        self.report(&name, &profile, &revocation)
    }

    /// The profile that other commands would use.
    fn profile(&self) -> Result<ProfileName, Failure> {
        let nothing = || {
            Failure::usage("no profile is in use")
                .hint("select one with --profile NAME; `parlour profile list` lists them")
        };
        self.connection.resolve()?.profile.ok_or_else(nothing)
    }

    async fn revoke(&self, profile: &Profile) -> Revocation {
        if profile.issued.is_none() && !self.revoke {
            return Revocation::Kept;
        }
        match revoke(profile).await {
            Ok(()) => Revocation::Revoked,
            Err(parlour_agent::ClientError::Problem(problem)) if problem.is(Code::Unauthenticated) => {
                Revocation::AlreadyInvalid
            }
            Err(error) => Revocation::Failed(error.into()),
        }
    }

    fn report(&self, name: &ProfileName, profile: &Profile, revocation: &Revocation) -> Result<Output, Failure> {
        if self.connection.is_json() {
            let is_revoked = matches!(revocation, Revocation::Revoked);
            return Output::json(&json!({"profile": name, "url": profile.url, "is_revoked": is_revoked}));
        }
        let style = Style::for_stdout();
        let end = match revocation {
            Revocation::Revoked => "The token was revoked.".to_owned(),
            Revocation::AlreadyInvalid => "The hub did not accept its token any more.".to_owned(),
            Revocation::Kept => "The token stays valid, because `parlour login` did not issue it.".to_owned(),
            Revocation::Failed(failure) => {
                let text =
                    format!("! The token could not be revoked and stays valid until it expires: {}", failure.reason());
                style.paint(Emphasis::Warning, &text)
            }
        };
        Ok(Output::text(format!("Profile {name} was removed: {} at {}.\n{end}\n", profile.member, profile.url)))
    }
}

async fn revoke(profile: &Profile) -> Result<(), parlour_agent::ClientError> {
    let tls = TlsOptions { ca: profile.ca.clone(), identity: None };
    let options = ClientOptions { token: Some(profile.token.clone()), tls };
    let client = Client::with_options(&profile.url, &options)?;
    let id = match &profile.issued {
        Some(id) => Some(id.clone()),
        None => client.me().await?.token_id,
    };
    match id {
        Some(id) => client.revoke_token(&id).await,
        None => Ok(()),
    }
}
